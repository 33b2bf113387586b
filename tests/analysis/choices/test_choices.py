"""Rows and short lists for choosing a format: only measured cells, of one run, and words that follow from figures."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analysis.commands.results import read_reports
from analysis.data.cells import ScenarioCells, read_cells
from analysis.data.judged.extras import newest_fuzzed
from analysis.data.select import nearest
from analysis.render.formats_table import spliced
from analysis.sources.specifications import Evolves, specified
from analysis.tables.choices.answers import Goal, answer, words
from analysis.tables.choices.choice import Choice, choices, front, malformed_of
from analysis.tables.choices.shapes import MessageShape, shape_of
from bench.base.errors import LabError
from bench.base.files import read_json
from bench.model.cells import Conditions, Operation
from bench.model.findings import Fuzzed, Fuzzing, Harm
from bench.scenarios.catalogue import load_catalogue
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_lab import points
from tests.support.synthetic_run import BOTH, DESER, DESERIALIZE, PUBLISHED, SER, Made, but

SCENARIOS = committed_scenarios()


@pytest.fixture
def point(tmp_path: Path) -> tuple[ScenarioCells, tuple[Choice, ...]]:
    """Three codecs: a fast one with a memory finding, one that does not validate, and a safe one."""
    path = points(tmp_path / "points")
    malformed = malformed_of([read_json(path / "fuzz.json", Fuzzing), None])
    (cells,) = read_cells(path).scenarios
    return cells, choices(cells, malformed)


def test_rows_are_of_codecs_that_were_measured_to_write_and_to_read(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {SER: 50, DESER: 90}).codec("rust/writes-only", {SER: 20})
    made.codec("rust/memcpy", {SER: 1, DESER: 1}, control=True).codec("rust/broken", {SER: 1, DESER: 1}, blocked="no")
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    (row,) = choices(cells, {})
    assert row.codec == "rust/a"
    assert row.total_ns == pytest.approx(140 * 1.1, rel=0.02), "the synthetic drift is 0 to 20 %"
    assert row.malformed is None
    assert row.in_place is None


def test_a_row_tells_other_conditions_and_reading_in_place(tmp_path: Path) -> None:
    other, borrowed = but(DESERIALIZE, output="existing", drop=None), but(DESERIALIZE, output="borrowed")
    access = {Operation.ACCESS: Conditions(api="serde", validation="on", build="baseline")}
    made = Made().codec("rust/a", {SER: 50}).codec("rust/a", {DESER: 90}, conditions={DESER: other})
    made.codec("rust/b", {SER: 60, DESER: 80, BOTH: 150}).codec("rust/b", {DESER: 70}, conditions={DESER: borrowed})
    made.codec("rust/b", {Operation.ACCESS: 30}, conditions=access)
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    a, b = choices(cells, {})
    assert (a.differs, b.differs) == ("output=existing", "")
    assert b.in_place and b.borrowed
    assert b.borrowed.ns > 2 * b.in_place.ns
    assert "Measured with output=existing" in words(cells, a, (a, b))
    assert "borrows from the message in" in words(cells, b, (a, b))
    said = answer(cells, (a, b), Goal.ZERO_COPY)
    assert said.codecs == ("rust/b",), "decoding into a value that borrows is no reading in place"
    assert "to read in place" in said.said
    assert "Measured with output=existing, unlike the publication." in answer(cells, (a, b), Goal.SPEED).said


def test_output_of_its_own_is_nearer_to_a_reused_one_than_borrowed_output(tmp_path: Path) -> None:
    made = Made("nested-object")
    for output in ("borrowed", "owned"):
        made.codec("rust/a", {DESER: 90}, conditions={DESER: but(DESERIALIZE, output=output)})
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    assert nearest(cells)["rust/a"][DESER].cell.conditions.output == "owned"


def test_a_pass_over_many_messages_is_told_as_one_of_them(tmp_path: Path) -> None:
    made = Made("process-created-corpus").codec("rust/a", {SER: 50_000, DESER: 90_000}, size=300_000)
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    (row,) = choices(cells, {})
    assert row.size_bytes == 300
    assert row.total_ns == pytest.approx(140 * 1.1, rel=0.02)
    assert "300 bytes a message" in answer(cells, (row,), Goal.SPEED).said


def test_the_smallest_is_told_with_what_is_as_small_and_no_doubt(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {SER: 50, DESER: 90}).codec("rust/b", {SER: 500, DESER: 900})
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    said = answer(cells, choices(cells, {}), Goal.SIZE, missing=["rust/c"]).said
    assert said.startswith("JSON, by rust/a: the smallest (of 2 measured codecs)")
    assert "As small: rust/b." in said
    assert said.endswith("Without a figure, since their loops were too seldom calm: rust/c.")


def test_safe_is_what_validates_and_was_fuzzed_without_a_finding(
    point: tuple[ScenarioCells, tuple[Choice, ...]],
) -> None:
    cells, rows = point
    assert [row.codec for row in rows] == ["cpp/zpp-bits", "cpp/cereal", "cpp/protobuf"]
    assert [row.safe for row in rows] == [False, False, True]
    assert answer(cells, rows, Goal.SAFETY).codecs == ("cpp/protobuf",)
    assert rows[0].malformed and rows[0].malformed.findings[Harm.MEMORY] == 1
    assert not replace(rows[2], malformed=None).safe, "nobody looked"
    assert rows[2].malformed
    assert not replace(rows[2], malformed=replace(rows[2].malformed, cases=20)).safe, "hardly anybody looked"
    other = replace(rows[2], version="9.9")
    assert not other.safe, "another version was looked at"
    assert "0 findings in 10,000 cases, as 1.2.3" in words(cells, other, rows)


def fuzzed(scenario: str, version: str, cases: int) -> Fuzzed:
    """A result without findings."""
    return Fuzzed("rust/a", scenario, "a", version, 0, cases, cases, 0, [])


def test_asking_for_one_type_again_takes_nothing_back_of_the_others() -> None:
    old = [fuzzed("point", "1", 100), fuzzed("log", "1", 200)]
    assert newest_fuzzed([("2025", old), ("2026", [fuzzed("point", "1", 5)])])["rust/a"] == [
        fuzzed("point", "1", 5),
        fuzzed("log", "1", 200),
    ]
    newer = [fuzzed("point", "2", 5)]
    assert newest_fuzzed([("2025", old), ("2026", newer)])["rust/a"] == newer, "of another version"


def test_words_follow_from_figures(point: tuple[ScenarioCells, tuple[Choice, ...]]) -> None:
    cells, rows = point
    told = [words(cells, row, rows) for row in rows]
    assert told[0].startswith(
        "The fastest, no other is smaller; validates what it reads, malformed input: 1 finding (1 "
    )
    assert told[1].startswith("1.5 × the time of the fastest (cpp/zpp-bits), 50 % larger than the smallest")
    assert "does not validate what it reads, not fuzzed" in told[1]
    assert told[2].startswith("3.0 × the time of the fastest (cpp/zpp-bits), 3.0 × the size of the smallest")
    assert "0 findings in 10,000 cases" in told[2]


def test_a_difference_that_layout_could_make_is_none(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {SER: 50, DESER: 90}).codec("rust/b", {SER: 52, DESER: 94})
    (cells,) = read_cells(made.write(tmp_path / "run")).scenarios
    rows = choices(cells, {})
    assert "not to be told from the fastest (rust/a)" in words(cells, rows[1], rows).lower()


def test_of_each_format_the_best_codec_is_listed_and_nothing_fits_is_said(
    point: tuple[ScenarioCells, tuple[Choice, ...]],
) -> None:
    cells, rows = point
    assert answer(cells, rows, Goal.SPEED).codecs == ("cpp/zpp-bits",), "all three write one format"
    assert answer(cells, rows, Goal.SELF_DESCRIBING).said == "None of 3 measured codecs fits."
    assert front(rows) == {"cpp/zpp-bits"}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("process-created", MessageShape.SMALL),
        ("process-created-corpus", MessageShape.SMALL),
        ("nested-object", MessageShape.NESTED),
        ("long-strings", MessageShape.LARGE),
        ("users-1k", MessageShape.OBJECTS),
        ("array-u16", MessageShape.NUMBERS),
        ("log-large", MessageShape.RECORDS),
    ],
)
def test_a_scenario_is_named_by_what_its_messages_are(name: str, shape: MessageShape) -> None:
    assert shape_of(SCENARIOS[name]) is shape


def test_specifications_are_of_formats_that_codecs_have() -> None:
    formats = {offered.format for offered in load_catalogue().codecs.values()}
    assert specified().keys() <= formats
    assert specified()["Protocol Buffers"].evolves is Evolves.YES
    assert specified()["bincode"].evolves is Evolves.NO


PAGE = "# Lab\n\n<!-- formats:begin point -->\nold\n<!-- formats:end -->\n\nbelow\n"


def test_the_table_of_formats_stands_between_its_markers(tmp_path: Path) -> None:
    points(tmp_path / "points")
    made = Made("point").codec("rust/a", {SER: 5, DESER: 5}, conditions=PUBLISHED)
    made.write(tmp_path / "rust")
    text = spliced(tmp_path / "README.md", PAGE, read_reports(tmp_path), {})
    assert text.startswith("# Lab\n\n<!-- formats:begin point -->\n| Format | C++: ser. + deser. |")
    assert "old" not in text, "a run with more codecs is shown, and no other run is mixed in"
    assert text.endswith("<!-- formats:end -->\n\nbelow\n")
    assert spliced(tmp_path / "README.md", "no marker", [], {}) == "no marker"


@pytest.mark.parametrize("text", [PAGE.replace("formats:end", "end"), PAGE + PAGE])
def test_markers_of_the_table_of_formats_are_a_pair(tmp_path: Path, text: str) -> None:
    with pytest.raises(LabError, match="formats:begin"):
        spliced(tmp_path / "README.md", text, [], {})
