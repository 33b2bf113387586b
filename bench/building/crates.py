"""A crate's source: downloaded by Cargo, and used only if it has the SHA-256 that the repository pins."""

import os
import tarfile
from io import BytesIO
from pathlib import Path

from msgspec import Struct

from bench.base import errors, paths
from bench.base.files import sha256_of
from bench.base.programs import captured


class Crate(Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of bench/pins/tools.toml."""

    crate: str
    version: str
    sha256: str
    """The hash of the .crate file."""
    profile: str = "release"
    program: str | None = None
    """The folder of its C++ sources, where these are what the lab compiles."""
    main: str = ""
    """The lab's own file with its `main`, from the top of the checkout."""
    files: tuple[str, ...] = ()
    """Those of its C++ sources that this needs."""


def unpack(pin: Crate, folder: Path, pins: Path = paths.TOOL_PINS) -> Path:
    """Unpacks the pinned source below `folder` and returns its folder. `pins`: the file that pins it.

    Raises LabError if it is missing or differs.
    """
    extract(archive_of(pin, pins), folder)
    return folder / f"{pin.crate}-{pin.version}"


def archive_of(pin: Crate, pins: Path = paths.TOOL_PINS) -> Path:
    """The .crate in Cargo's cache as the file `pins` pins it, downloaded by Cargo if need be. Raises LabError."""
    archives = _cached(pin)
    if not archives:
        # Cargo uses the user's proxy and mirror; no code of the crate runs.
        command = ["cargo", "info", "--quiet", "--color=never", f"{pin.crate}@{pin.version}"]
        try:
            done = captured(command, cwd=paths.ROOT)
        except FileNotFoundError:
            raise errors.missing_tool("cargo", "Install rustup; `./lab doctor` says all that is missing.") from None
        archives = _cached(pin)
        if not archives:
            advice = "It needs the Rust package index once."
            raise errors.tool_failed(f"fetching {pin.crate}", command, done.returncode, done.stderr, advice)
    if good := next((path for path in archives if sha256_of(path) == pin.sha256), None):
        return good
    raise errors.other_source(archives[0], sha256_of(archives[0]), pin.sha256, pins)


def _cached(pin: Crate) -> list[Path]:
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    return sorted((home / "registry" / "cache").glob(f"*/{pin.crate}-{pin.version}.crate"))


def extract(archive: Path | BytesIO, folder: Path) -> None:
    """Unpacks an archive whose hash was checked into a folder. Raises tarfile.TarError, OSError.

    Python's filter, new in 3.11.4, writes nothing outside the folder. Older versions go without it, since the hash
    of every archive that the lab unpacks is pinned, or it was made with the runner that it lies beside.
    """
    opened = tarfile.open(fileobj=archive) if isinstance(archive, BytesIO) else tarfile.open(archive)  # noqa: SIM115
    with opened as files:
        if hasattr(tarfile, "data_filter"):
            files.extractall(folder, filter="data")
        else:
            files.extractall(folder)
