"""Message types as FlatBuffers: one mapping for the libraries of every language.

    bool u8 … i64 f32 f64        scalars of the same size        string         string
    u128 i128                    [ubyte], little-endian          bytes          [ubyte]
    an enumeration               the integer of its size         a struct       a table
    [T] [T; N]                   a vector                        {T}            a vector of tables with key and value
    T?                           the same, and not required; a number has the default null
    (T, U)                       a table; of numbers alone, a FlatBuffers struct

A vector holds numbers, strings, tables and FlatBuffers structs: around anything else in it is a table. A short array of
numbers in a list is a FlatBuffers struct, as a point is. A message that is no table is one around it.

A type file may say of a struct `attributes = { flatbuffers = { root = "block" } }`: as a message it is the field
`block` of another table; `order = "schema"`: its fields are written in their order, where flatc's `create` sorts
them by size; and `layout = "struct"`: it is a FlatBuffers struct, which has no fields to add or to leave out. Of each
field of a struct it may say `flatbuffers = { id = 3 }`: its number, which else is its place.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import Names, numbered
from bench.types.type_set import MessageType, StructType, TypeSet

FORMAT = "flatbuffers"
SHORT = 4
"""The longest array in a list that is a FlatBuffers struct."""

SCALARS: Mapping[str, str] = {
    "bool": "bool",
    "u8": "ubyte",
    "u16": "ushort",
    "u32": "uint",
    "u64": "ulong",
    "i8": "byte",
    "i16": "short",
    "i32": "int",
    "i64": "long",
    "f32": "float",
    "f64": "double",
}
OCTETS = "[ubyte]"
BYTES = Scalar("bytes")

GENERATED = ("", "Args", "Builder", "Offset", "T", "Buffer")
"""What flatc appends to a table's name for types of its own."""
MEMBERS = frozenset(
    [
        *("follow", "push", "size", "alignment", "to_little_endian", "from_little_endian", "create", "init_from_table"),
        *("pack", "unpack", "unpack_to", "verify", "get_fully_qualified_name", "finish", "new", "key"),
        *("key_compare_less_than", "key_compare_with_value", "alignof", "offsetof", "sizeof", "proc", "pure", "std"),
    ]
)
"""Members of generated code and words that flatc changes, which a field's may not be; `key` sorts in C++."""


class TableField(Struct, frozen=True):
    """A field of a table or struct."""

    name: str
    """In the .fbs and in generated code."""
    kind: str
    """`uint`, `[string]`, a table's name."""
    of: Type
    required: bool = False
    null: bool = False
    """Whether it is a number that may be missing."""
    default: str | None = None
    """What stands for a number that is left out, if it is not 0."""
    id: int | None = None
    """Its number, if that is not its place."""

    @property
    def declaration(self) -> str:
        """The field as it stands in the .fbs."""
        default = "null" if self.null else self.default
        said = (["required"] if self.required else []) + ([] if self.id is None else [f"id: {self.id}"])
        ending = f" ({', '.join(said)})" if said else ""
        return f"{self.name}: {self.kind}{f' = {default}' if default else ''}{ending};"


class Table(Struct, frozen=True):
    """A table, or a struct of numbers."""

    name: str
    of: Type
    """The type that it stands for, or around which it is."""
    fields: tuple[TableField, ...]
    """Of a struct in its order; of a tuple or a short array one an element; of a map's entry `name` and `value`; else
    one: `values` of a list, or `value`."""
    is_struct: bool = False
    """Whether it is a FlatBuffers struct."""
    in_order: bool = False
    """Whether its fields are written in their order."""


class FlatSchema(Struct, frozen=True):
    """The tables of a set of types."""

    tables: tuple[Table, ...]
    """Parts first."""
    by_type: Mapping[Type, Table]
    """Structs as `Named`, tuples, maps (their entries), and every type that needs a table around it; see `key`."""
    around: Mapping[Type, Table]
    """The table around what no vector holds or what is no root, by `key` of its type: a list, an option, a map, bytes,
    128 bits; of messages also a number, a text or a FlatBuffers struct."""
    roots: Mapping[Type, Table]
    """What the messages of the set are encoded as."""
    namespace: str

    def inline(self, of: Type) -> Table | None:
        """The FlatBuffers struct that stands for a type, also outside of a vector."""
        table = None if isinstance(of, ArrayOf) else self.by_type.get(key(of))
        return table if table and table.is_struct else None

    @property
    def text(self) -> str:
        """The .fbs file."""
        return self.annotated({})

    def annotated(self, attributes: Mapping[str, str]) -> str:
        """The .fbs file, some tables with attributes (table → `name: "value"`), which no encoded byte shows."""
        lines = [f"namespace {self.namespace};"]
        for table in self.tables:
            head = f"{'struct' if table.is_struct else 'table'} {table.name}"
            head += f" ({attributes[table.name]})" if table.name in attributes else ""
            lines += ["", f"{head} {{", *(f"  {one.declaration}" for one in table.fields), "}"]
        return "\n".join(lines) + "\n"


def schema(types: TypeSet, names: Names, namespace: str = "wirelab.types") -> FlatSchema:
    """The schema of a set, with the identifiers of a language. Raises ValueError for an attribute that is not known."""
    return _Mapping(types, names).schema(namespace)


def key(of: Type) -> Type:
    """A type with every list of bytes in it as `bytes`, which has the same form."""
    match of:
        case ListOf(Scalar("u8")):
            return BYTES
        case ListOf(item):
            return ListOf(key(item))
        case ArrayOf(item, length):
            return ArrayOf(key(item), length)
        case MapOf(value):
            return MapOf(key(value))
        case OptionOf(item):
            return OptionOf(key(item))
        case TupleOf(items):
            return TupleOf(tuple(map(key, items)))
    return of


def is_octets(of: Type) -> bool:
    """Whether a type is a vector of bytes: bytes, a list or an array of them, or an integer of 128 bits."""
    if isinstance(of, ListOf | ArrayOf):
        return of.item == Scalar("u8")
    return of in (BYTES, Scalar("u128"), Scalar("i128"))


def is_short(of: Type) -> bool:
    """Whether a type, in a list, is a FlatBuffers struct."""
    return isinstance(of, ArrayOf) and of.length <= SHORT and isinstance(of.item, Scalar) and of.item.name in SCALARS


class _Mapping:
    """Collects tables, parts first."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self._tables: list[Table] = []
        self._by_type: dict[Type, Table] = {}
        self._around: dict[Type, Table] = {}
        self._taken: set[str] = set()

    def schema(self, namespace: str) -> FlatSchema:
        for struct in self._types.structs.values():
            identifiers = _without_members([self._names.field(struct, field) for field in struct.fields])
            parts = zip(identifiers, struct.fields, _ids(struct), strict=True)
            fields = tuple(
                replace(self._field(name, field.type, field.default), id=number) for name, field, number in parts
            )
            said = _attributes(struct)
            name = self._free(self._names.type(struct.name))
            of, in_order = Named(struct.name), said.get("order") == "schema"
            if is_struct := said.get("layout") == "struct":
                fields = self._inline_fields(struct, fields)
            self._add(Table(name, of, fields, is_struct, in_order), self._by_type)
        roots = {message.type: self._root(message) for message in self._types.messages}
        return FlatSchema(tuple(self._tables), self._by_type, self._around, roots, namespace)

    def _add(self, table: Table, index: dict[Type, Table]) -> Table:
        self._tables.append(table)
        index[key(table.of)] = table
        return table

    def _inline_fields(self, struct: StructType, fields: tuple[TableField, ...]) -> tuple[TableField, ...]:
        """The fields of a FlatBuffers struct, which has all of them. Raises ValueError where one is no number."""
        for field in struct.fields:
            if not self._is_inline(field.type):
                raise ValueError(
                    f"struct {struct.name}, field {field.name!r:.80}: a FlatBuffers struct has numbers and other such "
                    f"structs alone, not {field.type}; leave out {FORMAT}.layout, or give the type it too"
                )
        if not fields:
            raise ValueError(f"struct {struct.name}: a FlatBuffers struct needs a field; leave out {FORMAT}.layout")
        return tuple(TableField(field.name, field.kind, field.of) for field in fields)

    def _is_inline(self, of: Type) -> bool:
        """Whether a FlatBuffers struct may have a field of a type."""
        match of:
            case Scalar(name):
                return name in SCALARS
            case TupleOf(items):
                return all(map(self._is_inline, items))
            case Named():
                return of in self._by_type and self._by_type[of].is_struct
        return False

    def _root(self, message: MessageType) -> Table:
        struct = self._types.struct(message.type)
        if not struct:
            is_table = isinstance(message.type, TupleOf) and not self._is_inline(message.type)
            return self._tuple(message.type) if is_table else self._wrapper(message.type)
        root = _attributes(struct).get("root")
        whole = self._by_type[message.type]
        if root is None:
            return self._wrapper(message.type) if whole.is_struct else whole
        table = Table(
            self._free(f"{whole.name}Root"), message.type, (TableField(root, whole.name, message.type, True),)
        )
        self._tables.append(table)
        return table

    def _field(self, name: str, of: Type, default: Any = None) -> TableField:
        inner = of.item if isinstance(of, OptionOf) else of
        kind, is_option = self._kind(inner), isinstance(of, OptionOf)
        is_number = kind in SCALARS.values()
        return TableField(
            name,
            kind,
            of,
            required=not is_option and not is_number,
            null=is_option and is_number,
            default=self._number(of, default) if default is not None and is_number else None,
        )

    def _number(self, of: Type, default: Any) -> str:
        """A number's default as a schema has it."""
        if enum := self._types.enum(of):
            return next(str(variant.value) for variant in enum.variants if variant.name == default)
        return str(default).lower() if isinstance(default, bool) else str(default)

    def _kind(self, of: Type) -> str:
        """What a field of a type is."""
        if is_octets(of):
            return OCTETS
        if enum := self._types.enum(of):
            return SCALARS[enum.repr]
        match of:
            case Scalar("string"):
                return "string"
            case Scalar(name):
                return SCALARS[name]
            case ListOf(item) | ArrayOf(item, _):
                return f"[{self._element(item)}]"
            case MapOf():
                return f"[{self._entry(of).name}]"
            case TupleOf():
                return self._tuple(of).name
        return self._by_type[of].name

    def _element(self, of: Type) -> str:
        """What an element of a vector is."""
        if is_short(of):
            return self._short(of).name
        if isinstance(of, ListOf | ArrayOf | MapOf | OptionOf) or is_octets(of):
            return self._wrapper(of).name
        return self._kind(of)

    def _wrapper(self, of: Type) -> Table:
        """The table around a type."""
        if key(of) not in self._around:
            are_many = isinstance(of, ListOf | ArrayOf | MapOf) or is_octets(of)
            name = self._names.words(of)
            field = self._field("values" if are_many else "value", of)
            self._add(
                Table(self._free(f"{name}Root" if key(of) in self._by_type else name), of, (field,)), self._around
            )
        return self._around[key(of)]

    def _short(self, of: Type) -> Table:
        if key(of) not in self._by_type:
            assert isinstance(of, ArrayOf)
            fields = tuple(TableField(f"item_{index}", self._kind(of.item), of.item) for index in range(of.length))
            self._add(Table(self._free(self._names.words(of)), of, fields, is_struct=True), self._by_type)
        return self._by_type[key(of)]

    def _entry(self, of: MapOf) -> Table:
        """A map's entries."""
        if key(of) not in self._by_type:
            fields = (self._field("name", Scalar("string")), self._field("value", of.value))
            self._add(Table(self._free(f"{self._names.words(of)}Entry"), of, fields), self._by_type)
        return self._by_type[key(of)]

    def _tuple(self, of: TupleOf) -> Table:
        if key(of) not in self._by_type:
            fields = tuple(self._field(f"item_{index}", item) for index, item in enumerate(of.items))
            if is_struct := self._is_inline(of):
                fields = tuple(TableField(field.name, field.kind, field.of) for field in fields)
            self._add(Table(self._free(self._names.words(of)), of, fields, is_struct), self._by_type)
        return self._by_type[key(of)]

    def _free(self, wished: str) -> str:
        """A name whose derived names are free, too."""
        wished = wished[:100]
        name, number = wished, 1
        while any(f"{name}{suffix}".lower() in self._taken for suffix in GENERATED):
            number += 1
            name = f"{wished}{number}"
        self._taken |= {f"{name}{suffix}".lower() for suffix in GENERATED}
        return name


def _ids(struct: StructType) -> list[int | None]:
    """The number that a type file gives each field; None where it gives none of them one. Raises ValueError."""
    said = [field.attributes.get(FORMAT, {}) for field in struct.fields]
    for field, one in zip(struct.fields, said, strict=True):
        if unknown := {*one} - {"id"}:
            raise ValueError(
                f"struct {struct.name}, field {field.name!r:.80}: {FORMAT}.{min(unknown)} is not known; "
                "a field may have `id`"
            )
    ids = [one.get("id") for one in said]
    if any(said) and sorted(map(str, ids)) != sorted(map(str, range(len(ids)))):
        raise ValueError(f"struct {struct.name}: its fields have the {FORMAT}.id {ids}, not each from 0 once")
    return ids


def _attributes(struct: StructType) -> Mapping[str, Any]:
    """What a type file says of a struct, checked."""
    said = struct.attributes.get(FORMAT, {})
    for name in said:
        if name not in ("root", "order", "layout"):
            raise ValueError(
                f"struct {struct.name}: {FORMAT}.{name} is not known; a struct may have `root`, `order` and `layout`"
            )
    root = said.get("root", "root")
    if not isinstance(root, str) or not root.isidentifier() or not root.isascii():
        raise ValueError(f"struct {struct.name}: {FORMAT}.root is the name of a field, not {root!r}")
    for name, only in (("order", "schema"), ("layout", "struct")):
        if said.get(name, only) != only:
            raise ValueError(f'struct {struct.name}: {FORMAT}.{name} is "{only}", not {said[name]!r}')
    return said


def _without_members(identifiers: list[str]) -> list[str]:
    """Identifiers that are no members of generated code, which has them without doubled and trailing underscores."""
    plain = ["_".join(part for part in wished.split("_") if part) or "field" for wished in identifiers]
    return numbered(
        f"{name}_field" if name in MEMBERS or name != wished else name
        for name, wished in zip(plain, identifiers, strict=True)
    )
