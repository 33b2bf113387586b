"""The sizes that scenarios hold codecs to are those that were published; `lab verify` holds the codecs to them."""

import csv

import pytest

from analysis.sources.published_tables import FOLDER
from tests.support.scenarios.committed import committed_scenarios

COLUMNS = {"data_set": "table", "crate": "codec"}
"""Of a file that was copied as it was published, as the other files call them."""
SCENARIOS = [
    scenario for scenario in committed_scenarios().values() if scenario.published.table and scenario.sizes_bytes
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_sizes_are_the_published_ones(scenario):
    """To the byte, or where KB were printed to the hundredth."""
    name, _, table = scenario.published.table.partition("#")
    with (FOLDER / name).open(encoding="utf-8") as file:
        lines = csv.reader(line for line in file if not line.startswith("#"))
        header = [COLUMNS.get(column, column) for column in next(lines)]
        rows = [dict(zip(header, line, strict=True)) for line in lines]
    sizes = [row for row in rows if (row["table"], row["metric"]) == (table, "size")]
    published = {(row["codec"], row["unit"]): float(row["value"]) for row in sizes}
    held = 0
    for codec, row in scenario.published.rows.items():
        size = scenario.sizes_bytes.get(codec)
        for unit, printed in (("B", size), ("KB", size and round(size / 1024, 2))):
            if size and (row, unit) in published:
                assert published[row, unit] == printed, codec
                held += 1
    assert held > 2
