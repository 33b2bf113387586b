"""What `lab count` records: counts.json, the lines of counts.jsonl, and footprint.json.

Counts do not depend on how busy a machine is. Equal keys give equal digits; counts of other keys are other experiments.
"""

from collections import Counter
from statistics import median
from typing import Annotated

from msgspec import Meta, Struct

from bench.base import limits
from bench.model.fields import (
    CellText,
    CodecName,
    Count,
    Moment,
    PlatformName,
    Positive,
    RunId,
    Seconds,
    Sha256,
    Text,
    VariantName,
    Version,
    name_of,
)

FOOTPRINT = "footprint.json"
"""The file beside run.json that `lab count --footprint --into` writes."""
COUNTINGS = 5
"""How often a cell is counted whose first two countings differ; the others are counted twice."""

Differences = Annotated[list[Count], Meta(min_length=1, max_length=COUNTINGS)]
"""One number a counting: how much more happens in the process with more repetitions."""
Features = Annotated[list[Annotated[str, name_of("[A-Za-z0-9_.-]+")]], Meta(max_length=100)]
BuildId = Annotated[str, name_of("[0-9a-f]{8,}|static|unknown")]
Tunables = Annotated[str, name_of("[A-Za-z0-9_.,:=+-]*", 1000)]


class Key(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What counts depend on: equal keys give equal digits."""

    sha256: Sha256
    """Of the runner."""
    libc: BuildId
    """Build ID of the C library that the runner is linked with."""
    valgrind: Annotated[str, name_of("[A-Za-z0-9._+-]+")]
    features: Sha256
    """Of all that the C library says of the CPU that valgrind shows it: features, cache sizes, the thresholds that
    follow from them."""
    tunables: Tunables = ""
    """GLIBC_TUNABLES: copies by loops, and masked features."""
    interpreter: Sha256 | None = None
    """Of the interpreter's program, for runners that are scripts."""
    libraries: Sha256 | None = None
    """Of the shared libraries that a compiled runner is started with, if they are more than the C library; None in
    counts of earlier labs."""
    keys: Sha256 | None = None
    """Of the RSA key pair of an encrypted scenario, which each checkout draws for itself."""


class Counted(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """counts.jsonl: the counts of a cell, or why there are none.

    All counts are of `repetitions` repetitions: the difference of two processes of `base` and of `base + repetitions`.
    """

    cell: CellText
    key: Key | None = None
    input_sha256: Sha256 | None = None
    """Of the scenario's input; None in counts of earlier labs."""
    base: Positive | None = None
    repetitions: Positive | None = None
    instructions: Differences | None = None
    """Instructions of user space; None where they could not be counted."""
    mispredictions: Differences | None = None
    """Of cachegrind's simulated predictor of conditional branches and indirect jumps: no real CPU's."""
    unavailable: Text | None = None
    """Why there are no instructions."""
    encoded_bytes: Count | None = None
    """Of one repetition, as the runner says."""
    allocations: Count | None = None
    """Of one repetition in steady state, as the runner says; None if its language cannot count them."""
    allocated_bytes: Count | None = None

    @property
    def instructions_each(self) -> float | None:
        """Instructions of a repetition; the median of the countings, which is the majority's number if there is one."""
        return self._each(self.instructions)

    @property
    def mispredictions_each(self) -> float | None:
        """Simulated mispredictions of a repetition, likewise."""
        return self._each(self.mispredictions)

    @property
    def range_each(self) -> tuple[float, float] | None:
        """Fewest and most instructions of a repetition, if no number is the majority's: then the cell draws randomness.

        A single counting may differ without that, by what a process does once: a runner of files reads the system's
        counters of its own input and output, whose digits depend on what was cached.
        """
        if not self.instructions or not self.repetitions:
            return None
        if 2 * max(Counter(self.instructions).values()) > len(self.instructions):
            return None
        return min(self.instructions) / self.repetitions, max(self.instructions) / self.repetitions

    def _each(self, differences: list[int] | None) -> float | None:
        return float(median(differences)) / self.repetitions if differences and self.repetitions else None


OverNothing = Annotated[int, Meta(ge=-limits.NUMBER, le=limits.NUMBER)]


class CountedRunner(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What is known of a runner's program without running a cell."""

    codec: CodecName
    variant: VariantName = ""
    sha256: Sha256
    text_bytes: Count | None = None
    """Size of its machine code (.text); None for scripts and other formats than ELF."""
    text_over_nothing_bytes: OverNothing | None = None
    """The same less that of the language's control that does nothing: kit and messages are in both."""
    stripped_over_nothing_bytes: OverNothing | None = None
    """Size of all that a process loads of the program, without symbols, likewise less that of the control."""
    packages: Count | None = None
    """Packages from elsewhere that its build compiles; None if it was not asked for, or the language has none."""
    packages_over_nothing: Count | None = None
    """Those of them that the control's build does not have."""
    cpuid: Annotated[list[Text], Meta(max_length=100)] = []
    """Functions of the program, without its C library, that ask the CPU for its features themselves: masking does not
    reach them."""
    compile_s: Seconds | None = None
    """Wall time of a clean build, its dependencies included; None if it was not asked for."""
    compile_jobs: Positive | None = None
    """How many jobs the build tool could run at once."""

    @property
    def name(self) -> str:
        """The codec, with its build if that is not the default."""
        return f"{self.codec} ({self.variant})" if self.variant else self.codec


class Counts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """counts.json: with what was counted. The counts of the cells are in counts.jsonl."""

    protocol: Version
    id: RunId
    created: Moment
    platform: PlatformName
    command: Annotated[list[Text], Meta(max_length=limits.ITEMS)]
    git_commit: Annotated[str, Meta(max_length=limits.NAME)] | None = None
    git_dirty: bool | None = None
    cpu: Text | None = None
    """The machine's CPU. What runners see of it is in `features`."""
    valgrind: Annotated[str, name_of("[A-Za-z0-9._+-]+")] | None = None
    features: Features = []
    """What the C library may use of the CPU that valgrind shows it."""
    masked: Features = []
    """What it was told not to use."""
    unavailable: Text | None = None
    """Why nothing could be counted here: then only sizes, bytes and allocations are known."""
    runners: Annotated[list[CountedRunner], Meta(max_length=limits.ITEMS)] = []
    finished: Moment | None = None


class Footprints(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """footprint.json: what codecs cost before they encode anything, and where their builds were timed."""

    protocol: Version
    created: Moment
    platform: PlatformName
    cpu: Text | None
    git_commit: Annotated[str, Meta(max_length=limits.NAME)] | None
    git_dirty: bool | None
    runners: Annotated[list[CountedRunner], Meta(max_length=limits.ITEMS)]
