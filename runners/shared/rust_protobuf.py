"""The conversion between Rust's plain types and messages of Protocol Buffers, for the libraries that have these."""

from typing import Any

from bench.types.expressions import ArrayOf, ListOf, OptionOf, Scalar, Type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

protobuf = shared("protobuf")
rust = shared("rust_types")

RUST = {"string": "String", "bytes": "Vec<u8>", "bool": "bool", "float": "f32", "double": "f64"}
"""Scalars of Protocol Buffers as these libraries have them; the others are integers."""


class Messages:
    """The conversions of a set, for protobuf_conversions.rs.j2: a message within a message is an `Option`."""

    some = "Some"
    """What makes a field of a message."""
    taken = ""
    """What makes an option of such a field."""
    rest = ""
    """The fields that a message has besides those of its schema."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self.proto = protobuf.schema(types, names)
        self._messages = {message.name for message in self.proto.messages}

    def is_optional(self, field: Any) -> bool:
        """Whether a field that every plain value has is an option in the message."""
        return not field.label and self._label(field) == "optional"

    def lends(self, of: Type) -> bool:  # noqa: ARG002 (most libraries have no views)
        """Whether the library has a view of a message, which borrows some of it."""
        return False

    def plain(self, of: Type) -> str:
        """The plain type of a message."""
        text: str = rust.plain_type(of, self._names)
        return text

    def build(self, field: Any, value: str) -> str:
        """The field's value, of a plain one that is borrowed: `value` is its place."""
        of, item = field.of, field.item
        if not field.label:
            one = self._write(of, value, borrowed=False)
            return f"{self.some}({one})" if self.is_optional(field) else one
        if field.label == "map":  # of equal types, too: where messages are published, their maps are of another type
            one = self._write(item, "item", borrowed=True)
            return f"{value}.iter().map(|(key, item)| (key.clone(), {one})).collect()"
        if self._is_same(item) and not isinstance(of, ArrayOf):
            return value if isinstance(of, OptionOf) and self._is_copy(item) else f"{value}.clone()"
        if self._is_same(item):
            return f"{value}.to_vec()"
        one = self._write(item, "item", borrowed=True)
        if field.label == "optional":
            option = f"{value}.as_ref().map(|item| {one})"
            return f"{option}.into()" if self.taken and self._is_message(field.kind) else option
        return f"{value}.iter().map(|item| {one}).collect()"

    def read(self, field: Any, value: str) -> str:
        """The plain value of a field's, which is taken; it ends with `?` where that can fail."""
        of, item = field.of, field.item
        if not field.label:
            given = f'present({value}{self.taken}, "{field.name}")?' if self.is_optional(field) else value
            return self._read(of, given)
        one = f"Ok({self._read(item, 'item')})"
        if field.label == "optional":
            option = f"{value}{self.taken}" if self._is_message(field.kind) else value
            return option if self._is_same(item) else f"optional({option}, |item| {one})?"
        if field.label == "map":
            return value if self._is_same(item) else f"map({value}, |item| {one})?"
        items = value if self._is_same(item) else f"list({value}, |item| {one})?"
        return f"exactly({items})?" if isinstance(of, ArrayOf) else items

    def number(self, enum: str) -> str:
        """The integer that an enumeration is in a message."""
        return self._single(self._integer(enum))

    def _integer(self, enum: str) -> str:
        kind: str = protobuf.integer(self._types.enums[enum].repr)
        return kind

    def _label(self, field: Any) -> str:
        """The label of a field as the library has it; that of a map is `map`."""
        return str(field.label) if field.label or not self._is_message(field.kind) else "optional"

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
