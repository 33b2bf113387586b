"""A run as its grids: what `lab table` prints and RESULTS.md holds."""

from pathlib import Path

from msgspec import Struct

from analysis.beside import beside
from analysis.cells import RunCells, run_cells
from analysis.files import file_sections
from analysis.layout import Grid, beside_grid, files_grid, published_grid
from analysis.notes import about_run
from analysis.published import FOLDER, load_published
from analysis.tables import published_form
from analysis.throughput import throughput_sections
from analysis.throughput_layout import throughput_grid
from bench.model import Form, Run, Scenario
from bench.record import Recorded, read_run


class ScenarioReport(Struct, frozen=True):
    """The two tables of a scenario."""

    scenario: Scenario
    published: Grid
    beside: Grid


class RunReport(Struct, frozen=True):
    """A run: its scenarios, and where its numbers come from."""

    path: Path
    run: Run
    scenarios: tuple[ScenarioReport, ...]
    about: tuple[str, ...]


def report_of(recorded: Recorded, published: Path = FOLDER) -> RunReport:
    """All tables of a run. Raises LabError for lines that are not of its plan and for bad published tables."""
    cells = run_cells(recorded)
    reports = tuple(_scenario_report(cells, place, published) for place in range(len(cells.scenarios)))
    return RunReport(recorded.path, recorded.run, reports, about_run(recorded.run, cells.not_begun))


def read_report(path: Path, published: Path = FOLDER) -> RunReport:
    """The tables of the run in a folder."""
    return report_of(read_run(path), published)


def _scenario_report(cells: RunCells, place: int, published: Path) -> ScenarioReport:
    one, run = cells.scenarios[place], cells.run
    reference = one.scenario.published.table
    rows = load_published(reference, published) if reference else None
    system = run.platform.partition("-")[0]
    platform = rows.platform_for(system) if rows else system
    form = published_form(one, platform, rows)
    if one.scenario.published.form is Form.THROUGHPUT:
        first = throughput_grid(throughput_sections(one, platform, rows), form, run)
    elif one.scenario.is_files:
        first = files_grid(file_sections(one, platform, rows), form, run)
    else:
        first = published_grid(form, run)
    return ScenarioReport(one.scenario, first, beside_grid(beside(one, form), form, run))
