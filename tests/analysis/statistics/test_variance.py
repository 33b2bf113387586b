"""Components of variance of data whose components are known."""

import numpy as np
import pytest

from analysis.statistics.variance import Components, components, typical


def made(random: np.random.Generator, loop: float, process: float, layout: float) -> Components:
    """300 layouts of one to five processes with two to six loops: unequal groups, of normal logarithms."""
    logs, layouts, processes = [], [], []
    for one in range(300):
        of_layout = random.normal(0, layout)
        for _ in range(random.integers(1, 6)):
            of_process = random.normal(0, process)
            number = len(processes)
            for _ in range(random.integers(2, 7)):
                logs.append(of_layout + of_process + random.normal(0, loop))
                layouts.append(one)
                processes.append(number)
    return components(np.array(logs), np.array(layouts), np.array(processes))


@pytest.mark.parametrize("parts", [(0.01, 0.02, 0.05), (0.05, 0.02, 0.02), (0.01, 0.0, 0.0), (0.01, 0.0, 0.05)])
def test_known_components_come_out(parts: tuple[float, float, float]) -> None:
    found = made(np.random.default_rng(6), *parts)
    for deviation, expected in zip((found.loop, found.process, found.layout), parts, strict=True):
        assert deviation == pytest.approx(expected, rel=0.15, abs=0.004)


def test_components_by_hand() -> None:
    """Two layouts of two processes of two loops: mean squares 0.5, 2 and 72, so variances 0.5, 0.75 and 17.5."""
    found = components(
        np.array([0.0, 1, 1.5, 2.5, 6, 7, 7.5, 8.5]),
        np.array([1, 1, 1, 1, 2, 2, 2, 2]),
        np.array([0, 0, 1, 1, 2, 2, 3, 3]),
    )
    loop, process = 0.5, 2.25
    assert found.loop == pytest.approx(loop**0.5)
    assert found.process == pytest.approx(((process - loop) / 2) ** 0.5)
    assert found.layout == pytest.approx(((72 - process) / 4) ** 0.5)


def test_what_the_data_cannot_tell_apart_is_none() -> None:
    one_layout = components(np.array([0.0, 1, 2, 3]), np.zeros(4, dtype=int), np.array([0, 0, 1, 1]))
    assert one_layout.layout is None
    one_loop_each = components(np.array([0.0, 1, 2]), np.zeros(3, dtype=int), np.array([0, 1, 2]))
    assert (one_loop_each.loop, one_loop_each.process) == (None, pytest.approx(1.0))


def test_cells_count_by_their_variance() -> None:
    """√((3² + 4²) / 2) = 3.5355; a cell that does not know a component is left out of it."""
    found = typical([Components(3.0, None, 1.0), Components(4.0, None, None)])
    assert found == Components(pytest.approx(12.5**0.5), None, 1.0)
