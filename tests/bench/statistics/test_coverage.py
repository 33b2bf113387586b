"""Whether the interval in which a measurement ends holds the truth as often as it says."""

import pytest

from tests.studies.coverage import coverage

MOST = 24


@pytest.mark.parametrize("skewed", [False, True])
def test_after_stopping_the_interval_of_a_ratio_still_holds_the_truth(skewed: bool) -> None:
    ratio, _ = coverage(8, MOST, 0.02, skewed=skewed, runs=60)
    assert ratio >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("layouts", [8, 16])
@pytest.mark.parametrize("between", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("skewed", [False, True])
def test_from_8_layouts_on_it_does_in_93_of_100(layouts: int, between: float, skewed: bool) -> None:
    ratio, _ = coverage(layouts, MOST, between, skewed=skewed, runs=400)
    assert ratio >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("layouts", [8, 16])
@pytest.mark.parametrize("between", [0.0, 0.02, 0.05])
def test_so_does_the_interval_of_a_cell_whose_layouts_have_no_long_tail(layouts: int, between: float) -> None:
    _, cell = coverage(layouts, MOST, between, skewed=False, runs=400)
    assert cell >= 0.93
