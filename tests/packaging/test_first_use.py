"""The first use of the lab by someone who does not own the checkout, in a folder full of modules that are not Python's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.base import paths
from bench.base.files import sha256_of, write_json
from bench.base.protocol import PROTOCOL
from bench.model.description import Manifest, RunnerEntry
from tests.support.checkouts import copied_checkout, without_runs
from tests.support.lab import fake_entry

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(sys.platform == "win32", reason="with owners and a shell that Windows does not have"),
]

STRANGER = {"user": 65534, "group": 65534, "extra_groups": ()} if hasattr(os, "getuid") and os.getuid() == 0 else {}
"""Nobody, where these tests may become so; else themselves, and the checkout is locked against them."""

MODULES = (
    "venv",
    "pip",
    "ensurepip",
    "sitecustomize",
    "usercustomize",
    "bench",
    "click",
    "msgspec",
    "hashlib",
    "uv",
    "encodings",
)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="lab-first-use-"))
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def checkout(place: Path) -> Path:
    """A clone of this checkout with its changes, which the stranger may read and not write."""
    copy = copied_checkout(place / "checkout", without_runs)
    git = ["git", "-C", str(copy), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    subprocess.run(["chmod", "-R", "a+rX,a-w", copy], check=True)
    return copy


@pytest.fixture(scope="module")
def traps(place: Path) -> Path:
    """A folder whose modules write down that they were imported, and whose settings lead nowhere."""
    folder, mark = place / "traps", place / "marks"
    folder.mkdir()
    mark.mkdir()
    mark.chmod(0o777)
    for name in MODULES:
        source = f"import pathlib\npathlib.Path({str(mark)!r}, {name!r} + '-' + __name__).touch()\n"
        (folder / name).mkdir()
        for file in ("__init__.py", "__main__.py", "cli.py"):
            (folder / name / file).write_text(source)
        (folder / f"{name}.py").write_text(source)
    nowhere = "http://127.0.0.1:1/simple"
    (folder / "uv.toml").write_text(f'index-url = "{nowhere}"\noffline = true\n')
    (folder / "pip.conf").write_text(f"[global]\nindex-url = {nowhere}\n")
    (folder / "pyproject.toml").write_text('[project]\nname = "trap"\nversion = "1"\ndependencies = ["not-there"]\n')
    (folder / ".python-version").write_text("2.7\n")
    return folder


@pytest.fixture(scope="module")
def stranger(place: Path) -> dict[str, str]:
    """The variables of somebody with a home and a Python of 3.11 or newer, and nothing else."""
    home, programs = place / "home", place / "programs"
    for folder in (home, programs):
        folder.mkdir()
    if STRANGER:
        os.chown(home, 65534, 65534)
    able = "import ensurepip, sys, venv; assert sys.version_info >= (3, 11)"
    found = [os.path.realpath(sys._base_executable), "/usr/bin/python3"]
    for python in found:
        try:
            if subprocess.run([python, "-I", "-c", able], capture_output=True, cwd="/", **STRANGER).returncode == 0:
                break
        except OSError:
            continue
    else:
        pytest.skip(f"another user can run none of {found}")
    (programs / "python3").symlink_to(python)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAB_", "UV_", "PYTHON"))}
    return kept | {"HOME": str(home), "PATH": f"{programs}:/usr/bin:/bin", "LAB_WORK": str(home / "wirelab")}


def call(lab: Path, *words: str, cwd: Path, **options: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([lab, *words], cwd=cwd, capture_output=True, text=True, check=False, **STRANGER, **options)


def marks(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "marks").iterdir())


def test_the_traps_catch_a_python_that_looks_into_the_current_folder(place, traps, stranger):
    done = subprocess.run(["python3", "-m", "venv"], cwd=traps, env=stranger, **STRANGER, capture_output=True)
    assert "venv-__main__" in marks(place), done
    for path in (place / "marks").iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def installed(place, checkout, traps, stranger) -> "subprocess.CompletedProcess[str]":
    """What the first use of all says: with an empty .lab, from the traps, and with variables that point there."""
    pointing = {
        "PYTHONPATH": ".",
        "PYTHONSTARTUP": "venv.py",
        "PYTHONPYCACHEPREFIX": ".",
        "PYTHONUSERBASE": ".",
        "UV_PROJECT": ".",
    }
    return call(checkout / "lab", "--version", cwd=traps, env=stranger | pointing)


def test_the_first_use_installs_into_the_folder_that_it_is_given(installed, stranger, checkout):
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout == "lab, version 0.1.0\n"
    assert f"installing uv into {stranger['LAB_WORK']}/.lab/uv" in installed.stderr
    assert not (checkout / ".lab").exists()


def test_the_first_use_imports_nothing_of_the_current_folder(installed, place):
    assert installed.returncode == 0, installed.stderr
    assert marks(place) == []


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(["{lab}"], id="lab"),
        pytest.param(["python3", "{lab}"], id="python3 lab", marks=pytest.mark.slow),
        pytest.param(["sh", "{lab}"], id="sh lab", marks=pytest.mark.slow),
    ],
)
def test_no_use_imports_anything_of_the_current_folder(installed, place, traps, checkout, stranger, start):
    assert installed.returncode == 0, installed.stderr
    command = [word.format(lab=checkout / "lab") for word in start]
    done = subprocess.run([*command, "doctor"], cwd=traps, env=stranger, capture_output=True, text=True, **STRANGER)
    assert done.stdout, done.stderr
    assert marks(place) == []


@pytest.fixture
def manifest(place, checkout, stranger) -> Path:
    """One fake runner that the stranger can start."""
    fake, entry = checkout / "tests" / "support" / "fake_runner.py", fake_entry("good")
    command = [f"{stranger['LAB_WORK']}/.lab/venv/bin/python", "-S", str(fake), *entry.command[3:]]
    runner = RunnerEntry(entry.codec, command, "fake", "1.0.0", sha256_of(fake), program=str(fake))
    write_json(place / "runners.json", Manifest(PROTOCOL, "host", "0" * 64, [runner]))
    (place / "runners.json").chmod(0o644)
    return place / "runners.json"


@pytest.mark.skipif(not paths.hyperfine().exists(), reason="hyperfine is not built: `./lab bench` builds it")
def test_a_stranger_measures_and_the_run_names_the_commit(installed, place, traps, checkout, stranger, manifest):
    assert installed.returncode == 0, installed.stderr
    hyperfine = place / "programs" / "hyperfine"
    shutil.copy2(paths.hyperfine(), hyperfine)
    variables = {"LAB_RUNNERS": str(manifest), "LAB_HYPERFINE": str(hyperfine)}
    done = call(checkout / "lab", "bench", "--profile", "quick", "-f", "point", cwd=traps, env=stranger | variables)
    assert done.returncode == 0, done.stderr
    assert marks(place) == []
    (run,) = Path(stranger["LAB_WORK"]).glob("runs/*/run.json")
    head = subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    assert json.loads(run.read_text())["provenance"]["git_commit"] == head.stdout.strip()


@pytest.mark.parametrize(
    "work", [None, "/proc", "{home}/file/below"], ids=["the checkout", "a system's", "below a file"]
)
def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(checkout, traps, stranger, work):
    file = Path(stranger["HOME"], "file")
    if not file.exists():
        file.touch()
    given = {"LAB_WORK": (work or "").format(home=stranger["HOME"])}
    done = call(checkout / "lab", "list", cwd=traps, env=stranger | given)
    assert done.returncode == 69
    assert f"{given['LAB_WORK'] or checkout}/.lab cannot be written." in done.stderr
    assert f"`LAB_WORK=~/wirelab {checkout}/lab …`" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_driver_names_a_folder_that_it_may_not_write(installed, place, stranger, manifest):
    """Where the launcher had nothing to install."""
    assert installed.returncode == 0, installed.stderr
    locked = place / "locked"
    locked.mkdir(mode=0o555)
    python = Path(stranger["LAB_WORK"], ".lab/venv/bin/python")
    variables = {"LAB_WORK": str(locked), "LAB_RUNNERS": str(manifest), "LAB_HYPERFINE": "/bin/true"}
    done = call(python, "-I", "-m", "bench.cli", "bench", "--all", cwd=place, env=stranger | variables)
    assert (done.returncode, "Traceback" in done.stderr) == (69, False), done.stderr
    assert "cannot be written. Name a folder that you may write" in done.stderr
