"""From what runners describe to what the catalogue says of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import count, groupby

from msgspec import Struct

from bench.model.cells import Conditions, Operation
from bench.model.description import Description
from bench.model.offers import NO_OFFER, CatalogueFile, Lines, MessageKind, Offered
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import OF_READING, WRITING, exception_key, is_measured_in
from bench.scenarios.condition_lines import alternatives, lines_of
from bench.scenarios.sets import features_of, kind_of_message
from bench.types.features import takes

IN_COMMON = ("api", "validation")
"""Conditions that are said once a codec, not in every line."""

Seen = dict[Operation, set[Conditions]]
Told = tuple[tuple[Operation, tuple[str, ...]], ...]
"""Operation → its lines of conditions."""


class Content(Struct, frozen=True):
    """An offer without its name."""

    main: Told
    more: Told
    """What is added in scenarios with `every_condition`."""


class Observed(Struct, frozen=True):
    """What a codec offers for one type in one kind of message."""

    kind: MessageKind
    key: str
    """How exceptions name it."""
    operations: frozenset[Operation]
    """Those that scenarios ask for."""
    every: bool
    """Whether a scenario asks for every condition."""
    taken: bool
    """Whether the type has no feature that the codec cannot take."""
    content: Content | None

    def agrees(self, offer: Content | None) -> bool:
        """Whether an offer gives the same cells, as far as scenarios ask for them."""
        if self.content is None or offer is None:
            return self.content is offer
        same = self._asked(self.content.main) == self._asked(offer.main)
        return same and (not self.every or self._asked(self.content.more) == self._asked(offer.more))

    def _asked(self, told: Told) -> Told:
        return tuple((operation, lines) for operation, lines in told if operation in self.operations)


def observed_catalogue(
    descriptions: Iterable[Description],
    scenarios: Mapping[str, Scenario],
    former: CatalogueFile,
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
    used = {name for one in codecs.values() for name in (*one.offers.values(), *one.exceptions.values())}
    contents = {name: content for content, name in names.items() if name in used}
    return CatalogueFile(
        protocol=former.protocol,
        builds=former.builds,
        offers={name: _table(contents[name].main) for name in sorted(contents)},
        every_condition={name: _table(contents[name].more) for name in sorted(contents) if contents[name].more},
        codecs=dict(sorted(codecs.items())),
    )


def content_of(file: CatalogueFile, name: str) -> Content:
    """What an offer of a catalogue holds."""
    return Content(_tuples(file.offers[name]), _tuples(file.every_condition.get(name, {})))


def _tuples(table: Mapping[Operation, Lines]) -> Told:
    return tuple((operation, tuple(table[operation])) for operation in Operation if operation in table)


def _table(content: Told) -> dict[Operation, Lines]:
    return {operation: list(lines) for operation, lines in content}


def _offered(
    description: Description, scenarios: Mapping[str, Scenario], builds: set[str], names: dict[Content, str]
) -> Offered:
    """What a runner offers, kind by kind. New offers are added to `names`."""
    common, observed = _observed(description, scenarios, builds)
    rules = _rules(observed)
    exceptions = {
        one.key: _name(one.content, names)
        for one in observed
        if not one.agrees(_by_rule(rules, one.kind.alternatives) if one.taken else None)
    }
    return Offered(
        format=description.format,
        library=description.library,
        self_describing=description.self_describing,
        control=description.control,
        role=description.role,
        any=description.any,
        probes=bool(description.probes),
        conditions=" ".join(f"{name}={value}" for name, value in common.items()),
        offers={kind: _name(content, names) for kind, content in rules.items()},
        exceptions=exceptions,
        cannot=dict(sorted(description.cannot.items())),
        instead=dict(sorted(description.instead.items())),
    )


def _name(content: Content | None, names: dict[Content, str]) -> str:
    if content is None:
        return NO_OFFER
    taken = set(names.values())
    return names.setdefault(content, next(free for number in count(1) if (free := f"offer-{number}") not in taken))


def _observed(
    description: Description, scenarios: Mapping[str, Scenario], builds: set[str]
) -> tuple[dict[str, str], list[Observed]]:
    """The conditions that a codec's cells have in common, and what it offers, sorted by kind and type."""
    language = description.codec.partition("/")[0]
    by_scenario: dict[str, Seen] = {}
    for cell in description.cells:
        by_scenario.setdefault(cell.scenario, {}).setdefault(cell.operation, set()).add(cell.conditions)
    own = [one for one in scenarios.values() if is_measured_in(one, language)]
    seen = [by_scenario.get(one.name, {}) for one in own]
    common = _in_common(cells for one in seen for cells in one.items())
    own.sort(key=lambda one: (kind_of_message(one), one.type))
    result = []
    for (kind, _), same in groupby(own, key=lambda one: (kind_of_message(one), one.type)):
        group = list(same)
        kinds: dict[bool, Seen] = {}
        for scenario in group:
            for operation, conditions in by_scenario.get(scenario.name, {}).items():
                kinds.setdefault(scenario.every_condition, {}).setdefault(operation, set()).update(conditions)
        main = kinds.get(False) or kinds.get(True, {})
        more = {one: cells - main.get(one, set()) for one, cells in kinds.get(True, {}).items()}
        content = Content(_content(main, common, builds), _content(more, common, builds))
        result.append(
            Observed(
                kind=kind,
                key=exception_key(kind, group[0]),
                operations=frozenset(operation for scenario in group for operation in scenario.operations),
                every=any(scenario.every_condition for scenario in group),
                taken=takes(description.cannot, features_of(group[0])),
                content=content if content.main else None,
            )
        )
    return common, result


Rules = dict[MessageKind, Content | None]


def _rules(observed: Iterable[Observed]) -> Rules:
    """Kind → the offer that agrees with the most types, of these the largest; where a more general kind has the same,
    none.
    """
    rules: Rules = {}
    for kind, group in groupby(observed, key=lambda one: one.kind):
        same = [one for one in group if one.taken]
        contents = [one.content for one in same]
        if contents:
            rules[kind] = max(contents, key=lambda content: (sum(one.agrees(content) for one in same), _size(content)))
    needed: Rules = {}
    for kind in sorted(rules, key=lambda kind: len(kind.alternatives)):  # the more general ones first
        if rules[kind] != _by_rule(needed, kind.alternatives[1:]):
            needed[kind] = rules[kind]
    return {kind: rule for kind, rule in rules.items() if kind in needed}


def _by_rule(rules: Rules, kinds: Iterable[MessageKind]) -> Content | None:
    """What the rules give to the first of some kinds that has one."""
    return next((rules[one] for one in kinds if one in rules), None)


def _size(content: Content | None) -> int:
    return sum(len(lines) for told in (content.main, content.more) for _, lines in told) if content else 0


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


def _content(seen: Seen, common: Mapping[str, str], builds: set[str]) -> Told:
    content = []
    for operation in Operation:
        bare = [
            {name: value for name, value in one.items() if name not in builds and common.get(name) != value}
            for one in seen.get(operation, ())
        ]
        if bare:
            content.append((operation, tuple(lines_of(bare))))
    return tuple(content)
