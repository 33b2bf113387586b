"""prost's derive for the messages of Protocol Buffers, and their conversion from and into plain types.

As in the code of prost-build a message within a message is an `Option`.
"""

from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Type
from bench.types.generation import shared
from bench.types.names import Names, rust_literal
from bench.types.type_set import TypeSet

rust = shared("rust_types")
messages = shared("rust_protobuf")


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    prost = Prost(types, names)
    return {"rust": rust, "prost": prost, "code": prost}


class Prost(messages.Messages):  # type: ignore[misc, name-defined]
    """Types, attributes and conversions of a set."""

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

    def _label(self, field: Any) -> str:
        """The label of a field in prost's derive; that of a map is `map`."""
        if not self._is_message(field.kind) or field.label:
            return str(field.label)
        return "optional"

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
