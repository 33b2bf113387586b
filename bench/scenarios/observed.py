"""From what runners describe to what the catalogue says of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from bench.model.cells import Conditions, Operation
from bench.model.description import Description
from bench.model.offers import CatalogueFile, Limit, Lines, Offered
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import OF_READING, WRITING
from bench.scenarios.condition_lines import alternatives, lines_of

IN_COMMON = ("api", "validation")
"""Conditions that are said once a codec, not in every line."""

Seen = dict[Operation, set[Conditions]]


class Content(Struct, frozen=True):
    """An offer without its name."""

    main: tuple[tuple[Operation, tuple[str, ...]], ...]
    more: tuple[tuple[Operation, tuple[str, ...]], ...]
    """What is added in scenarios with `every_condition`."""


def observed_catalogue(
    descriptions: Iterable[Description],
    scenarios: Mapping[str, Scenario],
    former: CatalogueFile,
    limits: Sequence[Limit],
    known: Collection[str],
) -> CatalogueFile:
    """What runners describe now; of other codecs in `known`, which gave no description, what the former catalogue says.

    An offer keeps the name that the former catalogue gave it; other offers are numbered, to be named by hand.
    """
    names = {content_of(former, name): name for name in former.offers}
    codecs = {name: offered for name, offered in former.codecs.items() if name in known}
    for description in descriptions:
        builds = (
            set(alternatives(former.builds[description.language].conditions))
            if (description.language in former.builds)
            else set()
        )
        codecs[description.codec] = _offered(description, scenarios, builds, names)
    codecs = {name: _limited(name, offered, limits) for name, offered in sorted(codecs.items())}
    used = {name for offered in codecs.values() for name in (*offered.types, *offered.encrypted)}
    contents = {name: content for content, name in names.items() if name in used}
    return CatalogueFile(
        protocol=former.protocol,
        builds=former.builds,
        offers={name: _table(contents[name].main) for name in sorted(contents)},
        every_condition={name: _table(contents[name].more) for name in sorted(contents) if contents[name].more},
        codecs=codecs,
    )


def _limited(codec: str, offered: Offered, limits: Sequence[Limit]) -> Offered:
    """A codec with the limits that name it."""
    own = [(feature, limit) for limit in limits if codec in limit.codecs for feature in sorted(limit.features)]
    return msgspec.structs.replace(
        offered,
        cannot={feature: limit.because for feature, limit in own if limit.because},
        instead={feature: limit.instead for feature, limit in own if limit.instead},
    )


def content_of(file: CatalogueFile, name: str) -> Content:
    """What an offer of a catalogue holds."""
    return Content(_tuples(file.offers[name]), _tuples(file.every_condition.get(name, {})))


def _tuples(table: Mapping[Operation, Lines]) -> tuple[tuple[Operation, tuple[str, ...]], ...]:
    return tuple((operation, tuple(table[operation])) for operation in Operation if operation in table)


def _table(content: tuple[tuple[Operation, tuple[str, ...]], ...]) -> dict[Operation, Lines]:
    return {operation: list(lines) for operation, lines in content}


def _offered(
    description: Description, scenarios: Mapping[str, Scenario], builds: set[str], names: dict[Content, str]
) -> Offered:
    """What a runner offers, type by type. New offers are added to `names`."""
    by_type: dict[tuple[str, bool], dict[bool, Seen]] = {}
    for cell in description.cells:
        if scenario := scenarios.get(cell.scenario):
            kinds = by_type.setdefault((scenario.type, scenario.keys is not None), {})
            seen = kinds.setdefault(scenario.every_condition, {})
            seen.setdefault(cell.operation, set()).add(cell.conditions)
    common = _in_common(cells for kinds in by_type.values() for seen in kinds.values() for cells in seen.items())
    tables: dict[bool, dict[str, list[str]]] = {False: {}, True: {}}
    for (kind, encrypted), kinds in sorted(by_type.items()):
        main = kinds.get(False) or kinds[True]
        more = {one: cells - main.get(one, set()) for one, cells in kinds.get(True, {}).items()}
        content = Content(_content(main, common, builds), _content(more, common, builds))
        name = names.setdefault(content, f"offer-{len(names) + 1}")
        tables[encrypted].setdefault(name, []).append(kind)
    return Offered(
        format=description.format,
        library=description.library,
        self_describing=description.self_describing,
        control=description.control,
        role=description.role,
        probes=bool(description.probes),
        conditions=" ".join(f"{name}={value}" for name, value in common.items()),
        types=dict(sorted(tables[False].items())),
        encrypted=dict(sorted(tables[True].items())),
    )


def _in_common(cells: Iterable[tuple[Operation, set[Conditions]]]) -> dict[str, str]:
    """The most frequent value of each condition that applies to all cells, or to all that read."""
    everything = [(operation, conditions) for operation, some in cells for conditions in some]
    result = {}
    for name in IN_COMMON:
        reading = name in OF_READING
        values = [getattr(one, name) for operation, one in everything if not (reading and operation in WRITING)]
        if values and None not in values:
            result[name] = Counter(sorted(values)).most_common(1)[0][0]
    return result


def _content(seen: Seen, common: Mapping[str, str], builds: set[str]) -> tuple[tuple[Operation, tuple[str, ...]], ...]:
    content = []
    for operation in Operation:
        bare = [
            {name: value for name, value in one.items() if name not in builds and common.get(name) != value}
            for one in seen.get(operation, ())
        ]
        if bare:
            content.append((operation, tuple(lines_of(bare))))
    return tuple(content)
