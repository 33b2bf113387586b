"""How many bytes codecs write for published documents, as `lab sizes` records it."""

from msgspec import Struct

from bench.model.fields import CodecName, Count, LibraryName, LibraryVersion, Moment, Sha256, Text, Version

FILE = "sizes.json"
"""The file beside run.json that `lab sizes --run` writes."""


class DocumentSize(Struct, frozen=True):
    """What the codec of a publication's row writes for a document."""

    publication: Text
    row: Text
    """The publication's name of the codec."""
    document: Text
    codec: CodecName
    bytes: dict[Text, Count]
    """Metric of the publication → bytes, plain and compressed."""


class DocumentSizes(Struct, frozen=True, forbid_unknown_fields=True):
    """sizes.json: every document that could be had, as the publications' rows have it."""

    protocol: Version
    created: Moment
    binaries: dict[Text, Sha256]
    """Codec → SHA-256 of its runner."""
    versions: dict[Text, tuple[LibraryName | None, LibraryVersion | None]]
    """Codec → its library and version."""
    documents: dict[Text, Sha256]
    """Document → SHA-256 of its bytes."""
    minified_bytes: dict[Text, Count]
    """Document → bytes of its JSON without white space, each number as short as it can be."""
    sizes: list[DocumentSize]
    failures: dict[Text, Text]
    """Document, or codec and document → why there is no size."""
