"""The table of throughput: its numbers against the publication's own, and as a reader sees it."""

from pathlib import Path

import pytest

from analysis.sources.figures import Figures, figures_of
from analysis.sources.publications import Kind
from analysis.sources.published_tables import FOLDER
from analysis.tables.columns.times import published_ns
from analysis.tables.reports import read_report
from bench.model.cells import Conditions, Operation
from bench.scenarios.sweep import points
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import DESER, SER, Made, but

SCENARIOS = {
    name: one
    for name, one in committed_scenarios().items()
    if (one.published.table or "").startswith("binary_performance")
}
PAIRS = [
    (name, codec, operation)
    for name in SCENARIOS
    for codec in ("cpp/glaze-json", "cpp/msgpack-c", "cpp/glaze-cbor", "cpp/zpp-bits")
    for operation in (SER, DESER)
]
INTO = Conditions(api="serde", output="existing", validation="on", build="baseline")
OWNED = Conditions(api="serde", output="owned", drop="inside", validation="on", build="baseline")
WRITE = Conditions(api="serde", buffer="reused", build="baseline")


def figures(name: str) -> Figures:
    """What was published of a scenario."""
    return figures_of(SCENARIOS[name], "linux", FOLDER)


@pytest.mark.parametrize(("name", "codec", "operation"), PAIRS, ids=str)
def test_the_publications_throughputs_and_sizes_give_its_relative_times(name, codec, operation):
    """It prints both, each rounded: to two decimals, and to one."""
    one, beve = (
        published_ns(figures(name), each, operation, SCENARIOS[name].values) for each in (codec, "cpp/glaze-beve")
    )
    printed = figures(name).relative(codec, "cpp/glaze-beve", operation)
    assert one / beve == pytest.approx(printed, rel=0.02, abs=0.06)


@pytest.mark.parametrize("operation", [SER, DESER])
def test_a_relative_time_is_to_the_codec_that_is_asked_for(operation):
    """The publication prints ratios to BEVE alone, and no times."""
    nested = figures("nested-object")
    assert nested.relative("cpp/msgpack-c", "cpp/glaze-beve", operation)
    assert nested.relative("cpp/msgpack-c", "cpp/zpp-bits", operation) is None


def test_a_published_time_follows_from_size_and_throughput():
    """JSON of the nested object: 616 bytes at 1.37 GB/s."""
    nested = figures("nested-object")
    assert nested.of(Kind.SIZE, "cpp/glaze-json", SER) == 616
    assert nested.of(Kind.THROUGHPUT, "cpp/glaze-json", SER) == 1.37e9
    assert published_ns(nested, "cpp/glaze-json", SER, 1) == pytest.approx(449.6, abs=0.1)
    assert nested.of(Kind.THROUGHPUT, "cpp/msgpack-c", DESER) == pytest.approx(0.255e9)  # printed as 255 MB/s


@pytest.fixture
def grid(tmp_path: Path):
    made = Made("array-f64")
    made.spread = 0.0
    made.codec("rust/beve", {SER: 10_000.0, DESER: 8_000.0}, size=80_003, conditions={SER: WRITE, DESER: OWNED})
    made.codec("cpp/glaze-json", {SER: 900_000.0, DESER: 800_000.0}, size=224_281, conditions={SER: WRITE, DESER: INTO})
    bare = {SER: WRITE, DESER: Conditions(api="manual", output="existing", validation="off", build="baseline")}
    made.codec("rust/memcpy", {SER: 4_000.0, DESER: 4_000.0}, size=80_000, control=True, conditions=bare)
    return read_report(made.write(tmp_path / "run")).scenarios[0].published


def test_a_section_an_operation_controls_last(grid):
    assert [section.name for section in grid.sections] == [
        "serialize, relative to rust/beve",
        "deserialize, relative to rust/beve",
    ]
    assert [row[1][0] for row in grid.sections[0].rows] == ["rust/beve", "cpp/glaze-json", "rust/memcpy"]


def test_a_row_as_a_reader_sees_it(grid):
    """Medians of ten rounds that drift by up to 20 % are at 1.09 of the first; ratios are paired by round."""
    rank, codec, size, rate, time, relative, share = grid.sections[0].rows[1]
    assert (rank, codec) == (("2",), ("cpp/glaze-json", "“JSON”"))
    assert size == ("224,281 [+180%]", "published 224,276")
    assert rate == ("0.2286", "published 1.140")
    assert time[0].startswith("98.1 [90.0 – ")
    assert time[1] == "published 19.7"
    assert relative in (("90.0 [90.0–90.0]",), ("90.0",)), "the publication has no ratio to rust/beve"
    assert share == ("0.44 %",)


def test_output_into_a_new_value_has_its_place_and_says_so(grid):
    time = grid.sections[1].rows[0][4][0]
    assert time.endswith("§")
    (note,) = [note for note in grid.notes if note.startswith("§")]
    assert "rust/beve Deser. output=owned" in note


def test_of_two_builds_that_every_lab_has_stands_in_the_table_and_the_odd_codec_is_marked(tmp_path):
    made = Made("array-f64")
    made.spread = 0.0
    for name, zig, system in (("even", 10_000.0, 9_000.0), ("also", 20_000.0, 18_000.0), ("odd", 70_000.0, 30_000.0)):
        for variant, compiler, ns in (("system", "system", system), ("", "zig", zig)):
            conditions = {SER: but(WRITE, compiler=compiler)}
            made.codec(f"cpp/{name}", {SER: ns}, size=80_003, conditions=conditions, variant=variant)
    table = read_report(made.write(tmp_path / "run")).scenarios[0].published
    shown = {row[1][0]: row[4][0] for row in table.sections[0].rows}
    assert {name: float(text.split()[0]) for name, text in shown.items()} == {
        "cpp/even": pytest.approx(1.09, abs=0.01),
        "cpp/also": pytest.approx(2.18, abs=0.01),
        "cpp/odd": pytest.approx(7.63, abs=0.05),
    }
    assert [name for name, text in shown.items() if "¶" in text] == ["cpp/odd"]
    (note,) = [note for note in table.notes if note.startswith("¶")]
    assert "cpp/odd Ser. ×0.429 by compiler=system, its peers ×0.900" in note


def test_a_message_that_is_no_list_is_one_value(tmp_path):
    made = Made("nested-object").codec("rust/serde-json", {SER: 500.0}, size=616, conditions={SER: WRITE})
    table = read_report(made.write(tmp_path / "run")).scenarios[0].published
    assert [column.heading for column in table.columns][4] == ("ns a message",)
    assert table.sections[0].rows[0][4][0].startswith("54")


def test_a_point_of_a_sweep_has_the_form_of_its_scenario(tmp_path):
    made = Made("array-f64")
    made.scenario = next(iter(points(made.scenario)))
    made.codec("rust/beve", {SER: 10_000.0}, size=80_003, conditions={SER: WRITE})
    table = read_report(made.write(tmp_path / "run")).scenarios[0].published
    assert [section.name for section in table.sections] == ["serialize, relative to beve"]
    assert [column.heading for column in table.columns][3] == ("GB/s",)


def test_operations_are_called_as_the_publication_calls_them():
    for name in SCENARIOS:
        operations = {key.operation for key in figures(name).values if key.kind is Kind.THROUGHPUT}
        assert operations == {Operation.SERIALIZE, Operation.DESERIALIZE}
