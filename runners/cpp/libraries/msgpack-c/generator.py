"""What msgpack-c leaves in a value that is there."""

from typing import Any

from bench.types.expressions import ListOf, Scalar, Type, parts
from bench.types.names import Names
from bench.types.type_set import MessageType, TypeSet


def keeps_bools(message: MessageType, types: TypeSet) -> bool:
    """Whether a message has a list of bools, at any depth: where an empty one is read, what was there is kept."""
    structs = [types.structs[name] for name in types.reachable(message.type) if name in types.structs]
    return any(map(_has_bools, [message.type, *(field.type for struct in structs for field in struct.fields)]))


def _has_bools(of: Type) -> bool:
    return of == ListOf(Scalar("bool")) or any(map(_has_bools, parts(of)))


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"keeps_bools": lambda message: keeps_bools(message, types)}
