"""The catalogue: what it says of scenarios that do not exist yet, and where runners differ from it."""

import msgspec
import pytest

from bench.base.errors import LabError
from bench.base.paths import ROOT
from bench.model.cells import Conditions, Operation
from bench.model.description import Description, OfferedCell, Wanted
from bench.model.offers import CatalogueFile, DefaultBuild, MessageKind, Offered
from bench.model.scenario import Keys
from bench.scenarios.catalogue import FILE, Catalogue, load_catalogue
from bench.scenarios.catalogue_text import text_of
from bench.scenarios.load import load_scenario
from bench.scenarios.observed import observed_catalogue
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()
POINT = msgspec.structs.replace(SCENARIOS["point"], name="new", operations=[Operation.SERIALIZE])
SECRET = msgspec.structs.replace(POINT, name="secret", operations=[Operation.WRITE], keys=Keys(1024))
THOROUGH = msgspec.structs.replace(POINT, name="thorough", every_condition=True)
NEW = {one.name: one for one in (POINT, SECRET, THOROUGH)}

CATALOGUE = CatalogueFile(
    protocol=1,
    builds={
        "rust": DefaultBuild("build=baseline", as_published=True),
        "cpp": DefaultBuild("compiler=zig build=baseline"),
    },
    offers={
        "owned": {Operation.SERIALIZE: ["buffer=reused"], Operation.DESERIALIZE: ["output=owned"]},
        "rows": {Operation.WRITE: ["io=memory"]},
    },
    every_condition={"owned": {Operation.SERIALIZE: ["buffer=fresh"]}},
    codecs={
        "rust/one": Offered(format="f", conditions="api=serde validation=on", offers={"struct": "owned"}),
        "cpp/two": Offered(format="f", conditions="api=derive", offers={"numbers": "owned"}),
        "rust/crypt": Offered(format="f", conditions="api=serde", offers={"encrypted": "rows"}),
    },
)


def described(codec: str = "rust/one", *cells: OfferedCell, **fields: object) -> Description:
    known = {"protocol": 1, "format": "f", "library": None, "version": None, "language": codec.partition("/")[0]}
    rest = {"compiler": "", "flags": "", "control": False, "self_describing": False}
    return Description(codec=codec, cells=list(cells), **(known | rest | fields))


def offered(scenario: str, operation: str, **conditions: str) -> OfferedCell:
    return OfferedCell(scenario, Operation(operation), Conditions(**conditions))


def names(cells) -> list[str]:
    return [str(cell) for cell in cells]


def test_a_new_scenario_of_a_known_type_needs_no_edit():
    assert names(Catalogue(CATALOGUE).cells({"new": POINT})) == [
        "rust/one new serialize api=serde buffer=reused build=baseline"
    ]


def test_validation_is_of_what_reads():
    reading = msgspec.structs.replace(POINT, operations=[Operation.DESERIALIZE])
    assert names(Catalogue(CATALOGUE).cells({"new": reading})) == [
        "rust/one new deserialize api=serde output=owned validation=on build=baseline"
    ]


def test_a_scenario_with_keys_has_the_codecs_that_encrypt():
    assert names(Catalogue(CATALOGUE).cells({"secret": SECRET})) == [
        "rust/crypt secret write api=serde io=memory build=baseline"
    ]


def test_a_scenario_that_asks_for_every_condition_has_more_cells():
    assert len(Catalogue(CATALOGUE).cells({"thorough": THOROUGH})) == 2


def test_a_scenario_may_be_of_some_languages():
    foreign = msgspec.structs.replace(POINT, languages=["python"])
    assert Catalogue(CATALOGUE).cells({"new": foreign}) == []


def test_each_wanted_build_offers_the_same_cells_with_its_own_conditions():
    wanted = Wanted(cpus=["baseline", "native"], compilers=["system", "zig"], as_published=True)
    rust = Catalogue(CATALOGUE).cells({"new": POINT}, wanted)
    assert {cell.conditions.build for cell in rust} == {"baseline", "native", "as-published"}
    numbers = msgspec.structs.replace(SCENARIOS["array-f64"], operations=[Operation.SERIALIZE])
    cpp = Catalogue(CATALOGUE).cells({"array-f64": numbers}, wanted)
    assert {(cell.conditions.compiler, cell.conditions.build) for cell in cpp} == {
        (compiler, build) for compiler in ("system", "zig") for build in ("baseline", "native")
    }


@pytest.mark.parametrize(
    ("variant", "compiler", "build"),
    [("", "system", "baseline"), ("zig", "zig", "baseline"), ("native", "system", "native"), ("zig v3", "zig", "v3")],
)
def test_a_variant_is_one_of_the_builds(variant, compiler, build):
    numbers = {"array-f64": msgspec.structs.replace(SCENARIOS["array-f64"], operations=[Operation.SERIALIZE])}
    wanted = Wanted(cpus=["baseline", "native"], compilers=["system", "zig"])
    (cell,) = Catalogue(CATALOGUE).cells_of("cpp/two", numbers, wanted, variant)
    assert (cell.conditions.compiler, cell.conditions.build) == (compiler, build)


SAME = offered("new", "serialize", api="serde", buffer="reused", build="baseline")
MORE = offered("new", "serialize", api="serde", buffer="fresh", build="baseline")


def test_a_runner_that_describes_the_same_agrees_whatever_its_build():
    assert Catalogue(CATALOGUE).difference(described("rust/one", SAME), {"new": POINT}) is None
    native = offered("new", "serialize", api="serde", buffer="reused", build="native")
    assert Catalogue(CATALOGUE).difference(described("rust/one", native), {"new": POINT}) is None


def test_a_cell_more_or_less_is_a_difference():
    catalogue = Catalogue(CATALOGUE)
    assert catalogue.difference(described("rust/one", SAME, MORE), {"new": POINT}) == (
        "rust/one offers new serialize api=serde buffer=fresh"
    )
    assert catalogue.difference(described("rust/one"), {"new": POINT}) == (
        "rust/one does not offer new serialize api=serde buffer=reused"
    )


def test_an_operation_that_the_scenario_does_not_ask_for_is_no_difference():
    other = offered("new", "round-trip", api="serde")
    assert Catalogue(CATALOGUE).difference(described("rust/one", SAME, other), {"new": POINT}) is None


def test_a_codec_that_it_does_not_know_is_unknown():
    assert Catalogue(CATALOGUE).unknown(["rust/one", "rust/new"]) == ["rust/new"]


def test_what_runners_describe_becomes_what_the_catalogue_says():
    cells = (SAME, offered("thorough", "serialize", api="serde", buffer="reused", build="baseline"))
    more = offered("thorough", "serialize", api="serde", buffer="fresh", build="baseline")
    description = described("rust/one", *cells, more, format="JSON")
    file = observed_catalogue([description], NEW, CATALOGUE, ["rust/one"])
    assert file.codecs["rust/one"].format == "JSON"
    assert Catalogue(file).difference(description, NEW | {"secret": POINT}) is not None
    assert Catalogue(file).difference(description, {"new": POINT, "thorough": THOROUGH}) is None


def test_offers_keep_their_names_and_new_ones_are_numbered():
    reading = offered("new", "deserialize", api="serde", output="owned", validation="on", build="baseline")
    fresh = offered("thorough", "serialize", api="serde", buffer="fresh", build="baseline")
    same = [offered("thorough", "serialize", api="serde", buffer="reused", build="baseline"), fresh, SAME, reading]
    file = observed_catalogue([described("rust/one", *same)], NEW, CATALOGUE, CATALOGUE.codecs)
    assert file.codecs["rust/one"].offers == {"struct": "owned"}
    file = observed_catalogue([described("rust/one", MORE)], NEW, CATALOGUE, CATALOGUE.codecs)
    assert set(file.codecs["rust/one"].offers.values()) == {"offer-1"}


def test_a_codec_that_cannot_be_asked_keeps_its_entry_and_one_that_is_gone_loses_it():
    file = observed_catalogue([], NEW, CATALOGUE, ["rust/one"])
    assert file.codecs == {"rust/one": CATALOGUE.codecs["rust/one"]}


def test_what_a_codec_cannot_take_is_as_it_describes():
    description = described(cannot={"map": "there are none"}, instead={"u128": "two numbers"})
    file = observed_catalogue([description], NEW, CATALOGUE, CATALOGUE.codecs)
    assert file.codecs["rust/one"].cannot == {"map": "there are none"}
    assert file.codecs["rust/one"].instead == {"u128": "two numbers"}


def test_its_text_reads_as_the_same_file(tmp_path):
    path = tmp_path / "catalogue.toml"
    path.write_text(text_of(CATALOGUE))
    assert load_catalogue(path).file == CATALOGUE


def test_the_committed_file_is_as_it_would_be_written():
    assert text_of(load_catalogue().file) == FILE.read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('format = "f"', 'fromat = "f"', "fromat"),
        ('offers.struct = "owned"', 'offers.struct = "borrowed"', r":\d+: .*there is no \[offers.borrowed\]"),
        ('offers.struct = "owned"', 'offers.strict = "owned"', "strict"),
        ('["buffer=reused"]', '["size=big"]', r":\d+: offers.owned.serialize: 'size=big' is not a condition"),
        ("build=baseline", "build", r":\d+: builds.*'build' is not a condition"),
        ("protocol = 1", "protocol = 2", "protocol version"),
    ],
)
def test_a_mistake_is_refused_with_its_place(tmp_path, old, new, message):
    path = tmp_path / "catalogue.toml"
    path.write_text(text_of(CATALOGUE).replace(old, new, 1))
    with pytest.raises(LabError, match=message):
        load_catalogue(path)


TELEMETRY = load_scenario(ROOT / "tests/support/scenarios/telemetry.toml")
RULES = Catalogue(
    msgspec.structs.replace(
        CATALOGUE,
        codecs={
            "rust/plain": Offered(format="f", offers={"struct": "owned"}),
            "rust/without-maps": Offered(format="f", offers={"struct": "owned"}, cannot={"map": "there are none"}),
            "rust/lists": Offered(format="f", offers={"struct": "owned", "list": "none", "numbers": "owned"}),
            "rust/but": Offered(format="f", offers={"struct": "owned"}, exceptions={"struct Point": "none"}),
        },
    )
)


def offering(scenario) -> list[str]:
    return [cell.codec.removeprefix("rust/") for cell in RULES.cells({scenario.name: scenario})]


@pytest.mark.parametrize(
    ("kind", "codecs"),
    [
        ("Point", ["lists", "plain", "without-maps"]),
        ("Level", ["but", "lists", "plain", "without-maps"]),
        ("[Point]", ["but", "plain", "without-maps"]),
        ("[f64]", ["lists"]),
        ("{string}", ["but", "plain"]),
    ],
)
def test_an_offer_is_for_a_kind_of_message_but_for_exceptions_and_what_a_codec_cannot_take(kind, codecs):
    assert offering(msgspec.structs.replace(POINT, type=kind)) == codecs


def test_a_scenario_with_types_of_its_own_is_offered_by_the_same_rules():
    writing = msgspec.structs.replace(TELEMETRY, operations=[Operation.SERIALIZE])
    assert offering(writing) == ["but", "lists", "plain"]


def test_the_committed_catalogue_offers_a_new_scenario_in_every_language_without_an_edit():
    found = load_catalogue().cells({"telemetry": TELEMETRY})
    structs = {c.partition("/")[0] for c, one in load_catalogue().codecs.items() if one.offers.keys() & STRUCTS}
    assert {cell.codec.partition("/")[0] for cell in found} == structs >= {"cpp", "rust"}


STRUCTS = {MessageKind.STRUCT, MessageKind.STRUCT_OF_TEXT}


def test_types_that_differ_from_their_kind_are_exceptions():
    same = [offered(name, "serialize", api="serde", buffer="reused", build="baseline") for name in ("new", "other")]
    scenarios = {
        "new": POINT,
        "other": msgspec.structs.replace(POINT, name="other", type="LargeVectors"),
        "third": msgspec.structs.replace(POINT, name="third", type="EnumFields"),
    }
    file = observed_catalogue([described("rust/one", *same)], scenarios, CATALOGUE, ["rust/one"])
    assert file.codecs["rust/one"].exceptions == {"struct EnumFields": "none"}
    description = described("rust/one", *same, cannot={"wide-enum": "it has 32 bits"})
    file = observed_catalogue([description], scenarios, CATALOGUE, ["rust/one"])
    assert file.codecs["rust/one"].exceptions == {}
    assert Catalogue(file).difference(description, scenarios) is None


def test_kinds_with_the_same_offer_as_a_more_general_one_are_not_repeated():
    scenarios = {"new": POINT, "text": msgspec.structs.replace(POINT, name="text", type="LongStrings")}
    cells = [offered(name, "serialize", api="serde", buffer="reused", build="baseline") for name in scenarios]
    file = observed_catalogue([described("rust/one", *cells)], scenarios, CATALOGUE, ["rust/one"])
    assert set(file.codecs["rust/one"].offers) == {MessageKind.STRUCT}


def test_a_scenario_that_names_fields_of_its_type_is_a_kind_of_its_own_and_no_exception():
    """So that a new scenario which names some needs no edit of the catalogue."""
    plain = [offered(name, "serialize", api="serde", buffer="reused", build="baseline") for name in ("new", "text")]
    text = msgspec.structs.replace(POINT, name="text", type="LongStrings")
    access = {"operations": [Operation.SERIALIZE, Operation.ACCESS]}
    named = [
        msgspec.structs.replace(one, name=f"{one.name}-named", named_fields=[field], **access)
        for one, field in ((POINT, "x"), (text, "string1"))
    ]
    cells = [offered(f"{name}-named", "access", api="serde", build="baseline") for name in ("new", "text")]
    cells += [offered(one.name, "serialize", api="serde", buffer="reused", build="baseline") for one in named]
    scenarios = {one.name: one for one in (POINT, text, *named)}
    description = described("rust/one", *plain, *cells)
    file = observed_catalogue([description], scenarios, CATALOGUE, ["rust/one"])
    assert set(file.codecs["rust/one"].offers) == {MessageKind.STRUCT, MessageKind.NAMED}
    assert file.codecs["rust/one"].exceptions == {}
    assert Catalogue(file).difference(description, scenarios) is None
    another = msgspec.structs.replace(named[0], name="another", type="EnumFields", named_fields=["field1"])
    offers = {cell.operation for cell in Catalogue(file).cells_of("rust/one", {"another": another})}
    assert offers == {Operation.SERIALIZE, Operation.ACCESS}


def test_operations_that_no_scenario_asks_for_make_no_exception():
    both = [Operation.SERIALIZE, Operation.DESERIALIZE]
    scenarios = {
        "new": POINT,
        "more": msgspec.structs.replace(POINT, name="more", type="EnumFields", operations=both),
    }
    reading = {"api": "serde", "output": "owned", "build": "baseline"}
    cells = [offered(name, "serialize", api="serde", buffer="reused", build="baseline") for name in scenarios]
    file = observed_catalogue(
        [described("rust/one", *cells, offered("more", "deserialize", **reading))], scenarios, CATALOGUE, ["rust/one"]
    )
    assert file.codecs["rust/one"].exceptions == {}


def test_what_a_runner_offers_in_a_language_that_a_scenario_is_not_measured_in_does_not_count():
    foreign = msgspec.structs.replace(POINT, languages=["python"])
    assert Catalogue(CATALOGUE).difference(described("rust/one", SAME), {"new": foreign}) is None
