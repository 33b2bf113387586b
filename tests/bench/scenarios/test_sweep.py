"""One declaration, a scenario a length: which there are, what their input is, and when they are measured."""

import json
import re

import pytest

from analysis.tables.notes import command
from bench.base.errors import LabError
from bench.base.paths import SCENARIOS
from bench.base.protocol import RECORD
from bench.model.scenario import Scenario
from bench.model.upgrade import upgraded
from bench.scenarios import inputs
from bench.scenarios.load import load_scenario
from bench.scenarios.sweep import points, size_bytes
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import SER, Made

EVERYTHING = committed_scenarios(sweeps=True)
SWEPT = [scenario for scenario in EVERYTHING.values() if scenario.sweep]
SMALL = [scenario.name for scenario in EVERYTHING.values() if scenario.point and scenario.data_size_bytes <= 65_536]


def test_points_are_there_on_request_only():
    assert not any(scenario.point for scenario in committed_scenarios().values())
    assert SWEPT


@pytest.mark.parametrize("scenario", SWEPT, ids=lambda scenario: scenario.name)
def test_a_sweep_goes_by_eight_from_16_bytes_to_64_mib(scenario: Scenario) -> None:
    sizes = [point.data_size_bytes for point in points(scenario)]
    assert sizes == [*(16 * 8**step for step in range(8)), 64 * 2**20]
    assert [point.data_size_bytes for point in points(scenario)] == [
        point.values * scenario.data_size_bytes // scenario.values for point in points(scenario)
    ]


def test_a_point_is_its_scenario_with_another_length_and_no_publication():
    point = EVERYTHING["array-f64-64kib"]
    assert (point.values, point.data_size_bytes, point.variant_of) == (8_192, 65_536, "array-f64")
    assert (point.published.table, point.published.rows, point.sizes_bytes, point.references) == (None, {}, {}, [])
    assert point.published.conditions == EVERYTHING["array-f64"].published.conditions


def test_the_title_of_a_point_names_its_own_size_and_not_the_length_of_the_published_list():
    assert EVERYTHING["array-f64-64kib"].title == "Array of double, 64 KiB"
    assert EVERYTHING["array-f64-16b"].title == "Array of double, 16 B"
    older = {"record": RECORD, "scenarios": [{"point": True, "title": "Array of 10,000 double: 64KiB"}]}
    assert upgraded(older)["scenarios"][0]["title"] == "Array of double, 64 KiB"
    published = {"record": RECORD, "scenarios": [{"point": False, "title": "Array of 10,000 double: 64KiB"}]}
    assert upgraded(published)["scenarios"][0]["title"] == "Array of 10,000 double: 64KiB"


@pytest.mark.parametrize("title", ["1,000 " * 170_000, "1,000" * 200_000, "9" * 1_000_000, ": 1" * 300_000, ": 1B", ""])
def test_a_damaged_title_of_a_point_stays_and_holds_nobody_up(title):
    assert (
        upgraded({"record": RECORD, "scenarios": [{"point": True, "title": title}]})["scenarios"][0]["title"] == title
    )


def test_repetitions_handle_about_as_many_bytes_but_at_most_as_many_repetitions():
    assert EVERYTHING["array-f64-16b"].published.repetitions == 100_000
    assert EVERYTHING["array-f64-4mib"].published.repetitions == 100_000 * 80_000 // 2**22 // 10 * 10
    assert EVERYTHING["array-f64-64mib"].published.repetitions == 110


@pytest.mark.parametrize("name", SMALL)
def test_the_input_of_a_point_is_pinned_and_begins_as_its_scenario(name):
    point = EVERYTHING[name]
    numbers, whole = (json.loads(inputs.canonical_input(EVERYTHING[n])) for n in (name, point.variant_of))
    assert len(numbers) == point.values
    assert numbers[:10_000] == whole[: len(numbers)]


@pytest.mark.parametrize(("text", "size"), [("16B", 16), ("1KiB", 1024), ("64MiB", 67_108_864)])
def test_sizes(text, size):
    assert size_bytes(text) == size


ARRAY = (SCENARIOS / "array-f64.toml").read_text()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("16B =", "16kB ="), "'16kB' is not a size: give a number with B, KiB or MiB, such as 64KiB"),
        (("16B =", "17B ="), "17B is not a whole number of values"),
        (
            ('{ mt19937_64 = { seed = 5489, count = 10_000, type = "f64" } }', "[1.0, 2.0]"),
            "a sweep needs an input whose rule has a count",
        ),
    ],
)
def test_a_sweep_that_cannot_be_is_reported_with_its_line(tmp_path, change, problem):
    assert change[0] in ARRAY
    path = tmp_path / "array-f64.toml"
    path.write_text(ARRAY.replace(*change))
    line = path.read_text().splitlines().index("[sweep.sha256]") + 1
    with pytest.raises(LabError, match=re.escape(problem)) as caught:
        load_scenario(path)
    assert str(caught.value).startswith(f"{path}:{line}: sweep.sha256: ")


def test_a_run_of_points_is_repeated_with_sweep():
    made = Made().codec("rust/prost", {SER: 100.0})
    assert "--sweep" not in command(made.run())
    made.scenario = EVERYTHING["array-f64-16b"]
    assert "--sweep" in command(made.run())
