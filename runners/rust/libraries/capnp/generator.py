"""Cap'n Proto: the schema, the request that its compiler makes of it, and the conversion of plain types and structs."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from bench.types.expressions import ArrayOf, ListOf, MapOf, Scalar, TupleOf, Type
from bench.types.generation import shared
from bench.types.names import Names
from bench.types.type_set import TypeSet

mapping = shared("capnp")
compiler = shared("capnp_compiler")
rust = shared("rust_types")

KEYWORDS = frozenset(
    [
        *("abstract", "alignof", "as", "async", "await", "become", "box", "break", "const", "continue", "crate"),
        *("do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in", "let", "loop"),
        *("macro", "match", "mod", "move", "mut", "offsetof", "override", "priv", "proc", "pub", "pure", "ref"),
        *("return", "self", "Self", "sizeof", "static", "struct", "super", "trait", "true", "try", "type"),
        *("typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield"),
    ]
)
"""Words to which capnpc appends an underscore where a module would have such a name."""


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": rust, "capnp": CapnProto(types, names)}


def finish(folder: Path, types: TypeSet) -> Iterator[Path]:
    """Has the schema compiled to a request, of which the library's build script generates code."""
    yield compiler.request(folder / "types.capnp", folder / "types.request")


def snake_case(camel: str) -> str:
    """As capnpc makes names of functions: `walkSpeed` → `walk_speed`."""
    return "".join(f"_{one.lower()}" if one.isupper() and index else one.lower() for index, one in enumerate(camel))


def module(camel: str) -> str:
    """The name of the module of a struct or a group."""
    name = snake_case(camel)
    return f"{name}_" if name in KEYWORDS else name


class CapnProto:
    """The conversions of a set."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        self.schema = mapping.schema(types, names)
        self.module, self.snake_case = module, snake_case

    def plain(self, struct: Any) -> str:
        """The plain type of a struct; of a map's entry it has none."""
        text: str = rust.plain_type(struct.of, self._names)
        return text

    def structs(self) -> list[Any]:
        """All but the entries of maps, which are converted where the map is."""
        return list(self.schema.by_type.values())

    def variants(self, enum: Any) -> list[tuple[str, str]]:
        """Plain name and generated name of an enum's variants."""
        ordered = sorted(enum.of.variants, key=lambda variant: variant.value)
        pairs = zip(ordered, enum.enumerants, strict=True)
        return [(self._names.variant(enum.of, variant), name[0].upper() + name[1:]) for variant, name in pairs]

    def write(self, struct: Any) -> list[str]:
        """The statements that fill a struct's `builder` of the value `plain`."""
        places = self._places(struct)
        return [self._set(one.form, one.of, place, "builder", one.name) for one, place in places]

    def read(self, struct: Any) -> str:
        """The plain value of a struct's `reader`."""
        values = [self._value(one.form, one.of, "reader", one.name, (struct.name,)) for one in struct.members]
        return self._made(struct.of, values)

    def look(self, struct: Any) -> list[str]:
        """The statements that look at a struct's fields in place."""
        if struct.of in mapping.WIDE:
            return [f"looked.at(&({self.read(struct)}));"]
        return [self._look(one.form, one.of, "reader", one.name, (struct.name,)) for one in struct.members]

    def look_at_named(self, message: Any) -> str:
        """The statements that look at the fields that a scenario names, and at the lengths of lists that hold them."""
        return self._look_at_named(message.type, "reader", message.named)

    def root(self, message: Any) -> Any:
        """The struct that stands for a message."""
        return self.schema.by_type[message.type]

    def _places(self, struct: Any) -> list[tuple[Any, str]]:
        """The fields with the place of each in the plain value."""
        if defined := self._types.struct(struct.of):
            places = [f"plain.{self._names.field(defined, field)}" for field in defined.fields]
        else:
            places = _parts(struct.of, "(*plain)")
        return list(zip(struct.members, places, strict=True))

    def _made(self, of: Type, values: list[str]) -> str:
        if struct := self._types.struct(of):
            pairs = zip(struct.fields, values, strict=True)
            inner = ", ".join(f"{self._names.field(struct, field)}: {value}" for field, value in pairs)
            return f"plain::{self._names.type(struct.name)} {{ {inner} }}"
        return _composed(of, values)

    # writing

    def _set(self, form: Any, of: Type, place: str, builder: str, name: str) -> str:
        """The statement that sets a field, of the place of its value."""
        setter, init = f"{builder}.set_{snake_case(name)}", f"{builder}.reborrow().init_{snake_case(name)}("
        match form:
            case mapping.Group(members):
                inner = " ".join(
                    self._set(one.form, one.of, part, "group", one.name)
                    for one, part in zip(members, _parts(of, place), strict=True)
                )
                return f"{{ let mut group = {init}); {inner} }}"
            case mapping.Union(some):
                inner = self._set(some, of.item, "(*item)", "option", "some")
                opened = f"let mut option = {init});"
                return f"{{ {opened} match &{place} {{ Some(item) => {{ {inner} }} None => option.set_none(()) }} }}"
            case mapping.Null(some):
                return f"if let Some(item) = &{place} {{ {self._set(some, of.item, '(*item)', builder, name)} }}"
            case mapping.Many():
                return self._fill(form, of, place, init)
            case mapping.Reference(struct):
                return f"build_{snake_case(struct)}(&{place}, {init}));"
        return f"{setter}({self._given(form, of, place)});"

    def _fill(self, form: Any, of: Type, place: str, init: str) -> str:
        """The statement that fills a list, which `init` and its length open."""
        if isinstance(of, MapOf):
            member = self.schema.entries[of].members[1]
            value = self._set(member.form, of.value, "(*value)", "entry", "value")
            inner = f"let mut entry = list.reborrow().get(index); entry.set_key(key.as_str()); {value}"
            return _filled(init, place, "(key, value)", inner)
        match form.item:
            case mapping.Many():
                inner = self._fill(form.item, of.item, "(*item)", "list.reborrow().init(index, ")
            case mapping.Reference(struct):
                inner = f"build_{snake_case(struct)}(item, list.reborrow().get(index));"
            case _:
                inner = f"list.set(index, {self._given(form.item, of.item, '(*item)')});"
        return _filled(init, place, "item", inner)

    def _given(self, form: Any, of: Type, place: str) -> str:
        """What a setter takes of a number, an enumeration, a text or bytes."""
        match form:
            case mapping.Text():
                return f"{place}.as_str()"
            case mapping.Data():
                return f"&{place}[..]"
            case mapping.Enumerated(name):
                return f"enum_{snake_case(name)}({place})"
        enum = self._types.enum(of)
        return f"{place} as {enum.repr}" if enum else place

    # reading

    def _value(self, form: Any, of: Type, reader: str, name: str, path: tuple[str, ...]) -> str:
        """The plain value of a field; `path`: the struct and the groups around it."""
        if isinstance(form, mapping.Null):
            inner = self._value(form.some, of.item, reader, name, path)
            return f"if {reader}.has_{snake_case(name)}() {{ Some({inner}) }} else {{ None }}"
        return self._read(form, of, f"{reader}.get_{snake_case(name)}()", (*path, name))

    def _read(self, form: Any, of: Type, got: str, path: tuple[str, ...]) -> str:
        """The plain value of what a getter, a union or a list gave."""
        match form:
            case mapping.Group(members):
                values = [self._value(one.form, one.of, "group", one.name, path) for one in members]
                return f"{{ let group = {got}; {_composed(of, values)} }}"
            case mapping.Union(some):
                within, value = self._tables(path), self._read(some, of.item, "item", (*path, "some"))
                return f"match {got}.which()? {{ {within}::None(()) => None, {within}::Some(item) => Some({value}) }}"
            case mapping.Many(item):
                return self._collected(item, of, f"{got}?")
            case mapping.Reference(struct):
                return f"read_{snake_case(struct)}({got}?)?"
            case mapping.Text():
                return f"{got}?.to_string()?"
            case mapping.Data():
                return f"octets({got}?)?" if isinstance(of, ArrayOf) else f"{got}?.to_vec()"
            case mapping.Enumerated(name):
                return f"plain_{snake_case(name)}({got}?)"
        enum = self._types.enum(of)
        return f"plain::{self._names.type(enum.name)}::try_from({got})?" if enum else got

    def _collected(self, item: Any, of: Type, items: str) -> str:
        """The plain value of a list."""
        if isinstance(of, MapOf):
            member = self.schema.entries[of].members[1]
            value = self._value(member.form, of.value, "entry", "value", (item.name,))
            pair = f"(entry.get_key()?.to_string()?, {value})"
            return _collected(items, "entry", pair, "BTreeMap<_, _>")
        match item:
            case mapping.Number() if not self._types.enum(of.item):
                collected = f"{items}.iter().collect::<Vec<_>>()"
            case mapping.Reference(struct):
                collected = f"{items}.iter().map(read_{snake_case(struct)}).collect::<Result<Vec<_>, _>>()?"
            case _:
                value = self._read(item, of.item, "item", ())
                collected = _collected(items, "item", value, "Vec<_>")
        return f"exactly({collected})?" if isinstance(of, ArrayOf) else collected

    # looking

    def _look(self, form: Any, of: Type, reader: str, name: str, path: tuple[str, ...]) -> str:
        """The statements that look at a field."""
        if isinstance(form, mapping.Null):
            inner = self._look(form.some, of.item, reader, name, path)
            return f"looked.at(&{reader}.has_{snake_case(name)}()); if {reader}.has_{snake_case(name)}() {{ {inner} }}"
        return self._look_at(form, of, f"{reader}.get_{snake_case(name)}()", (*path, name))

    def _look_at(self, form: Any, of: Type, got: str, path: tuple[str, ...]) -> str:
        """The statements that look at what a getter, a union or a list gave."""
        match form:
            case mapping.Group(members) if isinstance(of, TupleOf):
                inner = " ".join(self._look(one.form, one.of, "group", one.name, path) for one in members)
                return f"{{ let group = {got}; {inner} }}"
            case mapping.Group():
                return f"looked.at(&{self._read(form, of, got, path)});"
            case mapping.Union(some):
                within, inner = self._tables(path), self._look_at(some, of.item, "item", (*path, "some"))
                return (
                    f"match {got}.which()? {{ {within}::None(()) => looked.at(&false), "
                    f"{within}::Some(item) => {{ looked.at(&true); {inner} }} }}"
                )
            case mapping.Many() if mapping.is_octets(of):
                return f"{{ let items = {got}?; looked.at(&Octets(items.as_slice().ok_or(NO_OCTETS)?)); }}"
            case mapping.Many(item):
                return _each(f"{got}?", self._look_at_item(item, of))
            case mapping.Reference(struct):
                return f"look_at_{snake_case(struct)}({got}?, looked)?;"
            case mapping.Text():
                return f"looked.at({got}?.to_str()?);"
            case mapping.Data():
                return f"looked.at(&Octets({got}?));"
            case mapping.Enumerated():
                return f"looked.at(&({got}? as u16));"
        return f"looked.at(&{got});"

    def _look_at_item(self, item: Any, of: Type) -> str:
        if isinstance(of, MapOf):
            member = self.schema.entries[of].members[1]
            value = self._look(member.form, of.value, "item", "value", (item.name,))
            return f"looked.at(item.get_key()?.to_str()?); {value}"
        if isinstance(item, mapping.Reference):
            return f"look_at_{snake_case(item.name)}(item, looked)?;"
        return self._look_at(item, of.item, "item", ())

    def _look_at_named(self, of: Type, reader: str, named: Mapping[str, Any]) -> str:
        struct = self._types.struct(of)
        if not struct:  # a message around a list
            return self._look_in(self.schema.by_type[of].members[0], of, reader, named)
        members = self.schema.by_type[of].members
        fields = [field for field in struct.fields if field.name in named]
        return " ".join(self._look_in(members[one.index], one.type, reader, named[one.name]) for one in fields)

    def _look_in(self, member: Any, of: Type, reader: str, named: Mapping[str, Any]) -> str:
        """The statements that look at what is named within a field."""
        got = f"{reader}.get_{snake_case(member.name)}()"
        if not named:
            return self._look(member.form, of, reader, member.name, (self._owner(member),))
        if isinstance(of, ListOf | ArrayOf):
            return _each(f"{got}?", self._look_at_named(of.item, "item", named))
        return f"{{ let inner = {got}?; {self._look_at_named(of, 'inner', named)} }}"

    def _owner(self, member: Any) -> str:
        """The name of the struct that a field is in."""
        return next(str(struct.name) for struct in self.schema.structs if any(one is member for one in struct.members))

    @staticmethod
    def _tables(path: tuple[str, ...]) -> str:
        """The module of a group."""
        return "::".join(chain(["tables"], map(module, path)))


def _parts(of: Type, place: str) -> list[str]:
    """The places of what a struct around a type holds, or the group of a tuple or of 128 bits."""
    if isinstance(of, TupleOf):
        return [f"{place}.{index}" for index in range(len(of.items))]
    if of == Scalar("u128"):
        return [f"{place} as u64", f"({place} >> 64) as u64"]
    if of == Scalar("i128"):
        return [f"{place} as u64", f"({place} >> 64) as i64"]
    return [place]


def _composed(of: Type, values: list[str]) -> str:
    """The plain value of the parts."""
    if isinstance(of, TupleOf):
        return f"({', '.join(values)})"
    if of in (Scalar("u128"), Scalar("i128")):
        low, high = values
        return f"{of}::from({high}) << 64 | {of}::from({low})"
    return values[0]


def _each(items: str, statements: str) -> str:
    return f"{{ let items = {items}; looked.add(items.len().into()); for item in items {{ {statements} }} }}"


def _filled(init: str, place: str, item: str, statements: str) -> str:
    """The statement that opens a list and fills it."""
    opened = f"let mut list = {init}length({place}.len()));"
    return f"{{ {opened} for (index, {item}) in (0..).zip(&{place}) {{ {statements} }} }}"


def _collected(items: str, item: str, value: str, collection: str) -> str:
    """What is made of each item of a list."""
    made = f"{items}.iter().map(|{item}| -> Result<_, Failure> {{ Ok({value}) }})"
    return f"{made}.collect::<Result<{collection}, _>>()?"
