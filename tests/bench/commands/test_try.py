"""`lab try` from data to table, over codecs that take messages of any type."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from bench.base.files import read_json, write_json
from bench.measuring.trial import resuming
from bench.model.description import Manifest
from bench.model.findings import DATA_FILE, DataReport
from bench.records.run_file import read_run_file
from tests.support.datasets.data_sets import HOSTILE_KEYS, DataLab, data_entry, events, geography, json_lines, spans
from tests.support.lab import ROOT, Lab

CODECS = {"one": "none", "two": "fat"}


def lab_of(tmp_path, name="try-events", *, single=False, **codecs):
    published = [data_entry(*item) for item in (codecs or CODECS).items()]
    typed = [msgspec.structs.replace(entry, types=name) for entry in published]
    return DataLab(tmp_path, published + typed, name, single=single)


def report_of(run):
    return read_json(run / DATA_FILE, DataReport)


def test_help_answers_before_anything_is_built(tmp_path):
    lab = Lab(tmp_path, [])
    lab.manifest.unlink()
    assert "lab try [OPTIONS] DATA" in lab("try", "--help").stdout
    assert "try " in lab("--help").stdout


@pytest.mark.parametrize(
    ("name", "messages"),
    [("events", events(60)), ("spans", spans(60)), ("hostile", [dict.fromkeys(HOSTILE_KEYS, 1)] * 3)],
)
def test_data_is_typed_sized_proved_and_shown(tmp_path, name, messages):
    lab, run = lab_of(tmp_path, f"try-{name}"), tmp_path / "run"
    data = json_lines(tmp_path / f"{name}.jsonl", messages)
    done = lab("try", str(data), "--quick", "--run", str(run), "--seed", "5", "-o", str(tmp_path / "page"))
    report = report_of(run)
    assert [(one.codec, one.proved, one.failure) for one in report.codecs] == [
        ("fake/one", len(messages), None),
        ("fake/two", len(messages), None),
    ]
    assert f"{name}.jsonl: {len(messages)} messages" in done.stdout and "fake/one" in done.stdout
    assert read_run_file(run).plan.seed == 5
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert "fake/two" in page and "\u202e" not in page + done.stdout + done.stderr
    assert lab("answer", str(run)).stdout in done.stdout


def test_a_document_is_one_message(tmp_path):
    lab, run = lab_of(tmp_path, "try-areas", single=True), tmp_path / "run"
    (data := tmp_path / "areas.json").write_text(json.dumps(geography(3)))
    lab("try", str(data), "--quick", "--run", str(run))
    assert (report_of(run).messages, read_run_file(run).scenarios[0].input.file) == (1, "try-areas.json")


def test_a_codec_that_changes_a_value_is_named(tmp_path):
    lab, run = lab_of(tmp_path, one="none", two="changes"), tmp_path / "run"
    data = json_lines(tmp_path / "events.jsonl", [{"x": "a"}, {"x": "change me"}])
    done = lab("try", str(data), "--quick", "--run", str(run), code=1)
    assert (
        "fake/two: message 2 of those proved comes back as another: $.x: 'change me' against 'changed'" in done.stdout
    )


def test_a_codec_that_does_not_build_says_why(tmp_path):
    lab, run = lab_of(tmp_path), tmp_path / "run"
    manifest = read_json(lab.manifest, Manifest)
    entries = [
        msgspec.structs.replace(one, unavailable="does not build: types.h:1: no") if one.codec == "fake/two" else one
        for one in manifest.runners
    ]
    write_json(lab.manifest, msgspec.structs.replace(manifest, runners=entries))
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1}, {"x": 2}])
    done = lab("try", str(data), "--quick", "--run", str(run), code=1)
    assert "fake/two: does not build: types.h:1: no" in done.stdout
    assert [one.failure for one in report_of(run).codecs] == [None, "does not build: types.h:1: no"]


def test_data_without_a_type_is_refused_before_anything_is_built(tmp_path):
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1}, {"x": "a"}])
    done = lab_of(tmp_path)("try", str(data), code=69)
    assert '$.x: an integer (1, line 1) and text ("a", line 2)' in done.stderr
    assert "--print-type > types.toml" in done.stderr


def test_types_are_printed_edited_and_held_against_the_data(tmp_path):
    lab, run = lab_of(tmp_path), tmp_path / "run"
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1, "y": 5}, {"x": "a", "y": 6}])
    printed = lab("try", str(data), "--print-type").stdout
    assert 'x = "string"' in printed and "# No type in common" in printed
    (types := tmp_path / "types.toml").write_text(printed.replace('y = "u32"', 'y = "u8"'))
    lab("try", str(data), "--type", str(types), "--quick", "--run", str(run))
    assert read_run_file(run).scenarios[0].types["structs"]["Events"]["fields"] == {"x": "string", "y": "u8"}
    types.write_text(printed.replace('y = "u32"', 'y = "bool"'))
    assert "events.jsonl:1: $.y: 5 is no bool" in lab("try", str(data), "--type", str(types), code=69).stderr


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--proto", "x.proto"], 2, "--proto needs --message"),
        (["--message", "X"], 2, "--message names a type of --proto or --type"),
        (["--codecs", "nothing-like-it"], 69, "no codec matches --codecs 'nothing-like-it'"),
        (["--languages", "cobol"], 69, "no codec matches --languages 'cobol'"),
        (["--budget", "soon"], 2, "is not a duration"),
    ],
)
def test_what_cannot_be_asked_for_is_said(tmp_path, words, code, says):
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1}])
    assert says in lab_of(tmp_path)("try", str(data), *words, code=code).stderr


def test_codecs_and_languages_choose(tmp_path):
    lab, run = lab_of(tmp_path), tmp_path / "run"
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1}])
    lab.environment["DATA_SINGLE"] = "try-events"
    lab("try", str(data), "--quick", "--run", str(run), "--codecs", "two", "--languages", "fake,rust")
    assert [one.codec for one in report_of(run).codecs] == ["fake/two"]


SOCKETS = """
import socket, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        if not (event in ("socket.connect", "socket.bind") and isinstance(arguments[1], str)):
            sys.stderr.write(f"SENT {event} {arguments}\\n")
            raise OSError("nothing leaves this machine")
sys.addaudithook(refuse)
"""


def test_nothing_leaves_the_machine(tmp_path):
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(SOCKETS)
    lab, run = lab_of(tmp_path), tmp_path / "run"
    paths = [str(tmp_path / "guard"), *filter(None, [lab.environment.get("PYTHONPATH")])]
    lab.environment["PYTHONPATH"] = ":".join(paths)
    data = json_lines(tmp_path / "events.jsonl", events(30))
    done = lab("try", str(data), "--quick", "--run", str(run), "-o", str(tmp_path / "page"))
    assert "SENT" not in done.stderr and report_of(run).messages == 30


def test_the_guard_would_see_it(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SOCKETS)
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert "SENT socket" in done.stderr


def test_an_interrupted_run_is_resumed_with_the_same_data_alone(tmp_path):
    lab, run = lab_of(tmp_path, one="none"), tmp_path / "run"
    data = json_lines(tmp_path / "events.jsonl", events(40))
    lab("try", str(data), "--quick", "--run", str(run), "--seed", "3")
    whole = (run / "processes.jsonl").read_bytes()
    record = msgspec.json.decode((run / "run.json").read_bytes())
    (run / "run.json").write_bytes(msgspec.json.encode(record | {"finished": None}))
    (run / "processes.jsonl").write_bytes(whole.splitlines(keepends=True)[0])
    (run / "samples.jsonl").write_bytes((run / "samples.jsonl").read_bytes().splitlines(keepends=True)[0])
    (run / DATA_FILE).unlink()
    lab("try", str(data), "--resume", str(run))
    assert len((run / "processes.jsonl").read_bytes().splitlines()) == len(whole.splitlines())
    assert report_of(run).messages == 40
    json_lines(data, events(41))
    assert "was begun with other data" in lab("try", str(data), "--resume", str(run), code=69).stderr


@pytest.mark.slow
def test_a_run_that_is_stopped_says_how_to_go_on(tmp_path):
    lab, run = lab_of(tmp_path, one="none"), tmp_path / "run"
    data = json_lines(tmp_path / "events.jsonl", events(40))
    process = lab.start("try", str(data), "--run", str(run), "--budget", "10m")
    while not (run / DATA_FILE).exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and f"--resume {run}` goes on where it was" in err


GIVEN = {"types": Path("my types.toml"), "proto": None, "message": "Event", "full": True, "counted": True}


def test_the_command_that_goes_on_has_the_same_types(monkeypatch):
    monkeypatch.chdir(ROOT)
    given = GIVEN | {"out": Path("page")}
    assert resuming(Path("a.jsonl"), Path("run"), given) == (
        "./lab try a.jsonl --type 'my types.toml' --message Event -o page --full --count --resume run"
    )


def test_the_command_that_goes_on_works_in_the_folder_where_it_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shlex.split(resuming(Path("a.jsonl"), ROOT / "runs" / "one", GIVEN)) == [
        *(str(ROOT / "lab"), "try", "a.jsonl", "--type", "my types.toml", "--message", "Event", "--full", "--count"),
        *("--resume", str(ROOT / "runs" / "one")),
    ]


def test_folders_are_looked_at_before_anything_is_built(tmp_path):
    lab, data = lab_of(tmp_path), json_lines(tmp_path / "events.jsonl", [{"x": 1}])
    lab.manifest.unlink()
    (full := tmp_path / "full").mkdir()
    (full / "a.txt").write_text("")
    done = lab("try", str(data), "--run", str(full), code=69)
    assert "is not empty and holds no run. Give a new or an empty folder with --run" in done.stderr
    assert "holds no page of the lab. With -o" in lab("try", str(data), "-o", str(full), code=69).stderr
    inside = lab("try", str(data), "-o", str(tmp_path / "p"), "--run", str(tmp_path / "p" / "run"), code=69)
    assert "give a folder that holds no run" in inside.stderr


@pytest.mark.parametrize("words", [["--codecs", "one"], ["--seed", "1"], ["--budget", "1m"], ["--quick"]])
def test_a_resumed_run_takes_no_other_options(tmp_path, words):
    data = json_lines(tmp_path / "events.jsonl", [{"x": 1}])
    done = lab_of(tmp_path)("try", str(data), "--resume", str(tmp_path / "run"), *words, code=2)
    assert f"leave out {words[0]}" in done.stderr


def test_the_defaults_are_codecs_of_the_lab():
    from bench.base.files import read_toml
    from bench.building.manifest import checkout_codecs
    from bench.datasets.candidates import DEFAULTS, Defaults

    codecs = read_toml(DEFAULTS, Defaults).codecs
    assert codecs and set(codecs) <= checkout_codecs()
    assert (ROOT / "runners" / "try.toml") == DEFAULTS
