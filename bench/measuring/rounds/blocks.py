"""Blocks of rounds: in each block every cell is measured once in each of the block's layouts."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.model.plan import Plan


class Block(Struct, frozen=True):
    """Consecutive rounds of a scenario."""

    number: int
    first_round: int
    rounds: int
    layouts: tuple[int, ...]
    """Each cell draws another one of them in each of the rounds; only 0 where the run has no others."""

    @property
    def end(self) -> int:
        """The first round after it."""
        return self.first_round + self.rounds


def next_block(before: Sequence[Block], plan: Plan, scenario: str, *, more_layouts: bool = False) -> Block | None:
    """The block that follows; None after the last round of the plan.

    Layouts come in sets of `plan.layouts`: 1 to K, K + 1 to 2 K and so on. A block takes the set that was measured
    least so far, the first of these, or with `more_layouts` the next new one.
    """
    first = before[-1].end if before else 0
    left = plan.rounds[scenario] - first
    if left <= 0:
        return None
    if not plan.layouts:
        return Block(len(before), first, left, (0,))
    measured = Counter(block.layouts for block in before)
    fewest = min(measured.values(), default=0)
    layouts = next((chosen for chosen, times in measured.items() if times == fewest), None)
    if more_layouts or layouts is None:
        layouts = set_of(len(measured), plan)
    return Block(len(before), first, min(left, len(layouts)), layouts)


def set_of(number: int, plan: Plan) -> tuple[int, ...]:
    """The layouts of a set; the last one may be smaller than the others."""
    start = number * plan.layouts + 1
    return tuple(range(start, min(start + plan.layouts, max(plan.layouts, plan.most_layouts) + 1)))


def fixed_blocks(plan: Plan, scenario: str) -> Iterator[Block]:
    """All rounds of the plan with the layouts that it begins with."""
    before: list[Block] = []
    while block := next_block(before, plan, scenario):
        before.append(block)
        yield block


def layouts_of(blocks: Sequence[Block]) -> int:
    """How many layouts were drawn from."""
    return len({layout for block in blocks for layout in block.layouts})
