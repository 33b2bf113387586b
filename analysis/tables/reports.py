"""A run as its grids: what `lab table` prints and RESULTS.md holds."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from analysis.data.cells import RunCells, ScenarioCells, read_cells
from analysis.data.published_tables import FOLDER, load_published
from analysis.tables.files import file_sections, least_cached
from analysis.tables.form import PublishedForm, published_form
from analysis.tables.items import item_sections
from analysis.tables.layout import Grid, beside_grid, files_grid, items_grid, published_grid
from analysis.tables.network import network_grid, sections, transports
from analysis.tables.notes import about_run
from analysis.tables.throughput import throughput_sections
from analysis.tables.throughput_layout import throughput_grid
from analysis.tables.variants import beside
from bench.base import limits
from bench.base.files import is_there, read_json_lines, read_text
from bench.measuring.run_file import read_verification
from bench.model.record import Run, Transfer
from bench.model.scenario import Scenario
from bench.model.verification import Verification

TRANSFERS = "network.jsonl"
REMARKS = "remarks.txt"
"""Beside a run, written by hand: what was found out about its numbers afterwards, a paragraph a line."""
"""What `lab network --measure` records beside a run."""


class ScenarioReport(Struct, frozen=True, eq=False):
    """The tables of a scenario, and what they are made of."""

    cells: ScenarioCells
    form: PublishedForm
    published: Grid
    beside: Grid
    network: Grid | None
    """Round trips over a network, where the publication tells of them or they were measured."""

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


def read_report(path: Path, published: Path = FOLDER) -> RunReport:
    """The tables of the run in a folder. Raises LabError for foreign lines and bad published tables."""
    cells, verification = read_cells(path), read_verification(path)
    transfers = read_json_lines(cells.path / TRANSFERS, Transfer)
    remarks = _remarks(cells.path / REMARKS)
    places = range(len(cells.scenarios))
    reports = tuple(_scenario_report(cells, place, published, transfers, remarks) for place in places)
    return RunReport(cells, verification, reports, about_run(cells.run, cells.not_begun))


def _remarks(path: Path) -> tuple[str, ...]:
    if not is_there(path):
        return ()
    return tuple(filter(None, read_text(path, limits.TEXT_BYTES, links=False).split("\n")))


def _scenario_report(
    cells: RunCells, place: int, published: Path, transfers: Sequence[Transfer], remarks: tuple[str, ...]
) -> ScenarioReport:
    one, run = cells.scenarios[place], cells.run
    reference = one.scenario.published.table
    rows = load_published(reference, published) if reference else None
    system = run.platform.partition("-")[0]
    platform = rows.platform_for(system) if rows else system
    form = published_form(one, platform, rows)
    if one.scenario.published.throughput:
        first = throughput_grid(throughput_sections(one, platform, rows), form, run)
    elif one.scenario.is_files:
        first = files_grid(file_sections(one, platform, rows), least_cached(one), form, run)
    elif (shape := one.scenario.published.form) is not None:
        of_items = load_published(shape.items_table, published) if shape.items_table else rows
        first = items_grid(item_sections(one, form, platform, rows, of_items), shape, form, run)
    else:
        first = published_grid(form, run)
    second = beside_grid(beside(one, form), form, run, remarks)
    return ScenarioReport(one, form, first, second, _network(cells, one, published, transfers))


def network_of(
    cells: RunCells, one: ScenarioCells, transfers: Sequence[Transfer], why: str | None = None, published: Path = FOLDER
) -> Grid:
    """What round trips over networks take; `why` says why transfers were not measured, where they should have been.

    Raises LabError for a published table that is not there.
    """
    system = cells.run.platform.partition("-")[0]
    tables = {net.rate_mbit_s: load_published(net.table, published) for net in one.scenario.published.networks}
    figures = {rate: (rows, rows.platform_for(system)) for rate, rows in tables.items()}
    return network_grid(sections(one, transfers, figures), one.scenario, cells.run, why)


def _network(cells: RunCells, one: ScenarioCells, published: Path, transfers: Sequence[Transfer]) -> Grid | None:
    sent = any(transfer.scenario == one.scenario.name for transfer in transfers)
    wanted = (sent or one.scenario.published.networks) and transports(one)
    return network_of(cells, one, transfers, published=published) if wanted else None
