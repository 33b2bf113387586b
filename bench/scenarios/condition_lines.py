"""Conditions of several cells on one line: `buffer=reused output=owned drop=inside|outside` stands for two."""

from collections.abc import Iterable, Mapping
from itertools import product

from bench.model.cells import Conditions

NONE = "none"
"""The value of a condition that is absent: `compression=none|lz4`."""
ORDER = {name: index for index, name in enumerate(Conditions.__struct_fields__)}

Values = Mapping[str, str]
"""Condition → value, without conditions that are absent."""


def alternatives(line: str) -> dict[str, list[str]]:
    """Condition → its values. Raises ValueError for a word that is no condition."""
    result = {}
    for word in line.split():
        name, mark, values = word.partition("=")
        if not mark or name not in ORDER:
            raise ValueError(f"{word!r} is not a condition: give NAME=VALUE with a name of {', '.join(ORDER)}")
        result[name] = values.split("|")
    return result


def expanded(choices: Mapping[str, Iterable[str]]) -> list[Conditions]:
    """Every combination of one value of each condition."""
    names = list(choices)
    return [
        Conditions(**{name: value for name, value in zip(names, values, strict=True) if value != NONE})
        for values in product(*choices.values())
    ]


def lines_of(cells: Iterable[Values]) -> list[str]:
    """The fewest lines, found greedily, that stand for exactly these conditions; the same for any order of them."""
    lines = [{name: [value] for name, value in cell.items()} for cell in cells]
    lines.sort(key=_sort_key)
    while merged := _merge_once(lines):
        lines = merged
    return [
        " ".join(f"{name}={'|'.join(line[name])}" for name in sorted(line, key=ORDER.__getitem__)) for line in lines
    ]


Line = dict[str, list[str]]


def _sort_key(line: Line) -> list[tuple[int, list[str]]]:
    return sorted((ORDER[name], values) for name, values in line.items())


def _merge_once(lines: list[Line]) -> list[Line] | None:
    """The lines with two that can be one as one; None where no two can.

    Of several it is the pair whose difference is the last in the order of conditions:
    `output=owned drop=inside|outside` rather than `output=borrowed|owned drop=inside`.
    """
    pairs = [
        (ORDER[name], one, other)
        for index, one in enumerate(lines)
        for other in lines[index + 1 :]
        if (name := _only_difference(one, other))
    ]
    if not pairs:
        return None
    last, one, other = max(pairs, key=lambda pair: pair[0])
    name = list(ORDER)[last]
    values = sorted([*one.get(name, [NONE]), *other.get(name, [NONE])], key=lambda value: (value != NONE, value))
    return [{**one, name: values} if line is one else line for line in lines if line is not other]


def _only_difference(one: Line, other: Line) -> str | None:
    """The condition in which two lines differ, if it is only one."""
    names = [name for name in ORDER if one.get(name, [NONE]) != other.get(name, [NONE])]
    return names[0] if len(names) == 1 else None
