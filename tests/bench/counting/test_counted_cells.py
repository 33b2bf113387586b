"""Which cells `lab count` takes."""

from types import SimpleNamespace
from typing import Any

from bench.counting.choice import chosen_cells
from bench.model.cells import Cell
from bench.scenarios.catalogue import load_catalogue
from tests.support.scenarios.committed import committed_claims, committed_scenarios

SCENARIOS = committed_scenarios()


def counted() -> list[Cell]:
    lab: Any = SimpleNamespace(cells=lambda: load_catalogue().cells(SCENARIOS), scenarios=SCENARIOS)
    return chosen_cells(lab, (), (), published=True)[0]


def test_what_published_tables_show_in_columns_of_their_own_is_counted_too():
    """A claim is held to the work of both programs, so that each side of it must have a count."""
    cells = {f"{cell.codec} {cell.scenario} {cell.operation} {cell.conditions}" for cell in counted()}
    for wanted, condition in (
        ("rust/bitcode-buffer log deserialize", "output=borrowed"),
        ("rust/rkyv log access", "fields=named"),
    ):
        assert any(cell.startswith(f"{wanted} ") and condition in cell for cell in cells), wanted


def test_every_side_of_a_claim_about_a_time_is_counted():
    cells = {(cell.codec, cell.scenario, cell.operation) for cell in counted()}
    published = {(codec, name) for name, one in SCENARIOS.items() for codec in one.published.rows}
    sides = {
        (side.codec, side.scenario, side.operation)
        for entry in committed_claims().entries
        for side in (entry.row, *(pair.other for pair in entry.pairs))
        if entry.by_rule and not entry.kind.is_size
    }
    assert {one for one in sides if one[:2] in published} - cells == set()
