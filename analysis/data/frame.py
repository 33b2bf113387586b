"""A run as frames: its lines, validated against its plan, and summaries by timed process and by cell.

A round of a scenario is *whole* when each of its timed processes left a row, with samples or an error. Only whole
rounds are used, so that every cell of a scenario is compared over the same moments. A process with several timed
loops counts with their median.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from msgspec import Struct

from analysis.base import problems as errors
from analysis.data.calmness import JUDGED, Calmness, calmness
from analysis.data.lines import LineFile, columns_of
from bench.model.plan import ProcessKind
from bench.model.record import Process, Run, Sample
from bench.records.run_file import PROCESSES, SAMPLES, read_run_file
from bench.records.stored_files import stored_path

NAME = ["cell", "twin"]
"""What identifies a series of a run."""
TIMED = [*NAME, "round"]
"""What identifies a timed process of a run."""
COUNTS = ("encoded_bytes", "allocations", "allocated_bytes", "file_bytes")
"""What normally is the same in every sample of a cell."""
OF_SAMPLES = [*TIMED, "index", "layout", "wall_ns", "cpu_ns", *JUDGED]
OF_SAMPLES += [*COUNTS, "cached_bytes", "rows", "read_calls", "write_calls"]
OF_PROCESSES = [*TIMED, "kind", "wall_s", "peak_memory_bytes", "error"]
"""The columns that summaries are computed from."""


class RunFrame(Struct, frozen=True, eq=False):
    """The lines of a run, all of them in its plan, numbered by `line`; `cell` is an Enum in the order of the plan."""

    path: Path
    run: Run
    plan: pl.DataFrame
    samples: pl.DataFrame
    processes: pl.DataFrame


def read_frame(path: Path) -> RunFrame:
    """The run in a folder. Raises LabError naming file, line and field of what cannot be read or is not in its plan.

    A torn last line is ignored while the run may still be in progress or waits for --resume.
    """
    run = read_run_file(path)
    plan = plan_of(run)
    samples, processes = (
        pl.concat([empty(file, plan), *planned_lines(file, run, plan)]) for file in line_files(path, run)
    )
    return RunFrame(path, run, plan, samples, processes)


def line_files(path: Path, run: Run) -> tuple[LineFile, LineFile]:
    """The files of a run's samples and processes."""
    torn = run.finished is None
    return (
        LineFile(stored_path(path, SAMPLES), Sample, allow_torn_end=torn),
        LineFile(stored_path(path, PROCESSES), Process, allow_torn_end=torn),
    )


def plan_of(run: Run) -> pl.DataFrame:
    """A row per planned cell: name, its parts, repetitions, rounds, whether it has a twin, whether it is timed; its
    canary's kernel and what identifies its binary.
    """
    names = [str(planned.cell) for planned in run.plan.cells]
    cells = [planned.cell for planned in run.plan.cells]
    twins = set(run.plan.twins)
    return pl.DataFrame(
        {
            "cell": pl.Series(names, dtype=pl.Enum(names)),
            "codec": pl.Series([cell.codec for cell in cells], dtype=pl.String),
            "scenario": pl.Series([cell.scenario for cell in cells], dtype=pl.String),
            "operation": pl.Series([cell.operation.value for cell in cells], dtype=pl.String),
            "conditions": pl.Series([str(cell.conditions) for cell in cells], dtype=pl.String),
            "planned": pl.Series([planned.repetitions for planned in run.plan.cells], dtype=pl.UInt64),
            "loops": pl.Series([getattr(planned, "loops", 1) for planned in run.plan.cells], dtype=pl.UInt32),
            "rounds": pl.Series([run.plan.rounds.get(cell.scenario, 0) for cell in cells], dtype=pl.UInt32),
            "has_twin": pl.Series([cell in twins for cell in cells], dtype=pl.Boolean),
            "timed": pl.Series([planned.blocked is None for planned in run.plan.cells], dtype=pl.Boolean),
            "canary": pl.Series([planned.canary for planned in run.plan.cells], dtype=pl.String),
            "binary": pl.Series([f"{one.cell.codec} {one.variant}" for one in run.plan.cells], dtype=pl.String),
        }
    )


# every line must be in the plan


def empty(file: LineFile, plan: pl.DataFrame) -> pl.DataFrame:
    """The columns of a file that has no lines."""
    return pl.DataFrame(schema={**columns_of(file.kind), "cell": plan.schema["cell"], "line": pl.UInt32()})


def planned_lines(file: LineFile, run: Run, plan: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The file's chunks with numbered lines and planned cells. Raises LabError for the first line not in the plan."""
    known = plan.select(pl.col("cell").alias("known"), "planned", "rounds", "has_twin")
    wrong = pl.col("known").is_null() | (pl.col("round") >= pl.col("rounds")) | (pl.col("twin") & ~pl.col("has_twin"))
    if file.kind is Sample:
        wrong |= pl.col("planned").ne_missing(pl.col("repetitions")) | (pl.col("wall_ns") == 0)
    for chunk in file.chunks():
        lines = pl.int_range(chunk.first_line, chunk.first_line + len(chunk.frame), dtype=pl.UInt32).alias("line")
        named = pl.col("cell").cast(plan.schema["cell"], strict=False).alias("known")
        frame = chunk.frame.with_columns(named, lines)
        if (
            bad := frame.join(known, on="known", how="left", maintain_order="left")
            .filter(wrong)
            .head(1)
            .rows(named=True)
        ):
            raise _foreign(file.path, bad[0])
        yield frame.with_columns(pl.col("known").alias("cell")).drop("known")


def _foreign(path: Path, row: dict[str, object]) -> Exception:
    """Why a line cannot belong to this run."""
    cell, number, rounds, line = row["cell"], int(str(row["round"])), row["rounds"], int(str(row["line"]))
    if row["known"] is None:
        return errors.foreign_line(path, line, "cell", f"{cell!r} is not in the plan of run.json")
    if number >= int(str(rounds)):
        return errors.foreign_line(path, line, "round", f"round {number}, the plan has {rounds}, counted from 0")
    if row["twin"] and not row["has_twin"]:
        return errors.foreign_line(path, line, "twin", f"{cell!r} has no twin in the plan of run.json")
    if row["planned"] != row["repetitions"]:
        problem = f"{row['repetitions']}, the plan says {row['planned']}"
        return errors.foreign_line(path, line, "repetitions", problem)
    problem = "a timed loop of 0 ns; the clock of this runner does not run"
    return errors.foreign_line(path, line, "wall_ns", problem)


# summaries of the lines


class Measured(Struct, frozen=True, eq=False):
    """What a run measured in its whole rounds."""

    rounds: pl.DataFrame
    """`scenario`, `round` of each whole round. If no cell of a scenario is timed, all of its rounds are whole."""
    processes: pl.DataFrame
    """A row per timed process in a whole round, by cell, second name and round: times in ns, memory, errors."""
    counts: pl.DataFrame
    """A row per cell or second name with a sample: the most common value of each of COUNTS, of equally common ones that
    of the first round; the minimum of the cached bytes; the median of read and write calls per row."""
    calmness: Calmness
    """The loops of successful processes in whole rounds of cells with canaries, by cell, second name and round."""


def measured(frame: RunFrame) -> Measured:
    """What a run measured. Raises LabError for duplicate lines and for missing samples."""
    loops = _loops(frame)
    medians = _medians(frame)
    _check_counts(frame, loops, medians)
    rounds = _whole_rounds(frame, loops)
    bases = frame.processes.filter(pl.col("kind") == ProcessKind.BASE.value).select(
        *TIMED,
        base_ns=pl.col("wall_s") * 1e9,
        base_memory_bytes=pl.col("peak_memory_bytes").cast(pl.Float64),
        base_error=pl.col("error"),
    )
    processes = (
        loops.join(frame.plan.filter("timed").select("cell", "scenario"), on="cell")
        .join(rounds, on=["scenario", "round"], how="semi")
        .join(medians, on=TIMED, how="left")
        .join(bases, on=TIMED, how="left")
        .select(
            *TIMED,
            "loop_ns",
            "cpu_ns",
            "timed_ns",
            process_ns=pl.col("wall_s") * 1e9,
            peak_memory_bytes=pl.col("peak_memory_bytes").cast(pl.Float64),
            base_ns="base_ns",
            base_memory_bytes="base_memory_bytes",
            error="error",
            base_error="base_error",
        )
        .sort(TIMED)
    )
    well = processes.filter(pl.col("error").is_null())
    return Measured(rounds, processes, _counts(frame, well), _calmness(frame, well))


def facts_of(plan: pl.DataFrame) -> pl.DataFrame:
    """What decides by which canaries the loops of a cell are judged."""
    language = pl.col("codec").str.split("/").list.first()
    return plan.select("cell", "scenario", "canary", "binary", language=language)


def _calmness(frame: RunFrame, well: pl.DataFrame) -> Calmness:
    """References come from all canaries of the run, loops from successful processes alone."""
    whole = calmness(frame.run, frame.samples, facts_of(frame.plan))
    loops = whole.loops.join(well, on=TIMED, how="semi").sort(*TIMED, "index")
    return Calmness(
        whole.references, loops.select([*TIMED, "layout", "wall_ns", "before", "after", "canary_ns", "calm"])
    )


def _loops(frame: RunFrame) -> pl.DataFrame:
    """The timed processes, each once. Raises LabError for a duplicate process."""
    twice = frame.processes.filter(pl.struct(*TIMED, "kind").is_first_distinct().not_()).head(1)
    if len(twice):
        raise errors.foreign_line(
            stored_path(frame.path, PROCESSES), twice["line"][0], "cell", "this process is recorded twice"
        )
    return frame.processes.filter(pl.col("kind") == ProcessKind.LOOP.value).drop("kind", "loop_ns", strict=False)


def _medians(frame: RunFrame) -> pl.DataFrame:
    """Timed processes with the times of their loops. Raises LabError for a duplicate sample."""
    medians = frame.samples.group_by(TIMED).agg(
        pl.col("wall_ns").median().alias("loop_ns"),
        pl.col("cpu_ns").median(),
        pl.col("wall_ns").sum().cast(pl.Float64).alias("timed_ns"),
        pl.len().alias("samples"),
        pl.col("index").n_unique().alias("different"),
    )
    if (medians["samples"] != medians["different"]).any():
        key = [*TIMED, "index"]
        twice = frame.samples.filter(pl.struct(*key).is_first_distinct().not_()).sort("line").head(1)
        problem = f"sample {twice['index'][0]} of this process is recorded twice"
        raise errors.foreign_line(stored_path(frame.path, SAMPLES), twice["line"][0], "index", problem)
    return medians


def _check_counts(frame: RunFrame, loops: pl.DataFrame, medians: pl.DataFrame) -> None:
    """Raises LabError for the first successful process with fewer or more samples than planned."""
    well = loops.filter(pl.col("error").is_null()).join(medians, on=TIMED, how="left")
    asked = well.join(frame.plan.select("cell", asked="loops"), on="cell").sort("line")
    short = asked.filter(pl.col("samples").fill_null(0) != pl.col("asked")).head(1)
    if len(short):
        raise errors.missing_samples(
            stored_path(frame.path, PROCESSES), short["line"][0], short["samples"][0] or 0, short["asked"][0]
        )


def _whole_rounds(frame: RunFrame, loops: pl.DataFrame) -> pl.DataFrame:
    timed = frame.plan.filter("timed")
    expected = timed.group_by("scenario").agg(expected=pl.len().cast(pl.UInt32) + pl.col("has_twin").sum())
    whole = (
        loops.join(timed.select("cell", "scenario"), on="cell")
        .group_by("scenario", "round")
        .agg(pl.len().alias("recorded"))
        .join(expected, on="scenario")
        .filter(pl.col("recorded") == pl.col("expected"))
        .select("scenario", "round")
    )
    untimed = (
        frame.plan.join(timed, on="scenario", how="anti")
        .unique("scenario")
        .select("scenario", pl.int_ranges("rounds", dtype=pl.UInt32).alias("round"))
        .explode("round")
    )
    return pl.concat([whole, untimed])


def _counts(frame: RunFrame, well: pl.DataFrame) -> pl.DataFrame:
    """The counts in the samples of successful processes, a row per series."""
    samples = frame.samples.join(well, on=TIMED, how="semi")
    calls = (pl.col("read_calls") + pl.col("write_calls")) / pl.col("rows")
    counts = samples.group_by(NAME).agg(
        pl.col("cached_bytes").min(), calls.filter(pl.col("rows") > 0).median().alias("calls_a_row")
    )
    kinds = samples.group_by(*NAME, *COUNTS).agg(
        samples=pl.len(), round=pl.col("round").min(), line=pl.col("line").min()
    )
    for name in COUNTS:
        most_common = (
            kinds.group_by(*NAME, name)
            .agg(pl.col("samples").sum(), pl.col("round").min(), pl.col("line").min())
            .sort("samples", "round", "line", descending=[True, False, False])
            .group_by(NAME, maintain_order=True)
            .agg(pl.col(name).first())
        )
        counts = counts.join(most_common, on=NAME)
    return counts
