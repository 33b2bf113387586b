"""A run as its grids: what `lab table` prints and RESULTS.md holds."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import heading
from analysis.data.cells import RunCells, ScenarioCells, read_cells
from analysis.sources.figures import figures_of
from analysis.sources.publications import Form
from analysis.sources.published_tables import FOLDER, load_published
from analysis.tables.certainty.noise_notes import beside_title
from analysis.tables.columns import FILES, KINDS, MESSAGES, Entry, check_form
from analysis.tables.columns.kinds import named
from analysis.tables.digest.apart import apart_grid
from analysis.tables.layout import CONTROLS, Column, Grid, Lines, Section, titled, without_empty_columns
from analysis.tables.network import network_grid, sections, transports
from analysis.tables.notes import about_run, under_table, warnings
from analysis.tables.rows import RankedRows, Row, Table, table_of
from analysis.tables.variants import variants_grid, variants_of
from bench.base import limits
from bench.base.files import is_there, read_json_lines, read_text
from bench.model.cells import Operation
from bench.model.plan import Profile
from bench.model.record import Run, Transfer
from bench.model.scenario import Scenario
from bench.model.verification import Verification
from bench.records.run_file import read_verification
from bench.scenarios.load import load_scenarios

TRANSFERS = "network.jsonl"
"""The file in a run's folder that `lab network --measure` records."""
REMARKS = "remarks.txt"
"""A hand-written file in a run's folder: later findings about its numbers, one paragraph per line."""


class ScenarioReport(Struct, frozen=True, eq=False):
    """The tables of a scenario, and their data."""

    cells: ScenarioCells
    table: Table
    published: Grid
    """The table, in the form of its publication."""
    variants: Grid
    """What the published method hides."""
    network: Grid | None
    """Round trips over a network, if the publication has them or they were measured."""
    apart: Grid | None = None
    """What the publication measures besides, under words of its own."""

    @property
    def grids(self) -> tuple[Grid, ...]:
        """All of them but that of networks, which a command of its own prints."""
        return (self.published, *([self.apart] if self.apart else []), self.variants)

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self.cells.scenario


class RunReport(Struct, frozen=True, eq=False):
    """A run: its scenarios, and where its numbers come from."""

    cells: RunCells
    verification: Verification
    scenarios: tuple[ScenarioReport, ...]
    about: tuple[str, ...]

    @property
    def run(self) -> Run:
        """run.json."""
        return self.cells.run

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.cells.path

    def of(self, scenario: str) -> ScenarioReport:
        """The tables of a scenario that the run holds."""
        return next(one for one in self.scenarios if one.scenario.name == scenario)


def read_report(path: Path, published: Path = FOLDER, *, only: Sequence[str] | None = None) -> RunReport:
    """The tables of the run in a folder, of some scenarios if they are named, then without the notes on the run.

    Raises LabError for foreign lines, for bad published tables, and for a scenario without a whole round.
    """
    cells = read_cells(path)
    transfers = read_json_lines(cells.path / TRANSFERS, Transfer)
    report = partial(_scenario_report, cells, published, transfers, _remarks(cells.path / REMARKS))
    chosen = [one for one in cells.scenarios if only is None or one.scenario.name in only]
    about = () if only else about_run(cells.run, cells.not_begun)
    for name in only or ():
        if name not in {one.scenario.name for one in chosen}:
            raise errors.no_such_scenario(path, name, [one.scenario.name for one in cells.scenarios])
    return RunReport(cells, read_verification(path), tuple(map(report, chosen)), about)


def form_of(scenario: Scenario, run: Run, folder: Path = FOLDER) -> Form:
    """The form of a scenario's table: that of its publication, of the scenario that it varies, or the lab's own.

    Raises LabError for a published table that does not exist, and for an unknown kind of column.
    """
    if scenario.published.table:
        rows = load_published(scenario.published.table, folder)
        name = rows.publication.form_name(scenario.name, rows.table) if rows.publication else None
        if rows.publication and name is not None:
            check_form(rows.publication, name)
            return rows.publication.forms[name]
    elif scenario.variant_of:
        known = {**load_scenarios(), **{one.name: one for one in run.scenarios}}
        original = known.get(scenario.variant_of)
        if original is not None and original.variant_of is None:
            return form_of(original, run, folder)
    return FILES if scenario.is_files else MESSAGES


def _remarks(path: Path) -> tuple[str, ...]:
    if not is_there(path):
        return ()
    return tuple(filter(None, read_text(path, limits.TEXT_BYTES, links=False).split("\n")))


def _scenario_report(
    run: RunCells, published: Path, transfers: Sequence[Transfer], remarks: tuple[str, ...], cells: ScenarioCells
) -> ScenarioReport:
    figures = figures_of(cells.scenario, run.run.platform.partition("-")[0], published)
    table = table_of(cells, form_of(cells.scenario, run.run, published), figures)
    variants = variants_of(cells, table.overview)
    grids = (published_grid(table, run.run), variants_grid(variants, cells.scenario.name, run.run, remarks))
    if run.run.plan.profile is Profile.UNTIMED:
        grids = (without_empty_columns(grids[0]), without_empty_columns(grids[1]))
    return ScenarioReport(
        cells=cells,
        table=table,
        published=grids[0],
        variants=grids[1],
        network=_network(run, cells, published, transfers),
        apart=apart_grid(cells, figures, run.run),
    )


class _Column(Struct, frozen=True):
    """A column of a table: its kind, its operation where operations are columns, and the codec that it is about."""

    kind: str
    operation: Operation | None
    other: str


def published_grid(table: Table, run: Run) -> Grid:
    """The table of a scenario as text."""
    columns = _columns(table)
    parts: list[Section] = []
    for section in table.sections:
        cells = partial(_cells, table, section, columns)
        if table.form.controls == "apart":
            codecs, controls = tuple(map(cells, section.codecs)), tuple(map(cells, section.controls))
            parts += [Section(codecs, _section_name(table, section))] if codecs else []
            parts += [Section(controls, CONTROLS)] if controls else []
        elif section.rows:
            parts.append(Section(tuple(map(cells, section.rows)), _section_name(table, section)))
    return Grid(
        title=titled(f"{table.scenario.title} ({table.scenario.name})", run) + beside_title(table.cells),
        columns=tuple(_headed(table, one) for one in columns),
        sections=tuple(parts),
        warnings=warnings(table, run),
        notes=under_table(table, run),
    )


def _columns(table: Table) -> list[_Column]:
    """The columns that a form's kinds expand to."""
    result = []
    for name in table.kinds:
        kind = KINDS[name]
        each = kind.timed and table.form.operations == "columns"
        about = getattr(table.form, kind.needs) if kind.needs else ""
        for operation in table.operations if each else [None]:
            result += [_Column(name, operation, other) for other in (about if isinstance(about, list) else [about])]
    return result


def _headed(table: Table, column: _Column) -> Column:
    """A column with its heading, which names the operation where operations are columns."""
    kind = KINDS[column.kind]
    lines = kind.heading(table, column.other)
    if column.operation is not None:
        named_time = lines[0].replace("Time", heading(column.operation), 1)
        lines = (named_time, *lines[1:]) if named_time != lines[0] else (heading(column.operation), *lines)
    return Column(lines, right=not kind.text)


def _section_name(table: Table, section: RankedRows) -> str | None:
    """The operation, and the reference codec if a column has ratios to it."""
    if table.form.operations == "columns":
        return None
    related = "relative" in table.form.columns and section.reference
    return f"{section.operation}{f', relative to {named(table, section.reference)}' if related else ''}"


def _cells(table: Table, section: RankedRows, columns: Sequence[_Column], row: Row) -> tuple[Lines, ...]:
    return tuple(
        KINDS[one.kind].lines(Entry(table, section, row, one.operation or section.operation, one.other))
        for one in columns
    )


def network_of(
    cells: RunCells, one: ScenarioCells, transfers: Sequence[Transfer], why: str | None = None, published: Path = FOLDER
) -> Grid:
    """The table of round trips over networks; `why` says why transfers were not measured although they were wanted.

    Raises LabError for a published table that does not exist.
    """
    system = cells.run.platform.partition("-")[0]
    tables = {net.rate_mbit_s: load_published(net.table, published) for net in one.scenario.published.networks}
    figures = {rate: (rows, rows.platform_for(system)) for rate, rows in tables.items()}
    reference = next(iter(form_of(one.scenario, cells.run, published).times_as_fast_as), None)
    conditions = dict(item for rows in tables.values() for item in rows.conditions.items())
    by_rate = sections(one, transfers, figures, reference)
    return network_grid(by_rate, one.scenario, cells.run, why, reference=reference, conditions=conditions)


def _network(cells: RunCells, one: ScenarioCells, published: Path, transfers: Sequence[Transfer]) -> Grid | None:
    sent = any(transfer.scenario == one.scenario.name for transfer in transfers)
    wanted = (sent or one.scenario.published.networks) and transports(one)
    return network_of(cells, one, transfers, published=published) if wanted else None
