"""A run as it is submitted: the files that readers use, no other, and the hashes of what they hold."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypeVar

from msgspec import Struct

from analysis.base import problems as errors
from analysis.data.machines.privacy import json_without_names, told_names, without_names
from analysis.data.machines.run_paths import machine_name
from bench.base.files import is_there, open_regular, read_text, write_json, written
from bench.base.protocol import PROTOCOL
from bench.counting.counts_folder import HEAD, LINES
from bench.model.counts import FOOTPRINT
from bench.model.fields import Count, RunId, Sha256, Text, Version
from bench.model.findings import DATA_FILE, Fidelity, Fuzzing
from bench.model.proof import conformance, document_sizes, evolved
from bench.model.record import Run
from bench.proof import fidelity, fuzz
from bench.proof.upstream import public, public_conformance, public_evolution, public_fidelity
from bench.records.run_file import PROCESSES, RUN, SAMPLES, VERIFICATION, read_fuzzing
from bench.records.stored_files import (
    SUFFIX,
    compressed,
    is_stored,
    open_stored,
    read_stored,
    sha256_of_stored,
    stored_path,
)

T = TypeVar("T")
FILE = "submission.json"
TRANSFERS, REMARKS = "network.jsonl", "remarks.txt"
PLAIN = (TRANSFERS, REMARKS)
"""Files of a run that are packed as they are, but for names; each is there or not."""
DOCUMENTS = (
    RUN,
    VERIFICATION,
    HEAD,
    LINES,
    fidelity.FILE,
    evolved.FILE,
    conformance.FILE,
    document_sizes.FILE,
    FOOTPRINT,
)
"""Files that are packed compressed and without names: a plan of ten thousand cells shrinks to a seventieth."""
LINE_FILES = {SAMPLES: None, PROCESSES: b'"error"', fuzz.FILE: b""}
"""Files that are packed compressed, line by line → what marks those of their lines that may quote a path."""
COMPRESSED = (*DOCUMENTS, *LINE_FILES)
PACKED = (FILE, *PLAIN, *(f"{name}{SUFFIX}" for name in COMPRESSED))
"""The files that a submitted run may hold."""
MACHINE_BYTES = 25_000_000
"""What all runs of a machine may take together."""


class Submission(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """submission.json: what was packed."""

    protocol: Version
    run: RunId
    machine: Text
    """The folder of its machine below results/."""
    sha256: dict[Text, Sha256]
    """File, by its name in a run folder → SHA-256 of what it holds, for samples and processes of the lines
    uncompressed: so it can be compared with a folder that was never packed."""
    bytes: Count
    """Of all files but this one, as they are stored."""
    workflow: Text | None = None
    """The repository whose workflow recorded it, and may replace it by a newer run; None for a run that stays."""


def pack(source: Path, run: Run, folder: Path, names: Mapping[str, str], workflow: str | None = None) -> Submission:
    """Writes the packed files of a run into a new folder. The same run gives the same bytes.

    Raises LabError for a trial of a user's own data, and for files that cannot be read.
    """
    if is_there(source / DATA_FILE):
        raise errors.own_data(source)
    told = told_names(run, names)
    for name in PLAIN:
        if is_there(source / name):
            text = read_text(source / name, links=False)
            clean = without_names(text, told) if name == REMARKS else json_without_names(text, told)
            (folder / name).write_bytes(clean.encode())
    for name in DOCUMENTS:
        if is_stored(source, name):
            text = (
                SHOWN[name](source)
                if name in SHOWN
                else read_text(stored_path(source, name), links=False, opened=open_stored)
            )
            _write(BytesIO(json_without_names(text, told).encode()), folder / f"{name}{SUFFIX}")
    for name, mark in LINE_FILES.items():
        if name != fuzz.FILE:
            _squeeze(stored_path(source, name), folder / f"{name}{SUFFIX}", mark, told)
    if fuzzing := read_fuzzing(source):
        _pack_findings(fuzzing, folder, told)
    submission = Submission(
        protocol=PROTOCOL,
        run=run.id,
        machine=machine_name(run),
        sha256=hashes_of(folder),
        bytes=bytes_of(folder),
        workflow=workflow,
    )
    write_json(folder / FILE, submission)
    return submission


def _without(name: str, kind: type[T], public_form: Callable[[T], T]) -> Callable[[Path], str]:
    """A function from a run to the text of one of its files without what is withheld."""

    def shown(source: Path) -> str:
        held = read_stored(source, name, kind)
        assert held is not None  # it is asked only of runs with the file
        return written(public_form(held)).decode()

    return shown


SHOWN: Mapping[str, Callable[[Path], str]] = {
    conformance.FILE: _without(conformance.FILE, conformance.Conformance, public_conformance),
    fidelity.FILE: _without(fidelity.FILE, Fidelity, public_fidelity),
    evolved.FILE: _without(evolved.FILE, evolved.Evolution, public_evolution),
}
"""Files that may tell of a crash → their text without it."""


def _pack_findings(fuzzing: Fuzzing, folder: Path, told: Mapping[str, str]) -> None:
    """What `lab fuzz` found, without what is withheld."""
    shown = folder / f"{fuzz.FILE}.shown"
    write_json(shown, public(fuzzing))
    try:
        _squeeze(shown, folder / f"{fuzz.FILE}{SUFFIX}", LINE_FILES[fuzz.FILE], told)
    finally:
        shown.unlink()


def hashes_of(folder: Path) -> dict[str, str]:
    """File → SHA-256 of what it holds, uncompressed."""
    paths = {name: stored_path(folder, name) for name in (*PLAIN, *COMPRESSED)}
    return {name: sha256_of_stored(path) for name, path in sorted(paths.items()) if is_there(path)}


def bytes_of(folder: Path) -> int:
    """What the files of a packed run take, but for submission.json."""
    return sum(path.lstat().st_size for path in folder.iterdir() if path.name != FILE)


def _squeeze(source: Path, target: Path, mark: bytes | None, told: Mapping[str, str]) -> None:
    """Compresses lines; those with the mark are freed of names."""
    freed = target.with_suffix("")
    try:
        with open_stored(source) as lines, freed.open("wb") as file:
            for line in lines:
                mends = mark is not None and mark in line
                file.write(json_without_names(line.decode(), told).encode() if mends else line)
        with open_regular(freed) as plain:
            _write(plain, target)
    finally:
        freed.unlink(missing_ok=True)


def _write(content: BinaryIO, target: Path) -> None:
    """Writes a stream compressed."""
    with target.open("wb") as packed:
        compressed(content, packed.write)
