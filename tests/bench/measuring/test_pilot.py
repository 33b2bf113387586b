"""How long a repetition takes, which a pilot finds out."""

from types import SimpleNamespace

import pytest

from bench.measuring.stages import pilot
from bench.model.cells import Cell, Conditions, Operation
from bench.model.plan import DraftedCell, Encoded, Profile, Timed
from tests.support.scenarios.committed import committed_scenarios

CLOCK_NS = 30
SCENARIO = "mesh"
CELL = Cell("rust/a", SCENARIO, Operation.ACCESS, Conditions(api="derive"))
DRAFTED = DraftedCell(
    cell=CELL,
    format="F",
    library="lib",
    version="1",
    control=False,
    self_describing=False,
    sha256="0" * 64,
    variant="",
    role=None,
)


@pytest.mark.parametrize("repetition_ns", [0.0, 0.8, 31.0, 4_000.0, 7_000_000.0])
def test_a_fast_repetition_is_timed_in_loops_that_a_clock_can_tell(monkeypatch, repetition_ns):
    tried = []

    def loop_ns(drafted, proved, lab, repetitions):
        tried.append(repetitions)
        return CLOCK_NS + round(repetitions * repetition_ns)

    monkeypatch.setattr(pilot, "shortest_loop_ns", loop_ns)
    lab = SimpleNamespace(scenarios=committed_scenarios())
    timed = pilot.pilot(DRAFTED, Encoded(10, "crc32:00000000"), lab, Profile.PUBLISHED)
    assert isinstance(timed, Timed)
    assert timed.estimate_ns == pytest.approx(repetition_ns, rel=0.01, abs=0.001)
    assert len(tried) <= 5
    assert timed.repetitions * repetition_ns >= 5e6 or repetition_ns == 0
