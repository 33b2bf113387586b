"""From what was seen to types.

integers    the first that holds them, of u32, i64, u64, u128 where none is negative, else of i32, i64, i128. A type of
            8 or 16 bits is only ever given by hand: a sample without large values is no promise, and formats with
            fixed widths would look smaller than they will be. 64 bits have a sign, as times and keys in most schemas
            do: some formats have no others
numbers     f64, also where some are written as integers that an f64 holds exactly
text        string; an enumeration where it is one of 2 to 16 names, each seen twice or more, among 20 values or more,
            8 for each name in the mean
bytes       only from tables and Protocol Buffers, which have them; in JSON they are text unless --type says `bytes`
missing     a key that some objects lack, and null, make an option
lists       of one type; a tuple where lists of one length hold other kinds at other places
maps        objects with more than 16 keys that hardly repeat, or with 4 or more keys of which most are no names
            (numbers, dates, hashes) and that are not the same in nearly all of 3 objects or more; values have one type
structs     all other objects, named by their keys; equal ones are one struct
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from bench.datasets.inference.shapes import (
    FIELDS_BEFORE_MAP,
    MOST_FIELDS,
    Lists,
    Objects,
    Seen,
    Shape,
    Texts,
    copied,
    repetition,
    united,
)
from bench.types.definitions import Definitions, EnumDefinition, StructDefinition
from bench.types.expressions import ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import pascal_case

LEAST_VALUES, LEAST_A_VARIANT = 20, 8
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/ -]{0,63}")
KEY = re.compile(r"[^\W\d][\w.:@ $-]{0,99}")
HASH = re.compile(r"[0-9a-fA-F-]{8,}")
LEAST_KEYS, SELDOM, ALMOST_NEVER = 16, 0.1, 0.02
LEAST_ODD_KEYS = 4
LEAST_REPEATED, NEARLY_ALWAYS = 3, 0.9
"""Keys of so many objects that stand in nearly all of them are names, whatever they look like: `@id`, `24h`."""
MOST_ATTEMPTS = 2
"""How many attempts to see maps may surround one that fails by itself: each multiplies the work by the depth."""
LONGEST_NAME = 90
MOST_PATHS, LONGEST_PATH = 5, 120
"""Of the fields that a note names."""
NARROW = ("u32", "i32")
GUESSES = {
    "enum": ("enumeration", "enumerations"),
    "map": ("map", "maps"),
    "tuple": ("tuple", "tuples"),
    "narrow": ("integer of 32 bits", "integers of 32 bits"),
}
"""What sizes and times depend on, and what other messages may not keep to: one, and several."""
EXACT = 2**53
"""An f64 holds every integer up to this."""


class Sort(Struct, frozen=True):
    """A sort of values at a place, in words, with an example."""

    words: str
    value: Any
    at: int


class Conflict(Struct, frozen=True):
    """A place whose values have no type in common, with an example of two sorts."""

    path: str
    first: Sort
    second: Sort
    why: str = ""
    """Why one type is wanted there, where that is not plain."""


class Deduced(Struct, frozen=True):
    """The type of a message."""

    definitions: Definitions
    root: str
    """The struct that a message is."""
    conflicts: Sequence[Conflict]
    """Where the data has no type; the definitions have text there."""
    notes: Sequence[str]
    """What was guessed, and where."""


def deduce(shape: Shape, name: str) -> Deduced:
    """The type of messages that are objects; `name` becomes that of their struct."""
    deduction = _Deduction(name)
    root = deduction.struct(shape.objects, "$", (name,)) if shape.objects else None
    assert isinstance(root, Named)
    return Deduced(Definitions(deduction.structs, deduction.enums), root.name, deduction.conflicts, deduction.notes)


class _RefusedError(Exception):
    """Values without a type in common, in an attempt."""


class _Deduction:
    """Collects definitions, conflicts and notes on the way through a shape."""

    def __init__(self, root: str) -> None:
        self.root = root
        """The name that is kept for the message's own struct, which is named last."""
        self.structs: dict[str, StructDefinition] = {}
        self.enums: dict[str, EnumDefinition] = {}
        self.conflicts: list[Conflict] = []
        self._untold: list[tuple[str, str, str]] = []
        self._guessed: list[str] = []
        self._attempts = 0

    @property
    def notes(self) -> list[str]:
        """What was guessed: a sentence a reason where there was nothing to go by, one for all the rest."""
        untold: dict[tuple[str, str], list[str]] = {}
        for what, taken, path in self._untold:
            untold.setdefault((what, taken), []).append(path)
        notes = [
            f"Fields that are {what}, taken for {taken}: {_listed(paths)}. --type takes a better type."
            for (what, taken), paths in untold.items()
        ]
        if self._guessed:
            numbers = [(self._guessed.count(name), words) for name, words in GUESSES.items()]
            counts = ", ".join(f"{number:,} {words[number > 1]}" for number, words in numbers if number)
            notes.append(
                f"Guessed from these messages: {counts}. --print-type shows them, --type takes what others will have."
            )
        return notes

    def _note(self, what: str, path: str, taken: str) -> None:
        self._untold.append((what, taken, path))

    def _conflict(self, path: str, first: Sort, second: Sort) -> Type:
        """Text, in the place of a type that there is not. Raises _RefusedError in an attempt."""
        if self._attempts:
            raise _RefusedError
        self.conflicts.append(Conflict(path, first, second))
        return Scalar("string")

    def type(self, shape: Shape, path: str, keys: tuple[str, ...]) -> Type:
        """The type of a place, an option where something is null."""
        kinds = shape.kinds()
        if not kinds:
            self._note("always null" if shape.nulls else "always an empty list", path.removesuffix("[]"), "text")
            return OptionOf(Scalar("string")) if shape.nulls else Scalar("string")
        of = self._present(shape, kinds, path, keys)
        return OptionOf(of) if shape.nulls else of

    def struct(self, objects: Objects, path: str, keys: tuple[str, ...]) -> Type:
        """The struct of objects."""
        fields: dict[str, str | Any] = {}
        for key, shape in objects.fields.items():
            of = self.type(shape, f"{path}.{key}", (*keys, key))
            if shape.seen < objects.count and not isinstance(of, OptionOf):
                of = OptionOf(of)
            fields[key] = str(of)
        return Named(self._named(self.structs, StructDefinition(fields), keys))

    def _present(self, shape: Shape, kinds: list[tuple[str, Seen]], path: str, keys: tuple[str, ...]) -> Type:
        names = [name for name, _ in kinds]
        if names in (["an integer"], ["an integer", "a number"], ["a number"]):
            return self._number(shape, path)
        if len(kinds) > 1:
            return self._refused(path, kinds)
        if shape.bools:
            return Scalar("bool")
        if shape.data:
            return Scalar("bytes")
        if shape.texts:
            return self._text(shape.texts, keys)
        if shape.lists:
            return self._list(shape.lists, path, keys)
        assert shape.objects is not None
        return self._object(shape.objects, path, keys)

    def _refused(self, path: str, kinds: list[tuple[str, Seen]]) -> Type:
        whole = {name for name, _ in kinds} >= {"an integer", "a number"}  # these have a type in common
        (one, first), (other, second) = [kind for kind in kinds if not (whole and kind[0] == "an integer")][:2]
        return self._conflict(path, Sort(one, *first.example), Sort(other, *second.example))

    def _number(self, shape: Shape, path: str) -> Type:
        integers = shape.integers
        if integers is None:
            return Scalar("f64")
        low, high = integers.low, integers.high
        if shape.floats:
            if low[0] >= -EXACT and high[0] <= EXACT:
                return Scalar("f64")
            inexact = high if high[0] > EXACT else low
            number = shape.floats.example
            integer = Sort("an integer that no f64 holds", *inexact)
            return self._conflict(path, integer, Sort("a number with a fraction", *number))
        names = ("u32", "i64", "u64", "u128") if low[0] >= 0 else ("i32", "i64", "i128")
        for name in names:
            bits = int(name[1:]) - (name[0] == "i")
            if (-(2**bits) if name[0] == "i" else 0) <= low[0] and high[0] < 2**bits:
                self._guessed += ["narrow"] if name in NARROW else []
                return Scalar(name)
        wide = high if high[0] >= 2**127 else low
        large = Sort("an integer of over 128 bits", *wide)
        return self._conflict(path, Sort("an integer", *low), large)

    def _text(self, texts: Texts, keys: tuple[str, ...]) -> Type:
        variants = texts.variants or {}
        if (
            len(variants) < 2
            or texts.count < max(LEAST_VALUES, LEAST_A_VARIANT * len(variants))
            or min(variants.values()) < 2
            or not all(map(NAME.fullmatch, variants))
        ):
            return Scalar("string")
        self._guessed.append("enum")
        enum = EnumDefinition("u8", {name: value for value, name in enumerate(sorted(variants))})
        return Named(self._named(self.enums, enum, keys))

    def _list(self, lists: Lists, path: str, keys: tuple[str, ...]) -> Type:
        if lists.positions is None:
            return ListOf(self.type(lists.item, f"{path}[]", keys))
        if not is_tuple(lists.positions):
            return ListOf(self.type(united(map(copied, lists.positions)), f"{path}[]", keys))
        self._guessed.append("tuple")
        each = enumerate(lists.positions)
        return TupleOf(tuple(self.type(one, f"{path}[{index}]", (*keys, str(index))) for index, one in each))

    def _object(self, objects: Objects, path: str, keys: tuple[str, ...]) -> Type:
        if objects.map_value is not None:
            return self._large_map(objects.map_value, path, keys)
        if not objects.fields:
            self._note("always an empty object", path, "a map of text")
            return MapOf(Scalar("string"))
        return (is_map(objects) and self._attempt(objects, path, keys)) or self.struct(objects, path, keys)

    def _large_map(self, value: Shape, path: str, keys: tuple[str, ...]) -> Type:
        """A map of which the keys are no longer known."""
        before = len(self.conflicts)
        of = self._map(value, path, keys)
        why = (
            f"its objects have more than {FIELDS_BEFORE_MAP:,} keys, so that they are maps, whose values have one type"
        )
        self.conflicts[before:] = [structs.replace(one, why=one.why or why) for one in self.conflicts[before:]]
        return of

    def _map(self, value: Shape, path: str, keys: tuple[str, ...]) -> Type:
        self._guessed.append("map")
        return MapOf(self.type(value, f"{path}.*", keys))

    def _attempt(self, objects: Objects, path: str, keys: tuple[str, ...]) -> Type | None:
        """A map, where the values have a type in common; else None, and nothing is kept of the attempt.

        Raises _RefusedError in place of None where many attempts surround this one.
        """
        tables: list[dict[str, Any]] = [self.structs, self.enums]
        lists: list[list[Any]] = [self._untold, self._guessed]
        sizes = [len(one) for one in (*tables, *lists)]
        innermost = self._attempts >= MOST_ATTEMPTS
        self._attempts += 1
        try:
            return self._map(united(map(copied, objects.fields.values())), path, keys)
        except _RefusedError:
            if innermost:
                raise
        finally:
            self._attempts -= 1
        for table, size in zip(tables, sizes[:2], strict=True):
            while len(table) > size:
                table.popitem()
        for told, size in zip(lists, sizes[2:], strict=True):
            del told[size:]
        return None

    def _named(self, table: dict[str, Any], definition: Any, keys: tuple[str, ...]) -> str:
        """The name of a definition: that of an equal one, else made of as many keys as it needs, from the last."""
        for name, known in table.items():
            if known == definition and len(keys) > 1:
                return name
        words = [pascal_case(key) for key in keys]
        used = {name.lower() for name in (*self.structs, *self.enums)}
        used |= {self.root.lower()} if len(keys) > 1 else set()
        for start in range(len(words) - 1, -1, -1):
            name = _legal("".join(words[start:]))
            if name.lower() not in used:
                break
        else:
            number = 2
            while f"{name}{number}".lower() in used:
                number += 1
            name = f"{name}{number}"
        table[name] = definition
        return name


def is_map(objects: Objects) -> bool:
    """Whether the keys are data rather than names; see above."""
    fields = objects.fields
    if len(fields) > MOST_FIELDS:
        return True
    share = repetition(objects)
    if len(fields) > LEAST_KEYS and share <= SELDOM:
        return share <= ALMOST_NEVER or not any(field.objects for field in fields.values())
    if objects.count >= LEAST_REPEATED and share > NEARLY_ALWAYS:
        return False
    odd = sum(not KEY.fullmatch(key) or bool(HASH.fullmatch(key) and any(map(str.isdigit, key))) for key in fields)
    return len(fields) >= LEAST_ODD_KEYS and odd > len(fields) / 2


def is_tuple(positions: Sequence[Shape]) -> bool:
    """Whether lists of one length hold one kind of value at each place, and other kinds at other places."""
    sorts = [shape.sorts for shape in positions]
    return len(set[str]().union(*sorts)) > 1 and all(len(one) <= 1 for one in sorts)


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
    return ", ".join(path[:LONGEST_PATH] for path in paths[:MOST_PATHS]) + more


def _legal(name: str) -> str:
    """A name as the notation has it: a capital, then letters and digits."""
    plain = "".join(letter for letter in name if letter.isascii() and letter.isalnum())
    return plain[:LONGEST_NAME] if plain[:1].isupper() else f"T{plain}"[:LONGEST_NAME]


def untyped(value: Any) -> str:
    """A value in a message: as JSON, cut short."""
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = msgspec.json.encode(value).decode() if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else f"{text[:59]}…"
