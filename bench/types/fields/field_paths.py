"""Paths of fields in a message: `logs[].address.x0` is that of each element of a list."""

from collections.abc import Mapping
from typing import Any, Protocol

from bench.types.expressions import ArrayOf, ListOf, Named, Type
from bench.types.type_set import EnumType, StructType


class Known(Protocol):
    """Structs and enumerations by name."""

    @property
    def structs(self) -> Mapping[str, StructType]:
        """By name."""

    @property
    def enums(self) -> Mapping[str, EnumType]:
        """By name."""


def add_path(tree: dict[str, Any], of: Type, known: Known, path: str, leaf: Any) -> Type:
    """Puts a leaf at a path of a tree, field → those within it; gives the type of the field. Lists have the fields of
    their items. An empty mapping is a leaf.

    Raises ValueError for a path that leads to no field, and for one that the tree has, or a part of it.
    """
    within, names = tree, path.split(".")
    for name in names[:-1]:
        plain, of = _step(of, known, path, name)
        if plain in within and _is_leaf(within[plain]):
            raise ValueError(f"{path!r} is named twice")
        within = within.setdefault(plain, {})
    plain, of = _step(of, known, path, names[-1])
    if plain in within:
        raise ValueError(f"{path!r} is named twice")
    within[plain] = leaf
    return of


def _is_leaf(of: Any) -> bool:
    return not isinstance(of, dict) or not of


def _step(of: Type, known: Known, path: str, name: str) -> tuple[str, Type]:
    """A name in a path: the field without `[]`, and the type of what it leads to."""
    plain = name.removesuffix("[]")
    struct = known.structs.get(of.name) if isinstance(of, Named) else None
    field = next((one for one in struct.fields if one.name == plain), None) if struct else None
    if field is None:
        raise ValueError(f"{path!r} leads to no field: {of} has no {plain!r}")
    if plain == name:
        return plain, field.type
    if not isinstance(field.type, ListOf | ArrayOf):
        raise ValueError(f"{path!r} leads to no field: {plain!r} is {field.type}, and no list")
    return plain, field.type.item
