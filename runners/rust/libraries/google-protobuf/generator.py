"""google-protobuf: the schema, protoc's code for it, and the conversion between plain types and messages.

A message is made apart and then set in the one that holds it; it is read through its view.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.base.errors import LabError
from bench.types.expressions import ArrayOf, Scalar, TupleOf, Type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

messages = shared("rust_protobuf")
protobuf = shared("protobuf")
protoc = shared("protoc")

OPTIONS = ("--rust_out=.", "--rust_opt=experimental-codegen=enabled,kernel=upb")


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": shared("rust_types"), "code": GoogleProtobuf(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:
    """Calls protoc. Raises LabError where it is missing or fails, or where its names for two messages are the same."""
    known = {message.name for message in protobuf.schema(types, Names(types, "rust")).messages}
    for name in sorted(known):
        for proxy in (f"{name}View", f"{name}Mut"):
            if proxy in known:
                raise LabError(
                    f"protoc makes a {proxy} of {name} for Rust, and there is a type of that name: rename it"
                )
    protoc.run_of_authors(folder / "types.proto", OPTIONS)
    yield from (folder / "generated.rs", folder / "types.u.pb.rs")


class GoogleProtobuf(messages.Messages):  # type: ignore[misc, name-defined]
    """Conversions of a set, by the setters of messages and the getters of their views."""

    def parts(self, message: Any) -> list[tuple[Any, str]]:
        """The fields of a message with the place of each in the plain value that it stands for."""
        if message.is_struct:
            struct = self._types.structs[message.of.name]
            places = [f"plain.{self._names.field(struct, field)}" for field in struct.fields]
        elif isinstance(message.of, TupleOf):
            places = [f"plain.{index}" for index in range(len(message.of.items))]
        elif self._is_by_element(message):
            places = [f"plain[{index}]" for index in range(message.of.length)]
        else:
            places = ["(*plain)"]
        return list(zip(message.fields, places, strict=True))

    def set(self, field: Any, place: str) -> str:
        """The statement that sets a field."""
        if not field.label:
            return f"message.set_{field.name}({self._made(field, place, borrowed=False)});"
        one = self._made(field, "item", borrowed=True)
        if field.label == "optional":
            return f"if let Some(item) = &{place} {{ message.set_{field.name}({one}); }}"
        if field.label == "map":
            return f"message.set_{field.name}({place}.iter().map(|(key, item)| (key.as_str(), {one})));"
        each = {"item": "", "*item": ".copied()"}.get(one, f".map(|item| {one})")
        return f"message.set_{field.name}({place}.iter(){each});"

    def made_of(self, message: Any) -> str:
        """The plain value of a message's view."""
        values = [self._got(field) for field in message.fields]
        if message.is_struct:
            struct = self._types.structs[message.of.name]
            pairs = zip(struct.fields, values, strict=True)
            return f"Self {{ {', '.join(f'{self._names.field(struct, field)}: {value}' for field, value in pairs)} }}"
        if isinstance(message.of, TupleOf):
            return f"({', '.join(values)},)"
        return f"[{', '.join(values)}]" if self._is_by_element(message) else str(values[0])

    def _is_by_element(self, message: Any) -> bool:
        """Whether a message that stands for an array has a field for each element."""
        of, first = message.of, message.fields[0]
        return isinstance(of, ArrayOf) and not first.label and first.item == of.item

    def _made(self, field: Any, value: str, *, borrowed: bool) -> str:
        """What is set, of a single plain value."""
        reference = value if borrowed else f"&{value}"
        if self._is_message(field.kind):
            return f"messages::{field.kind}::from({reference})"
        if self._is_bytes(field.item) or field.item == Scalar("string"):
            return reference
        if isinstance(field.item, Scalar) and not self._is_same(field.item) and field.kind != "bytes":
            return f"{self._single(field.kind)}::from({'*' if borrowed else ''}{value})"
        one: str = self._write(field.item, value, borrowed=borrowed)
        return one

    def _got(self, field: Any) -> str:
        """The plain value of a field; it ends with `?` where that can fail."""
        getter = f"message.{field.name}()"
        if not field.label:
            given = f'present(message.{field.name}_opt(), "{field.name}")?'
            return self._read(field.of, given if self._is_message(field.kind) else getter)
        one = f"Ok({self._read(field.item, 'item')})"
        if field.label == "optional":
            return f"optional(message.{field.name}_opt(), |item| {one})?"
        if field.label == "map":
            return f"entries({getter}, |item| {one})?"
        items = f"list({getter}, |item| {one})?"
        return f"exactly({items})?" if isinstance(field.of, ArrayOf) else items

    def _read(self, of: Type, value: str) -> str:
        if of == Scalar("string"):
            return f"{value}.to_str()?.to_owned()"
        is_bytes = self._is_bytes(of) or of in (Scalar("u128"), Scalar("i128"))
        one: str = super()._read(of, f"{value}.to_vec()" if is_bytes else value)
        return one

    def _is_bytes(self, of: Type) -> bool:
        return of == Scalar("bytes") or bool(protobuf.is_octets(of))
