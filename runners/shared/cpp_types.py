"""Types of C++: the standard library's, as the plain structs have them."""

from collections.abc import Iterator, Mapping, Sequence

from bench.types.expressions import ArrayOf, ListOf, MapOf, OptionOf, Scalar, TupleOf, Type, parts
from bench.types.names import Names
from bench.types.type_set import TypeSet

SCALARS: Mapping[str, str] = {
    "bool": "bool",
    "f32": "float",
    "f64": "double",
    "string": "std::string",
    "bytes": "std::vector<std::uint8_t>",
    "u128": "unsigned __int128",
    "i128": "__int128",
    **{f"u{bits}": f"std::uint{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"i{bits}": f"std::int{bits}_t" for bits in (8, 16, 32, 64)},
}


def plain(of: Type, names: Names, scalars: Mapping[str, str] = SCALARS, prefix: str = "") -> str:
    """A type as its plain struct has it; `scalars` may name others, `prefix` stands before structs and enumerations."""

    def inner(part: Type) -> str:
        return plain(part, names, scalars, prefix)

    match of:
        case Scalar(name):
            return scalars[name]
        case ListOf(item):
            return f"std::vector<{inner(item)}>"
        case ArrayOf(item, length):
            return f"std::array<{inner(item)}, {length}>"
        case MapOf(value):
            return f"std::map<std::string, {inner(value)}>"
        case OptionOf(item):
            return f"std::optional<{inner(item)}>"
        case TupleOf(items):
            return f"std::tuple<{', '.join(map(inner, items))}>"
    return prefix + names.type(of.name)


def shape(of: Type, names: Names, prefix: str = "") -> str | None:
    """What canonical JSON has to be told of a type that contains bytes, which the plain type shares with `[u8]`."""
    return plain(of, names, {**SCALARS, "bytes": "Base64"}, prefix) if contains_bytes(of) else None


def contains_bytes(of: Type) -> bool:
    """Whether a type has bytes, those within structs aside."""
    return of == Scalar("bytes") or any(map(contains_bytes, parts(of)))


def part_values(
    of: Type, fields: Sequence[object], value: str, types: TypeSet, names: Names, *, is_struct: bool
) -> Iterator[str]:
    """Of a schema's message for a type: the part of the plain value that each of its fields has, as an expression."""
    struct = types.struct(of) if is_struct else None
    for index in range(len(fields)):
        if struct:
            yield f"{value}.{names.field(struct, struct.fields[index])}"
        elif isinstance(of, TupleOf) and len(fields) > 1:
            yield f"std::get<{index}>({value})"
        elif isinstance(of, ArrayOf) and len(fields) > 1:
            yield f"{value}[{index}]"
        else:
            yield value
