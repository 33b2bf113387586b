"""Claims that a table makes with each of its rows: functions of its figures and of nothing else."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from analysis.claims.statements import Claim, Direction, Rule
from analysis.sources.published_tables import PublishedValue
from bench.statistics.layouts import SINGLE_LAYOUT_MARGIN


def claims_by_rows(name: str, rule: Rule, table: str, values: Sequence[PublishedValue]) -> Iterator[tuple[str, Claim]]:
    """(Name, claim) of each claim that a rule makes of a table; `values` are the figures that codecs can reproduce.

    Raises KeyError, IndexError or ValueError where the rule's sentence has a part that claims do not have.
    """
    for operation in rule.operations:
        for platform in dict.fromkeys(value.platform for value in values):
            wanted = (operation, platform, rule.metric)
            rows: dict[str, PublishedValue] = {}
            for value in values:
                if (value.operation, value.platform, value.metric) == wanted:
                    rows.setdefault(value.codec, value)
            best_first = sorted(rows.values(), key=_in_one_unit, reverse=rule.best == "greater")
            called = rule.called.get(operation, {})
            for row, than in _pairs(rule, best_first):
                yield (
                    "-".join(dict.fromkeys(map(_slug, (name, table, row.codec, operation)))),
                    Claim(
                        says=rule.says.format(
                            row=called.get(row.codec, row.codec),
                            than=called.get(than.codec, than.codec) if than else "",
                            operation=operation,
                            table=table,
                        ),
                        table=table,
                        row=row.codec,
                        operation=operation,
                        metric=rule.metric,
                        direction=_direction(rule),
                        than=than.codec if than else None,
                        platforms=(platform,),
                        tolerance=rule.tolerance,
                        differs=rule.differs.get(table, {}).get(row.codec),
                    ),
                )


def _pairs(rule: Rule, best_first: Sequence[PublishedValue]) -> Iterator[tuple[PublishedValue, PublishedValue | None]]:
    """Each row with the one that it is compared with; of two that are nearly equal nothing is claimed."""
    if rule.each == "figure":
        yield from ((value, None) for value in best_first)
        return
    pairs = pairwise(best_first) if rule.each == "next" else ((one, best_first[0]) for one in best_first[1:])
    yield from ((one, other) for one, other in pairs if is_apart(one, other))


def _direction(rule: Rule) -> Direction:
    """How a claim compares its row: the better one of two neighbours, and one that is behind the best."""
    if rule.each == "figure":
        return "equal"
    behind: dict[Direction, Direction] = {"less": "greater", "greater": "less"}
    return rule.best if rule.each == "next" else behind[rule.best]


def is_apart(one: PublishedValue, other: PublishedValue) -> bool:
    """Whether two published figures say which is larger: their ranges share nothing, and they differ by more than
    another layout of the same program may move either.
    """
    ratio = _in_one_unit(one) / _in_one_unit(other)
    return not overlap(one, other) and abs(math.log(ratio)) > math.log1p(SINGLE_LAYOUT_MARGIN)


def overlap(one: PublishedValue, other: PublishedValue) -> bool:
    """Whether the printed ranges of two figures share a value; without ranges, whether the figures are equal."""
    (low, high), (other_low, other_high) = _range(one), _range(other)
    return low <= other_high and other_low <= high


def _range(value: PublishedValue) -> tuple[float, float]:
    low = value.value if value.low is None else value.low
    high = value.value if value.high is None else value.high
    return low * value.scale, high * value.scale


def _in_one_unit(value: PublishedValue) -> float:
    return value.value * value.scale


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")
