"""What the template of msgspec's structs calls.

msgspec refuses names with quotes, backslashes and control characters, even those of fields that it writes: structs
with such a field are left out, and so are messages with them.
"""

import re
from collections.abc import Mapping
from typing import Any

from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import MessageType, StructType, TypeSet

REFUSED = re.compile(r'["\\\x00-\x1f]')


def context(types: TypeSet, names: Names) -> Mapping[str, Any]:
    """What the template sees besides `names`: the types that Python measures, and functions of them."""
    python = shared("python_types").PythonTypes(types, names, "bytes", _sized)
    refused: set[str] = set()
    for struct in python.types.structs.values():
        if _is_refused(struct) or refused & set(python.types.reachable(python.types.parse(struct.name))):
            refused.add(struct.name)

    def is_taken(message: MessageType) -> bool:
        return not refused & {struct.name for struct in python.structs_of(message)}

    return {
        "types": python.types,
        "annotation": python.annotation,
        "aliases": python.aliases,
        "default": python.default,
        "has_default": lambda struct: any(map(python.default, struct.fields)),
        "refused": refused,
        "messages": list(filter(is_taken, python.types.messages)),
    }


def _sized(length: int) -> str:
    return f"msgspec.Meta(min_length={length}, max_length={length})"


def _is_refused(struct: StructType) -> bool:
    return any(REFUSED.search(field.name) for field in struct.fields)
