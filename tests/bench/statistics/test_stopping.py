"""The rule of when enough was measured, case by case."""

import math

import pytest
from msgspec.structs import replace

from bench.model.record import EndingRule
from bench.statistics.stopping import Further, Precision, Progress, after_block, precise_share

PRECISE = Precision(within=0.009, between=0.005, enough=True)
NOISY = Precision(within=0.011, between=0.005, enough=True)
SPREAD = Precision(within=0.009, between=0.03, enough=True)
HALFWAY = Progress(rounds=16, least_rounds=8, most_rounds=40, layouts=4, most_layouts=4, seconds=5, budget_s=10)


def test_it_ends_once_every_cell_is_precise() -> None:
    assert after_block([PRECISE] * 3, HALFWAY) is EndingRule.PRECISE
    assert after_block([PRECISE, NOISY], HALFWAY) is Further.ROUNDS


def test_one_percent_is_precise_enough() -> None:
    assert replace(PRECISE, within=0.01).is_precise
    assert not replace(PRECISE, within=math.inf).is_precise


def test_a_layout_without_enough_calm_loops_is_not_precise() -> None:
    assert after_block([replace(PRECISE, enough=False)], HALFWAY) is Further.ROUNDS


def test_it_ends_once_the_budget_is_spent() -> None:
    assert after_block([NOISY], replace(HALFWAY, seconds=10)) is EndingRule.BUDGET
    assert after_block([NOISY], replace(HALFWAY, seconds=9.99)) is Further.ROUNDS


def test_what_is_precise_when_the_budget_is_spent_ended_as_precise() -> None:
    assert after_block([PRECISE], replace(HALFWAY, seconds=10)) is EndingRule.PRECISE


@pytest.mark.parametrize("cells", [[PRECISE], [NOISY]])
def test_it_never_ends_before_the_least_rounds(cells: list[Precision]) -> None:
    assert after_block(cells, replace(HALFWAY, rounds=4, seconds=99)) is Further.ROUNDS


@pytest.mark.parametrize("cells", [[PRECISE], [NOISY], []])
def test_it_ends_with_the_last_round(cells: list[Precision]) -> None:
    assert after_block(cells, replace(HALFWAY, rounds=40)) is EndingRule.ROUNDS


def test_a_fixed_number_of_rounds_is_measured_whatever_they_show() -> None:
    fixed = replace(HALFWAY, budget_s=None, most_layouts=24)
    assert after_block([PRECISE], fixed) is Further.ROUNDS
    assert after_block([SPREAD], fixed) is Further.ROUNDS


def test_where_layouts_dominate_they_are_added_as_long_as_there_may_be_more() -> None:
    more = replace(HALFWAY, most_layouts=24)
    assert after_block([PRECISE, SPREAD], more) is Further.LAYOUTS
    assert after_block([PRECISE, SPREAD], replace(more, layouts=24)) is EndingRule.PRECISE
    assert after_block([PRECISE, SPREAD], replace(more, seconds=10)) is EndingRule.BUDGET


@pytest.mark.parametrize(
    "changes",
    [{"between": 0.0099, "within": 0.001}, {"within": 0.04}, {"enough": False}, {"linked": False}],
)
def test_a_cell_wants_no_layouts_where_they_are_not_what_is_missing(changes: dict[str, float]) -> None:
    assert SPREAD.wants_layouts
    assert not replace(SPREAD, **changes).wants_layouts


def test_without_gated_cells_only_rounds_and_budget_count() -> None:
    assert after_block([], HALFWAY) is Further.ROUNDS
    assert after_block([], replace(HALFWAY, seconds=10)) is EndingRule.BUDGET
    assert precise_share([]) == 0


def test_the_share_of_precise_cells() -> None:
    assert precise_share([PRECISE, NOISY, SPREAD, NOISY]) == 0.5
