"""What a runner says of itself, and the manifest that lists the runners of a build."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from bench.model.cells import Conditions, Operation
from bench.model.fields import CodecName, FormatName, LibraryName, LibraryVersion, Sha256, Text, Version


class OfferedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell as its runner declares it."""

    scenario: str
    operation: Operation
    conditions: Conditions


class ControlRole(StrEnum):
    """What a control does in place of serializing."""

    COPY = "copy"
    """It copies the bytes of the value: no codec can be much faster."""
    CLONE = "clone"
    """It makes a deep copy of the value in memory."""
    NOTHING = "nothing"
    """It does no work: what remains is the cost of the loop."""


class Description(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to `describe`."""

    protocol: Version
    codec: CodecName
    format: FormatName
    library: LibraryName | None
    version: LibraryVersion | None
    language: Text
    compiler: Text
    flags: Text
    control: bool
    self_describing: bool
    cells: list[OfferedCell]
    batch: bool = False
    """Whether `decode --batch` takes many messages in one process."""
    probes: list[str] = []
    """What `fidelity --probe` can be asked about."""
    role: ControlRole | None = None
    """What a control stands for in tables and charts; None for codecs."""


class RunnerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One runner in the manifest of a build: what was built from what, or why it could not be."""

    codec: str
    command: Annotated[list[str], Meta(min_length=1)]
    library: str | None
    version: str | None
    """The version that the lock file pins; a runner that says another is refused."""
    sha256: Sha256 | None
    unavailable: str | None = None
    program: str | None = None
    """The file that sha256 is of, where it is not the first word of the command."""
    environment: dict[str, str] = {}
    """Variables that the runner must see; an empty one counts as not set."""
    identity: dict[str, str] = {}
    """Where it was built elsewhere, what tells its build from others: a store path, a hash of all its files."""
    variant: str = ""
    """Which of a codec's builds it is; empty for the one that every build of the lab makes."""
    source: str | None = None
    """Where the source of the measured library came from, where a lock file does not say it."""

    @property
    def name(self) -> str:
        """The codec, and which build of it where it is not the one that every lab has."""
        return f"{self.codec} ({self.variant})" if self.variant else self.codec


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """What every codec is built for, where its language has the choice."""

    cpus: Annotated[list[Annotated[str, Meta(pattern="^[a-z0-9._-]+$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["baseline"]
    )
    """Values of the condition `build`."""
    compilers: Annotated[list[Annotated[str, Meta(pattern="^(zig|system)$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["zig"]
    )
    """Values of the condition `compiler`."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """All runners of a build."""

    protocol: Version
    toolchain: Annotated[str, Meta(pattern="^(host|nix|image)$")]
    fingerprint: str
    """SHA-256 over sources, lock files, toolchain and flags: a build is repeated when it changes."""
    runners: list[RunnerEntry]
    """Sorted by codec and variant."""
    wanted: Wanted = Wanted()
