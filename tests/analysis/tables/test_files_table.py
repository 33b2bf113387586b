"""The table of rows in files: its numbers against the publication's own, and as a reader sees it."""

import csv
from pathlib import Path

import pytest

from analysis.sources.figures import figures_of
from analysis.sources.publications import Kind
from analysis.sources.published_tables import FOLDER
from analysis.tables.columns.rates import mbit_s
from analysis.tables.columns.times import us_each
from analysis.tables.reports import read_report
from bench.model.cells import Conditions, Operation
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import Made

LOG = committed_scenarios()["log-small"]
EXACT = [row for row in csv.DictReader((FOLDER / "brec-exact.csv").open()) if row["payload"].startswith("Small record")]
OPERATIONS = {"Writing": Operation.WRITE, "Reading": Operation.READ, "Filtering": Operation.FILTER}


@pytest.mark.parametrize("row", EXACT, ids=lambda row: f"{row['platform']} {row['case']}")
def test_the_publications_own_times_and_bytes_give_its_own_rates(row):
    """Its times are rounded to milliseconds, so that what follows from them agrees to a thousandth or two."""
    time_ms, rows = float(row["time_ms"]), 5_000 * LOG.input.generator.rows
    assert mbit_s(float(row["bytes"]), time_ms) == pytest.approx(float(row["rate_mbit_s"]), rel=2e-3)
    printed = float(row["avg_us_per_row"])
    if row["case"] == "Filtering":
        assert us_each(time_ms, float(row["rows"])) == pytest.approx(printed, rel=5e-3)
    else:
        assert us_each(time_ms, rows) == pytest.approx(printed, rel=2e-2)


def test_what_a_publication_does_not_say_is_not_made_up():
    early = figures_of(committed_scenarios()["log-early"], "linux", FOLDER)
    asked = [early.of(kind, "rust/plain-text", Operation.FILTER) for kind in (Kind.TIME, Kind.SIZE, Kind.ROWS)]
    assert asked == [276, 774 * 2**20, 150_000]
    assert early.of(Kind.THROUGHPUT, "rust/plain-text", Operation.FILTER) is None
    assert early.of(Kind.TIME, "rust/plain-text", Operation.WRITE) is None
    assert early.of(Kind.TIME, "rust/unpublished", Operation.READ) is None


def test_a_section_an_operation_with_the_published_figure_under_each(tmp_path: Path) -> None:
    made = Made("log-small")
    conditions = {
        operation: Conditions(api="serde", io="as-published", build="baseline") for operation in OPERATIONS.values()
    }
    for codec, ns in (("rust/prost", 600_000.0), ("rust/serde-json", 900_000.0), ("rust/postcard", 500_000.0)):
        made.codec(codec, dict.fromkeys(OPERATIONS.values(), ns), conditions=conditions)
    grid = read_report(made.write(tmp_path / "run")).scenarios[0].published
    assert [section.name for section in grid.sections] == [
        "write, relative to prost",
        "read, relative to serde-json",
        "filter, relative to serde-json",
    ]
    assert [row[1][0] for row in grid.sections[0].rows] == ["rust/postcard", "rust/prost", "rust/serde-json"]
    prost = grid.sections[2].rows[1]
    assert prost[1] == ("rust/prost", "“Protobuf”")
    assert prost[4][1] == "published 0.7800"  # 1,950 ms over 2.5 million rows
    assert prost[5][1] == "published 6.644"  # over 293,500 of them
    assert prost[6][1] == "published 8,544"
    assert len(grid.sections[0].rows[0][3]) == 1, "postcard was not published"
