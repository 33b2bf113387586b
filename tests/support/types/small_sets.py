"""Sets of types that lack something which others have: generated code must do without."""

import msgspec

from bench.types.definitions import Definitions, define
from bench.types.expressions import parse_type
from bench.types.type_set import MessageType, TypeSet, Use


def made_of(structs: dict[str, dict[str, str]], enums: dict[str, dict[str, object]] | None = None) -> TypeSet:
    """The types, none of them a message."""
    given = {"structs": {name: {"fields": fields} for name, fields in structs.items()}, "enums": enums or {}}
    defined = define(msgspec.convert(given, Definitions))
    return TypeSet("small", defined.structs, defined.enums, [])


def measured(types: TypeSet, kind: str, **use: bool) -> TypeSet:
    """The set with a message of this type."""
    message = MessageType(parse_type(kind), (Use("one", **({"rows": False} | use)),))
    return msgspec.structs.replace(types, messages=[message])


LEVEL = {"Level": {"repr": "u8", "variants": {"Low": 0, "High": 1}}}
POINT = made_of({"Point": {"x": "f64", "y": "f64"}})
LINE = made_of({"Line": {"text": "string", "level": "Level"}}, LEVEL)

SETS = {
    "no message": POINT,
    "no text": measured(POINT, "Point"),
    "no struct": measured(made_of({}, LEVEL), "[Level]"),
    "numbers alone": measured(made_of({}), "[f64]"),
    "no single message": measured(LINE, "Line", rows=True, files=True),
    "encrypted rows alone": measured(LINE, "Line", rows=True, files=True, encrypted=True),
}
"""What a set lacks → it. Its scenario is `one`."""
OF_MEMORY = ("no text", "no struct", "numbers alone")
"""Those whose scenario measures no files."""
