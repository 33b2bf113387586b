"""Where a message is nested deeper than any type: notation and compilers have limits."""

from typing import Any, NamedTuple

from bench.types.definitions import DEEPEST_STRUCTS
from bench.types.expressions import DEEPEST


class Place(NamedTuple):
    """A value that is nested too deep."""

    path: str
    problem: str


def first_too_deep(value: Any) -> Place | None:
    """The first value of a message that lies deeper than types go, in the order of the message; None if there is none.

    Lists directly within lists count as far as the notation nests brackets, objects as far as structs may be nested.
    """
    waiting: list[tuple[Any, str, int, int]] = [(value, "$", 0, 0)]
    while waiting:
        one, path, lists, objects = waiting.pop()
        if isinstance(one, list):
            if lists + 1 >= DEEPEST:
                return Place(path[:200], _problem("lists", DEEPEST - 1, "Put an object between them, or move"))
            inner = [(item, f"{path}[{index}]", lists + 1, objects) for index, item in enumerate(one)]
        elif isinstance(one, dict):
            if objects + 1 > DEEPEST_STRUCTS:
                return Place(path[:200], _problem("objects", DEEPEST_STRUCTS, "Move"))
            inner = [(item, f"{path}.{key[:80]}", 0, objects + 1) for key, item in one.items()]
        else:
            continue
        waiting += reversed(inner)
    return None


def _problem(what: str, most: int, hint: str) -> str:
    return f"{what} are nested deeper than {most} levels. {hint} the inner part into a message of its own"
