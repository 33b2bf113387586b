"""What a type has that not every library can take, and which kind of message it is."""

from collections.abc import Collection, Container

from bench.model.offers import Feature, MessageKind
from bench.types.definitions import Defined
from bench.types.expressions import (
    FLOATS,
    INTEGERS,
    ArrayOf,
    ListOf,
    MapOf,
    Named,
    OptionOf,
    Scalar,
    TupleOf,
    Type,
    parse_type,
    parts,
)

TEXTS = ("string", "bytes")
LONGEST_TUPLE = 3
"""Elements of a tuple that all libraries take which take any."""


def takes(cannot: Container[Feature], has: Collection[Feature]) -> bool:
    """Whether a codec takes a message type with these features.

    A u64 is a matter of values, and those of structs seldom exceed an i64: it excludes lists of numbers alone.
    """
    return not any(one in cannot for one in has if one is not Feature.U64 or Feature.STRUCT not in has)


def kind_of(of: Type, defined: Defined) -> MessageKind:
    """The kind of a message that is encoded by itself."""
    if isinstance(of, ListOf | ArrayOf) and isinstance(of.item, Scalar) and of.item.name in (*INTEGERS, *FLOATS):
        return MessageKind.NUMBERS
    text = _has_text(of, defined)
    if isinstance(of, Named):
        return MessageKind.STRUCT_OF_TEXT if text else MessageKind.STRUCT
    return MessageKind.LIST_OF_TEXT if text else MessageKind.LIST


def _has_text(of: Type, defined: Defined) -> bool:
    if isinstance(of, Scalar):
        return of.name in TEXTS
    if isinstance(of, Named):
        return of.name in defined.structs and any(
            _has_text(one.type, defined) for one in defined.structs[of.name].fields
        )
    return isinstance(of, MapOf) or any(_has_text(part, defined) for part in parts(of))


def features(of: Type | str, defined: Defined, library: str = "") -> set[Feature]:
    """What a message type has that not every library can take. A u64 counts, whatever its values.

    Fields are of the types that they have in a library, if one is named.
    """
    kind = parse_type(of) if isinstance(of, str) else of
    within = _features(kind, defined, library)
    return within | {Feature.LIST_MESSAGE} if isinstance(kind, ListOf | ArrayOf) else within


def _features(of: Type, defined: Defined, library: str) -> set[Feature]:
    match of:
        case ListOf(item) | ArrayOf(item, _):
            return _of_list(item, defined) | _features(item, defined, library)
        case MapOf(value):
            return {Feature.MAP} | _features(value, defined, library)
        case OptionOf(item):
            return {Feature.OPTION} | _features(item, defined, library)
        case TupleOf(items):
            long = {Feature.LONG_TUPLE} if len(items) > LONGEST_TUPLE else set()
            return {Feature.TUPLE, *long}.union(*(_features(item, defined, library) for item in items))
        case Named(name) if name in defined.structs:
            fields = defined.structs[name].fields
            return {Feature.STRUCT}.union(*(_features(one.type_in(library), defined, library) for one in fields))
        case Named(name):
            values = [variant.value for variant in defined.enums[name].variants]
            wide = not -(2**31) <= min(values) <= max(values) < 2**31
            return {Feature.WIDE_ENUM} if wide else set()
    return {Feature.U64} if of.name == "u64" else {Feature.U128} if of.name in ("u128", "i128") else set()


def _of_list(item: Type, defined: Defined) -> set[Feature]:
    if isinstance(item, ListOf | ArrayOf):
        return {Feature.NESTED_LIST}
    if isinstance(item, OptionOf):
        return {Feature.OPTION_IN_LIST}
    if item == Scalar("bool"):
        return {Feature.BOOL_LIST}
    return {Feature.STRUCT_LIST} if isinstance(item, Named) and item.name in defined.structs else set()
