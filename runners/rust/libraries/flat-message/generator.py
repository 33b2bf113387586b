"""FlatMessage's derives: messages, their borrowed forms, and the conversion from and into plain types.

FlatMessage has lists of scalars and strings alone, so that a list of lists is one list of all elements, beside a list
of lengths where these differ. Structs with a field that it cannot hold are left out, and messages of them.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bench.types.expressions import ArrayOf, ListOf, Named, OptionOf, Scalar, Type
from bench.types.generation import shared
from bench.types.names import Names, distinct
from bench.types.type_set import FieldType, MessageType, StructType, TypeSet

rust = shared("rust_types")

LIBRARY = "flat-message"
TAKEN = frozenset(
    [
        *("Config", "ConfigBuilder", "Error", "FlatMessage", "Name", "SerDe", "SerDeSlice", "SerDeVec", "SerDeVecType"),
        *("Storage", "StorageRef", "StructureInformation", "DataFormat", "FlagsSupport", "Timestamp", "UniqueID"),
        *("FlatMessageOwned", "FlatMessageCopy", "FlatMessageStruct", "FlatMessageEnum", "FlatMessageFlags"),
        *("FlatMessageVariant", "FlatMessagePacked"),
    ]
)
"""Names that the code of the derives takes from the crate, and which a struct's may not be."""

MOST_FIELDS = 63
"""Of a struct within another, whose number of fields has six bits."""

BYTES, U8 = Scalar("bytes"), Scalar("u8")


class Level(Struct, frozen=True):
    """A level of lists within a list: its lengths are in a field of their own, or all are the same."""

    lengths: str | None
    """The field; None of arrays."""
    length: int = 0


class FlatField(Struct, frozen=True):
    """A field: a value, or all elements of nested lists."""

    name: str
    of: Type
    place: str
    """In the plain value."""
    levels: tuple[Level, ...] = ()
    """The lists within the list, from the outside in."""
    leaf: Type | None = None
    """What the list holds in the end; None where there is no list."""
    default: str | None = None
    """What stands for a scalar that is left out."""

    @property
    def is_option(self) -> bool:
        """Whether it may be missing."""
        return isinstance(self.of, OptionOf)

    @property
    def inner(self) -> Type:
        """The type, or that of an option's value."""
        return self.of.item if isinstance(self.of, OptionOf) else self.of


class FlatStruct(Struct, frozen=True):
    """A struct with its derive."""

    name: str
    plain: str
    """Its plain type."""
    fields: tuple[FlatField, ...]
    is_root: bool
    stores_name: bool
    is_list: bool = False
    """Whether it is a message around something else than a struct."""
    borrows: bool = False
    """Whether it has a borrowed form, in another module: of the same name, by which a nested struct is recognized."""

    @property
    def form(self) -> str:
        """The form that is read in place."""
        return f"borrowed::{self.name}" if self.borrows else f"messages::{self.name}"


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": rust, "flat": Flat(types, names)}


class Flat:
    """The structs of a set that FlatMessage can hold."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self._taken: set[str] = {name.lower() for name in TAKEN}
        self._free_names = {name: self._free(names.type(name)) for name in [*types.enums, *types.structs]}
        self.left_out = [struct for struct in types.structs.values() if not self._takes(Named(struct.name))]
        self.messages = [message for message in rust.in_memory(types) if self._takes_message(message)]
        roots = {message.struct_name for message in self.messages}
        nested = self._nested()
        self.enums = list(types.enums.values())
        self.parts: dict[str, FlatStruct] = {}
        for name in types.structs:
            if name in nested:
                own = self._free(f"{names.type(name)}Part") if name in roots else self._free_names[name]
                self.parts[name] = self._struct(types.structs[name], own, is_root=False)
        self.roots = {message.type: self._root(message) for message in self.messages}

    def enum(self, name: str) -> str:
        """The name of an enumeration."""
        return self._free_names[name]

    def structs(self) -> list[FlatStruct]:
        """All structs, parts first."""
        return [*self.parts.values(), *self.roots.values()]

    def root(self, message: MessageType) -> FlatStruct:
        """The struct of a message."""
        return self.roots[message.type]

    def attribute(self, field: FlatField) -> str | None:
        """What the derive is told of a field."""
        if field.default is not None:
            return f"mandatory = false, default = {field.default}"
        kind = field.leaf or field.inner
        if enum := self._types.enum(kind):
            return f"repr = {enum.repr}, kind = enum"
        if self._types.struct(kind):
            return f"kind = struct, align = {self._alignment(kind)}"
        return None

    def type(self, field: FlatField, *, borrowed: bool = False) -> str:
        """The Rust type of a field."""
        one = self._one(field.leaf or field.inner, borrowed)
        if field.leaf:
            text_or_value = f"Vec<{one}>" if one == "&'a str" or not borrowed else f"&'a [{one}]"
            one = text_or_value
        return f"Option<{one}>" if field.is_option else one

    def lengths_type(self, *, borrowed: bool = False) -> str:
        """The type of a field with lengths."""
        return "&'a [u32]" if borrowed else "Vec<u32>"

    def build(self, field: FlatField) -> str:
        """A field's value, of a plain one."""
        if field.is_option:
            if self._is_copy(field.inner):
                return field.place
            return f"{field.place}.as_ref().map(|one| {self._write(field, 'one', borrowed=True)})"
        return self._write(field, field.place, borrowed=False)

    def build_lengths(self, field: FlatField, index: int) -> str:
        """The lengths of a level."""
        flatten = ".flatten()" * (index + (1 if field.is_option else 0))
        return f"{field.place}.iter(){flatten}.map(|one| one.len() as u32).collect()"

    def read(self, field: FlatField, *, borrowed: bool = False) -> str:
        """The plain value of a field of `message`."""
        value = f"message.{field.name}"
        if field.is_option:
            return (
                f"{value}.map(|one| -> Result<_, Failure> {{ Ok({self._read(field, 'one', borrowed)}) }}).transpose()?"
            )
        return self._read(field, value, borrowed)

    def look(self, field: FlatField) -> str:
        """The statements that look at a field of `self`."""
        if not field.is_option:
            return self._look(field, f"self.{field.name}")
        inner = self._look(field, "(*one)")
        return f"looked.add(self.{field.name}.is_some().into()); if let Some(one) = &self.{field.name} {{ {inner} }}"

    def _takes_message(self, message: MessageType) -> bool:
        of = message.type
        if self._types.struct(of):
            return self._takes(of)
        return isinstance(of, ListOf | ArrayOf | OptionOf | Scalar) and self._takes(of)

    def _takes(self, of: Type) -> bool:
        """Whether FlatMessage can hold a type as a field."""
        if isinstance(of, OptionOf):
            return self._takes(of.item)
        if isinstance(of, ListOf | ArrayOf):
            return self._takes_element(of.item)
        if struct := self._types.struct(of):
            parts = [field.type.item if isinstance(field.type, OptionOf) else field.type for field in struct.fields]
            crowded = any((part := self._types.struct(of)) and len(part.fields) > MOST_FIELDS for of in parts)
            return not crowded and all(map(self._takes, parts))
        return isinstance(of, Scalar) or self._types.enum(of) is not None

    def _takes_element(self, of: Type) -> bool:
        if isinstance(of, ListOf | ArrayOf):
            return self._takes_element(of.item)
        return isinstance(of, Scalar) or self._types.enum(of) is not None

    def _nested(self) -> set[str]:
        """The structs that are fields of those that messages are made of."""
        found: set[str] = set()

        def visit(struct: StructType) -> None:
            for field in struct.fields:
                inner = field.type.item if isinstance(field.type, OptionOf) else field.type
                if (part := self._types.struct(inner)) and part.name not in found:
                    visit(part)
                    found.add(part.name)

        for message in self.messages:
            if struct := self._types.struct(message.type):
                visit(struct)
        return found

    def _root(self, message: MessageType) -> FlatStruct:
        if struct := self._types.struct(message.type):
            return self._struct(struct, self._free_names[struct.name], is_root=True)
        name = self._free(self._names.words(message.type))
        fields = tuple(self._fields(["values"], [message.type], ["plain.0"]))
        plain = f"plain::{self._names.message(message)}"
        return self._with_borrowed(FlatStruct(name, plain, fields, True, False, is_list=True))

    def _struct(self, struct: StructType, name: str, *, is_root: bool) -> FlatStruct:
        said = struct.attributes.get(LIBRARY, {})
        if any(key != "store-name" or not isinstance(value, bool) for key, value in said.items()):
            raise ValueError(f"struct {struct.name}: {LIBRARY} may have `store-name = true | false`, not {dict(said)}")
        identifiers = [self._names.field(struct, field) for field in struct.fields]
        places = [f"plain.{identifier}" for identifier in identifiers]
        fields = tuple(
            replace(own, default=_default(field)) if field.default is not None else own
            for own, field in zip(
                self._fields(identifiers, [field.type for field in struct.fields], places), struct.fields, strict=True
            )
        )
        plain = f"plain::{self._names.type(struct.name)}"
        return self._with_borrowed(FlatStruct(name, plain, fields, is_root, said.get("store-name", True)))

    def _with_borrowed(self, one: FlatStruct) -> FlatStruct:
        return replace(one, borrows=any(self._borrows(field) for field in one.fields))

    def _fields(self, identifiers: list[str], kinds: list[Type], places: list[str]) -> Iterator[FlatField]:
        taken = list(identifiers)
        for name, of, place in zip(identifiers, kinds, places, strict=True):
            inner = of.item if isinstance(of, OptionOf) else of
            if rust.is_octets(inner) or not isinstance(inner, ListOf | ArrayOf):
                yield FlatField(name, of, place)
                continue
            levels, leaf = [], inner.item
            while isinstance(leaf, ListOf | ArrayOf) and not _is_octet_array(leaf) or leaf == BYTES:
                if isinstance(leaf, ArrayOf):
                    levels.append(Level(None, leaf.length))
                else:
                    taken = distinct([*taken, f"{name}_lengths"], frozenset(), "field_")
                    levels.append(Level(taken[-1]))
                leaf = U8 if leaf == BYTES else leaf.item  # type: ignore[union-attr]
            yield FlatField(name, of, place, tuple(levels), leaf)

    def _free(self, wished: str) -> str:
        name = wished
        while name.lower() in self._taken:
            name += "_"
        self._taken.add(name.lower())
        return name

    def _alignment(self, of: Type) -> int:
        """The alignment of a struct: that of its widest list or struct, and at least that of its hash table."""
        struct = self._types.struct(of)
        assert struct
        return max([4, *(self._alignment_of(field) for field in self._struct_fields(struct))])

    def _struct_fields(self, struct: StructType) -> Iterator[FlatField]:
        identifiers = [field.name for field in struct.fields]
        return self._fields(identifiers, [field.type for field in struct.fields], identifiers)

    def _alignment_of(self, field: FlatField) -> int:
        if self._types.struct(field.inner):
            return self._alignment(field.inner)
        lengths = 4 if any(level.lengths for level in field.levels) else 1
        return max(lengths, self._width(field.leaf)) if field.leaf else 1

    def _width(self, of: Type) -> int:
        enum = self._types.enum(of)
        name = enum.repr if enum else str(of)
        return int(name[1:]) // 8 if name[1:].isdigit() else 1

    def _is_copy(self, of: Type) -> bool:
        return isinstance(of, Scalar) and of.name not in ("string", "bytes")

    def _borrows(self, field: FlatField) -> bool:
        if struct := self._types.struct(field.inner):
            return any(map(self._borrows, self._struct_fields(struct)))
        heap = field.inner in (Scalar("string"), BYTES) or isinstance(field.inner, ListOf)
        return heap or field.leaf is not None

    def _one(self, of: Type, borrowed: bool) -> str:
        outside = "messages::" if borrowed else ""
        if enum := self._types.enum(of):
            return f"{outside}{self.enum(enum.name)}"
        if isinstance(of, Named):
            part = self.parts[of.name]
            return f"{part.name}<'a>" if borrowed and part.borrows else f"{outside}{part.name}"
        if of == Scalar("string"):
            return "&'a str" if borrowed else "String"
        if of == BYTES or (isinstance(of, ListOf) and of.item == U8):
            return "&'a [u8]" if borrowed else "Vec<u8>"
        return f"[u8; {of.length}]" if isinstance(of, ArrayOf) else str(of)

    def _write(self, field: FlatField, value: str, *, borrowed: bool) -> str:
        if field.leaf:
            if not field.levels and isinstance(field.leaf, Scalar):
                return f"{value}.to_vec()"
            convert = ".map(|one| (*one).into())" if self._types.enum(field.leaf) else ".cloned()"
            return f"{value}.iter(){'.flatten()' * len(field.levels)}{convert}.collect()"
        if isinstance(field.inner, Named):
            here = value if borrowed else f"(&{value})"
            return (
                f"(*{value}).into()" if borrowed and self._types.enum(field.inner) else self._named(field, value, here)
            )
        if self._is_copy(field.inner) or isinstance(field.inner, ArrayOf):
            return f"*{value}" if borrowed else value
        return f"{value}.clone()"

    def _named(self, field: FlatField, value: str, here: str) -> str:
        return f"{value}.into()" if self._types.enum(field.inner) else f"{here}.into()"

    def _read(self, field: FlatField, value: str, borrowed: bool) -> str:
        if not field.leaf:
            if isinstance(field.inner, Named):
                return f"{value}.into()" if self._types.enum(field.inner) else f"{value}.try_into()?"
            is_copy = self._is_copy(field.inner) or isinstance(field.inner, ArrayOf)
            return value if is_copy or not borrowed else f"{value}.to_owned()"
        items = self._leaves(field, value, borrowed)
        for level in reversed(field.levels):
            items = f"regroup({items}, &message.{level.lengths})?" if level.lengths else f"arrays({items})?"
        return f"exactly({items})?" if isinstance(field.inner, ArrayOf) else items

    def _leaves(self, field: FlatField, value: str, borrowed: bool) -> str:
        assert field.leaf
        if self._types.enum(field.leaf):
            return f"{value}.iter().map(|one| (*one).into()).collect::<Vec<_>>()"
        if not borrowed:
            return value
        if field.leaf == Scalar("string"):
            return f"{value}.into_iter().map(str::to_owned).collect::<Vec<_>>()"
        return f"{value}.to_vec()"

    def _look(self, field: FlatField, value: str) -> str:
        if not field.leaf:
            is_octets = field.inner == BYTES or rust.is_octets(field.inner)
            return f"looked.at(&Octets({value}.as_ref()));" if is_octets else f"looked.at(&{value});"
        statements, last = [f"let mut count = {value}.len();"], field.levels[-1] if field.levels else None
        is_octets = field.leaf == U8 and last is not None and last.lengths is not None
        if is_octets and last:
            statements.append(f"look_at_octets({value}.as_ref(), &self.{last.lengths}, looked);")
        elif isinstance(field.leaf, ArrayOf):
            statements.append(f"for one in {value}.iter() {{ looked.at(&Octets(one)); }}")
        else:
            statements.append(f"for one in {value}.iter() {{ looked.at(one); }}")
        for level in reversed(field.levels):
            if level.lengths:
                lengths = f"self.{level.lengths}"
                skipped = is_octets and level is last
                statements.append("" if skipped else f"looked.add({lengths}.iter().map(|&one| u64::from(one)).sum());")
                statements.append(f"count = {lengths}.len();")
            else:
                statements.append(f"looked.add(count as u64); count /= {level.length};")
        return f"{{ {' '.join(statements)} looked.add(count as u64); }}"


def _is_octet_array(of: Type) -> bool:
    """Whether a type is an array of bytes, of which FlatMessage has lists."""
    return isinstance(of, ArrayOf) and of.item == U8


def _default(field: FieldType) -> str | None:
    """A number's default, as the derive takes it; others have none."""
    of = field.type
    is_number = isinstance(of, Scalar) and of.name not in ("string", "bytes")
    return str(field.default).lower() if is_number else None
