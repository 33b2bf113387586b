"""A runner's description of itself, and the manifest of a build's runners."""

from typing import Annotated

from msgspec import Meta, Struct, field

from bench.model.cells import Conditions, ControlRole, Operation
from bench.model.fields import CodecName, FormatName, LibraryName, LibraryVersion, Sha256, Text, Version
from bench.model.offers import AnyCommand, Feature

PUBLISHED_TYPES = "published"
"""The set of types that is compiled into every runner unless another one is asked for."""


class OfferedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell as its runner declares it."""

    scenario: str
    operation: Operation
    conditions: Conditions


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
    any: list[AnyCommand] = []
    """What it does with values of any type, by `--type any`: nothing where bytes do not say what they hold."""
    probes: list[str] = []
    """The probes that `fidelity --probe` supports."""
    role: ControlRole | None = None
    """A control's role in tables and charts; None for codecs."""
    canary: Text | None = None
    """The kernel of its canary. Runners that name the same kernel run the same machine code, unless it is portable."""
    cannot: dict[Feature, Text] = {}
    """What a type may not have, and why: the codec offers no type with it."""
    instead: dict[Feature, Text] = {}
    """What a type has only in another shape: what is written in its place."""
    identical: dict[Operation, CodecName] = {}
    """Operation → a codec whose code for it is the same, call by call: together they show the noise (A/A)."""


class RunnerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One runner in the manifest of a build: what was built, from which sources, or why it could not be built."""

    codec: str
    command: Annotated[list[str], Meta(min_length=1)]
    library: str | None
    version: str | None
    """The version that the lock file pins; a runner that reports a different one is refused."""
    sha256: Sha256 | None
    unavailable: str | None = None
    program: str | None = None
    """The file that sha256 belongs to, if that is not the first word of the command."""
    environment: dict[str, str] = {}
    """Variables that the runner must see; an empty one counts as not set."""
    identity: dict[str, str] = {}
    """If it was built elsewhere, what identifies the build: a store path, or a hash of all its files."""
    variant: str = ""
    """Which of a codec's builds it is; empty for the default build."""
    source: str | None = None
    """The origin of the measured library's source, if no lock file names it."""
    inputs: str = ""
    """SHA-256 over what the codec was built from: it is built again when that changes. Empty if built elsewhere."""
    types: str = PUBLISHED_TYPES
    """The set of types that it was compiled with: one program is one codec and one set."""

    @property
    def name(self) -> str:
        """The codec, with its build and its set of types if these are not the default."""
        return runner_name(self.codec, self.variant, self.types)


def runner_name(codec: str, variant: str, types: str) -> str:
    """How messages and records name a runner: `language/codec (native)`."""
    words = ", ".join(filter(None, [variant, f"types of {types}" if types != PUBLISHED_TYPES else ""]))
    return f"{codec} ({words})" if words else codec


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """The builds of every codec, in languages that have a choice."""

    cpus: Annotated[list[Annotated[str, Meta(pattern="^[a-z0-9._-]+$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["baseline"]
    )
    """Values of the condition `build`."""
    compilers: Annotated[list[Annotated[str, Meta(pattern="^(zig|system)$")]], Meta(min_length=1)] = field(
        default_factory=lambda: ["zig"]
    )
    """Values of the condition `compiler`."""
    as_published: bool = False
    """Whether Rust runners are also built with Cargo's default profile (`build=as-published`)."""


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The runners that are built and up to date."""

    protocol: Version
    toolchain: Annotated[str, Meta(pattern="^(host|nix|image)$")]
    fingerprint: str
    """SHA-256 over sources, lock files, toolchain and flags of all codecs, built or not."""
    runners: list[RunnerEntry]
    """Sorted by codec and variant."""
    wanted: Wanted = Wanted()
