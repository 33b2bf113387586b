"""Protocol Buffers for protoc: the schema, and between the plain structs and protoc's messages."""

from typing import Any

from bench.types.expressions import Named
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

protobuf = shared("protobuf")
cpp_types = shared("cpp_types")
PACKAGE = "wirelab.generated.messages"
DIRECT = ("float", "double", "bool", "string", "int32", "int64", "uint32", "uint64", "sint32", "sint64")
FIXED = ("fixed32", "fixed64", "sfixed32", "sfixed64")


class Messages:
    """What the templates ask of the messages of a schema."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self.types, self.names = types, names
        self.schema = protobuf.schema(types, names, PACKAGE)
        self._words = {message.name for message in self.schema.messages}

    def plain(self, message: Any) -> str:
        """The plain type of a message."""
        return str(cpp_types.plain(message.of, self.names, prefix="types::"))

    def values(self, message: Any) -> list[tuple[Any, str]]:
        """Each field of a message, and which part of the plain value it has."""
        parts = cpp_types.part_values(
            message.of, message.fields, "value", self.types, self.names, is_struct=message.is_struct
        )
        return list(zip(message.fields, parts, strict=True))

    def is_message(self, field: Any) -> bool:
        """Whether a value of a field is a message."""
        return field.kind in self._words

    def is_direct(self, field: Any) -> bool:
        """Whether a value of a field is the plain value."""
        is_enum = isinstance(field.item, Named) and field.item.name in self.types.enums
        return field.kind in (*DIRECT, *FIXED) and not is_enum

    def with_maps(self) -> list[Any]:
        """The messages that have maps, at any depth; parts stand before what they are parts of."""
        found: dict[str, Any] = {}
        for message in self.schema.messages:
            if any(field.label == "map" or field.kind in found for field in message.fields):
                found[message.name] = message
        return list(found.values())

    def fill(self, message: Any) -> list[str]:
        """Statements that fill a message."""
        return [line for field, value in self.values(message) for line in self._filled(field, value)]

    def _filled(self, field: Any, value: str) -> list[str]:
        name = field.name
        if field.label == "optional":
            return [f"if ({value}) {{", f"    {self._set(field, f'*{value}')};", "}"]
        if field.label == "repeated" and self.is_direct(field):
            return [f"message.mutable_{name}()->Assign({value}.begin(), {value}.end());"]
        if field.label == "repeated":
            add = (
                f"fill(*message.add_{name}(), item)"
                if self.is_message(field)
                else f"message.add_{name}(generated::put(item))"
            )
            return [f"for (const auto& item : {value}) {{", f"    {add};", "}"]
        if field.label == "map":
            place = f"(*message.mutable_{name}())[key]"
            put = f"fill({place}, item)" if self.is_message(field) else f"{place} = generated::put(item)"
            return [f"for (const auto& [key, item] : {value}) {{", f"    {put};", "}"]
        return [f"{self._set(field, value)};"]

    def _set(self, field: Any, value: str) -> str:
        if self.is_message(field):
            return f"fill(*message.mutable_{field.name}(), {value})"
        return f"message.set_{field.name}({value if self.is_direct(field) else f'generated::put({value})'})"

    def read(self, message: Any) -> list[str]:
        """Statements that read a message."""
        return [line for field, value in self.values(message) for line in self._read(field, value)]

    def _read(self, field: Any, value: str) -> list[str]:
        if field.label == "optional":
            present = [f"    generated::take(message.{field.name}(), {value}.emplace());"]
            return [f"if (message.has_{field.name}()) {{", *present, "} else {", f"    {value}.reset();", "}"]
        return [f"generated::take(message.{field.name}(), {value});"]


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"proto": Messages(types, names)}
