"""What `lab bench` measures where nothing else is asked for suffices for every published row and every claim."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import pytest

from analysis.claims.definitions import Entry, Side
from analysis.claims.measurements import measure
from analysis.data.cells import RunCells, ScenarioCells
from analysis.data.machines.run_paths import runs_below
from analysis.data.select import choose, nearest
from analysis.sources.publications import load_publications
from analysis.sources.published_tables import FOLDER
from analysis.tables.reports import form_of
from bench.base.paths import ROOT
from bench.model.cells import SAID_IF_SO, Cell, Conditions, is_published
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.scope import Scope, chosen_cells
from bench.scenarios.selection import Selection
from tests.support.recorded.committed import cells_of
from tests.support.scenarios.committed import committed_claims, committed_scenarios

SCENARIOS = committed_scenarios()
PUBLICATIONS = {one.name: one for one in load_publications(FOLDER)}
BOOK = committed_claims()
CATALOGUE = load_catalogue()
RECORDED = sorted(runs_below([ROOT / "results"]))


def published(cells: list[Cell], scenarios=SCENARIOS) -> set[Cell]:
    return set(chosen_cells(cells, scenarios, CATALOGUE.controls, Selection(), Scope.PUBLISHED))


OFFERED = CATALOGUE.cells(SCENARIOS)
CELLS = published(OFFERED)


def sides(entry: Entry) -> list[Side]:
    return [entry.row, *(side for pair in entry.pairs for side in (pair.one, pair.other))]


def on_request(entry: Entry, side: Side, scenarios: Mapping[str, Scenario] = SCENARIOS) -> bool:
    """Whether a publication's own list has the codec, and not the scenario."""
    rows = scenarios[side.scenario].published.rows
    return side.codec in PUBLICATIONS[entry.source].codecs.values() and side.codec not in rows


def has_column(side: Side, scenario: Scenario) -> bool:
    """Whether a run's own scenario has a column of the operation: the first runs of the sets have the usual ones alone."""
    conditions = dict.fromkeys(SAID_IF_SO) | dict(scenario.published.conditions.items())
    apart = {(name, value) for name, value in side.conditions.items() if conditions.get(name, value) != value}
    columns = {one.operation.value: set(one.conditions.items()) for one in scenario.published.columns}
    return not apart or apart <= columns.get(side.operation, set())


@pytest.mark.parametrize("entry", BOOK.entries, ids=lambda entry: entry.id)
def test_every_side_of_a_claim_has_its_cell(entry: Entry) -> None:
    for side in sides(entry):
        if side.scenario not in SCENARIOS:
            continue  # planned: no run has it
        if on_request(entry, side):
            continue
        of_column = not is_published(Conditions(**side.conditions), SCENARIOS[side.scenario].published.conditions)
        if of_column and not fitting(entry, side, OFFERED):
            continue  # no codec of the lab has these calls: the ledger says that they are not measured
        assert fitting(entry, side, CELLS), f"no cell for {side.codec} {side.scenario} {side.operation}"


def fitting(entry: Entry, side: Side, cells: Iterable[Cell]) -> set[Cell]:
    """The cells that measure a side of a claim."""
    conditions = msgspec.structs.replace(SCENARIOS[side.scenario].published.conditions, **dict(side.conditions))
    return {
        cell
        for cell in cells
        if (cell.codec, cell.scenario) == (side.codec, side.scenario)
        and (entry.kind.is_size or cell.operation.value == side.operation)
        and is_published(cell.conditions, conditions)
    }


def without_others(run: RunCells) -> RunCells:
    """The run as if only its published cells had been measured."""
    scenarios = {one.scenario.name: one.scenario for one in run.scenarios}
    kept = published([cell for one in run.scenarios for cell, _ in one.series], scenarios)
    return msgspec.structs.replace(
        run,
        scenarios=tuple(
            msgspec.structs.replace(one, series={key: series for key, series in one.series.items() if key[0] in kept})
            for one in run.scenarios
        ),
    )


def shown(run: RunCells, one: ScenarioCells) -> set[Cell]:
    """The cells of the published codecs in the table of a scenario."""
    chosen = nearest(one) if form_of(one.scenario, run.run).cells == "nearest" else choose(one)
    rows = one.scenario.published.rows
    return {series.cell for codec, by in chosen.items() if codec in rows for series in by.values()}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_the_tables_of_a_run_show_the_same_cells_in_published_rows(path: Path) -> None:
    """A run of all cells has more operations; those of the publication are shown by the same cells.

    What it measures under further conditions alone, as reading some fields, has a table of its own.
    """
    run = cells_of(path)
    small = without_others(run)
    for one, less in zip(run.scenarios, small.scenarios, strict=True):
        columns = {each.operation for each in one.scenario.published.columns if each.conditions}
        expected = {cell for cell in shown(small, less) if cell.operation not in columns}
        operations = {cell.operation for cell in expected}
        assert {cell for cell in shown(run, one) if cell.operation in operations} == expected


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_every_claim_that_a_run_measures_has_the_same_figure(path: Path) -> None:
    run = cells_of(path)
    small = without_others(run)
    recorded = {**SCENARIOS, **{one.scenario.name: one.scenario for one in run.scenarios}}
    codecs = {one.cell.codec for scenario in run.scenarios for one in scenario.series.values()}
    measured, asked = 0, set()
    for entry in BOOK.entries:
        of_run = [side for side in sides(entry) if side.scenario in recorded]
        if any(on_request(entry, s, recorded) or not has_column(s, recorded[s.scenario]) for s in of_run):
            measured += measure(entry, run).figure is not None
            continue
        if {side.codec for side in sides(entry)} <= codecs:
            asked.add(entry.row.scenario)
        whole, less = measure(entry, run), measure(entry, small)
        measured += whole.figure is not None
        assert (whole.figure and whole.figure.point) == (less.figure and less.figure.point), entry.id
    held = {one.scenario.name for one in run.scenarios}
    assert measured or not held & asked
