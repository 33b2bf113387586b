"""A counting that was stopped goes on, and keeps nothing that was counted otherwise."""

import json
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest

from bench.base.errors import LabError
from bench.base.files import hold, sha256_of
from bench.base.protocol import PROTOCOL
from bench.counting.continuing import CHANGED, Basis, beside, continued, continued_head, with_earlier
from bench.counting.counts_folder import CountsFolder, read_counts
from bench.model.cells import Conditions, Operation
from bench.model.counts import Counted, CountedRunner, Counts, Key
from tests.support.counting.counted_lab import SOURCE, counts, held_lab, lab_of, lines_of, wait_for_line
from tests.support.lab import Lab
from tests.support.synthetic_run import DESER, SER, Made

INPUT = "2" * 64
KEY = Key(sha256="0" * 64, libc="ab" * 20, valgrind="3.19.0", features="1" * 64, libraries="3" * 64)
HEAD = Counts(
    protocol=PROTOCOL,
    id="one",
    created="2025-01-02T03:04:05Z",
    platform="linux-x86_64",
    command=["lab"],
    git_commit="a",
    git_dirty=False,
    valgrind="3.19.0",
)
LATER = msgspec.structs.replace(HEAD, id="two", created="2025-02-02T03:04:05Z")
BASIS = Basis(KEY, INPUT)
CELLS = ("rust/a point serialize", "rust/a point deserialize")
OTHER = {"valgrind": "3.20.0", "libc": "cd" * 20, "tunables": "glibc.cpu.hwcaps=-AVX2"}


def line(cell: str = CELLS[0], key: Key | None = KEY, input_sha256: str | None = INPUT) -> Counted:
    if not key:
        return Counted(cell=cell, unavailable="killed")
    return Counted(cell=cell, key=key, input_sha256=input_sha256, base=1, repetitions=1, instructions=[9])


def test_a_cell_that_depends_on_the_same_is_kept():
    found = continued(HEAD, [line()], LATER, CELLS, {CELLS[0]: BASIS})
    assert (list(found.kept), found.anew, found.retried, found.lost) == ([CELLS[0]], {}, [], [])


@pytest.mark.parametrize("field", CHANGED)
def test_a_cell_of_which_anything_changed_is_counted_anew_and_named(field):
    key = msgspec.structs.replace(KEY, **{field: OTHER.get(field, "9" * 64)})
    found = continued(HEAD, [line()], LATER, CELLS, {CELLS[0]: Basis(key, INPUT)})
    assert (found.kept, found.anew) == ({}, {CHANGED[field]: [CELLS[0]]})


def test_every_field_of_a_key_is_compared():
    assert set(Key.__struct_fields__) == set(CHANGED)


def test_counts_of_earlier_labs_name_no_shared_libraries():
    earlier = msgspec.structs.replace(KEY, libraries=None)
    assert continued(HEAD, [line(key=earlier)], LATER, CELLS, {CELLS[0]: BASIS}).kept
    assert continued(HEAD, [line()], LATER, CELLS, {CELLS[0]: Basis(earlier, INPUT)}).anew


@pytest.mark.parametrize(("libcs", "stays"), [({KEY.libc}, True), ({"cd" * 20}, False), (set(), True)])
def test_a_line_of_an_unknown_program_is_lost_where_the_c_library_is_another(libcs, stays):
    found = continued(HEAD, [line()], LATER, CELLS[1:], {}, libcs=libcs)
    assert (bool(found.kept), bool(found.lost)) == (stays, not stays)


def test_another_input_is_counted_anew_and_counts_of_earlier_labs_name_none():
    now = {CELLS[0]: Basis(KEY, "3" * 64)}
    assert continued(HEAD, [line()], LATER, CELLS, now).anew == {"its input": [CELLS[0]]}
    assert continued(HEAD, [line(input_sha256=None)], LATER, CELLS, now).kept


def test_a_cell_that_cannot_be_counted_now_keeps_its_counts():
    assert continued(HEAD, [line()], LATER, CELLS, {CELLS[0]: Basis(None, INPUT)}).kept


def test_a_cell_without_counts_is_never_lost():
    other = msgspec.structs.replace(LATER, cpu="another")
    found = continued(HEAD, [line(key=None)], other, CELLS[1:], {})
    assert (found.kept, found.lost) == ({}, [])


def test_a_cell_that_could_not_be_counted_is_tried_again():
    found = continued(HEAD, [line(key=None)], LATER, CELLS, {})
    assert (found.kept, found.retried) == ({}, [CELLS[0]])


def test_a_cell_that_is_not_selected_stays_only_below_a_head_that_holds_for_it():
    def lost(head: Counts, now: dict[str, Basis]) -> bool:
        found = continued(HEAD, [line()], head, CELLS[1:], now)
        assert bool(found.lost) != bool(found.kept)
        return bool(found.lost)

    assert not lost(LATER, {})
    assert not lost(LATER, {CELLS[0]: BASIS})
    assert lost(LATER, {CELLS[0]: Basis(msgspec.structs.replace(KEY, sha256="9" * 64), INPUT)})
    for other in ({"masked": ["AVX2"]}, {"valgrind": "3.20.0"}, {"cpu": "another"}, {"features": ["AVX"]}):
        assert lost(msgspec.structs.replace(LATER, **other), {})


def test_the_head_keeps_its_identity_and_says_that_two_commits_are_no_tree():
    assert (continued_head(HEAD, LATER, [line()]).id, continued_head(HEAD, LATER, [line()]).git_dirty) == ("one", False)
    moved = continued_head(HEAD, msgspec.structs.replace(LATER, git_commit="b"), [line()])
    assert (moved.id, moved.created, moved.git_commit, moved.git_dirty) == ("one", HEAD.created, "b", True)


def test_programs_of_kept_cells_stay_with_the_times_of_their_builds():
    a, b = (CountedRunner(codec=f"rust/{name}", sha256=name * 64, compile_s=2.5) for name in "ab")
    before = msgspec.structs.replace(HEAD, runners=[a, b])
    kept = [line(key=msgspec.structs.replace(KEY, sha256="a" * 64))]
    assert continued_head(before, LATER, kept).runners == [a]
    assert continued_head(before, msgspec.structs.replace(LATER, cpu="another"), kept).runners == []
    bare = CountedRunner(codec="rust/a", sha256="a" * 64)
    assert with_earlier([bare], [a]) == [a]
    assert with_earlier([msgspec.structs.replace(bare, sha256="c" * 64)], [a])[0].compile_s is None
    assert beside([b], [a]) == [a, b]
    of_another_set = msgspec.structs.replace(a, sha256="c" * 64)
    assert beside([of_another_set, a], []) == [a, of_another_set]


def test_a_torn_last_line_goes_and_all_whole_ones_stay(tmp_path):
    folder = CountsFolder.of_its_own(tmp_path / "counts")
    folder.begin(HEAD, [])
    folder.add(line())
    folder.close()
    with (tmp_path / "counts/counts.jsonl").open("a") as file:
        file.write('{"cell":"rust/a point des')
    again = CountsFolder.of_its_own(tmp_path / "counts")
    head, lines = again.earlier
    assert (head, list(lines)) == (HEAD, [CELLS[0]])
    again.begin(HEAD, lines.values())
    again.add(line(CELLS[1]))
    again.finish("2025-01-02T04:04:05Z")
    again.close()
    assert set(read_counts(tmp_path / "counts")[1]) == set(CELLS)


def test_a_torn_line_of_finished_counts_is_an_error(tmp_path):
    folder = CountsFolder.of_its_own(tmp_path / "counts")
    folder.begin(HEAD, [line()])
    folder.finish("2025-01-02T04:04:05Z")
    folder.close()
    with (tmp_path / "counts/counts.jsonl").open("a") as file:
        file.write('{"cell":"rust/a point des')
    with pytest.raises(LabError, match=r"counts\.jsonl:2: not JSON"):
        read_counts(tmp_path / "counts")


def test_a_folder_of_something_else_is_refused_and_one_of_a_count_that_hardly_began_is_not(tmp_path):
    for name, file in (("mine", "letter.txt"), ("run", "run.json")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    (tmp_path / "run/counts.json").touch()
    (tmp_path / "headless").mkdir()
    (tmp_path / "headless/counts.jsonl").write_text("{}")
    for name in ("mine", "run", "headless"):
        with pytest.raises(LabError, match="something else than counts"):
            CountsFolder.of_its_own(tmp_path / name)
    (tmp_path / "stopped").mkdir()
    (tmp_path / "stopped/.lock").touch()
    (tmp_path / "stopped/counts.jsonl").touch()
    (tmp_path / "stopped/.0123.tmp").write_text("{")
    CountsFolder.of_its_own(tmp_path / "stopped").close()


def test_a_folder_is_held_by_one_and_let_go_when_it_cannot_be_read(tmp_path):
    folder = CountsFolder.of_its_own(tmp_path / "counts")
    with pytest.raises(LabError, match="is being written by another"):
        CountsFolder.of_its_own(tmp_path / "counts")
    folder.close()
    (tmp_path / "counts/counts.json").write_text("{")
    with pytest.raises(LabError, match="counts.json"):
        CountsFolder.of_its_own(tmp_path / "counts")
    hold(tmp_path / "counts").release()


def test_a_lock_that_leads_elsewhere_is_refused(tmp_path):
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LabError, match="is neither a file nor a folder"):
        hold(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def killed(lab: Lab, *arguments: str, folder: Path, number: signal.Signals) -> dict[str, dict]:
    """Ends `lab count` when it has recorded a cell. What it had recorded then."""
    process = lab.start("count", "--jobs", "1", *arguments)
    wait_for_line(folder)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    return {name: one for name, one in lines_of(folder).items() if "key" in one}


@counts
@pytest.mark.parametrize(
    "end", ["SIGKILL", *(pytest.param(end, marks=pytest.mark.slow) for end in ("SIGTERM", "SIGINT"))]
)
def test_a_count_that_was_ended_goes_on(tmp_path, end):
    lab, held = held_lab(tmp_path / "held")
    folder = tmp_path / "counts"
    kept = killed(lab, "--out", str(folder), folder=folder, number=signal.Signals[end])
    held.unlink()
    assert 0 < len(kept) < 4
    created = json.loads((folder / "counts.json").read_text())["created"]
    done = lab("count", "--out", str(folder))
    assert f"{len(kept)} of 4 cells are counted already; to count them anew, remove" in done.stderr
    assert f"counting {4 - len(kept)} cells" in done.stderr
    assert "could not be counted" not in done.stderr, "a cell that was interrupted is as it was"
    lines = lines_of(folder)
    assert len(lines) == 4
    assert {name: lines[name] for name in kept} == kept
    head = json.loads((folder / "counts.json").read_text())
    assert head["created"] == created
    assert head["finished"]
    assert done.stdout.count("fake/counted p") == 4, "kept cells are in the table"

    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    again = lab("count", "--out", str(folder))
    assert "4 of 4 cells are counted already" in again.stderr
    assert again.stdout == done.stdout
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def marked(folder: Path, *, finished: bool) -> None:
    """Gives each recorded cell a size that no counting gives."""
    file = folder / "counts.jsonl"
    file.write_text(file.read_text().replace('"encoded_bytes":7', '"encoded_bytes":70'))
    if not finished:
        head = json.loads((folder / "counts.json").read_text())
        del head["finished"]
        (folder / "counts.json").write_text(json.dumps(head))


def sizes(folder: Path) -> dict[str, int]:
    return {name: one["encoded_bytes"] for name, one in lines_of(folder).items()}


@counts
def test_only_what_is_missing_is_counted(lab, tmp_path):
    folder = tmp_path / "counts"
    lab("count", "-f", "point serialize", "--out", str(folder))
    marked(folder, finished=True)
    lab("count", "-f", "point deserialize", "--out", str(folder))
    assert sizes(folder) == {"point serialize": 70, "point deserialize": 7}
    (folder / "counts.jsonl").unlink()
    lab("count", "-f", "point serialize", "--out", str(folder))
    assert sizes(folder) == {"point serialize": 7}


@counts
def test_a_program_that_changed_is_counted_anew_unless_its_counts_are_finished(lab, tmp_path):
    folder, other = tmp_path / "counts", tmp_path / "other"
    lab("count", "-f", "point (ser|deser)", "--out", str(folder))
    subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", "-o", other, SOURCE], check=True)
    changed = lab_of(tmp_path / "lab", other)
    marked(folder, finished=True)
    before = (folder / "counts.jsonl").read_bytes()
    refused = changed("count", "-f", "point (ser|deser)", "--out", str(folder), code=69).stderr
    assert "holds counts that would be lost (2, of fake/counted)" in refused
    assert (folder / "counts.jsonl").read_bytes() == before

    marked(folder, finished=False)
    assert "would be lost" in changed("count", "-f", "point ser", "--out", str(folder), code=69).stderr
    done = changed("count", "-f", "point (ser|deser)", "--out", str(folder))
    assert "2 cells are counted anew, because its program changed: fake/counted" in done.stderr
    assert sizes(folder) == {"point serialize": 7, "point deserialize": 7}
    assert {one["key"]["sha256"] for one in lines_of(folder).values()} == {sha256_of(other)}


@counts
def test_counts_of_other_options_are_not_mixed(lab, tmp_path):
    folder = tmp_path / "counts"
    lab("count", "-f", "point ser", "--out", str(folder))
    marked(folder, finished=False)
    done = lab("count", "-f", "point ser", "--mask", "AVX2", "--out", str(folder))
    assert "1 cell is counted anew, because " in done.stderr
    assert "--mask changed" in done.stderr
    assert sizes(folder) == {"point serialize": 7}


@counts
def test_counts_are_not_lost_where_valgrind_is_missing(lab, tmp_path):
    folder = tmp_path / "counts"
    lab("count", "-f", "point ser", "--out", str(folder))
    before = (folder / "counts.jsonl").read_bytes()
    lab.environment["PATH"] = str(tmp_path)
    assert "valgrind was not found" in lab("count", "--out", str(folder), code=69).stderr
    assert (folder / "counts.jsonl").read_bytes() == before


def run_of(path: Path, program: Path) -> Path:
    """A run of two cells of the program."""
    times = {SER: 5, DESER: 5}
    conditions: dict[Operation, Conditions] = dict.fromkeys(times, Conditions())
    run = Made("point").codec("fake/counted", times, conditions=conditions, control=True).write(path)
    text = (run / "run.json").read_text()
    (run / "run.json").write_text(text.replace('"sha256": "' + "0" * 64, '"sha256": "' + sha256_of(program)))
    return run


@counts
def test_a_count_into_a_run_goes_on(tmp_path):
    lab, held = held_lab(tmp_path / "held")
    run = run_of(tmp_path / "run", held.with_name("counted"))
    kept = killed(lab, "--into", str(run), folder=run, number=signal.SIGKILL)
    held.unlink()
    assert len(kept) == 1
    assert "1 of 2 cells are counted already" in lab("count", "--into", str(run)).stderr
    assert set(lines_of(run)) == {"point serialize", "point deserialize"}
    assert kept.items() <= lines_of(run).items()
    assert "0 of 2 cells differ" in lab("compare", "--counts", str(run), str(run)).stdout


@counts
def test_a_run_that_another_writes_is_not_counted_into(lab, tmp_path, program):
    run = run_of(tmp_path / "run", program)
    lock = hold(run)
    for command in (("count", "--into"), ("bench", "--resume")):
        assert "is being written by another" in lab(*command, str(run), code=69).stderr
    assert not (run / "counts.json").exists()
    lock.release()
