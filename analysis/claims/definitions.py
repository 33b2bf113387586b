"""The claims in each publication's file; every mistake is reported with file, line and field.

A claim points at rows of the published tables (CSV) and thereby at cells of the lab; it contains no published number.
A `table` says once which scenario reproduces a published table, and which codec each of its rows stands for.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from analysis.base import problems as errors
from analysis.claims.rules.row_rules import claims_by_rows
from analysis.claims.statements import ANY_PLATFORM, Claim, Rule, SameBytes, Statement
from analysis.sources.document_figures import DocumentFigure, document_figures
from analysis.sources.own_program import Work, own_instructions
from analysis.sources.packed_figures import packed_figures
from analysis.sources.publications import (
    Kind,
    Metric,
    Planned,
    Publication,
    Table,
    converted,
    load_publications,
)
from analysis.sources.published_tables import FOLDER, PublishedRows, PublishedValue, read_table
from bench.base.errors import LabError
from bench.model.cells import Conditions, Operation
from bench.model.scenario import Scenario

EVERY_OTHER = "*"
COMPARABLE = frozenset(Kind) - {Kind.ROWS}
"""What a claim can be about; `analysis.claims.ledger` measures each."""


class Side(Struct, frozen=True):
    """One side of a claim: a row of a published table and the cell that reproduces it."""

    value: PublishedValue
    codec: str
    scenario: str
    operation: str
    conditions: Mapping[str, str]
    items: int
    """Items in one value of the scenario, where the figure is per item; else 1."""

    @property
    def asked_for(self) -> str:
        """The conditions that the claim asks for, ` build=native`; empty where it asks for none."""
        return "".join(f" {name}={value}" for name, value in self.conditions.items())

    @property
    def cell_name(self) -> str:
        """`codec scenario operation build=native`; a size has no operation."""
        operation = "" if self.operation == "size" else f" {self.operation}"
        return f"{self.codec} {self.scenario}{operation}{self.asked_for}"


class LoadedTable(Struct, frozen=True):
    """A table with its published rows and all of its codecs."""

    name: str
    rows: PublishedRows
    codecs: Mapping[str, str]
    definition: Table

    def side(self, value: PublishedValue) -> Side:
        """A value of this table as a side of a claim. Raises KeyError if no codec stands for its row."""
        table, metric = self.definition, self.rows.metric(value)
        operation, conditions = table.operation(value.operation)
        return Side(
            value=value,
            codec=self.codecs[value.codec],
            scenario=table.scenario,
            operation=operation,
            conditions={**table.conditions, **conditions},
            items=table.items if metric and metric.kind is Kind.TIME_PER_ITEM else 1,
        )

    @property
    def reference(self) -> str:
        """FILE#TABLE, as messages name it."""
        return f"{self.rows.path.name}#{self.definition.published}"


class Pair(Struct, frozen=True):
    """Two rows that a claim compares; it must hold for each of its pairs."""

    one: Side
    other: Side


class Entry(Struct, frozen=True):
    """A claim on one platform, with its rows resolved: one line of the ledger."""

    id: str
    source: str
    platform: str
    claim: Claim
    kind: Kind
    """What its metric measures."""
    row: Side
    """The row that it is about."""
    pairs: tuple[Pair, ...]
    """What it compares; empty for a single figure."""
    by_rule: bool = False
    """Whether a rule made it of the rows of a table."""


class StatementEntry(Struct, frozen=True):
    """A statement that nothing measured tells: also a line of the ledger."""

    id: str
    source: str
    statement: Statement


class BytesEntry(Struct, frozen=True):
    """A claim that two codecs write the same bytes: one line of the ledger."""

    id: str
    source: str
    claim: SameBytes


class ClaimSet(Struct, frozen=True):
    """The claims and tables of all publications, every reference resolved."""

    tables: Mapping[str, LoadedTable]
    entries: tuple[Entry, ...]
    same_bytes: tuple[BytesEntry, ...]
    statements: tuple[StatementEntry, ...]
    document_sizes: tuple[DocumentFigure, ...]
    titles: Mapping[str, str]
    """Publication → its title."""
    addresses: Mapping[str, str | None]
    """Publication → the address of its page."""
    versions: Mapping[str, Mapping[str, str]]
    """Publication → library, as runs name it → the version that the publication states."""
    own_instructions: Mapping[str, Mapping[Work, float]]
    """Publication → what its own program takes for a row."""
    compiled: Mapping[str, str | None]
    """Publication → how its program was compiled, where the lab's runners are not."""
    works_differ: Mapping[str, float]
    """Publication → the factor by which its program and the lab's differ in instructions, for unknown reasons."""


def load_claims(scenarios: Mapping[str, Scenario], folder: Path = FOLDER) -> ClaimSet:
    """The claims of all publications of a folder. Raises LabError with file, line and field of a mistake."""
    tables: dict[str, LoadedTable] = {}
    entries: list[Entry] = []
    same_bytes: list[BytesEntry] = []
    statements: list[StatementEntry] = []
    document_sizes: list[DocumentFigure] = []
    publications = load_publications(folder)
    for publication in publications:
        loader = _Loader(publication, scenarios)
        tables |= loader.tables(tables)
        entries += loader.entries([entry.id for entry in entries])
        names = [entry.id.partition("@")[0] for entry in entries]
        same_bytes += loader.same_bytes([*names, *(one.id for one in same_bytes), *(one.id for one in statements)])
        statements += loader.statements([*names, *(one.id for one in same_bytes), *(one.id for one in statements)])
        # What no codec of the lab writes is no claim that it can judge: `lab sizes` lists it with the reason.
        sizes = [*document_figures(publication), *packed_figures(publication, scenarios)]
        document_sizes += [one for one in sizes if one.why_not is None]
    return ClaimSet(
        tables=tables,
        entries=tuple(entries),
        same_bytes=tuple(same_bytes),
        statements=tuple(statements),
        document_sizes=tuple(document_sizes),
        titles={one.name: one.title for one in publications},
        addresses={one.name: one.address for one in publications},
        versions={one.name: one.versions for one in publications},
        own_instructions={one.name: own_instructions(one) for one in publications},
        compiled={one.name: one.compiled for one in publications},
        works_differ={one.name: one.works_differ for one in publications},
    )


class _Loader:
    """Reads the claims of one publication, and keeps what error messages need."""

    def __init__(self, publication: Publication, scenarios: Mapping[str, Scenario]) -> None:
        self.publication, self.scenarios = publication, scenarios
        self.mistake = publication.mistake
        self.loaded: dict[str, LoadedTable] = {}

    def tables(self, others: Collection[str]) -> dict[str, LoadedTable]:
        """The publication's tables by name; `others` are the names of other publications' tables."""
        for name, table in self.publication.tables.items():
            if name in others:
                raise self.mistake(["tables", name], "another publication has a table of this name")
            self.loaded[name] = self.table(name, table, self.publication.planned)
        return self.loaded

    def entries(self, others: Collection[str]) -> list[Entry]:
        """The publication's claims, an entry per platform; `others` are the entries of other publications."""
        claims = converted(self.publication.path, ["claims"], self.publication.claims, Claim)
        known = set(others)
        result = []
        for keys, name, claim in [*((["claims", name], name, one) for name, one in claims.items()), *self.by_rules()]:
            for platform in claim.platforms:
                entry = msgspec.structs.replace(self.entry(keys, name, claim, platform), by_rule=keys[0] == "rules")
                if entry.id in known:
                    raise self.mistake(keys, f"another publication, or a rule, has a claim of the name {entry.id!r}")
                known.add(entry.id)
                result.append(entry)
        return result

    def by_rules(self) -> Iterator[tuple[list[str], str, Claim]]:
        """The claims that rules make of tables: the rule's place in the file, the claim's name, and the claim."""
        for name, rule in converted(self.publication.path, ["rules"], self.publication.rules, Rule).items():
            keys = ["rules", name]
            self.metric([*keys, "metric"], rule.metric)
            self.check_differences(keys, rule)
            for table in rule.tables:
                loaded = self.table_of([*keys, "tables"], table)
                values = [value for value in loaded.rows.values if value.codec in loaded.codecs]
                try:
                    yield from ((keys, own, claim) for own, claim in claims_by_rows(name, rule, table, values))
                except (KeyError, IndexError, ValueError) as error:
                    raise self.mistake([*keys, "says"], f"{error} is no part of a claim") from None

    def check_differences(self, keys: list[str], rule: Rule) -> None:
        """Raises LabError where a rule names a difference of what it makes no claim of."""
        if rule.differs and rule.each != "figure":
            raise self.mistake([*keys, "differs"], 'only a rule with `each = "figure"` tells of one row\'s figure')
        for table, rows in rule.differs.items():
            if table not in rule.tables:
                raise self.mistake([*keys, "differs", table], errors.no_such(table, "table of this rule", rule.tables))
            known = self.table_of([*keys, "differs", table], table).rows.rows()
            for row in rows:
                if row not in known:
                    raise self.mistake([*keys, "differs", table, row], errors.no_such(row, "row of the table", known))

    def same_bytes(self, others: Collection[str]) -> list[BytesEntry]:
        """The publication's claims of equal bytes; `others` are the names of all claims and statements so far."""
        raw = converted(self.publication.path, ["same_bytes"], self.publication.same_bytes, SameBytes)
        self.check_names("same_bytes", raw, others)
        return [BytesEntry(name, self.publication.name, one) for name, one in raw.items()]

    def statements(self, others: Collection[str]) -> list[StatementEntry]:
        """The publication's statements; `others` are the names of all claims and statements so far."""
        raw = converted(self.publication.path, ["statements"], self.publication.statements, Statement)
        self.check_names("statements", raw, others)
        return [StatementEntry(name, self.publication.name, one) for name, one in raw.items()]

    def check_names(self, table: str, names: Iterable[str], others: Collection[str]) -> None:
        for name in names:
            if name in others:
                raise self.mistake([table, name], "a claim or another statement has this name")

    def table(self, name: str, table: Table, planned: Planned) -> LoadedTable:
        keys = ["tables", name]
        try:
            rows = read_table(self.publication.path.with_suffix(".csv"), table.published, self.publication)
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
            if ours.split()[0] not in known:
                raise self.mistake([*keys, "operations"], errors.no_such(ours, "operation of the scenario", known))
        conditions = [("conditions", table.conditions), *(("operations", table.operation(one)[1]) for one in printed)]
        for key, held in conditions:
            if scenario and (unknown := sorted(held.keys() - set(Conditions.__struct_fields__))):
                raise self.mistake(
                    [*keys, key], errors.no_such(unknown[0], "condition", [*Conditions.__struct_fields__])
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
        for row, codec in self.publication.codecs.items():
            if row in rows.rows():
                given.setdefault(row, codec)
        return given

    def entry(self, keys: list[str], name: str, claim: Claim, platform: str) -> Entry:
        table = self.table_of([*keys, "table"], claim.table)
        row = self.side([*keys, "row"], table, self.wanted(claim, platform, claim.row))
        metric = self.metric([*keys, "metric"], claim.metric)
        pairs = tuple(Pair(row, other) for other in self.others(keys, claim, metric, row, platform))
        return Entry(
            id=name if platform == ANY_PLATFORM else f"{name}@{platform}",
            source=self.publication.name,
            platform=platform,
            claim=claim,
            kind=metric.kind,
            row=row,
            pairs=pairs,
        )

    def others(self, keys: list[str], claim: Claim, metric: Metric, row: Side, platform: str) -> list[Side]:
        """The rows that a claim compares its row with."""
        other = self.table_of([*keys, "than_table"], claim.than_table or claim.table)
        names = [claim.than] if isinstance(claim.than, str) else (claim.than or [])
        if EVERY_OTHER in names:
            names = [one for one in other.rows.rows() if one in other.codecs and one != claim.row]
        self.check_comparison(keys, claim, metric, names)
        if metric.to is not None:
            return [self.ratio_side([*keys, "than"], other, row, one) for one in names]
        return [self.side([*keys, "than"], other, self.wanted(claim, platform, one)) for one in names]

    def check_comparison(self, keys: list[str], claim: Claim, metric: Metric, names: list[str]) -> None:
        """Raises LabError if a claim lacks anything that it can be compared with."""
        if metric.to is not None and names != [metric.to]:
            problem = f"{claim.metric!r} compares two rows: name the other one, {metric.to!r}"
            raise self.mistake([*keys, "than"], problem)
        limited = claim.at_least is not None or claim.at_most is not None
        if not names and not limited and not metric.kind.of_any_machine:
            problem = "needs `than`, `at_least` or `at_most`: absolute times of two machines cannot be compared"
            raise self.mistake(keys, problem)

    def metric(self, keys: list[str], name: str) -> Metric:
        """What a claim's metric measures. Raises LabError if the lab cannot measure it."""
        metric = self.publication.metric(name)
        if metric is None or metric.kind not in COMPARABLE:
            raise self.mistake(
                keys, errors.no_such(name, "metric of a claim", [*self.publication.metrics, *sorted(COMPARABLE)])
            )
        return metric

    def table_of(self, keys: list[str], name: str) -> LoadedTable:
        if name not in self.loaded:
            raise self.mistake(keys, errors.no_such(name, "table of this file", list(self.loaded)))
        return self.loaded[name]

    def wanted(self, claim: Claim, platform: str, row: str) -> dict[str, str]:
        """The fields of the value that a claim means."""
        return {"codec": row, "platform": platform, "operation": claim.operation, "metric": claim.metric}

    def side(self, keys: list[str], table: LoadedTable, wanted: Mapping[str, str]) -> Side:
        """The first value of a table with the wanted fields. Raises LabError naming the first field without a match."""
        values = list(table.rows.values)
        for field, name in wanted.items():
            held = dict.fromkeys(getattr(value, field) for value in values)
            values = [value for value in values if getattr(value, field) == name]
            if not values:
                what = "row" if field == "codec" else field
                raise self.mistake(keys, errors.no_such(name, f"{what} of {table.reference}", filter(None, held)))
        return self.of(keys, table, values[0])

    def ratio_side(self, keys: list[str], table: LoadedTable, row: Side, than: str) -> Side:
        """The other side of a ratio, which has no figure of its own."""
        if than not in table.rows.rows():
            raise self.mistake(keys, errors.no_such(than, "row of the table", table.rows.rows()))
        return self.of(keys, table, msgspec.structs.replace(row.value, codec=than))

    def of(self, keys: list[str], table: LoadedTable, value: PublishedValue) -> Side:
        if value.codec not in table.codecs:
            problem = f"no codec stands for row {value.codec!r}: add it to [tables.{table.name}.codecs]"
            raise self.mistake(keys, problem)
        return table.side(value)
