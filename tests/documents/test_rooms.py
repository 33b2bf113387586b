"""The shape of the code: rooms, what they import, how large they are, and what they may not name."""

import ast
import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.base.paths import ROOT

PACKAGES = ("bench", "analysis")
LARGEST_ROOM = 12
MODULES = {".py", ".rs", ".cpp", ".hpp"}
SHELVES = {"commands", "codecs", "published", "pins", "data"}
"""Folders of many things of one kind, which are no rooms: their number grows with what the lab has."""
POSITIONAL_ARGUMENTS = 5
WORDS = {"json", "toml", "point", "clone", "protobuf", "flatbuffers", "log"}
"""Names of codecs and scenarios that are words of the code too: only `language/name` is then the codec."""
WRITTEN = {tokenize.NAME, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
"""Tokens that can hold a name; from Python 3.12 on, the text of an f-string is one of its own kind."""


def sources(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def imports_linted(checkout: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def test_rooms_import_downwards_only():
    done = imports_linted(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("bench/base/limits.py", "import bench.proof.verify", "The driver's rooms BROKEN"),
        ("bench/commands/list.py", "import analysis.data.cells", "The driver does not know the analysis BROKEN"),
        ("analysis/data/cells.py", "import analysis.render.export", "The analysis' rooms BROKEN"),
    ],
)
def test_an_import_upwards_is_noticed(tmp_path, module, line, broken):
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "published"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    done = imports_linted(tmp_path)
    assert done.returncode == 1
    assert broken in done.stdout


def crowded(root: Path, *folders: str) -> list[str]:
    """Rooms with more modules than a reader takes in at once."""
    counted = Counter(
        file.parent
        for folder in folders
        for file in (root / folder).rglob("*")
        if file.suffix in MODULES and file.name != "__init__.py"
    )
    return [
        f"{room.relative_to(root)}: {number}"
        for room, number in sorted(counted.items())
        if number > LARGEST_ROOM and not SHELVES & set(room.relative_to(root).parts)
    ]


def test_no_room_is_crowded():
    assert not crowded(ROOT, *PACKAGES, "runners", "tests")


def test_a_crowded_room_is_noticed(tmp_path):
    for folder, number in (("room", 13), ("small", 12), ("commands", 20)):
        (tmp_path / "bench" / folder).mkdir(parents=True)
        for place in range(number):
            (tmp_path / "bench" / folder / f"m{place}.py").touch()
    assert crowded(tmp_path, "bench") == ["bench/room: 13"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_two_modules_have_one_name(package):
    names = Counter(file.stem for file in sources(package) if "commands" not in file.parts)
    assert [name for name, number in names.items() if number > 1] == ["__init__"]


def crowded_calls(text: str) -> Iterator[int]:
    """The lines of calls whose arguments a reader would have to count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and len(node.args) > POSITIONAL_ARGUMENTS:
            yield node.lineno


def test_no_call_has_more_than_five_positional_arguments():
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sources(*PACKAGES, "runners/python")
        if not file.name.endswith("_pb2.py")
        for line in crowded_calls(file.read_text(encoding="utf-8"))
    ]
    assert not found


def test_a_call_with_six_positional_arguments_is_noticed():
    assert list(crowded_calls("f(1, 2, 3, 4, 5)\nf(1, 2, 3, 4, 5, 6)\nf(a=1, b=2, c=3, d=4, e=5, f=6)")) == [2]


def test_the_formatter_lays_out_all_code():
    mark = "fmt: " + "skip"
    assert not [file for file in sources(*PACKAGES, "runners", "tests") if mark in file.read_text(encoding="utf-8")]


def names_of_the_lab() -> set[str]:
    """Codecs, scenarios and publications: what may be added without an edit of the driver or the analysis."""
    codecs = {path for path in ROOT.glob("runners/*/codecs/*") if path.is_dir()}
    qualified = {f"{path.parts[-3]}/{path.name}" for path in codecs}
    scenarios = {path.stem for path in ROOT.glob("schemas/scenarios/*.toml")}
    publications = {path.stem for path in ROOT.glob("analysis/published/*.csv")}
    return (qualified | {path.name for path in codecs} | scenarios | publications) - WORDS


def named(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """(Line, name) of each name in the identifiers, strings and docstrings of a Python file."""
    alternatives = "|".join(sorted(map(re.escape, map(normal, names)), key=len, reverse=True))
    pattern = re.compile(rf"(?<![a-z0-9])(?:{alternatives})(?![a-z0-9])")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in WRITTEN:
            yield from ((token.start[0], match[0]) for match in pattern.finditer(normal(token.string)))


def normal(text: str) -> str:
    """Text in which `flat_message`, `FLAT_MESSAGE` and `flat-message` are one."""
    return re.sub(r"[_\s]", "-", text.lower())


def test_neither_driver_nor_analysis_names_a_codec_a_scenario_or_a_publication():
    names = names_of_the_lab()
    found = [
        f"{file.relative_to(ROOT)}:{line} {name}"
        for file in sources(*PACKAGES)
        for line, name in named(file.read_text(encoding="utf-8"), names)
    ]
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "def time_vs_beve(): ...",
        "METRICS = ('speedup_vs_orjson',)",
        '"""Such as `rust/prost`."""',
        "if codec.endswith('/memcpy'): ...",
        "FLAT_MESSAGE = 1",
        "x = f'{a} of users-10k'",
        "SOURCES = {'b-fast': 1}",
    ],
)
def test_a_name_in_code_or_text_is_noticed(code):
    assert list(named(code, names_of_the_lab()))


@pytest.mark.parametrize("code", ["import json", "point = interval.point", "read_toml(path)", "unclear = 'prostrate'"])
def test_a_word_is_no_name(code):
    assert not list(named(code, names_of_the_lab()))
