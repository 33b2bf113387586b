"""Which fields of a type a library has no form for, and why."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from bench.model.findings import Shortcoming
from bench.model.offers import Feature
from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.features import LONGEST_TUPLE
from bench.types.type_set import EnumType

MOST_PATHS = 1_000
"""Features that are looked at in all places of a struct; of those beyond it, in the first place of each struct."""


def shortcomings(of: Type, defined: Defined, reasons: Mapping[Feature, str]) -> list[Shortcoming]:
    """The fields with a feature that has a reason; the first of each feature and struct."""
    result: dict[tuple[Feature, str], Shortcoming] = {}
    everywhere = islice(features_by_path(of, defined, "$"), MOST_PATHS)
    for feature, path in chain(everywhere, features_by_path(of, defined, "$", set())):
        if feature in reasons:
            result.setdefault((feature, path), Shortcoming(path, feature.value, reasons[feature]))
    return list(result.values())


def features_by_path(
    of: Type, defined: Defined, path: str, once: set[str] | None = None
) -> Iterator[tuple[Feature, str]]:
    """What a type has that not every library can take, field by field.

    `once`: structs that were looked into; given, each is looked into once, else in every place.
    """
    match of:
        case ListOf(item) | ArrayOf(item, _):
            if isinstance(item, ListOf | ArrayOf):
                yield Feature.NESTED_LIST, path
            if isinstance(item, OptionOf):
                yield Feature.OPTION_IN_LIST, path
            if isinstance(item, Named) and item.name in defined.structs:
                yield Feature.STRUCT_LIST, path
            if item == Scalar("bool"):
                yield Feature.BOOL_LIST, path
            yield from features_by_path(item, defined, f"{path}[]", once)
        case MapOf(value):
            yield Feature.MAP, path
            yield from features_by_path(value, defined, f"{path}.*", once)
        case OptionOf(item):
            yield Feature.OPTION, path
            yield from features_by_path(item, defined, path, once)
        case TupleOf(items):
            yield Feature.TUPLE, path
            if len(items) > LONGEST_TUPLE:
                yield Feature.LONG_TUPLE, path
            for index, item in enumerate(items):
                yield from features_by_path(item, defined, f"{path}[{index}]", once)
        case Named(name) if name in defined.structs:
            yield Feature.STRUCT, path
            if once is not None:
                if name in once:
                    return
                once.add(name)
            for field in defined.structs[name].fields:
                yield from features_by_path(field.type, defined, f"{path}.{field.name[:200]}", once)
        case Named(name) if (enum := defined.enums[name]) and is_wide(enum):
            yield Feature.WIDE_ENUM, path
        case _ if str(of) == "u64":
            yield Feature.U64, path
        case _ if str(of) in ("u128", "i128"):
            yield Feature.U128, path


def is_wide(enum: EnumType) -> bool:
    """Whether its values do not fit into 32 bits with a sign."""
    values = [variant.value for variant in enum.variants]
    return not -(2**31) <= min(values) <= max(values) < 2**31
