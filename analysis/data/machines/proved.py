"""Whether the lines of a run show what run.json and verify.json say of it: sizes, checksums, rows, layouts, rounds.

The driver compares all of that as it measures; a run that somebody else submits was not measured here.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from analysis.data.cells import RunCells
from analysis.data.frame import RunFrame
from analysis.data.lines import columns_of
from bench.measuring.request import expectations
from bench.model.description import runner_name
from bench.model.plan import Encoded, Timed
from bench.model.record import Run, Sample
from bench.model.verification import Verification, Verified
from bench.records.run_file import SAMPLES
from bench.scenarios.sets import set_name

FIELDS = ("encoded_bytes", "checksum", "rows", "rows_matched")
"""What a sample says that a proof decides."""


def contradictions(frame: RunFrame, cells: RunCells, verification: Verification) -> Iterator[str]:
    """Where a run contradicts itself, one sentence each; of samples the first line of each field."""
    yield from _samples(frame)
    yield from _plan(frame.run, verification)
    yield from _layouts(frame)
    yield from _rounds(cells)


def _samples(frame: RunFrame) -> Iterator[str]:
    """Samples that show something else than the plan says was proved."""
    timed = {str(cell): planned for cell, planned in frame.run.plan.timed.items()}
    owed = {name: expectations(planned.proved, planned.repetitions) for name, planned in timed.items()}
    kinds = columns_of(Sample)
    expected = pl.DataFrame(
        {
            "cell": pl.Series([*owed], dtype=frame.plan.schema["cell"]),
            **{
                f"proved_{name}": pl.Series([one.get(name) for one in owed.values()], dtype=kinds[name])
                for name in FIELDS
            },
        }
    )
    lines = frame.samples.select("cell", "line", *FIELDS).join(expected, on="cell", how="left")
    for name in FIELDS:
        wrong = pl.col(f"proved_{name}").is_not_null() & pl.col(name).ne_missing(pl.col(f"proved_{name}"))
        for row in lines.filter(wrong).sort("line").head(1).iter_rows(named=True):
            yield (
                f"{row['cell']}: {name} is {row[name]} in line {row['line']} of {SAMPLES}, but "
                f"{row[f'proved_{name}']} was proved"
            )


def _plan(run: Run, verification: Verification) -> Iterator[str]:
    """Cells of which the plan says something else than what verify.json says was proved."""
    verified = {(one.codec, one.scenario, one.variant): one for one in verification.verified}
    for planned in run.plan.timed.values():
        one = verified.get((planned.cell.codec, planned.cell.scenario, planned.variant))
        if one is not None and isinstance(planned.proved, Encoded):
            yield from _cell(planned, planned.proved, one)


def _cell(planned: Timed, proved: Encoded, verified: Verified) -> Iterator[str]:
    size = verified.size_of(planned.cell.conditions.compression)
    checksum = verified.checksum_of(planned.cell.operation)
    if proved.encoded_bytes != size:
        yield f"{planned.cell}: run.json plans {proved.encoded_bytes} encoded bytes, verify.json has {size}"
    if checksum is not None and proved.checksum != checksum:
        yield f"{planned.cell}: run.json plans the checksum {proved.checksum}, verify.json has {checksum}"


def _layouts(frame: RunFrame) -> Iterator[str]:
    """Runners of which more layouts were measured than run.json names."""
    most = _most_layouts(frame)
    scenarios = {one.name: one for one in frame.run.scenarios}
    seen: dict[str, int] = {}
    for planned in frame.run.plan.timed.values():
        name = runner_name(planned.cell.codec, planned.variant, set_name(scenarios[planned.cell.scenario]))
        seen[name] = max(seen.get(name, 0), most.get(str(planned.cell), 0))
    for name, layout in sorted(seen.items()):
        if layout > (known := len(frame.run.layouts.get(name, []))):
            yield f"{name}: layout {layout} was measured, and run.json has {known} under `layouts`"


def _most_layouts(frame: RunFrame) -> Mapping[str, int]:
    """Cell → the largest number of a layout in its lines."""
    lines = pl.concat([frame.samples.select("cell", "layout"), frame.processes.select("cell", "layout")])
    return {str(cell): int(layout) for cell, layout in lines.group_by("cell").agg(pl.col("layout").max()).iter_rows()}


def _rounds(cells: RunCells) -> Iterator[str]:
    """Scenarios of a finished run that do not have the rounds after which it says that they ended."""
    run = cells.run
    if run.finished is None:
        return
    whole = {one.scenario.name: one.rounds_whole for one in cells.scenarios}
    for name in sorted({cell.scenario for cell in run.plan.timed}):
        ending = run.endings.get(name)
        rounds = run.plan.rounds[name] if ending is None else ending.rounds
        if whole.get(name, 0) != rounds:
            yield f"{name}: {whole.get(name, 0)} rounds are whole, and run.json says that {rounds} were measured"
