"""Merges many runs into one data set: Parquet files by platform and month, and a summary.

Only one run at a time is in memory, and of that only the columns that summaries need; a run's files depend on that
run alone, so the same runs in any order give the same bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

import polars as pl
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.folders import written_whole
from analysis.data.calmness import calmness
from analysis.data.cells import Series, run_cells
from analysis.data.comparable import check_mixable
from analysis.data.frame import OF_PROCESSES, OF_SAMPLES, RunFrame, empty, facts_of, line_files, plan_of, planned_lines
from analysis.data.inference import side_of
from analysis.data.lines import LineFile, columns_of
from analysis.data.machines.run_paths import machine_name
from analysis.data.merged import FILE, CellOfRun, Merged, MergedCell, MergedRun, Summary, ratio_ranges, summary_of
from analysis.data.shards import remarks
from bench.base.files import is_there, write_json
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.model.cells import Cell, Operation, is_published
from bench.model.plan import Profile
from bench.model.record import Run
from bench.records.run_file import PROCESSES, RUN, SAMPLES, read_run_file
from bench.records.stored_files import sha256_of_stored, stored_path

PART_LINES = 2_000_000
"""Lines of a Parquet file, or slightly more: half a gibibyte of JSON Lines."""
SAMPLES_FOLDER, PROCESSES_FOLDER = "samples", "processes"


class RunFolder(Struct, frozen=True):
    """A run folder with its run.json."""

    path: Path
    run: Run


class RunColumns(Struct, frozen=True, eq=False):
    """The part of a run that goes into merged.json."""

    merged: MergedRun
    rounds_whole: dict[str, int]
    cells: dict[str, CellOfRun]


def merge(paths: Sequence[Path], folder: Path, report: Report = lambda _: None) -> Merged:
    """Writes the data set of these runs into a folder, whole or not at all, and reports missing shards.

    Raises LabError if there is no run, if a run is empty or damaged (naming file, line and field), if runs cannot be
    mixed (naming the field), or if the folder holds something other than a data set.
    """
    with written_whole(folder, FILE, "data set", "merge", paths) as fresh:
        found = find_runs(paths)
        runs = [one for one in found if one.run.plan.profile is not Profile.UNTIMED] or found
        check_mixable([one.run for one in runs], machine_name)
        columns = [_write_run(one, fresh) for one in runs]
        merged = _merged(runs, columns)
        write_json(fresh / FILE, merged)
    for one in found:
        if one not in runs:
            report(f"{one.run.id} is untimed and left out: it has no times to merge")
    for remark in remarks([one.run for one in runs]):
        report(remark)
    return merged


def find_runs(paths: Sequence[Path]) -> list[RunFolder]:
    """The runs by platform, time and id, without duplicates. Raises LabError if two different runs have the same id."""
    by_id: dict[str, RunFolder] = {}
    for path in paths:
        run = read_run_file(path)
        known = by_id.setdefault(run.id, RunFolder(path, run))
        if known.path != path and any(_digest(known.path, name) != _digest(path, name) for name in FILES):
            raise errors.same_id(run.id, known.path, path)
    return sorted(by_id.values(), key=lambda one: (one.run.platform, one.run.created, one.run.id))


FILES = (RUN, SAMPLES, PROCESSES)


def _digest(folder: Path, name: str) -> str | None:
    """The hash of a run's file, of its lines uncompressed; None where there is none."""
    path = stored_path(folder, name)
    return sha256_of_stored(path) if is_there(path) else None


# one run


def _write_run(source: RunFolder, folder: Path) -> RunColumns:
    """Writes the Parquet files of one run and returns its summary."""
    run, plan = source.run, plan_of(source.run)
    samples, processes = line_files(source.path, run)
    slim = RunFrame(
        source.path,
        run,
        plan,
        _write(samples, run, plan, folder / SAMPLES_FOLDER, OF_SAMPLES),
        _write(processes, run, plan, folder / PROCESSES_FOLDER, OF_PROCESSES),
    )
    _flag_calm(slim, _target(run, folder / SAMPLES_FOLDER))
    cells = run_cells(slim)
    series = {
        str(cell): one for scenario in cells.scenarios for (cell, twin), one in scenario.series.items() if not twin
    }
    merged = MergedRun(
        id=run.id,
        platform=run.platform,
        machine=machine_name(run),
        created=run.created,
        finished=run.finished,
        profile=run.plan.profile,
        samples=samples.lines,
        processes=processes.lines,
        run_sha256=sha256_of_stored(stored_path(source.path, RUN)),
        samples_sha256=samples.sha256,
        processes_sha256=processes.sha256,
    )
    return RunColumns(
        merged,
        {one.scenario.name: one.rounds_whole for one in cells.scenarios},
        {name: _cell_of_run(one) for name, one in series.items() if one.measured},
    )


def _cell_of_run(series: Series) -> CellOfRun:
    times, loops = series.repetition_ns, series.loops
    ranged = loops.ns if series.canaried else times
    return CellOfRun(
        times=times,
        side=side_of(series) if series.canaried else None,
        range_ns=(float(ranged.min()), float(ranged.max())),
        layouts=series.layouts,
        loops=len(ranged),
        calm_loops=int(loops.calm.sum()) if series.canaried else None,
        encoded_bytes=series.encoded_bytes or None,
    )


def _write(file: LineFile, run: Run, plan: pl.DataFrame, folder: Path, needed: Sequence[str]) -> pl.DataFrame:
    """Writes a file's lines as Parquet, part by part, and returns the columns that are needed later."""
    target = _target(run, folder)
    parts_of_cell = ["codec", "scenario", "operation", "conditions"]
    slim = [empty(file, plan).select(*needed, "line")]
    for number, part in enumerate(_parts(planned_lines(file, run, plan))):
        target.mkdir(parents=True, exist_ok=True)
        named = part.join(plan.select("cell", *parts_of_cell), on="cell", how="left", maintain_order="left")
        rows = named.select(pl.lit(run.id).alias("run"), *parts_of_cell, *_columns_except_cell(file))
        _write_part(rows, _part(target, run, number))
        slim.append(part.select(*needed, "line"))
    return pl.concat(slim)


def _target(run: Run, folder: Path) -> Path:
    return folder / f"platform={run.platform}" / f"month={run.created[:7]}"


def _part(target: Path, run: Run, number: int) -> Path:
    return target / f"{run.id}-{number:03}.parquet"


def _write_part(rows: pl.DataFrame, path: Path) -> None:
    rows.write_parquet(path, compression="zstd", row_group_size=1_000_000)


def _flag_calm(slim: RunFrame, target: Path) -> None:
    """Adds the column `calm` to the samples of a run: null where they have no canaries.

    Only after the last line is it known what the run's own canaries say, so the parts are written again.
    """
    judged = calmness(slim.run, slim.samples, facts_of(slim.plan)).loops.select("line", "calm")
    flags = slim.samples.select("line").join(judged, on="line", how="left", maintain_order="left")["calm"]
    begin = 0
    for number in count():  # by number: another run's id may begin with this one's
        if not (path := _part(target, slim.run, number)).exists():
            break
        rows = pl.read_parquet(path, hive_partitioning=False)
        _write_part(rows.with_columns(flags[begin : begin + len(rows)]), path)
        begin += len(rows)


def _columns_except_cell(file: LineFile) -> list[str]:
    return [name for name in columns_of(file.kind) if name != "cell"]


def _parts(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        waiting.append(frame)
        if sum(map(len, waiting)) >= PART_LINES:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


# all runs


def _merged(runs: Sequence[RunFolder], columns: Sequence[RunColumns]) -> Merged:
    cells: dict[Cell, dict[str, list[RunColumns]]] = {}
    for source, one in zip(runs, columns, strict=True):
        for planned in source.run.plan.cells:
            if str(planned.cell) in one.cells:
                cells.setdefault(planned.cell, {}).setdefault(one.merged.machine, []).append(one)
    summaries = {
        cell: _cell(cell, {machine: _most_exact(held) for machine, held in machines.items()})
        for cell, machines in sorted(cells.items())
    }
    shown = _published(runs)
    rows: dict[tuple[str, Operation, str], dict[str, Summary]] = {}
    for cell in sorted(shown.keys() & summaries.keys(), key=lambda cell: (shown[cell], cell)):
        row = rows.setdefault((cell.scenario, cell.operation, cell.codec), {})
        row.update({machine: one for machine, one in summaries[cell].machines.items() if machine not in row})
    return Merged(
        protocol=PROTOCOL,
        samples=sum(one.merged.samples for one in columns),
        rounds_whole={
            f"{one.merged.id} {scenario}": count for one in columns for scenario, count in one.rounds_whole.items()
        },
        runs=[one.merged for one in columns],
        cells=[*summaries.values()],
        ratios=ratio_ranges(rows),
    )


def _published(runs: Iterable[RunFolder]) -> dict[Cell, str]:
    """The codecs' cells at the conditions that their own run knows as published, with the variant by which tables
    choose one of several."""
    result: dict[Cell, str] = {}
    for source in runs:
        conditions = {one.name: one.published.conditions for one in source.run.scenarios}
        for planned in source.run.plan.cells:
            cell = planned.cell
            if not planned.control and is_published(cell.conditions, conditions[cell.scenario]):
                result.setdefault(cell, planned.variant)
    return result


def _most_exact(runs: list[RunColumns]) -> list[RunColumns]:
    """Those of the profile `published`, where one is; else all, which have one profile."""
    return [one for one in runs if one.merged.profile is Profile.PUBLISHED] or runs


def _cell(cell: Cell, machines: dict[str, list[RunColumns]]) -> MergedCell:
    name = str(cell)
    summaries: dict[str, Summary] = {
        machine: summary_of(name, machine, [one.cells[name] for one in runs]) for machine, runs in machines.items()
    }
    return MergedCell(
        codec=cell.codec,
        scenario=cell.scenario,
        operation=cell.operation,
        conditions=dict(cell.conditions.items()),
        machines=summaries,
    )
