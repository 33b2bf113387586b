"""The catalogue as the text of its file, as taplo formats it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bench.model.offers import CatalogueFile

HEAD = """\
# What each runner offers, written by `./lab catalogue` from what they describe: `lab list` and `lab bench --dry-run`
# answer from it before anything is built. The runners are the truth; `./lab catalogue --check` compares. Written by
# hand are the names of offers, which are kept.
#
# An offer is a set of operations with their conditions; `drop=inside|outside` stands for two cells, `none` for a
# condition that is absent. A codec has an offer for a kind of message, such as structs or lists of numbers, and so for
# every scenario of that kind whose type has no feature that it `cannot` take; `exceptions` are single types. Its
# `conditions` belong to all of its cells, `validation` to those that read.
"""
WIDTH = 120


def text_of(file: CatalogueFile) -> str:
    """The file's text."""
    lines = [HEAD, f"protocol = {file.protocol}"]
    for table in ("builds", "offers", "every_condition", "codecs"):
        entries = getattr(file, table)
        for name in entries:
            lines += ["", f"[{table}.{_key(name)}]", *_fields(msgspec.to_builtins(entries[name]))]
    return "\n".join(lines) + "\n"


def _fields(values: Mapping[str, object]) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from (f"{_key(name)}.{line}" for line in _fields(value))
        elif value not in (None, "", False, []):
            yield f"{_key(name)} = {_value(value, len(_key(name)) + 3)}"


def _value(value: object, before: int) -> str:
    """A value in TOML; a list on one line where it fits behind `before` characters."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    items = [json.dumps(item, ensure_ascii=False) for item in value]
    line = f"[{', '.join(items)}]"
    return line if before + len(line) <= WIDTH else "\n".join(["[", *(f"    {item}," for item in items), "]"])


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else json.dumps(name)
