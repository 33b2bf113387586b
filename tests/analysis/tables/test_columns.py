"""Publications as data: their forms, metrics and columns, and what is refused of them with file and line."""

import shutil
from pathlib import Path

import pytest

from analysis.sources.figures import figures_of
from analysis.sources.publications import Kind, load_publication, load_publications
from analysis.sources.published_tables import FOLDER
from analysis.tables.columns import KINDS, check_form
from analysis.tables.reports import read_report
from bench.base.errors import LabError
from bench.model.cells import Conditions, Operation
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import BOTH, DESER, SER, Made, usual

SCENARIOS = committed_scenarios()
PUBLICATIONS = {one.name: one for one in load_publications(FOLDER)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The published files, to be changed."""
    return Path(shutil.copytree(FOLDER, tmp_path / "published"))


def change(path: Path, old: str, new: str) -> int:
    """Changes a text that stands in a file once; the line where it stands."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_every_form_has_columns_that_there_are(name: str) -> None:
    for form in PUBLICATIONS[name].forms:
        check_form(PUBLICATIONS[name], form)


def test_every_kind_of_column_is_documented() -> None:
    assert not [name for name, kind in KINDS.items() if not kind.lines.__doc__]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"relative_to"]', '"relativ_to"]', "'relativ_to' is not a kind of column; there are: relative_to, "),
        ('"relative_to"]', '"smaller"]', "the column 'smaller' needs the form's field 'smaller_than'"),
    ],
)
def test_a_column_that_cannot_be_made_is_refused_with_file_line_and_those_known(
    folder: Path, tmp_path: Path, old: str, new: str, problem: str
) -> None:
    line = change(folder / "flatmessage.toml", old, new)
    with pytest.raises(LabError) as caught:
        read_report(usual().write(tmp_path / "run"), folder)
    assert f"flatmessage.toml:{line}: forms.events.columns: {problem}" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('controls = "apart"', 'controls = "aside"', "forms.events.controls: Invalid enum value 'aside'"),
        ('controls = "apart"', 'color = "red"', "forms.events.color: Object contains unknown field `color`"),
        ("order = 1\n", "order = 0\n", "order: Expected `int` >= 1"),
        (
            'published = "ProcessCreated"',
            'published = "ProcessCreated"\nform = "event"',
            "tables.process-created.form: 'event' is not a form of this file; there are: events",
        ),
    ],
)
def test_a_mistake_in_a_publication_is_reported_with_file_line_and_field(
    folder: Path, old: str, new: str, problem: str
) -> None:
    line = change(folder / "flatmessage.toml", old, new)
    with pytest.raises(LabError) as caught:
        load_publication(folder / "flatmessage.toml")
    message = str(caught.value)
    file, number, rest = message.split(":", 2)
    assert file == str(folder / "flatmessage.toml")
    assert int(number) in (line, line + 1), message
    assert rest.strip().startswith(problem)


def test_columns_are_those_that_the_publication_lists_in_its_order(folder: Path, tmp_path: Path) -> None:
    change(
        folder / "flatmessage.toml",
        '"size", "time_ms", "relative_to"]',
        '"relative_to", "time_ms", "rate_gb_s", "size_bytes"]',
    )
    made = usual()
    grid = read_report(made.write(tmp_path / "run"), folder).scenarios[0].published
    assert [" ".join(column.heading) for column in grid.columns] == [
        "#",
        "Codec published as",
        "relative to flat-message-unchecked",
        "Ser. (ms)",
        "Deser. (ms)",
        "Ser+Deser. (ms)",
        "Ser. GB/s",
        "Deser. GB/s",
        "Ser+Deser. GB/s",
        "Bytes",
    ]
    (postcard,) = [row for section in grid.sections for row in section.rows if row[1][0] == "rust/postcard"]
    ms, rate, size = float(postcard[3][0].split()[0]), float(postcard[6][0]), int(postcard[9][0])
    assert rate == pytest.approx(size * 100_000 / (ms * 1e6), rel=0.01)
    assert any("10^9 encoded bytes a second" in note for note in grid.notes)


def test_a_scenario_without_publication_has_the_form_of_its_kind(tmp_path: Path) -> None:
    point = read_report(Made("point").codec("rust/a", {SER: 50, BOTH: 90}).write(tmp_path / "a")).scenarios[0].published
    assert [column.heading[0] for column in point.columns] == [
        "#",
        "Codec",
        "Size (bytes)",
        "Ser. (ms)",
        "Deser. (ms)",
        "Ser+Deser. (ms)",
        "relative to",
    ]
    assert any("No publication has this table." in note for note in point.notes)


@pytest.mark.parametrize(
    ("variant", "heading"), [("log-small-unique", "MiB"), ("process-created-corpus", "Size (bytes)")]
)
def test_a_variant_has_the_form_of_its_original_without_its_figures(tmp_path: Path, variant: str, heading: str) -> None:
    made = Made(variant)
    conditions = Conditions(api="serde", **dict(made.scenario.published.conditions.items()))
    first = made.scenario.operations[0]
    made.codec("rust/a", {first: 900_000.0}, conditions={first: conditions})
    grid = read_report(made.write(tmp_path / "run")).scenarios[0].published
    assert heading in [column.heading[0] for column in grid.columns]
    assert "published" not in " ".join(line for section in grid.sections for row in section.rows for line in row[3])


# what the metrics of publications mean


def test_speedups_and_reductions_are_what_the_publications_own_times_and_sizes_give() -> None:
    """B-FAST's page prints 14 and 96 times for NumPy arrays; both follow from its milliseconds."""
    arrays = figures_of(SCENARIOS["numpy-8mb"], "linux", FOLDER)
    own = arrays.of(Kind.TIME, "python/bfast", SER)
    for other in ("python/orjson", "python/json"):
        printed = arrays.ratio(Kind.SPEEDUP, "python/bfast", other, SER)
        assert arrays.of(Kind.TIME, other, SER) / own == pytest.approx(printed, rel=0.02)


def test_figures_come_in_the_lab_s_units_and_operations() -> None:
    small = figures_of(SCENARIOS["log-small"], "linux", FOLDER)
    assert not small.is_stated
    assert small.of(Kind.TIME, "rust/plain-text", Operation.WRITE) == 2476
    assert small.of(Kind.SIZE, "rust/plain-text", Operation.WRITE) == 2005 * 2**20
    assert small.of(Kind.THROUGHPUT, "rust/plain-text", Operation.WRITE) * 8 / 1e6 == pytest.approx(6794.05)
    event = figures_of(SCENARIOS["process-created"], "linux", FOLDER)
    assert event.of(Kind.TIME, "rust/flat-message", BOTH) == 12.16
    assert event.of(Kind.SIZE, "rust/flat-message", DESER) == 298, "a size belongs to the row, whatever the operation"
    assert figures_of(SCENARIOS["process-created"], "plan9", FOLDER).values == {}


def test_an_odd_unit_is_named_with_its_line(folder: Path) -> None:
    path = folder / "brec-early.csv"
    text = path.read_text(encoding="utf-8").replace("time,612,,,ms", "time,612,,,fortnight")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        LabError, match=r"brec-early\.csv:4: unit: 'fortnight' is not a unit of time; known: ns, us, µs, ms, s"
    ):
        figures_of(SCENARIOS["log-early"], "linux", folder)


def test_names_of_tables_and_claims_are_of_one_publication_alone(folder: Path) -> None:
    from analysis.claims.definitions import load_claims

    text = (folder / "flatmessage.toml").read_text(encoding="utf-8").replace("order = 1", "order = 9")
    (folder / "again.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LabError, match=r"again\.toml:\d+: tables\.process-created: another publication has a table of"):
        load_claims(SCENARIOS, folder)
