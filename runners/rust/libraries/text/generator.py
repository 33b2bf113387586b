"""What the template of lines calls: the labels of variants, and the filter of rows, of types with the attribute `text`.

`labels` of an enumeration gives each variant's label. `line` of a struct says that it has lines; the template knows how
they look, since which field ends where follows from no type.
"""

from typing import Any

from bench.types.names import Names
from bench.types.type_set import Attributes, EnumType, FilterOf, TypeSet

LIBRARY = "text"
LABELS, LINE = "labels", "line"


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """`rows`: the messages that have lines; `labels`: enumerations with those of their variants; the filter's parts."""
    rows = [
        message
        for message in types.messages
        if message.struct_name and _own(types.structs[message.struct_name].attributes, message.struct_name, LINE)
    ]
    labels = [(enum, _labels(enum)) for enum in types.enums.values()]
    filters = [use.filter for message in rows for use in message.uses if use.filter]
    level, contained = _filter(filters[0], {enum.name: of for enum, of in labels}) if filters else ("", "")
    return {"rows": rows, "labels": [pair for pair in labels if pair[1]], "level": level, "contained": contained}


def _own(attributes: Attributes, owner: str, known: str) -> Any:
    """The value of an attribute. Raises ValueError for one that this library does not know."""
    own = attributes.get(LIBRARY, {})
    if unknown := own.keys() - {known}:
        raise ValueError(f"{owner}: {LIBRARY} knows no attribute {min(unknown)!r}; it knows {known!r}")
    return own.get(known)


def _labels(enum: EnumType) -> dict[str, str]:
    labels: dict[str, str] = _own(enum.attributes, enum.name, LABELS) or {}
    if labels and labels.keys() != (variants := {variant.name for variant in enum.variants}):
        raise ValueError(f"{enum.name}: {LIBRARY}.{LABELS} has {sorted(labels)}, the variants are {sorted(variants)}")
    return labels


def _filter(rows: FilterOf, labels: dict[str, dict[str, str]]) -> tuple[str, str]:
    """What a line of a row that the filter selects begins with, and the text that it holds."""
    variant = next(iter(rows.equal.values()))
    label = next(of[variant] for of in labels.values() if variant in of)
    return f"[{label}]", next(iter(rows.contains.values()))
