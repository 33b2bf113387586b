"""Many runs as one data set: Parquet files by platform and month, and what they say together.

One run at a time is in memory, and of its samples only chunks; a run's files depend on that run alone, so that the
same runs in any order give the same bytes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.folders import written_whole
from analysis.data.comparable import check_mixable
from analysis.data.lines import LineFile
from analysis.data.merged import FILE, Merged, MergedCell, MergedRun, Summary, summary_of
from analysis.data.shards import remarks
from analysis.statistics.intervals import Vector
from bench.base.files import is_there, sha256_of_regular, write_json
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.measuring.run_file import read_run_file
from bench.model.cells import Cell
from bench.model.plan import ProcessKind
from bench.model.record import Process, Run, Sample

PART_CHUNKS = 8
"""Chunks of a Parquet file: half a gibibyte of JSON Lines, some two million samples."""
PLACE = ["cell", "round", "twin"]
"""What makes a timed process of a run."""


class Found(Struct, frozen=True):
    """A run folder with its run.json."""

    path: Path
    run: Run


class RunColumns(Struct, frozen=True, eq=False):
    """What of a run goes into merged.json."""

    merged: MergedRun
    rounds_whole: dict[str, int]
    times_ns: dict[str, Vector]
    """Cell → time of one repetition in each whole round, shape (k,)."""
    encoded_bytes: dict[str, int]


def merge(paths: Sequence[Path], folder: Path, report: Report = lambda _: None) -> Merged:
    """Writes the data set of these runs into a folder, whole or not at all, and reports the shards that are not there.

    Raises LabError where there is no run, where a run is empty or damaged (file, line and field), where runs cannot be
    mixed (the field), and where the folder holds something else than a data set.
    """
    with written_whole(folder, FILE, "data set", "merge", paths) as fresh:
        runs = find_runs(paths)
        check_mixable([found.run for found in runs])
        columns = [_write_run(found, fresh) for found in runs]
        merged = _merged(runs, columns)
        write_json(fresh / FILE, merged)
    for remark in remarks([found.run for found in runs]):
        report(remark)
    return merged


def find_runs(paths: Sequence[Path]) -> list[Found]:
    """The runs by platform, time and id, each once. Raises LabError where two different runs have one id."""
    found: dict[str, Found] = {}
    for path in paths:
        run = read_run_file(path)
        known = found.setdefault(run.id, Found(path, run))
        if known.path != path and any(_digest(known.path / name) != _digest(path / name) for name in FILES):
            raise errors.same_id(run.id, known.path, path)
    return sorted(found.values(), key=lambda one: (one.run.platform, one.run.created, one.run.id))


FILES = ("run.json", "samples.jsonl", "processes.jsonl")


def _digest(path: Path) -> str | None:
    return sha256_of_regular(path) if is_there(path) else None


# one run


def _write_run(found: Found, folder: Path) -> RunColumns:
    """Writes the Parquet files of one run and returns what it says."""
    run, torn = found.run, found.run.finished is None
    if not run.plan.cells:
        raise errors.no_samples(found.path)
    plan = _plan(run)
    samples = LineFile(found.path / "samples.jsonl", Sample, allow_torn_end=torn)
    processes = LineFile(found.path / "processes.jsonl", Process, allow_torn_end=torn)
    slim = _write(samples, found, plan, folder, "samples", [*PLACE, "index", "wall_ns", "encoded_bytes"])
    started = _write(processes, found, plan, folder, "processes", [*PLACE, "kind", "error"])
    if started is None:
        raise errors.no_samples(found.path)
    if slim is None:
        slim = pl.DataFrame(
            schema={
                **{n: started.schema[n] for n in PLACE},
                "line": pl.UInt32,
                "index": pl.UInt32,
                "wall_ns": pl.UInt64,
                "encoded_bytes": pl.UInt64,
            }
        )
    loops = _loops(started, processes.path)
    timed = _timed(slim, samples.path)
    whole = _whole_rounds(run, plan, loops)
    if whole.is_empty():
        raise errors.no_whole_round(found.path)
    _check_counts(run, loops, timed, processes.path)
    kept = (
        timed.join(loops.filter(pl.col("error").is_null()), on=PLACE, how="semi")
        .join(plan.select("cell", "scenario", "planned"), on="cell")
        .join(whole, on=["scenario", "round"], how="semi")
        .filter(~pl.col("twin"))
        .sort("cell", "round")
    )
    times, sizes = {}, {}
    for (cell,), group in kept.group_by("cell", maintain_order=True):
        times[str(cell)] = np.asarray(group["wall_ns"].to_numpy() / group["planned"].to_numpy(), dtype=np.float64)
        sizes[str(cell)] = int(group["encoded_bytes"].mode().sort()[0])
    rounds = {str(name): count for name, count in whole.group_by("scenario").len().sort("scenario").iter_rows()}
    merged = MergedRun(
        run.id,
        run.platform,
        run.created,
        run.finished,
        run.plan.profile,
        samples.lines,
        processes.lines,
        sha256_of_regular(found.path / "run.json"),
        samples.sha256,
        processes.sha256,
    )
    return RunColumns(merged, rounds, times, sizes)


def _plan(run: Run) -> pl.DataFrame:
    """A row a planned cell: name, its parts, repetitions, rounds, whether it may have a twin, whether it is timed."""
    names = [str(planned.cell) for planned in run.plan.cells]
    cells = [planned.cell for planned in run.plan.cells]
    twins = set(run.plan.twins)
    return pl.DataFrame(
        {
            "cell": pl.Series(names, dtype=pl.Enum(names)),
            "codec": [cell.codec for cell in cells],
            "scenario": [cell.scenario for cell in cells],
            "operation": [cell.operation.value for cell in cells],
            "conditions": [str(cell.conditions) for cell in cells],
            "planned": pl.Series([planned.repetitions for planned in run.plan.cells], dtype=pl.UInt64),
            "rounds": pl.Series([run.plan.rounds.get(cell.scenario, 0) for cell in cells], dtype=pl.UInt32),
            "has_twin": [cell in twins for cell in cells],
            "timed": [planned.blocked is None for planned in run.plan.cells],
        }
    )


def _write(
    file: LineFile, found: Found, plan: pl.DataFrame, folder: Path, kind: str, kept: list[str]
) -> pl.DataFrame | None:
    """Writes a file's lines as Parquet, part by part, and returns the columns that are needed later."""
    run = found.run
    target = folder / kind / f"platform={run.platform}" / f"month={run.created[:7]}"
    slim = []
    for number, part in enumerate(_parts(_checked(file, run, plan, kind))):
        target.mkdir(parents=True, exist_ok=True)
        named = part.join(
            plan.select("cell", "codec", "scenario", "operation", "conditions"),
            on="cell",
            how="left",
            maintain_order="left",
        )
        named = named.select(
            pl.lit(run.id).alias("run"),
            "codec",
            "scenario",
            "operation",
            "conditions",
            pl.exclude("cell", "line", "codec", "scenario", "operation", "conditions"),
        )
        named.write_parquet(target / f"{run.id}-{number:03}.parquet", compression="zstd", row_group_size=1_000_000)
        slim.append(part.select(*kept, "line"))
    return pl.concat(slim) if slim else None


def _parts(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        waiting.append(frame)
        if len(waiting) == PART_CHUNKS:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


def _checked(file: LineFile, run: Run, plan: pl.DataFrame, kind: str) -> Iterator[pl.DataFrame]:
    """The file's chunks with cells that are surely of the plan. Raises LabError for the first line that is not."""
    names = plan.schema["cell"]
    known = plan.select(pl.col("cell").alias("known"), "planned", "rounds", "has_twin")
    for chunk in file.chunks():
        lines = pl.int_range(chunk.first_line, chunk.first_line + len(chunk.frame), dtype=pl.UInt32).alias("line")
        frame = chunk.frame.with_columns(pl.col("cell").cast(names, strict=False).alias("known"), lines)
        own = ["repetitions", "wall_ns"] if kind == "samples" else []
        of_plan = frame.select("line", "round", "twin", "known", *own).join(
            known, on="known", how="left", maintain_order="left"
        )
        wrong = (
            pl.col("known").is_null() | (pl.col("round") >= pl.col("rounds")) | (pl.col("twin") & ~pl.col("has_twin"))
        )
        if kind == "samples":
            wrong = wrong | pl.col("planned").ne_missing(pl.col("repetitions")) | (pl.col("wall_ns") == 0)
        if bad := of_plan.filter(wrong).head(1).rows(named=True):
            cell = frame["cell"][bad[0]["line"] - chunk.first_line]
            raise _foreign(file, bad[0], cell)
        yield frame.with_columns(pl.col("known").alias("cell")).drop("known")


def _foreign(file: LineFile, row: dict[str, object], cell: str) -> Exception:
    """Why a line cannot be of this run."""
    line = int(str(row["line"]))
    if row["known"] is None:
        return errors.foreign_line(file.path, line, "cell", f"{cell!r} is not in the plan of run.json")
    if int(str(row["round"])) >= int(str(row["rounds"])):
        problem = f"round {row['round']}, the plan has {row['rounds']}, counted from 0"
        return errors.foreign_line(file.path, line, "round", problem)
    if row["twin"] and not row["has_twin"]:
        return errors.foreign_line(file.path, line, "twin", f"{cell!r} has no twin in the plan of run.json")
    if row["planned"] != row["repetitions"]:
        problem = f"{row['repetitions']}, the plan says {row['planned']}"
        return errors.foreign_line(file.path, line, "repetitions", problem)
    problem = "a timed loop of 0 ns; the clock of this runner does not run"
    return errors.foreign_line(file.path, line, "wall_ns", problem)


def _loops(processes: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The timed processes, each once. Raises LabError for one that stands there twice."""
    twice = processes.filter(pl.struct(*PLACE, "kind").is_first_distinct().not_()).head(1)
    if len(twice):
        raise errors.foreign_line(path, twice["line"][0], "cell", "this process stands here twice")
    return processes.filter(pl.col("kind") == ProcessKind.LOOP.value).drop("kind")


def _timed(samples: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Timed processes with the median of their loops. Raises LabError for a sample that stands there twice."""
    timed = samples.group_by(PLACE).agg(
        pl.col("wall_ns").median(),
        pl.len().alias("found"),
        pl.col("encoded_bytes").mode().sort().first(),
        pl.col("index").n_unique().alias("different"),
    )
    if (timed["found"] != timed["different"]).any():
        key = [*PLACE, "index"]
        twice = samples.filter(pl.struct(*key).is_first_distinct().not_()).sort("line").head(1)
        problem = f"sample {twice['index'][0]} of this process stands here twice"
        raise errors.foreign_line(path, twice["line"][0], "index", problem)
    return timed


def _whole_rounds(run: Run, plan: pl.DataFrame, loops: pl.DataFrame) -> pl.DataFrame:
    """(Scenario, round) of which every timed process left a row, an error or not."""
    expected = (
        plan.filter("timed")
        .group_by("scenario")
        .agg((pl.len() + pl.col("has_twin").sum()).cast(pl.UInt32).alias("expected"))
    )
    return (
        loops.join(plan.filter("timed").select("cell", "scenario"), on="cell")
        .group_by("scenario", "round")
        .agg(pl.len().cast(pl.UInt32).alias("found"))
        .join(expected, on="scenario")
        .filter(pl.col("found") == pl.col("expected"))
        .select("scenario", "round")
    )


def _check_counts(run: Run, loops: pl.DataFrame, timed: pl.DataFrame, path: Path) -> None:
    well = loops.filter(pl.col("error").is_null()).join(timed, on=PLACE, how="left").sort("line")
    short = well.filter(pl.col("found").fill_null(0) != run.plan.samples).head(1)
    if len(short):
        raise errors.missing_samples(path, short["line"][0], short["found"][0] or 0, run.plan.samples)


# all runs


def _merged(runs: Sequence[Found], columns: Sequence[RunColumns]) -> Merged:
    cells: dict[Cell, dict[str, list[RunColumns]]] = {}
    for found, one in zip(runs, columns, strict=True):
        for planned in found.run.plan.cells:
            if str(planned.cell) in one.times_ns:
                cells.setdefault(planned.cell, {}).setdefault(found.run.platform, []).append(one)
    return Merged(
        protocol=PROTOCOL,
        samples=sum(one.merged.samples for one in columns),
        rounds_whole={
            f"{one.merged.id} {scenario}": count for one in columns for scenario, count in one.rounds_whole.items()
        },
        runs=[one.merged for one in columns],
        cells=[_cell(cell, platforms) for cell, platforms in sorted(cells.items())],
    )


def _cell(cell: Cell, platforms: dict[str, list[RunColumns]]) -> MergedCell:
    name = str(cell)
    summaries: dict[str, Summary] = {
        platform: summary_of(
            name,
            platform,
            len(runs),
            np.concatenate([one.times_ns[name] for one in runs]),
            runs[0].encoded_bytes[name] or None,
        )
        for platform, runs in platforms.items()
    }
    return MergedCell(
        codec=cell.codec,
        scenario=cell.scenario,
        operation=cell.operation,
        conditions=dict(cell.conditions.items()),
        platforms=summaries,
        min_ns=min(one.min_ns for one in summaries.values()),
        max_ns=max(one.max_ns for one in summaries.values()),
    )
