"""What the template of the plain types calls: types as Rust has them, and what serde is told of their fields."""

from collections.abc import Iterator
from typing import Any

from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.features import features
from bench.types.names import Names, rust_literal
from bench.types.type_set import FieldType, FilterOf, MessageType, StructType, TypeSet, Use

SERDE, SEQUENCE = "serde", {"octets": "sequence"}
"""An attribute of a list of bytes: serde's derive writes and reads its elements one by one, where `forms` does not."""
STRING, OCTET, BYTES = Scalar("string"), Scalar("u8"), Scalar("bytes")
HEAP = (STRING, BYTES)
FLOATS = (Scalar("f32"), Scalar("f64"))
WIDE = (Scalar("u128"), Scalar("i128"))
LONGEST_DERIVED = 32
"""Elements of an array that serde and Default have implementations for."""
LONGEST_TUPLE = 12
"""Elements of a tuple that the standard library has implementations for."""


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the template calls beside `types` and `names`."""
    return {"rust": Rust(types, names)}


class Rust:
    """The types of a set in Rust; `borrowed` types hold texts and bytes of the encoded message."""

    def __init__(self, types: TypeSet, names: Names, text: str = "Cow<'a, str>", octets: str = "Cow<'a, [u8]>") -> None:
        self.types, self.names = types, names
        self._text, self._octets = text, octets
        self._defined = Defined(types.structs, types.enums)
        taken = {names.type(name) for name in (*types.structs, *types.enums)} | {
            names.message(message) for message in types.messages
        }
        self._borrowed = {name: _free(f"{name}Ref", taken) for name in sorted(taken)}

    def type(self, of: Type, borrowed: bool = False) -> str:
        """A type of values. Raises ValueError for a tuple that the standard library has no implementations for."""
        match of:
            case Scalar("string"):
                return self._text if borrowed else "String"
            case Scalar("bytes") | ListOf(Scalar("u8")):
                return self._octets if borrowed else "Vec<u8>"
            case Scalar(name):
                return name
            case ListOf(item):
                return f"Vec<{self.type(item, borrowed)}>"
            case ArrayOf(item, length):
                return f"[{self.type(item, borrowed)}; {length}]"
            case MapOf(value):
                return f"BTreeMap<{self.type(STRING, borrowed)}, {self.type(value, borrowed)}>"
            case OptionOf(item):
                return f"Option<{self.type(item, borrowed)}>"
            case TupleOf(items):
                if len(items) > LONGEST_TUPLE:
                    raise ValueError(f"Rust's tuples have at most {LONGEST_TUPLE} elements; this one has {len(items)}")
                return f"({', '.join(self.type(item, borrowed) for item in items)})"
        return self.named(of.name, borrowed)

    def named(self, name: str, borrowed: bool = False) -> str:
        """A struct or an enumeration by the name in its file."""
        identifier = self.names.type(name)
        return f"{self.borrowed_name(identifier)}<'a>" if borrowed and self.borrows(Named(name)) else identifier

    def borrowed_name(self, identifier: str) -> str:
        """The name of the borrowed form of a struct or a message."""
        return self._borrowed[identifier]

    def borrows(self, of: Type) -> bool:
        """Whether there are texts or bytes in a type, so that it has a borrowed form."""
        return any(one in HEAP or isinstance(one, MapOf) or one == ListOf(OCTET) for one in self._all(of, formed=True))

    def attribute(self, of: Type, borrowed: bool = False, default: str | None = None) -> str | None:
        """What serde is told of a field beside its name; None where it needs no more than the type.

        `default` is the function that gives what stands for a field that a format left out.
        """
        form = None if of == STRING else self.form(of, borrowed)
        given = [f'with = "forms::As::<{form}>"'] if form else []
        if default:
            given.append(f'default = "{default}"')
        if form and isinstance(of, OptionOf):
            given.append("default")  # where a format leaves out what is missing, as serde has it by itself
        if borrowed and self.borrows(of):
            given.append("borrow")
        return ", ".join(given) or None

    def form(self, of: Type, borrowed: bool = False) -> str | None:
        """How serde has a type, in the words of `forms`; None where it is as serde has it."""
        match of:
            case Scalar("string"):
                return "forms::Text" if borrowed else None
            case Scalar("bytes"):
                return "forms::Base64"
            case ListOf(Scalar("u8")) | ArrayOf(Scalar("u8"), _):
                return "forms::Octets"
            case Scalar(_):
                return "forms::Digits" if of in WIDE else None
            case ListOf(item):
                return _around("Vec<{}>", self.form(item, borrowed))
            case ArrayOf(item, length):
                inner = self.form(item, borrowed)
                return _around(f"[{{}}; {length}]", inner or ("forms::Same" if length > LONGEST_DERIVED else None))
            case MapOf(value):
                inner = self.form(value, borrowed)
                if borrowed or inner:
                    key = "forms::Text" if borrowed else "forms::Same"
                    return f"BTreeMap<{key}, {inner or 'forms::Same'}>"
                return None
            case OptionOf(item):
                return _around("Option<{}>", self.form(item, borrowed))
            case TupleOf(items):
                forms = [self.form(item, borrowed) for item in items]
                return f"({', '.join(form or 'forms::Same' for form in forms)})" if any(forms) else None
        return None

    def serde(
        self, name: str, identifier: str, of: Type | None = None, borrowed: bool = False, *, default: str | None = None
    ) -> str:
        """The attribute of a field or a variant, or nothing."""
        rename = f"rename = {rust_literal(name)}" if name != identifier else None
        given = [one for one in (rename, of and self.attribute(of, borrowed, default)) if one]
        return f"#[serde({', '.join(given)})]" if given else ""

    def formed(self, struct: StructType, field: FieldType) -> Type | None:
        """The type of a field whose form may be one of `forms`; None where its struct asks for serde's own.

        Raises ValueError for an attribute that is not known, and for a field that is no list of bytes.
        """
        asked = field.attributes.get(SERDE)
        if asked is None:
            return field.type
        if asked != SEQUENCE or field.type != ListOf(OCTET):
            known = f"a list of bytes may have {SEQUENCE}"
            raise ValueError(f"struct {struct.name}, field {field.name!r:.80}: {SERDE} = {dict(asked)}: {known}")
        return None

    def serialized(self, name: str, identifier: str, of: Type | None) -> str:
        """The attribute of a field that is serialized only, in the form of the owned type."""
        form = of and self.form(of)
        rename = f"rename = {rust_literal(name)}" if name != identifier else None
        given = [one for one in (rename, form and f'serialize_with = "forms::As::<{form}>::serialize"') if one]
        return f"#[serde({', '.join(given)})]" if given else ""

    def derives_default(self, struct: StructType) -> bool:
        """Whether the fields' defaults are all in the standard library."""
        return not any(self.default(field.type) for field in struct.fields)

    def defaults(self, struct: StructType) -> dict[str, str]:
        """The fields that a type file gives a default: identifier → an expression of it."""
        return {
            self.names.field(struct, field): default_value(field, self.types, self.names)
            for field in struct.fields
            if field.default is not None
        }

    def is_copy(self, struct: StructType) -> bool:
        """Whether a struct has nothing on the heap."""
        return not any(
            one in HEAP or isinstance(one, ListOf | MapOf) for field in struct.fields for one in self._all(field.type)
        )

    def default(self, of: Type) -> str | None:
        """The default of a type that has none in the standard library."""
        match of:
            case ArrayOf(item, length) if length > LONGEST_DERIVED or self.default(item):
                return f"std::array::from_fn(|_| {self.default(item) or 'Default::default()'})"
            case TupleOf(items) if any(self.default(item) for item in items):
                return f"({', '.join(self.default(item) or 'Default::default()' for item in items)})"
        return None

    def look(self, of: Type, value: str, reference: str | None = None) -> str:
        """The statement that looks at a value; `reference` is an expression of a reference to it, if not `&value`."""
        shared = reference or f"&{value}"
        match of:
            case Scalar("bytes") | ListOf(Scalar("u8")) | ArrayOf(Scalar("u8"), _):
                return f"looked.at(&wirelab_kit::Octets({shared}));"
            case ListOf(item) | ArrayOf(item, _) if self._has_octets(item):
                return f"looked.add({value}.len() as u64); for one in {shared} {{ {self.look(item, 'one', 'one')} }}"
            case MapOf(item) if self._has_octets(item):
                each = f"for (key, one) in {shared} {{ looked.at(key); {self.look(item, 'one', 'one')} }}"
                return f"looked.add({value}.len() as u64); {each}"
            case OptionOf(item) if self._has_octets(item):
                some = f"if let Some(one) = {shared} {{ {self.look(item, 'one', 'one')} }}"
                return f"looked.add({value}.is_some().into()); {some}"
            case TupleOf(items) if self._has_octets(of):
                return " ".join(self.look(item, f"{value}.{index}") for index, item in enumerate(items))
        return f"looked.at({shared});"

    def features(self, message: MessageType) -> str:
        """What a message's type has that not every library can take, as elements of an array."""
        return ", ".join(rust_literal(name) for name in sorted(features(message.type, self._defined)))

    def singles(self) -> list[MessageType]:
        """The messages that are encoded one by one."""
        return [message for message in self.types.messages if any(not use.files for use in message.uses)]

    def rows(self, *, encrypted: bool = False) -> list[MessageType]:
        """The messages that are rows of files."""
        return [
            message
            for message in self.types.messages
            if any(use.files and use.encrypted == encrypted for use in message.uses)
        ]

    def is_list(self, message: MessageType) -> bool:
        """Whether a message is a list, or anything else that is no struct."""
        return message.struct_name is None

    def item(self, message: MessageType) -> str | None:
        """The number that a message is a list of; None if it is anything else, or its numbers have 128 bits."""
        item = message.type.item if isinstance(message.type, ListOf) else None
        is_number = isinstance(item, Scalar) and item.name[0] in "uif" and item not in (*WIDE, OCTET)
        return self.type(item) if item and is_number else None

    def filtered(self, *, encrypted: bool = False) -> list[MessageType]:
        """The rows of files that scenarios filter."""
        return [message for message in self.rows(encrypted=encrypted) if self.filter(message)]

    def scenarios(self, message: MessageType, *, encrypted: bool = False) -> str:
        """A message's scenarios, as elements of an array."""
        return ", ".join(_scenario(use) for use in message.uses if use.encrypted == encrypted)

    def filter(self, message: MessageType) -> FilterOf | None:
        """Which rows are selected. Raises ValueError where scenarios of one type differ."""
        filters = [use.filter for use in message.uses if use.filter]
        if any(one != filters[0] for one in filters):
            raise ValueError(f"{message.type} is filtered by two rules; give one scenario a type of its own")
        return filters[0] if filters else None

    def conditions(self, message: MessageType) -> str:
        """The filter as an expression over `self`."""
        rows = self.filter(message)
        assert rows
        equal = [self._equal(message, path, value) for path, value in rows.equal.items()]
        contains = [
            f"{self._path(message, path)[0]}.contains({rust_literal(text)})" for path, text in rows.contains.items()
        ]
        return " && ".join([*equal, *contains])

    def _equal(self, message: MessageType, path: tuple[str, ...], value: Any) -> str:
        left, kind = self._path(message, path)
        if enum := self.types.enum(kind):
            variant = next(one for one in enum.variants if one.name == value)
            return f"{left} == {self.names.type(enum.name)}::{self.names.variant(enum, variant)}"
        return f"{left} == {_literal(value)}"

    def _path(self, message: MessageType, path: tuple[str, ...]) -> tuple[str, Type]:
        """A path of fields as an expression, and the type of its last."""
        text, kind = "self", message.type
        for name in path:
            struct = self.types.struct(kind)
            field = next((one for one in struct.fields if one.name == name), None) if struct else None
            if not struct or not field:
                raise ValueError(f"the filter's path {'.'.join(path)!r} leads to no field: {kind} has no {name!r}")
            text, kind = f"{text}.{self.names.field(struct, field)}", field.type
        return text, kind

    def _has_octets(self, of: Type) -> bool:
        """Whether bytes stand in a type outside of the structs that it names."""
        match of:
            case Scalar("bytes") | ListOf(Scalar("u8")) | ArrayOf(Scalar("u8"), _):
                return True
            case ListOf(item) | ArrayOf(item, _) | OptionOf(item) | MapOf(item):
                return self._has_octets(item)
            case TupleOf(items):
                return any(map(self._has_octets, items))
        return False

    def _all(self, of: Type, *, formed: bool = False) -> Iterator[Type]:
        """A type and all that it is made of, the fields of structs too; with `formed` those that `formed` gives."""
        yield of
        match of:
            case ListOf(item) | ArrayOf(item, _) | OptionOf(item) | MapOf(item):
                yield from self._all(item, formed=formed)
            case TupleOf(items):
                for item in items:
                    yield from self._all(item, formed=formed)
            case Named(name) if name in self.types.structs:
                struct = self.types.structs[name]
                for field in struct.fields:
                    if kind := self.formed(struct, field) if formed else field.type:
                        yield from self._all(kind, formed=formed)


def _free(wished: str, taken: set[str]) -> str:
    name, number = wished, 1
    while name in taken:
        number += 1
        name = f"{wished}{number}"
    taken.add(name)
    return name


def _around(form: str, inner: str | None) -> str | None:
    return form.format(inner) if inner else None


def _scenario(use: Use) -> str:
    kind = "exchanged" if not use.measured else "rows" if use.rows else "single"
    more = (".naming()" if use.named else "") + (".updating()" if use.changes else "")
    return f"Scenario::{kind}({rust_literal(use.scenario)}){more}"


def default_value(field: FieldType, types: TypeSet, names: Names) -> str:
    """A field's default as an expression of its owned or borrowed type."""
    of = field.type.item if isinstance(field.type, OptionOf) else field.type
    if enum := types.enum(of):
        variant = next(one for one in enum.variants if one.name == field.default)
        text = f"{names.type(enum.name)}::{names.variant(enum, variant)}"
    elif of in FLOATS:
        text = repr(float(field.default))
    else:
        text = _literal(field.default) + (".into()" if of == STRING else "")
    return f"Some({text})" if isinstance(field.type, OptionOf) else text


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return rust_literal(value) if isinstance(value, str) else str(value)
