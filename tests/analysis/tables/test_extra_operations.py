"""Operations that few codecs have: beside the others where they were measured, and nowhere else."""

from pathlib import Path

import pytest

from analysis.tables.layout import NOTHING
from analysis.tables.reports import read_report
from bench.model.cells import Conditions, Operation
from tests.support.synthetic_run import BOTH, DESER, PUBLISHED, SER, Made

USUAL = {SER: 300.0, DESER: 500.0, BOTH: 900.0}
EXTRA = {
    Operation.BUILD: Conditions(api="derive", drop="inside", build="baseline"),
    Operation.BUILD_SERIALIZE: Conditions(api="derive", buffer="reused", drop="inside", build="baseline"),
    Operation.DESERIALIZE_CONVERT: Conditions(api="derive", drop="inside", validation="on", build="baseline"),
    Operation.ACCESS: Conditions(api="derive", validation="on", build="baseline"),
}


def headings(made: Made, folder: Path) -> list[str]:
    (scenario,) = read_report(made.write(folder / "run")).scenarios
    return [" ".join(column.heading) for column in scenario.published.columns]


def test_a_table_of_published_operations_is_as_before(tmp_path: Path) -> None:
    made = Made().codec("rust/one", USUAL).codec("rust/two", USUAL)
    assert not [one for one in headings(made, tmp_path) if "Build" in one or "Access" in one]


def test_what_was_measured_has_a_column_of_its_own(tmp_path: Path) -> None:
    made = Made().codec("rust/one", USUAL)
    made.codec("rust/one", {Operation.ACCESS: 20.0}, conditions=PUBLISHED | EXTRA)
    found = headings(made, tmp_path)
    assert [one for one in found if "Access" in one]
    assert not [one for one in found if "Build" in one]


UPDATE = {Operation.UPDATE: Conditions(api="derive", validation="off", build="baseline")}


def test_an_update_stands_beside_its_published_time(tmp_path: Path) -> None:
    made = Made("mk48")
    made.codec("rust/rkyv", {SER: 300.0, DESER: 500.0})
    made.codec("rust/rkyv-unchecked", {SER: 300.0, DESER: 200.0})
    made.codec("rust/rkyv-unchecked", {Operation.UPDATE: 250.0}, conditions=UPDATE)
    (report,) = read_report(made.write(tmp_path / "run")).scenarios
    assert report.table.overview.operation is DESER
    shown = report.table.sections[-1]
    assert (shown.operation, [row.codec for row in shown.codecs]) == (Operation.UPDATE, ["rust/rkyv-unchecked"])
    timing = shown.codecs[0].measures[Operation.UPDATE].timing
    assert timing and timing.published_ms == pytest.approx(0.23678e-3)
    (rows,) = [one.rows for one in report.published.sections if one.name and one.name.startswith("update")]
    assert "rkyv (unvalidated)" in str(rows) and "published" in str(rows)
    rate = [" ".join(column.heading) for column in report.published.columns].index("GB/s")
    assert rows[0][rate] == (NOTHING,), "an update passes over few of the encoded bytes"


def test_a_run_without_updates_shows_none(tmp_path: Path) -> None:
    made = Made("mk48").codec("rust/rkyv", {SER: 300.0, DESER: 500.0})
    (report,) = read_report(made.write(tmp_path / "run")).scenarios
    assert Operation.UPDATE not in report.table.operations


@pytest.mark.parametrize("scenario", ["process-created", "nested-object"])
def test_ranks_are_of_published_operations(tmp_path: Path, scenario: str) -> None:
    made = Made(scenario)
    usual = {one: ns for one, ns in USUAL.items() if one in made.scenario.operations}
    for index, codec in enumerate(("rust/one", "rust/two")):
        made.codec(codec, {one: ns * (1 + index) for one, ns in usual.items()})
        made.codec(codec, dict.fromkeys(EXTRA, 100.0 * (2 - index)), conditions=EXTRA)
    (report,) = read_report(made.write(tmp_path / "run")).scenarios
    assert report.table.overview.operation not in EXTRA
    assert [row.codec for row in report.table.overview.codecs] == ["rust/one", "rust/two"]
