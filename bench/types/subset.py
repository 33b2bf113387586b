"""A part of a set: one type, and what it is made of."""

from bench.types.expressions import Type
from bench.types.type_set import MessageType, TypeSet


def subset(types: TypeSet, of: Type) -> TypeSet:
    """The set of a type alone: as a message, with the structs and enumerations that it is made of."""
    names = types.reachable(of)
    message = next((one for one in types.messages if one.type == of), MessageType(of, ()))
    return TypeSet(
        types.name,
        {name: types.structs[name] for name in names if name in types.structs},
        {name: types.enums[name] for name in names if name in types.enums},
        [message],
    )
