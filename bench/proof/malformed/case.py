"""An input of a class, and what is known of it."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from bench.model.proof.malformed_rules import Rule


class Case(Struct, frozen=True):
    """An input, and what is known of it."""

    class_: str
    name: str
    data: bytes
    rule: Rule
    like: bytes | None = None
    """An input that would be read the same."""
    recipe: str | None = None
    """A Python expression that makes the input, if that is long."""


def leaves(value: Any, kind: type) -> Iterator[Any]:
    """Texts, numbers or lists of a JSON value, those within others too."""
    if isinstance(value, kind):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one, kind)
