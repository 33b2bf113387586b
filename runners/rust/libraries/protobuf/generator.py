"""rust-protobuf: the schema; the crate's build script has the messages generated."""

from typing import Any

from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

messages = shared("rust_protobuf")


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": shared("rust_types"), "code": Protobuf(types, names)}


class Protobuf(messages.Messages):  # type: ignore[misc, name-defined]
    """Conversions of a set: a message within a message is a `MessageField`."""

    some = "::protobuf::MessageField::some"
    taken = ".into_option()"
    rest = "..Default::default()"
