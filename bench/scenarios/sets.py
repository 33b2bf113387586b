"""Which types are compiled into one program: those of schemas/types, or those that a scenario brings."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from bench.model.offers import Feature, MessageKind
from bench.model.scenario import Scenario
from bench.types.definitions import Defined, MistakeError, define, definitions_of, published_types
from bench.types.expressions import Type, parse_type
from bench.types.features import features, kind_of
from bench.types.fields.digest import named_fields
from bench.types.fields.updates import Changes, changes
from bench.types.type_set import PUBLISHED, FilterOf, MessageType, TypeSet, Use

NAMED = {MessageKind.STRUCT: MessageKind.NAMED, MessageKind.STRUCT_OF_TEXT: MessageKind.NAMED_OF_TEXT}
"""Kind of a message → the one that it is of where a scenario names some of its fields."""
Facts = tuple[MessageKind, frozenset[Feature]]


def types_of(scenario: Scenario) -> Defined:
    """The types that a scenario's own type is made of. Raises MistakeError for those in its table [types]."""
    if scenario.types is None:
        return published_types()
    tables: dict[str, dict[str, Any]] = {"structs": {}, "enums": {}}
    for table, given in scenario.types.items():
        if table not in tables or not isinstance(given, dict):
            raise MistakeError([table], "[types] holds the tables structs and enums, and nothing else")
        tables[table] = given
    return define(definitions_of(**tables))


def kind_of_message(scenario: Scenario) -> MessageKind:
    """What a codec's offer for a scenario depends on."""
    if scenario.is_files:
        return MessageKind.ENCRYPTED if scenario.keys else MessageKind.FILES
    kind = _facts(scenario)[0]
    return NAMED.get(kind, kind) if scenario.named_fields else kind


def features_of(scenario: Scenario) -> frozenset[Feature]:
    """What a scenario's messages have that not every library can take."""
    return _facts(scenario)[1]


def _facts(scenario: Scenario) -> Facts:
    return _published_facts(scenario.type) if scenario.types is None else _facts_of(scenario.type, types_of(scenario))


@cache
def _published_facts(text: str) -> Facts:  # every codec asks for those of every scenario
    return _facts_of(text, published_types())


def _facts_of(text: str, defined: Defined) -> Facts:
    of = parse_type(text)
    return kind_of(of, defined), frozenset(features(of, defined))


def set_name(scenario: Scenario) -> str:
    """The name of the set of types that a scenario's programs are compiled with."""
    return PUBLISHED if scenario.types is None else scenario.name


def type_set(name: str, scenarios: Iterable[Scenario]) -> TypeSet:
    """The types of a set, with the scenarios that measure each; sweeps count with each of their points."""
    own = [scenario for scenario in scenarios if set_name(scenario) == name]
    uses: dict[Type, list[Use]] = {}
    for scenario in sorted(own, key=lambda one: one.name):
        uses.setdefault(parse_type(scenario.type), []).append(_use(scenario))
    defined = types_of(own[0]) if own else published_types()
    messages = [MessageType(kind, tuple(of)) for kind, of in sorted(uses.items(), key=lambda item: str(item[0]))]
    return TypeSet(name, defined.structs, defined.enums, messages)


def changes_of(scenario: Scenario) -> Changes:
    """What a scenario's `update` changes. Raises MistakeError for what cannot be."""
    said = scenario.update
    if said is None:
        return {}
    return changes(parse_type(scenario.type), types_of(scenario), said.values, said.factors)


def _use(scenario: Scenario) -> Use:
    rows = (
        None
        if scenario.filter is None
        else FilterOf(
            {tuple(path.split(".")): value for path, value in scenario.filter.equal.items()},
            {tuple(path.split(".")): text for path, text in scenario.filter.contains.items()},
        )
    )
    named = named_fields(parse_type(scenario.type), types_of(scenario), scenario.named_fields)
    return Use(
        scenario.name,
        scenario.is_rows,
        scenario.is_files,
        rows,
        encrypted=scenario.keys is not None,
        languages=tuple(scenario.languages),
        every_condition=scenario.every_condition,
        named=named,
        changes=changes_of(scenario),
    )
