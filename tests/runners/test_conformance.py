"""Built codecs held against the suites of their formats: what their own documentation says that they take and refuse."""

from functools import cache

import pytest

from bench.base.files import read_toml
from bench.base.paths import manifest
from bench.building.build import load_runners
from bench.building.runner import Runner
from bench.model.proof.conformance import Conformed, Verdict
from bench.model.proof.suite import SuiteFile
from bench.proof.suites.packages import FILE, files_of
from bench.proof.suites.readers import cases_of
from bench.proof.suites.verdicts import conformed

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(not manifest().exists(), reason="no runners are built: `./lab build` builds them"),
]


@cache
def runners() -> dict[str, Runner]:
    return {runner.codec: runner for runner in load_runners() if not runner.entry.unavailable}


def result(codec: str, name: str) -> Conformed:
    if codec not in runners():
        pytest.skip(f"{codec} is not built")
    suite = read_toml(FILE, SuiteFile).suites[name]
    return conformed(runners()[codec], name, suite, cases_of(suite, files_of(suite)))


@pytest.mark.parametrize("codec", ["python/orjson", "python/msgspec-json", "rust/serde-json"])
def test_strict_readers_of_json_do_as_the_suite_says(codec):
    found = result(codec, "json-test-suite")
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (95 + 188, [])
    assert found.open_accepted + found.open_refused == 35


def test_pythons_json_takes_the_three_names_that_its_documentation_says_it_takes():
    """https://docs.python.org/3/library/json.html#infinite-and-nan-number-values."""
    found = result("python/json", "json-test-suite")
    assert {(one.case, one.verdict) for one in found.deviations} == {
        (f"n_number_{name}.json", Verdict.ACCEPTED) for name in ("NaN", "infinity", "minus_infinity")
    }


def test_times_become_those_of_python_and_lose_their_nanoseconds():
    """Python's datetime has microseconds and the years 1 to 9999."""
    found = result("python/msgspec-msgpack", "msgpack-test-suite")
    assert all("timestamp" in one.case for one in found.deviations)
    assert {one.verdict for one in found.deviations} == {Verdict.ANOTHER, Verdict.REFUSED}


def test_extensions_as_bytes_are_all_right():
    found = result("python/ormsgpack", "msgpack-test-suite")
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (233, [])


@pytest.mark.parametrize(
    ("codec", "suite", "right"), [("rust/toml", "toml-test", 218 + 494), ("python/cbor2", "rfc8949", 81 + 94)]
)
def test_codecs_without_a_deviation(codec, suite, right):
    found = result(codec, suite)
    assert (found.verdicts[Verdict.RIGHT], found.deviations) == (right, [])
