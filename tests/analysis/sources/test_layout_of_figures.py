"""Figures of a CSV that was copied as it was published: its own columns, intervals in rows of their own."""

from pathlib import Path

import pytest

from analysis.sources.figures import figures_of
from analysis.sources.publications import Kind
from analysis.sources.published_tables import FOLDER, load_published
from bench.base.errors import LabError
from bench.model.cells import Operation
from tests.support.scenarios.committed import committed_scenarios

FIGURES = """# source: a test
set,crate,metric,value,unit
one,x,serialize,482.30,µs
one,x,serialize ci_low,482.20,µs
one,x,serialize ci_high,482.40,µs
one,x,size,60,B
one,x,"read (whole, packed)",7,ms
two,x,serialize,1,ms
"""
ABOUT = """protocol = 1
title = "A test"
order = 1
operations = { serialize = "serialize", "read (whole, packed)" = "build+serialize" }

[layout]
table = "set"
codec = "crate"
operation = "metric"
value = "value"
unit = "unit"
platform = "linux"
low = " ci_low"
high = " ci_high"
"""


def written(folder: Path, figures: str = FIGURES, about: str = ABOUT) -> Path:
    (folder / "t.csv").write_text(figures, encoding="utf-8")
    (folder / "t.toml").write_text(about, encoding="utf-8")
    return folder


def test_figures_have_their_interval_operation_and_line(tmp_path: Path) -> None:
    rows = load_published("t.csv#one", written(tmp_path))
    assert [(v.operation, v.metric, v.value, v.low, v.high, v.unit, v.line) for v in rows.values] == [
        ("serialize", "time", 482.3, 482.2, 482.4, "µs", 3),
        ("size", "size", 60.0, None, None, "B", 6),
        ("build+serialize", "time", 7.0, None, None, "ms", 7),
    ]
    assert rows.platforms() == ["linux"]
    assert rows.times_ms("linux")["x", Operation.SERIALIZE] == pytest.approx(0.4823)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("one,x,size,60,B", "one,x,size,60", "t.csv:6: 4 fields; a row has 5"),
        ("one,x,size,60,B", "one,x,size,many,B", "t.csv:6: value: 'many' is not a number"),
        ("482.40,µs", "much,µs", "t.csv:3: high: 'much' is not a number"),
        ("set,crate", "set,codec", "t.csv:2: there is no column 'crate'"),
        ("one,", "three,", "holds no table 'one'; it holds: three, two"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in FIGURES
    with pytest.raises(LabError) as caught:
        load_published("t.csv#one", written(tmp_path, FIGURES.replace(old, new)))
    assert problem in str(caught.value)


LAID_OUT = [
    scenario
    for scenario in committed_scenarios().values()
    if scenario.published.table and load_published(scenario.published.table).publication.layout
]


@pytest.mark.parametrize("scenario", LAID_OUT, ids=lambda one: one.name)
def test_every_row_of_the_lab_has_a_published_time_and_size(scenario) -> None:
    """But for rows of some operations alone, which the layout names: their crate's row has the size."""
    figures = figures_of(scenario, "linux", FOLDER)
    alone = {
        row.removeprefix("{row}") for row in load_published(scenario.published.table).publication.layout.rows.values()
    }
    for codec in scenario.published.rows:
        if figures.of(Kind.TIME, codec, Operation.SERIALIZE):
            sized = figures.of(Kind.SIZE, codec, Operation.SERIALIZE)
            assert sized or figures.rows[codec].endswith(tuple(alone)), codec
        else:
            assert figures.rows[codec].endswith(tuple(alone)), codec


def test_updates_have_the_printed_figures() -> None:
    """In µs, as rsb.csv has them."""
    printed = {"log": 7.7899, "mesh": 77.622, "minecraft-savedata": 0.73282, "mk48": 0.23678}
    for scenario in LAID_OUT:
        found = figures_of(scenario, "linux", FOLDER).of(Kind.TIME, "rust/rkyv-unchecked", Operation.UPDATE)
        assert found == pytest.approx(printed[scenario.name] / 1000)


def test_conversions_have_the_printed_figures() -> None:
    """In ms, as rsb.csv has them behind `decode + convert`, not those behind `decode`."""
    codecs = ("rust/buffa", "rust/prost", "rust/protobuf", "rust/google-protobuf")
    printed = {
        "log": (3.3515, 3.4836, 4.0036, 7.4883),
        "mesh": (14.024, 11.809, 28.944, 69.888),
        "minecraft-savedata": (3.4586, 3.6371, 4.0373, 6.8729),
        "mk48": (10.210, 9.8162, 13.020, 24.541),
    }
    for scenario in LAID_OUT:
        figures = figures_of(scenario, "linux", FOLDER)
        found = tuple(figures.of(Kind.TIME, codec, Operation.DESERIALIZE_CONVERT) for codec in codecs)
        assert found == pytest.approx(printed[scenario.name])


def test_an_operation_may_say_which_row_of_a_crate_a_figure_is_of(tmp_path: Path) -> None:
    about = ABOUT.replace("{ serialize", '{ "access (checked)" = "access", serialize')
    about += '[layout.rows]\n"access (checked)" = "{row} (checked)"\n'
    more = "one,x,access (checked),3,ns\none,x,access (checked) ci_low,2,ns\none,x,access (checked) ci_high,4,ns\n"
    rows = load_published("t.csv#one", written(tmp_path, FIGURES + more, about))
    assert rows.rows() == ["x", "x (checked)"]
    assert [(v.operation, v.value, v.low, v.high) for v in rows.values if v.codec == "x (checked)"] == [
        ("access", 3.0, 2.0, 4.0)
    ]


def test_a_metric_of_another_row_may_have_a_name_of_its_own(tmp_path: Path) -> None:
    about = ABOUT + '[layout.rows]\n"size (packed)" = "{row} (packed)"\n[layout.metrics]\n"size (packed)" = "size"\n'
    rows = load_published("t.csv#one", written(tmp_path, FIGURES + "one,x,size (packed),50,B\n", about))
    sizes = {v.codec: v.value for v in rows.values if (v.operation, v.metric) == ("size", "size")}
    assert sizes == {"x": 60.0, "x (packed)": 50.0}
