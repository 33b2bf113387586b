"""buffa: the schema, and protoc's descriptors of it; the crate's build script has the messages generated."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.model.offers import MessageKind
from bench.types.definitions import Defined
from bench.types.expressions import Type
from bench.types.features import kind_of
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

messages = shared("rust_protobuf")
protoc = shared("protoc")


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": shared("rust_types"), "code": Buffa(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:  # noqa: ARG001 (its form is that of all generators)
    """Calls protoc. Raises LabError where it is missing or fails."""
    protoc.run(folder / "types.proto", ["--include_imports", "--descriptor_set_out=types.binpb"])
    yield folder / "types.binpb"


class Buffa(messages.Messages):  # type: ignore[misc, name-defined]
    """Conversions of a set: a message within a message is a `MessageField`."""

    some = "::buffa::MessageField::some"
    taken = ".into_option()"
    rest = "..Default::default()"

    def lends(self, of: Type) -> bool:
        """Whether there is something in a message that its view borrows."""
        defined = Defined(self._types.structs, self._types.enums)
        return kind_of(of, defined) in (MessageKind.STRUCT_OF_TEXT, MessageKind.LIST_OF_TEXT)
