"""How often a verdict is wrong, by simulation; the numbers stand in METHODOLOGY.md."""

from collections import Counter
from collections.abc import Iterable

import pytest

from analysis.claims.verdicts import Verdict
from tests.studies.verdict_simulation import (
    EQUAL_CLAIMS,
    FASTER_CLAIMS,
    SETTINGS,
    Claimed,
    Setting,
    verdicts,
    verdicts_against_several,
    verdicts_of_one_layout,
)

TRIALS = 300
CLAIMS = [*FASTER_CLAIMS, *EQUAL_CLAIMS]
MOST_FALSE_REFUTATIONS = 0.01
MOST_FALSE_REPRODUCTIONS = 0.025
"""Half of what a 95 % interval leaves out: a truth at the band's edge, or beyond it, on one side."""


def shares(found: Iterable[Verdict]) -> dict[Verdict, float]:
    counted = Counter(found)
    return {verdict: counted[verdict] / counted.total() for verdict in Verdict}


def pooled(claimed: Claimed, seed: int = 1) -> dict[Verdict, float]:
    """The shares over all numbers of layouts, spreads and noises."""
    return shares(verdict for setting in SETTINGS for verdict in verdicts(claimed, setting, TRIALS, seed))


@pytest.mark.parametrize("claimed", [one for one in CLAIMS if one.is_wrong(Verdict.REFUTED)], ids=str)
def test_at_most_one_in_a_hundred_refutations_is_false(claimed: Claimed) -> None:
    assert pooled(claimed)[Verdict.REFUTED] <= MOST_FALSE_REFUTATIONS


@pytest.mark.parametrize("claimed", [one for one in CLAIMS if one.is_wrong(Verdict.REPRODUCED)], ids=str)
def test_what_is_outside_the_band_is_hardly_ever_reproduced(claimed: Claimed) -> None:
    assert pooled(claimed)[Verdict.REPRODUCED] <= MOST_FALSE_REPRODUCTIONS


@pytest.mark.parametrize("claimed", [one for one in CLAIMS if one.is_wrong(Verdict.SAME_DIRECTION)], ids=str)
def test_what_is_no_faster_hardly_ever_has_the_same_direction(claimed: Claimed) -> None:
    assert pooled(claimed)[Verdict.SAME_DIRECTION] <= MOST_FALSE_REPRODUCTIONS


def test_twelve_rows_that_are_all_as_fast_refute_no_claim_to_be_the_fastest() -> None:
    found = shares(v for layouts in (4, 8, 16) for v in verdicts_against_several(12, Setting(layouts, 0.02, 0.03), 200))
    assert found[Verdict.REFUTED] <= MOST_FALSE_REFUTATIONS


@pytest.mark.parametrize("claimed", [one for one in CLAIMS if one.is_wrong(Verdict.REFUTED)], ids=str)
@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_one_layout_refutes_nothing_that_another_would_not(claimed: Claimed, spread: float) -> None:
    assert shares(verdicts_of_one_layout(claimed, spread, 0.03, 1_000))[Verdict.REFUTED] <= MOST_FALSE_REFUTATIONS


def test_with_enough_layouts_and_calm_loops_most_claims_are_decided_rightly() -> None:
    """Else a test that never decides anything would pass all of the above."""
    calm = Setting(16, 0.02, 0.01)
    inside, between, _, turned = (FASTER_CLAIMS[index] for index in (0, 2, 3, 4))
    assert shares(verdicts(inside, calm, TRIALS, 1))[Verdict.REPRODUCED] > 0.95
    assert shares(verdicts(between, calm, TRIALS, 1))[Verdict.SAME_DIRECTION] > 0.9
    assert shares(verdicts(turned, calm, TRIALS, 1))[Verdict.REFUTED] > 0.9
