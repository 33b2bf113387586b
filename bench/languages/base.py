"""What the driver asks of a language."""

from pathlib import Path
from typing import Protocol

from bench.model import RunnerEntry
from bench.paths import RUNNERS


class Language(Protocol):
    """A language that runners are written in."""

    name: str
    lanes: int
    """How many codecs may be built side by side; every so many-th folder is of the same lane, always."""

    def codec_folders(self) -> list[Path]:
        """The folders of this language's codecs, sorted; the folder's name is the codec's."""
        ...

    def sources(self) -> list[Path]:
        """Every file that a build depends on."""
        ...

    def settings(self) -> dict[str, str]:
        """Everything else that a build depends on: compiler version, flags."""
        ...

    def build(self, folder: Path) -> RunnerEntry:
        """Builds one codec. What does not build is an entry with the reason; missing tools raise LabError."""
        ...

    def lock_files(self) -> list[Path]:
        """The lock files that pin the measured libraries."""
        ...


def folders_below(language: str, marker: str) -> list[Path]:
    """The codec folders of a language: those that hold the file `marker`."""
    return sorted(path.parent for path in (RUNNERS / language / "codecs").glob(f"*/{marker}"))
