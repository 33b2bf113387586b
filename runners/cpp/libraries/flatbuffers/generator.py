"""FlatBuffers for flatc's object API: the schema, and between the plain structs, flatc's objects and tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, Type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

flatbuffers = shared("flatbuffers")
flatc = shared("flatc")
cpp_types = shared("cpp_types")
NAMESPACE = "wirelab.flat.tables"
EMPTY_OR_MISSING = tuple(map(Scalar, ("string", "bytes", "u128", "i128")))
NUMBERS = {kind: cpp_types.SCALARS[name] for name, kind in flatbuffers.SCALARS.items()}


class Tables:
    """What the templates ask of the tables of a schema."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self.names, self.types = names, types
        self.schema = flatbuffers.schema(types, names, NAMESPACE)
        self._kinds = {table.name: table for table in self.schema.tables}

    def text(self) -> str:
        """The schema, of which flatc is told where the objects of native tables are."""
        space = NAMESPACE.replace(".", "::")
        native = {table.name: f'native_type: "{space}::{table.name}T"' for table in self.natives()}
        include = 'native_include "natives.hpp";\n\n' if native else ""
        return include + str(self.schema.annotated(native))

    def natives(self) -> list[Any]:
        """The tables with objects of our own, for what flatc's do not tell apart.

        They take an empty text or list for a missing one, and keep a struct that the next message lacks.
        """
        return [table for table in self.schema.tables if any(map(self._needs_native, table.fields))]

    def _needs_native(self, field: Any) -> bool:
        return may_be_empty_or_missing(field.of) or (isinstance(field.of, OptionOf) and self._is_struct(field.kind))

    def member(self, field: Any) -> str:
        """The type of a native object's member: as flatc's, but for texts and lists that may be missing."""
        if field.null:
            return f"std::optional<{NUMBERS[field.kind]}>"
        kind = f"std::unique_ptr<{field.kind}>" if self._is_struct(field.kind) else self._member(field.kind)
        return f"std::optional<{kind}>" if may_be_empty_or_missing(field.of) else kind

    def begins_as(self, field: Any) -> str:
        """What follows the name of a member that would begin with any value at all."""
        return "{}" if field.kind in NUMBERS and not field.null else ""

    def _member(self, kind: str) -> str:
        if kind.startswith("["):
            return f"std::vector<{self._member(kind[1:-1])}>"
        if kind == "string":
            return "std::string"
        if kind in NUMBERS:
            return str(NUMBERS[kind])
        return kind if self._is_struct(kind) else f"std::unique_ptr<{kind}T>"

    def _is_struct(self, kind: str) -> bool:
        return kind in self._kinds and self._kinds[kind].is_struct

    def packed(self, field: Any, part: str) -> str:
        """What the constructor of a FlatBuffers struct takes of a part."""
        return f"flat::filled<{field.kind}>({part})" if self._is_struct(field.kind) else part

    def plain(self, of: Type) -> str:
        """A plain type."""
        return str(cpp_types.plain(of, self.names, prefix="types::"))

    def object(self, table: Any) -> str:
        """The object of a table; a FlatBuffers struct is its own."""
        return f"tables::{table.name}" if table.is_struct else f"tables::{table.name}T"

    def value(self, table: Any) -> str:
        """The plain value of a table: of a map's entry a pair."""
        if self.is_entry(table):
            return f"std::pair<const std::string, {self.plain(table.of.value)}>"
        return self.plain(table.of)

    def parts(self, table: Any) -> list[tuple[Any, str]]:
        """Each field, and which part of the plain value it has."""
        if self.is_entry(table):
            return list(zip(table.fields, ("value.first", "value.second"), strict=True))
        is_struct = isinstance(table.of, Named) and not self._is_root(table)
        parts = cpp_types.part_values(table.of, table.fields, "value", self.types, self.names, is_struct=is_struct)
        return list(zip(table.fields, parts, strict=True))

    def is_entry(self, table: Any) -> bool:
        """Whether a table is one of a map's."""
        return isinstance(table.of, MapOf) and len(table.fields) == 2

    def length(self, table: Any) -> int:
        """What the sum of a table's fields begins with: the length of an array with a field an element."""
        return len(table.fields) if isinstance(table.of, ArrayOf) and len(table.fields) > 1 else 0

    def part_type(self, table: Any, index: int) -> str:
        """The plain type of a field's part."""
        return self.plain(table.fields[index].of)

    def _is_root(self, table: Any) -> bool:
        return table is not self.schema.by_type.get(table.of) and table in self.schema.roots.values()

    def roots(self) -> list[tuple[Any, Any]]:
        """Message types, and the table that each is encoded as."""
        return [(message, self.schema.roots[message.type]) for message in self.types.messages]


def may_be_empty_or_missing(of: Type) -> bool:
    """Whether a type is an optional text or list, of which flatc's objects take an empty one for a missing one."""
    return isinstance(of, OptionOf) and (isinstance(of.item, ListOf | ArrayOf | MapOf) or of.item in EMPTY_OR_MISSING)


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"flat": Tables(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:
    """Has flatc make the C++ code of the schema."""
    (folder / "flatc").mkdir(exist_ok=True)
    yield flatc.generate(folder / "types.fbs", ["--cpp", "--gen-object-api"], folder / "flatc" / "types_generated.h")
