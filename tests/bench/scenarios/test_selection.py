"""Filters are regular expressions over `codec scenario operation`, then over the conditions."""

from bench.model.cells import Cell, Conditions, Operation
from bench.scenarios.selection import Selection


def cell(codec: str, scenario: str = "point", operation: str = "serialize", **conditions: str) -> Cell:
    return Cell(codec, scenario, Operation(operation), Conditions(**conditions))


CELLS = [
    cell("rust/prost"),
    cell("rust/prost", operation="deserialize", output="borrowed"),
    cell("rust/bson"),
    cell("rust/memcpy"),
    cell("rust/memcpy", scenario="other"),
]


def codecs(filters=(), excludes=()):
    return [str(c) for c in Selection(filters, excludes).cells(CELLS)]


def test_no_filter_takes_everything():
    assert len(codecs()) == len(CELLS)


def test_filters_are_alternatives_and_excludes_win():
    assert codecs(["prost", "bson"], ["deserialize"]) == ["rust/prost point serialize ", "rust/bson point serialize "]


def test_an_end_anchor_means_the_end_of_the_operation_or_of_the_conditions():
    assert len(codecs(["rust/prost point serialize$"])) == 1
    assert len(codecs(["output=borrowed$"])) == 1


def test_controls_come_with_the_scenarios_and_operations_that_are_taken():
    chosen = Selection(["bson"]).with_controls(CELLS, {"rust/memcpy"})
    assert [str(c) for c in chosen] == ["rust/bson point serialize ", "rust/memcpy point serialize "]


def test_an_excluded_control_stays_out():
    assert [c.codec for c in Selection(["bson"], ["memcpy"]).with_controls(CELLS, {"rust/memcpy"})] == ["rust/bson"]


def test_controls_of_another_language_stay_out():
    everything, controls = [*CELLS, cell("cpp/memcpy")], {"rust/memcpy", "cpp/memcpy"}
    chosen = Selection(["bson"]).with_controls(everything, controls)
    assert [c.codec for c in chosen] == ["rust/bson", "rust/memcpy"]


def test_a_control_by_itself_brings_no_other():
    everything, controls = [*CELLS, cell("rust/noop")], {"rust/memcpy", "rust/noop"}
    assert {c.codec for c in Selection(["noop"]).with_controls(everything, controls)} == {"rust/noop"}
