"""FlatBuffers: the schema, what flatc makes of it, and the conversion between plain types and tables or structs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, Type
from bench.types.generation import shared
from bench.types.names import Names, rust_literal
from bench.types.type_set import TypeSet

flat = shared("flatbuffers")
flatc = shared("flatc")
rust = shared("rust_types")


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": rust, "flat": FlatBuffers(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:
    """Has flatc make the Rust code of the schema."""
    yield flatc.generate(folder / "types.fbs", ["--rust"], folder / "types_generated.rs")


class FlatBuffers:
    """The conversions of a set."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self.schema = flat.schema(types, names)

    def plain(self, of: Type) -> str:
        """A plain type."""
        text: str = rust.plain_type(of, self._names)
        return text

    def parts(self, table: Any) -> list[tuple[Any, str]]:
        """The fields of a table or struct with the place of each in the plain value that it stands for."""
        if table in self.schema.around.values():
            places = ["(*plain)"]
        elif struct := self._types.struct(table.of):
            places = [f"plain.{self._names.field(struct, field)}" for field in struct.fields]
        elif isinstance(table.of, ArrayOf):
            places = [f"plain[{index}]" for index in range(table.of.length)]
        else:
            places = [f"plain.{index}" for index in range(len(table.of.items))]
        return list(zip(table.fields, places, strict=True))

    def made_of(self, table: Any, values: list[str]) -> str:
        """The plain value of a table or struct, of those of its fields."""
        if table in self.schema.around.values():
            return values[0]
        if struct := self._types.struct(table.of):
            pairs = zip(struct.fields, values, strict=True)
            return f"Self::Plain {{ {', '.join(f'{self._names.field(struct, field)}: {v}' for field, v in pairs)} }}"
        return f"[{', '.join(values)}]" if isinstance(table.of, ArrayOf) else f"({', '.join(values)},)"

    def stored(self) -> list[Any]:
        """The tables that stand for a plain type: all but structs, entries of maps and roots around a type's own."""
        entries = [table for of, table in self.schema.by_type.items() if isinstance(of, MapOf)]
        roots = [table for table in self.schema.roots.values() if table.name != self._whole(table).name]
        return [table for table in self.schema.tables if not table.is_struct and table not in entries + roots]

    def inline(self) -> list[Any]:
        """The FlatBuffers structs."""
        return [table for table in self.schema.tables if table.is_struct]

    def is_array(self, table: Any) -> bool:
        """Whether a struct stands for an array, whose length is looked at too."""
        return isinstance(table.of, ArrayOf)

    def whole(self, message: Any) -> Any:
        """The table or struct that stands for a message's type, within the root if that is another one."""
        return self._whole(self.schema.roots[message.type])

    def statement(self, field: Any, place: str, *, some: bool = True) -> str | None:
        """The statement that writes what a field refers to; None of a number, which is stored in the table.

        Without `some`, the offset of what every table has is not made an option.
        """
        of = field.of.item if isinstance(field.of, OptionOf) else field.of
        if self._is_number(of):
            return None
        if isinstance(field.of, OptionOf):
            return f"let {field.name} = {place}.as_ref().map(|item| {self._written(of, 'item')});"
        written = self._written(of, f"(&{place})")
        is_some = some and not self.schema.inline(of)
        return f"let {field.name} = Some({written});" if is_some else f"let {field.name} = {written};"

    def argument(self, field: Any, place: str, *, some: bool = True) -> str:
        """What `create` takes of a field, or `add` without `some`."""
        of = field.of.item if isinstance(field.of, OptionOf) else field.of
        if self.schema.inline(of):
            if isinstance(field.of, OptionOf):
                return f"{field.name}.as_ref()"
            return f"Some(&{field.name})" if some else f"&{field.name}"
        if not self._is_number(of):
            return str(field.name)
        if enum := self._types.enum(of):
            return f"{place}.map(|item| item as {enum.repr})" if field.null else f"{place} as {enum.repr}"
        return place

    def packed(self, field: Any, place: str) -> str:
        """What a struct's `new` takes of a field."""
        return f"&{self._packed(field.of, f'(&{place})')}" if self.schema.inline(field.of) else place

    def read(self, of: Type, value: str) -> str:
        """The plain value of a field's."""
        if isinstance(of, OptionOf):
            if isinstance(of.item, Scalar) and self._is_number(of.item):
                return value
            return f"{value}.map(|item| -> Result<_, Failure> {{ Ok({self.read(of.item, 'item')}) }}).transpose()?"
        if enum := self._types.enum(of):
            return f"plain::{self._names.type(enum.name)}::try_from({value})?"
        if of in (Scalar("u128"), Scalar("i128")):
            return f"{of}::from_le_bytes(octets({value})?)"
        if flat.is_octets(of):
            return f"octets({value})?" if isinstance(of, ArrayOf) else f"{value}.bytes().to_vec()"
        match of:
            case Scalar("string"):
                return f"{value}.to_owned()"
            case Scalar(_):
                return value
            case ListOf(item):
                return self._list(item, value)
            case ArrayOf(item, _):
                return f"exactly({self._list(item, value)})?"
            case MapOf(item):
                pair = f"(entry.name().to_owned(), {self.read(item, 'entry.value()')})"
                return _collected(value, "entry", pair, "BTreeMap<_, _>")
        return f"Inline::read({value})" if self.schema.inline(of) else f"Stored::read({value})?"

    def look(self, of: Type, value: str) -> str:
        """The statements that look at a field's value in place."""
        if isinstance(of, OptionOf):
            inner = f"if let Some(item) = item {{ {self.look(of.item, 'item')} }}"
            return f"{{ let item = {value}; eye.length(item.is_some().into()); {inner} }}"
        if of in (Scalar("u128"), Scalar("i128")):
            return f"eye.wide({value}.bytes());"
        if flat.is_octets(of):
            return f"eye.bytes({value}.bytes());"
        if self._is_number(of):
            return f"eye.number({value});"
        match of:
            case Scalar(_):
                return f"eye.text({value});"
            case ListOf(item) | ArrayOf(item, _):
                return self._each(value, self._look_element(item, "item"))
            case MapOf(item):
                return self._each(value, f"eye.text(item.name()); {self.look(item, 'item.value()')}")
        return f"{'Inline' if self.schema.inline(of) else 'Stored'}::look({value}, eye);"

    def look_at_named(self, of: Type, value: str, named: Mapping[str, Any]) -> str:
        """The statements that look at the fields that a scenario names, and at the lengths of lists that hold them."""
        if not named:
            return self.look(of, value)
        if isinstance(of, ListOf | ArrayOf):
            return self._each(value, self.look_at_named(of.item, "item", named))
        fields = self.schema.by_type[of].fields
        struct = self._types.struct(of)
        return " ".join(
            self.look_at_named(field.type, f"{value}.{fields[field.index].name}()", named[field.name])
            for field in struct.fields
            if field.name in named
        )

    def conditions(self, message: Any, *, sealed: bool | None = None) -> list[str]:
        """What a root must be to be selected: all of it, or that about sealed fields or about the others."""
        struct = self._types.struct(message.type)
        hidden = rust.sealed_fields(struct, self._types) if struct else []
        whole = (
            "root" if self.schema.roots[message.type] is self.whole(message) else f"root.{self.root_field(message)}()"
        )
        each = rust.conditions(message, self._types, self._access, self._literal, whole)
        return [text for field, text in each if sealed is None or (field in hidden) == sealed]

    def root_field(self, message: Any) -> str | None:
        """The only field of a root that is a table around a struct's."""
        root = self.schema.roots[message.type]
        return None if root is self.whole(message) else str(root.fields[0].name)

    def sealed(self, message: Any) -> list[Any]:
        """The fields of a message's table that are encrypted."""
        struct = self._types.struct(message.type)
        assert struct
        table = self.schema.by_type[message.type]
        return [table.fields[field.index] for field in rust.sealed_fields(struct, self._types)]

    def table(self, of: Type) -> Any:
        """The table of a struct."""
        return self.schema.by_type[of]

    def sealed_condition(self, message: Any, field: Any) -> list[str]:
        """What a sealed field must be, as conditions over `opened`."""
        struct = self._types.struct(message.type)
        assert struct
        within = self.schema.by_type[message.type].fields.index(field)
        each = rust.conditions(message, self._types, self._access, self._literal, "root")
        texts = [text for one, text in each if one is struct.fields[within]]
        return [text.replace(f"root.{field.name}()", "opened", 1) for text in texts]

    def _whole(self, root: Any) -> Any:
        return self.schema.by_type[root.of] if self._types.struct(root.of) else root

    def _is_number(self, of: Type) -> bool:
        return self._types.enum(of) is not None or (isinstance(of, Scalar) and of.name in flat.SCALARS)

    def _written(self, of: Type, value: str) -> str:
        """What a table holds of a value, of a reference to it: a struct, or the offset of what is written for it."""
        return self._packed(of, value) if self.schema.inline(of) else self._offset(of, value)

    def _packed(self, of: Type, value: str) -> str:
        """The struct of a value, of a reference to it."""
        return f"<tables::{self.schema.by_type[flat.key(of)].name} as Inline>::pack({value})"

    def _offset(self, of: Type, value: str) -> str:
        """An expression that writes a value, of a reference to it, and gives its offset."""
        if of in (Scalar("u128"), Scalar("i128")):
            return f"builder.create_vector(&{value}.to_le_bytes())"
        if flat.is_octets(of):
            return f"builder.create_vector({value})"
        match of:
            case Scalar(_):
                return f"builder.create_string({value})"
            case ListOf(item) | ArrayOf(item, _):
                if isinstance(item, Scalar) and self._is_number(item):
                    return f"builder.create_vector({value})"
                each = f"{value}.iter().map(|item| {self._element(item)})"
                if self._is_number(item) or self._is_packed(item):
                    return f"builder.create_vector_from_iter({each})"
                return f"{{ let items: Vec<_> = {each}.collect(); builder.create_vector(&items) }}"
            case MapOf():
                each = f"{value}.iter().map(|(name, item)| {self._entry(of)}).collect()"
                return f"{{ let items: Vec<_> = {each}; builder.create_vector(&items) }}"
        return f"<tables::{self.schema.by_type[flat.key(of)].name} as Stored>::build({value}, builder)"

    def _element(self, of: Type) -> str:
        """An element of a vector, of a reference `item` to it."""
        if enum := self._types.enum(of):
            return f"*item as {enum.repr}"
        if self._is_packed(of):
            return self._packed(of, "item")
        if wrapper := self._wrapper(of):
            return f"<tables::{wrapper.name} as Stored>::build(item, builder)"
        return self._offset(of, "item")

    def _entry(self, of: MapOf) -> str:
        table = self.schema.by_type[flat.key(of)]
        field = table.fields[1]
        value = self.statement(field, "(*item)") or ""
        arguments = f"tables::{table.name}Args {{ name: Some(name), value: {self.argument(field, '(*item)')} }}"
        name = "let name = builder.create_string(name);"
        return f"{{ {name} {value} tables::{table.name}::create(builder, &{arguments}) }}"

    def _wrapper(self, of: Type) -> Any | None:
        needs = isinstance(of, ListOf | ArrayOf | MapOf | OptionOf) or flat.is_octets(of)
        return self.schema.around.get(flat.key(of)) if needs and not flat.is_short(of) else None

    def _list(self, item: Type, value: str) -> str:
        if isinstance(item, Scalar) and self._is_number(item):
            return f"{value}.iter().collect::<Vec<_>>()"
        return _collected(value, "item", self._read_element(item), "Vec<_>")

    def _is_packed(self, of: Type) -> bool:
        """Whether an element of a vector is a struct."""
        return flat.is_short(of) or self.schema.inline(of) is not None

    def _read_element(self, of: Type) -> str:
        if self._is_packed(of):
            return "Inline::read(item)"
        return "Stored::read(item)?" if self._wrapper(of) else self.read(of, "item")

    def _look_element(self, of: Type, value: str) -> str:
        if self._is_packed(of):
            return f"Inline::look({value}, eye);"
        return f"Stored::look({value}, eye);" if self._wrapper(of) else self.look(of, value)

    def _each(self, value: str, statements: str) -> str:
        return f"{{ let items = {value}; eye.length(items.len()); for item in items {{ {statements} }} }}"

    def _access(self, value: str, struct: Any, field: Any) -> str:
        if isinstance(field.type, OptionOf | ListOf | ArrayOf | MapOf):
            raise ValueError(f"a filter can't ask for {field.name!r:.80}, which is {field.type}")
        return f"{value}.{self.schema.by_type[Named(struct.name)].fields[field.index].name}()"

    def _literal(self, of: Type, wanted: Any) -> str:
        if enum := self._types.enum(of):
            return next(str(variant.value) for variant in enum.variants if variant.name == wanted)
        return rust_literal(wanted) if isinstance(wanted, str) else str(wanted).lower()


def _collected(values: str, item: str, text: str, collection: str) -> str:
    """What `text` makes of each item, with an error only where it can fail."""
    if "?" in text:
        return f"{values}.iter().map(|{item}| Ok({text})).collect::<Result<{collection}, Failure>>()?"
    return f"{values}.iter().map(|{item}| {text}).collect::<{collection}>()"
