"""What verification proved, and what failed."""

from typing import Annotated

from msgspec import Meta, Struct, field

from bench.model.cells import Operation
from bench.model.fields import CodecName, Count, Crc32, FormatName, ScenarioName, Text, VariantName, Version


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One failed check of `lab verify`, with both sides."""

    check: Annotated[
        str, Meta(pattern="^(describe|version|encode|decode|value|filter|update|size|interop|compression)$")
    ]
    codec: CodecName
    message: Text
    scenario: ScenarioName | None = None
    peer: Text | None = None
    known: Text | None = None
    """What the scenario says about this failure, if it expects it."""
    variant: VariantName = ""


class Verified(Struct, frozen=True, forbid_unknown_fields=True):
    """What a codec produced from a scenario's canonical input, after it was checked."""

    codec: CodecName
    scenario: ScenarioName
    encoded_bytes: Count
    encoded_checksum: Crc32
    decoded_checksum: Crc32
    filtered_checksum: Crc32 | None = None
    """Checksum of the rows that the scenario's filter selected."""
    updated_checksum: Crc32 | None = None
    """Checksum of the encoded bytes after the scenario's update in place; they decode to the updated value."""
    peers: list[Text] = []
    """Codecs of the same format that read these bytes as the same value."""
    compressed_bytes: dict[Text, Count] = {}
    """Compression → bytes of the compressed messages, for each requested one."""
    variant: VariantName = ""

    def size_of(self, compression: str | None) -> int | None:
        """Bytes of the encoded messages, compressed if one is named; None if that compression was not asked for."""
        return self.compressed_bytes.get(compression) if compression else self.encoded_bytes

    def checksum_of(self, operation: Operation) -> Crc32 | None:
        """Checksum of what an operation produces; what a write makes is checked by what a read gives.

        None for what was not verified, and for `access`, of which the cell names the fields.
        """
        match operation:
            case Operation.SERIALIZE | Operation.BUILD_SERIALIZE:
                return self.encoded_checksum
            case Operation.UPDATE:
                return self.updated_checksum
            case Operation.FILTER:
                return self.filtered_checksum
            case Operation.ACCESS:
                return None
        return self.decoded_checksum


class Exchange(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether one codec reads what another codec of its format, or a reference of the scenario, wrote."""

    scenario: ScenarioName
    format: FormatName
    writer: Text
    reader: Text
    reads: bool
    same_bytes: bool
    """Whether the reader would have written the same bytes."""
    problem: Text | None = None
    """The reader's error, or where the value that it read differs."""
    known: Text | None = None
    """What the scenario says about this refusal, if it expects it."""


class Verification(Struct, frozen=True, forbid_unknown_fields=True):
    """verify.json."""

    protocol: Version
    verified: list[Verified] = field(default_factory=list)
    failures: list[Check] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
