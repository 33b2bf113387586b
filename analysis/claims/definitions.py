"""The claims as data: published/claims.toml, read once, with file, line and field of every mistake.

A claim points at rows of the published tables (CSV) and thereby at cells of the lab; no published number stands in it.
A `table` says once for a published table which scenario reproduces it, and which codec stands for which of its rows.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from analysis.base import problems as errors
from analysis.data.published_tables import FOLDER, PublishedRows, PublishedValue, load_published
from bench.base.errors import LabError, bad_file
from bench.base.files import find_toml_line, read_text, read_toml, split_validation_error
from bench.model.cells import Conditions, Operation
from bench.model.fields import Positive, Version
from bench.model.scenario import Scenario

T = TypeVar("T")

FILE = "claims.toml"
ANY_PLATFORM = "unstated"
"""What the published tables say where they do not say on which system they were measured; any run may answer."""
EVERY_OTHER = "*"

Name = Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
Codec = Annotated[str, Meta(pattern="^[a-z]+/[a-z0-9.-]+$")]
System = Annotated[str, Meta(pattern="^[a-z]+$")]


class Planned(Struct, frozen=True, forbid_unknown_fields=True):
    """What the lab does not have yet: claims about it are `not measured`; any other unknown name is a mistake."""

    scenarios: list[Name] = []
    operations: list[Name] = []


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A published table and the cells that reproduce it."""

    published: str
    """FILE#TABLE below analysis/published."""
    scenario: Name
    codecs: dict[str, Codec] = {}
    """Name of a row → codec; beside those that the scenario itself names in `published.rows`."""
    operations: dict[str, Name] = {}
    """Operation as the table calls it → as the lab does, where the two differ."""
    conditions: dict[str, str] = {}
    """Conditions of its cells beyond those that the scenario calls published."""
    items: Positive = 1
    """Objects in one value of the scenario, for figures that are per object."""


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A published statement. Whether it holds is computed; nothing here says so."""

    says: Annotated[str, Meta(min_length=1)]
    """What the publication states, in plain words."""
    table: Name
    row: str
    """The row that it is about; with it stands the cell that is measured."""
    operation: str
    """As the CSV has it; the lab's round trip is `round-trip` there too."""
    metric: str
    direction: Literal["less", "greater", "equal"]
    """How the row's figure stands to those of `than`, or to the limit."""
    than: str | list[str] | None = None
    """Row or rows that it is compared with, `*` for all others; the claim has to hold against each."""
    than_table: Name | None = None
    """Where those rows stand, if not in `table`."""
    platforms: Annotated[tuple[System, ...], Meta(min_length=1)] = (ANY_PLATFORM,)
    """One entry of the ledger for each."""
    tolerance: Annotated[float, Meta(ge=0)] = 0.1
    """Relative: within it a measured figure counts as the published one."""
    at_least: float | None = None
    at_most: float | None = None
    """Limits that the statement itself names: of the factor by which the two differ, or of the one figure, in the
    unit of the CSV."""
    estimate: str | None = None
    """Why the published figure is no measurement, where it is none: such a claim cannot be reproduced by measuring."""


class Claims(Struct, frozen=True, forbid_unknown_fields=True):
    """claims.toml."""

    protocol: Version
    planned: Planned
    tables: dict[Name, Table]
    claims: dict[Name, Claim]


class _Raw(Struct, frozen=True, forbid_unknown_fields=True):
    """claims.toml before its tables and claims are looked at one by one, so that an error can name the one."""

    protocol: Version
    planned: Planned
    tables: dict[Name, dict[str, Any]]
    claims: dict[Name, dict[str, Any]]


class Side(Struct, frozen=True):
    """One side of a claim: a row of a published table and the cell that reproduces it."""

    value: PublishedValue
    codec: str
    scenario: str
    operation: str
    conditions: Mapping[str, str]
    items: int


class LoadedTable(Struct, frozen=True):
    """A table with its published rows and all of its codecs."""

    name: str
    rows: PublishedRows
    codecs: Mapping[str, str]
    definition: Table

    def side(self, value: PublishedValue) -> Side:
        """The side of a claim that a value of this table is. Raises KeyError where no codec stands for its row."""
        table = self.definition
        operation = table.operations.get(value.operation, value.operation)
        return Side(value, self.codecs[value.codec], table.scenario, operation, table.conditions, table.items)


class Entry(Struct, frozen=True):
    """A claim on one platform, with its rows found: one line of the ledger."""

    id: str
    source: str
    platform: str
    claim: Claim
    row: Side
    than: tuple[Side, ...]


class Ledgerbook(Struct, frozen=True):
    """All claims and tables, every reference resolved."""

    tables: Mapping[str, LoadedTable]
    entries: tuple[Entry, ...]


def load_claims(scenarios: Mapping[str, Scenario], folder: Path = FOLDER) -> Ledgerbook:
    """claims.toml of `folder`. Raises LabError with file, line and field where a claim points nowhere."""
    return _Loader(scenarios, folder).load()


class _Loader:
    """One reading of claims.toml; keeps what an error message needs."""

    def __init__(self, scenarios: Mapping[str, Scenario], folder: Path) -> None:
        self.scenarios, self.folder, self.path = scenarios, folder, folder / FILE
        self.published = cache(lambda reference: load_published(reference, folder))

    def load(self) -> Ledgerbook:
        raw = read_toml(self.path, _Raw)
        definitions = {name: self.convert(["tables", name], table, Table) for name, table in raw.tables.items()}
        claims = {name: self.convert(["claims", name], claim, Claim) for name, claim in raw.claims.items()}
        tables = {name: self.table(name, table, raw.planned) for name, table in definitions.items()}
        entries = [
            self.entry(name, claim, platform, tables) for name, claim in claims.items() for platform in claim.platforms
        ]
        return Ledgerbook(tables, tuple(entries))

    def convert(self, keys: list[str], raw: dict[str, Any], kind: type[T]) -> T:
        try:
            return msgspec.convert(raw, kind)
        except msgspec.ValidationError as error:
            problem, inner = split_validation_error(error)
            raise self.mistake([*keys, *inner], problem) from None

    def table(self, name: str, table: Table, planned: Planned) -> LoadedTable:
        keys = ["tables", name]
        try:
            rows = self.published(table.published)
        except LabError as error:
            raise self.mistake([*keys, "published"], str(error)) from None
        scenario = self.scenarios.get(table.scenario)
        if scenario is None and table.scenario not in planned.scenarios:
            raise self.mistake(
                [*keys, "scenario"],
                errors.no_such(table.scenario, "scenario of the lab", [*self.scenarios, *planned.scenarios]),
            )
        codecs = self.codecs(keys, table, rows, scenario)
        known = [*(scenario.operations if scenario else Operation), *planned.operations]
        printed = list(dict.fromkeys(value.operation for value in rows.values if value.operation))
        for theirs, ours in table.operations.items():
            if theirs not in printed:
                raise self.mistake([*keys, "operations"], errors.no_such(theirs, "operation of the table", printed))
            if ours not in known:
                raise self.mistake([*keys, "operations"], errors.no_such(ours, "operation of the scenario", known))
        if scenario and (unknown := sorted(table.conditions.keys() - set(Conditions.__struct_fields__))):
            raise self.mistake(
                [*keys, "conditions"], errors.no_such(unknown[0], "condition", [*Conditions.__struct_fields__])
            )
        return LoadedTable(name, rows, codecs, table)

    def codecs(self, keys: list[str], table: Table, rows: PublishedRows, scenario: Scenario | None) -> dict[str, str]:
        given = {row: codec for codec, row in scenario.published.rows.items()} if scenario else {}
        for row, codec in table.codecs.items():
            if row not in rows.rows():
                raise self.mistake([*keys, "codecs", row], errors.no_such(row, "row of the table", rows.rows()))
            if given.setdefault(row, codec) != codec:
                raise self.mistake(
                    [*keys, "codecs", row],
                    f"{codec!r}, but schemas/scenarios/{table.scenario}.toml has {given[row]!r} for this row. "
                    "Delete the line here",
                )
        return given

    def entry(self, name: str, claim: Claim, platform: str, tables: Mapping[str, LoadedTable]) -> Entry:
        keys = ["claims", name]
        table = self.table_of([*keys, "table"], claim.table, tables)
        other = self.table_of([*keys, "than_table"], claim.than_table, tables) if claim.than_table else table
        row = self.side(keys, "row", table, platform, claim, claim.row)
        metric = claim.metric
        if metric not in COMPARABLE:
            raise self.mistake([*keys, "metric"], errors.no_such(metric, "metric of a claim", [*COMPARABLE]))
        is_ratio = metric in RATIOS
        names = [claim.than] if isinstance(claim.than, str) else (claim.than or [])
        if EVERY_OTHER in names:
            names = [one for one in other.rows.rows() if one in other.codecs and one != claim.row]
        than = []
        for one in names:
            if is_ratio:  # the one figure is of both rows: the other has no figure of its own to point at
                than.append(self.ratio_side(keys, other, row, one))
            else:
                than.append(self.side(keys, "than", other, platform, claim, one))
        limited = claim.at_least is not None or claim.at_most is not None
        if not than and is_ratio:
            raise self.mistake([*keys, "than"], f"{metric!r} compares two rows: name the other one")
        if not than and not limited and metric not in OF_NO_MACHINE:
            raise self.mistake(
                keys, "needs `than`, `at_least` or `at_most`: absolute times of two machines cannot be compared"
            )
        return Entry(
            name if platform == ANY_PLATFORM else f"{name}@{platform}",
            self.source(table),
            platform,
            claim,
            row,
            tuple(than),
        )

    def table_of(self, keys: list[str], name: str, tables: Mapping[str, LoadedTable]) -> LoadedTable:
        if name not in tables:
            raise self.mistake(keys, errors.no_such(name, "table of this file", list(tables)))
        return tables[name]

    def side(self, keys: list[str], field: str, table: LoadedTable, platform: str, claim: Claim, row: str) -> Side:
        found = [
            value
            for value in table.rows.values
            if (value.platform, value.codec, value.operation, value.metric)
            == (platform, row, claim.operation, claim.metric)
        ]
        if not found:
            raise self.mistake([*keys, field], self.nowhere(table, platform, claim, row))
        return self.of(keys, field, table, found[0])

    def ratio_side(self, keys: list[str], table: LoadedTable, row: Side, than: str) -> Side:
        if than not in table.rows.rows():
            raise self.mistake([*keys, "than"], errors.no_such(than, "row of the table", table.rows.rows()))
        return self.of(keys, "than", table, msgspec.structs.replace(row.value, codec=than))

    def of(self, keys: list[str], field: str, table: LoadedTable, value: PublishedValue) -> Side:
        if value.codec not in table.codecs:
            problem = f"no codec stands for row {value.codec!r}: add it to [tables.{table.name}.codecs]"
            raise self.mistake([*keys, field], problem)
        return table.side(value)

    def nowhere(self, table: LoadedTable, platform: str, claim: Claim, row: str) -> str:
        """Which part of a reference is the one that leads nowhere."""
        values: Iterable[PublishedValue] = table.rows.values
        wanted = {"codec": row, "platform": platform, "operation": claim.operation, "metric": claim.metric}
        for field, name in wanted.items():
            held = list(dict.fromkeys(getattr(value, field) for value in values))
            if name not in held:
                what = "row" if field == "codec" else field
                return errors.no_such(name, f"{what} of {table.definition.published}", filter(None, held))
            values = [value for value in values if getattr(value, field) == name]
        return f"points at no row of {table.definition.published}"

    def source(self, table: LoadedTable) -> str:
        return Path(table.definition.published.partition("#")[0]).stem

    def mistake(self, keys: list[str], problem: str) -> LabError:
        line = find_toml_line(read_text(self.path), keys)
        return bad_file(self.path, line, ".".join(keys), problem.rstrip(".") + ".")


RATIOS = ("time_vs_beve", "speedup_vs_orjson", "speedup_vs_json", "payload_reduction")
"""Metrics whose one figure says how two rows stand to each other."""
MEMORY = "peak_rss_delta"
"""Memory at its peak beyond what the process holds before, in units of 1024 bytes."""
OF_NO_MACHINE = ("size", MEMORY)
"""Metrics whose published figure can be expected of another machine too, without a second row or a limit."""
COMPARABLE = ("time", "size", "throughput", "time_per_object", MEMORY, *RATIOS)
"""Metrics that a claim can be about; `analysis.claims.ledger` measures each."""
