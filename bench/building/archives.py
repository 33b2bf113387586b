"""Unpacks tar archives whose hash was checked."""

import tarfile
from pathlib import Path


def extract(archive: Path, folder: Path) -> None:
    """Unpacks an archive into a folder. Raises tarfile.TarError, OSError.

    Python's filter, new in 3.11.4, writes nothing outside the folder. Older versions go without it, since the hash
    of every archive that the lab unpacks is pinned.
    """
    with tarfile.open(archive) as files:
        if hasattr(tarfile, "data_filter"):
            files.extractall(folder, filter="data")
        else:
            files.extractall(folder)
