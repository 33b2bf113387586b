"""What was seen at each place of a user's messages: kinds of values, ranges, keys, and examples for messages."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

MOST_VARIANTS = 16
"""Distinct texts that are counted one by one: more make no enumeration."""
LONGEST_VARIANT = 64
MOST_POSITIONS = 8
"""The longest list whose places are looked at one by one: longer ones are no tuples."""
FIELDS_BEFORE_MAP = 512
"""Each time that objects have so many more keys they are asked whether they are maps, so that memory stays bounded."""
MOST_FIELDS = 10_000
"""Objects with more keys are maps, whatever their values are: no struct has as many fields."""

Example = tuple[Any, int]
"""A value, and its message."""


class Seen:
    """Values of one kind: how many, and the first."""

    __slots__ = ("count", "example")

    def __init__(self, value: Any, at: int) -> None:
        self.count = 0
        self.example: Example = (value, at)


class Integers(Seen):
    """Whole numbers, with the smallest and the largest."""

    __slots__ = ("high", "low")

    def __init__(self, value: int, at: int) -> None:
        super().__init__(value, at)
        self.low: Example = (value, at)
        self.high: Example = (value, at)


class Texts(Seen):
    """Strings; each with its number, as long as they are few and short."""

    __slots__ = ("variants",)

    def __init__(self, value: str, at: int) -> None:
        super().__init__(value, at)
        self.variants: dict[str, int] | None = {}


class Lists(Seen):
    """Lists: place by place as long as all are equally long and short, else of all elements together."""

    __slots__ = ("item", "positions")

    def __init__(self, value: list[Any], at: int) -> None:
        super().__init__(value, at)
        self.item = Shape()
        self.positions = [Shape() for _ in value] if len(value) <= MOST_POSITIONS else None


class Objects(Seen):
    """Objects, by key; or as maps, of whose values one shape is kept."""

    __slots__ = ("fields", "map_value")

    def __init__(self, value: dict[str, Any], at: int) -> None:
        super().__init__(value, at)
        self.fields: dict[str, Shape] = {}
        self.map_value: Shape | None = None


class Shape:
    """What was seen at one place."""

    __slots__ = ("bools", "data", "floats", "integers", "is_root", "lists", "nulls", "objects", "seen", "texts")

    def __init__(self, *, is_root: bool = False) -> None:
        self.is_root = is_root
        """Whether it is of whole messages, which are never maps."""
        self.seen = 0
        self.nulls = 0
        self.bools: Seen | None = None
        self.integers: Integers | None = None
        self.floats: Seen | None = None
        self.texts: Texts | None = None
        self.data: Seen | None = None
        """Bytes, which tables and Protocol Buffers have."""
        self.lists: Lists | None = None
        self.objects: Objects | None = None

    def observe(self, value: Any, at: int) -> None:
        """Takes notice of a value of message `at`."""
        self.seen += 1
        OBSERVERS[type(value)](self, value, at)

    def kinds(self) -> list[tuple[str, Seen]]:
        """The kinds of values that were seen, in words, nulls aside."""
        named = {
            "a bool": self.bools,
            "an integer": self.integers,
            "a number": self.floats,
            "text": self.texts,
            "bytes": self.data,
            "a list": self.lists,
            "an object": self.objects,
        }
        return [(name, seen) for name, seen in named.items() if seen is not None]

    @property
    def sorts(self) -> set[str]:
        """The same kinds, where integers and other numbers are one."""
        return {"a number" if name == "an integer" else name for name, _ in self.kinds()}


def _null(shape: Shape, _: None, __: int) -> None:
    shape.nulls += 1


def _bool(shape: Shape, value: bool, at: int) -> None:
    if shape.bools is None:
        shape.bools = Seen(value, at)
    shape.bools.count += 1


def _integer(shape: Shape, value: int, at: int) -> None:
    integers = shape.integers
    if integers is None:
        integers = shape.integers = Integers(value, at)
    integers.count += 1
    if value < integers.low[0]:
        integers.low = (value, at)
    elif value > integers.high[0]:
        integers.high = (value, at)


def _float(shape: Shape, value: float, at: int) -> None:
    if shape.floats is None:
        shape.floats = Seen(value, at)
    shape.floats.count += 1


def _text(shape: Shape, value: str, at: int) -> None:
    texts = shape.texts
    if texts is None:
        texts = shape.texts = Texts(value, at)
    texts.count += 1
    if (variants := texts.variants) is not None:
        variants[value] = variants.get(value, 0) + 1
        if len(variants) > MOST_VARIANTS or len(value) > LONGEST_VARIANT:
            texts.variants = None


def _data(shape: Shape, value: bytes, at: int) -> None:
    if shape.data is None:
        shape.data = Seen(value, at)
    shape.data.count += 1


def _list(shape: Shape, value: list[Any], at: int) -> None:
    lists = shape.lists
    if lists is None:
        lists = shape.lists = Lists(value, at)
    lists.count += 1
    if lists.positions is not None:
        if len(value) == len(lists.positions):
            for position, one in zip(lists.positions, value, strict=True):
                position.observe(one, at)
            return
        for position in lists.positions:
            merge(lists.item, position)
        lists.positions = None
    item = lists.item
    item.seen += len(value)
    for one in value:
        OBSERVERS[type(one)](item, one, at)


def _object(shape: Shape, value: dict[str, Any], at: int) -> None:
    objects = shape.objects
    if objects is None:
        objects = shape.objects = Objects(value, at)
    objects.count += 1
    if objects.map_value is not None:
        for one in value.values():
            objects.map_value.observe(one, at)
        return
    fields = objects.fields
    before = len(fields)
    for key, one in value.items():
        field = fields.get(key)
        if field is None:
            field = fields[key] = Shape()
        field.seen += 1
        OBSERVERS[type(one)](field, one, at)
    if len(fields) // FIELDS_BEFORE_MAP > before // FIELDS_BEFORE_MAP and not shape.is_root:
        alike = len(set[str]().union(*(field.sorts for field in fields.values()))) <= 1
        if len(fields) > MOST_FIELDS or (alike and repetition(objects) < 0.1):
            objects.map_value, objects.fields = united(fields.values()), {}


OBSERVERS: dict[type, Callable[[Shape, Any, int], None]] = {
    type(None): _null,
    bool: _bool,
    int: _integer,
    float: _float,
    str: _text,
    bytes: _data,
    list: _list,
    dict: _object,
}


def repetition(objects: Objects) -> float:
    """In what share of the objects a key stands, in the mean over keys."""
    return sum(field.seen for field in objects.fields.values()) / (len(objects.fields) * objects.count)


def copied(shape: Shape) -> Shape:
    """A shape that may be merged while the original is kept."""
    result = copy(shape)
    for name in ("bools", "integers", "floats", "texts", "data", "lists", "objects"):
        setattr(result, name, copy(getattr(shape, name)))
    if result.texts and result.texts.variants is not None:
        result.texts.variants = dict(result.texts.variants)
    if lists := result.lists:
        lists.item = copied(lists.item)
        lists.positions = None if lists.positions is None else list(map(copied, lists.positions))
    if objects := result.objects:
        objects.fields = {key: copied(field) for key, field in objects.fields.items()}
        objects.map_value = objects.map_value and copied(objects.map_value)
    return result


def united(shapes: Iterator[Shape] | Any) -> Shape:
    """One shape of what was seen at several places."""
    result = Shape()
    for shape in shapes:
        merge(result, shape)
    return result


def merge(into: Shape, other: Shape) -> None:
    """Adds to a shape what was seen at another place, which must not be used any more."""
    into.seen += other.seen
    into.nulls += other.nulls
    for name in ("bools", "integers", "floats", "texts", "data", "lists", "objects"):
        mine, theirs = getattr(into, name), getattr(other, name)
        if mine is None or theirs is None:
            setattr(into, name, mine or theirs)
        else:
            mine.count += theirs.count
            mine.example = min(mine.example, theirs.example, key=lambda example: example[1])
    if other.integers and into.integers and into.integers is not other.integers:
        into.integers.low = min(into.integers.low, other.integers.low)
        into.integers.high = max(into.integers.high, other.integers.high)
    if other.texts and into.texts and into.texts is not other.texts:
        into.texts.variants = _variants(into.texts.variants, other.texts.variants)
    if other.lists and into.lists and into.lists is not other.lists:
        _merge_lists(into.lists, other.lists)
    if other.objects and into.objects and into.objects is not other.objects:
        _merge_objects(into.objects, other.objects)


def _variants(one: dict[str, int] | None, other: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    both = {text: one.get(text, 0) + other.get(text, 0) for text in {**one, **other}}
    return both if len(both) <= MOST_VARIANTS else None


def _merge_lists(into: Lists, other: Lists) -> None:
    mine, theirs = into.positions, other.positions
    if mine is not None and theirs is not None and len(mine) == len(theirs):
        for one, two in zip(mine, theirs, strict=True):
            merge(one, two)
        return
    for position in (*(mine or ()), *(theirs or ())):
        merge(into.item, position)
    into.positions = None
    merge(into.item, other.item)


def _merge_objects(into: Objects, other: Objects) -> None:
    if into.map_value is None and other.map_value is None:
        for key, field in other.fields.items():
            merge(into.fields.setdefault(key, Shape()), field)
        return
    values = [one for one in (into.map_value, other.map_value) if one is not None]
    into.map_value = united([*values, *into.fields.values(), *other.fields.values()])
    into.fields = {}
