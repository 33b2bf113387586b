"""Every command that reads runs, over every damaged and hostile run of the corpus; see tests/support/hostile."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.base.folders import written_whole
from analysis.commands.table import table
from analysis.site.write import embedded
from bench.base import limits
from bench.base.errors import LabError
from bench.base.files import open_regular, read_json_lines, write_whole
from bench.base.visible import UNSAFE
from bench.model.record import Sample
from tests.support.hostile.box import CODES, Box, Ended, Worker, no_runners
from tests.support.hostile.runs import HONEY, Case, corpus, healthy
from tests.support.lab import LAB

CASES = corpus() if sys.platform != "win32" else []
LANES = 4
"""Parts of the corpus that pytest's workers share out between them."""
forks = pytest.mark.skipif(sys.platform == "win32", reason="its processes cannot be forked, and its names hold less")


@dataclass(frozen=True)
class Share:
    """The cases of the corpus that are read: from each of its parts as many, as it goes through part by part."""

    all_commands: int
    """One in so many cases is read by every command."""
    two_commands: int
    """One in so many of the others is read by `table`, and by one command more, which changes from case to case."""
    whole: tuple[str, ...] = ()
    """Cases of these names are read by every command."""

    def lane(self, lane: int) -> Iterator[tuple[int, Case, bool]]:
        """Cases of a lane with their places among all that are read, and whether every command reads the case."""
        everything = [n % self.all_commands == 0 or case.name.startswith(self.whole) for n, case in enumerate(CASES)]
        chosen = [n for n, _ in enumerate(CASES) if everything[n] or n % self.two_commands == 1]
        chosen.sort(key=lambda n: not everything[n])  # so that each lane has as many of those that take long
        return ((place, CASES[n], everything[n]) for place, n in list(enumerate(chosen))[lane::LANES])


SAMPLE = Share(all_commands=80, two_commands=12)
LARGE = Share(all_commands=1 if os.environ.get("LAB_CORPUS") == "all" else 9, two_commands=3, whole=("text-", "path-"))


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


def problems_of(lane: Iterable[tuple[int, Case, bool]], worker: Worker, template: Path, folder: Path) -> list[str]:
    """What commands did that they must not, over the cases of a lane."""
    problems = []
    for place, case, everything in lane:
        box = boxed(folder, case, template)
        commands = dict(box.commands(("rust/flat-message", "rust/bincode")))
        first, found = box.check(worker, commands["table"])
        problems += [f"{case.name}, table: {problem}" for problem in found]
        others = [name for name in commands if name != "table"]
        if not everything:
            others = [others[place % len(others)]] if first.code != 69 else []
        if not case.reads and not case.name.startswith(("verify", "fidelity", "fuzz")) and first.code != 69:
            problems.append(f"{case.name}, table: was not refused")
        for name in others:
            _, found = box.check(worker, commands[name])
            problems += [f"{case.name}, {name}: {problem}" for problem in found]
        shutil.rmtree(box.folder)
    return problems


@forks
def test_the_corpus_is_large_and_its_names_differ() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 900
    assert len([case for lane in range(LANES) for _, case, everything in LARGE.lane(lane) if everything]) >= 120


@forks
@pytest.mark.parametrize(
    "lane", [lane if lane < 1 else pytest.param(lane, marks=pytest.mark.slow) for lane in range(LANES)]
)
def test_a_sample_of_runs_is_read_and_no_more(lane: int, worker: Worker, template: Path, tmp_path: Path) -> None:
    assert problems_of(SAMPLE.lane(lane), worker, template, tmp_path / "box") == []


@pytest.mark.slow
@forks
@pytest.mark.parametrize("lane", range(LANES))
def test_no_run_does_more_than_being_read(lane: int, worker: Worker, template: Path, tmp_path: Path) -> None:
    """With LAB_CORPUS=all every command reads every case."""
    assert problems_of(LARGE.lane(lane), worker, template, tmp_path / "box") == []


@forks
def test_all_commands_read_the_run_that_holds_every_poison(worker: Worker, template: Path, tmp_path: Path) -> None:
    """It is odd and not wrong: every page and table is made, and shows all of it as escapes."""
    case = next(case for case in CASES if case.name == "text-all")
    box = boxed(tmp_path / "box", case, template)
    problems = []
    for name, arguments in box.commands(("rust/flat-message", "rust/bincode")):
        ended, found = box.check(worker, arguments)
        problems += [f"{name}: {problem}" for problem in found]
        wanted = (69,) if name in ("fidelity", "fuzz", "submit") else (0, 1)  # no runners; nothing in it is proved
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
    assert "lies inside the run" in ended.err


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
