import numpy as np
import pytest
from msgspec.structs import replace

from bench.statistics.calm import Loops, calm_share, is_calm, is_gated, is_portable, own_reference, reference

UNKNOWN = np.array([np.nan])
CALM = Loops(
    wall_ns=np.array([1e7]),
    cpu_ns=np.array([1e7]),
    canary_before_ns=np.array([500_000.0]),
    canary_after_ns=np.array([550_000.0]),
    copy_before_ns=UNKNOWN,
    copy_after_ns=UNKNOWN,
    involuntary_switches=np.array([0.0]),
)


def calm(**changes: float) -> bool:
    loops = replace(CALM, **{name: np.array([value]) for name, value in changes.items()})
    return bool(is_calm(loops, 500_000.0, 1000.0)[0])


def test_a_loop_between_fast_canaries_is_calm() -> None:
    assert calm()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("canary_before_ns", 550_001),
        ("canary_after_ns", 550_001),
        ("canary_before_ns", np.nan),
        ("copy_before_ns", 1101),
        ("copy_after_ns", 1101),
        ("involuntary_switches", 1),
        ("cpu_ns", 9.79e6),
    ],
)
def test_each_disturbance_is_noticed(field: str, value: float) -> None:
    assert not calm(**{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("copy_after_ns", 1100), ("involuntary_switches", np.nan), ("cpu_ns", 9.8e6)],
)
def test_what_is_within_the_limits_or_unknown_disturbs_nothing(field: str, value: float) -> None:
    assert calm(**{field: value})


def test_a_clock_that_ticks_coarsely_is_not_asked() -> None:
    assert is_calm(replace(CALM, cpu_ns=np.array([0.0])), 500_000.0, np.nan, coarse_clock=True)[0]


def test_each_loop_is_held_against_its_own_kernel() -> None:
    two = Loops(*(np.repeat(getattr(CALM, name), 2) for name in Loops.__struct_fields__))
    assert is_calm(two, np.array([500_000.0, 400_000.0]), np.nan).tolist() == [True, False]


def test_the_calibration_holds_until_the_run_differs_by_more_than_3_percent() -> None:
    assert reference(np.full(100, 103.0), 100.0).ns == 100
    assert reference(np.full(100, 97.0), 100.0).ns == 100
    shifted = reference(np.full(100, 96.9), 100.0)
    assert (shifted.ns, shifted.shifted) == (96.9, True)
    assert reference(np.array([np.nan]), 100.0).ns == 100


def test_without_a_calibration_the_run_is_its_own_reference() -> None:
    assert reference(np.arange(101.0)).ns == 2
    assert reference(np.full(9, 50.0), 100.0, portable=True) == reference(np.full(9, 50.0))


def test_portable_kernels_are_known_by_their_name() -> None:
    assert is_portable("portable/1")
    assert not is_portable("x86-64/1")


def test_long_repetitions_and_files_are_not_gated() -> None:
    assert is_gated(50e6, is_file=False)
    assert not is_gated(50.1e6, is_file=False)
    assert not is_gated(1, is_file=True)


def test_the_share_of_calm_canaries() -> None:
    assert calm_share(np.array([100.0, 110.0, 111.0, np.nan]), 100.0) == 0.5
    assert calm_share(np.array([]), 100.0) == 0


def test_what_a_codec_does_to_its_own_canaries_is_no_neighbour() -> None:
    assert own_reference(np.full(50, 545.0), 500.0) == pytest.approx(545.0)


def test_a_neighbour_of_one_cell_alone_is_still_noticed() -> None:
    assert own_reference(np.full(50, 1000.0), 500.0) == pytest.approx(550.0)


def test_a_cell_whose_canaries_are_faster_than_the_reference_keeps_it() -> None:
    assert own_reference(np.array([490.0, np.nan]), 500.0) == 500.0


def test_a_cell_without_known_canaries_has_the_reference_of_its_kernel() -> None:
    assert own_reference(np.array([np.nan]), 500.0) == 500.0
