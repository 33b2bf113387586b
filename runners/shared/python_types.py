"""Message types in Python: what the generators of models, of typed structs and of messages have in common."""

from collections.abc import Callable

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.names import Names
from bench.types.type_set import FieldType, MessageType, StructType, TypeSet

LANGUAGE = "python"


class PythonTypes:
    """The types of a set that Python measures, and how they are annotated."""

    def __init__(self, types: TypeSet, names: Names, bytes_name: str, sized: Callable[[int], str]) -> None:
        self.types, self.names = types.in_memory(LANGUAGE), names
        self._bytes, self._sized = bytes_name, sized

    def default(self, field: FieldType) -> str:
        """What follows the annotation of a field that may be left out."""
        if field.default is not None:
            return f" = {field.default!r}"
        return " = None" if field.is_option else ""

    def annotation(self, of: Type) -> str:
        """A type as Python annotates it; f32 is a float, every integer an int, an enumeration the names of variants."""
        match of:
            case Scalar("bool"):
                return "bool"
            case Scalar("bytes"):
                return self._bytes
            case Scalar("string"):
                return "str"
            case Scalar(name):
                return "float" if name.startswith("f") else "int"
            case Named(name):
                return self.names.type(name)
            case ListOf(item):
                return f"list[{self.annotation(item)}]"
            case ArrayOf(item, length):
                return f"typing.Annotated[list[{self.annotation(item)}], {self._sized(length)}]"
            case MapOf(value):
                return f"dict[str, {self.annotation(value)}]"
            case OptionOf(item):
                return f"{self.annotation(item)} | None"
            case TupleOf(items):
                return f"tuple[{', '.join(map(self.annotation, items))}]"

    def aliases(self, struct: StructType) -> dict[str, str]:
        """Identifier → name of the fields whose name is no identifier."""
        identifiers = {self.names.field(struct, field): field.name for field in struct.fields}
        return {identifier: name for identifier, name in identifiers.items() if identifier != name}

    def structs_of(self, message: MessageType) -> list[StructType]:
        """The structs that a message is made of, parts first."""
        names = self.types.reachable(message.type)
        return [self.types.structs[name] for name in names if name in self.types.structs]
