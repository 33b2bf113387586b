"""Protocol Buffers for Python: the schema, protoc's code for it, and what converts plain values and models."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.types.expressions import ArrayOf, MapOf, Scalar, TupleOf, Type, parts
from bench.types.generation import shared
from bench.types.names import Names, python_literal
from bench.types.type_set import EnumType, FieldType, MessageType, StructType, TypeSet

SCHEMA = "types.proto"
protobuf = shared("protobuf")
protoc = shared("protoc")


def context(types: TypeSet, names: Names) -> Mapping[str, Any]:
    """What the templates see besides `names`: the schema, and functions that print expressions."""
    python = shared("python_types").PythonTypes(types, names, "bytes", str)
    conversions = Conversions(python.types, names)
    return {
        "types": python.types,
        "proto": conversions.proto,
        "numbers": conversions.numbers,
        "variants": conversions.variants,
        "is_direct": conversions.is_direct,
        "construct": conversions.construct,
        "dict_of": conversions.dict_of,
        "plain": conversions.plain,
        "has_map": conversions.has_map,
        "maps": any(map(conversions.has_map, python.types.messages)),
    }


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:  # noqa: ARG001 (its form is that of all generators)
    """Calls protoc. Raises LabError where it is missing or fails."""
    protoc.run(folder / SCHEMA, ["--python_out=.", "--pyi_out=."])
    yield from sorted(folder.glob("types_pb2.py*"))


class Conversions:
    """Expressions that make messages of values, and values of messages."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self.proto = protobuf.schema(types, names)

    def numbers(self, enum: EnumType) -> str:
        """The dict from an enumeration's names to its numbers."""
        return f"number_of_{self._names.type(enum.name).lower()}"

    def variants(self, enum: EnumType) -> str:
        """The reverse."""
        return f"name_of_{self._names.type(enum.name).lower()}"

    def has_map(self, message: MessageType) -> bool:
        """Whether a message holds maps, whose entries have an order only if it is asked for."""
        structs = [self._types.structs.get(name) for name in self._types.reachable(message.type)]
        fields = [field.type for struct in structs if struct for field in struct.fields]
        return any(map(_has_map, [message.type, *fields]))

    # from values

    def is_direct(self, message: Any) -> bool:
        """Whether a struct's dict is what the message's constructor takes, dicts within it too."""
        struct = self._types.struct(message.of) if message.is_struct else None
        if struct is None:
            return False
        pairs = zip(message.fields, struct.fields, strict=True)
        return all(one.name == field.name and self._is_taken(one.item) for one, field in pairs)

    def _is_taken(self, of: Type) -> bool:
        """Whether a message's field takes a plain value as it is."""
        return self._is_same(of) or (of in self.proto.by_type and self.is_direct(self.proto.by_type[of]))

    def construct(self, message: Any, value: str, *, from_models: bool) -> str:
        """A message of a value, as an expression; the value is a variable."""
        parts = self._parts(message, value, from_models=from_models)
        return f"{message.name}({', '.join(f'{name}={part}' for name, part in parts)})"

    def dict_of(self, message: Any, value: str, *, from_models: bool) -> str:
        """What a message's constructor takes for one within it: a message of its own would be copied, by its bytes."""
        parts = self._parts(message, value, from_models=from_models)
        return f"{{{', '.join(f'{python_literal(name)}: {part}' for name, part in parts)}}}"

    def _parts(self, message: Any, value: str, *, from_models: bool) -> Iterator[tuple[str, str]]:
        """The names of a message's fields, and what each holds, as an expression."""
        struct = self._types.struct(message.of) if message.is_struct else None
        if struct is not None:
            pairs = zip(message.fields, struct.fields, strict=True)
            access = [(one, value + self._access(struct, field, from_models)) for one, field in pairs]
        elif self._is_struct_root(message) or len(message.fields) == 1 and not _by_element(message):
            access = [(message.fields[0], value)]
        else:
            access = [(one, f"{value}[{index}]") for index, one in enumerate(message.fields)]
        return ((one.name, self._field(one, of, from_models)) for one, of in access)

    def _access(self, struct: StructType, field: FieldType, from_models: bool) -> str:
        return f".{self._names.field(struct, field)}" if from_models else f"[{python_literal(field.name)}]"

    def _is_struct_root(self, message: Any) -> bool:
        return not message.is_struct and self._types.struct(message.of) is not None

    def _field(self, field: Any, value: str, from_models: bool) -> str:
        if self._is_same(field.item) or (not from_models and self._is_taken(field.item)):
            return value
        one = self._value(field.item, "item", from_models)
        match field.label:
            case "repeated":
                return f"[{one} for item in {value}]"
            case "map":
                # of a function, since protoc's types know no dicts as values of maps
                one = self._value(field.item, "item", from_models, is_inline=False)
                return f"{{key: {one} for key, item in {value}.items()}}"
            case "optional":
                return f"None if {value} is None else {self._value(field.item, value, from_models)}"
        return self._value(field.item, value, from_models)

    def _is_same(self, of: Type) -> bool:
        """Whether a single value is what a message's field holds."""
        return isinstance(of, Scalar) and not of.name.endswith("128")

    def _value(self, of: Type, value: str, from_models: bool, *, is_inline: bool = True) -> str:
        if self._is_same(of):
            return value
        if isinstance(of, Scalar):
            return f'{value}.to_bytes(16, "little"{", signed=True" if of.name == "i128" else ""})'
        if protobuf.is_octets(of):
            return f"bytes({value})"
        if enum := self._types.enum(of):
            return f"{self.numbers(enum)}[{value}]"
        message = self.proto.by_type[of]
        if is_inline and value.isidentifier() and message.is_struct and self._is_flat(message):
            return self.dict_of(message, value, from_models=from_models)
        return f"dict_of_{message.name.lower()}{'_from_models' if from_models else ''}({value})"

    def _is_flat(self, message: Any) -> bool:
        """Whether a message is made of numbers and strings, and lists of them."""
        return all(self._is_same(field.item) for field in message.fields)

    # to values

    def plain(self, message: Any, value: str) -> str:
        """The plain value of a message, as an expression; the message is a variable."""
        of = message.of
        fields = [self._plain_field(field, value) for field in message.fields]
        if message.is_struct:
            names = [python_literal(field.name) for field in self._types.structs[of.name].fields]
            return "{" + ", ".join(f"{name}: {field}" for name, field in zip(names, fields, strict=True)) + "}"
        if isinstance(of, TupleOf):
            return f"({', '.join(fields)})"
        return f"[{', '.join(fields)}]" if _by_element(message) else fields[0]

    def _plain_field(self, field: Any, message: str) -> str:
        value = f"{message}.{field.name}"
        one = self._plain_value(field.item, "item")
        match field.label:
            case "repeated":
                return f"list({value})" if one == "item" else f"[{one} for item in {value}]"
            case "map":
                return f"dict({value})" if one == "item" else f"{{key: {one} for key, item in {value}.items()}}"
            case "optional":
                inner = self._plain_value(field.item, value)
                return f"{inner} if {message}.HasField({python_literal(field.name)}) else None"
        return self._plain_value(field.item, value)

    def _plain_value(self, of: Type, value: str) -> str:
        if self._is_same(of):
            return value
        if isinstance(of, Scalar):
            return f'int.from_bytes({value}, "little"{", signed=True" if of.name == "i128" else ""})'
        if protobuf.is_octets(of):
            return f"list({value})"
        if enum := self._types.enum(of):
            return f"{self.variants(enum)}[{value}]"
        message = self.proto.by_type[of]
        if value.isidentifier() and message.is_struct and self._is_flat(message):
            return self.plain(message, value)
        return f"plain_{message.name.lower()}({value})"


def _by_element(message: Any) -> bool:
    """Whether a message has a field for each element of a tuple or a short array."""
    return isinstance(message.of, TupleOf) or (isinstance(message.of, ArrayOf) and message.fields[0].name == "item_0")


def _has_map(of: Type) -> bool:
    return isinstance(of, MapOf) or any(map(_has_map, parts(of)))
