"""Cases out of the files of suites: a function for each form in which suites write them down.

Which suite has which form, and where its files come from, says schemas/conformance.toml.
"""

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.proof.suite import Suite, Vectors
from bench.proof.suites import flatbuffers
from bench.proof.suites.items import item_of
from bench.proof.suites.packages import Files, UnavailableError
from bench.scenarios.inputs import canonical_input
from bench.scenarios.load import load_scenarios
from bench.scenarios.sets import types_of
from bench.types.expressions import parse_type
from bench.types.schemaless import TIMESTAMP, Datetime, Ext, Map, from_json, parse
from bench.types.values import parse_canonical

REPLACED = "\N{REPLACEMENT CHARACTER}"
"""What a package has where an input was not text."""


class Case(Struct, frozen=True):
    """An input, and what a codec must make of it."""

    name: str
    data: bytes
    must: str
    """`accept`, `refuse`, or `open` where the specification leaves it to the codec."""
    values: tuple[Any, ...] = ()
    """The values of which it must have one; empty if any will do."""


def cases_of(suite: Suite, files: Sequence[Files]) -> list[Case]:
    """The cases of a suite. Raises UnavailableError if its files are not in its form."""
    try:
        found = list(READERS[suite.reader or ""](suite, files))
    except (ValueError, KeyError, TypeError, IndexError, struct.error) as error:
        problem = f"{type(error).__name__}: {error}"
        raise UnavailableError(f"its files are not those of the pinned edition ({problem})") from None
    return [msgspec.structs.replace(case, must="open") if _is_open(case, suite) else case for case in found]


def _is_open(case: Case, suite: Suite) -> bool:
    return case.data.hex() in suite.open or case.name in suite.open


def prefixed_texts(suite: Suite, files: Sequence[Files]) -> Iterator[Case]:
    """A JavaScript module of names and texts: y… must be accepted, n… refused, i… is left open.

    Where a text was no text, the other package has it as bytes.
    """
    (module, *_), inputs = list(files[0].values()), files[1]
    listed = json.loads(module[module.index(b"[\n") :].rstrip().removesuffix(b";"))
    for one in listed:
        name, text = one["name"], one["input"]
        data = text.encode()
        if typed := suite.texts.get(name):
            data = typed.text.encode(typed.encoding)
        elif REPLACED in text:
            data = inputs[name]
        must = {"y": "accept", "n": "refuse", "i": "open"}[name[0]]
        values = (from_json(data),) if must == "accept" and not _repeats_keys(data) else ()
        yield Case(name, data, must, values)


def _repeats_keys(document: bytes) -> bool:
    """Whether an object has a key twice: which value counts, the specification leaves open."""
    repeated = []

    def pairs(items: list[tuple[str, Any]]) -> None:
        repeated.append(len({key for key, _ in items}) < len(items))

    json.loads(document, object_pairs_hook=pairs)
    return any(repeated)


def values_with_forms(_: Suite, files: Sequence[Files]) -> Iterator[Case]:
    """A JSON file of values, each with every form that the format has for it."""
    (document,) = files[0].values()
    for file, entries in json.loads(document).items():
        for entry in entries:
            forms = entry.pop("msgpack")
            kind = "bignum" if "bignum" in entry else next(iter(entry))
            value = FORMS[kind](entry[kind])
            for form in forms:
                yield Case(f"{file} {kind} {form[:40]}", _bytes(form), "accept", (value,))


def _bytes(dashed: str) -> bytes:
    return bytes.fromhex(dashed.replace("-", ""))


def _plain(value: Any) -> Any:
    return from_json(json.dumps(value))


def _timestamp(content: list[int]) -> Ext:
    """Seconds and nanoseconds, in the longest of the forms of a time: all are the same value."""
    seconds, nanoseconds = content
    return Ext(TIMESTAMP, struct.pack(">Iq", nanoseconds, seconds))


FORMS: Mapping[str, Callable[[Any], Any]] = {
    "nil": lambda _: None,
    "bool": _plain,
    "binary": _bytes,
    "number": _plain,
    "bignum": int,
    "string": _plain,
    "array": _plain,
    "map": _plain,
    "timestamp": _timestamp,
    "ext": lambda content: Ext(content[0], _bytes(content[1])),
}


def typed_documents(suite: Suite, files: Sequence[Files]) -> Iterator[Case]:
    """Folders `valid`, with a value in JSON beside each document, and `invalid`; a list names those of an edition."""
    for name in files[0][suite.listed or ""].decode().split():
        path = PurePosixPath(name)
        if path.suffix == ".json":
            continue
        data = files[0][name]
        if path.parts[0] == "valid":
            yield Case(name, data, "accept", (_typed(json.loads(files[0][str(path.with_suffix(".json"))])),))
        else:
            yield Case(name, data, "refuse")


def _typed(value: Any) -> Any:
    """A value whose leaves are objects of a type and a text."""
    if isinstance(value, list):
        return [_typed(one) for one in value]
    if value.keys() == {"type", "value"} and isinstance(value["value"], str):
        return TYPES[value["type"]](value["value"])
    return Map(tuple((key, _typed(one)) for key, one in value.items()))


TYPES: Mapping[str, Callable[[str], Any]] = {
    "string": str,
    "integer": int,
    "float": float,
    "bool": {"true": True, "false": False}.__getitem__,
    "datetime": Datetime,
    "datetime-local": Datetime,
    "date-local": Datetime,
    "time-local": Datetime,
}


def vectors(suite: Suite, _: Sequence[Files]) -> Iterator[Case]:
    """A file of ours: encodings with their values, and inputs to refuse with the reason."""
    typed = read_toml(SCHEMAS / (suite.vectors or ""), Vectors)
    for encoding, value in typed.accept.items():
        yield Case(encoding, bytes.fromhex(encoding), "accept", (parse(value.encode()),))
    for group in typed.refuse:
        for encoding in group.inputs.split():
            yield Case(f"{encoding}: {group.reason}", bytes.fromhex(encoding), "refuse")


def item_vectors(_: Suite, files: Sequence[Files]) -> Iterator[Case]:
    """Files in the binary format itself: maps of a title and tests, each a map of `encoded`, `decoded` and `fail`."""
    for file in sorted(files[0]):
        if PurePosixPath(file).suffix != ".cbor":
            continue
        group = dict(item_of(files[0][file]).pairs)
        for number, test in enumerate(group["tests"]):
            entry = dict(test.pairs)
            if "encoded" not in entry:  # a value that cannot be written
                continue
            name = f"{PurePosixPath(file).stem} {number}: {entry.get('description', '')}"
            if entry.get("fail", group.get("fail", False)):
                yield Case(name, entry["encoded"], "refuse")
            else:
                yield Case(name, entry["encoded"], "accept", (entry["decoded"],) if "decoded" in entry else ())


def canonical_documents(suite: Suite, files: Sequence[Files]) -> Iterator[Case]:
    """JSON files: documents in their canonical form and in others, each with its value, and malformed ones."""
    fields = suite.fields
    for file in sorted(files[0]):
        corpus = json.loads(files[0][file])
        name = PurePosixPath(file).stem
        for one in corpus.get("valid", ()):
            values = _extended(json.loads(one[fields["value"]]), fields)
            yield Case(f"{name}: {one['description']}", bytes.fromhex(one[fields["canonical"]]), "accept", values)
            if other := one.get(fields["degenerate"]):
                yield Case(f"{name}, degenerate: {one['description']}", bytes.fromhex(other), "accept", values)
        for one in corpus.get("decodeErrors", ()):
            yield Case(f"{name}: {one['description']}", bytes.fromhex(one[fields["malformed"]]), "refuse")


class _OwnTypeError(Exception):
    """A value is of a type that only its format has."""


def _extended(document: Any, fields: Mapping[str, str]) -> tuple[Any, ...]:
    """The value of a document in extended JSON; none if any will do: of its format's own types."""
    integers, floats = fields["integers"].split(), fields["floats"].split()

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(one) for one in value]
        if not isinstance(value, dict):
            return value
        for key, one in value.items():
            if key in integers:
                return int(one)
            if key in floats:
                return float(one)
            if key.startswith("$"):
                raise _OwnTypeError
        return Map(tuple((key, plain(one)) for key, one in value.items()))

    try:
        return (plain(document),)
    except _OwnTypeError:
        return ()


def damaged_messages(suite: Suite, _: Sequence[Files]) -> Iterator[Case]:
    """A message of a scenario's value: whole, with scalars left out, and with each part leading out of it."""
    scenario = load_scenarios()[suite.scenario or ""]
    of, defined = parse_type(scenario.type), types_of(scenario)
    (value,) = parse_canonical(canonical_input(scenario), rows=False)
    whole = flatbuffers.message_of(of, defined, value)
    yield Case("as it is", whole.data, "accept", (value,))
    more = flatbuffers.message_of(of, defined, value, unknown_fields=2)
    yield Case("with fields that the schema does not have", more.data, "accept", (value,))
    yield Case("with 8 bytes behind it", whole.data + bytes(8), "open", (value,))
    for name, data, left in flatbuffers.with_defaults(whole, value):
        yield Case(name, data, "accept", (left,))
    for name, data in flatbuffers.damaged(whole):
        yield Case(name, data, "refuse")


READERS: Mapping[str, Callable[[Suite, Sequence[Files]], Iterator[Case]]] = {
    reader.__name__: reader
    for reader in (
        prefixed_texts,
        values_with_forms,
        typed_documents,
        vectors,
        item_vectors,
        canonical_documents,
        damaged_messages,
    )
}
