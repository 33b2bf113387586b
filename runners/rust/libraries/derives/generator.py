"""What the templates of derived types call: the plain types that a library can take, with texts borrowed as `&str`.

A library's template says what base/types.rs.j2 leaves open, and nothing else:

    derives             the library's macros, for structs, enumerations and messages that are lists
    borrowed_derives    those of the borrowed forms, if it has any
    shared_derives      those of structs that are parts of both forms, as nothing in them is borrowed, if they need more
    octets              how borrowed forms hold bytes, if not as `&'a [u8]`; `Vec<u8>` if they own them
    cannot              what a type may not have: feature → reason
    unborrowed          which of the features that it may have no borrowed form has
    enum_derives, list_derives
                        the macros of enumerations and of messages that are lists, if they are others
    uses                what the macros need in scope
    struct_attribute, list_attribute
                        attributes of the library on structs, and on messages that are lists
    library             under which name attributes of a field may give it another type of the same canonical form
    of_struct(struct), own_derives
                        a macro: what stands after a struct in place of its derives and attributes, if anything; the
                        derives of such a struct
    enum_attribute(enum), variant_attribute(number), field_attribute(index, type, borrowed, attributes, name)
                        macros: attributes on an enumeration, a variant, and a field or what a list message holds, which
                        has no name
    numbered_variant_attribute(number), discriminants
                        of enumerations whose variants have numbers alone, see below: a macro, one more attribute on a
                        variant; defined if the library encodes what stands behind a variant's `=`
    of_list_message(name, borrowed)
                        a macro: what stands after a message that is a list, in place of a derive
    of_message(name, borrowed=false)
                        a macro: what stands after each message and its borrowed form
    accessed            defined if archived messages are read in place
    updated             defined if fields of archived messages are changed in place
    more                a block: what else the library's messages need

If their users say no more, all of these libraries encode the place of a variant, or its name. A type file may say of an
enumeration `attributes = { derives = { numbered = true } }`: where a library lets users number variants, they have
their numbers in the type file. Of fields it may say which numbers they have, so that they keep them in another schema,
in the words of libraries that else number fields by their place:

    bilrost = { tag = 2 }    minicbor = { index = 1 }    musli = { name = 1 }    zerompk = { key = 1 }
"""

from typing import Any

from bench.base.paths import RUNNERS
from bench.model.offers import Feature
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, TupleOf, Type
from bench.types.features import features, takes
from bench.types.fields.updates import changed_types
from bench.types.generation import PLAIN, generator_module
from bench.types.names import Names, rust_literal
from bench.types.type_set import EnumType, FieldType, MessageType, StructType, TypeSet

plain = generator_module(RUNNERS / "rust" / PLAIN)
assert plain


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """`types`: without those of files alone; `derived`: of these the ones that a library can take."""
    types = types.in_memory("rust")

    def derived(cannot: dict[str, str], library: str, octets: str, unborrowed: list[str]) -> Derived:
        return Derived(
            types, names, library, octets, frozenset(map(Feature, cannot)), frozenset(map(Feature, unborrowed))
        )

    return {"types": types, "derived": derived}


class Derived(plain.Rust):  # type: ignore[misc, name-defined]
    """The types of a set in Rust, without those that have a feature which the library cannot take.

    Texts are borrowed, and bytes where the library says in which form.
    """

    def __init__(
        self,
        types: TypeSet,
        names: Names,
        library: str,
        octets: str,
        cannot: frozenset[Feature],
        unborrowed: frozenset[Feature],
    ) -> None:
        super().__init__(types, names, text="&'a str", octets=octets)
        self._library, self._owns_octets = library, octets == "Vec<u8>"
        self._cannot, self._unborrowed = cannot, unborrowed

    def lends(self, of: Type) -> bool:
        """Whether there is something in a type that a borrowed form borrows."""
        if not self._owns_octets:
            return bool(super().borrows(of))
        return any(one == Scalar("string") or isinstance(one, MapOf) for one in self._all(of))

    def borrows(self, of: Type) -> bool:
        """Whether a type has a borrowed form."""
        return self.lends(of) and takes(self._unborrowed, self._features(of))

    def is_bytes(self, of: Type) -> bool:
        """Whether a type is bytes by its name."""
        return of == Scalar("bytes")

    def is_octets(self, of: Type) -> bool:
        """Whether a type is bytes, or a list of u8."""
        return of in (Scalar("bytes"), ListOf(Scalar("u8")))

    def is_octet_array(self, of: Type) -> bool:
        """Whether a type is an array of u8."""
        return isinstance(of, ArrayOf) and of.item == Scalar("u8")

    def numbered(self, enum: EnumType) -> bool:
        """Whether a library that can is told the numbers of an enumeration's variants."""
        return bool(enum.attributes.get("derives", {}).get("numbered"))

    def field_type(self, field: FieldType) -> Type:
        """The type of a field in the library."""
        return field.type_in(self._library)

    def bilrost_encoding(self, of: Type) -> str:
        """What bilrost is told of a type: bytes as such, small integers as varints, lists in one field."""
        match of:
            case Scalar("bytes") | ListOf(Scalar("u8")) | ArrayOf(Scalar("u8"), _):
                return "plainbytes"
            case Scalar("u8") | Scalar("i8"):
                return "varint"
            case ListOf(item) | ArrayOf(item, _):
                return _with("packed", self.bilrost_encoding(item))
            case MapOf(item):
                inner = self.bilrost_encoding(item)
                return "general" if inner == "general" else f"map<general, {inner}>"
            case OptionOf(item):
                return self.bilrost_encoding(item)
            case TupleOf(items):
                parts = [self.bilrost_encoding(item) for item in items]
                return "general" if set(parts) == {"general"} else f"({', '.join(parts)})"
        return "general"

    def structs(self) -> list[StructType]:
        """The structs that the library can take."""
        structs: dict[str, StructType] = self.types.structs
        return [struct for name, struct in structs.items() if takes(self._cannot, self._features(Named(name)))]

    def updated_enums(self) -> list[str]:
        """The names of the enumerations of which a scenario updates a field."""
        found = (of for one in self.messages() for of in changed_types(one.type, self._defined, one.changes))
        return sorted({of.name for of in found if isinstance(of, Named)})

    def literal(self, of: Type, value: Any) -> str:
        """A number, a bool or a variant of an enumeration as an expression of its type."""
        if enum := self.types.enum(of):
            variant = next(one for one in enum.variants if one.name == value)
            return f"{self.names.type(enum.name)}::{self.names.variant(enum, variant)}"
        if of == Scalar("bool"):
            return str(value).lower()
        text = f"{float(value)!r}_{of}" if of in (Scalar("f32"), Scalar("f64")) else f"{value}_{of}"
        return f"({text})" if text.startswith("-") else text

    def messages(self) -> list[MessageType]:
        """The messages that it can take."""
        return [one for one in self.singles() if takes(self._cannot, self._features(one.type))]

    def features(self, message: MessageType) -> str:
        """What a message's type has in the library that not every one can take, as elements of an array."""
        return ", ".join(rust_literal(name) for name in sorted(self._features(message.type)))

    def _features(self, of: Type) -> set[Feature]:
        return features(of, self._defined, self._library)


def _with(encoding: str, inner: str) -> str:
    return encoding if inner == "general" else f"{encoding}<{inner}>"
