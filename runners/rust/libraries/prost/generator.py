"""prost's derive for the messages of Protocol Buffers, and their conversion from and into plain types.

As in the code of prost-build a message within a message is an `Option`. A type file may say of a field
`attributes.prost.required = true`, as prost's derive can: then the message itself stands there.
"""

from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, Type
from bench.types.generation import shared
from bench.types.names import Names, rust_literal
from bench.types.type_set import TypeSet

protobuf = shared("protobuf")
rust = shared("rust_types")

LIBRARY, REQUIRED = "prost", "required"

RUST = {"string": "String", "bytes": "Vec<u8>", "bool": "bool", "float": "f32", "double": "f64"}
"""Scalars of Protocol Buffers as prost has them; the others are integers."""


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": rust, "prost": Prost(types, names)}


class Prost:
    """Types, attributes and conversions of a set."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self.proto = protobuf.schema(types, names)
        self._messages = {message.name for message in self.proto.messages}
        for message in self.proto.messages:
            for field in message.fields:
                _check(message.name, field, is_message=self._is_message(field.kind))

    def attribute(self, field: Any) -> str:
        """What stands in `#[prost(…)]`."""
        kind = 'bytes = "vec"' if field.kind == "bytes" else field.kind
        if self._is_message(field.kind):
            kind = "message"
        if field.label == "map":
            kind = f'btree_map = "string, {"message" if kind == "message" else field.kind}"'
        label = self._label(field).removeprefix("map")
        return f"{kind}, {label}, tag = {field.number}" if label else f"{kind}, tag = {field.number}"

    def type(self, field: Any) -> str:
        """The Rust type of a field."""
        one = self._single(field.kind)
        wrapped = {
            "repeated": f"Vec<{one}>",
            "optional": f"Option<{one}>",
            "map": f"::std::collections::BTreeMap<String, {one}>",
        }
        return wrapped.get(self._label(field), one)

    def is_optional(self, field: Any) -> bool:
        """Whether a field that every plain value has is an option in the message."""
        return not field.label and self._label(field) == "optional"

    def plain(self, of: Type) -> str:
        """The plain type of a message."""
        text: str = rust.plain_type(of, self._names)
        return text

    def build(self, field: Any, value: str) -> str:
        """The field's value, of a plain one that is borrowed: `value` is its place."""
        of, item = field.of, field.item
        if not field.label:
            one = self._write(of, value, borrowed=False)
            return f"Some({one})" if self.is_optional(field) else one
        if field.label == "map":  # of equal types, too: where messages are published, their maps are of another type
            one = self._write(item, "item", borrowed=True)
            return f"{value}.iter().map(|(key, item)| (key.clone(), {one})).collect()"
        if self._is_same(item) and not isinstance(of, ArrayOf):
            return value if isinstance(of, OptionOf) and self._is_copy(item) else f"{value}.clone()"
        if self._is_same(item):
            return f"{value}.to_vec()"
        one = self._write(item, "item", borrowed=True)
        if field.label == "optional":
            return f"{value}.as_ref().map(|item| {one})"
        return f"{value}.iter().map(|item| {one}).collect()"

    def read(self, field: Any, value: str) -> str:
        """The plain value of a field's, which is taken; it ends with `?` where that can fail."""
        of, item = field.of, field.item
        if not field.label:
            return self._read(of, f'present({value}, "{field.name}")?' if self.is_optional(field) else value)
        one = f"Ok({self._read(item, 'item')})"
        if field.label == "optional":
            return value if self._is_same(item) else f"optional({value}, |item| {one})?"
        if field.label == "map":
            return value if self._is_same(item) else f"map({value}, |item| {one})?"
        items = value if self._is_same(item) else f"list({value}, |item| {one})?"
        return f"exactly({items})?" if isinstance(of, ArrayOf) else items

    def conditions(self, message: Any) -> list[str]:
        """What a message must be to be selected; `?` leaves with None where a part isn't there."""
        return [text for _, text in rust.conditions(message, self._types, self._access, self._literal)]

    def sealed(self, message: Any) -> set[int]:
        """The numbers of the fields that are encrypted in a row."""
        struct = self._types.struct(message.type)
        assert struct
        fields = self.proto.by_type[message.type].fields
        return {fields[field.index].number for field in rust.sealed_fields(struct, self._types)}

    def sealed_name(self, message: Any) -> str:
        """The name of a message with encrypted parts."""
        taken, name = {one.name for one in self.proto.messages}, f"Sealed{message.name}"
        while name in taken:
            name += "_"
        return name

    def number(self, enum: str) -> str:
        """The integer that an enumeration is in a message."""
        return self._single(self._integer(enum))

    def _integer(self, enum: str) -> str:
        kind: str = protobuf.integer(self._types.enums[enum].repr)
        return kind

    def _label(self, field: Any) -> str:
        """The label of a field in prost's derive; that of a map is `map`."""
        if not self._is_message(field.kind) or field.label:
            return str(field.label)
        return "required" if field.attributes.get(LIBRARY) else "optional"

    def _is_message(self, kind: str) -> bool:
        return kind in self._messages

    def _single(self, kind: str) -> str:
        if kind in RUST:
            return RUST[kind]
        if self._is_message(kind):
            return kind
        return f"{'u' if kind in ('uint32', 'uint64', 'fixed32', 'fixed64') else 'i'}{kind[-2:]}"

    def _is_copy(self, of: Type) -> bool:
        return isinstance(of, Scalar) and of.name not in ("string", "bytes")

    def _is_same(self, of: Type) -> bool:
        """Whether a value is the same in a message and in a plain type."""
        if isinstance(of, Scalar):
            return of.name not in ("u8", "u16", "i8", "i16", "u128", "i128")
        return isinstance(of, ListOf) and bool(protobuf.is_octets(of))

    def _write(self, of: Type, value: str, *, borrowed: bool) -> str:
        """A single value of a plain one."""
        here = f"*{value}" if borrowed else value
        if protobuf.is_octets(of):
            return f"{value}.clone()" if isinstance(of, ListOf) else f"{value}.to_vec()"
        if enum := self._types.enum(of):
            return f"{here} as {self.number(enum.name)}"
        if isinstance(of, Scalar):
            if of.name in ("string", "bytes"):
                return f"{value}.clone()"
            if of.name in ("u128", "i128"):
                return f"{value}.to_le_bytes().to_vec()"
            return here if self._is_same(of) else f"({here}).into()"
        return f"{value}.into()" if borrowed else f"(&{value}).into()"

    def _read(self, of: Type, value: str) -> str:
        """The plain value of a single one."""
        if protobuf.is_octets(of):
            return value if isinstance(of, ListOf) else f"exactly({value})?"
        if self._is_same(of):
            return value
        if enum := self._types.enum(of):
            plain = f"plain::{self._names.type(enum.name)}"
            same = self.number(enum.name) == enum.repr
            return f"{plain}::try_from({value})?" if same else f"{plain}::try_from({enum.repr}::try_from({value})?)?"
        if of in (Scalar("u128"), Scalar("i128")):
            return f"{of}::from_le_bytes(exactly({value})?)"
        return f"{value}.try_into()?"

    def _access(self, value: str, struct: Any, field: Any) -> str:
        message = self.proto.by_type[Named(struct.name)]
        if isinstance(field.type, OptionOf | ListOf | ArrayOf | MapOf):
            raise ValueError(f"a filter can't ask for {field.name!r:.80}, which is {field.type}")
        one = message.fields[field.index]
        return f"{value}.{one.name}{'.as_ref()?' if self.is_optional(one) else ''}"

    def _literal(self, of: Type, wanted: Any) -> str:
        if enum := self._types.enum(of):
            return next(str(variant.value) for variant in enum.variants if variant.name == wanted)
        return rust_literal(wanted) if isinstance(wanted, str) else str(wanted).lower()


def _check(message: str, field: Any, *, is_message: bool) -> None:
    """Raises ValueError for an attribute that is not known, or not for this field."""
    said = field.attributes.get(LIBRARY, {})
    where = f"struct {message}, field {field.name}"
    if said and said != {REQUIRED: True}:
        raise ValueError(f"{where}: {LIBRARY} = {dict(said)} is not known; a field may have `{REQUIRED} = true`")
    if said and (field.label or not is_message):
        raise ValueError(f"{where}: {LIBRARY}.{REQUIRED} is for structs, not for {field.of}")
