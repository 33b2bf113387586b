"""Each verdict from intervals, and how much more measuring would decide: known cases, computed by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.claims.needs import need, units_needed
from analysis.claims.verdicts import (
    Band,
    Judgement,
    Verdict,
    verdict_of_difference,
    verdict_of_factor,
    verdict_of_figure,
)
from analysis.statistics.estimates import Estimate, Unit, exact

PUBLISHED_TWICE = Band(2.0, 1.8, 2.2)
FLOOR = 0.03


def estimate(
    point: float,
    half: float,
    *,
    half99: float | None = None,
    units: int = 8,
    kind: Unit = Unit.LAYOUTS,
    within: float = 0.0,
    rounds: int | None = None,
) -> Estimate:
    """An estimate with these half-widths, as logarithms."""
    wide = half * 1.5 if half99 is None else half99
    bounds = (math.exp(shift) * point for shift in (-half, half, -wide, wide))
    return Estimate(point, *bounds, units, kind, within, 2.0 * (units - 1), rounds)


def judge(point: float, half: float, direction: str = "less", band: Band = PUBLISHED_TWICE) -> Judgement:
    return verdict_of_factor(direction, estimate(point, half), band, FLOOR)


@pytest.mark.parametrize(
    ("point", "half", "expected"),
    [
        (2.0, 0.05, Verdict.REPRODUCED),
        (2.0, 0.15, Verdict.SAME_DIRECTION),  # 1.72–2.32 holds the band, and more
        (1.9, 0.06, Verdict.SAME_DIRECTION),  # from 1.79
        (2.5, 0.05, Verdict.SAME_DIRECTION),
        (1.2, 0.05, Verdict.SAME_DIRECTION),
        (1.05, 0.05, Verdict.UNDECIDED),
        (1.02, 0.001, Verdict.UNDECIDED),  # within the floor
        (1.0, 0.001, Verdict.UNDECIDED),  # a tie refutes nothing
        (0.96, 0.005, Verdict.REFUTED),
        (0.96, 0.01, Verdict.UNDECIDED),  # below 1 / 1.03 = 0.971 at 95 %, not at 99 %
        (0.5, 0.05, Verdict.REFUTED),
    ],
)
def test_faster_by_twice(point: float, half: float, expected: Verdict) -> None:
    assert judge(point, half).verdict is expected


@pytest.mark.parametrize(
    ("point", "half", "expected"),
    [
        (1.0, 0.05, Verdict.REPRODUCED),
        (1.09, 0.001, Verdict.REPRODUCED),
        (1.09, 0.05, Verdict.UNDECIDED),
        (1.12, 0.001, Verdict.UNDECIDED),  # outside, but by less than the floor
        (1.2, 0.02, Verdict.REFUTED),
        (1.2, 0.05, Verdict.UNDECIDED),  # at 99 % from 1.113
        (0.8, 0.02, Verdict.REFUTED),
        (1.0, 0.5, Verdict.UNDECIDED),
    ],
)
def test_as_fast_as(point: float, half: float, expected: Verdict) -> None:
    assert judge(point, half, "equal", Band(1.0, 1 / 1.1, 1.1)).verdict is expected


@pytest.mark.parametrize(
    ("point", "half", "expected"),
    [
        (2.5, 0.05, Verdict.REPRODUCED),
        (2.05, 0.05, Verdict.SAME_DIRECTION),
        (1.5, 0.05, Verdict.REFUTED),  # the right way round, and outside the limit that the claim states
        (1.85, 0.05, Verdict.UNDECIDED),  # at 99 % up to 1.99: outside by less than the floor
    ],
)
def test_at_least_twice_as_fast(point: float, half: float, expected: Verdict) -> None:
    assert judge(point, half, band=Band(3.0, 2.0, math.inf, stated=True)).verdict is expected


def test_a_band_that_holds_1_reproduces_no_tie_of_what_is_claimed_to_be_faster() -> None:
    assert judge(1.0, 0.001, band=Band(1.05, 0.95, 1.16)).verdict is Verdict.UNDECIDED
    assert judge(1.1, 0.01, band=Band(1.05, 0.95, 1.16)).verdict is Verdict.REPRODUCED
    assert judge(0.96, 0.001, band=Band(1.05, 0.95, 1.16)).verdict is Verdict.REFUTED


def test_a_size_the_other_way_round_is_refuted_though_its_band_holds_it() -> None:
    band = Band(1.05, 0.945, 1.155)
    assert verdict_of_factor("less", exact(0.97), band, 0.0).verdict is Verdict.REFUTED
    assert verdict_of_factor("equal", exact(0.97), band, 0.0).verdict is Verdict.REPRODUCED
    assert verdict_of_factor("less", exact(1.0), band, 0.0).verdict is Verdict.REPRODUCED


@pytest.mark.parametrize("direction", ["less", "greater", "equal"])
@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.25, Verdict.REFUTED), (1.125, Verdict.REPRODUCED), (1.135, Verdict.REPRODUCED), (1.0, Verdict.REFUTED)],
)
def test_a_size_is_inside_its_limits_or_refuted(direction: str, value: float, expected: Verdict) -> None:
    limits = Band(1.25, 1.115, 1.135, stated=True)
    assert verdict_of_factor(direction, exact(value), limits, 0.0).verdict is expected


@pytest.mark.parametrize(
    ("point", "half", "expected"),
    [(70, 0.01, Verdict.REPRODUCED), (35, 0.1, Verdict.REFUTED), (60, 0.01, Verdict.UNDECIDED)],
)
def test_a_rate_of_at_least_60(point: float, half: float, expected: Verdict) -> None:
    assert verdict_of_figure(estimate(point, half), Band(61, 60, math.inf, stated=True), FLOOR).verdict is expected


@pytest.mark.parametrize(
    ("point", "error", "band", "expected"),
    [
        (2000, 100, None, Verdict.SAME_DIRECTION),
        (2000, 100, Band(2000, 1500, 2500), Verdict.REPRODUCED),
        (200, 100, None, Verdict.UNDECIDED),
        (2000, 3000, None, Verdict.UNDECIDED),
        (-2000, 100, None, Verdict.REFUTED),
    ],
)
def test_more_memory(point: float, error: float, band: Band | None, expected: Verdict) -> None:
    bounds = (point - error, point + error, point - 2 * error, point + 2 * error)
    taken = Estimate(point, *bounds, 5, Unit.ROUNDS, 1.0, 4.0)
    assert verdict_of_difference(taken, band, 300).verdict is expected


@pytest.mark.parametrize(("kind", "units"), [(Unit.ROUNDS, 5), (Unit.LAYOUTS, 1)])
def test_too_few_decide_nothing(kind: Unit, units: int) -> None:
    judged = verdict_of_factor("less", estimate(0.1, 0.0, units=units, kind=kind), PUBLISHED_TWICE, FLOOR)
    assert judged.verdict is Verdict.UNDECIDED
    assert judged.need is not None
    assert judged.need.units == units + 1


def test_one_layout_within_its_margin_needs_layouts_and_no_rounds() -> None:
    judged = verdict_of_factor("less", estimate(1.05, 0.001, units=50, kind=Unit.ROUNDS), PUBLISHED_TWICE, 0.10)
    assert judged.need is not None
    assert (judged.need.kind, judged.need.now, judged.need.units) == (Unit.LAYOUTS, 1, 8)


@settings(deadline=None)
@given(
    st.sampled_from(["less", "greater", "equal"]),
    st.floats(0.2, 5),
    st.floats(1e-4, 2),
    st.floats(0.2, 5),
    st.floats(0, 0.5),
    st.floats(0, 0.5),
)
def test_no_interval_that_holds_what_is_claimed_is_refuted(
    direction: str, point: float, half: float, published: float, tolerance: float, floor: float
) -> None:
    measured = estimate(point, half)
    band = Band(published, published / (1 + tolerance), published * (1 + tolerance))
    judged = verdict_of_factor(direction, measured, band, floor)
    if measured.low99 <= (published if direction == "equal" else 1) <= measured.high99:
        assert judged.verdict is not Verdict.REFUTED
    if judged.verdict is Verdict.REPRODUCED:
        assert band.low <= measured.low <= measured.high <= band.high
    assert judged.why


# how much more


@pytest.mark.parametrize("units", [4, 8, 16])
@pytest.mark.parametrize("shrink", [0.9, 0.5, 0.2])
def test_units_needed_are_the_fewest_at_which_student_s_interval_is_narrow_enough(units: int, shrink: float) -> None:
    def half(count: int) -> float:
        return float(stats.t.ppf(0.975, 2 * (count - 1))) / math.sqrt(count)

    expected = next(count for count in range(units + 1, 10_000) if half(count) <= shrink * half(units))
    found = units_needed(shrink, units, 2 * (units - 1), 0.95)
    assert found is not None
    assert expected <= found <= 1.02 * expected


def test_nothing_is_promised_beyond_ten_thousand() -> None:
    assert units_needed(1e-3, 8, 14, 0.95) is None
    assert units_needed(0.0, 8, 14, 0.95) is None


def test_more_layouts_where_these_dominate_and_more_rounds_where_noise_does() -> None:
    assert need(0.5, estimate(1.1, 0.1, within=0.1, rounds=40), 0.95).kind is Unit.LAYOUTS
    by_rounds = need(0.8, estimate(1.1, 0.1, within=0.9, rounds=40), 0.95)
    assert (by_rounds.kind, by_rounds.now) == (Unit.ROUNDS, 40)
    assert by_rounds.units == math.ceil(40 * 0.9 / (0.64 - 0.1)), "0.1 of the square stays, 0.9 shrinks to 0.54"
    assert need(0.3, estimate(1.1, 0.1, within=0.9, rounds=40), 0.95).kind is Unit.LAYOUTS, "0.09 < 0.1: rounds alone"


def test_what_is_undecided_is_decided_by_what_it_needs() -> None:
    before = judge(1.1, 0.1)
    assert before.need is not None
    assert before.need.units is not None
    degrees = 2 * (before.need.units - 1)
    narrower = 0.1 * float(stats.t.ppf(0.975, degrees) / stats.t.ppf(0.975, 14)) * math.sqrt(8 / before.need.units)
    assert judge(1.1, narrower).verdict is Verdict.SAME_DIRECTION
