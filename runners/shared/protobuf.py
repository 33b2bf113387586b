"""Message types as Protocol Buffers: one mapping for the libraries of every language.

    bool string bytes f32 f64    the types of these names        u8 u16 u32  uint32     u64  uint64
    u128 i128                    bytes, little-endian            i8 i16 i32  int32      i64  int64
    [u8] [u8; N]                 bytes                           an enumeration         the integer of its size
    [T] [T; N]                   repeated                        {T}                    a map from strings
    T?                           optional                        a struct               a message

What Protocol Buffers cannot hold where it stands (a list in a list, an optional list, an optional element, any tuple)
is a message around it. A message that is no struct is such a message, too. A short array of numbers in a list is a
message with a field a number, as a point is, and integers of a list that is a message have a fixed size.

A type file may say of a field `protobuf = { tag = 8, encoding = "zigzag" }`, and of a struct
`attributes = { protobuf = { root = "block" } }`: as a message it is the field `block` of another message.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import Names, numbered
from bench.types.type_set import Attributes, FieldType, MessageType, StructType, TypeSet

FORMAT = "protobuf"
SHORT = 4
"""The longest array in a list that is a message with a field an element."""

SCALARS: Mapping[str, str] = {"f32": "float", "f64": "double", "bool": "bool", "string": "string", "bytes": "bytes"}
ENCODED = {
    ("zigzag", "int32"): "sint32",
    ("zigzag", "int64"): "sint64",
    ("fixed", "uint32"): "fixed32",
    ("fixed", "uint64"): "fixed64",
    ("fixed", "int32"): "sfixed32",
    ("fixed", "int64"): "sfixed64",
}

# Accessors that protoc makes for C++ and Rust of a field of another name, and members that every message has.
PREFIXES = ("has_", "set_", "clear_", "mutable_", "release_", "add_", "set_allocated_", "unsafe_arena_release_")
SUFFIXES = ("_size", "_mut", "_opt")
MEMBERS = frozenset(
    [
        *("descriptor", "default_instance", "internal_default_instance", "byte_size", "get_cached_size", "swap"),
        *("new", "to_owned", "as_view", "as_mut", "as_message_mut_inner"),
    ]
)


class ProtoField(Struct, frozen=True):
    """A field of a message."""

    name: str
    """In the .proto, and so in generated code unless it is a reserved word there."""
    number: int
    label: str
    """`repeated`, `optional`, `map`, or nothing."""
    kind: str
    """What one value is in the .proto: `sint32`, `bytes`, a message's name."""
    item: Type
    """What one value is in our notation: that of an element, of an option's or a map's value, or of the field."""
    of: Type
    """The type of the whole field."""
    attributes: Attributes = {}
    """What a type file says of it, for the generators of libraries."""

    @property
    def declaration(self) -> str:
        """The field as it stands in the .proto."""
        kind = f"map<string, {self.kind}>" if self.label == "map" else f"{self.label} {self.kind}".strip()
        return f"{kind} {self.name} = {self.number};"


class ProtoMessage(Struct, frozen=True):
    """A message: a struct, or what stands around a type."""

    name: str
    of: Type
    fields: tuple[ProtoField, ...]
    """Of a struct in its order; of a tuple or a short array one an element; else one: `values`, or `value`."""
    is_struct: bool = False


class ProtoSchema(Struct, frozen=True):
    """The messages of a set of types."""

    messages: tuple[ProtoMessage, ...]
    """Parts first."""
    by_type: Mapping[Type, ProtoMessage]
    """Structs as `Named`, and every type that needs a message around it."""
    roots: Mapping[Type, ProtoMessage]
    """What the messages of the set are encoded as; for most that of `by_type`."""
    package: str

    @property
    def text(self) -> str:
        """The .proto file."""
        lines = ['syntax = "proto3";', "", f"package {self.package};"]
        for message in self.messages:
            lines += ["", f"message {message.name} {{", *(f"  {one.declaration}" for one in message.fields), "}"]
        return "\n".join(lines) + "\n"


def schema(types: TypeSet, names: Names, package: str = "wirelab.types") -> ProtoSchema:
    """The schema of a set, with the identifiers of a language. Raises ValueError for an attribute that is not known."""
    return _Mapping(types, names).schema(package)


def is_octets(of: Type) -> bool:
    """Whether a type is a list or an array of bytes, which are one value in Protocol Buffers."""
    return isinstance(of, ListOf | ArrayOf) and of.item == Scalar("u8")


class _Mapping:
    """Collects messages, parts first."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self._messages: list[ProtoMessage] = []
        self._by_type: dict[Type, ProtoMessage] = {}
        self._taken = {names.type(name).lower() for name in [*types.structs, *types.enums]}

    def schema(self, package: str) -> ProtoSchema:
        for struct in self._types.structs.values():
            fields = self._struct_fields(struct)
            self._add(ProtoMessage(self._names.type(struct.name), Named(struct.name), fields, is_struct=True))
        roots = {message.type: self._root(message) for message in self._types.messages}
        return ProtoSchema(tuple(self._messages), self._by_type, roots, package)

    def _add(self, message: ProtoMessage) -> ProtoMessage:
        self._messages.append(message)
        self._by_type.setdefault(message.of, message)
        return message

    def _root(self, message: MessageType) -> ProtoMessage:
        of = message.type
        struct = self._types.struct(of)
        name = _attribute(struct, "root") if struct else None
        if not struct or name is None:
            return self._by_type[of] if struct else self._around(of)
        if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
            raise ValueError(f"struct {struct.name}: {FORMAT}.root is the name of a field, not {name!r}")
        field = ProtoField(name, 1, "", self._names.type(struct.name), of, of)
        root = ProtoMessage(self._free(f"{self._names.type(struct.name)}Root"), of, (field,))
        self._messages.append(root)
        return root

    def _struct_fields(self, struct: StructType) -> tuple[ProtoField, ...]:
        identifiers = _without_clashes([self._names.field(struct, field) for field in struct.fields])
        number, fields = 0, []
        for name, field in zip(identifiers, struct.fields, strict=True):
            said = _known(struct, field)
            number = said.get("tag", number + 1)
            one = self._field(name, number, field.type, said.get("encoding", ""))
            fields.append(replace(one, attributes=field.attributes))
        repeated = [one.number for one in fields if sum(other.number == one.number for other in fields) > 1]
        if repeated:
            raise ValueError(f"struct {struct.name}: several fields have the {FORMAT}.tag {repeated[0]}")
        return tuple(fields)

    def _field(self, name: str, number: int, of: Type, encoding: str = "") -> ProtoField:
        label, item = "", of
        match of:
            case OptionOf(inner):
                label, item = "optional", inner
            case ListOf(inner) | ArrayOf(inner, _) if not is_octets(of):
                label, item = "repeated", inner
            case MapOf(inner):
                label, item = "map", inner
        return ProtoField(name, number, label, self._kind(item, encoding), item, of)

    def _kind(self, of: Type, encoding: str = "") -> str:
        """What a single value is: a message around it where it is no scalar."""
        if is_octets(of):
            return "bytes"
        if enum := self._types.enum(of):
            return integer(enum.repr)
        if isinstance(of, Scalar):
            kind = SCALARS.get(of.name) or integer(of.name)
            return ENCODED.get((encoding, kind), kind)
        return self._names.type(of.name) if isinstance(of, Named) else self._around(of).name

    def _around(self, of: Type) -> ProtoMessage:
        if of in self._by_type:
            return self._by_type[of]
        name = self._free(self._names.words(of))
        items: tuple[Type, ...] = of.items if isinstance(of, TupleOf) else ()
        if isinstance(of, ArrayOf) and _is_short(of):
            items = (of.item,) * of.length
        if items:
            fields = tuple(self._field(f"item_{index}", index + 1, item) for index, item in enumerate(items))
        else:
            fixed = isinstance(of, ListOf) and of.item in (Scalar("u32"), Scalar("u64"))
            one = "value" if isinstance(of, OptionOf) else "values"
            fields = (self._field(one, 1, of, "fixed" if fixed else ""),)
        return self._add(ProtoMessage(name, of, fields))

    def _free(self, wished: str) -> str:
        name, number = wished[:100], 1
        while name.lower() in self._taken:
            number += 1
            name = f"{wished[:100]}{number}"
        self._taken.add(name.lower())
        return name


def _is_short(of: Type) -> bool:
    """Whether a type is an array that is a message with a field a number."""
    return isinstance(of, ArrayOf) and of.length <= SHORT and isinstance(of.item, Scalar) and not is_octets(of)


def integer(name: str) -> str:
    """The integer of Protocol Buffers for one of ours; bytes for 128 bits."""
    bits = int(name[1:])
    return "bytes" if bits == 128 else f"{'u' if name[0] == 'u' else ''}int{64 if bits == 64 else 32}"


def _attribute(struct: StructType, name: str) -> Any:
    """What a type file says of a struct."""
    said = struct.attributes.get(FORMAT, {})
    for key in said:
        if key != "root":
            raise ValueError(f"struct {struct.name}: {FORMAT}.{key} is not known; a struct may have `root`")
    return said.get(name)


def _known(struct: StructType, field: FieldType) -> Mapping[str, Any]:
    """What a type file says of a field, checked."""
    said = field.attributes.get(FORMAT, {})
    where = f"struct {struct.name}, field {field.name!r:.80}"
    for key in said:
        if key not in ("tag", "encoding"):
            raise ValueError(f"{where}: {FORMAT}.{key} is not known; a field may have `tag` and `encoding`")
    tag = said.get("tag", 1)
    if not isinstance(tag, int) or not 1 <= tag < 2**29 or 19_000 <= tag < 20_000:
        raise ValueError(
            f"{where}: {FORMAT}.tag is a number from 1 to {2**29 - 1}, but for 19000 to 19999, not {tag!r}"
        )
    if said.get("encoding", "fixed") not in ("fixed", "zigzag"):
        raise ValueError(f"{where}: {FORMAT}.encoding is `fixed` or `zigzag`, not {said['encoding']!r}")
    return said


def _without_clashes(identifiers: list[str]) -> list[str]:
    """Identifiers whose accessors in C++ and Rust and names for JSON differ from those of the others."""
    others = {one.lower() for one in identifiers}

    def clashes(name: str) -> bool:
        bare = [name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)]
        bare += [name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)]
        return name in MEMBERS or any(one in others for one in bare)

    # protoc leaves the underscores out for JSON, and refuses two fields of one name there.
    return numbered(f"{wished}_field" if clashes(wished.lower()) else wished for wished in identifiers)
