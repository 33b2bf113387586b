"""Counts beside a run's times, and two sets of counts against each other."""

import csv
import io
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.commands.compare import compare
from analysis.data.cells import read_cells
from analysis.data.frame import read_frame
from analysis.render.export import Source, as_csv
from analysis.render.terminal import markdown
from analysis.tables.counts.count_changes import compare_counts, count_grid
from analysis.tables.reports import read_report
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.counts import Counted, Counts, Key
from tests.support.synthetic_run import DESER, usual

KEY = Key(sha256="0" * 64, libc="ab" * 20, valgrind="3.19.0", features="1" * 64)
HEAD = Counts(protocol=PROTOCOL, id="one", created="2025-01-02T03:04:05Z", platform="linux-x86_64", command=["lab"])
CELL = str(usual().cell("rust/postcard", DESER))


def counted(*instructions: int, cell: str = CELL, allocations: int = 4, size: int = 230, **key: str) -> Counted:
    """A cell of 1,000 repetitions."""
    return Counted(
        cell=cell,
        key=msgspec.structs.replace(KEY, **key),
        base=1_000,
        repetitions=1_000,
        instructions=[*instructions],
        mispredictions=[20_000 for _ in instructions],
        allocations=allocations,
        encoded_bytes=size,
    )


def write(folder: Path, *lines: Counted) -> Path:
    write_json(folder / "counts.json", HEAD)
    (folder / "counts.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def table_of(folder: Path) -> str:
    return markdown(read_report(folder).of("process-created").published)


def test_instructions_stand_in_the_table_of_a_counted_run(tmp_path):
    run = usual().write(tmp_path / "run")
    before = table_of(run)
    assert "Instructions" not in before
    write(run, counted(1_923_000, 1_923_000))
    after = table_of(run)
    row = next(line for line in after.splitlines() if "rust/postcard" in line)
    assert "| 1,923.0 |" in row
    assert "counted under valgrind" in after


def test_a_range_stands_in_the_table(tmp_path):
    run = write(usual().write(tmp_path / "run"), counted(1_923_000, 1_950_000))
    assert "1,923.0 – 1,950.0" in table_of(run)


def test_a_single_other_counting_is_no_randomness(tmp_path):
    run = write(usual().write(tmp_path / "run"), counted(1_923_045, 1_923_000, 1_923_000, 1_923_000, 1_923_000))
    row = next(line for line in table_of(run).splitlines() if "rust/postcard" in line)
    assert "| 1,923.0 |" in row


def test_exports_have_the_counts(tmp_path):
    run = write(usual().write(tmp_path / "run"), counted(1_923_000, 1_923_000))
    rows = csv.DictReader(io.StringIO(as_csv(Source(read_cells(run), read_frame(run).processes)).decode()))
    by_cell = {(row["codec"], row["operation"], row["output"], row["drop"]): row for row in rows}
    row = by_cell["rust/postcard", "deserialize", "owned", "inside"]
    assert (float(row["instructions"]), float(row["mispredictions_simulated"])) == (1923.0, 20.0)
    assert by_cell["rust/bincode", "deserialize", "owned", "inside"]["instructions"] == ""


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (counted(1, cell="rust/other process-created deserialize "), "is no cell of this run"),
        (counted(1, sha256="9" * 64), "another runner than this run measured"),
    ],
)
def test_counts_of_something_else_are_refused(tmp_path, line, problem):
    run = write(usual().write(tmp_path / "run"), line)
    with pytest.raises(LabError, match=problem):
        read_cells(run)


def changes(one: Counted, other: Counted):
    return compare_counts((HEAD, {CELL: one}), (HEAD, {CELL: other}))


@pytest.mark.parametrize(
    ("other", "worse"),
    [
        (counted(1_010_000), False),
        (counted(1_020_000), True),
        (counted(900_000), False),
        (counted(1_000_000, allocations=5), True),
        (counted(1_000_000, size=240), True),
        (counted(990_000, 1_050_000), False),  # the range holds the other side's count
        (counted(1_030_000, 1_050_000), True),
    ],
)
def test_growth_beyond_a_share_is_worse(other, worse):
    (change,) = changes(counted(1_000_000), other).changes
    assert change.worse_by(0.015) is worse


def test_other_shared_libraries_are_said_of_equal_programs_alone():
    one, other = counted(1_000, libraries="3" * 64), counted(1_000, libraries="4" * 64)
    assert changes(one, other).differences == ("shared libraries besides the C library are others",)
    assert changes(one, counted(1_000, libraries="4" * 64, sha256="5" * 64)).differences == ()
    assert changes(counted(1_000), other).differences == ()


def test_another_machine_is_said(tmp_path):
    comparison = changes(counted(1_000), counted(1_000, libc="cd" * 20, tunables="glibc.cpu.hwcaps=-AVX2"))
    text = markdown(count_grid(comparison))
    assert f"the C library: {'ab' * 20} → {'cd' * 20}" in text
    assert "masked features: none → glibc.cpu.hwcaps=-AVX2" in text


SECOND = CELL.replace("postcard", "bincode")


def call(one: Path, other: Path, *options: str) -> tuple[int, str]:
    """Exit code and output of `lab compare`."""
    done = CliRunner().invoke(compare, [str(one), str(other), *options], catch_exceptions=False)
    return done.exit_code, done.output


def folders(tmp_path: Path, one: list[Counted], other: list[Counted]) -> list[Path]:
    """Two folders of counts."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir(parents=True)
    return [write(tmp_path / "one", *one), write(tmp_path / "other", *other)]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ([counted(1_000)], "only in one"),
        ([counted(1_000), Counted(cell=SECOND, unavailable="killed by signal 11")], "killed by signal 11"),
    ],
)
def test_a_cell_without_a_count_on_the_second_side_fails_and_is_named(tmp_path, other, reason):
    both = [counted(1_000), counted(1_000, cell=SECOND)]
    one, second = folders(tmp_path, both, other)
    code, text = call(one, second, "--fail-on", "1%")
    assert code == 1
    assert "no figure on the second side" in text
    assert f"lab:   {SECOND}: {reason}" in text
    assert call(one, second)[0] == 0
    assert call(second, one, "--fail-on", "1%")[0] == 0


def test_another_input_is_left_out_and_named(tmp_path):
    both = [
        [counted(1_000), msgspec.structs.replace(counted(n, cell=SECOND), input_sha256=str(n) * 64)] for n in (1, 2)
    ]
    code, text = call(*folders(tmp_path, *both), "--fail-on", "1%")
    assert code == 0
    assert f"Left out: {SECOND}: the two sides have different inputs of this scenario." in " ".join(text.split())


def test_counts_of_other_surroundings_fail_nothing(tmp_path):
    one, other = folders(tmp_path, [counted(1_000)], [counted(1_000, valgrind="3.20.0")])
    with pytest.raises(LabError, match=r"different surroundings \(valgrind: 3.19.0 → 3.20.0\).*Count both in one job"):
        call(one, other, "--fail-on", "1%")
    assert call(one, other)[0] == 0


def test_without_a_common_cell_nothing_is_compared():
    with pytest.raises(LabError, match="counted cell"):
        compare_counts((HEAD, {CELL: counted(1)}), (HEAD, {}))
