"""Identifiers and literals of generated code. What users' data name reaches no code but by this module.

A name from data may be any text: a keyword, empty, `*/`, 10,000 characters. As an identifier it becomes ASCII letters,
digits and underscores, at most 48 of them, and differs from its neighbours'; as itself it stands only in literals whose
every character beyond plain ASCII is escaped.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from msgspec import Struct

from bench.base.files import read_toml
from bench.base.paths import RUNNERS
from bench.model.fields import Version
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type, parts
from bench.types.type_set import EnumType, FieldType, MessageType, StructType, TypeSet, Variant

LONGEST = 48
BORROWED = "Ref"
"""What ends the name of the form of a type that borrows from an encoded message."""

RESERVED = "reserved.toml"
"""The file of words that mean something in a language, in its folder of plain types; libraries may have one more."""


class Reserved(Struct, frozen=True, forbid_unknown_fields=True):
    """Identifiers that generated code must not use, separated by spaces."""

    protocol: Version
    words: str
    """The language's own."""
    known: str = ""
    """Those of the libraries, macros and derives that generated code stands beside."""
    variants: str | None = None
    """Those that no variant of an enumeration may be, if not all."""


@cache
def reserved(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that no identifier of a language may be, and those that no variant may be."""
    folder = RUNNERS / language
    paths = [folder / "messages" / RESERVED, *sorted(folder.glob(f"libraries/*/{RESERVED}"))]
    files = [read_toml(path, Reserved) for path in paths if path.exists()]
    words = frozenset(word for file in files for word in f"{file.words} {file.known}".split())
    variants = [file.variants for file in files if file.variants is not None]
    return words, frozenset(" ".join(variants).split()) if variants else words


def snake_case(text: str) -> str:
    """Words in lower case joined by underscores: `userId`, `User-ID` → `user_id`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text[: 4 * LONGEST])
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:LONGEST].rstrip("_")


def pascal_case(text: str) -> str:
    """Words that begin with a capital: `read-only` → `ReadOnly`."""
    if re.fullmatch(r"[A-Z][A-Za-z0-9]*", text):
        return text[:LONGEST]
    words = re.split(r"[^A-Za-z0-9]+", text[: 4 * LONGEST])
    return "".join(word[:1].upper() + word[1:] for word in words if word)[:LONGEST]


def distinct(identifiers: Iterable[str], reserved: frozenset[str], empty: str) -> list[str]:
    """Identifiers that begin with a letter, are no reserved word and differ from each other.

    They differ whatever their case and underscores: formats derive names from them that have neither.
    """
    taken: set[str] = set()
    result = []
    for wished in identifiers:
        plain = wished if re.match(r"[A-Za-z]", wished) else f"{empty}{wished}".rstrip("_")
        name, number = f"{plain}_" if plain in reserved else plain, 1
        while _bare(name) in taken or name in reserved:
            number += 1
            name = f"{plain.rstrip('_')}_{number}"
        taken.add(_bare(name))
        result.append(name)
    return result


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def numbered(names: Iterable[str]) -> list[str]:
    """Names of which no two are alike but for case and underscores, as compilers of schemas want them: a, a_v2, …"""
    taken: set[str] = set()
    result = []
    for plain in names:
        name, number = plain, 1
        while name.replace("_", "").lower() in taken:
            number += 1
            name = f"{plain}_v{number}"
        taken.add(name.replace("_", "").lower())
        result.append(name)
    return result


class Names:
    """The identifiers of a set's types in one language."""

    def __init__(self, types: TypeSet, language: str) -> None:
        self._types = types
        self._reserved, self._reserved_variants = reserved(language)

    def type(self, name: str) -> str:
        """Of a struct or an enumeration."""
        return self._type_names[name]

    def field(self, struct: StructType, field: FieldType) -> str:
        """Of a field, in snake case."""
        return self._fields[struct.name][field.index]

    def variant(self, enum: EnumType, variant: Variant) -> str:
        """Of an enumeration's variant, in Pascal case."""
        return self._variants[enum.name][variant.name]

    def message(self, message: MessageType) -> str:
        """Of a message: its struct's, or for a list one that says what it is: `ArrayF64`, `ArrayUser`.

        No struct or enumeration has the name that `words` gives to another type, or that of another's borrowed form.
        """
        return self._type_names[message.struct_name] if message.struct_name else self.words(message.type)

    def words(self, of: Type) -> str:
        """A type in words that make an identifier: `[f64]` → `ArrayF64`, `{User}` → `MapUser`."""
        return _words(of, self._type_names)

    @cached_property
    def _type_names(self) -> dict[str, str]:
        names = [*self._types.structs, *self._types.enums]
        plain = dict(zip(names, distinct(map(pascal_case, names), self._reserved, "T"), strict=True))
        made = {f"{name}{BORROWED}" for name in plain.values()} | {_words(of, plain) for of in self._composed()}
        return dict(zip(names, distinct(plain.values(), self._reserved | made, "T"), strict=True))

    def _composed(self) -> Iterator[Type]:
        """All types of the set that are neither scalars nor defined ones."""
        waiting = [field.type for struct in self._types.structs.values() for field in struct.fields]
        waiting += [message.type for message in self._types.messages]
        while waiting:
            of = waiting.pop()
            waiting += parts(of)
            if not isinstance(of, Scalar | Named):
                yield of

    @cached_property
    def _fields(self) -> dict[str, list[str]]:
        return {
            struct.name: distinct((snake_case(field.name) for field in struct.fields), self._reserved, "field_")
            for struct in self._types.structs.values()
        }

    @cached_property
    def _variants(self) -> dict[str, dict[str, str]]:
        return {
            enum.name: dict(
                zip(
                    (variant.name for variant in enum.variants),
                    distinct((pascal_case(one.name) for one in enum.variants), self._reserved_variants, "V"),
                    strict=True,
                )
            )
            for enum in self._types.enums.values()
        }


def _words(of: Type, names: Mapping[str, str]) -> str:
    match of:
        case ListOf(item):
            return f"Array{_words(item, names)}"
        case ArrayOf(item, length):
            return f"Array{length}{_words(item, names)}"
        case MapOf(value):
            return f"Map{_words(value, names)}"
        case OptionOf(item):
            return f"Option{_words(item, names)}"
        case TupleOf(items):
            return f"Tuple{''.join(_words(item, names) for item in items)}"
        case Scalar(name):
            return name.capitalize()
    return names[of.name]


def rust_literal(text: str) -> str:
    """A string literal of Rust, in ASCII."""
    return '"' + "".join(_escaped(character, "\\u{{{:x}}}") for character in text) + '"'


def cpp_literal(text: str) -> str:
    """A string literal of C++, in ASCII: its bytes are UTF-8."""
    plain = "".join(
        "\\" + chr(byte) if byte in b'"\\?' else chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "surrogatepass")
    )
    return f'"{plain}"'


def python_literal(text: str) -> str:
    """A string literal of Python, in ASCII."""
    return json.dumps(text) if text.isascii() and "\x7f" not in text else ascii(text)


def comment_text(text: str) -> str:
    """A text as it may stand in a comment of any language: letters, digits and harmless punctuation, on one line."""
    return re.sub(r"[^A-Za-z0-9 .,:;()_'“”’–-]+", " ", text)[:200].strip()


def _escaped(character: str, form: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else form.format(ord(character))
