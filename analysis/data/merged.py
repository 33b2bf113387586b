"""merged.json: the summary that `lab merge` writes next to a data set's Parquet files."""

from typing import Annotated

from msgspec import Meta, Struct

from analysis.statistics.intervals import Interval, Vector, large_median_interval, mad, seed_of
from bench.model.cells import Operation
from bench.model.fields import Count, Sha256, Version
from bench.model.plan import Profile

FILE = "merged.json"


class MergedRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that went into the data set."""

    id: str
    platform: str
    created: str
    finished: str | None
    """None for a run that was not finished when it was merged; its whole rounds count."""
    profile: Profile
    samples: Count
    processes: Count
    run_sha256: Sha256
    samples_sha256: Sha256
    processes_sha256: Sha256


class Summary(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell on one platform over the whole rounds of all its runs; ns of one repetition."""

    runs: Count
    rounds: Count
    median_ns: float
    low_ns: float
    high_ns: float
    """Bootstrap 95 % interval of the median."""
    min_ns: float
    max_ns: float
    mad_ns: float
    encoded_bytes: int | None


class MergedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell on every platform that measured it."""

    codec: str
    scenario: str
    operation: Operation
    conditions: dict[str, str]
    platforms: dict[str, Summary]
    min_ns: float
    max_ns: float
    """Over all platforms, as publications print ranges; the machines differ, so this is not a confidence interval."""


class Merged(Struct, frozen=True, forbid_unknown_fields=True):
    """merged.json."""

    protocol: Version
    samples: Count
    rounds_whole: Annotated[
        dict[str, Count], Meta(description="Run and scenario → rounds in which every cell has a row")
    ]
    runs: list[MergedRun]
    cells: list[MergedCell]


def summary_of(name: str, platform: str, runs: int, values: Vector, encoded_bytes: int | None) -> Summary:
    """Summarizes times of one repetition in ns, one per round, shape (k,), k ≥ 1; rounds of all runs count alike."""
    median: Interval = large_median_interval(values, seed_of(name, platform))
    return Summary(
        runs=runs,
        rounds=len(values),
        median_ns=median.point,
        low_ns=median.low,
        high_ns=median.high,
        min_ns=float(values.min()),
        max_ns=float(values.max()),
        mad_ns=mad(values),
        encoded_bytes=encoded_bytes,
    )
