"""Tables of items: what one takes, ratios to named codecs, and sizes, as their publication prints them."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.commands.table import table
from analysis.tables.reports import read_report
from tests.support.recorded.object_conditions import DESERIALIZE, ROUND_TRIP, SERIALIZE
from tests.support.synthetic_run import BOTH, DESER, SER, Made


def recorded(folder: Path) -> Path:
    made = Made("users-10k", rounds=3)
    made.spread = 0.0
    for codec, ms, size in (
        ("orjson", 8, 1_000_000),
        ("bfast", 4, 950_000),
        ("json", 12, 1_250_000),
        ("bfast-lz4", 5, 250_000),
    ):
        times = {SER: ms * 1e6, DESER: 3e6, BOTH: (ms + 3) * 1e6}
        conditions = {SER: SERIALIZE, DESER: DESERIALIZE, BOTH: ROUND_TRIP}
        made.codec(f"python/{codec}", times, size=size, conditions=conditions)
    return made.write(folder / "run")


def test_what_an_object_takes_ratios_and_sizes_stand_beside_the_published(tmp_path):
    grid = read_report(recorded(tmp_path)).scenarios[0].published
    assert [" ".join(column.heading) for column in grid.columns] == [
        "Codec published as",
        "Bytes",
        "smaller than json (%)",
        "Time (ms)",
        "µs an object",
        "times as fast as orjson",
    ]
    serialize = grid.sections[0]
    assert [row[0][0] for row in serialize.rows] == [
        "python/bfast",
        "python/bfast-lz4",
        "python/orjson",
        "python/json",
    ]
    bfast, packed, orjson, json = serialize.rows
    assert (float(bfast[5][0].split()[0]), bfast[5][1]) == (2, "published 1.70")
    assert bfast[4][1] == "published 4.800"
    assert float(orjson[4][0]) == pytest.approx(2 * float(bfast[4][0]), rel=1e-3)
    assert float(bfast[4][0]) == pytest.approx(float(bfast[3][0].split()[0]) / 10, rel=2e-3)
    assert packed[2] == ("80.00", "published 89.00")
    assert (json[2], len(json[5])) == (("0",), 1), "it was published without a ratio"


def test_lab_table_prints_this_form_on_any_system(tmp_path):
    printed = CliRunner().invoke(table, [str(recorded(tmp_path)), "--markdown"]).output
    assert "published 4.83" in printed
    assert "published 89" in printed
    assert "published 4.8" in printed
    assert "times as fast" in printed
    said = "4.83 ms for 10,000 is 0.483 µs a piece, and elsewhere it says 4.80 µs."
    assert printed.count(f"contradicts itself on python/bfast serialize: {said}") == 1
