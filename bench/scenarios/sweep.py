"""The points of a sweep: one scenario per length, from one declaration."""

import re
from collections.abc import Iterator

import msgspec

from bench.model.scenario import Input, Scenario, title_of_point

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20}
LEAST_REPETITIONS = 10


def size_bytes(text: str) -> int:
    """`16B`, `1KiB`, `64MiB` → bytes. Raises ValueError for anything else."""
    match = re.fullmatch(r"([1-9][0-9]*)(B|KiB|MiB)", text)
    if not match:
        raise ValueError(f"{text!r} is not a size: give a number with B, KiB or MiB, such as 64KiB")
    return int(match[1]) * UNITS[match[2]]


def points(scenario: Scenario) -> Iterator[Scenario]:
    """The points of a scenario's sweep, if it has one. Raises ValueError if its input has no length.

    A shorter list holds the first numbers of a longer one. Points were not published: their repetitions handle about as
    many bytes as the published ones, but are at least ten and at most as many.
    """
    for label, sha256 in scenario.sweep.sha256.items() if scenario.sweep else ():
        size, published = size_bytes(label), scenario.published
        rule = scenario.input.value
        if not (isinstance(rule, dict) and len(rule) == 1 and "count" in (arguments := next(iter(rule.values())))):
            raise ValueError("a sweep needs an input whose rule has a count")
        count = size * arguments["count"] // scenario.data_size_bytes
        if count * scenario.data_size_bytes != size * arguments["count"]:
            raise ValueError(f"{label} is not a whole number of values")
        split = published.split
        repetitions = published.repetitions * scenario.data_size_bytes // max(size, scenario.data_size_bytes)
        yield msgspec.structs.replace(
            scenario,
            name=f"{scenario.name}-{label.lower()}",
            title=title_of_point(f"{scenario.title}: {label}"),
            data_size_bytes=size,
            input=Input(sha256, {next(iter(rule)): arguments | {"count": count}}),
            published=msgspec.structs.replace(
                published, table=None, rows={}, repetitions=max(repetitions // split, LEAST_REPETITIONS) * split
            ),
            sizes_bytes={},
            references=[],
            variant_of=scenario.name,
            sweep=None,
            point=True,
        )
