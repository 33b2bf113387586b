import pytest
from scipy import stats

from bench.statistics.student import student_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 6, 9, 10, 49, 50, 999, 9_999])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.975, 0.999])
def test_quantiles_of_student_are_those_of_scipy(share: float, degrees: int) -> None:
    assert student_quantile(share, degrees) == pytest.approx(stats.t.ppf(share, degrees), rel=1e-9, abs=1e-12)


def test_quantiles_of_student_are_those_of_his_table() -> None:
    """Student 1908 by way of any textbook: t₀.₉₇₅ of 1, 5 and 30 degrees of freedom."""
    assert [round(student_quantile(0.975, degrees), 3) for degrees in (1, 5, 30)] == [12.706, 2.571, 2.042]


@pytest.mark.parametrize("degrees", [2.5, 3.5, 7.2, 20.9])
def test_between_whole_degrees_the_quantile_is_never_too_small(degrees: float) -> None:
    exact = stats.t.ppf(0.975, degrees)
    assert exact <= student_quantile(0.975, degrees) <= 1.02 * exact
