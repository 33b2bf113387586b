"""`lab count` against a program whose instructions are known."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.data.machines.submitting import submitted
from bench.base.files import read_json, sha256_of
from bench.commands.count import with_controls
from bench.counting.counter import unknown_instruction
from bench.counting.counts_session import smallest_input_first
from bench.counting.programs.elf import Elf
from bench.counting.programs.footprint import with_packages
from bench.counting.slope import BETWEEN, span_of
from bench.counting.surroundings import PATH_LENGTH, folder_below
from bench.counting.valgrind import CannotCountError, read_totals
from bench.model.cells import Cell, Conditions
from bench.model.counts import FOOTPRINT, CountedRunner, Footprints
from bench.scenarios.selection import Selection
from tests.support.counting.counted_lab import CAN_COUNT, SOURCE, counts, held_lab, lab_of, lines_of, wait_for_line
from tests.support.recorded.submittable import submittable
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import SER, Made, usual


def each(line: dict) -> float:
    return line["instructions"][0] / line["repetitions"]


@counts
def test_a_loop_of_known_length_has_its_instructions(lab, tmp_path):
    done = lab("count", "-f", "point (ser|deser)", "--out", str(tmp_path / "counts"))
    lines = lines_of(tmp_path / "counts")
    short, long = lines["point serialize"], lines["point deserialize"]
    assert each(long) - each(short) == 2 * (600 - 100)
    assert 200 < each(short) < 210  # the loop around it
    for line in (short, long):
        assert line["instructions"][0] >= BETWEEN
        assert line["instructions"][0] == line["instructions"][1]
        assert (line["encoded_bytes"], line["allocations"], line["allocated_bytes"]) == (7, 3, 40)
    assert f"{each(long):,.1f}" in done.stdout


@counts
def test_shared_libraries_beside_the_c_library_are_part_of_the_key(lab, tmp_path):
    other = tmp_path / "other"
    with_more = ["-Wl,--no-as-needed", "-lm", "-Wl,--build-id"]
    subprocess.run(["cc", "-O1", "-o", other, SOURCE, *with_more], check=True)
    for name, one in (("one", lab), ("other", lab_of(tmp_path / "other-lab", other))):
        one("count", "-f", "point serialize", "--out", str(tmp_path / f"{name}-counts"))
    keys = [lines_of(tmp_path / f"{name}-counts")["point serialize"]["key"] for name in ("one", "other")]
    assert ["libraries" in key for key in keys] == [False, True]


@pytest.mark.slow
@counts
def test_two_checkouts_give_the_same_digits(tmp_path, program):
    for name in ("short", "a-longer-name-of-a-checkout"):
        lab_of(tmp_path / name, program)("count", "-f", "serialize", "--out", str(tmp_path / f"{name}-counts"))
    one, other = (
        (tmp_path / f"{name}-counts/counts.jsonl").read_bytes() for name in ("short", "a-longer-name-of-a-checkout")
    )
    assert one.count(b"\n") == 3
    assert one == other


@pytest.mark.slow
@counts
def test_masked_features_show(lab, tmp_path):
    for name, mask in (("all", []), ("masked", ["--mask", "AVX2,ERMS,AVX,AVX_Fast_Unaligned_Load,SSSE3"])):
        lab("count", "-f", "process-created", *mask, "--out", str(tmp_path / name))
    one, other = (lines_of(tmp_path / name)["process-created serialize"] for name in ("all", "masked"))
    assert each(one) != each(other)
    assert "-AVX2" in other["key"]["tunables"]
    done = lab("compare", str(tmp_path / "all"), str(tmp_path / "masked"))
    assert "masked features: none → glibc.cpu.hwcaps=" in " ".join(done.stdout.split())
    assert "1 of 1 cell differ" in " ".join(done.stdout.split())
    assert "asks_the_cpu asks the CPU itself" in lab("count", "-f", "process-created").stderr


@pytest.mark.slow
@counts
def test_a_cell_that_draws_randomness_has_a_range(lab, tmp_path):
    done = lab("count", "-f", "point round", "--out", str(tmp_path / "counts"))
    line = lines_of(tmp_path / "counts")["point round-trip"]
    assert len(line["instructions"]) == 5
    low, high = (bound(line["instructions"]) / line["repetitions"] for bound in (min, max))
    assert 2 * 1000 < low < high < 2 * 1300
    assert f"{low:,.1f} – {high:,.1f}" in done.stdout


@pytest.mark.parametrize("code", [0, 1, -signal.SIGTERM, None])
def test_other_ends_are_no_unknown_instruction(code):
    assert unknown_instruction(code) is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_instruction_that_valgrind_does_not_know_is_called_so():
    ended = subprocess.run(["sh", "-c", "kill -ILL $$"], check=False)
    assert "build --cpu x86-64-v3" in str(unknown_instruction(ended.returncode))


@counts
def test_a_regression_ends_with_exit_code_1(lab, tmp_path):
    lab("count", "-f", "point (ser|deser)", "--out", str(tmp_path / "one"))
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    lab("compare", str(tmp_path / "one"), str(tmp_path / "other"), "--fail-on", "0.001%")
    lines = tmp_path / "other/counts.jsonl"
    grown = [json.loads(line) for line in lines.read_text().splitlines()]
    grown[0]["instructions"] = [count * 102 // 100 for count in grown[0]["instructions"]]
    lines.write_text("".join(json.dumps(line) + "\n" for line in grown))
    lab("compare", str(tmp_path / "one"), str(tmp_path / "other"), "--fail-on", "3%")
    done = lab("compare", str(tmp_path / "one"), str(tmp_path / "other"), "--fail-on", "1%", code=1)
    assert "fake/counted point deserialize" in done.stderr
    lab("compare", str(tmp_path / "other"), str(tmp_path / "one"), "--fail-on", "1%")


@pytest.mark.skipif(not CAN_COUNT, reason="its runner is compiled")
def test_without_valgrind_the_rest_is_counted(lab, tmp_path):
    lab.environment["PATH"] = str(tmp_path)
    done = lab("count", "-f", "point serialize", "--out", str(tmp_path / "counts"), code=1)
    line = lines_of(tmp_path / "counts")["point serialize"]
    assert "valgrind was not found" in line["unavailable"]
    assert line["encoded_bytes"] == 7
    assert "instructions" not in line
    assert "unavailable" in done.stdout


@counts
def test_what_was_counted_before_ctrl_c_is_kept(tmp_path):
    lab, _ = held_lab(tmp_path / "held")
    folder = tmp_path / "counts"
    process = lab.start("count", "--jobs", "1", "--out", str(folder))
    wait_for_line(folder)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "what was counted is in" in errors
    kept = lines_of(folder)
    assert 0 < len(kept) < 4
    lab("compare", str(folder), str(folder))


@pytest.fixture(scope="session")
def counted(tmp_path_factory, program) -> Path:
    folder = tmp_path_factory.mktemp("counted") / "lab"
    lab_of(folder, program)("count", "-f", "point serialize", "--out", str(folder / "counts"))
    return folder / "counts"


DAMAGED = {
    "no text": ("counts.jsonl", lambda text: "\xff" + text),
    "not JSON": ("counts.jsonl", lambda text: text.replace("{", "[", 1)),
    "a negative count": ("counts.jsonl", lambda text: text.replace('"instructions":[', '"instructions":[-')),
    "no countings": ("counts.jsonl", lambda text: re.sub('"mispredictions":.*?]', '"mispredictions":[]', text)),
    "no repetitions": ("counts.jsonl", lambda text: text.replace('"repetitions":', '"repetitions":0')),
    "an unknown field": ("counts.jsonl", lambda text: text.replace('"cell"', '"x":1,"cell"')),
    "a cell twice": ("counts.jsonl", lambda text: 2 * text),
    "no key": (
        "counts.jsonl",
        lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "key"}) + "\n",
    ),
    "another protocol": ("counts.json", lambda text: text.replace('"protocol": 1', '"protocol": 2')),
    "an odd feature": ("counts.json", lambda text: text.replace('"AVX"', '"A\\u001b"')),
    "no id": ("counts.json", lambda text: text.replace('"id"', '"di"')),
}


@counts
@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_counts_are_refused(counted, tmp_path, damage, lab):
    folder = tmp_path / "damaged"
    shutil.copytree(counted, folder)
    name, change = DAMAGED[damage]
    before = (folder / name).read_text()
    after = change(before)
    assert after != before
    (folder / name).write_bytes(after.encode("latin-1"))
    done = lab("compare", str(folder), str(counted), code=69)
    assert f"{name}" in done.stderr


@counts
def test_a_link_in_place_of_counts_is_refused(counted, tmp_path, lab):
    folder = tmp_path / "linked"
    folder.mkdir()
    for name in ("counts.json", "counts.jsonl"):
        (folder / name).symlink_to(counted / name)
    assert "is a link" in lab("compare", str(folder), str(counted), code=69).stderr


@counts
def test_an_elf_file_is_read_as_binutils_read_it(program):
    elf = Elf.read(program)
    text = subprocess.run(["readelf", "-SWn", program], capture_output=True, text=True, check=True).stdout
    row = next(line for line in text.splitlines() if " .text " in line).partition(".text")[2].split()
    assert elf.text_bytes == int(row[3], 16)
    assert f"Build ID: {elf.build_id}" in text
    assert elf.asks_cpu() == ["asks_the_cpu"]


@counts
def test_what_stripping_leaves_is_what_a_process_loads(program, tmp_path):
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "--strip-all", "-o", stripped, program], check=True)
    assert Elf.read(program).stripped_bytes == Elf.read(stripped).stripped_bytes
    assert 0.2 < Elf.read(stripped).stripped_bytes / stripped.stat().st_size < 1, "headers and padding are left out"
    assert Elf.read(program).text_bytes < Elf.read(program).stripped_bytes


@pytest.mark.skipif(not CAN_COUNT, reason="its runner is compiled")
def test_a_footprint_counts_no_cell_and_needs_no_valgrind(lab, program, tmp_path):
    lab.environment["PATH"] = str(tmp_path)
    done = lab("count", "--footprint", "-f", "point serialize")
    (row,) = [line for line in done.stdout.splitlines() if "fake/counted" in line]
    assert f"{Elf.read(program).text_bytes:,}" in row
    assert "instructions" not in done.stdout.lower()
    run = usual().write(tmp_path / "run")
    lab("count", "--footprint", "-f", "point serialize", "--into", str(run))
    assert read_json(run / FOOTPRINT, Footprints).runners[0].text_bytes == Elf.read(program).text_bytes
    (packed,) = submitted([submittable().write(tmp_path / "finished")], tmp_path / "results")
    refused = lab("count", "--footprint", "-f", "point serialize", "--into", str(packed.path), code=69)
    assert "a submitted run is finished" in refused.stderr
    assert "--footprint counts no cell" in lab("count", "--footprint", "--out", str(tmp_path / "x"), code=2).stderr


def test_packages_beyond_the_control_are_counted():
    runner = CountedRunner(codec="fake/counted", sha256="0" * 64)
    own, nothing = {"a v1", "b v1", "b v2"}, {"a v1", "b v2", "c v1"}
    counted = with_packages(runner, own, nothing)
    assert (counted.packages, counted.packages_over_nothing) == (3, 1)
    assert with_packages(runner, own, None).packages_over_nothing is None
    assert with_packages(runner, None, nothing) == runner, "a language that does not tell has none"


def test_a_footprint_opens_the_controls_of_the_languages_that_it_takes():
    assert with_controls(Selection(["^rust/postcard "])).filters == ["^rust/postcard ", "^rust/noop "]
    assert with_controls(Selection()).filters == [], "all are taken"


@pytest.mark.parametrize("each", [0, 1, 5, 755, 9_000, 1_000_000, 10_000_000, 10**12])
def test_both_processes_have_numbers_of_equal_length(each):
    span = span_of(each)
    assert len(str(span.base)) == len(str(span.top))
    assert span.repetitions * max(1, each) >= BETWEEN
    assert span.top * max(1, each) <= 4 * max(BETWEEN, each)


def test_cells_of_small_inputs_are_counted_first():
    scenarios = committed_scenarios()
    cells = [Cell("rust/a", name, SER, Conditions()) for name in ("users-1k", "nested-object", "users-100", "point")]
    session = SimpleNamespace(to_count=cells, lab=SimpleNamespace(scenarios=scenarios))
    assert [cell.scenario for cell in smallest_input_first(session)] == [
        "point",
        "nested-object",
        "users-100",
        "users-1k",
    ]


@pytest.mark.parametrize("length", [8, 30, 60, 150, PATH_LENGTH - 2])
def test_working_folders_have_paths_of_one_length(length):
    folder = folder_below(Path("/" + "x" * (length - 1)))
    assert len(str(folder)) == PATH_LENGTH
    assert all(len(part) <= 255 for part in folder.parts)


def test_a_path_that_is_too_long_is_refused():
    with pytest.raises(CannotCountError, match="too long a path"):
        folder_below(Path("/" + "x" * PATH_LENGTH))


@pytest.mark.parametrize(
    "text", ["", "events: Ir Bcm Bim\n", "events: Ir\nsummary: 1\n", "events: Ir Bcm Bim\nsummary: 1 2\n"]
)
def test_what_is_no_file_of_cachegrind_is_refused(tmp_path, text):
    (tmp_path / "out").write_text(text)
    with pytest.raises(CannotCountError):
        read_totals(tmp_path / "out")


def test_the_totals_of_cachegrind_are_read(tmp_path):
    (tmp_path / "out").write_text("desc: x\ncmd: y\nevents: Ir Bc Bcm Bi Bim\nfl=a\n1 2 3\nsummary: 100 20 3 10 4\n")
    totals = read_totals(tmp_path / "out")
    assert (totals.instructions, totals.mispredictions) == (100, 7)


@pytest.mark.slow
@counts
def test_counts_go_into_a_run_of_the_same_runners(lab, tmp_path, program):
    made = Made("point").codec("fake/counted", {SER: 5}, conditions={SER: Conditions()}, control=True)
    run = made.write(tmp_path / "run")
    refused = lab("count", "--into", str(run), code=69)
    assert "is not the one that" in refused.stderr
    assert not (run / "counts.json").exists()
    text = (run / "run.json").read_text()
    (run / "run.json").write_text(text.replace('"sha256": "' + "0" * 64, '"sha256": "' + sha256_of(program)))
    lab("count", "--into", str(run))
    assert set(lines_of(run)) == {"point serialize"}
    assert "204.0" in lab("table", str(run)).stdout
    assert "0 of 1 cell differ" in lab("compare", "--counts", str(run), str(run)).stdout
