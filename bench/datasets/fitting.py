"""A user's values as their type has them: canonical JSON of a message, or what does not fit and where.

A key that stands for an option may be missing. A `string` takes what is no text as its JSON, so that a field whose
values have no type in common can be kept.
"""

import base64
import binascii
import re
import struct
from collections.abc import Mapping
from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from bench.datasets.inference.deduction import untyped
from bench.datasets.reading.table_sources import base64_text
from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.values import read_alike_f32

LARGEST_F32 = 2.0**128 - 2.0**104
INTEGER = re.compile("0|-?[1-9][0-9]{0,39}")
"""An integer as text, in the one form that it is written in: `0012` is another text than what would come back."""


class MisfitError(ValueError):
    """A value that its type does not have: where it stands, and what is wrong with it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(problem)
        self.path = path


class Fitting:
    """Makes canonical JSON of messages of one type.

    `inferred`: the type follows from the messages, so that an f64 holds every integer that stands for one.
    """

    def __init__(self, of: Type, defined: Defined, *, inferred: bool = False) -> None:
        self._type, self._defined = of, defined
        self._quick = _quick(of, defined, SCALARS | INFERRED if inferred else SCALARS)

    def canonical(self, value: Any) -> bytes:
        """Canonical JSON of a message, without an end of line. Raises MisfitError."""
        if self._quick is not None:
            try:
                return msgspec.json.encode(msgspec.convert(value, self._quick, strict=True))
            except (msgspec.ValidationError, TypeError):
                pass  # what is wrong, and whether it can be taken all the same, is seen more slowly
        return msgspec.json.encode(self.fitted(value))

    def fitted(self, value: Any) -> Any:
        """A message with every key of its type, in the type's order. Raises MisfitError."""
        return self._fit(self._type, value, "$")

    def _fit(self, of: Type, value: Any, path: str) -> Any:
        match of:
            case OptionOf(item):
                return None if value is None else self._fit(item, value, path)
            case Named(name) if name in self._defined.structs:
                return self._fit_struct(name, value, path)
            case Named(name):
                if value in [variant.name for variant in self._defined.enums[name].variants]:
                    return value
                raise _misfit(path, value, f"is no variant of {name}")
            case MapOf(inner):
                _check(isinstance(value, dict), path, value, of)
                return {key: self._fit(inner, one, f"{path}[{key!r:.80}]") for key, one in value.items()}
            case ListOf(item):
                _check(isinstance(value, list), path, value, of)
                return [self._fit(item, one, f"{path}[{index}]") for index, one in enumerate(value)]
            case ArrayOf(item, length):
                return self._fit_items([item] * length, value, path, of)
            case TupleOf(items):
                return self._fit_items(list(items), value, path, of)
        return _fit_scalar(of, value, path)

    def _fit_struct(self, name: str, value: Any, path: str) -> dict[str, Any]:
        _check(isinstance(value, dict), path, value, Named(name))
        fields = self._defined.structs[name].fields
        result = {}
        for field in fields:
            if field.name not in value and not isinstance(field.type, OptionOf):
                raise MisfitError(
                    f"{path}.{field.name}", f'is missing, and its type is {field.type}. Write "{field.type}?" in --type'
                )
            result[field.name] = self._fit(field.type, value.get(field.name), f"{path}.{field.name}")
        if len(value) > len(fields) or not value.keys() <= result.keys():
            extra = next(key for key in value if key not in result)
            raise MisfitError(f"{path}.{extra}", f"is not a field of {name}. Add it to [structs.{name}.fields]")
        return result

    def _fit_items(self, items: list[Type], value: Any, path: str, of: Type) -> list[Any]:
        _check(isinstance(value, list) and len(value) == len(items), path, value, of)
        each = enumerate(zip(items, value, strict=True))
        return [self._fit(item, one, f"{path}[{index}]") for index, (item, one) in each]


def _misfit(path: str, value: Any, problem: str) -> MisfitError:
    return MisfitError(path, f"{untyped(value)} {problem}. Mend the value, or write another type in --type")


def _check(fits: bool, path: str, value: Any, of: Type) -> None:
    if not fits:
        raise _misfit(path, value, f"is no {of}")


def _fit_scalar(of: Type, value: Any, path: str) -> Any:
    name = str(of)
    if name == "string":
        if isinstance(value, bytes):
            return base64_text(value)
        return value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if name == "bool":
        fits = isinstance(value, bool)
    elif name == "bytes":
        return _fit_bytes(value, path)
    elif name in ("f32", "f64"):
        return _fit_float(name, value, path)
    else:
        return _fit_integer(name, value, path)
    _check(fits, path, value, of)
    return value


def _fit_bytes(value: Any, path: str) -> str:
    try:
        return base64_text(value if isinstance(value, bytes) else base64.b64decode(value, validate=True))
    except (TypeError, ValueError, binascii.Error):
        raise _misfit(path, value, "is no base64, as bytes are") from None


def _fit_float(name: str, value: Any, path: str) -> float:
    _check(isinstance(value, int | float) and not isinstance(value, bool), path, value, Scalar(name))
    if name == "f32" and abs(value) > LARGEST_F32:
        raise _misfit(path, value, "does not fit into f32")
    if isinstance(value, int) and (abs(value) > 2**1023 or int(_nearest(name, value)) != value):
        raise _misfit(path, value, f"is an integer that no {name} holds")
    return read_alike_f32(float(value)) if name == "f32" else float(value)


def _nearest(name: str, value: int) -> float:
    """The nearest number that a float type has."""
    number = float(value)
    return float(struct.unpack("<f", struct.pack("<f", number))[0]) if name == "f32" else number


def _fit_integer(name: str, value: Any, path: str) -> int | str:
    bits = int(name[1:])
    if bits == 128 and isinstance(value, str) and INTEGER.fullmatch(value):
        value = int(value)
    _check(isinstance(value, int) and not isinstance(value, bool), path, value, Scalar(name))
    low, high = (0, 2**bits) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not low <= value < high:
        raise _misfit(path, value, f"does not fit into {name}")
    return str(value) if bits == 128 else int(value)


# the quick way: msgspec's own types, where they mean the same


def _quick(of: Type, defined: Defined, scalars: Mapping[str, Any]) -> Any:
    """The type as msgspec has it; None where it has none with the same meaning."""
    try:
        return _of_msgspec(of, defined, dict(scalars))
    except _NoneSuchError:
        return None


class _NoneSuchError(Exception):
    """msgspec has no such type."""


SCALARS: dict[str, Any] = {
    "bool": bool,
    "string": str,
    **{f"u{bits}": Annotated[int, Meta(ge=0, lt=2**bits)] for bits in (8, 16, 32)},
    **{f"i{bits}": Annotated[int, Meta(ge=-(2 ** (bits - 1)), lt=2 ** (bits - 1))] for bits in (8, 16, 32)},
    "i64": Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)],
    "u64": Annotated[int, Meta(ge=0, le=2**63 - 1)],
}
"""Those that mean the same. msgspec knows no bound above 2^63: a u64 beyond it is looked at more slowly."""
INFERRED: dict[str, Any] = {"f64": float}
"""msgspec rounds integers that no f64 holds."""


def _of_msgspec(of: Type, defined: Defined, known: dict[str, Any]) -> Any:
    match of:
        case OptionOf(item):
            return _of_msgspec(item, defined, known) | None
        case ListOf(item):
            return GenericAlias(list, (_of_msgspec(item, defined, known),))
        case ArrayOf(item, length):
            items: Any = GenericAlias(list, (_of_msgspec(item, defined, known),))
            return Annotated[items, Meta(min_length=length, max_length=length)]
        case MapOf(value):
            return GenericAlias(dict, (str, _of_msgspec(value, defined, known)))
        case TupleOf(items_of):
            return GenericAlias(tuple, tuple(_of_msgspec(item, defined, known) for item in items_of))
        case Named(name):
            if name not in known:
                known[name] = _named(name, defined, known)
            return known[name]
    if of.name not in known:
        raise _NoneSuchError
    return known[of.name]


def _named(name: str, defined: Defined, known: dict[str, Any]) -> Any:
    if name in defined.enums:
        return Literal[tuple(variant.name for variant in defined.enums[name].variants)]
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for field in defined.structs[name].fields:
        of = _of_msgspec(field.type, defined, known)
        default = (None,) if isinstance(field.type, OptionOf) else ()
        fields.append((f"f{field.index}", of, *default))
    names = {f"f{field.index}": field.name for field in defined.structs[name].fields}
    try:
        return msgspec.defstruct(name, fields, rename=names, forbid_unknown_fields=True, kw_only=True, gc=False)
    except ValueError:  # quotes, backslashes and control characters in keys
        raise _NoneSuchError from None
