"""Reads what recorded runs know of codecs: of one run the figures, of all of them who reads whose bytes."""

from collections.abc import Sequence
from pathlib import Path

from analysis.base import problems as errors
from analysis.data.cells import RunCells, ScenarioCells, read_cells
from analysis.data.judged.extras import read_extras
from analysis.tables.counts.footprints import footprints_of
from analysis.tables.side_by_side.candidates import (
    Known,
    SideBySide,
    elsewhere,
    places,
    readings,
    side_by_side,
)
from analysis.tables.trust.answered import answers_of
from analysis.tables.trust.matrix import trust_of
from bench.counting.counts_folder import has_counts
from bench.records.run_file import read_run_file, read_verification
from bench.scenarios.catalogue import load_catalogue


def read_side_by_side(
    paths: Sequence[Path], codecs: Sequence[str], scenario: str | None = None
) -> tuple[SideBySide, RunCells | None]:
    """The codecs by these runs, and the run whose figures are shown; `scenario` chooses among those that have any.

    Raises LabError for a codec that neither the lab nor a run has, and for a scenario in which none was measured.
    """
    runs = {path: read_run_file(path) for path in paths}
    offered = load_catalogue().codecs
    held = {planned.cell.codec for run in runs.values() for planned in run.plan.cells} | offered.keys()
    for codec in codecs:
        if codec not in held:
            raise errors.codec_of_no_run(codec, sorted(held))
    found = places(runs.values(), codecs, {run.id for path, run in runs.items() if has_counts(path)})
    wanted = [one for one in found if scenario in (None, one.scenario)]
    if scenario and not wanted:
        raise errors.scenario_without_codecs(scenario, sorted({one.scenario for one in found}))
    chosen = next(iter(wanted), None)
    cells: tuple[RunCells, ScenarioCells] | None = None
    if chosen:
        run = read_cells(next(path for path, run in runs.items() if run is chosen.run))
        of_scenario = next((one for one in run.scenarios if one.scenario.name == chosen.scenario), None)
        cells = (run, of_scenario) if of_scenario else None
    read = readings((run, read_verification(path)) for path, run in runs.items())
    extras = [*map(read_extras, runs)]
    known = Known(
        readings=read,
        trust=trust_of(answers_of(extras), read),
        footprints=footprints_of(extras),
        offered=offered,
    )
    return side_by_side(codecs, cells, known, elsewhere(found, chosen)), cells[0] if cells else None
