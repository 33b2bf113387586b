"""The table of rows in files: its numbers against the publication's own, and as a reader sees it."""

import csv
from pathlib import Path

import pytest

from analysis.data.published_tables import FOLDER, load_published
from analysis.tables.files import measures, published_measures
from analysis.tables.reports import read_report
from bench.model.cells import Conditions, Operation
from bench.scenarios.load import load_scenarios
from tests.support.synthetic_run import Made

LOG = load_scenarios()["log-small"]
EXACT = [row for row in csv.DictReader((FOLDER / "brec-exact.csv").open()) if row["payload"].startswith("Small record")]
OPERATIONS = {"Writing": Operation.WRITE, "Reading": Operation.READ, "Filtering": Operation.FILTER}


@pytest.mark.parametrize("row", EXACT, ids=lambda row: f"{row['platform']} {row['case']}")
def test_the_publications_own_times_and_bytes_give_its_own_rates(row):
    """Its times are rounded to milliseconds, so that what follows from them agrees to a thousandth or two."""
    got = measures(LOG, OPERATIONS[row["case"]], float(row["time_ms"]), float(row["bytes"]), 5_000)
    assert got.rate_mbit_s == pytest.approx(float(row["rate_mbit_s"]), rel=2e-3)
    if row["case"] == "Filtering":
        matched = got.us_a_match * LOG.filter.rows * 5_000 / float(row["rows"])
        assert matched == pytest.approx(float(row["avg_us_per_row"]), rel=5e-3)
    else:
        assert got.us_a_match is None
        assert got.us_a_row == pytest.approx(float(row["avg_us_per_row"]), rel=2e-2)


def test_what_a_publication_does_not_say_is_not_made_up():
    early = load_scenarios()["log-early"]
    table = load_published("brec-early.csv#Log Record")
    got = published_measures(table, "unstated", "Plain Text", Operation.FILTER, early)
    assert (got.time_ms, got.size_mib) == (276, 774)
    assert got.us_a_row == pytest.approx(0.276)
    assert got.us_a_match == pytest.approx(276e3 / 150_000)
    nobody = published_measures(table, "unstated", None, Operation.READ, early)
    assert (nobody.time_ms, nobody.us_a_row, nobody.rate_mbit_s) == (None, None, None)


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
    assert prost[6][1] == "published 8544"
    assert len(grid.sections[0].rows[0][3]) == 1, "postcard was not published"
