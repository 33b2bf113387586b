"""brec's blocks, payloads and packets, and their conversion from and into rows.

brec is a protocol of packets: what is a block and what is a payload is a matter of design, so it takes the types that
say so. `attributes = { brec = { block = "Metadata" } }` of a struct of numbers, enumerations and arrays of bytes makes
it a block of that name; `brec = { payload = "Attachment", encrypted = "Secret" }` a payload, and of another name where
it is encrypted. A row is a block, or has blocks and at most one payload, which may be a string.
"""

from typing import Any

from msgspec import Struct

from bench.types.expressions import ArrayOf, Named, Scalar, named_in
from bench.types.generation import shared
from bench.types.names import Names, rust_literal
from bench.types.type_set import FieldType, MessageType, StructType, TypeSet

rust = shared("rust_types")

LIBRARY = "brec"
KNOWN = ("block", "payload", "encrypted")


class Row(Struct, frozen=True):
    """A row as a packet."""

    plain: str
    is_encrypted: bool
    has_filter: bool
    whole: str | None
    """The block that the row itself is."""
    blocks: tuple[tuple[str, str], ...]
    """The field and the block of each."""
    payload: tuple[str, str] | None
    """The field of the payload, and the variant."""
    rules: tuple[str, ...]
    """The rules of the filter, as Rust."""


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """What the templates call."""
    return {"rust": rust, "brec": Brec(types, names)}


class Brec:
    """The blocks, payloads and rows of a set."""

    def __init__(self, types: TypeSet, names: Names) -> None:
        self._types, self._names = types, names
        said = {struct.name: _attributes(struct) for struct in types.structs.values()}
        self.blocks = {name: one["block"] for name, one in said.items() if "block" in one}
        self.payloads = {name: one["payload"] for name, one in said.items() if "payload" in one}
        self.secrets = {name: one["encrypted"] for name, one in said.items() if "encrypted" in one}
        for name in self.blocks:
            for field in types.structs[name].fields:
                self._check_block(name, field)
        for name in self.payloads:
            for field in types.structs[name].fields:
                if any(part in types.structs for part in named_in(field.type)):
                    raise ValueError(f"struct {name}, field {field.name!r:.80}: a payload of brec has no structs in it")

    def struct(self, name: str) -> StructType:
        """A struct by its name."""
        return self._types.structs[name]

    def type(self, field: FieldType) -> str:
        """The Rust type of a field."""
        if self._types.enum(field.type):
            return self._names.type(str(field.type))  # brec takes an enumeration by its bare name
        text: str = rust.plain_type(field.type, self._names)
        return text

    def enums(self) -> list[str]:
        """The enumerations in blocks."""
        fields = [field for name in self.blocks for field in self.struct(name).fields]
        return sorted({self._names.type(str(field.type)) for field in fields if self._types.enum(field.type)})

    def rows(self) -> list[Row]:
        """The rows that are packets, and those that are encrypted ones."""
        plain = [self._row(message, encrypted=False) for message in rust.rows(self._types)]
        encrypted = [self._row(message, encrypted=True) for message in rust.rows(self._types, encrypted=True)]
        return [row for row in [*plain, *encrypted] if row]

    def _row(self, message: MessageType, *, encrypted: bool) -> Row | None:
        struct = self._types.struct(message.type)
        assert struct
        plain = f"plain::{self._names.message(message)}"
        plain = f"plain::Encrypted<{plain}>" if encrypted else plain
        has_filter = rust.filter_of(message) is not None
        if struct.name in self.blocks:
            whole = self.blocks[struct.name]
            rules = self._rules(message, {}, None)
            return None if encrypted else Row(plain, False, has_filter, whole, (), None, rules)
        blocks, payload = {}, None
        for field in struct.fields:
            name, variant = self._names.field(struct, field), self._payload(field, encrypted)
            if isinstance(field.type, Named) and field.type.name in self.blocks:
                blocks[name] = self.blocks[field.type.name]
            elif payload or not variant:
                return None
            else:
                payload = (name, variant)
        rules = self._rules(message, blocks, payload)
        return Row(plain, encrypted, has_filter, None, tuple(blocks.items()), payload, rules) if blocks else None

    def _payload(self, field: FieldType, encrypted: bool) -> str | None:
        if field.type == Scalar("string"):
            return None if encrypted else "String"
        names = self.secrets if encrypted else self.payloads
        return names.get(field.type.name) if isinstance(field.type, Named) else None

    def _rules(self, message: MessageType, blocks: dict[str, str], payload: tuple[str, str] | None) -> tuple[str, ...]:
        """The conditions on blocks are asked before a packet is read whole, that on the payload after it."""

        def access(value: str, struct: StructType, field: FieldType) -> str:
            return f"{value}.{self._names.field(struct, field)}"

        def literal(of: Any, wanted: Any) -> str:
            if enum := self._types.enum(of):
                variant = next(one for one in enum.variants if one.name == wanted)
                return f"plain::{self._names.type(enum.name)}::{self._names.variant(enum, variant)}"
            return rust_literal(wanted) if isinstance(wanted, str) else str(wanted).lower()

        rules = []
        struct = self._types.struct(message.type)
        assert struct
        for field, text in rust.conditions(message, self._types, access, literal, "row"):
            name = self._names.field(struct, field)
            if name in blocks:
                rules.append(
                    f"before!({blocks[name]}, {blocks[name]}Referred, |block| {text.replace(f'row.{name}', 'block')})"
                )
            elif payload:
                rules.append(f"whole!({payload[1]}, |payload| {text.replace(f'row.{name}', 'payload')})")
        return tuple(rules)

    def _check_block(self, name: str, field: FieldType) -> None:
        of = field.type
        is_octets = isinstance(of, ArrayOf) and of.item == Scalar("u8")
        is_number = isinstance(of, Scalar) and of.name not in ("string", "bytes")
        enum = self._types.enum(of)
        if not (is_octets or is_number or (enum and enum.repr == "u8")):
            rule = "numbers, enumerations of a byte and arrays of bytes"
            raise ValueError(f"struct {name}, field {field.name!r:.80}: a block of brec has {rule}, not {of}")


def _attributes(struct: StructType) -> dict[str, str]:
    """What a type file says of a struct, checked."""
    said = dict(struct.attributes.get(LIBRARY, {}))
    for name, value in said.items():
        if name not in KNOWN:
            raise ValueError(
                f"struct {struct.name}: {LIBRARY}.{name} is not known; a struct may have {', '.join(KNOWN)}"
            )
        if not isinstance(value, str) or not value.isascii() or not value.isidentifier():
            raise ValueError(f"struct {struct.name}: {LIBRARY}.{name} is a name, not {value!r}")
    if "block" in said and len(said) > 1:
        raise ValueError(f"struct {struct.name}: {LIBRARY} makes it a block or a payload, not both")
    if "encrypted" in said and "payload" not in said:
        raise ValueError(f"struct {struct.name}: {LIBRARY}.encrypted stands beside `payload`")
    return said
