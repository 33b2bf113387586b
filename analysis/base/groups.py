"""Groups the entries of a mapping."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


def keys_by_value(values: Mapping[K, V]) -> dict[V, list[K]]:
    """Value → the keys that have it; both in the order in which they come."""
    result: dict[V, list[K]] = {}
    for key, value in values.items():
        result.setdefault(value, []).append(key)
    return result
