"""The code that was measured: a codec's folder in the repository, and its main file."""

import re
from collections.abc import Iterable

from msgspec import Struct

from bench.base import limits
from bench.base.files import is_there, read_text
from bench.base.paths import RUNNERS
from bench.model.record import Run

MAIN_FILES = ("src/main.rs", "main.cpp", "codec.py")
"""What a codec's main file is called in each language."""
MOST_LINES = 200
TAB = 4


class CodecSource(Struct, frozen=True):
    """The main file of a codec as the checkout that writes the page has it."""

    folder: str
    """Below the repository's root."""
    name: str
    """Of the main file, below the folder."""
    text: str


def folder_of(codec: str) -> str:
    """A codec's folder below the repository's root."""
    language, _, name = codec.partition("/")
    return f"runners/{language}/codecs/{name}"


def source_of(codec: str) -> CodecSource | None:
    """The main file of a codec; None if this checkout does not have the codec."""
    language, _, name = codec.partition("/")
    home = RUNNERS / language / "codecs" / name
    main = next((name for name in MAIN_FILES if is_there(home / name)), None)
    if main is None:
        return None
    lines = read_text(home / main, limits.TEXT_BYTES, links=True).expandtabs(TAB).splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more lines"]
    return CodecSource(folder_of(codec), main, "\n".join(lines))


def commit_of(run: Run) -> str | None:
    """The commit at which a run was recorded, if it says so as a commit is written."""
    known = run.provenance.get("git_commit")
    return known if isinstance(known, str) and re.fullmatch("[0-9a-f]{40}", known) else None


def folder_at(codec: str, run: Run) -> str:
    """The folder as a page names it, with the commit at which it was measured."""
    known = commit_of(run)
    return f"{folder_of(codec)} at {known[:12]}" if known else folder_of(codec)


def folder_links(repository: str, codecs: Iterable[str], runs: Iterable[Run]) -> dict[str, str]:
    """Folder as a page names it → its address in a repository on the web; none without a repository or commit."""
    commits = [(run, known) for run in runs if repository and (known := commit_of(run))]
    return {
        folder_at(codec, run): f"{repository}/tree/{known}/{folder_of(codec)}"
        for codec in codecs
        for run, known in commits
    }
