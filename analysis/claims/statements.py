"""What a publication states: claims about its figures, and statements that no figure of the lab can tell."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from analysis.sources.publications import Codec, Form, Head, Metric, Name, Table, Words

ANY_PLATFORM = "unstated"
"""The platform of published tables that do not name a system; any run may answer their claims."""

Direction = Literal["less", "greater", "equal"]
System = Annotated[str, Meta(pattern="^[a-z]+$")]


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A published statement. Whether it holds is computed; nothing here says so."""

    says: Words
    """What the publication states, in plain words."""
    table: Name
    row: str
    """The row that it is about; with it stands the cell that is measured."""
    operation: str
    """As in the CSV, where the lab's round trip is also called `round-trip`."""
    metric: str
    direction: Direction
    """How the row's figure compares with those of `than`, or with the limit."""
    than: str | list[str] | None = None
    """Row or rows to compare with, `*` for all others; the claim must hold against each."""
    than_table: Name | None = None
    """The table of those rows, if not `table`."""
    platforms: Annotated[tuple[System, ...], Meta(min_length=1)] = (ANY_PLATFORM,)
    """One entry of the ledger for each."""
    tolerance: Annotated[float, Meta(ge=0)] = 0.1
    """Relative tolerance within which a measured figure counts as the published one."""
    at_least: float | None = None
    at_most: float | None = None
    """Limits that the statement itself names: on the factor between the two figures, or on the single figure, in the
    unit of the CSV."""
    estimate: str | None = None
    """Why the published figure is not a measurement, if it is not; such a claim cannot be reproduced by measuring."""
    differs: Words | None = None
    """What the publication's program does otherwise than the lab's, if that decides the figure; then nothing measured
    here confirms or refutes it."""
    quote: Words | None = None
    """The source's own sentence, where `says` does not give it word by word."""
    section: Words | None = None
    """The heading under which that sentence stands, if not under the table's."""


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """Claims that a table makes with each of its rows: generated from its figures, so that none is typed."""

    each: Literal["next", "best", "figure"]
    """`next`: each row against the one that was published next to it, best first, unless their printed ranges overlap;
    `best`: each row against the best one; `figure`: each row's own figure."""
    says: Words
    """What the publication states, with `{row}`, `{than}`, `{operation}` and `{table}`."""
    tables: Annotated[list[Name], Meta(min_length=1)]
    operations: Annotated[list[str], Meta(min_length=1)]
    """As in the CSV; a table without one of them has no claims of it."""
    metric: str
    best: Literal["less", "greater"] = "less"
    """Whether less is better, or more."""
    called: dict[str, dict[str, Words]] = {}
    """Operation → row → what `says` calls the row there, where the publication says more of it than of others."""
    differs: dict[Name, dict[str, Words]] = {}
    """Table → row → what the publication's program does otherwise than the lab's, where that decides the row's own
    figure; only where `each` is `figure`."""
    tolerance: Annotated[float, Meta(ge=0)] = 0.1


class SameBytes(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement that two codecs write the same bytes: it must hold for every message that a run proved of both."""

    says: Words
    quote: Words
    one: Codec
    other: Codec
    section: Words | None = None


class Statement(Struct, frozen=True, forbid_unknown_fields=True):
    """A published statement that no figure of the lab can confirm or refute: its verdict is `not measurable`."""

    says: Words
    quote: Words
    """The source's own sentence."""
    why: Words
    """Why nothing that the lab measures tells it."""
    section: Words | None = None
    """The heading under which it stands."""


class PublicationFile(Head, frozen=True, forbid_unknown_fields=True):
    """published/NAME.toml as a whole, for its JSON Schema; `analysis.sources.publications` reads it part by part."""

    metrics: dict[str, Metric] = {}
    """Metric of the CSV → what it measures, where its name does not say so."""
    forms: dict[Name, Form] = {}
    """How its tables look; tables that name no form have the first."""
    tables: dict[Name, Table] = {}
    claims: dict[Name, Claim] = {}
    rules: dict[Name, Rule] = {}
    same_bytes: dict[Name, SameBytes] = {}
    statements: dict[Name, Statement] = {}
