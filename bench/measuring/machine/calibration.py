"""How fast canaries are on this machine when nothing disturbs them, and how often something does."""

from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from bench.base.progress import Report
from bench.base.supervision import MESSAGE_BYTES
from bench.building.runner import Runner, RunnerError
from bench.model.description import Description
from bench.model.fields import Nanoseconds, Text
from bench.model.record import CanaryReference
from bench.statistics.calm import Vector, calm_share, is_portable, percentile_2, within

CALIBRATION_S = 10.0
"""Neighbours disturb for minutes, but hardly ever every millisecond of ten seconds: 2 % of those suffice."""


class CanaryTimes(Struct, frozen=True):
    """What `canary` prints."""

    canary: Text
    canary_ns: Annotated[list[Nanoseconds], Meta(min_length=1, max_length=1_000_000)]


class Calmness(Struct, frozen=True):
    """How calm a machine was for some seconds."""

    calm_share: float
    """The share of canaries within 10 % of their 2nd percentile."""
    calm_pairs: float
    """The share of neighbours that both were: about that of loops that will be calm."""
    longest_ms: float
    """The longest disturbance: consecutive canaries that were not."""


def calibrate(
    runners: Mapping[Runner, Description], report: Report, *, cpu: int | None, seconds: float = CALIBRATION_S
) -> dict[str, CanaryReference]:
    """Each kernel's reference, from one of the runners that have it.

    Kernels of plain code have none: their times differ from binary to binary, so each is judged by its own.
    """
    result: dict[str, CanaryReference] = {}
    for kernel, runner in sorted(kernels(runners).items()):
        report(f"calibrating: {kernel}, {seconds:g} s")
        try:
            times_ns = run_canaries(runner, seconds, cpu=cpu)
        except RunnerError as error:
            report(f"{kernel} was not calibrated, the run's own canaries stand in: {runner.entry.name}: {error}")
            continue
        reference_ns = percentile_2(times_ns)
        result[kernel] = CanaryReference(
            percentile_2_ns=round(reference_ns),
            median_ns=round(float(np.median(times_ns))),
            calm_share=round(calm_share(times_ns, reference_ns), 4),
            canaries=len(times_ns),
        )
    return result


def kernels(runners: Mapping[Runner, Description]) -> dict[str, Runner]:
    """Kernel → the first runner that has it, of those whose times compare across binaries."""
    result: dict[str, Runner] = {}
    for runner, description in sorted(runners.items(), key=lambda item: item[0].entry.name):
        if description.canary and not is_portable(description.canary):
            result.setdefault(description.canary, runner)
    return result


def run_canaries(runner: Runner, seconds: float, *, cpu: int | None) -> Vector:
    """The times of a runner's canaries over some seconds, shape (n,), n ≥ 1. Raises RunnerError."""
    printed = runner.call(["canary", "--seconds", f"{seconds:g}"], output_bytes=MESSAGE_BYTES, cpu=cpu)
    try:
        times = msgspec.json.decode(printed, type=CanaryTimes)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RunnerError(f"canary: {error}") from None
    return np.array(times.canary_ns, dtype=np.float64)


def calmness(times_ns: Vector) -> Calmness:
    """How calm the machine was, given the times of consecutive canaries, shape (n,), n ≥ 1."""
    calm = within(times_ns, percentile_2(times_ns))
    pairs = calm[:-1] & calm[1:]
    return Calmness(
        float(np.mean(calm)),
        float(np.mean(pairs)) if len(pairs) else float(calm[0]),
        max((float(np.sum(times_ns[start:end])) for start, end in disturbances(calm)), default=0.0) / 1e6,
    )


def disturbances(calm: Iterable[bool]) -> list[tuple[int, int]]:
    """(Start, end) of each row of canaries that were not calm."""
    found: list[tuple[int, int]] = []
    for index, is_calm in enumerate(calm):
        if not is_calm:
            start = found.pop()[0] if found and found[-1][1] == index else index
            found.append((start, index + 1))
    return found
