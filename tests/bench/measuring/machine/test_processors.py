"""Pinning and the counters of a processor."""

import os
import sys

import pytest

from bench.base.supervision import Command, Pool
from bench.measuring.machine.processors import frequency_khz, idle_processor, kept_off, stolen_ms, watched

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins processes")
PRINT = "import os; print(sorted(os.sched_getaffinity(0)))"


@linux
def test_a_program_runs_on_the_processor_that_it_is_pinned_to_and_the_next_one_anywhere(tmp_path):
    pool = Pool(tmp_path)
    cpu = max(os.sched_getaffinity(0))
    for pinned, expected in ((cpu, [cpu]), (None, sorted(os.sched_getaffinity(0)))):
        ended = pool.run(Command([sys.executable, "-c", PRINT], os.environ, 60, cpu=pinned))
        assert ended.stdout.decode().strip() == str(expected)


@linux
def test_a_processor_that_there_is_not_pins_nothing(tmp_path):
    ended = Pool(tmp_path).run(Command([sys.executable, "-c", PRINT], os.environ, 60, cpu=10**4))
    assert ended.stdout.decode().strip() == str(sorted(os.sched_getaffinity(0)))


@linux
def test_the_driver_stays_off_the_processor_and_comes_back():
    before = os.sched_getaffinity(0)
    cpu = idle_processor()
    assert cpu in before
    with kept_off(cpu):
        assert os.sched_getaffinity(0) == (before - {cpu} or before)
    assert os.sched_getaffinity(0) == before


def test_nothing_is_kept_off_no_processor():
    with kept_off(None):
        pass


def test_stolen_time_is_the_eighth_counter_of_the_processor(tmp_path):
    """As in proc(5): user nice system idle iowait irq softirq steal guest guest_nice, in clock ticks."""
    stat = tmp_path / "stat"
    stat.write_text("cpu  9 9 9 9 9 9 9 99 9 9\ncpu1 1 2 3 4 5 6 7 800 9 10\ncpu11 0 0 0 0 0 0 0 5 0 0\n")
    ticks = os.sysconf("SC_CLK_TCK") if sys.platform == "linux" else 100
    assert stolen_ms(1, stat) == (800 * 1000 // ticks if sys.platform == "linux" else None)
    assert stolen_ms(2, stat) is None
    assert stolen_ms(1, tmp_path / "none") is None


def test_of_an_unknown_processor_nothing_is_known():
    seen = []
    with watched(None, seen):
        pass
    (condition,) = seen
    assert (condition.cpu, condition.stolen_ms, condition.frequency_khz) == (None, None, None)
    assert frequency_khz(10**6) is None
