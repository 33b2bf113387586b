"""Canonical values of any type: drawn by hypothesis, or from a seed; both prefer the extremes of each scalar.

    values(parse_type("[Level?]"), defined)            a strategy of values as `json.loads` gives them
    sample(parse_type("User"), defined, seed=1)        one value, the same on every machine
    lines(parse_type("User"), defined, count=1000)     JSON Lines, as runners read them
    everything()                                       the set of types in everything.toml, each struct a message

No strategy gives a map a key with a zero character: formats that end keys by one refuse it.
"""

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from bench.types.definitions import Defined, load_definitions
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, TupleOf, Type, parse_type
from bench.types.type_set import MessageType, TypeSet, Use

EVERYTHING = Path(__file__).parent / "types" / "everything.toml"
LISTS = ("[f64]", "[u8]", "[string]", "[User]", "[[i32]]", "[Level]")
"""Messages of the set that are no structs."""

TEXTS = (
    "",
    "a",
    "\0",
    '"',
    "\\",
    "\n\r\t",
    "é",
    "e\u0301",
    "日本",
    "😀",
    "\u202e",
    "\ufeff",
    "\u2028",
    "null",
    "x" * 300,
)
FLOATS_64 = (0.0, -0.0, 1.0, -1.5, 0.1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e21, 2.0**53, 1e-7)
FLOATS_32 = (0.0, -0.0, 1.0, -1.5, 2.0**-149, 2.0**-126, 3.4028234663852886e38, 16777216.0, 0.10000000149011612)
BLOBS = (b"", b"\0", b"\xff" * 3, bytes(range(256)))


def everything() -> TypeSet:
    """The set of all test types: each struct is a message of a scenario named after it, and so are some lists."""
    return type_set(load_definitions(EVERYTHING), LISTS, "everything")


def type_set(defined: Defined, lists: Sequence[str] = (), name: str = "test") -> TypeSet:
    """A set with each struct, and each of these lists, as a message: one scenario of one value, and one of rows."""
    kinds = [*map(Named, defined.structs), *map(parse_type, lists)]
    messages = [MessageType(kind, _uses(scenario_name(kind))) for kind in sorted(kinds, key=str)]
    return TypeSet(name, defined.structs, defined.enums, messages)


def scenario_name(kind: Type) -> str:
    """The scenario of a message of such a set: `nested-structs` for NestedStructs; its rows are `nested-structs-rows`."""
    text = str(kind)
    letters = [f"-{one.lower()}" if one.isupper() else one for one in text.replace("[", "list-")]
    return "".join(letters).replace("]", "").replace("--", "-").strip("-")


def _uses(name: str) -> tuple[Use, ...]:
    return (Use(name, rows=False), Use(f"{name}-rows", rows=True))


def integer_limits(kind: str) -> tuple[int, int]:
    """The least and the largest value of an integer type."""
    bits = int(kind[1:])
    return (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def values(of: Type, defined: Defined | TypeSet) -> st.SearchStrategy[Any]:
    """Any value of a type, as `json.loads` gives it."""
    match of:
        case OptionOf(item):
            return st.none() | values(item, defined)
        case ListOf(item):
            return st.lists(values(item, defined), max_size=4)
        case ArrayOf(item, length):
            return st.lists(values(item, defined), min_size=length, max_size=length)
        case TupleOf(items):
            return st.tuples(*(values(item, defined) for item in items)).map(list)
        case MapOf(value):
            keys = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
            return st.dictionaries(keys, values(value, defined), max_size=3)
        case Named(name) if name in defined.structs:
            return st.fixed_dictionaries({f.name: values(f.type, defined) for f in defined.structs[name].fields})
        case Named(name):
            return st.sampled_from([variant.name for variant in defined.enums[name].variants])
    return _scalars(of.name)


def _scalars(kind: str) -> st.SearchStrategy[Any]:
    match kind:
        case "bool":
            return st.booleans()
        case "string":
            return st.sampled_from(TEXTS) | st.text(max_size=20)
        case "bytes":
            return (st.sampled_from(BLOBS) | st.binary(max_size=20)).map(_base64)
        case "f64":
            return st.sampled_from(FLOATS_64) | st.floats(allow_nan=False, allow_infinity=False)
        case "f32":
            return st.sampled_from(FLOATS_32) | st.floats(width=32, allow_nan=False, allow_infinity=False)
    low, high = integer_limits(kind)
    numbers = st.sampled_from(_integers(low, high)) | st.integers(low, high)
    return numbers.map(str) if kind.endswith("128") else numbers


def sample(of: Type, defined: Defined | TypeSet, seed: int = 0) -> Any:
    """One value of a type, drawn from a seed."""
    return _Sampler(defined, Random(seed)).value(of)


def lines(of: Type, defined: Defined | TypeSet, count: int = 1, seed: int = 0) -> bytes:
    """Canonical JSON Lines of values drawn from a seed; of one value, canonical JSON."""
    sampler = _Sampler(defined, Random(seed))
    return b"".join(canonical(sampler.value(of)) for _ in range(count))


def canonical(value: Any) -> bytes:
    """A value as canonical JSON, with its newline."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Sampler:
    """Draws values; half of the scalars are extremes."""

    def __init__(self, defined: Defined | TypeSet, source: Random) -> None:
        self._defined, self._source = defined, source

    def value(self, of: Type) -> Any:
        source = self._source
        match of:
            case OptionOf(item):
                return None if source.random() < 0.5 else self.value(item)
            case ListOf(item):
                return self._values(item, source.randrange(4))
            case ArrayOf(item, length):
                return self._values(item, length)
            case TupleOf(items):
                return [self.value(item) for item in items]
            case MapOf(value):
                keys = {self._scalar("string").replace("\0", "") for _ in range(source.randrange(4))}
                return {key: self.value(value) for key in sorted(keys)}
            case Named(name) if name in self._defined.structs:
                return {field.name: self.value(field.type) for field in self._defined.structs[name].fields}
            case Named(name):
                return source.choice(self._defined.enums[name].variants).name
        return self._scalar(of.name)

    def _values(self, item: Type, count: int) -> list[Any]:
        return [self.value(item) for _ in range(count)]

    def _scalar(self, kind: str) -> Any:
        source, extreme = self._source, self._source.random() < 0.5
        match kind:
            case "bool":
                return extreme
            case "string":
                return source.choice(TEXTS) if extreme else "".join(source.choices("abcé日😀 ", k=source.randrange(20)))
            case "bytes":
                return _base64(source.choice(BLOBS) if extreme else source.randbytes(source.randrange(20)))
            case "f64":
                return source.choice(FLOATS_64) if extreme else source.uniform(-1e9, 1e9)
            case "f32":
                drawn = source.choice(FLOATS_32) if extreme else source.uniform(-1e9, 1e9)
                return struct.unpack("<f", struct.pack("<f", drawn))[0]
        low, high = integer_limits(kind)
        number = source.choice(_integers(low, high)) if extreme else source.randint(low, high)
        return str(number) if kind.endswith("128") else number


def _integers(low: int, high: int) -> list[int]:
    near = {low, low + 1, -1, 0, 1, 127, 128, 255, 256, 2**31, 2**32, 2**53 + 1, 2**63 - 1, high - 1, high}
    return sorted(number for number in near if low <= number <= high)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
