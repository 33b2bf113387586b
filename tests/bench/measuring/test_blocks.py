"""Layouts and offsets: drawn from the seed, balanced, repeatable by hand."""

import hashlib
from collections import Counter
from itertools import pairwise

import pytest
from msgspec.structs import replace

from bench.measuring.order import block_slots, slots
from bench.measuring.rounds.blocks import Block, fixed_blocks, layouts_of, next_block
from bench.model.plan import Plan, ProcessKind
from tests.bench.measuring.test_plan import CELLS, plan_of

ONE = [cell for cell in CELLS if cell.cell.scenario == "point"]


def layered(layouts: int = 4, most: int = 24, rounds: int = 12) -> Plan:
    return replace(plan_of(ONE, rounds=rounds), layouts=layouts, most_layouts=most)


def drawn(plan: Plan) -> dict[tuple[str, bool], list[int]]:
    result: dict[tuple[str, bool], list[int]] = {}
    for slot in slots(plan):
        if slot.kind is ProcessKind.LOOP:
            result.setdefault((str(slot.cell), slot.twin), []).append(slot.layout)
    return result


def test_in_each_block_every_cell_is_measured_once_in_each_layout():
    for layouts in drawn(layered()).values():
        for start in range(0, 12, 4):
            assert sorted(layouts[start : start + 4]) == [1, 2, 3, 4]


def test_cells_twins_and_blocks_draw_independently():
    found = drawn(layered(layouts=8, rounds=16))
    first = {tuple(layouts[:8]) for layouts in found.values()}
    assert len(first) == len(found) == 9
    assert all(layouts[:8] != layouts[8:] for layouts in found.values())


def test_layouts_and_offsets_are_those_of_sha_256_computed_by_hand():
    plan = layered()
    for slot in slots(plan):
        block, index = divmod(slot.round, 4)
        digests = {
            layout: hashlib.sha256(f"1:layout:point:{block}:{slot.cell}:{slot.twin}:{layout}".encode()).digest()
            for layout in (1, 2, 3, 4)
        }
        assert slot.layout == sorted(digests, key=digests.__getitem__)[index]
        offset = hashlib.sha256(f"1:offset:point:{slot.round}:{slot.cell}:{slot.twin}".encode()).digest()[0]
        assert slot.offset_bytes == 16 * offset


def test_offsets_are_multiples_of_16_within_a_page_and_use_all_of_it():
    offsets = Counter(slot.offset_bytes for slot in slots(layered(rounds=400)))
    assert set(offsets) == set(range(0, 4096, 16))


def test_without_layouts_nothing_is_drawn_and_nothing_moved():
    assert {(slot.layout, slot.offset_bytes) for slot in slots(layered(layouts=0, most=0))} == {(0, 0)}


def test_the_process_at_no_repetitions_has_layout_and_offset_of_its_loops():
    loops, bases = (
        {(s.round, s.cell): (s.layout, s.offset_bytes) for s in slots(layered()) if s.kind is kind and not s.twin}
        for kind in ProcessKind
    )
    assert bases and all(loops[key] == where for key, where in bases.items())


def test_blocks_follow_one_another_and_the_last_is_cut_off():
    blocks = [*fixed_blocks(layered(rounds=10), "point")]
    assert [(block.first_round, block.rounds) for block in blocks] == [(0, 4), (4, 4), (8, 2)]
    assert all(one.end == next.first_round for one, next in pairwise(blocks))
    assert layouts_of(blocks) == 4
    last = [s for s in block_slots(layered(rounds=10), "point", blocks[-1]) if not s.twin]
    assert {s.round for s in last} == {8, 9}


def test_new_layouts_come_in_sets_and_then_the_least_measured_set_is_next():
    plan, blocks = layered(rounds=40), list[Block]()
    for more in (False, False, True, True, False, False, False):
        block = next_block(blocks, plan, "point", more_layouts=more)
        assert block
        blocks.append(block)
    assert [block.layouts[0] for block in blocks] == [1, 1, 5, 9, 5, 9, 1]
    assert blocks[2].layouts == (5, 6, 7, 8)
    assert layouts_of(blocks) == 12


def test_the_last_set_may_be_smaller():
    plan, blocks = layered(layouts=4, most=6), list[Block]()
    for more in (False, True):
        block = next_block(blocks, plan, "point", more_layouts=more)
        assert block
        blocks.append(block)
    assert blocks[-1].layouts == (5, 6)
    assert blocks[-1].rounds == 2


@pytest.mark.parametrize("layouts", [0, 4])
def test_after_the_last_round_there_is_no_block(layouts):
    plan = layered(layouts=layouts)
    assert next_block([*fixed_blocks(plan, "point")], plan, "point") is None


def test_without_layouts_all_rounds_are_one_block():
    (block,) = fixed_blocks(layered(layouts=0), "point")
    assert (block.rounds, block.layouts) == (12, (0,))
