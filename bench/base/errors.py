"""Every message that stops a command: what was wrong, where, and what to do next."""

import os
from collections.abc import Mapping
from pathlib import Path

from bench.base.paths import ROOT, TRACEBACK_VARIABLE, brief
from bench.base.visible import visible

EXIT_NOT_ALL_WELL = 1
"""The command finished, but something failed: an error row, a check."""
EXIT_REFUSED = 69
"""The command could not start or go on."""


class LabError(Exception):
    """Ends a command with a message for its user; never a traceback."""


def bad_file(path: Path, line: int | None, field: str, problem: str) -> LabError:
    """A file that people or runs write does not match its schema."""
    location = f"{brief(path)}:{line}" if line else brief(path)
    return LabError(f"{location}: {shortened(field) + ': ' if field else ''}{shortened(problem)}")


SHOWN = 1000
"""Characters of a file's text that a message repeats at most."""


def shortened(text: str) -> str:
    """Text of a file as a message shows it: on one line and cut after SHOWN characters."""
    return visible(text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)")


def system_refused(error: OSError) -> LabError:
    """The system refused what a command needs."""
    reason = error.strerror or str(error)
    location = f"{brief(Path(os.fsdecode(error.filename)))}: " if isinstance(error.filename, str | bytes) else ""
    return LabError(
        f"{location}{visible(reason)}. Nothing that was recorded is lost: fix this, then run the command again."
    )


def no_memory() -> LabError:
    """There is not enough memory for what was asked."""
    return LabError("there is not enough memory for this. Give fewer runs, or use a machine with more memory.")


OWN_MISTAKE = "this is a bug in the lab"


def own_mistake(error: Exception) -> LabError:
    """An exception that no command handles."""
    return LabError(
        f"{OWN_MISTAKE}: {type(error).__name__}: {shortened(str(error))}. "
        f"Please report it with the traceback that {TRACEBACK_VARIABLE}=1 shows."
    )


RESTORE = "Restore the file, or make it again."


def bad_json(path: Path, line: int | None, field: str, problem: str) -> LabError:
    """A file that the lab itself writes does not match its schema."""
    return bad_file(path, line, field, f"{problem}. {RESTORE}")


def bad_run_field(path: Path, field: str, problem: str) -> LabError:
    """A field of run.json that contradicts the others."""
    return bad_file(path, None, field, f"{problem}. Restore the file, or record the run again.")


def unreadable(path: Path, reason: str) -> LabError:
    """The system does not let the lab read a file."""
    return LabError(f"{brief(path)}: cannot be read: {visible(reason)}. Fix this, or restore the file.")


def not_regular(path: Path, kind: str) -> LabError:
    """Something other than a regular file where a file belongs."""
    return LabError(
        f"{brief(path)}: is a {kind}, not a file; the lab opens only regular files here. Replace it by the file itself."
    )


def too_large(path: Path, actual: int, limit: int) -> LabError:
    """A file that is larger than any that the lab writes."""
    return LabError(
        f"{brief(path)}: has {actual:,} bytes; the lab reads such files up to {limit:,} bytes. "
        "No run of this lab makes one so large: restore the file, or record the run again."
    )


def long_line(path: Path, line: int, limit: int) -> LabError:
    """A line that is longer than any that the lab writes."""
    return bad_file(
        path, line, "", f"the line has more than {limit:,} bytes. The lab writes no line so long: restore the file."
    )


def too_deep(path: Path, field: str, line: int | None = None) -> LabError:
    """A value that is nested deeper than any that the lab writes."""
    return bad_file(path, line, field, "is nested deeper than anything that the lab writes. Restore the file.")


def other_version(path: Path, actual: object, known: int) -> LabError:
    """A file of a newer or unknown version of the lab."""
    return LabError(
        f"{brief(path)}: its protocol version is {shortened(repr(actual))}; this lab reads only version {known}. "
        "Use the lab of that version (see git log -- bench/base/protocol.py), or record the run again."
    )


def missing_tool(tool: str, advice: str) -> LabError:
    """A prerequisite that is not there."""
    return LabError(f"{tool} was not found. {advice}")


def cannot_build(problems: list[str]) -> LabError:
    """Everything that a build lacks."""
    return LabError("nothing was built, as this is missing:\n" + "\n".join(f"  {problem}" for problem in problems))


def tool_failed(task: str, command: list[str], code: int, output: str, advice: str) -> LabError:
    """A tool that the lab called failed."""
    return LabError(f"{task} failed with exit code {code}: {' '.join(command)}\n{output.rstrip()}\n{advice}")


def other_source(path: Path, actual: str, expected: str, pins: Path) -> LabError:
    """A download that is not what the repository pins."""
    return LabError(
        f"{brief(path)} has SHA-256 {actual}, but {brief(pins)} pins {expected}; nothing in it was run. "
        "Delete it to download it again; if the hash stays the same, the registry or a mirror serves another file."
    )


def tool_changed(path: Path) -> str:
    """Why a tool is built again."""
    return f"{brief(path)} is not the program that was built from the pinned source; it is built again"


def other_toolchain(version: str, component: str, actual: str, expected: str, pins: Path) -> LabError:
    """A Rust that was not made from the archives that the repository pins."""
    return LabError(
        f"{component} of Rust {version} comes from an archive with SHA-256 {actual}, but {brief(pins)} pins "
        f"{expected}. Install it again: `rustup toolchain uninstall {version}`, then `./lab build`; if the hash stays "
        "the same, a mirror serves another archive."
    )


def other_compiler(what: str, found: str, pinned: str, advice: str) -> LabError:
    """A compiler of another version than the repository pins."""
    return LabError(f"{what} {found} is in the PATH, and {pinned} is pinned. {advice}")


def not_writable(path: str) -> LabError:
    """A file or folder of the lab that its user has no right to write."""
    return LabError(
        f"{path} cannot be written. Name a folder that you may write, as in `LAB_WORK=~/wirelab {ROOT / 'lab'}`."
    )


def not_built() -> LabError:
    """There is no build yet."""
    return LabError("no runners are built yet. Run `./lab build` (or `./lab bench`, which does it first).")


def no_code(types: str, library: str, problem: str) -> LabError:
    """A library's generator refuses a type."""
    return LabError(f"the types of {types} give no code for {library}: {problem}")


def not_provided(folder: Path) -> str:
    """Why a codec that should have been built elsewhere has no runner."""
    return f"no runner was provided for this platform ({folder.name} holds none)"


def nothing_selected(filters: list[str], excludes: list[str], unavailable: list[str]) -> LabError:
    """Filters that match no cell of the available codecs."""
    words = " ".join([*(f"-f {f!r}" for f in filters), *(f"--not {e!r}" for e in excludes)])
    missing = f" Unavailable: {', '.join(unavailable)}." if unavailable else ""
    return LabError(
        f"no cell matches {words or 'the selection'}. `./lab list` shows all cells; filters are regular expressions; "
        f"cells with cache=cold are measured only with --cold.{missing}"
    )


def nobody_to_ask(failures: Mapping[str, str], unavailable: list[str]) -> LabError:
    """None of the selected codecs has a program that answers; why, by codec, and those that cannot be built."""
    reasons = "".join(f" {codec}: {shortened(reason)}." for codec, reason in failures.items())
    missing = f" Unavailable: {', '.join(unavailable)}." if unavailable else ""
    return LabError(
        f"none of the selected codecs can be asked, and nothing was written.{reasons}{missing} `./lab list` shows the "
        "codecs; `./lab build` says why one has no program."
    )


def bad_pattern(pattern: str, problem: str) -> LabError:
    """A filter that is not a regular expression."""
    return LabError(f"{pattern!r} is not a regular expression: {problem}. Escape special characters with a backslash.")


def not_a_run(path: Path) -> LabError:
    """A folder without a run in it."""
    return LabError(f"{brief(path)} holds no run (it has no run.json). `./lab bench` records one below runs/.")


def foreign_entry(path: Path) -> LabError:
    """A link, pipe, device or socket in a run folder that the driver would write to."""
    return LabError(
        f"{brief(path)}: is neither a file nor a folder, and a run holds nothing else. Move it out of the run folder; "
        "nothing was opened, locked or changed."
    )


def hard_link(path: Path) -> LabError:
    """A file with a second name: writing to it would change it under that name too."""
    return LabError(
        f"{brief(path)}: has a second name somewhere (a hard link), so writing to it would change another file. "
        "Copy the run folder and resume the copy; nothing was changed."
    )


def unwritable(path: Path, reason: str) -> LabError:
    """The system does not let the lab write a file of a run."""
    return LabError(f"{brief(path)}: cannot be written: {visible(reason)}. Fix this, then go on with --resume.")


def no_whole_line(path: Path, limit: int) -> LabError:
    """The end of a file is not a line that a kill cut off."""
    return LabError(
        f"{brief(path)}: there is no whole line in its last {limit:,} bytes, which no kill of a driver leaves behind. "
        "Restore the file; nothing was changed."
    )


def run_in_use(path: Path) -> LabError:
    """Another driver writes into this run, or into this folder of counts."""
    return LabError(
        f"{brief(path)} is being written by another `lab bench` or `lab count`. Wait for it, or give another folder "
        "with --out."
    )


def set_in_use(path: Path) -> LabError:
    """Another command measures the programs of a set of types."""
    return LabError(
        f"another `lab try` of data of this name is running, with programs in {brief(path)}. Wait for it, or rename "
        "the file."
    )


def run_exists(path: Path, option: str = "--out") -> LabError:
    """An option names a run that is already there."""
    return LabError(
        f"{brief(path)} already holds a run. Continue it with --resume {brief(path)}, or give another {option}."
    )


def folder_not_empty(path: Path, option: str = "--out") -> LabError:
    """An option names a folder with something else in it."""
    return LabError(f"{brief(path)} is not empty and holds no run. Give a new or an empty folder with {option}.")


def no_page_folder(path: Path) -> LabError:
    """`lab try -o` with something that no page may replace."""
    return LabError(
        f"{brief(path)} is not empty and holds no page of the lab. With -o, give a new or empty folder, or one that "
        "`lab try` wrote, which is then replaced."
    )


def run_in_page(run: Path, page: Path) -> LabError:
    """`lab try -o` with the folder in which the run is recorded."""
    return LabError(
        f"{brief(page)} would hold the run {brief(run)} beside the page, which replaces its whole folder. With -o, "
        "give a folder that holds no run."
    )


def runner_changed(codec: str) -> LabError:
    """A resumed run would mix two builds of a runner."""
    return LabError(
        f"the runner of {codec} is not the one that this run began with (its SHA-256 differs). "
        "Check out the commit in run.json and build again, or start a new run."
    )


def same_cell(cell: str, one: str, other: str) -> LabError:
    """Two runners offer the same cell, so that their numbers could not be told apart."""
    return LabError(
        f"{one} and {other} both offer {cell}. Builds of one codec must differ in a condition: "
        "each runner declares it in `describe`."
    )


def unknown_cpu(cpu: str, compiler: str) -> LabError:
    """--cpu names a processor that the compiler does not know."""
    return LabError(
        f"--cpu {cpu}: {compiler} knows no such CPU on this architecture. `rustc --print target-cpus` lists those that "
        "it knows; `baseline` and `native` always work."
    )


def input_changed(path: Path, expected: str, actual: str) -> LabError:
    """A canonical input that is not what its scenario pins."""
    return LabError(
        f"{brief(path)}: input.sha256: the canonical input has SHA-256 {actual}, but the scenario pins {expected}. "
        "If the value was changed on purpose, update the hash; recorded runs of the old value remain "
        "comparable only with each other."
    )


def no_items(path: Path, field: str, rows: int) -> LabError:
    """A scenario whose messages are the items of another's list, which has no such list."""
    return LabError(
        f"{brief(path)}: its value has no list {shortened(field)!r} of {rows} items, which another scenario takes as "
        "its messages. Correct `input.items_of` of that scenario."
    )


def no_data_file(path: Path) -> LabError:
    """The data of a scenario is gone."""
    return LabError(
        f"{brief(path)} is missing, the data of the scenario of that name. Restore it, or run `./lab try` on the data "
        "again."
    )


def too_large_data(path: Path, actual: int, limit: int) -> LabError:
    """More data than `lab try` takes."""
    return LabError(
        f"{brief(path)}: has {actual:,} bytes; `lab try` takes up to {limit:,}. Give a part of it, for instance "
        "`head -n 1000000`."
    )


def no_messages(path: Path) -> LabError:
    """A file of data without a message."""
    return LabError(f"{brief(path)}: holds no message. Give a file with one message or more.")


def unknown_data(path: Path) -> LabError:
    """A file of which nothing tells what it is."""
    return LabError(
        f"{brief(path)}: is neither JSON, JSON Lines nor Parquet by its first bytes, and has no name in .csv or .tsv. "
        "For Protocol Buffers give --proto FILE --message NAME."
    )


def not_one_type(path: Path, conflicts: list[str]) -> LabError:
    """Data at places where its values have no type in common."""
    return LabError(
        f"{brief(path)}: at {len(conflicts)} {'place' if len(conflicts) == 1 else 'places'} the values have no type in "
        "common:\n" + "\n".join(f"  {conflict}" for conflict in conflicts) + "\n"
        f"Mend the data; or write the types: `./lab try {brief(path)} --print-type > types.toml` has text in these "
        "fields, which takes other values as their JSON. Edit it, and give it with --type types.toml."
    )


def no_codec(patterns: list[str], languages: list[str]) -> LabError:
    """`lab try` has nothing to try."""
    words = " ".join([*(f"--codecs {one!r}" for one in patterns), *(f"--languages {one!r}" for one in languages)])
    return LabError(f"no codec matches {words or 'the defaults'}. `./lab list` shows all codecs.")


def no_codec_takes(path: Path, reasons: list[str]) -> LabError:
    """No codec that was chosen can be measured with the data."""
    return LabError(
        f"none of the chosen codecs can be tried with {brief(path)}:\n"
        + "\n".join(f"  {visible(reason)}" for reason in reasons)
        + "\nChoose others with --codecs, or write types that they have with --type."
    )


def other_data(path: Path, data: Path) -> LabError:
    """`lab try --resume` with another file than the run began with."""
    return LabError(
        f"{brief(path)} was begun with other data than {brief(data)}, or with other types. Give the same file and "
        "--type, or begin anew without --resume."
    )


def bad_scenario_name(name: str) -> LabError:
    """`lab try --save` with something that is no name."""
    return LabError(f"--save {shortened(repr(name))}: give small letters, digits and hyphens, such as own-events.")


def scenario_there(path: Path) -> LabError:
    """`lab try --save` with the name of a scenario."""
    return LabError(f"{brief(path)} is there already. Give another name with --save.")


def bad_root(path: Path, names: list[str]) -> LabError:
    """A file of types in which it is not clear which struct a message is."""
    return LabError(
        f"{brief(path)}: the messages' type is the struct that is in no other, and "
        f"{'there is none' if not names else 'these are: ' + ', '.join(names)}. Name it with --message."
    )


def disk_full(path: Path) -> LabError:
    """The disk has no room for a file that the run needs."""
    return LabError(
        f"the disk of {brief(path)} is full. Nothing recorded is lost: free some space, "
        f"then continue with `./lab bench --resume {brief(path)}`."
    )


def scenario_changed(name: str) -> LabError:
    """A resumed run would mix two inputs."""
    return LabError(f"the canonical input of {name} is not the one that this run began with. Start a new run.")


def runner_failed(codec: str, problem: str) -> LabError:
    """A runner that worked when the run was recorded and no longer does."""
    return LabError(f"{codec}: {problem}. `./lab verify -f {codec}` shows whether it still works.")


def other_message(codec: str, scenario: str, expected: int, actual: int) -> LabError:
    """A message that differs from the one that a run measured."""
    return LabError(
        f"{codec} {scenario}: its message has {actual} bytes; in the run it had {expected}. Record the run again."
    )


def filter_changed(path: Path, expected: int, actual: int) -> LabError:
    """A filter that takes another number of the canonical rows than its scenario pins."""
    return LabError(
        f"{brief(path)}: filter.rows: the filter takes {actual} canonical rows, but the scenario pins {expected}. "
        "If rows or filter were changed on purpose, update the number."
    )


def update_changes_nothing(path: Path) -> LabError:
    """An update after which the canonical input is what it was."""
    return LabError(
        f"{brief(path)}: update: the canonical input has these values already, so nothing shows that a codec updates. "
        "Give a field another value."
    )


def no_room_for_files(path: Path, cell: str, needed: int, free: int) -> LabError:
    """A file of rows that would fill the disk."""
    return LabError(
        f"{cell} needs {needed / 2**30:.1f} GiB for its file, and the disk of {brief(path)} has {free / 2**30:.1f} GiB "
        "free. Free some space, give a folder on another disk with --out, or use --profile standard; nothing was "
        "measured yet."
    )


def no_counts(path: Path) -> LabError:
    """A folder without counts in it."""
    return LabError(f"{brief(path)} holds no counts (it has no counts.json). `./lab count --out {brief(path)}` counts.")


def counts_not_empty(path: Path) -> LabError:
    """`lab count --out` names a folder with something else than counts in it, or a run."""
    return LabError(
        f"{brief(path)} holds something else than counts. Give --out a new folder, an empty one or one that "
        "`./lab count` made, or give --into a run."
    )


def counts_lost(path: Path, number: int, codecs: str) -> LabError:
    """Counts would be replaced that may be those of before a change, or dropped beside others of another kind."""
    return LabError(
        f"{brief(path)} holds counts that would be lost ({number}, of {codecs}): program, input, valgrind, options or "
        f"machine have changed. Give a new folder with --out, or remove {brief(path / 'counts.jsonl')} first."
    )


def footprints_lost(path: Path, number: int, commit: str | None) -> LabError:
    """Footprints would be dropped, or stand as those of another commit or machine."""
    return LabError(
        f"{brief(path)} holds footprints of {number} runners that this call does not ask for, of commit "
        f"{commit or 'unknown'} or another machine. Ask for them too, or record into another run."
    )


def counts_unreadable(path: Path, reason: str) -> LabError:
    """Counts that a counting would continue are damaged, or belong to another run."""
    return LabError(f"{reason} To count anew, remove {brief(path / 'counts.json')} and counts.jsonl beside it.")


def counts_without_valgrind(path: Path, reason: str) -> LabError:
    """Counted cells would be replaced by the reason why they cannot be counted now."""
    return LabError(
        f"{brief(path)} holds counts, which cannot be continued: {reason}. To record the rest of the figures "
        f"without instructions, remove {brief(path / 'counts.jsonl')} first."
    )


def other_runner_than_run(codec: str, run: str) -> LabError:
    """Counts of another build would stand beside the times of a run."""
    return LabError(
        f"the runner of {codec} is not the one that {run} measured (its SHA-256 differs). Check out the commit in its "
        "run.json and build again, leave the codec out with --not, or count into a folder of its own with --out."
    )


def nothing_of_run(run: str) -> LabError:
    """No selected cell was measured in the run."""
    return LabError(f"{run} measured none of the selected cells. `./lab table` shows which it has.")


def bad_mask(text: str) -> LabError:
    """--mask with something that is no feature's name."""
    return LabError(
        f"--mask {shortened(repr(text))}: give names as glibc has them, with commas between them, such as AVX2,ERMS."
    )


def plain_and_compressed(plain: Path, packed: Path) -> LabError:
    """A run with the same file twice; which of the two counts cannot be known."""
    return LabError(f"{brief(packed)}: {plain.name} lies beside it. Remove the one that is not the run's.")


def damaged_frame(path: Path, lines: int, problem: str) -> LabError:
    """A compressed file that cannot be read to its end; nothing of it is used."""
    return LabError(
        f"{brief(path)}: cannot be decompressed after line {lines}: {shortened(problem)}. Nothing of it is used. "
        "Restore the file, as with `git checkout`, or submit the run again."
    )


def expands_too_far(path: Path, limit: int) -> LabError:
    """A compressed file that holds more than any recorded run does."""
    return LabError(
        f"{brief(path)}: holds more than {limit} bytes, which no recorded run of its size does. Restore the file."
    )


def submitted_run(path: Path) -> LabError:
    """Something that would change a run which was packed for others."""
    return LabError(
        f"{brief(path)}: its files are compressed, as `lab submit` leaves them: a submitted run is finished and takes "
        "no more. Give the folder that it was packed from, or start a new run."
    )


def too_many_entries(path: Path, limit: int) -> LabError:
    """A folder of runs that holds far more than runs."""
    return LabError(f"{brief(path)} holds more than {limit} files and folders. Name the folder that the runs lie in.")
