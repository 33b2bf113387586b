"""Canonical JSON: the form in which values enter and leave a runner.

A number is the shortest decimal that reads back as the same value. The library is the standard library's `json`, whose
decoder shares no code with any measured codec but `json` itself. Values are checked against their type before use.
"""

import json
from typing import Any

from wirelab_kit.base.failure import MalformedError


def read(text: bytes) -> Any:
    """The one value that `text` holds. Raises MalformedError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"the input is not canonical JSON: {error}") from None


def inputs(text: bytes, rows: bool) -> list[bytes]:
    """The texts of a scenario's values: one, or with rows one a line. Raises MalformedError if there is none."""
    if not rows:
        return [text]
    # Not splitlines, which splits at a carriage return too.
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    if not lines:
        raise MalformedError("the input has no rows")
    return lines


def write(value: Any) -> bytes:
    """A value and a line end. Raises ValueError for what JSON cannot represent: NaN, infinities, lone surrogates."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"
