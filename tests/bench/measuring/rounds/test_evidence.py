"""Samples as evidence: what is calm, what is gated, and how well each cell is known."""

import math
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from bench.measuring.rounds.evidence import Context, judge
from bench.model.cells import Operation
from bench.model.plan import Timed
from bench.model.record import CanaryReference, Sample
from tests.bench.measuring.test_plan import planned

REPETITIONS = 10
CALIBRATED = CanaryReference(500, 510, 0.9, 1000)


def timed(codec: str = "x/a", canary: str | None = "fake/1") -> Timed:
    return replace(planned(codec, repetitions=REPETITIONS), canary=canary)


def samples(cell: Timed, *, rounds: int = 8, layouts: int = 4, **fields: int | None) -> Iterable[Sample]:
    """Chains of six loops; times differ in their last digits only."""
    for round_ in range(rounds):
        for index in range(6):
            usual = {"canary_before_ns": 500, "canary_after_ns": 500, "involuntary_switches": 0}
            wall_ns = 1_000_000 + 17 * ((round_ * 7 + index * 3) % 11)
            yield Sample(
                cell=str(cell.cell),
                round=round_,
                place=0,
                index=index,
                layout=round_ % layouts + 1 if layouts else 0,
                repetitions=REPETITIONS,
                encoded_bytes=22,
                checksum="crc32:00000000",
                **({"wall_ns": wall_ns, "cpu_ns": wall_ns} | usual | fields),
            )


def context(*cells: Timed, linked: bool = True, **calibration: CanaryReference) -> Context:
    return Context(
        timed={str(cell.cell): cell for cell in cells},
        calibration={"fake/1": CALIBRATED} | calibration,
        linked=lambda _: linked,
    )


def test_calm_loops_in_every_layout_make_a_cell_precise():
    evidence = judge(samples(timed()), context(timed()))
    assert evidence.calm_share == 1
    (precision,) = evidence.precisions
    assert precision.is_precise
    assert not precision.wants_layouts


def test_disturbed_loops_are_not_calm_and_make_nothing_precise():
    evidence = judge([*samples(timed(), canary_after_ns=600)], context(timed()))
    assert (evidence.loops, evidence.calm) == (48, 0)
    assert not evidence.precisions[0].is_precise


def test_a_layout_whose_loops_were_all_disturbed_is_not_enough():
    chosen = [
        replace(sample, canary_before_ns=900) if sample.layout == 3 else sample for sample in samples(timed(), rounds=8)
    ]
    (precision,) = judge(chosen, context(timed())).precisions
    assert not precision.enough
    assert math.isfinite(precision.within)


def test_one_process_a_layout_does_not_tell_how_far_processes_differ():
    (precision,) = judge(samples(timed(), rounds=4), context(timed())).precisions
    assert not precision.is_precise
    (precision,) = judge(samples(timed(), rounds=5), context(timed())).precisions
    assert precision.is_precise


def test_layouts_that_differ_want_more_of_them():
    chosen = [replace(sample, wall_ns=sample.wall_ns + 50_000 * sample.layout) for sample in samples(timed())]
    chosen = [replace(sample, cpu_ns=sample.wall_ns) for sample in chosen]
    (precision,) = judge(chosen, context(timed())).precisions
    assert precision.is_precise
    assert precision.wants_layouts


def test_of_a_single_layout_the_processes_are_the_units():
    chosen = [replace(sample, layout=0) for sample in samples(timed())]
    (precision,) = judge(chosen, context(timed(), linked=False)).precisions
    assert precision.is_precise
    assert not precision.linked


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        (timed(canary=None), {"canary_before_ns": None, "canary_after_ns": None}),
        (replace(timed(), estimate_ns=50_100_000.0), {"wall_ns": 501_000_000, "cpu_ns": 501_000_000}),
        (replace(timed(), cell=replace(timed().cell, operation=Operation.WRITE)), {}),
    ],
    ids=["no canary", "long repetitions", "files"],
)
def test_what_cannot_be_gated_is_not_waited_for(cell, fields):
    assert judge(samples(cell, **fields), context(cell)).precisions == []


def test_a_twin_counts_as_loops_but_is_not_waited_for():
    evidence = judge([replace(sample, twin=True) for sample in samples(timed())], context(timed()))
    assert (evidence.loops, evidence.precisions) == (48, [])


def test_the_run_s_own_canaries_replace_a_calibration_that_they_differ_from():
    slower = [*samples(timed(), canary_before_ns=600, canary_after_ns=600)]
    assert judge(slower, context(timed())).calm_share == 1
    disturbed = [*samples(timed(), canary_before_ns=600, canary_after_ns=600), *samples(timed())]
    assert judge(disturbed, context(timed())).calm_share == 0.5


def test_canaries_of_plain_code_are_held_against_their_own_binary():
    slow, fast = timed("x/slow", "portable/1"), timed("x/fast", "portable/1")
    both = [*samples(slow, canary_before_ns=900, canary_after_ns=900), *samples(fast)]
    assert judge(both, context(slow, fast)).calm_share == 1
    named = [replace(cell, canary="fake/1") for cell in (slow, fast)]
    assert judge(both, context(*named)).calm_share == 0.5


def test_copies_are_held_against_those_of_their_language():
    calm = [*samples(timed(), copy_before_ns=100, copy_after_ns=100)]
    disturbed = [*samples(timed(), copy_before_ns=100, copy_after_ns=120)]
    assert judge(calm + disturbed, context(timed())).calm_share == 0.5


def test_without_samples_nothing_is_known():
    evidence = judge([], context(timed()))
    assert (evidence.precisions, evidence.calm_share) == ([], 0.0)
