"""Rust's generated types: every shape of type through codecs, hostile names, and sets that lack something.

With LAB_TYPES=all through every codec, which takes minutes.
"""

import os
import re
import tomllib

import pytest

from bench.building.runner import Runner
from bench.model.offers import Feature
from bench.types.features import features, takes
from bench.types.generation import generated, generators
from tests.support.canonical_values import EVERYTHING, everything
from tests.support.types.proof import scenarios, wrong
from tests.support.types.rust_programs import built, cargo
from tests.support.types.small_sets import SETS

TYPES = everything()
ALL = os.environ.get("LAB_TYPES") == "all"
SOME = {
    *("rust/bilrost", "rust/bincode", "rust/buffa", "rust/capnp", "rust/flat-message", "rust/flatbuffers-verified"),
    *(
        "rust/google-protobuf",
        "rust/nanoserde",
        "rust/postcard",
        "rust/prost",
        "rust/protobuf",
        "rust/rkyv",
        "rust/toml",
    ),
}
"""A codec of each library that has a generator, some of derives, and one that learns types by itself."""
SOME_SETS = ("no struct", "no single message")
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
KNOWN = {
    r"^rust/serde-json(-str)? .* value: .*: '[^']{15,}' against '[^']{15,}'": "the last digit of floats, by default",
    r"^rust/(prost|protobuf|google-protobuf|flatbuffers|flatbuffers-verified) .* value: .*: '-0.0' against '0'": "a zero is a default",
    r"^rust/(bson|flexbuffers|flexbuffers-reused) zero-name(-rows)?: encode: ": "keys end by a zero",
    r"^rust/ciborium (hostile|enums|everything)(-rows)?: decode: .*expected str or bytes": "names of 4,096 bytes at most",
}
"""What libraries do to some values: the problem → why."""


@pytest.mark.parametrize("folder", generators("rust"), ids=lambda folder: folder.name)
def test_what_data_name_stands_in_literals_alone(folder):
    for name, text in generated(folder, TYPES, "rust").items():
        assert text.isascii(), name
        bare = LITERAL.sub('""', text)
        for hostile in ("a'b", "drop(1)", "raw %", "{{ x", "${x}", "u202e", "READ_ONLY"):
            assert hostile not in bare, (name, hostile)


def test_the_check_for_hostile_names_would_see_one():
    assert "drop(1)" in LITERAL.sub('""', r'#[serde(rename = "a\")")] drop(1);')


def derived(library: str) -> str:
    """What the template of a library with derives makes of all test types."""
    folder = next(folder for folder in generators("rust") if folder.name == "derives")
    return generated(folder, TYPES, "rust")[f"{library}.rs"]


def test_a_library_with_derives_is_given_no_type_that_it_cannot_take():
    assert "pub struct Wide {" in derived("borsh") and "pub struct Wide {" not in derived("nanoserde")
    assert "pub struct Tuples {" in derived("borsh") and "pub struct Tuples {" not in derived("savefile")
    assert '("u128", "' in derived("nanoserde") and '("u128", "' not in derived("borsh")


def test_bytes_are_told_to_the_libraries_that_would_write_them_as_lists():
    for library, attribute in (
        ("bilrost", '#[bilrost(encoding = "plainbytes")]'),
        ("minicbor", '#[n(11)] #[cbor(with = "minicbor::bytes")]'),
        ("msgpacker", "#[msgpacker(binary)]"),
        ("musli", "#[musli(bytes)]"),
    ):
        scalars = derived(library).partition("pub struct Scalars {")[2].partition("}")[0]
        assert re.search(rf"{re.escape(attribute)}\s+#\[serde.*\s+pub bytes: Vec<u8>,", scalars), library


UNTYPED = ("loop-comparison", "negative-controls", "testee-*")
"""Packages that are made of no types."""


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """Where Cargo compiles for these tests: what depends on no types, once."""
    return tmp_path_factory.mktemp("rust")


@pytest.mark.slow
@pytest.mark.host
def test_sets_that_lack_something_compile_without_a_warning(target):
    """For all codecs, and the tests of the messages; with LAB_TYPES=all every such set."""
    for lack, types in SETS.items():
        if not ALL and lack not in SOME_SETS:
            continue
        done = cargo(["check", "--workspace", *(f"--exclude={name}" for name in UNTYPED)], types, target)
        assert done.returncode == 0, f"{lack}: {done.stderr[-2000:]}"


@pytest.mark.slow
@pytest.mark.host
def test_every_cell_of_every_type_gives_what_it_was_given(target, tmp_path):
    table = tomllib.loads(EVERYTHING.read_text("utf-8"))
    known = scenarios(TYPES, 1, {name: table[name] for name in ("structs", "enums")})
    runners = built(TYPES, target, None if ALL else SOME)
    for runner in runners:
        assert offered(runner) == expected(runner), runner.codec
    problems = wrong(runners, known, tmp_path)
    assert [one for one in problems if not any(re.search(pattern, one) for pattern in KNOWN)] == []
    if ALL:
        assert [why for pattern, why in KNOWN.items() if not any(re.search(pattern, one) for one in problems)] == []


def offered(runner: Runner) -> set[str]:
    """The scenarios that a codec offers."""
    return {cell.scenario for cell in runner.description.cells}


def expected(runner: Runner) -> set[str]:
    """Those whose types its library takes; a codec of files or of lists of numbers says in `describe` alone which."""
    cannot = runner.description.cannot.keys()
    if not offered(runner) or Feature.STRUCT in cannot:
        return offered(runner)
    taken = [message for message in TYPES.messages if takes(cannot, features(message.type, TYPES))]
    return {use.scenario for message in taken for use in message.uses}
