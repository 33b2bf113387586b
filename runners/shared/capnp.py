"""Message types as Cap'n Proto: one mapping for the libraries of every language.

    bool u8 … i64 f32 f64        Bool UInt8 … Int64 Float32 Float64      string      Text
    u128 i128                    a group of the low and the high half    bytes       Data
    an enumeration               an enum if its numbers are 0, 1, 2 …, else the integer of its size
    a struct                     a struct                                (T, U)      a group
    [T] [T; N]                   List(T)                                 {T}         a list of keys and values
    T?                           a union of `none` and `some`, as Cap'n Proto's FAQ says

A list holds no groups: a tuple, an option or an integer of 128 bits in it is a struct with the same fields. A message
that is no struct is a struct around it.

A type file may say of a field

    capnp = { null = true }         without a value it is a null pointer, not a union
    capnp = { octets = "list" }     a list of bytes is List(UInt8), of which each element is set
    capnp = { ordinal = 3 }         it is numbered as the fourth field; without it, fields are numbered as they stand

A union and a group have several numbers, of which the first is meant.
"""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from msgspec import Struct

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import Names, numbered
from bench.types.type_set import EnumType, FieldType, MessageType, StructType, TypeSet

FORMAT = "capnp"

SCALARS: Mapping[str, str] = {
    "bool": "Bool",
    "u8": "UInt8",
    "u16": "UInt16",
    "u32": "UInt32",
    "u64": "UInt64",
    "i8": "Int8",
    "i16": "Int16",
    "i32": "Int32",
    "i64": "Int64",
    "f32": "Float32",
    "f64": "Float64",
}
WIDE = (Scalar("u128"), Scalar("i128"))
BYTES = Scalar("bytes")
OPTION = ("none", "some")
FILE_ID = "0x8d2b6c3f5a719e04"
"""Of every schema that is generated: none imports another."""

WORDS = frozenset(
    [
        *("annotation", "const", "enum", "extends", "group", "import", "interface", "self", "struct", "union"),
        *("using",),
    ]
)
"""What no field or variant is called: what begins a declaration, and what would be `Self` in Rust."""
TYPES = frozenset(
    [*SCALARS.values(), "Void", "Text", "Data", "List", "AnyPointer", "AnyStruct", "AnyList", "Capability"]
)


class Number(Struct, frozen=True):
    """A scalar."""

    kind: str


class Enumerated(Struct, frozen=True):
    """A value of an enum."""

    name: str


class Text(Struct, frozen=True):
    """A string."""


class Data(Struct, frozen=True):
    """Bytes."""


class Reference(Struct, frozen=True):
    """A struct, which is behind a pointer."""

    name: str


class Group(Struct, frozen=True):
    """Fields within a struct's, which no pointer leads to."""

    members: tuple["Member", ...]


class Union(Struct, frozen=True):
    """A value that may be missing."""

    some: "Form"


class Null(Struct, frozen=True):
    """A pointer that may be null."""

    some: "Form"


class Many(Struct, frozen=True):
    """A list."""

    item: "Form"


Form = Number | Enumerated | Text | Data | Reference | Group | Union | Null | Many


class Member(Struct, frozen=True):
    """A field."""

    name: str
    """In the schema: in camel case."""
    of: Type
    form: Form
    default: str | None = None
    """What stands for a number that is left out, if it is not 0."""
    ordinal: int = 0
    """Its place in the order in which the fields of its struct are numbered."""


class CapnpStruct(Struct, frozen=True):
    """A struct of the schema."""

    name: str
    of: Type
    """The type that it stands for, or around which it is; of an entry the map."""
    members: tuple[Member, ...]
    """Of a tuple one an element; of a map's entry `key` and `value`; of 128 bits `low` and `high`; around a list
    or a map `values`, around anything else `value`."""


class CapnpEnum(Struct, frozen=True):
    """An enum of the schema."""

    name: str
    of: EnumType
    enumerants: tuple[str, ...]
    """In the order of the variants' numbers, which are 0, 1, 2 …"""


class CapnpSchema(Struct, frozen=True):
    """The schema of a set of types."""

    structs: tuple[CapnpStruct, ...]
    enums: Mapping[str, CapnpEnum]
    """By the name of the enumeration in the type file."""
    by_type: Mapping[Type, CapnpStruct]
    """Structs as `Named`, and every type that has a struct around it, by itself."""
    entries: Mapping[Type, CapnpStruct]
    """The entries of a map's type."""

    @property
    def text(self) -> str:
        """The .capnp file."""
        lines = [f"@{FILE_ID};"]
        for enum in self.enums.values():
            lines += ["", f"enum {enum.name} {{"]
            lines += [*(f"  {name} @{number};" for number, name in enumerate(enum.enumerants)), "}"]
        for struct in self.structs:
            lines += ["", f"struct {struct.name} {{", *_lines(struct.members, count(), "  "), "}"]
        return "\n".join(lines) + "\n"


def schema(types: TypeSet, names: Names) -> CapnpSchema:
    """The schema of a set, with names made of a language's. Raises ValueError for an attribute that is not known."""
    return _Mapping(types, names).schema()


def is_octets(of: Type) -> bool:
    """Whether a type is Data: bytes, or a list or an array of them."""
    return of == BYTES or (isinstance(of, ListOf | ArrayOf) and of.item == Scalar("u8"))


def camel_case(snake: str) -> str:
    """`walk_speed` → `walkSpeed`."""
    first, *others = [part for part in snake.split("_") if part] or ["field"]
    return first[0].lower() + first[1:] + "".join(part[0].upper() + part[1:] for part in others)


def _said(struct: StructType) -> tuple[list[Mapping[str, Any]], list[int]]:
    """What a type file says of each field, and the place of each in the order of their numbers. Raises ValueError."""
    said = [field.attributes.get(FORMAT, {}) for field in struct.fields]
    for field, one in zip(struct.fields, said, strict=True):
        if unknown := {*one} - {"null", "octets", "ordinal"}:
            raise ValueError(
                f"struct {struct.name}, field {field.name!r:.80}: {FORMAT}.{min(unknown)} is not known; "
                "a field may have `null`, `octets` and `ordinal`"
            )
    ordinals = [one.get("ordinal", index) for index, one in enumerate(said)]
    if sorted(map(str, ordinals)) != sorted(map(str, range(len(ordinals)))):
        raise ValueError(f"struct {struct.name}: its fields have the {FORMAT}.ordinal {ordinals}, not each from 0 once")
    return said, ordinals


def _lines(members: Iterable[Member], ordinals: Any, indent: str) -> list[str]:
    """The declarations of fields, in the order of their numbers."""
    lines = []
    for member in sorted(members, key=lambda one: one.ordinal):
        declared = _declared(member.name, member.form, ordinals, indent)
        lines += [f"{declared[0][:-1]} = {member.default};"] if member.default else declared
    return lines


def _declared(name: str, form: Form, ordinals: Any, indent: str) -> list[str]:
    match form:
        case Group(members):
            return [f"{indent}{name} :group {{", *_lines(members, ordinals, f"{indent}  "), f"{indent}}}"]
        case Union(some):
            none, value = OPTION
            within = f"{indent}  "
            return [
                f"{indent}{name} :union {{",
                f"{within}{none} @{next(ordinals)} :Void;",
                *_declared(value, some, ordinals, within),
                f"{indent}}}",
            ]
    return [f"{indent}{name} @{next(ordinals)} :{_kind(form)};"]


def _kind(form: Form) -> str:
    """What a field or an element is."""
    match form:
        case Number(kind):
            return kind
        case Text():
            return "Text"
        case Data():
            return "Data"
        case Null(some):
            return _kind(some)
        case Many(item):
            return f"List({_kind(item)})"
        case Enumerated(name) | Reference(name):
            return name
    raise AssertionError(form)


class _Mapping:
    """Collects structs, parts first."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self._structs: list[CapnpStruct] = []
        self._by_type: dict[Type, CapnpStruct] = {}
        self._entries: dict[Type, CapnpStruct] = {}
        self._taken: set[str] = set()
        self._of_struct = {name: self._free(names.type(name)) for name in types.structs}
        self._enums = {
            enum.name: CapnpEnum(self._free(names.type(enum.name)), enum, self._enumerants(enum))
            for enum in types.enums.values()
            if sorted(one.value for one in enum.variants) == list(range(len(enum.variants)))
        }

    def schema(self) -> CapnpSchema:
        for struct in self._types.structs.values():
            identifiers = self._identifiers(self._names.field(struct, field) for field in struct.fields)
            members = tuple(
                Member(name, field.type, self._of_field(field, said), self._default(field), ordinal)
                for name, field, said, ordinal in zip(identifiers, struct.fields, *_said(struct), strict=True)
            )
            self._add(CapnpStruct(self._of_struct[struct.name], Named(struct.name), members), self._by_type)
        for message in self._types.messages:
            self._message(message)
        return CapnpSchema(tuple(self._structs), self._enums, self._by_type, self._entries)

    def _add(self, struct: CapnpStruct, index: dict[Type, CapnpStruct]) -> None:
        self._structs.append(struct)
        index[struct.of] = struct

    def _message(self, message: MessageType) -> None:
        if message.type in self._by_type:
            return
        many = isinstance(message.type, ListOf | ArrayOf | MapOf)
        self._around(message.type, "values" if many else "value")

    def _of_field(self, field: FieldType, said: Mapping[str, Any]) -> Form:
        if said.get("octets") == "list" and is_octets(field.type) and field.type != BYTES:
            return Many(Number(SCALARS["u8"]))
        form = self._form(field.type)
        if (
            said.get("null") is True
            and isinstance(form, Union)
            and isinstance(form.some, Text | Data | Reference | Many)
        ):
            return Null(form.some)
        if {*said} - {"ordinal"}:
            raise ValueError(
                f"field {field.name!r:.80}: {FORMAT}.null = true is for options of what a pointer leads to, "
                f'{FORMAT}.octets = "list" for lists of u8; not {dict(said)} for {field.type}'
            )
        return form

    def _default(self, field: FieldType) -> str | None:
        """A number's default as a schema has it."""
        if enum := self._types.enum(field.type):
            variant = next((one for one in enum.variants if one.name == field.default), None)
            if variant is None or enum.name not in self._enums:
                return variant and str(variant.value)
            return self._enums[enum.name].enumerants[variant.value]
        if field.default is None or not isinstance(field.type, Scalar) or field.type.name not in SCALARS:
            return None
        return str(field.default).lower() if isinstance(field.default, bool) else str(field.default)

    def _form(self, of: Type) -> Form:
        """What a field of a type is."""
        if is_octets(of):
            return Data()
        match of:
            case Scalar("string"):
                return Text()
            case Scalar(name) if of not in WIDE:
                return Number(SCALARS[name])
            case Scalar() | TupleOf():
                return Group(self._parts(of))
            case ListOf(item) | ArrayOf(item, _):
                return Many(self._element(item))
            case MapOf(value):
                return Many(Reference(self._entry(of, value).name))
            case OptionOf(item):
                return Union(self._form(item))
        if enum := self._types.enum(of):
            return Enumerated(self._enums[enum.name].name) if enum.name in self._enums else Number(SCALARS[enum.repr])
        assert isinstance(of, Named)
        return Reference(self._of_struct[of.name])

    def _element(self, of: Type) -> Form:
        """What an element of a list is."""
        form = self._form(of)
        return Reference(self._around(of, "value").name) if isinstance(form, Group | Union) else form

    def _parts(self, of: Type) -> tuple[Member, ...]:
        """The fields of a group."""
        if isinstance(of, TupleOf):
            return tuple(Member(f"item{index}", item, self._form(item)) for index, item in enumerate(of.items))
        high = Scalar("u64" if of == Scalar("u128") else "i64")
        return tuple(Member(name, half, self._form(half)) for name, half in (("low", Scalar("u64")), ("high", high)))

    def _around(self, of: Type, member: str) -> CapnpStruct:
        """The struct of a tuple or of 128 bits, or that around a type."""
        if of not in self._by_type:
            form = self._form(of)
            members = form.members if isinstance(form, Group) else (Member(member, of, form),)
            self._add(CapnpStruct(self._free(self._names.words(of)), of, members), self._by_type)
        return self._by_type[of]

    def _entry(self, of: MapOf, value: Type) -> CapnpStruct:
        """A map's entries."""
        if of not in self._entries:
            members = (Member("key", Scalar("string"), Text()), Member("value", value, self._form(value)))
            self._add(CapnpStruct(self._free(f"{self._names.words(of)}Entry"), of, members), self._entries)
        return self._entries[of]

    def _enumerants(self, enum: EnumType) -> tuple[str, ...]:
        ordered = sorted(enum.variants, key=lambda variant: variant.value)
        return tuple(self._identifiers(self._names.variant(enum, variant) for variant in ordered))

    @staticmethod
    def _identifiers(wished: Iterable[str]) -> list[str]:
        """Names in camel case that begin no declaration."""
        plain = (f"{name}Field" if name in WORDS else name for name in map(camel_case, wished))
        return [camel_case(name) for name in numbered(plain)]

    def _free(self, wished: str) -> str:
        """A name of a type that no other has, whatever the case."""
        plain = "".join(part[0].upper() + part[1:] for part in wished[:100].split("_") if part)
        plain = f"{plain}Type" if plain in TYPES else plain
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}{number}"
        self._taken.add(name.lower())
        return name
