"""Every message that stops a command, in one place: what was wrong, where, and what to do."""

import os
from pathlib import Path

from bench.base.paths import ROOT, TRACEBACK_VARIABLE, brief
from bench.base.visible import visible

EXIT_NOT_ALL_WELL = 1
"""The command did its work, but something in it failed: an error row, a failed check."""
EXIT_USAGE = 2
EXIT_REFUSED = 69
"""The command could not start or go on."""


class LabError(Exception):
    """Ends a command with a message for its user; never a traceback."""


def bad_file(path: Path, line: int | None, field: str, problem: str) -> LabError:
    """A file that people or runs write does not hold what its schema says."""
    place = f"{brief(path)}:{line}" if line else brief(path)
    return LabError(f"{place}: {shortened(field) + ': ' if field else ''}{shortened(problem)}")


SHOWN = 1000
"""Letters of what a file says that a message repeats."""


def shortened(text: str) -> str:
    """Text of a file as a message shows it: on one line, and never a megabyte of it."""
    return visible(text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} letters)")


def system_refused(error: OSError) -> LabError:
    """The system does not do what a command needs."""
    reason = error.strerror or str(error)
    place = f"{brief(Path(os.fsdecode(error.filename)))}: " if isinstance(error.filename, str | bytes) else ""
    return LabError(
        f"{place}{visible(reason)}. Nothing that was recorded is lost: mend that, then give the command again."
    )


def no_memory() -> LabError:
    """There is not enough memory for what was asked."""
    return LabError("there is not enough memory for this. Give fewer runs, or use a larger machine.")


OWN_MISTAKE = "this is a mistake of the lab itself"


def own_mistake(error: Exception) -> LabError:
    """What no command foresaw."""
    return LabError(
        f"{OWN_MISTAKE}: {type(error).__name__}: {shortened(str(error))}. "
        f"Please report it, with what {TRACEBACK_VARIABLE}=1 shows."
    )


RESTORE = "Restore the file, or make it anew."


def bad_json(path: Path, line: int | None, field: str, problem: str) -> LabError:
    """A file that the lab itself writes does not hold what its schema says."""
    return bad_file(path, line, field, f"{problem}. {RESTORE}")


def bad_run_field(path: Path, field: str, problem: str) -> LabError:
    """A field of run.json that does not go with the rest."""
    return bad_file(path, None, field, f"{problem}. Restore the file, or record the run anew.")


def unreadable(path: Path, reason: str) -> LabError:
    """The system does not let the lab read a file."""
    return LabError(f"{brief(path)}: cannot be read: {visible(reason)}. Mend that, or restore the file.")


def not_regular(path: Path, kind: str) -> LabError:
    """Something else than a file where a file belongs."""
    return LabError(
        f"{brief(path)}: is a {kind} and no file; the lab opens nothing but files here. "
        "Put the file itself in its place."
    )


def too_large(path: Path, found: int, limit: int) -> LabError:
    """A file that is larger than any of its kind."""
    return LabError(
        f"{brief(path)}: has {found:,} bytes, the lab reads at most {limit:,} of such a file. "
        "No run of this lab makes one so large: restore the file, or record the run anew."
    )


def long_line(path: Path, line: int, limit: int) -> LabError:
    """A line that is longer than any that the lab writes."""
    return bad_file(
        path, line, "", f"the line has more than {limit:,} bytes. No line of this lab is so long: restore the file."
    )


def too_deep(path: Path, field: str, line: int | None = None) -> LabError:
    """A value that is nested deeper than any that the lab writes."""
    return bad_file(path, line, field, "is nested deeper than anything this lab writes. Restore the file.")


def other_version(path: Path, found: object, known: int) -> LabError:
    """A file of a newer or unknown version of the lab."""
    return LabError(
        f"{brief(path)}: its protocol version is {shortened(repr(found))}, this lab reads version {known} only. "
        "Use the lab of that version (git log -- bench/model.py tells which), or record the run anew."
    )


def missing_tool(tool: str, advice: str) -> LabError:
    """A prerequisite that is not there."""
    return LabError(f"{tool} was not found. {advice}")


def tool_failed(what: str, command: list[str], code: int, output: str, advice: str) -> LabError:
    """A tool of the build ended with an error of its own."""
    return LabError(f"{what} failed with exit code {code}: {' '.join(command)}\n{output.rstrip()}\n{advice}")


def other_source(path: Path, found: str, expected: str, pins: Path) -> LabError:
    """A download that is not what the repository pins."""
    return LabError(
        f"{brief(path)} has SHA-256 {found}, {brief(pins)} pins {expected}; nothing of it was run. "
        "Delete it to fetch it anew; where it stays so, the registry or a mirror serves something else."
    )


def tool_changed(path: Path) -> str:
    """Why a tool that is there is built again."""
    return f"{brief(path)} is not what the pinned source was built into; it is built again"


def other_toolchain(version: str, component: str, found: str, expected: str, pins: Path) -> LabError:
    """A Rust that was not made from the archives that the repository pins."""
    return LabError(
        f"{component} of Rust {version} is from an archive with SHA-256 {found}, {brief(pins)} pins {expected}. "
        f"Install it anew: `rustup toolchain uninstall {version}`, then `./lab build`; if it stays so, "
        "a mirror serves another."
    )


def not_writable(path: str) -> LabError:
    """A file or folder of the lab that its user may not write."""
    return LabError(
        f"{path} cannot be written. Name a folder of yours that the lab is to write into, such as "
        f"`LAB_WORK=~/wirelab {ROOT / 'lab'}`."
    )


def not_built() -> LabError:
    """Nothing to run yet."""
    return LabError("no runners are built yet. Run `./lab build` (or `./lab bench`, which does it first).")


def not_provided(place: Path) -> str:
    """Why a codec that should have been built elsewhere has no runner."""
    return f"no runner was provided for this platform ({place.name} holds none)"


def nothing_selected(filters: list[str], excludes: list[str], unavailable: list[str]) -> LabError:
    """Filters that match no cell of the codecs that are available."""
    words = " ".join([*(f"-f {f!r}" for f in filters), *(f"--not {e!r}" for e in excludes)])
    missing = f" Unavailable are: {', '.join(unavailable)}." if unavailable else ""
    return LabError(
        f"no cell matches {words or 'the selection'}. `./lab list` shows all cells; filters are regular expressions; "
        f"cells with cache=cold are measured with --cold alone.{missing}"
    )


def bad_pattern(pattern: str, problem: str) -> LabError:
    """A filter that is no regular expression."""
    return LabError(f"{pattern!r} is not a regular expression: {problem}. Quote special characters with a backslash.")


def not_a_run(path: Path) -> LabError:
    """A folder without a run in it."""
    return LabError(f"{brief(path)} holds no run (there is no run.json in it). `./lab bench` records one below runs/.")


def foreign_entry(path: Path) -> LabError:
    """A link, pipe, device or socket in a run folder that a driver is to write in."""
    return LabError(
        f"{brief(path)}: is neither a file nor a folder, and a run holds nothing else. Take it out of the run folder; "
        "nothing was opened, locked or changed."
    )


def hard_link(path: Path) -> LabError:
    """A file that has another name somewhere: writing to it would change it there too."""
    return LabError(
        f"{brief(path)}: has a second name somewhere (a hard link), so that writing to it would change another file. "
        "Copy the run folder and go on with the copy; nothing was changed."
    )


def unwritable(path: Path, reason: str) -> LabError:
    """The system does not let the lab write a file of a run."""
    return LabError(f"{brief(path)}: cannot be written: {visible(reason)}. Mend that, then go on with --resume.")


def no_whole_line(path: Path, limit: int) -> LabError:
    """The end of a file is no line that a kill tore."""
    return LabError(
        f"{brief(path)}: its last {limit:,} bytes hold no whole line, which no kill of a driver leaves. "
        "Restore the file; nothing was changed."
    )


def run_in_use(path: Path) -> LabError:
    """Another driver writes into this run."""
    return LabError(
        f"{brief(path)} is being written by another `lab bench`. Wait for it, or give another folder with --out."
    )


def run_exists(path: Path) -> LabError:
    """--out names a run that is already there."""
    return LabError(
        f"{brief(path)} already holds a run. Continue it with --resume {brief(path)}, or give another --out."
    )


def folder_not_empty(path: Path) -> LabError:
    """--out names a folder with something else in it."""
    return LabError(f"{brief(path)} is not empty and holds no run. Give a new or an empty folder with --out.")


def runner_changed(codec: str) -> LabError:
    """A resumed run would mix two builds of a runner."""
    return LabError(
        f"the runner of {codec} is not the one that this run began with (its SHA-256 differs). "
        "Check out the commit in run.json and build again, or start a new run."
    )


def same_cell(cell: str, one: str, other: str) -> LabError:
    """Two runners that offer one cell: nothing could tell their numbers apart."""
    return LabError(
        f"{one} and {other} both offer {cell}. Builds of one codec must differ in a condition: "
        "the runner names its own in `describe`."
    )


def unknown_cpu(cpu: str, compiler: str) -> LabError:
    """--cpu names something that the compiler cannot write for."""
    return LabError(
        f"--cpu {cpu}: {compiler} knows no such CPU on this architecture. `rustc --print target-cpus` lists those that "
        "it knows; `baseline` and `native` are always there."
    )


def input_changed(path: Path, expected: str, found: str) -> LabError:
    """A canonical input that is not what its scenario pins."""
    return LabError(
        f"{brief(path)}: input.sha256: the canonical input has SHA-256 {found}, the scenario pins {expected}. "
        "If the value was changed on purpose, update the hash; recorded runs of the old value stay "
        "comparable only with each other."
    )


def disk_full(path: Path) -> LabError:
    """No room for a file without which the run cannot go on."""
    return LabError(
        f"the disk of {brief(path)} is full. Nothing that was recorded is lost: free some space, "
        f"then go on with `./lab bench --resume {brief(path)}`."
    )


def scenario_changed(name: str) -> LabError:
    """A resumed run would mix two inputs."""
    return LabError(f"the canonical input of {name} is not the one that this run began with. Start a new run.")


def runner_failed(codec: str, problem: str) -> LabError:
    """A runner that worked when the run was recorded and does not now."""
    return LabError(f"{codec}: {problem}. `./lab verify -f {codec}` shows whether it still works.")


def other_message(codec: str, scenario: str, expected: int, found: int) -> LabError:
    """A message that is not the one that a run measured."""
    return LabError(
        f"{codec} {scenario}: its message has {found} bytes, in the run it had {expected}. Record the run anew."
    )


def filter_changed(path: Path, expected: int, found: int) -> LabError:
    """A filter that does not take as many of the canonical rows as its scenario pins."""
    return LabError(
        f"{brief(path)}: filter.rows: the filter takes {found} of the canonical rows, the scenario pins {expected}. "
        "If rows or filter were changed on purpose, update the number."
    )


def no_room_for_files(path: Path, cell: str, needed: int, free: int) -> LabError:
    """Files of rows that would fill the disk."""
    return LabError(
        f"{cell} needs {needed / 2**30:.1f} GiB for its file, and the disk of {brief(path)} has {free / 2**30:.1f} GiB "
        "free. Free some space, give a folder on another disk with --out, or take --profile standard; nothing was "
        "measured yet."
    )
