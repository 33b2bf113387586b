"""The published rows: which cells `lab bench` measures where nothing else was asked for."""

from itertools import groupby

import msgspec

from bench.datasets.dataset import MAIN_CONDITIONS
from bench.model.cells import Cell, Conditions, Operation, is_published
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.scope import Scope, chosen_cells, conditions_apart, published_cells
from bench.scenarios.selection import Selection
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()
CATALOGUE = load_catalogue()
CELLS = CATALOGUE.cells(SCENARIOS)
CONTROLS = {"rust/memcpy", "cpp/memcpy", "rust/noop"}


def chosen(cells, selection=None, scope=Scope.PUBLISHED):
    return chosen_cells(cells, SCENARIOS, CONTROLS, selection or Selection(), scope)


def cell(codec: str, scenario: str = "point", operation: str = "serialize", **conditions: str) -> Cell:
    return Cell(codec, scenario, Operation(operation), Conditions(**conditions))


def test_every_published_row_has_a_cell_in_each_operation_that_its_runner_offers():
    published = chosen_cells(CELLS, SCENARIOS, CATALOGUE.controls, Selection(), Scope.PUBLISHED)
    has = {(one.codec, one.scenario, one.operation) for one in published}
    for scenario in SCENARIOS.values():
        for codec in scenario.published.rows:
            offered = {one.operation for one in CELLS if (one.codec, one.scenario) == (codec, scenario.name)}
            assert offered, f"{codec} offers no cell of {scenario.name}, where it has a published row"
            extra = {Operation.BUILD, Operation.BUILD_SERIALIZE, Operation.DESERIALIZE_CONVERT, Operation.ACCESS}
            printed = offered - extra
            assert {one for one in printed if (codec, scenario.name, one) not in has} == set()


def is_of_column(one: Cell) -> bool:
    """Whether a table has a column besides the usual operations that it may stand in."""
    return any(column.takes(one) for column in SCENARIOS[one.scenario].published.columns)


def test_a_row_has_one_cell_an_operation():
    published = chosen_cells(CELLS, SCENARIOS, CATALOGUE.controls, Selection(), Scope.PUBLISHED)
    usual = [one for one in published if not is_of_column(one)]
    for key, same in groupby(usual, key=lambda one: (one.codec, one.scenario, one.operation)):
        assert len(list(same)) == 1, key


def test_all_rows_have_the_published_conditions():
    published = chosen_cells(CELLS, SCENARIOS, CATALOGUE.controls, Selection(), Scope.PUBLISHED)
    rows = [one for one in published if one.codec not in CATALOGUE.controls and not is_of_column(one)]
    assert [
        str(one) for one in rows if not is_published(one.conditions, SCENARIOS[one.scenario].published.conditions)
    ] == []


def test_a_column_has_the_cells_that_meet_its_conditions():
    root, all_fields = (cell("rust/rkyv", "log", "access", fields=fields) for fields in ("root", None))
    owned, borrowed = (
        cell("rust/wincode-slice", "log", "deserialize", output=output) for output in ("owned", "borrowed")
    )
    near = cell("rust/wincode-slice", "log", "deserialize", output="borrowed", drop="inside")
    far = cell("rust/wincode-slice", "log", "deserialize", output="borrowed", drop="outside")
    assert chosen([root, all_fields]) == [root]
    assert chosen([owned, borrowed]) == [borrowed, owned]
    assert chosen([near, far, owned]) == [near, owned]


def test_a_row_without_the_usual_cell_shows_that_of_its_column_once():
    borrowed = cell("rust/wincode-slice", "log", "deserialize", output="borrowed")
    assert chosen([borrowed]) == [borrowed]


def test_a_codec_without_the_published_conditions_is_taken_under_the_nearest():
    near = cell("cpp/glaze-json", "array-f64", "deserialize", output="owned", build="baseline")
    far = cell("cpp/glaze-json", "array-f64", "deserialize", output="owned", build="native")
    assert chosen([far, near]) == [near]


def test_what_is_compressed_is_not_what_a_publication_without_compression_shows():
    plain = cell("rust/prost", "process-created", "round-trip", output="owned")
    assert chosen(
        [msgspec.structs.replace(plain, conditions=Conditions(output="owned", compression="lz4")), plain]
    ) == [plain]


def test_the_fields_that_a_condition_names_are_not_those_of_a_cell_without_it():
    every, root = Conditions(), Conditions(fields="root")
    assert is_published(every, Conditions()) and is_published(root, Conditions(fields="root"))
    assert not is_published(root, Conditions()) and not is_published(every, Conditions(fields="root"))
    assert conditions_apart(root, Conditions()) == 1


def test_a_codec_that_two_compilers_built_is_taken_twice():
    builds = [cell("cpp/glaze-json", "array-f64", compiler=name) for name in ("system", "zig")]
    assert chosen(builds) == builds


def test_codecs_without_a_row_and_controls_of_other_languages_are_left_out():
    cells = [cell(codec, "array-f64") for codec in ("cpp/cereal", "cpp/glaze-json", "cpp/memcpy", "rust/memcpy")]
    assert [one.codec for one in chosen(cells)] == ["cpp/glaze-json", "cpp/memcpy"]


def test_a_scenario_without_rows_has_no_published_cell():
    assert chosen([cell("rust/prost", "process-created-corpus"), cell("rust/memcpy", "process-created-corpus")]) == []


def test_excludes_apply_within_the_published_cells():
    cells = [cell(codec, "array-f64") for codec in ("cpp/cereal", "cpp/glaze-json", "cpp/memcpy")]
    assert [one.codec for one in chosen(cells, Selection((), ["memcpy"]))] == ["cpp/glaze-json"]


def test_everything_includes_what_no_publication_printed():
    cells = [cell("rust/noop", "point"), cell("rust/prost", "point"), cell("rust/prost", "long-strings")]
    assert chosen(cells, Selection(["prost point"]), Scope.ALL) == cells[:2]


def test_operations_without_published_figures_are_measured_on_request_alone():
    operations = ("access", "build", "build+serialize", "deserialize+convert", "serialize")
    cells = [cell("rust/prost", "process-created", one) for one in operations]
    assert chosen(cells) == cells[4:]
    assert chosen(cells, Selection(["prost"]), Scope.ALL) == cells


def test_updates_that_a_publication_printed_are_measured_without_being_asked_for():
    published = chosen_cells(CELLS, SCENARIOS, CATALOGUE.controls, Selection(), Scope.PUBLISHED)
    updates = {(one.scenario, one.codec) for one in published if one.operation is Operation.UPDATE}
    scenarios = [name for name, one in SCENARIOS.items() if one.update]
    assert updates == {(name, codec) for name in scenarios for codec in ("rust/rkyv", "rust/rkyv-unchecked")}
    assert len(scenarios) == 4


def test_conversions_that_a_publication_printed_are_measured_without_being_asked_for():
    published = chosen_cells(CELLS, SCENARIOS, CATALOGUE.controls, Selection(), Scope.PUBLISHED)
    found = sorted((one.scenario, one.codec) for one in published if one.operation is Operation.DESERIALIZE_CONVERT)
    codecs = ("rust/buffa", "rust/google-protobuf", "rust/prost", "rust/protobuf")
    assert found == [(name, codec) for name in ("log", "mesh", "minecraft-savedata", "mk48") for codec in codecs]


def test_of_types_that_nobody_published_all_operations_are_measured():
    own = msgspec.structs.replace(
        SCENARIOS["process-created"],
        types={"structs": {"Point": {"fields": {"x": "f32"}}}},
        operations=[Operation.ACCESS],
    )
    in_place = cell(next(iter(own.published.rows)), own.name, "access")
    published = {own.name: SCENARIOS[own.name]}
    assert chosen_cells([in_place], {own.name: own}, set(), Selection(), Scope.PUBLISHED) == [in_place]
    assert chosen_cells([in_place], published, set(), Selection(), Scope.PUBLISHED) == []


def test_what_a_user_tries_in_python_is_of_dicts_in_both_directions():
    """So that a round trip compares with its halves; what the publication shows remains of models."""
    users = SCENARIOS["users-10k"]
    own = msgspec.structs.replace(
        users, published=msgspec.structs.replace(users.published, conditions=MAIN_CONDITIONS, columns=[])
    )
    both = {Operation.SERIALIZE, Operation.ROUND_TRIP}
    of_user, of_publication = (
        {
            one.conditions.input
            for one in published_cells(
                [one for one in CELLS if one.scenario == "users-10k"], {"users-10k": scenario}, CATALOGUE.controls
            )
            if one.operation in both and one.codec not in CATALOGUE.controls
        }
        for scenario in (own, users)
    )
    assert (of_user, of_publication) == ({"dicts"}, {"models"})
