"""`lab bench` over fake runners: recording, errors, kills, full disks, resumption; with a real hyperfine."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from bench.base import paths
from bench.base.files import sha256_of
from bench.base.scratch import scratch_folders
from bench.measuring.order import slots
from bench.model.plan import ProcessKind
from bench.model.schemas import SCHEMAS
from bench.records.run_file import read_run
from tests.support.kills import QUICK, assert_complete, kill_and_resume, recorded_keys, wait_for, wanted_keys
from tests.support.processes import strays

pytestmark = pytest.mark.skipif(
    not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it"
)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_records_every_process_of_its_plan_in_valid_files(fake_lab, tmp_path):
    run = tmp_path / "run"
    done = fake_lab(other="none")(*QUICK, "--rounds", "3", "--out", str(run))
    assert_complete(run)
    recorded = read_run(run)
    assert {t.operation for t in recorded.run.plan.twins} == {"serialize", "deserialize", "round-trip"}
    for name, kind in (("samples.jsonl", "sample"), ("processes.jsonl", "process")):
        for line in lines(run / name):
            jsonschema.validate(line, SCHEMAS[kind])
    jsonschema.validate(json.loads((run / "run.json").read_text()), SCHEMAS["run"])
    jsonschema.validate(json.loads((run / "verify.json").read_text()), SCHEMAS["verify"])
    assert all(p.peak_memory_bytes and p.wall_s for p in recorded.processes)
    assert "mean nothing" in done.stdout
    recorded = {"run.json", "verify.json", "samples.jsonl", "processes.jsonl"}
    assert {p.name for p in run.iterdir()} - {".lock"} <= recorded


def test_where_times_count_the_first_rounds_also_run_at_no_repetitions_and_one_process_after_another(
    fake_lab, tmp_path
):
    run = tmp_path / "run"
    fake_lab()("bench", "-f", "fake/good point serialize", "--rounds", "1", "--out", str(run))
    assert_complete(run)
    bases = [p for p in read_run(run).processes if p.kind is ProcessKind.BASE]
    assert [(p.wall_s > 0, p.peak_memory_bytes > 0) for p in bases] == [(True, True)] * 2  # the control is the other


def test_a_compressed_cell_is_held_to_the_size_that_was_verified(fake_lab, tmp_path):
    run = tmp_path / "run"
    done = fake_lab(packs="compresses", bad="loses")(*QUICK, "-f", "point round-trip", "--out", str(run), code=1)
    sizes = {
        p.cell.conditions.compression: p.encoded_bytes
        for p in read_run(run).run.plan.cells
        if p.cell.codec == "fake/packs"
    }
    assert sizes[None] == 22
    assert sizes["lz4"] != 22
    assert {s.encoded_bytes for s in read_run(run).samples if s.cell.startswith("fake/packs")} == set(sizes.values())
    errors = {p.cell: p.error for p in read_run(run).processes if p.error}
    assert {cell.split()[0] for cell in errors} == {"fake/bad"}
    assert "lz4: 22 bytes were compressed, 21 others came back" in done.stdout + done.stderr


def test_samples_are_recorded_in_the_shuffled_order_of_the_plan(fake_lab, tmp_path):
    run = tmp_path / "run"
    fake_lab()(*QUICK, "--rounds", "2", "--out", str(run))
    recorded = read_run(run)
    order = [(str(s.cell), s.round, s.twin) for s in slots(recorded.run.plan) if s.kind is ProcessKind.LOOP]
    assert [(s.cell, s.round, s.twin) for s in recorded.samples] == order


@pytest.mark.parametrize(
    ("mischief", "reason"),
    [
        ("crash", "segmentation of the mind"),
        ("nonsense", "line 1 of its samples is no JSON"),
        ("does-less", "the measured code does something else"),
        ("wrong-value", "'100' against '101'"),
        ("lies", "9.9.9"),
    ],
)
def test_a_codec_that_fails_gets_an_error_row_and_the_others_go_on(fake_lab, tmp_path, mischief, reason):
    run = tmp_path / "run"
    done = fake_lab(bad=mischief)(*QUICK, "-f", "point serialize", "--out", str(run), code=1)
    assert "not all is well" in done.stderr
    processes = read_run(run).processes
    bad = [p for p in processes if p.cell.startswith("fake/bad")]
    assert any(p.error and reason in p.error for p in bad)
    assert all(p.error is None for p in processes if not p.cell.startswith("fake/bad"))
    good = [s for s in read_run(run).samples if s.cell.startswith("fake/good point serialize")]
    assert good
    assert reason in done.stdout + done.stderr


def test_a_runner_that_hangs_is_killed_with_all_that_it_started(fake_lab, tmp_path):
    run = tmp_path / "run"
    lab = fake_lab(bad="hang")
    lab(*QUICK, "--limit", "1.5", "-f", "point serialize", "--out", str(run), code=1)
    errors = [p.error for p in read_run(run).processes if p.error]
    assert errors
    assert "no end within" in errors[0]
    assert not strays(run)


def test_a_runner_that_vanishes_is_named(fake_lab, tmp_path):
    lab = fake_lab()
    manifest = json.loads(lab.manifest.read_text())
    program = tmp_path / "vanishing"
    program.write_text(f"#!{sys.executable} -S\n" + Path(manifest["runners"][0]["command"][2]).read_text())
    program.chmod(0o755)
    manifest["runners"].append(
        manifest["runners"][0]
        | {
            "codec": "fake/gone",
            "command": [str(program), "fake/gone", "none"],
            "program": str(program),
            "sha256": sha256_of(program),
        }
    )
    lab.manifest.write_text(json.dumps(manifest))
    run = tmp_path / "run"
    process = lab.start(*QUICK, "--rounds", "30", "-f", "point serialize", "--out", str(run))
    while not (run / "samples.jsonl").exists():
        time.sleep(0.02)
    program.unlink()
    process.communicate(timeout=100)
    assert process.returncode == 1
    errors = {p.cell.split()[0] for p in read_run(run).processes if p.error}
    assert errors == {"fake/gone"}
    assert any(str(program) in (p.error or "") for p in read_run(run).processes)


def test_a_codec_without_a_description_is_unavailable_with_the_reason_and_fails_nothing(fake_lab, tmp_path):
    done = fake_lab(mute="describe-nonsense")(*QUICK, "-f", "point serialize", "--out", str(tmp_path / "run"))
    assert "fake/mute is unavailable" in done.stderr
    assert "I am a teapot" in read_run(tmp_path / "run").run.provenance["unavailable"]["fake/mute"]


@pytest.mark.slow
def test_killed_at_random_moments_a_run_resumes_without_loss_or_repetition(fake_lab, tmp_path):
    kill_and_resume(fake_lab(other="none"), tmp_path / "run", moments=10, seed=20)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has one way to end a process")
@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_whatever_ends_a_run_its_files_go_and_its_processes_too(fake_lab, tmp_path, end):
    run, lab = tmp_path / "run", fake_lab(slow="hang")
    number = getattr(signal, end)

    process = lab.start(*QUICK, "-f", "slow point", "--out", str(run))
    wait_for(lambda: strays(run))
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    wait_for(lambda: not scratch_folders(run) and not strays(run))
    lab("table", str(run), code=None)


@pytest.mark.parametrize("torn", ["samples.jsonl", "processes.jsonl"])
def test_a_torn_last_line_is_recognized_and_mended(fake_lab, tmp_path, torn):
    run, lab = tmp_path / "run", fake_lab()
    lab(*QUICK, "-f", "point", "--out", str(run))
    whole = (run / torn).read_bytes()
    (run / torn).write_bytes(whole[:-20])
    assert "resume" in lab("table", str(run), code=69).stderr
    document = json.loads((run / "run.json").read_text())
    del document["finished"]
    (run / "run.json").write_text(json.dumps(document))
    last = json.loads(whole.splitlines()[-1])
    if torn == "samples.jsonl":  # its process line was not written yet when the kill came
        kept = [
            line
            for line in (run / "processes.jsonl").read_text().splitlines()
            if json.loads(line)["place"] != last["place"] or json.loads(line)["kind"] == "base"
        ]
        (run / "processes.jsonl").write_text("".join(f"{line}\n" for line in kept))
    else:
        cell = (last["cell"], last["round"], last.get("twin", False))
        kept = [
            line
            for line in (run / "samples.jsonl").read_text().splitlines()
            if last["kind"] == "base"
            or (json.loads(line)["cell"], json.loads(line)["round"], json.loads(line).get("twin", False)) != cell
        ]
        (run / "samples.jsonl").write_text("".join(f"{line}\n" for line in kept))
    lab("bench", "--resume", str(run))
    assert_complete(run)


def test_lines_on_their_way_at_the_kill_are_recorded_by_resume(fake_lab, tmp_path):
    run, lab = tmp_path / "run", fake_lab()
    lab(*QUICK, "-f", "point", "--out", str(run))
    samples, processes = (
        (run / "samples.jsonl").read_text().splitlines(),
        (run / "processes.jsonl").read_text().splitlines(),
    )
    last = max(i for i, line in enumerate(processes) if json.loads(line)["kind"] == "loop")
    process, sample = json.loads(processes.pop(last)), json.loads(samples.pop())
    assert (process["cell"], process["place"]) == (sample["cell"], sample["place"])
    (run / "pending.json").write_text(json.dumps({"protocol": 1, "samples": [sample], "process": process}))
    (run / "samples.jsonl").write_text("".join(f"{line}\n" for line in samples))
    (run / "processes.jsonl").write_text("".join(f"{line}\n" for line in processes))
    lab("bench", "--resume", str(run))
    assert_complete(run)
    assert sample in lines(run / "samples.jsonl")


def test_a_second_driver_on_the_same_run_is_refused(fake_lab, tmp_path):
    run, lab = tmp_path / "run", fake_lab()
    first = lab.start(*QUICK, "--rounds", "20", "--out", str(run))
    while not (run / "samples.jsonl").exists():
        time.sleep(0.02)
    assert "written by another" in lab("bench", "--resume", str(run), code=69).stderr
    assert "already holds a run" in lab(*QUICK, "--out", str(run), code=69).stderr
    first.kill()
    first.communicate()


def test_a_full_disk_costs_error_rows_and_no_recorded_sample(fake_lab, tmp_path):
    """A limit on file sizes stands in for the full disk: the same refusal of a write, without the rights to mount."""
    run, lab = tmp_path / "run", fake_lab()
    process = lab.start(*QUICK, "--rounds", "8", "-f", "point", "--out", str(run))
    while not (run / "samples.jsonl").exists():
        time.sleep(0.01)
    room = (run / "samples.jsonl").stat().st_size + 2_000
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    _, err = process.communicate(timeout=100)
    assert process.returncode != 0
    assert "no room" in err
    assert "Traceback" not in err
    kept = (run / "samples.jsonl").read_text()
    assert kept.endswith("\n")
    lab("bench", "--resume", str(run), code=None)
    assert (run / "samples.jsonl").read_text().startswith(kept)
    recorded = read_run(run)
    assert recorded_keys(run) == wanted_keys(recorded.run)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounting a small disk needs root on Linux")
def test_what_had_no_room_on_a_full_disk_is_measured_once_there_is_some(fake_lab, tmp_path):
    disk, lab = tmp_path / "disk", fake_lab()
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], check=False).returncode != 0:
        pytest.skip("this machine does not let us mount")
    try:
        said = lab(*QUICK, "--rounds", "40", "-f", "point", "--out", str(disk / "run"), code=1).stderr
        assert "measures them" in said
        first = read_run(disk / "run")
        without = [p for p in first.processes if p.no_room]
        assert without and all(p.error and "no room" in p.error for p in without)
        assert first.samples
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        lab("bench", "--resume", str(disk / "run"))
        assert_complete(disk / "run")
        second = read_run(disk / "run")
        assert second.samples[: len(first.samples)] == first.samples
        assert not [p for p in second.processes if p.error]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_runner_that_changed_since_is_not_mixed_into_the_run(fake_lab, tmp_path):
    run, lab = tmp_path / "run", fake_lab()
    lab(*QUICK, "-f", "point", "--out", str(run))
    manifest = json.loads(lab.manifest.read_text())
    manifest["runners"][0]["sha256"] = "1" * 64
    lab.manifest.write_text(json.dumps(manifest))
    assert "SHA-256 differs" in lab("bench", "--resume", str(run), code=69).stderr


def test_a_runner_that_is_built_anew_during_the_run_gives_no_more_numbers(fake_lab, tmp_path):
    run, lab, program = tmp_path / "run", fake_lab(), tmp_path / "runner.py"
    manifest = json.loads(lab.manifest.read_text())
    good = next(entry for entry in manifest["runners"] if entry["codec"] == "fake/good")
    program.write_text(Path(good["program"]).read_text())
    good["program"] = good["command"][2] = str(program)
    lab.manifest.write_text(json.dumps(manifest))
    process = lab.start(*QUICK, "-f", "point serialize", "--rounds", "100", "--out", str(run))
    while not (run / "samples.jsonl").exists():
        time.sleep(0.02)
    program.write_text(program.read_text() + "\n# built anew\n")
    process.communicate(timeout=120)
    recorded = read_run(run)
    assert process.returncode == 1
    changed = [p for p in recorded.processes if p.error]
    assert changed and all("not the one that was verified" in p.error for p in changed)
    assert {p.cell.split()[0] for p in changed} == {"fake/good"}
    assert any(s.cell.startswith("fake/good") for s in recorded.samples)


@pytest.mark.parametrize("name", ["run.json", "verify.json"])
def test_files_of_another_version_are_refused(fake_lab, tmp_path, name):
    run, lab = tmp_path / "run", fake_lab()
    lab(*QUICK, "-f", "point", "--out", str(run))
    document = json.loads((run / name).read_text()) | {"protocol": 99}
    (run / name).write_text(json.dumps(document))
    assert "protocol version is 99" in lab("table", str(run), code=69).stderr


def test_a_folder_with_something_else_in_it_is_not_touched(fake_lab, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    assert "is not empty" in fake_lab()(*QUICK, "--out", str(tmp_path / "mine"), code=69).stderr
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_folder_in_which_a_run_was_only_begun_is_taken(fake_lab, tmp_path):
    (tmp_path / "run").mkdir()
    for name in (".lock", ".reserve", ".0123.tmp"):
        (tmp_path / "run" / name).touch()
    fake_lab()(*QUICK, "-f", "point", "--out", str(tmp_path / "run"))
    assert (tmp_path / "run/run.json").is_file()


def test_shards_divide_the_plan_by_whole_scenarios(fake_lab, tmp_path):
    lab = fake_lab()
    cells: list[set[str]] = []
    for shard in ("1/2", "2/2"):
        run = tmp_path / shard[0]
        lab(*QUICK, "--shard", shard, "-f", "point|enum", "--out", str(run), code=None)
        cells.append({str(p.cell) for p in read_run(run).run.plan.cells} if (run / "run.json").exists() else set())
    whole = lab("bench", "--all", "--profile", "quick", "--dry-run", "-v").stdout
    assert not cells[0] & cells[1]
    assert all(cell in whole for cell in cells[0] | cells[1])
    assert "I/N" in lab(*QUICK, "--shard", "3/2", code=69).stderr


def test_a_dry_run_prints_plan_and_time_and_records_nothing(fake_lab, tmp_path):
    done = fake_lab()("bench", "--dry-run", "-f", "point", "--out", str(tmp_path / "run"))
    assert "8 to 40 rounds" in done.stdout
    assert re.search(r"about .+ at most: proving", done.stdout), "a budget ends it"
    assert not (tmp_path / "run").exists()


def test_a_dry_run_of_fixed_rounds_names_no_limit(fake_lab):
    said = fake_lab()("bench", "--dry-run", "--rounds", "3", "-f", "point").stdout
    assert ", 3 rounds, about " in said
    assert "at most" not in said


def test_resume_refuses_another_plan(fake_lab, tmp_path):
    assert "--resume takes plan" in fake_lab()("bench", "--resume", str(tmp_path), "--seed", "1", code=2).stderr
    assert "holds no run" in fake_lab()("bench", "--resume", str(tmp_path), code=69).stderr


def test_filters_that_match_nothing_or_are_no_pattern_are_told(fake_lab):
    assert "no cell matches" in fake_lab()(*QUICK, "-f", "nobody", code=69).stderr
    assert "not a regular expression" in fake_lab()(*QUICK, "-f", "(", code=69).stderr


def test_list_is_one_object_a_cell(fake_lab):
    rows = [json.loads(line) for line in fake_lab(mute="describe-nonsense")("list", "--json").stdout.splitlines()]
    keys = {
        "codec",
        "format",
        "library",
        "version",
        "language",
        "scenario",
        "operation",
        "conditions",
        "control",
        "available",
        "reason",
    }
    assert all(row.keys() == keys for row in rows)
    assert [row["codec"] for row in rows if not row["available"]] == ["fake/mute"]


def test_cell_prints_a_command_that_really_measures(fake_lab):
    command = fake_lab()("cell", "-f", "fake/good point serialize", "--repetitions", "5").stdout.strip()
    out = paths.STATE / "cell/samples.jsonl"
    out.unlink(missing_ok=True)
    subprocess.run(command, shell=True, check=True)
    assert lines(out)[0]["repetitions"] == 5


def test_verify_prints_json_and_fails_where_a_check_fails(fake_lab):
    done = fake_lab(bad="wrong-value")("verify", "--json", code=1)
    result = json.loads(done.stdout)
    assert {check["codec"] for check in result["failures"]} == {"fake/bad"}
    assert {v["codec"] for v in result["verified"]} == {"fake/good"}


def test_controls_come_with_every_selection_unless_excluded(fake_lab):
    lab = fake_lab()
    assert "fake/still point serialize" in lab(*QUICK, "--dry-run", "-v", "-f", "good point serialize").stdout
    assert "fake/still" not in lab(*QUICK, "--dry-run", "-v", "-f", "good point", "--not", "still").stdout
