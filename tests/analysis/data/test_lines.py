"""The record is declared once: each of its fields goes into columns, through a merge and back, and no other."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct, inspect

from analysis.data.cells import read_cells
from analysis.data.lines import columns_of
from analysis.data.merge import merge
from bench.base.errors import LabError
from bench.model.record import Process, RunnerSample, Sample, Transfer
from bench.records.run_file import read_run
from tests.support.synthetic_run import DESER, SER, Made, usual

KEYS = {Sample: ("cell", "round", "twin", "index", "repetitions"), Process: ("cell", "round", "twin", "kind")}
"""What the plan says of a line; every other field may be anything that its annotation allows."""


def values_of(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Whatever an annotation allows."""
    match kind:
        case inspect.UnionType(types=types):
            return st.one_of(*map(values_of, types))
        case inspect.NoneType():
            return st.none()
        case inspect.IntType(ge=int(least), le=int(largest)):
            return st.integers(least, largest) | st.sampled_from([least, largest])
        case inspect.FloatType(ge=least, le=largest):
            return st.floats(least, largest)
        case inspect.BoolType():
            return st.booleans()
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern.replace("$", r"\Z"))
        case inspect.StrType():
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
    raise AssertionError(kind)


def changes_of(kind: type[Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """Values of all fields but the keys."""
    fields = inspect.type_info(kind).fields  # type: ignore[attr-defined]
    return st.fixed_dictionaries({f.name: values_of(f.type) for f in fields if f.name not in KEYS[kind]})


def returned(folder: Path, kind: type[Struct]) -> list[Struct]:
    """The lines of a data set as they were recorded, apart from their order."""
    rows = pl.read_parquet(folder, hive_partitioning=False).rows(named=True)
    parts = ("run", "codec", "scenario", "operation", "conditions", "calm")
    return [
        msgspec.convert(
            {
                "cell": " ".join(row[name] for name in parts[1:5]),
                **{name: value for name, value in row.items() if name not in parts and value is not None},
            },
            kind,
        )
        for row in rows
    ]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_field_goes_through_a_merge_and_back(data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        path = Made(rounds=2).codec("rust/a", {SER: 3.0, DESER: 2.0}).twin("rust/a", SER).write(Path(name) / "run")
        recorded = read_run(path)
        lines: dict[type[Struct], list[Struct]] = {}
        for kind, held in ((Sample, recorded.samples), (Process, recorded.processes)):
            drawn = [msgspec.structs.replace(one, **data.draw(changes_of(kind))) for one in held]
            if kind is Sample:
                drawn = [msgspec.structs.replace(one, wall_ns=max(1, one.wall_ns)) for one in drawn]  # its clock runs
            (path / f"{'samples' if kind is Sample else 'processes'}.jsonl").write_bytes(
                b"".join(msgspec.json.encode(one) + b"\n" for one in drawn)
            )
            lines[kind] = drawn
        merge([path], Path(name) / "out")
        for kind, folder in ((Sample, "samples"), (Process, "processes")):
            assert returned(Path(name) / "out" / folder, kind) == lines[kind]


@pytest.mark.parametrize("kind", [Sample, Process, Transfer])
def test_the_columns_are_the_fields(kind: type[Struct]) -> None:
    assert list(columns_of(kind)) == list(kind.__struct_fields__)


def test_types_of_columns_follow_from_the_annotations() -> None:
    columns = columns_of(Sample)
    assert columns["round"] == pl.UInt32
    assert columns["wall_ns"] == pl.UInt64
    assert columns["checksum"] == pl.String
    assert columns["twin"] == pl.Boolean
    assert columns_of(Process)["wall_s"] == pl.Float64


def test_a_field_that_no_column_can_hold_is_refused() -> None:
    class Odd(Struct):
        values: list[int]

    with pytest.raises(TypeError, match="no type of a column"):
        columns_of(Odd)


def test_a_sample_is_what_a_runner_prints_and_its_place() -> None:
    assert issubclass(Sample, RunnerSample)
    assert set(Sample.__struct_fields__) - set(RunnerSample.__struct_fields__) == {
        "cell",
        "round",
        "place",
        "index",
        "twin",
        "layout",
        "offset_bytes",
    }


def test_a_field_that_stands_in_a_line_twice_counts_as_its_last_value(tmp_path: Path) -> None:
    """As everywhere in the lab: the value that was held against its limits is the one that is used."""
    path = usual().write(tmp_path / "run")
    text = (path / "samples.jsonl").read_text()
    (path / "samples.jsonl").write_text(text.replace('{"wall_ns":', '{"wall_ns":0,"wall_ns":'))
    assert read_cells(path).scenarios[0].rounds_whole == 10
    (path / "samples.jsonl").write_text(text.replace(',"cpu_ns"', ',"wall_ns":0,"cpu_ns"'))
    with pytest.raises(LabError, match="samples.jsonl:1: wall_ns: a timed loop of 0 ns"):
        read_cells(path)


def test_what_an_older_record_lacks_is_absent(tmp_path: Path) -> None:
    path = usual().write(tmp_path / "run")
    merge([path], tmp_path / "out")
    frame = pl.read_parquet(tmp_path / "out" / "samples")
    assert frame["rows"].null_count() == frame["read_calls"].null_count() == len(frame)
    assert frame["twin"].null_count() == 0
