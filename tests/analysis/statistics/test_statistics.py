"""Statistics against known values from outside, then against what must hold for any data."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.clocks import check_clocks, cpu_share
from analysis.statistics.estimates import Estimate, Unit
from analysis.statistics.intervals import (
    RESAMPLES,
    Interval,
    bootstrap_medians,
    large_median_interval,
    mad,
    median,
    median_interval,
    resampled_medians,
    seed_of,
    sorting_network,
)
from analysis.statistics.noise import (
    modified_z_scores,
    noise_floor,
    outliers,
)
from analysis.statistics.ratios import (
    geometric_mean_intervals,
    is_tie,
    log_ratios,
    ranks,
    ratio_interval,
    ratio_intervals,
    unpaired_ratio_intervals,
)
from analysis.statistics.sides import of_rounds

positive = st.floats(min_value=1.0, max_value=1e9)
vectors = st.lists(positive, min_size=1, max_size=12).map(np.array)
pairs = st.integers(1, 12).flatmap(
    lambda k: st.tuples(*(st.lists(positive, min_size=k, max_size=k).map(np.array) for _ in range(2)))
)
few = settings(max_examples=30, deadline=None)


# known values


def test_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    assert median(np.array([8.0, 1.0, 4.0, 3.0])) == 3.5


def test_mad_by_hand_and_by_scipy() -> None:
    values = np.array([1.0, 1, 2, 2, 4, 6, 9])  # median 2, deviations 1 1 0 0 2 4 7
    assert mad(values) == 1.0 == stats.median_abs_deviation(values)


def test_modified_z_scores_by_hand() -> None:
    """Median 2.45, MAD 0.15: 0.6745 · 5.75 / 0.15 = 25.86 and 0.6745 · 5.85 / 0.15 = 26.31."""
    values = np.array([2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3])
    scores = modified_z_scores(values)
    assert scores[8:] == pytest.approx([25.86, 26.31], abs=0.01)
    assert max(abs(scores[:8])) == pytest.approx(1.57, abs=0.01)
    assert outliers(values).tolist() == [False] * 8 + [True] * 2


@few
@given(st.integers(2, 60).flatmap(lambda k: st.lists(positive, min_size=k, max_size=k)), st.integers(0, 2**64 - 1))
def test_bootstrap_medians_and_their_interval_are_those_of_scipy_to_the_bit(values: list[float], seed: int) -> None:
    vector = np.array(values)
    scipy = stats.bootstrap(
        (vector,), np.median, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(seed)
    )
    assert np.array_equal(resampled_medians(vector, seed), scipy.bootstrap_distribution)
    bounds, interval = scipy.confidence_interval, median_interval(vector, seed)
    assert interval.low == max(bounds.low, min(values))
    assert interval.high == min(bounds.high, max(values))


@pytest.mark.parametrize("count", range(1, 13))
def test_a_sorting_network_sorts_every_vector_of_zeros_and_ones(count: int) -> None:
    """A network that sorts these sorts everything (Knuth, volume 3, §5.3.4, the 0–1 principle)."""
    columns = [*np.array([*itertools.product((0, 1), repeat=count)]).T]
    for lower, upper in sorting_network(count):
        one, other = columns[lower], columns[upper]
        columns[lower], columns[upper] = np.minimum(one, other), np.maximum(one, other)
    assert (np.diff(columns, axis=0) >= 0).all()


def test_outlier_limit_is_that_of_hyperfine() -> None:
    """Hyperfine: |x − median| / MAD above 14.826; here median 3 and MAD 1."""
    usual = [1.0, 2, 3, 3, 4, 5, 3, 2]
    assert not outliers(np.array([*usual, 3 + 14.82])).any()
    assert outliers(np.array([*usual, 3 + 14.84])).sum() == 1


def test_nothing_is_an_outlier_where_mad_is_zero() -> None:
    assert not outliers(np.array([1.0, 1, 1, 1, 50])).any()


def test_bootstrap_interval_against_the_exact_distribution() -> None:
    """Of an odd k a bootstrap median is ≤ x₍ᵢ₎ with the probability that at least (k+1)/2 draws are: binomial."""
    values = np.arange(1.0, 12.0)
    share = 1 - stats.binom.cdf(5, 11, np.arange(1, 12) / 11)
    exact = [values[np.searchsorted(share, bound)] for bound in (0.025, 0.975)]
    found = median_interval(values, 1)
    assert [found.low, found.high] == exact


def test_ratio_of_a_true_factor_with_shared_drift_is_exact() -> None:
    base = np.array([10.0, 14, 11, 30, 12])
    found = ratio_interval(base * 1.5, base, 1)
    assert [found.point, found.low, found.high] == pytest.approx([1.5] * 3)


def test_competition_ranking() -> None:
    close = {("b", "a"), ("c", "b"), ("d", "c")}
    assert ranks("abcd", lambda one, other: (one, other) in close) == [1, 1, 3, 3]
    assert ranks("abcd", lambda *_: False) == [1, 2, 3, 4]
    assert ranks("abcd", lambda *_: True) == [1, 1, 1, 1]
    assert ranks("", lambda *_: True) == []


def test_noise_floor_by_hand() -> None:
    """d = ln 1.02, ln 1/1.01, 0: √(mean d²) = 0.012788; t₀.₉₇₅ of 3 = 3.1824; e^0.040698 − 1 = 4.15 %."""
    floor = noise_floor([1.02, 1 / 1.01, 1.0])
    assert floor.share == pytest.approx(0.041537, rel=1e-3)
    assert floor.largest == pytest.approx(0.02)
    assert floor.pairs == 3


def estimated(low: float, point: float, high: float, kind: Unit = Unit.LAYOUTS) -> Estimate:
    return Estimate(point, low, high, low, high, 8, kind, 0.5, 7.0)


@pytest.mark.parametrize(
    ("ratio", "floor", "tied"),
    [
        (estimated(1.01, 1.03, 1.05), 0.0, False),
        (estimated(1.01, 1.03, 1.05), 0.01, True),
        (estimated(1.021, 1.03, 1.05), 0.02, False),
        (estimated(0.95, 0.97, 0.99), 0.0, False),
        (estimated(0.95, 0.97, 0.99), 0.011, True),
        (estimated(0.9, 1.0, 1.1), 0.0, True),
        (estimated(0.0, 1.5, np.inf), 0.0, True),
        (estimated(1.05, 1.08, 1.09, Unit.ROUNDS), 0.0, True),
        (estimated(1.11, 1.15, 1.19, Unit.ROUNDS), 0.0, False),
        (estimated(1.11, 1.15, 1.19, Unit.ROUNDS), 0.12, True),
    ],
)
def test_a_tie_does_not_leave_1_by_more_than_the_floor(ratio: Estimate, floor: float, tied: bool) -> None:
    """Single layouts must leave it by 10 % besides."""
    assert is_tie(ratio, floor) is tied


# one round


def test_one_round_gives_the_point_as_interval() -> None:
    assert median_interval(np.array([3.0]), 1) == Interval(3.0, 3.0, 3.0)
    assert ratio_interval(np.array([3.0]), np.array([2.0]), 1).low == pytest.approx(1.5)
    assert not outliers(np.array([3.0])).any()


def test_unpaired_vectors_are_refused() -> None:
    with pytest.raises(ValueError, match="not paired"):
        ratio_interval(np.array([1.0, 2.0]), np.array([1.0]), 1)


# what holds for any data


@few
@given(vectors)
def test_interval_holds_its_point_and_stays_in_the_range(values: np.ndarray) -> None:
    found = median_interval(values, 1)
    assert values.min() <= found.low <= found.point <= found.high <= values.max()
    assert found.holds(found.point)


@few
@given(pairs, st.floats(min_value=1e-3, max_value=1e3))
def test_ratios_do_not_depend_on_the_unit(pair: tuple[np.ndarray, np.ndarray], factor: float) -> None:
    one, other = pair
    plain, scaled = ratio_interval(one, other, 1), ratio_interval(one * factor, other * factor, 1)
    assert [scaled.point, scaled.low, scaled.high] == pytest.approx([plain.point, plain.low, plain.high], rel=1e-9)


@few
@given(pairs)
def test_ratio_turned_round_says_the_same(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = pair
    there, back = ratio_interval(one, other, 1), ratio_interval(other, one, 1)
    assert [1 / back.point, 1 / back.high, 1 / back.low] == pytest.approx(
        [there.point, there.low, there.high], rel=1e-3
    )


@few
@given(st.lists(st.integers(1, 1000), min_size=3, max_size=9), st.data())
def test_tie_is_symmetric(values: list[int], data: st.DataObject) -> None:
    one = np.array(values, dtype=float)
    other = np.array(data.draw(st.permutations(values)), dtype=float)
    there, back = (of_rounds(ratio_intervals(*pair, 7), len(values)) for pair in ((one, other), (other, one)))
    assert is_tie(there, 0.01) == is_tie(back, 0.01)


@few
@given(vectors)
def test_a_thing_ties_with_itself(values: np.ndarray) -> None:
    assert ratio_interval(values, values, 1) == Interval(1, 1, 1)
    assert log_ratios(values, values).tolist() == [0.0] * len(values)


@few
@given(vectors, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_bytes(values: np.ndarray, seed: int) -> None:
    assert median_interval(values, seed) == median_interval(values.copy(), seed)


def test_seed_depends_on_names_and_not_on_their_order() -> None:
    assert len({seed_of(*names) for names in itertools.permutations(["a", "b", "c"])}) == 1
    assert seed_of("a", "b") != seed_of("a", "c")
    assert seed_of("rust/postcard point") == 3943632440375706184  # printf 'rust/postcard point' | sha256sum | cut -c-16


# coverage


NOISE = {
    "normal": lambda random, k: random.normal(0, 0.02, k),
    "lognormal": lambda random, k: np.log1p(random.lognormal(-4, 1, k)),
    "bimodal": lambda random, k: np.where(random.random(k) < 0.3, 0.1, 0.0) + random.normal(0, 0.01, k),
}
"""Of the logarithm of a time: a bell, the long right tail of neighbours, and a process that lands in one of two states."""


def drifting(random: np.random.Generator, noise: str, k: int, *factors: float) -> list[np.ndarray]:
    """Times of one round after another under a drift that all share, ten times the noise, each with noise of its own."""
    drift = np.cumsum(random.normal(0, 0.1, k))
    return [factor * np.exp(drift + NOISE[noise](random, k)) for factor in factors]


@pytest.mark.parametrize("k", [10, 20])
@pytest.mark.parametrize("noise", NOISE)
def test_paired_intervals_cover_the_true_ratio_through_drift(noise: str, k: int) -> None:
    """95 % ± 2 of 1,200 simulated runs; over 4,000 it was 94.0 to 94.4 (k = 10) and 93.7 to 94.1 (k = 20)."""
    random = np.random.default_rng(11)
    covered = []
    for seed in range(1200):
        one, other = drifting(random, noise, k, 130.0, 100.0)
        covered.append(large_median_interval(log_ratios(one, other), seed).holds(np.log(1.3)))
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.parametrize(
    ("draw", "truth"),
    [(lambda r: r.normal(10, 1, 20), 10.0), (lambda r: r.lognormal(0, 0.5, 20), 1.0)],
    ids=["normal", "lognormal"],
)
def test_intervals_cover_the_true_median(draw, truth: float) -> None:
    """95 % ± 2; over 6,000 normal vectors of k = 20 it was 94.3 %."""
    generator = np.random.default_rng(20)
    covered = np.mean([median_interval(draw(generator), seed).holds(truth) for seed in range(600)])
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("noise", NOISE)
def test_intervals_of_two_runs_and_of_several_scenarios_cover_the_truth(noise: str) -> None:
    """Where runs differ by nothing but noise, k = 30 and 20: 96 to 98 %, so too wide rather than too narrow.

    The bootstrap overestimates how much a median of few spreads; of one median its steps hide that, of several not.
    """
    random, pairs, means = np.random.default_rng(12), [], []
    for seed in range(400):
        one, other = (100 * np.exp(NOISE[noise](random, 30)) for _ in range(2))
        pairs.append(unpaired_ratio_intervals(1.3 * one, other, seed)[0].holds(1.3))
        logs = [log_ratios(*drifting(random, noise, 20, factor, 1.0)) for factor in (2.0, 4.0, 1.0)]
        means.append(geometric_mean_intervals(logs, seed)[0].holds(2.0))
    assert 0.93 <= np.mean(pairs) <= 0.985
    assert 0.93 <= np.mean(means) <= 0.995


def test_an_unpaired_comparison_of_drifting_rounds_does_not_cover_what_a_paired_one_does() -> None:
    """Why rounds are paired: with the drift in both spreads the interval holds the truth, and everything else too."""
    random = np.random.default_rng(13)
    one, other = drifting(random, "normal", 20, 130.0, 100.0)
    paired, unpaired = ratio_interval(one, other, 1), unpaired_ratio_intervals(one, other, 1)[0]
    assert paired.holds(1.3)
    assert np.log(unpaired.high / unpaired.low) > 3 * np.log(paired.high / paired.low)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 9, 10, 20, 31])
def test_direct_bootstrap_medians_have_the_distribution_of_resampled_ones(k: int) -> None:
    """Kolmogorov and Smirnov: two samples of 9,999 differ by more than 0.0276 once in a thousand times."""
    values = np.random.default_rng(k).lognormal(0, 1, k)
    drawn = np.random.default_rng(5).integers(0, k, (9_999, k))
    resampled, direct = np.median(values[drawn], axis=1), bootstrap_medians(values, 6)
    assert stats.ks_2samp(resampled, direct).statistic < 0.0276


def test_direct_bootstrap_intervals_are_those_of_scipy() -> None:
    values = np.random.default_rng(1).lognormal(0, 0.5, 20)
    assert large_median_interval(values, 1) == median_interval(values, 1)


@few
@given(pairs)
def test_ratios_and_means_turned_round_say_the_same(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = pair
    there, back = (unpaired_ratio_intervals(*pair, 1)[0] for pair in ((one, other), (other, one)))
    assert 1 / back.point == pytest.approx(there.point)
    logs = log_ratios(one, other)
    assert geometric_mean_intervals([logs, -logs], 1)[0].point == pytest.approx(1.0)
    assert geometric_mean_intervals([logs, logs], 1)[0].point == pytest.approx(
        geometric_mean_intervals([logs], 1)[0].point
    )


def test_geometric_mean_by_hand() -> None:
    """Of ratios 2, 4 and 1: ∛8 = 2."""
    found, _ = geometric_mean_intervals([np.log([2.0]), np.log([4.0]), np.log([1.0])], 1)
    assert [found.point, found.low, found.high] == pytest.approx([2.0] * 3)


def test_pairing_finds_a_difference_that_drift_hides() -> None:
    generator = np.random.default_rng(3)
    drift = np.linspace(1, 2, 20)
    one, other = drift * generator.normal(100, 0.5, 20), drift * generator.normal(103, 0.5, 20)
    assert not ratio_interval(other, one, 1).holds(1.0)
    unpaired = median_interval(one, 1)
    assert unpaired.holds(median(other))


# the two clocks


def test_clocks_that_agree_and_clocks_that_do_not() -> None:
    base, loop = np.array([2e6, 2.1e6, 2.2e6]), np.array([50e6, 51e6, 52e6])
    assert not check_clocks(base + loop, base, loop).suspect
    found = check_clocks(base + loop + 10e6, base, loop)
    assert found.suspect
    assert (found.difference_ns, found.loop_ns, found.rounds) == (pytest.approx(10e6), 51e6, 3)


@pytest.mark.parametrize(
    ("extra", "loop", "why"),
    [
        ([2e6] * 3, [50e6] * 3, "4 % of the loop"),
        ([0.9e6] * 3, [1e6] * 3, "less than 1 ms"),
        ([3e6, -9e6, 9e6], [10e6] * 3, "less than 3 · 1.4826 · MAD, which is 6 ms"),
        ([9e6, 9e6], [10e6] * 2, "less than 10 ms in fewer than 3 rounds"),
    ],
)
def test_each_limit_of_the_clock_check_can_acquit(extra: list[float], loop: list[float], why: str) -> None:
    base, loops = np.full(len(loop), 2e6), np.array(loop)
    assert not check_clocks(base + loops + np.array(extra), base, loops).suspect, why


def test_two_rounds_can_be_suspect() -> None:
    base, loop = np.full(2, 2e6), np.full(2, 10e6)
    assert check_clocks(base + loop + 11e6, base, loop).suspect


def test_cpu_share() -> None:
    assert cpu_share(np.array([50.0, 90, 95]), np.array([100.0, 100, 100])) == 0.9
    assert cpu_share(np.array([0.0]), np.array([0.0])) == 1.0
