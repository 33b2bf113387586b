"""The group of commands: each is listed by its own file, and imported on use alone."""

import inspect
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bench.cli import lab
from bench.commands import group
from bench.commands.group import SECTIONS, LabGroup
from tests.support.lab import ROOT

COMMAND = '''"""A command of somebody else's."""

import click

SECTION = "read"
FOLLOWS = "bench"


@click.command("toy")
@click.argument("runs", nargs=-1)
def toy(runs):
    """Play. There is more to say."""
    click.echo(f"playing with {runs}")
'''


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabGroup:
    """A group whose only folder is of a package that the lab does not know."""
    folder = tmp_path / "toys" / "commands"
    folder.mkdir(parents=True)
    (folder / "toy.py").write_text(COMMAND)
    (folder / "options.py").write_text("raise AssertionError('imported, and no command')\n")
    monkeypatch.syspath_prepend(tmp_path)
    return LabGroup("lab", folders=[folder])


@pytest.mark.parametrize("name", lab.list_commands(click.Context(lab)))
def test_a_command_has_the_name_of_its_file_a_known_section_and_help(name):
    command, listing = lab.get_command(click.Context(lab), name), lab.listings[name]
    assert command is not None and command.name == name
    assert listing.section in SECTIONS
    assert listing.help == inspect.cleandoc(command.help or "") != ""


def test_help_shows_every_command_once_under_its_heading():
    text = CliRunner().invoke(lab, ["--help"]).output
    lines = [line.split()[0] for line in text.partition("Measure:")[2].splitlines() if line.startswith("  ")]
    assert sorted(lines) == lab.list_commands(click.Context(lab))
    assert all(f"\n{heading}:\n" in text for heading in SECTIONS.values())


@pytest.mark.parametrize("words", [["--help"], ["bench", "--help"], ["--version"]])
def test_help_loads_neither_numpy_nor_polars(words):
    code = (
        "import sys; from bench.cli import ended; ended(sys.argv[1:]);"
        "print(sorted({'numpy', 'polars', 'scipy', 'altair'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_folder_of_another_package_brings_its_commands_along(toys):
    assert toys.list_commands(click.Context(toys)) == ["toy"]
    help_text = CliRunner().invoke(toys, ["--help"]).output
    assert "Read runs:\n  toy  Play." in help_text
    assert "there is more" not in help_text.lower()
    assert CliRunner().invoke(toys, ["toy", "x"]).output == "playing with ('x',)\n"


def test_what_follows_a_command_is_found_by_what_it_says(toys):
    context = click.Context(toys)
    assert [command.name for command in toys.followers(context, "bench")] == ["toy"]
    assert toys.followers(context, "list") == []


def test_a_call_reads_the_source_of_its_own_module_alone(toys, tmp_path, monkeypatch):
    (tmp_path / "toys" / "commands" / "another.py").write_text(COMMAND.replace("toy", "another"))
    toys, read = LabGroup("lab", folders=[tmp_path / "toys" / "commands"]), []
    listing_of = group.read_listing
    monkeypatch.setattr(group, "read_listing", lambda path: read.append(path.name) or listing_of(path))
    assert CliRunner().invoke(toys, ["toy", "x"]).output == "playing with ('x',)\n"
    assert set(read) == {"toy.py"}
    assert CliRunner().invoke(toys, ["--help"]).exit_code == 0 and "another.py" in read


def test_an_unknown_command_is_none(toys):
    assert toys.get_command(click.Context(toys), "options") is None
    assert CliRunner().invoke(toys, ["options"]).exit_code == 2


def test_the_driver_s_folder_names_none_of_the_analysis():
    names = LabGroup("lab", folders=[ROOT / "bench" / "commands"]).listings.keys()
    assert {"bench", "list", "verify"} <= names
    assert not {"table", "claims", "report"} & names
