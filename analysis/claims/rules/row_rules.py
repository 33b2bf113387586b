"""Claims that a table makes with each of its rows: functions of its figures and of nothing else."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from analysis.claims.statements import Claim, Direction, Rule
from analysis.sources.published_tables import PublishedValue


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
            for row, than in _pairs(rule, best_first):
                yield (
                    "-".join(dict.fromkeys(map(_slug, (name, table, row.codec, operation)))),
                    Claim(
                        says=rule.says.format(
                            row=row.codec, than=than.codec if than else "", operation=operation, table=table
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
    """Each row with the one that it is compared with."""
    if rule.each == "figure":
        yield from ((value, None) for value in best_first)
    elif rule.each == "best":
        yield from ((value, best_first[0]) for value in best_first[1:])
    else:
        yield from ((one, other) for one, other in pairwise(best_first) if not overlap(one, other))


def _direction(rule: Rule) -> Direction:
    """How a claim compares its row: the better one of two neighbours, and one that is behind the best."""
    if rule.each == "figure":
        return "equal"
    behind: dict[Direction, Direction] = {"less": "greater", "greater": "less"}
    return rule.best if rule.each == "next" else behind[rule.best]


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
