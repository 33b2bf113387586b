"""The files of types: schemas/types/*.toml, and the table [types] of a scenario that brings its own."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from bench.base import errors
from bench.base.files import find_toml_line, read_text, read_toml, split_validation_error
from bench.base.paths import SCHEMAS
from bench.model.fields import Text, Version, name_of
from bench.types.expressions import INTEGERS, Named, OptionOf, Scalar, Type, named_in, parse_type, parts
from bench.types.type_set import EnumType, FieldType, StructType, Variant

T = TypeVar("T")
FOLDER = SCHEMAS / "types"

DefinedName = Annotated[str, name_of("[A-Z][A-Za-z0-9]*")]
KeyText = Annotated[str, Meta(max_length=100_000)]
Expression = Annotated[str, Meta(min_length=1, max_length=1000)]
AttributeTable = dict[Annotated[str, name_of("[a-z][a-z0-9-]*")], dict[Text, Any]]
DEEPEST_STRUCTS = 64
"""How deep structs may be nested: libraries read messages by recursion, and have limits of their own."""


class FieldDefinition(Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "type"}):
    """A field with more to say than its type."""

    kind: Expression
    default: Any = None
    about: Text = ""
    attributes: AttributeTable = {}
    """Library or format → what its generator alone reads, and checks."""


class StructDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """Named fields in their order."""

    fields: dict[KeyText, Expression | FieldDefinition]
    about: Text = ""
    attributes: AttributeTable = {}


class EnumDefinition(Struct, frozen=True, forbid_unknown_fields=True):
    """A closed set of names over an integer type."""

    repr: Annotated[str, Meta(pattern="^[ui](8|16|32|64)$")]
    variants: Annotated[dict[KeyText, int], Meta(min_length=1)]
    about: Text = ""
    attributes: AttributeTable = {}


class Definitions(Struct, frozen=True, forbid_unknown_fields=True):
    """Structs and enumerations by name."""

    structs: dict[DefinedName, StructDefinition] = {}
    enums: dict[DefinedName, EnumDefinition] = {}


class TypesFile(Definitions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file in schemas/types."""

    protocol: Version


class _Tables(Struct, frozen=True, forbid_unknown_fields=True):
    """A file in schemas/types whose parts are still to be checked, each by its name."""

    protocol: Version
    structs: dict[str, Any] = {}
    enums: dict[str, Any] = {}


class Defined(Struct, frozen=True):
    """Structs and enumerations, checked: every name is known, and none is a part of itself."""

    structs: Mapping[str, StructType]
    """Each after those that it is made of."""
    enums: Mapping[str, EnumType]

    def knows(self, of: Type) -> bool:
        """Whether all names within a type are defined."""
        return all(name in self.structs or name in self.enums for name in named_in(of))


Keys = list[str]


class MistakeError(ValueError):
    """A definition that can't be: which keys lead to it, and what is wrong."""

    def __init__(self, keys: Keys, problem: str) -> None:
        super().__init__(problem)
        self.keys = keys


def definitions_of(structs: Mapping[str, Any], enums: Mapping[str, Any]) -> Definitions:
    """Definitions from the tables of a file. Raises MistakeError that names the struct or enumeration."""
    return Definitions(
        {name: _checked(StructDefinition, one, ["structs", name]) for name, one in structs.items()},
        {name: _checked(EnumDefinition, one, ["enums", name]) for name, one in enums.items()},
    )


def _checked(kind: type[T], given: Any, keys: Keys) -> T:
    try:
        msgspec.convert(keys[-1], DefinedName)
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        problem, within = split_validation_error(error)
        raise MistakeError([*keys, *within], problem) from None


@cache
def published_types() -> Defined:
    """The types of schemas/types. Raises LabError that names file, line and field of a mistake."""
    return load_folder(FOLDER)


def load_folder(folder: Path) -> Defined:
    """The types of all files of a folder, which may refer to each other's."""
    structs: dict[str, StructDefinition] = {}
    enums: dict[str, EnumDefinition] = {}
    origin: dict[str, Path] = {}
    for path in sorted(folder.glob("*.toml")):
        file = _read(path)
        for table, names in (("structs", file.structs), ("enums", file.enums)):
            for name in names:
                if name in origin:
                    raise _mistake(path, [table, name], f"{name} is defined in {origin[name].name} too")
                origin[name] = path
        structs |= file.structs
        enums |= file.enums
    try:
        return define(Definitions(structs, enums))
    except MistakeError as error:
        raise _mistake(origin[error.keys[1]], error.keys, str(error)) from None


def load_definitions(path: Path) -> Defined:
    """The types of one file. Raises LabError that names file, line and field of a mistake."""
    try:
        return define(_read(path))
    except MistakeError as error:
        raise _mistake(path, error.keys, str(error)) from None


def _read(path: Path) -> Definitions:
    tables = read_toml(path, _Tables)
    try:
        return definitions_of(tables.structs, tables.enums)
    except MistakeError as error:
        raise _mistake(path, error.keys, str(error)) from None


def define(definitions: Definitions) -> Defined:
    """Definitions as types. Raises MistakeError."""
    for name in definitions.structs.keys() & definitions.enums.keys():
        raise MistakeError(["enums", name], f"{name} is a struct, too")
    structs = {name: _struct(name, one) for name, one in definitions.structs.items()}
    enums = {name: _enum(name, one) for name, one in definitions.enums.items()}
    for struct in structs.values():
        for field in struct.fields:
            if problem := _problem_of_names(field, structs, enums):
                raise MistakeError(["structs", struct.name, "fields", field.name], problem)
    return Defined(_ordered(structs), enums)


def _problem_of_names(field: FieldType, structs: Mapping[str, StructType], enums: Mapping[str, EnumType]) -> str | None:
    """What a field names that there is not: a type, or the variant that is its default."""
    for name in named_in(field.type):
        if name not in structs and name not in enums:
            return f"there is no struct, enumeration or scalar {name!r}"
    of = field.type.item if isinstance(field.type, OptionOf) else field.type
    if field.default is None or not isinstance(of, Named):
        return None
    variants = [variant.name for variant in enums[of.name].variants] if of.name in enums else []
    if field.default in variants:
        return None
    return f"{field.default!r} is no variant of {of}" if variants else f"a struct has no default: {of}"


def _struct(name: str, one: StructDefinition) -> StructType:
    if not one.fields:
        raise MistakeError(["structs", name, "fields"], "a struct has one field or more")
    fields = tuple(_field(name, index, key, value) for index, (key, value) in enumerate(one.fields.items()))
    return StructType(name, fields, one.attributes, one.about)


def _field(struct: str, index: int, name: str, given: str | FieldDefinition) -> FieldType:
    field = FieldDefinition(given) if isinstance(given, str) else given
    keys = ["structs", struct, "fields", name]
    try:
        kind = parse_type(field.kind)
    except ValueError as error:
        raise MistakeError(keys, str(error)) from None
    if field.default is not None and (problem := _default_problem(kind, field.default)):
        raise MistakeError(keys, problem)
    return FieldType(
        name=name, type=kind, index=index, default=field.default, attributes=field.attributes, about=field.about
    )


def _default_problem(kind: Type, default: Any) -> str | None:
    """Why a value can't be the default of a type."""
    inner = kind.item if isinstance(kind, OptionOf) else kind
    if isinstance(inner, Scalar):
        fits = {"bool": bool, "string": str, "f32": int | float, "f64": int | float}.get(inner.name, int)
        if inner.name != "bytes" and isinstance(default, fits) and isinstance(default, bool) == (inner.name == "bool"):
            return _range_problem(inner, int(default)) if inner.name in INTEGERS else None
    elif not parts(inner) and isinstance(default, str):
        return None  # the name of a variant
    return f"{default!r} is no default of {kind}: give a bool, a number, a string or a variant's name"


def _range_problem(integer: Scalar, value: int) -> str | None:
    """Why a number is none of an integer type."""
    bits = int(integer.name[1:])
    low, high = (0, 2**bits) if integer.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return None if low <= value < high else f"{value} does not fit into {integer}"


def _enum(name: str, one: EnumDefinition) -> EnumType:
    values: dict[int, str] = {}
    for variant, value in one.variants.items():
        if problem := _range_problem(Scalar(one.repr), value):
            raise MistakeError(["enums", name, "variants", variant], problem)
        if value in values:
            raise MistakeError(["enums", name, "variants", variant], f"{values[value]!r} has the value {value}, too")
        values[value] = variant
    variants = tuple(Variant(variant, value) for variant, value in one.variants.items())
    return EnumType(name, one.repr, variants, one.attributes, one.about)


def _ordered(structs: Mapping[str, StructType]) -> dict[str, StructType]:
    """Structs with their parts before them. Raises MistakeError for one that is a part of itself."""
    ordered: dict[str, StructType] = {}

    def visit(name: str, within: tuple[str, ...]) -> None:
        if name in within:
            circle = " → ".join([*within[within.index(name) :], name])
            raise MistakeError(["structs", name], f"a struct can't be a part of itself: {circle}")
        if name in ordered or name not in structs:
            return
        if len(within) >= DEEPEST_STRUCTS:
            raise MistakeError(
                ["structs", name], f"structs are nested deeper than {DEEPEST_STRUCTS}: {within[0]} → … → {name}"
            )
        for part in _parts_of(structs[name]):
            visit(part, (*within, name))
        ordered[name] = structs[name]

    for name in structs:
        visit(name, ())
    return ordered


def _parts_of(struct: StructType) -> Iterator[str]:
    for field in struct.fields:
        yield from named_in(field.type)


def _mistake(path: Path, keys: Keys, problem: str) -> errors.LabError:
    return errors.bad_file(path, find_toml_line(read_text(path), keys), ".".join(keys), problem)
