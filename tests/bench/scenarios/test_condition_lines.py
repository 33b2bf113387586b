"""Conditions of several cells on one line, in either direction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.model.cells import Conditions
from bench.scenarios.condition_lines import alternatives, expanded, lines_of

CONDITIONS = st.fixed_dictionaries(
    {},
    optional={
        "buffer": st.sampled_from(["reused", "fresh"]),
        "output": st.sampled_from(["owned", "borrowed", "existing"]),
        "drop": st.sampled_from(["inside", "outside"]),
        "compression": st.sampled_from(["lz4", "zstd-1"]),
    },
)


def test_a_line_stands_for_every_combination():
    cells = expanded(alternatives("buffer=reused compression=none|lz4"))
    assert cells == [Conditions(buffer="reused"), Conditions(buffer="reused", compression="lz4")]


def test_lines_are_merged_in_the_last_condition_first():
    cells = [
        {"output": "borrowed", "drop": "inside"},
        {"output": "owned", "drop": "outside"},
        {"output": "owned", "drop": "inside"},
    ]
    assert lines_of(cells) == ["output=borrowed drop=inside", "output=owned drop=inside|outside"]


@given(st.lists(CONDITIONS, unique_by=lambda one: tuple(sorted(one.items()))), st.randoms())
def test_lines_stand_for_exactly_the_cells_in_any_order(cells, random):
    lines = lines_of(cells)
    expected = [Conditions(**cell) for cell in cells]
    assert sorted(c for line in lines for c in expanded(alternatives(line))) == sorted(expected)
    random.shuffle(cells)
    assert lines_of(cells) == lines


@pytest.mark.parametrize("line", ["buffer", "size=big", "buffer reused"])
def test_a_word_that_is_no_condition_is_refused(line):
    with pytest.raises(ValueError, match="is not a condition"):
        alternatives(line)
