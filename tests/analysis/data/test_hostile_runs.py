"""Every command that reads runs, over every damaged and hostile run of the corpus; see `hostile_runs`."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.base.folders import written_whole
from analysis.commands.table import table
from analysis.render import export
from analysis.render.terminal import escape, markdown_notes
from analysis.site.write import embedded
from bench.base import limits
from bench.base.errors import LabError
from bench.base.files import open_regular, read_json_lines, write_whole
from bench.base.paths import brief
from bench.base.visible import UNSAFE, safe_json, visible
from bench.model.record import Sample
from tests.support.hostile_runs import CODES, HONEY, POISON, Box, Case, Worker, corpus, healthy, no_runners
from tests.support.lab import LAB

CASES = corpus() if sys.platform != "win32" else []
WHOLE = os.environ.get("LAB_CORPUS") == "all"
LANES = 4
"""Parts of the corpus that pytest's workers share out between them."""


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A process that runs commands."""
    made = Worker(no_runners(tmp_path_factory.mktemp("lab")))
    yield made
    made.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A healthy run."""
    return healthy(tmp_path_factory.mktemp("template") / "run")


def boxed(folder: Path, case: Case, template: Path) -> Box:
    """A case in a box, with a healthy run beside it to compare it with."""
    box = Box(folder, case, template=template)
    shutil.copytree(template, box.healthy)
    text = (box.healthy / "run.json").read_text().replace("-abcdef", "-fedcba")
    (box.healthy / "run.json").write_text(text)
    return box


def read_by_all(number: int, case: Case) -> bool:
    """Whether every command reads a case; with LAB_CORPUS=all each is."""
    return WHOLE or number % 9 == 0 or case.name.startswith(("text-", "path-"))


def read_by_two(number: int) -> bool:
    """Whether, of the others, `table` reads a case, and one command more, which changes from case to case."""
    return number % 3 == 1


def test_the_corpus_is_large_and_its_names_differ() -> None:
    whole = {case.name for number, case in enumerate(CASES) if read_by_all(number, case)}
    assert sys.platform == "win32" or (len(whole) >= 120 and len({case.name for case in CASES}) == len(CASES))


@pytest.mark.skipif(sys.platform == "win32", reason="its processes cannot be forked, and its names hold less")
@pytest.mark.parametrize("lane", range(LANES))
def test_no_run_does_more_than_being_read(lane: int, worker: Worker, template: Path, tmp_path: Path) -> None:
    problems = []
    for number, case in enumerate(CASES):
        if number % LANES != lane or not (read_by_all(number, case) or read_by_two(number)):
            continue
        box = boxed(tmp_path / "box", case, template)
        commands = dict(box.commands(("rust/flat-message", "rust/bincode")))
        first, found = box.check(worker, commands["table"])
        problems += [f"{case.name}, table: {problem}" for problem in found]
        others = [name for name in commands if name != "table"]
        if not read_by_all(number, case):
            others = [others[number // LANES % len(others)]] if first.code != 69 else []
        if not case.reads and not case.name.startswith(("verify", "fidelity", "fuzz")) and first.code != 69:
            problems.append(f"{case.name}, table: was not refused")
        for name in others:
            _, found = box.check(worker, commands[name])
            problems += [f"{case.name}, {name}: {problem}" for problem in found]
        shutil.rmtree(box.folder)
    assert not problems, "\n".join(problems)


@pytest.mark.skipif(sys.platform == "win32", reason="its processes cannot be forked")
def test_all_commands_read_the_run_that_holds_every_poison(worker: Worker, template: Path, tmp_path: Path) -> None:
    """It is odd and not wrong: every page and table is made, and shows all of it as escapes."""
    case = next(case for case in CASES if case.name == "text-all")
    box = boxed(tmp_path / "box", case, template)
    problems = []
    for name, arguments in box.commands(("rust/flat-message", "rust/bincode")):
        ended, found = box.check(worker, arguments)
        problems += [f"{name}: {problem}" for problem in found]
        wanted = (69,) if name in ("fidelity", "fuzz", "merge") else (0, 1)  # no runners; another toolchain
        if ended.code not in wanted:
            problems.append(f"{name}: exit code {ended.code}: {ended.err[:300]}")
    assert not problems, "\n".join(problems)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such names")
@pytest.mark.parametrize(
    "case", [*islice((one for one in CASES if one.name.startswith("path-")), 12)], ids=lambda c: c.name
)
def test_real_processes_take_any_name(case: Case, template: Path, tmp_path: Path) -> None:
    """Arguments come through the system here, bytes and all."""
    box = boxed(tmp_path / "box", case, template)
    done = subprocess.run(
        [*LAB, "export", "--as", "csv", "-o", "out.csv", "--", os.fsencode(box.run.name)],
        cwd=box.run.parent,
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert done.returncode in (0, 69), done.stderr
    assert not UNSAFE.search(done.stderr.decode().rstrip("\n"))
    assert (box.run.parent / "out.csv").exists() == (done.returncode == 0)


# that the checks can fail


def test_what_must_not_be_is_found(template: Path, tmp_path: Path) -> None:
    """A command that prints an escape sequence, tells a secret, writes elsewhere and ends oddly is caught for each."""
    box = boxed(tmp_path / "box", Case("none", lambda _: None), template)

    class Bad:
        def run(self, *_: object) -> object:
            from tests.support.hostile_runs import Ended

            (box.run / "more").write_text("x")
            (box.outputs / "page.md").write_text("\x9b")
            return Ended([], 70, HONEY, "\x1b[2J\nTraceback", hung=False, seconds=1.0, peak_bytes=2**31)

    _, problems = box.check(Bad(), [])  # type: ignore[arg-type]
    for word in (
        "exit code 70",
        "traceback",
        "2048 MiB",
        "outside holds",
        "on standard error",
        "changed outside",
        "page.md",
    ):
        assert any(word in problem for problem in problems), word
    assert 70 not in CODES


# the parts


def test_only_files_are_opened(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_bytes(b"x" * 100)
    with open_regular(real, 100) as file:
        assert file.read() == b"x" * 100
    with pytest.raises(LabError, match=r"has 100 bytes; the lab reads such files up to 99"):
        open_regular(real, 99)
    with pytest.raises(LabError, match="is a folder, not a file"):
        open_regular(tmp_path)
    if sys.platform == "win32":
        return
    (tmp_path / "link").symlink_to(real)
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("link", "link"), ("pipe", "pipe")):
        with pytest.raises(LabError, match=f"{name}: is a {kind}, not a file"):
            open_regular(tmp_path / name)
    with pytest.raises(LabError, match="is a device, not a file"):
        open_regular(Path(os.devnull))


def test_a_line_without_end_is_refused_before_it_is_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    with path.open("wb") as file:
        file.truncate(limits.LINE_BYTES + 1)
    with pytest.raises(LabError, match=r"samples.jsonl:1: the line has more than"):
        read_json_lines(path, Sample)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_writing_whole_follows_no_link_and_leaves_what_lay_beside(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("old")
    (tmp_path / "x.json.tmp").symlink_to(victim)
    (tmp_path / "x.json").symlink_to(victim)
    write_whole(tmp_path / "x.json", b"new")
    assert (victim.read_text(), (tmp_path / "x.json").read_text()) == ("old", "new")
    assert not (tmp_path / "x.json").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["victim", "x.json", "x.json.tmp"]
    (tmp_path / "usual").touch()
    assert (tmp_path / "x.json").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_takes_the_place_of_its_like_and_of_nothing_else(tmp_path: Path) -> None:
    for ending in ("old", "new"):
        (tmp_path / f"site.{ending}").mkdir()
        (tmp_path / f"site.{ending}" / "kept").touch()
    for number in range(2):
        with written_whole(tmp_path / "site", "mark.json", "site", "report") as fresh:
            (fresh / "mark.json").write_text(str(number))
    assert (tmp_path / "site" / "mark.json").read_text() == "1"
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "kept",
        "kept",
        "mark.json",
        "site",
        "site.new",
        "site.old",
    ]
    with (
        pytest.raises(LabError, match="holds no site"),
        written_whole(tmp_path / "site.old", "mark.json", "site", "report"),
    ):
        pass
    run = tmp_path / "site" / "run"
    run.mkdir()
    with (
        pytest.raises(LabError, match="holds the run"),
        written_whole(tmp_path / "site", "mark.json", "site", "report", [run]),
    ):
        pass
    assert run.exists()


def test_an_export_does_not_write_over_the_run(template: Path, worker: Worker, tmp_path: Path) -> None:
    box = boxed(tmp_path / "box", Case("none", lambda _: None), template)
    ended, problems = box.check(worker, ["export", "--as", "csv", "-o", box.run / "run.json", box.run])
    assert (ended.code, problems) == (69, [])
    assert "lies in the run" in ended.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\u001b[2Jb"),
        ("\x9b\x7f", "\\u009b\\u007f"),
        ("\u202ea", "\\u202ea"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u2028\u2066\u061c", "\\u2028\\u2066\\u061c"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("µ×–é 👍", "µ×–é 👍"),
    ],
)
def test_unsafe_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert brief(Path(text)) == shown


def test_json_says_the_same_without_control_characters() -> None:
    text = json.dumps({"a": "\x1b\x9b\u202e\x7f\u2028µ"}, ensure_ascii=False).encode()
    safe = safe_json(text)
    assert json.loads(safe) == json.loads(text)
    assert not UNSAFE.search(safe.decode()) and "µ" in safe.decode()


@pytest.mark.parametrize(
    "text",
    [
        POISON,
        "```<b>`",
        "`` `<b>` ``",
        "1. x",
        "- x",
        "# x",
        "[a]: b",
        "+1",
        "www.x.org",
        "&lt;",
        "a`b`c",
        "===",
        "[x][y]",
    ],
)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    """Judged by another program's Markdown: the page holds no element but the list and code, and the same words."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("gfm-like", {"linkify": False})
    tokens = [inner for token in parser.parse(markdown_notes([text])) for inner in (token.children or [token])]
    kinds = {token.type for token in tokens}
    assert kinds <= {
        "bullet_list_open",
        "bullet_list_close",
        "list_item_open",
        "list_item_close",
        "paragraph_open",
        "paragraph_close",
        "text",
        "code_inline",
    }
    words = "".join(token.content for token in tokens if token.type in ("text", "code_inline"))
    assert re.sub("[`']", "", words) == re.sub("[`']", "", visible(text.strip())), "all but the ticks that make code"


def test_markdown_leaves_intervals_as_they_are() -> None:
    assert escape("×1.2 [1.1–1.3] and [min – max]") == "×1.2 [1.1–1.3] and [min – max]"
    assert escape("[1.1–1.3](x)") == "\\[1.1–1.3\\](x)"


def test_a_spreadsheet_runs_nothing() -> None:
    rows = [{"text": text, "number": -1.5} for text in ("=1+1", "@x", "+cmd", "-2", "-x", "\t=1", "＝1", "plain", None)]
    lines = export.csv_of(export.frame_of(rows, {"text": str, "number": float})).decode().splitlines()
    assert lines[1:] == [
        "'=1+1,-1.5",
        "'@x,-1.5",
        "'+cmd,-1.5",
        "-2,-1.5",
        "'-x,-1.5",
        "\\t=1,-1.5",
        "'＝1,-1.5",
        "plain,-1.5",
        ",-1.5",
    ]


def test_a_page_embeds_no_control_character() -> None:
    held = json.loads(str(embedded({"a": "\x1b\n\u202e</script>\\n"})))
    assert held == {"a": "\\u001b\\n\\u202e</script>\\n"}


def test_messages_say_file_field_and_what_to_do(template: Path, tmp_path: Path) -> None:
    path = shutil.copytree(template, tmp_path / "a\nb")
    text = (path / "run.json").read_text().replace('"linux-x86_64"', '"../x"')
    (path / "run.json").write_text(text)
    with pytest.raises(LabError) as caught:
        CliRunner().invoke(table, [str(path)], catch_exceptions=False)
    message = str(caught.value)
    assert "a\\nb/run.json: platform: Expected `str` matching regex" in message.replace("\\\\", "/")
    assert message.endswith("Restore the file, or make it again.")
