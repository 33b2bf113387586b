"""What `update` makes of a message: which of its fields change where they stand, and to what.

A field that changes is a number, a bool or an enumeration, in structs and lists alone: nothing before or behind it
moves. Numbers wrap beyond their type, since a factor is applied in every repetition.
"""

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from msgspec import Struct

from bench.types.definitions import MistakeError
from bench.types.expressions import FLOATS, ArrayOf, ListOf, Named, Scalar, Type
from bench.types.fields.field_paths import Known, add_path
from bench.types.values import Number

INTEGER = re.compile("([ui])(8|16|32|64|128)")
ELSEWHERE = "`update` changes numbers, bools and enumerations where they stand; name such a field"


class Change(Struct, frozen=True):
    """What a field becomes: a new value, or itself times an integer."""

    value: Any = None
    """As canonical JSON has it; None if it is multiplied."""
    factor: int | None = None


Changes = Mapping[str, Any]
"""The fields that change: field → a Change, or those within it. Lists have those of their items."""


def changes(of: Type, known: Known, values: Mapping[str, Any], factors: Mapping[str, Any]) -> Changes:
    """The changes at paths of a type. Raises MistakeError with the table and the path of one that cannot be."""
    result: dict[str, Any] = {}
    for table, given in (("values", values), ("factors", factors)):
        for path, new in given.items():
            change = Change(value=new) if table == "values" else Change(factor=new)
            try:
                field = add_path(result, of, known, path, change)
                _check(field, known, change)
                _check_way(of, known, path)
            except ValueError as error:
                raise MistakeError([table, path], str(error)) from None
    return result


def updated(of: Type, known: Known, value: Any, change: Changes | Change) -> Any:
    """A canonical value after an update; the given one stays. Numbers are text, as `parse_canonical` leaves them."""
    if isinstance(of, ListOf):
        return [updated(of.item, known, one, change) for one in value]
    if isinstance(change, Change):
        return _changed(of, value, change)
    assert isinstance(of, Named)  # as `changes` made them
    kinds = {field.name: field.type for field in known.structs[of.name].fields}
    return value | {name: updated(kinds[name], known, value[name], within) for name, within in change.items()}


def changed_types(of: Type, known: Known, change: Changes | Change) -> Iterator[Type]:
    """The types of the fields that change."""
    if isinstance(of, ListOf):
        yield from changed_types(of.item, known, change)
    elif isinstance(change, Change):
        yield of
    elif change:
        assert isinstance(of, Named)  # as `changes` made them
        kinds = {field.name: field.type for field in known.structs[of.name].fields}
        for name, within in change.items():
            yield from changed_types(kinds[name], known, within)


def bounds(of: Type) -> tuple[int, int] | None:
    """The least and the greatest value of an integer type; None for any other."""
    match = INTEGER.fullmatch(str(of))
    if match is None:
        return None
    values = 2 ** int(match[2])
    return (-values // 2, values // 2 - 1) if match[1] == "i" else (0, values - 1)


def _check(of: Type, known: Known, change: Change) -> None:
    """Raises ValueError for a change that a field cannot take, with what to write."""
    integers = bounds(of)
    if change.factor is not None:
        if integers is None:
            raise ValueError(f"the field is {of}; only integers have a factor, others a new value in [update.values]")
        _check_integer(of, integers, change.factor)
    elif integers is not None:
        _check_integer(of, integers, change.value)
    elif str(of) in FLOATS:
        if type(change.value) not in (int, float) or not isfinite(change.value):
            raise ValueError(f"{change.value!r:.80} is no {of}: write a number, such as 0.5")
    elif of == Scalar("bool"):
        if type(change.value) is not bool:
            raise ValueError(f"{change.value!r:.80} is no bool: write true or false")
    elif isinstance(of, Named) and of.name in known.enums:
        names = [variant.name for variant in known.enums[of.name].variants]
        if change.value not in names:
            raise ValueError(f"{change.value!r:.80} is no {of}: write one of {', '.join(names)}")
    else:
        raise ValueError(f"the field is {of}; {ELSEWHERE}")


def _check_integer(of: Type, integers: tuple[int, int], value: Any) -> None:
    least, greatest = integers
    if type(value) is not int or not least <= value <= greatest:
        raise ValueError(f"{value!r:.80} is no {of}: write an integer from {least} to {greatest}")


def _check_way(of: Type, known: Known, path: str) -> None:
    """Raises ValueError for a path through an array of fixed length, of which libraries have no common way."""
    for name in path.split("."):
        assert isinstance(of, Named)  # the path leads to a field
        of = next(field.type for field in known.structs[of.name].fields if field.name == name.removesuffix("[]"))
        if isinstance(of, ArrayOf):
            raise ValueError(f"{name!r} is {of}; {ELSEWHERE}, in structs and lists alone")
        of = of.item if isinstance(of, ListOf) else of


def _changed(of: Type, value: Any, change: Change) -> Any:
    integers = bounds(of)
    if integers is None:
        return Number(float(change.value)) if str(of) in FLOATS else change.value
    number = change.value if change.factor is None else int(value) * change.factor
    least, greatest = integers
    wrapped = (number - least) % (greatest - least + 1) + least
    return Number(wrapped) if isinstance(value, Number) else str(wrapped)
