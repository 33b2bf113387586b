"""Protocol Buffers as zpp_bits writes them: structs whose members are the fields of the schema's messages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.base.errors import LabError
from bench.types.expressions import ListOf, Scalar, TupleOf, Type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

protobuf = shared("protobuf")
cpp_types = shared("cpp_types")

MOST_MEMBERS = 50
"""Members of a struct that zpp_bits can see (max_visit_members)."""

KINDS = {
    "bool": "bool",
    "float": "float",
    "double": "double",
    "string": "std::string",
    "bytes": "std::vector<std::byte>",
    "uint32": "zpp::bits::vuint32_t",
    "uint64": "zpp::bits::vuint64_t",
    # A negative int32 has ten bytes in Protocol Buffers, and five as zpp_bits' vint32_t.
    "int32": "zpp::bits::vint64_t",
    "int64": "zpp::bits::vint64_t",
    "sint32": "zpp::bits::vsint32_t",
    "sint64": "zpp::bits::vsint64_t",
    "fixed32": "std::uint32_t",
    "fixed64": "std::uint64_t",
    "sfixed32": "std::int32_t",
    "sfixed64": "std::int64_t",
}
SMALL = ("u16", "i16")


class Shapes:
    """What the templates ask of the messages of a schema."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self.types, self.names = types, names
        self.schema = protobuf.schema(types, names)
        self._whole: dict[str, bool] = {}
        for message in self.schema.messages:
            parts = [self._whole[field.kind] for field in message.fields if field.kind in self._whole]
            self._whole[message.name] = len(message.fields) <= MOST_MEMBERS and all(parts)

    def messages(self) -> list[Any]:
        """The messages that zpp_bits can see all members of, parts first."""
        return [message for message in self.schema.messages if self._whole[message.name]]

    def roots(self) -> list[tuple[Any, str]]:
        """Message types, and the struct that each is encoded as."""
        whole = [(message, self.schema.roots[message.type].name) for message in self.types.messages]
        return [(message, name) for message, name in whole if self._whole[name]]

    def plain(self, of: Type) -> str:
        """A plain type."""
        return str(cpp_types.plain(of, self.names, prefix="types::"))

    def kind(self, message: Any, field: Any) -> str:
        """A member's type."""
        if self._is_packed_small(message, field):
            return f"std::vector<{cpp_types.SCALARS[field.item.name]}>"
        one = KINDS.get(field.kind, field.kind)
        if field.label == "repeated":
            return f"std::vector<{'zpp::bits::vuint32_t' if one == 'bool' else one}>"
        if field.label == "map":
            return f"std::map<std::string, {one}>"
        if field.label == "optional":
            is_number = field.kind in KINDS and field.kind not in ("string", "bytes")
            return f"std::vector<{f'zpp::bits::pb_field<{one}, {field.number}u>' if is_number else one}>"
        return one

    def _is_packed_small(self, message: Any, field: Any) -> bool:
        """Whether a field is a message's list of numbers of two bytes, as published: they are packed as they are."""
        is_root = message.of in {one.type for one in self.types.messages}
        return is_root and isinstance(message.of, ListOf) and field.item in tuple(map(Scalar, SMALL))

    def protocol(self, message: Any) -> str:
        """The protocol of a message: fields are numbered from 1 unless the schema says otherwise."""
        maps = [
            f"zpp::bits::pb_map<{index}, {field.number}>{{}}"
            for index, field in enumerate(message.fields, 1)
            if field.number != index
        ]
        return f"zpp::bits::protocol<zpp::bits::pb{{{', '.join(maps)}}}>" if maps else "zpp::bits::pb_protocol"

    def members(self, message: Any) -> list[tuple[Any, str]]:
        """Each field, and which part of the plain value it has."""
        parts = cpp_types.part_values(
            message.of, message.fields, "plain", self.types, self.names, is_struct=message.is_struct
        )
        return list(zip(message.fields, parts, strict=True))

    def has_parts(self, message: Any) -> bool:
        """Whether each field has a part of the plain value of its own."""
        return message.is_struct or isinstance(message.of, TupleOf) or len(message.fields) > 1


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"shapes": Shapes(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:
    """Makes nothing more. Raises LabError where the library can take no message of the set."""
    if types.messages and not Shapes(types, Names(types, "cpp")).roots():
        large = [name for name, struct in types.structs.items() if len(struct.fields) > MOST_MEMBERS]
        raise LabError(
            f"{folder.name} sees at most {MOST_MEMBERS} members of a struct: {', '.join(large)} has more. "
            "Split it in the type that you give with --type"
        )
    yield from ()
