"""The launcher names what is missing instead of failing with a traceback."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.base.paths import ROOT

pytestmark = pytest.mark.host
posix = pytest.mark.skipif(sys.platform == "win32", reason="with programs and signals that Windows does not have")


def launch(*arguments: str, source: str | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    program = [sys.executable, "-I", "-c", source] if source else [sys.executable, str(ROOT / "lab")]
    return subprocess.run(
        [*program, *arguments], capture_output=True, text=True, env=os.environ | environment, check=False, cwd="/"
    )


def pretend(change: str) -> str:
    """The launcher with something of its surroundings changed."""
    path = str(ROOT / "lab")
    return f"import sys; sys.argv[0] = {path!r}; code = open({path!r}).read(); {change}; exec(compile(code, {path!r}, 'exec'), {{'__file__': {path!r}, '__name__': '__main__'}})"


def test_it_hands_over_from_any_folder():
    done = launch("--version")
    assert done.returncode == 0
    assert re.match(r"lab, version \d", done.stdout)


def test_nothing_is_installed_anew_because_the_lab_s_own_python_starts_it():
    """As these tests do: what is there would be cleared away, and without a network there would then be nothing."""
    source = f"import runpy; print(runpy.run_path({str(ROOT / 'lab')!r})['digest']('uv.lock'))"
    base = os.path.realpath(sys._base_executable)
    found = {
        subprocess.run([python, "-c", source], capture_output=True, text=True, check=True).stdout
        for python in (sys.executable, base)
    }
    assert len(found) == 1


@pytest.mark.parametrize("stamp", ["current", "old"])
def test_the_checkout_s_own_environment_serves_every_user_while_it_is_current(tmp_path, stamp):
    """Else one is made in the folder that this user names: here it would be in a file."""
    checkout = tmp_path / "checkout"
    (checkout / ".lab/venv").mkdir(parents=True)
    for name in ("lab", "uv.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout)
    (tmp_path / "file").touch()
    source = (
        f"import runpy; lab = runpy.run_path({str(checkout / 'lab')!r}); digest = lab['digest']('uv.lock', 'pyproject.toml');"
        f"open({str(checkout / '.lab/venv/stamp')!r}, 'w').write(digest if {stamp == 'current'} else 'old');"
        "print(lab['provide_environment']([]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", source],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"LAB_WORK": str(tmp_path / "file")},
    )
    if stamp == "current":
        assert done.stdout.strip() == str(checkout / ".lab" / "venv"), done.stderr
    else:
        assert (done.returncode, f"{tmp_path / 'file' / '.lab'} cannot be written." in done.stderr) == (69, True)


def test_stamps_of_another_lock_are_forgotten_before_packages_change(tmp_path):
    for name in ("stamp", "stamp-dev", "pyvenv.cfg"):
        (tmp_path / name).touch()
    source = f"import runpy; runpy.run_path({str(ROOT / 'lab')!r})['forget_stamps']({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", source], check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["pyvenv.cfg"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_the_launcher_finds_its_checkout(tmp_path):
    (tmp_path / "lab").symlink_to(ROOT / "lab")
    source = f"import runpy; print(runpy.run_path({str(tmp_path / 'lab')!r})['ROOT'])"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(ROOT)


def test_an_old_python_is_told_which_one_is_needed():
    done = launch("list", source=pretend("sys.version_info = (3, 9, 1)"))
    assert done.returncode == 69
    assert "Python >= 3.11 is needed" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_launcher_parses_as_old_python():
    """No syntax newer than 3.6, or an old Python would print a SyntaxError instead of the message."""
    import ast

    ast.parse((ROOT / "lab").read_text(), feature_version=(3, 6))


def test_a_missing_venv_module_is_named_with_what_to_install(tmp_path):
    change = 'code = code.replace(\'"-m", "venv"\', \'"-m", "venv_that_is_not_there"\').replace(\'os.path.join(ROOT, ".lab")\', \'"/nowhere"\')'
    done = launch("list", source=pretend(change), LAB_WORK=str(tmp_path))
    assert done.returncode == 69
    assert "python3-venv" in done.stderr


def build_with_only(folder: Path, *tools: str) -> "subprocess.CompletedProcess[str]":
    """`lab build` where the PATH holds these tools and nothing else."""
    for tool in tools:
        (folder / tool).symlink_to("/bin/true")
    code = (
        "from bench.base import paths; from pathlib import Path; import sys;"
        f"paths.STATE = Path({str(folder)!r}); from bench.cli import main; sys.argv = ['lab', 'build']; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PATH": str(folder), "HOME": str(folder)},
        cwd=ROOT,
        check=False,
    )


@posix
def test_a_missing_rustup_is_named_with_what_to_install(tmp_path):
    done = build_with_only(tmp_path, "git", "cc")
    assert done.returncode == 69
    assert "rustc: not found. Install rustup" in done.stderr


@posix
def test_a_missing_linker_is_named_with_what_to_install(tmp_path):
    done = build_with_only(tmp_path, "cargo", "rustc")
    assert done.returncode == 69
    assert "cc: not found. Install a C linker" in done.stderr


@posix
def test_ctrl_c_on_windows_waits_until_the_lab_has_cleared_up():
    """There the launcher stays, and both get it: it may neither end the lab nor print a traceback."""
    child = (
        "import time\ntry:\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(1)\n    raise SystemExit(3)"
    )
    source = (
        f"import runpy, sys; launcher = runpy.run_path({str(ROOT / 'lab')!r}); launcher['os'].name = 'nt';"
        f"launcher['hand_over']([sys.executable, '-c', {child!r}])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert err == ""


def test_windows_starts_the_same_launcher():
    text = (ROOT / "lab.cmd").read_bytes()
    assert b'py -3 -I "%~dp0lab" %*\r\nexit /b %ERRORLEVEL%\r\n' in text
    assert b"set NoDefaultCurrentDirectoryInExePath=1\r\n" in text, "or a py.exe of the current folder would be Python"
    assert b'python -I "%~dp0lab" %*\r\nexit /b %ERRORLEVEL%\r\n' in text
