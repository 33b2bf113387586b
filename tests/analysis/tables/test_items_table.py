"""Tables in the form of a publication of their own, which the scenario describes."""

from pathlib import Path

from click.testing import CliRunner

from analysis.commands.table import table
from analysis.data.cells import read_cells
from analysis.data.published_tables import load_published
from analysis.tables.form import published_form
from analysis.tables.items import item_sections
from tests.support.object_conditions import DESERIALIZE, ROUND_TRIP, SERIALIZE
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
    cells = read_cells(recorded(tmp_path)).scenarios[0]
    rows = load_published("b-fast.csv#Simple Objects (10k)")
    form = published_form(cells, "unstated", rows)
    of_items = load_published("b-fast.csv#Linear Scaling 10000")
    serialize = item_sections(cells, form, "unstated", rows, of_items)[0]
    assert [row.codec for row in serialize.rows] == ["python/bfast", "python/bfast-lz4", "python/orjson", "python/json"]
    bfast, packed, orjson, json = serialize.rows
    assert bfast.times_as_fast[0].point == 2
    assert bfast.published_times_as_fast == (1.7,)
    assert bfast.published_us_an_item == 4.8
    assert abs(bfast.us_an_item / orjson.us_an_item - 0.5) < 1e-6
    assert abs(bfast.us_an_item - bfast.timing.median_ms / 10) < 1e-6
    assert (packed.smaller_percent, packed.published_smaller_percent) == (80, 89)
    assert (json.smaller_percent, json.published_times_as_fast) == (0, (None,))


def test_lab_table_prints_this_form_on_any_system(tmp_path):
    printed = CliRunner().invoke(table, [str(recorded(tmp_path)), "--markdown"]).output
    assert "published 4.83" in printed
    assert "published 89" in printed
    assert "published 4.8" in printed
    assert "times as fast" in printed
    said = "4.83 ms for 10,000 is 0.483 µs a piece, and elsewhere it says 4.80 µs."
    assert printed.count(f"contradicts itself on python/bfast serialize: {said}") == 1
