"""The chain of the Python kit: canaries and loops in turn, an offset before them, and what the runners report of both."""

import importlib
import json
import subprocess
import sys

import msgspec
import pytest

from bench.base.paths import RUNNERS, manifest
from bench.building.build import load_runners
from bench.building.runner import Runner
from bench.model.record import RunnerSample
from bench.scenarios.inputs import input_file
from tests.support.scenarios.committed import committed_scenarios


@pytest.fixture
def kit(monkeypatch):
    """Imports a module of the kit, which is not installed here: it is packed into each runner."""
    monkeypatch.syspath_prepend(str(RUNNERS / "python" / "kit"))
    return lambda name: importlib.import_module(f"wirelab_kit.{name}")


@pytest.fixture
def events(kit, monkeypatch):
    """The events of a chain with canaries that count: the time of each is its place among all events."""
    happened = []

    def event(name):
        def happen(*_):
            happened.append(name)
            return len(happened)

        return happen

    chain = kit("measuring.chain")
    monkeypatch.setattr(chain, "canary", event("canary"))
    copy, loop = event("copy"), event("loop")

    def run(samples, repetitions=1, with_copy=True):
        links = chain.run_chain(lambda n: (loop(), n), repetitions, samples, copy if with_copy else None)
        return links, happened

    return run


def test_only_canaries_stand_between_loops(events):
    _, happened = events(2)
    assert happened == ["canary", "copy", "canary", "copy", "loop", "canary", "copy", "loop", "canary", "copy"]


def test_a_loop_has_the_canaries_on_both_of_its_sides(events):
    links, _ = events(2)
    first = {"wall_ns": 5, "canary_before_ns": 3, "copy_before_ns": 4, "canary_after_ns": 6, "copy_after_ns": 7}
    second = {"wall_ns": 8, "canary_before_ns": 6, "copy_before_ns": 7, "canary_after_ns": 9, "copy_after_ns": 10}
    own = [{name: link[name] for name in first} for link in links]
    assert own == [first, second]


def test_without_a_copy_no_sample_has_its_times(events):
    links, happened = events(1, with_copy=False)
    assert happened == ["canary", "canary", "loop", "canary"]
    assert not [name for link in links for name in link if name.startswith("copy")]


def test_the_chain_is_the_same_without_repetitions(events):
    links, happened = events(2, repetitions=0)
    assert happened.count("loop") == 2
    assert [link["cpu_ns"] for link in links] == [0, 0]  # which is what the loop was called with


def test_without_samples_there_are_no_lines(events):
    assert events(0)[0] == []


BLOCKS = """
import sys
from array import array
from itertools import count
from wirelab_kit.measuring import canary, chain

blocks, calls = array("Q", bytes(8 * 40)), count()

def loop(repetitions):
    blocks[next(calls)] = sys.getallocatedblocks()
    return 10**9, 10**9

switches = count(100)
chain.switch_counter = lambda: lambda: next(switches)
chain.run_chain(loop, 1, 40, canary.copy_canary(100_000))
print(len(set(blocks[1:])))
"""


def test_each_loop_finds_as_many_blocks_as_the_one_before():
    """What a chain kept of one loop would lie in the way of the next. In a process of its own, without pytest's blocks.

    The switches are made up: CPython keeps the integers to 256 ready, so on a busy machine, from the 257th switch on,
    the count before a loop is one object more.
    """
    folder = str(RUNNERS / "python" / "kit")
    done = subprocess.run([sys.executable, "-c", BLOCKS], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_switches_are_left_out_where_the_system_does_not_count_them(kit, monkeypatch):
    chain = kit("measuring.chain")
    assert ("involuntary_switches" in chain.run_chain(lambda _: (1, 1), 1, 1, None)[0]) == (sys.platform != "win32")
    monkeypatch.setattr(chain, "switch_counter", lambda: None)
    assert "involuntary_switches" not in chain.run_chain(lambda _: (1, 1), 1, 1, None)[0]


def test_only_the_switches_of_its_loop_belong_to_a_sample(kit, monkeypatch):
    chain = kit("measuring.chain")
    counted = iter([5, 7, 20, 20])
    monkeypatch.setattr(chain, "switch_counter", lambda: lambda: next(counted))
    links = chain.run_chain(lambda _: (1, 1), 1, 2, None)
    assert [link["involuntary_switches"] for link in links] == [2, 0]


def test_an_offset_is_taken_of_every_size_of_block(kit):
    taken = kit("measuring.offset").taken
    blocks = [-(-sys.getsizeof(block) // 16) * 16 for block in taken(4080)]
    *small, large = blocks
    assert {size: size * small.count(size) for size in set(small)} == {
        size: 4080 // size * size for size in range(16, 513, 16)
    }
    assert large - -(-sys.getsizeof(taken(0)[-1]) // 16) * 16 == 4080


def test_no_two_blocks_of_an_offset_are_the_same_object(kit):
    blocks = kit("measuring.offset").taken(4080)
    assert len({id(block) for block in blocks}) == len(blocks)


def test_the_copy_is_whole(kit):
    copy = kit("measuring.canary").copy_canary(1001)
    copy.source[:] = bytes(index % 251 for index in range(1001))
    copy()
    assert copy.target == copy.source
    assert len(copy.target) == 1001


# runners


@pytest.fixture(scope="module")
def runner() -> Runner:
    if not manifest().exists():
        pytest.skip("no Python runners are built: `./lab build` builds them")
    found = next((one for one in load_runners() if one.codec == "python/json"), None)
    if found is None or found.entry.unavailable:
        pytest.skip("python/json is unavailable")
    return found


def call(runner: Runner, *words: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([*runner.entry.command, *words], capture_output=True, env=runner.environment, check=False)


def measured(runner: Runner, folder, **options: str) -> list[RunnerSample]:
    out, file = folder / "out", input_file(committed_scenarios()["users-100"])
    given = {"scenario": "users-100", "operation": "serialize", "condition": "input=dicts", "input": str(file)}
    given |= {"work": str(folder), "out": str(out), "repetitions": "3", "warmup": "1", "samples": "3"} | options
    done = call(runner, "measure", *[word for name, value in given.items() for word in (f"--{name}", value)])
    assert done.returncode == 0, done.stderr.decode()
    return [msgspec.json.decode(line, type=RunnerSample) for line in out.read_bytes().splitlines()]


def test_samples_of_a_runner_form_a_chain(runner, tmp_path):
    samples = measured(runner, tmp_path, **{"copy-canary": "65536"})
    assert len(samples) == 3
    for before, after in zip(samples, samples[1:], strict=False):
        assert after.canary_before_ns == before.canary_after_ns
        assert after.copy_before_ns == before.copy_after_ns
    assert all(sample.canary_before_ns and sample.copy_before_ns for sample in samples)


@pytest.mark.parametrize("options", [{}, {"repetitions": "0"}, {"offset": "4080"}], ids=str)
def test_the_product_is_the_same_without_repetitions_and_at_every_offset(runner, tmp_path, options):
    (checksum,) = {sample.checksum for sample in measured(runner, tmp_path, **options)}
    assert checksum == {sample.checksum for sample in measured(runner, tmp_path, samples="1")}.pop()


@pytest.mark.parametrize(("words", "names"), [((), {"canary", "canary_ns"}), (("--copy", "65536"), {"copy_ns"})])
def test_canaries_run_alone(runner, words, names):
    times = json.loads(call(runner, "canary", "--seconds", "0", *words).stdout)
    assert times["canary"] == runner.description.canary == "python/1"
    assert names <= set(times)
    assert len(times["canary_ns"]) == 1


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "x"])
def test_a_time_without_end_is_refused(runner, seconds):
    done = call(runner, "canary", "--seconds", seconds)
    assert (done.returncode, done.stdout) == (64, b"")
    assert b"is not a number of seconds" in done.stderr or b"expected one argument" in done.stderr


def test_no_codec_claims_another_that_is_not_there():
    if not manifest().exists():
        pytest.skip("nothing is built: `./lab build` builds it")
    built = {one.codec: one for one in load_runners() if not one.entry.unavailable}
    for name, one in built.items():
        for operation, other in one.description.identical.items():
            assert other != name
            offered = {cell.operation for cell in built[other].description.cells} if other in built else {operation}
            assert operation in offered


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("x"), 65),
        (RecursionError("x"), 65),  # as the tests of CPython's json and of msgspec ask for it
        (MemoryError(), 71),
        (SystemError("x"), 70),
        (AssertionError("x"), 70),
        (type("PanicException", (BaseException,), {})("x"), 70),  # PyO3's, which no `except Exception` catches
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_exception_ends_with_the_code_of_what_it_is(kit, error, code):
    transcode, failure = kit("commands.transcode"), kit("base.failure")
    with pytest.raises(failure.Failure, match=r"^decode s: ") as raised, transcode.refusing("decode s", 0):
        raise error
    assert raised.value.exit_code == code


def test_what_ends_a_program_is_no_answer(kit):
    transcode = kit("commands.transcode")
    with pytest.raises(KeyboardInterrupt), transcode.judging("decode s"):
        raise KeyboardInterrupt
