"""The points of a sweep: a table by size on the page of their scenario, and a page each."""

from pathlib import Path

import pytest

from analysis.render.recorded.results import results_page, scenario_pages
from analysis.tables.digest.by_size import size_grid
from analysis.tables.reports import RunReport, read_report
from bench.model.cells import Conditions
from bench.scenarios.sweep import points
from tests.support.synthetic_run import SER, Made

WRITE = {SER: Conditions(api="serde", buffer="reused", build="baseline")}


def made(folder: Path, name: str | None, times: dict[str, float]) -> RunReport:
    """A run of array-f64, or of a point of its sweep, with nanoseconds a repetition of each codec."""
    run = Made("array-f64")
    if name:
        run.scenario = next(one for one in points(run.scenario) if one.name == name)
    for codec, ns in times.items():
        run.codec(codec, {SER: ns}, size=run.scenario.data_size_bytes + 3, conditions=WRITE)
    return read_report(run.write(folder / f"run-of-{name and run.scenario.data_size_bytes}"))


@pytest.fixture
def reports(tmp_path: Path) -> list[RunReport]:
    large = made(tmp_path, "array-f64-64kib", {"rust/slow": 32_768.0, "rust/beve": 8_192.0})
    small = made(tmp_path, "array-f64-128b", {"rust/beve": 32.0, "rust/late": 16.0})
    return [made(tmp_path, None, {"rust/beve": 10_000.0}), large, small]


def test_times_are_a_value_from_the_smallest_size_on_in_the_order_of_the_middle_one(reports):
    grid = size_grid([report.scenarios[0].table for report in reports[1:]])
    assert [column.heading for column in grid.columns] == [("Codec",), ("128 B", "16"), ("64 KiB", "8,192")]
    assert [section.name for section in grid.sections] == ["serialize"]
    rows = {codec: times for (codec,), *times in grid.sections[0].rows}
    assert list(rows) == ["rust/beve", "rust/slow", "rust/late"]
    ((one, _), (middle, range_)), (nothing, (slow, _)), ((late, _), also_nothing) = rows.values()
    low, high = map(float, range_.strip("[]").split(" – "))
    assert low < float(middle) < high
    assert [float(time) / float(middle) for time in (one, slow, late)] == pytest.approx([2, 4, 1], rel=0.03)
    assert nothing == also_nothing == ("–",)


def test_a_scenario_s_page_links_its_points_and_the_front_page_that_page_alone(reports):
    pages = scenario_pages(reports, [])
    whole, front = pages["results/scenarios/array-f64.md"], results_page(reports, [], {})
    assert "## Other sizes" in whole
    assert all(f"({name}.md)" in whole for name in ("array-f64-128b", "array-f64-64kib"))
    assert whole.count("**At 1 other size, in ns a value**") == 2, "two runs were mixed in one table"
    assert "## Other sizes" not in pages["results/scenarios/array-f64-64kib.md"]
    assert "schemas/scenarios/array-f64.md" in pages["results/scenarios/array-f64-64kib.md"]
    assert "At other sizes: [array-f64](results/scenarios/array-f64.md#other-sizes)." in front
    assert "array-f64-64kib" not in front


def test_points_without_their_scenario_stand_on_the_front_page_themselves(reports):
    front = results_page(reports[1:2], [], {})
    assert "[a page each](results/scenarios): array-f64-64kib." in front and "At other sizes" not in front
