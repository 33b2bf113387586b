"""What the templates of Python's plain types call: annotations of models, and the checker's expressions."""

from collections.abc import Mapping
from typing import Any

from bench.model.offers import Feature
from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type, parts
from bench.types.features import features
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import EnumType, MessageType, TypeSet, Use

LANGUAGE = "python"


def context(types: TypeSet, names: Names) -> Mapping[str, Any]:
    """What the templates see besides `names`: the types that Python measures, and functions of them."""
    python = shared("python_types").PythonTypes(types, names, "Base64", _sized)
    own: TypeSet = python.types
    return {
        "types": own,
        "annotation": python.annotation,
        "default": python.default,
        "check": lambda of: _check(of, names),
        "features": lambda message: _features(message, own),
        "has_structs": lambda message: bool(python.structs_of(message)),
        "has_alias": lambda message: any(map(python.aliases, python.structs_of(message))),
        "has_bytes": _has_bytes(own),
        "uses": _uses,
        "width": _width,
    }


def _sized(length: int) -> str:
    return f"pydantic.Field(min_length={length}, max_length={length})"


def _check(of: Type, names: Names) -> str:
    """The checker of a type, as an expression."""
    match of:
        case Scalar(name):
            return f"types.{name.upper()}"
        case Named(name):
            return names.type(name)
        case ListOf(item):
            return f"types.List({_check(item, names)})"
        case ArrayOf(item, length):
            return f"types.List({_check(item, names)}, {length})"
        case MapOf(value):
            return f"types.Map({_check(value, names)})"
        case OptionOf(item):
            return f"types.Option({_check(item, names)})"
        case TupleOf(items):
            return f"types.Tuple({', '.join(_check(item, names) for item in items)})"


def _features(message: MessageType, types: TypeSet) -> list[str]:
    """What a library may refuse of a message. A u64 is a matter of values: those of most structs fit into an i64."""
    all_of_it = features(message.type, Defined(types.structs, types.enums))
    return sorted(all_of_it - {Feature.U64} if Feature.STRUCT in all_of_it else all_of_it)


def _has_bytes(types: TypeSet) -> bool:
    def within(of: Type) -> bool:
        return of == Scalar("bytes") or any(map(within, parts(of)))

    fields = [field.type for struct in types.structs.values() for field in struct.fields]
    return any(map(within, [*fields, *(message.type for message in types.messages)]))


def _uses(message: MessageType) -> list[Use]:
    """The scenarios that Python measures a message in."""
    return [use for use in message.uses if use.is_in(LANGUAGE) and not use.files and not use.encrypted]


def _width(enum: EnumType) -> int:
    """Bytes of an enumeration's integer."""
    return int(enum.repr[1:]) // 8
