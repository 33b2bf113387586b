"""Types that follow from generated data, built for codecs of every library: each gives back what it was given.

Many inferred messages make one set, so that each program is compiled once.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.conjecture.providers import Constants

from bench.base.errors import LabError
from bench.base.files import read_toml
from bench.building.build import build
from bench.building.runner import Runner
from bench.datasets.candidates import DEFAULTS, Defaults
from bench.datasets.dataset import Typed, fitted, inferred_types
from bench.datasets.reading.sources import open_source
from bench.model.offers import MessageKind
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import load_catalogue
from bench.types.definitions import Definitions, EnumDefinition, StructDefinition, define
from bench.types.expressions import parse_type
from bench.types.notation import table_of
from bench.types.type_set import MessageType, TypeSet, Use
from tests.support.datasets.data_sets import HOSTILE_KEYS, events, geography, json_lines, spans
from tests.support.types.proof import with_input, wrong
from tests.support.types.rust_programs import built

MESSAGES = 10
"""Inferred message types."""
NEW = 3
"""Types of fields that each has and none before it."""
KNOWN = {
    r"/(prost|flatbuffers\S*|protobuf\S*) .* value: .*'-0.0' against '0'": "a zero is a default, whatever its sign",
    r"rust/serde-json .* value: .*: '[^']{15,}' against '": "the last digit of floats, by default",
    r"rust/bson .* encode: .* cannot fit into BSON": "integers of 64 bits with a sign",
    r"rust/toml .* value: .*: keys: ": "what is missing has no form, in maps either",
}
"""What libraries do to some values: the problem → why."""

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KEYS = st.sampled_from([key for key in HOSTILE_KEYS if len(key) < 100 and "\0" not in key]) | st.text(
    ascii_lowercase, min_size=1, max_size=5
)
NAMES = st.sampled_from(["red", "green", "read-only", "404", "class", "None"])
KINDS = [
    st.booleans(),
    st.integers(0, 100),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(-(2**127), 2**127 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXT,
    NAMES,
]
"""Strategies of the values that one place of a user's data has."""


def structs(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Strategies of objects of the same keys, some of which may be missing."""
    required, optional = (st.dictionaries(KEYS, kinds, min_size=low, max_size=4) for low in (1, 0))
    return st.tuples(required, optional).map(
        lambda both: st.fixed_dictionaries(both[0], optional={k: v for k, v in both[1].items() if k not in both[0]})
    )


def around(kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Strategies of what holds values of these kinds."""
    return st.one_of(
        structs(kinds),
        kinds.map(lambda kind: st.none() | kind),
        kinds.map(lambda kind: st.lists(kind, max_size=3)),
        kinds.map(
            lambda kind: st.dictionaries(st.from_regex("[0-9]{3}", fullmatch=True), kind, min_size=4, max_size=6)
        ),
        st.lists(kinds, min_size=2, max_size=3).map(lambda some: st.tuples(*some).map(list)),
    )


DATA = structs(st.recursive(st.sampled_from(KINDS), around, max_leaves=5)).flatmap(
    lambda message: st.lists(message, min_size=1, max_size=30)
)


def generated() -> Iterator[list[dict[str, Any]]]:
    """Data by rules, then drawn data."""
    large = [{"count": number, "counts": [number], "pair": [number, "a"]} for number in (0, 2**64 - 1)]
    yield from (events(40), spans(40), [geography(3)], [dict.fromkeys(HOSTILE_KEYS[:6], 1)] * 3, large)
    drawn: list[list[dict[str, Any]]] = []

    @settings(
        max_examples=40 * MESSAGES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(DATA)
    def collect(messages: list[dict[str, Any]]) -> None:
        drawn.append(messages)

    # Hypothesis also draws constants that stand in whatever modules are loaded: without these the draws are always the same.
    with patch.object(providers, "_get_local_constants", Constants):
        collect()
    yield from drawn


def renamed(definitions: Definitions, prefix: str) -> Definitions:
    """The same types under names that no other data's have."""

    def name(text: str) -> str:
        return re.sub(r"\b(?=[A-Z])", prefix, text)

    structs = {
        name(own): StructDefinition({key: name(str(kind)) for key, kind in one.fields.items()})
        for own, one in definitions.structs.items()
    }
    return Definitions(
        structs, {name(own): EnumDefinition(one.repr, one.variants) for own, one in definitions.enums.items()}
    )


def inferred_sets(folder: Path) -> Iterator[tuple[Typed, bytes]]:
    """Types that follow from data, each with the canonical messages; without data that has no type or no new one."""
    seen: set[str] = set()
    for number, messages in enumerate(generated()):
        source = open_source(json_lines(folder / f"d{number}.jsonl", messages))
        try:
            typed = inferred_types(source, lambda _: None)
        except LabError as problem:
            assert "have no type in common" in str(problem)
            continue
        kinds = {re.sub("[A-Z][A-Za-z0-9]*", "T", kind) for kind in field_types(typed.definitions)}
        if len(kinds - seen) < NEW:
            continue
        seen |= kinds
        data = fitted(source, typed, 1, lambda _: None)
        prefix = f"D{number}"
        yield Typed(renamed(typed.definitions, prefix), f"{prefix}{typed.root}"), data.text()
        data.close()


def field_types(definitions: Definitions) -> list[str]:
    """The types of all fields."""
    return [str(kind) for struct in definitions.structs.values() for kind in struct.fields.values()]


def combined(folder: Path) -> tuple[TypeSet, dict[str, Scenario]]:
    """One set with all inferred messages, and the scenario of each."""
    structs, enums, made = {}, {}, []
    for (typed, text), number in zip(inferred_sets(folder), range(MESSAGES), strict=False):
        structs |= typed.definitions.structs
        enums |= typed.definitions.enums
        made.append((typed.root, Use(f"data-{number}", rows=text.count(b"\n") > 1), text))
    definitions = Definitions(structs, enums)
    defined, table = define(definitions), table_of(definitions)
    messages = [MessageType(parse_type(root), (use,)) for root, use, _ in made]
    known = {use.scenario: with_input(use, root, text, table) for root, use, text in made}
    return TypeSet("inferred", defined.structs, defined.enums, messages), known


def chosen() -> set[str]:
    """The codecs that `lab try` takes by default; with LAB_TYPES=all also one of each other library that takes structs."""
    codecs = set(read_toml(DEFAULTS, Defaults).codecs)
    if os.environ.get("LAB_TYPES") != "all":
        return codecs
    offers = load_catalogue().codecs
    libraries = {(codec.partition("/")[0], offers[codec].library) for codec in codecs}
    for codec, one in sorted(offers.items()):
        library = (codec.partition("/")[0], one.library)
        if MessageKind.STRUCT in one.offers and not one.control and library not in libraries:
            codecs.add(codec)
            libraries.add(library)
    return codecs


def programs(types: TypeSet, codecs: set[str], folder: Path) -> list[Runner]:
    """Those of Rust without optimization, which takes a tenth of the time."""
    rust = {codec for codec in codecs if codec.startswith("rust/")}
    manifest = build(lambda _: None, codecs=codecs - rust, types=types)
    built_or_not = [entry for entry in manifest.runners if entry.codec in codecs]
    reasons = [entry.unavailable for entry in built_or_not if entry.unavailable]
    assert [reason for reason in reasons if "cannot be had" not in reason] == []  # a library's source, offline
    entries = [entry for entry in built_or_not if not entry.unavailable]
    return [*map(Runner, entries), *built(types, folder / "rust", rust)]


@pytest.mark.slow
def test_generated_data_has_types_of_every_sort(tmp_path):
    types, known = combined(tmp_path)
    assert len(types.messages) == len(known) == MESSAGES
    text = " ".join(str(field.type) for struct in types.structs.values() for field in struct.fields)
    for part in ("?", "[", "{", "(", "i128", "u64", "f64", "bool", "[["):
        assert part in text, part
    assert len(types.enums) >= 2


@pytest.mark.slow
@pytest.mark.host
def test_what_is_inferred_comes_back_from_codecs_of_every_library(tmp_path):
    types, known = combined(tmp_path)
    codecs = chosen()
    runners = programs(types, codecs, tmp_path)
    assert {runner.codec.partition("/")[0] for runner in runners} == {"rust", "cpp", "python"}
    problems = [one for runner in runners for one in wrong([runner], known, tmp_path)]
    assert [one for one in problems if not any(re.search(pattern, one, re.DOTALL) for pattern in KNOWN)] == []
