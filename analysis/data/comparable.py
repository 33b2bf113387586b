"""Which runs may share a column, and which differences between two runs affect a comparison."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from analysis.base import problems as errors
from analysis.base.text import count, significant
from analysis.data.shards import check_shards
from bench.base.errors import LabError
from bench.model.description import PUBLISHED_TYPES, runner_name
from bench.model.plan import Profile
from bench.model.record import Run
from bench.scenarios.sets import set_name

MEASURING = "standard or published"
"""The profiles whose runs of a scenario may stand side by side."""


class Difference(Struct, frozen=True):
    """A field in which two runs differ, and how that limits conclusions."""

    field: str
    one: str
    other: str
    forbids: str


def _cpu(name: str) -> Callable[[Run], str]:
    return lambda run: str((run.environment.get("cpu") or {}).get(name, UNKNOWN))


def _environment(name: str) -> Callable[[Run], str]:
    return lambda run: str(run.environment.get(name))


UNKNOWN = "not recorded"
"""A run that does not say a part of its processor may have had another one than a run that does."""
CPU_PARTS = (
    "model",
    "family",
    "model_number",
    "stepping",
    "microcode",
    "cache_bytes",
    "l2_cache_bytes",
    "l3_cache_bytes",
)
"""What makes two processors the same: one marketing name covers several generations."""
CALIBRATION_SHIFT = 0.05
"""Canaries that differ by more than this in two calibrations say that the machine's speed changed."""
OTHER_MACHINE = "times of two machines cannot be compared; only ratios to a control are"
FIELDS: tuple[tuple[str, Callable[[Run], str], str], ...] = (
    *((f"environment.cpu.{name}", _cpu(name), OTHER_MACHINE) for name in CPU_PARTS),
    ("platform", lambda run: run.platform, OTHER_MACHINE),
    (
        "provenance.toolchain",
        lambda run: str(run.provenance.get("toolchain")),
        "a difference may be the toolchain's and not the codec's",
    ),
    ("environment.os", _environment("os"), "a difference may be the system's and not the codec's"),
    ("environment.governor", _environment("governor"), "the processor may have run at different frequencies"),
    ("environment.turbo", _environment("turbo"), "the processor may have run at different frequencies"),
    ("environment.virtualization", _environment("virtualization"), "a difference may be the virtual machine's"),
    (
        "plan.profile",
        lambda run: run.plan.profile.value,
        "loops of different lengths train caches and branch predictors differently",
    ),
)
MACHINE_FIELDS = (*(f"environment.cpu.{name}" for name in CPU_PARTS), "platform")


def system_of(run: Run) -> tuple[str, str]:
    """Microcode and toolchain: two owners of one processor may have different ones."""
    return _cpu("microcode")(run), str(run.provenance.get("toolchain"))


def differences(one: Run, other: Run) -> tuple[Difference, ...]:
    """All differences between two runs that affect what their comparison means."""
    fields = [
        Difference(field, value(one), value(other), forbids)
        for field, value, forbids in FIELDS
        if value(one) != value(other)
    ]
    return (*fields, *_calibrations(one, other), *_builds(one, other))


def other_machine(known: Iterable[Difference]) -> bool:
    """Whether the machines differ, so that only ratios to a control can be compared."""
    return any(difference.field in MACHINE_FIELDS for difference in known)


def _calibrations(one: Run, other: Run) -> list[Difference]:
    """The canaries that both runs were calibrated by and that ran at clearly different speeds."""
    result = []
    for kernel in sorted(one.calibration.keys() & other.calibration.keys()):
        ns, theirs = (run.calibration[kernel].percentile_2_ns for run in (one, other))
        if abs(theirs - ns) > CALIBRATION_SHIFT * ns:
            forbids = (
                f"the machine ran at ×{significant(theirs / ns)} of the time for the same work, whatever the codecs did"
            )
            result.append(Difference(f"calibration of {kernel}", f"{count(ns)} ns", f"{count(theirs)} ns", forbids))
    return result


def _builds(one: Run, other: Run) -> list[Difference]:
    """Differences between binaries, by cause: library, compiler, or the lab's own code."""
    result = []
    versions, others = _versions(one), _versions(other)
    for codec in sorted(versions.keys() & others.keys()):
        if versions[codec] != others[codec]:
            result.append(
                Difference(f"library of {codec}", versions[codec], others[codec], "its change may be the library's")
            )
    compilers = {codec: str(text) for codec, text in one.provenance.get("compilers", {}).items()}
    changed = [
        (text, str(other.provenance["compilers"][codec]))
        for codec, text in sorted(compilers.items())
        if other.provenance.get("compilers", {}).get(codec, text) != text
    ]
    if changed:
        forbids = f"{len(changed)} codecs were compiled differently; their change may be the compiler's"
        result.append(Difference("provenance.compilers", *changed[0], forbids))
    binaries, theirs = _binaries(one), _binaries(other)
    common = binaries.keys() & theirs.keys()
    if rebuilt := sorted(codec for codec in common if binaries[codec] != theirs[codec]):
        listed = ", ".join(rebuilt[:3]) + (f" and {len(rebuilt) - 3} more" if len(rebuilt) > 3 else "")
        result.append(
            Difference(
                "plan.cells.sha256",
                str(one.provenance.get("git_commit")),
                str(other.provenance.get("git_commit")),
                f"different binaries of {listed}: their change may come from the code, the compiler or the layout",
            )
        )
    return result


def _versions(run: Run) -> dict[str, str]:
    return {p.cell.codec: f"{p.library} {p.version}" for p in run.plan.cells if p.library}


def _binaries(run: Run) -> dict[str, str]:
    """Runner → SHA-256 of its program: codec, build variant and set of types."""
    sets = {scenario.name: set_name(scenario) for scenario in run.scenarios}
    return {
        runner_name(p.cell.codec, p.variant, sets.get(p.cell.scenario, PUBLISHED_TYPES)): p.sha256
        for p in run.plan.cells
        if p.sha256
    }


def _platform(run: Run) -> str:
    return run.platform


def check_mixable(runs: Sequence[Run], column: Callable[[Run], str] = _platform) -> None:
    """Raises LabError, naming the field, if the runs must not share a column; `column` says which is a run's.

    A scenario must have the same input on all platforms. On one platform all runs must have the same processor (model,
    family, stepping, microcode, caches), the same toolchain and the same binary of each codec and build; a scenario's
    runs must all be quick ones, or none; shards must be parts of one plan. Where columns are machines, this holds for
    each, and shards, which are parts of one table, still for their platform.
    """
    inputs: dict[str, tuple[str, Run]] = {}
    in_column: dict[tuple[str, str], tuple[str, Run]] = {}

    def same(field: str, value: str, run: Run) -> None:
        for name in {column(run), run.platform} if run.plan.shard else {column(run)}:
            first, holder = in_column.setdefault((name, field), (value, run))
            if first != value:
                raise _not_mixable(field, (holder, first), (run, value), name)

    for run in runs:
        for scenario in run.scenarios:
            first, holder = inputs.setdefault(scenario.name, (scenario.input.sha256, run))
            if first != scenario.input.sha256:
                field = f"scenarios.{scenario.name}.input.sha256"
                raise _not_mixable(field, (holder, first), (run, scenario.input.sha256), "one scenario")
            if run.plan.profile is not Profile.UNTIMED:  # it brings no times into a column
                profile = MEASURING if run.plan.profile.is_timed else run.plan.profile.value
                same(f"plan.profile of {scenario.name}", profile, run)
        for name in CPU_PARTS:
            same(f"environment.cpu.{name}", _cpu(name)(run), run)
        same("provenance.toolchain", str(run.provenance.get("toolchain")), run)
        for name, compiler in sorted(run.provenance.get("compilers", {}).items()):
            same(f"provenance.compilers of {name}", str(compiler), run)
        for codec, binary in sorted(_binaries(run).items()):
            same(f"plan.cells.sha256 of {codec}", binary, run)
    for platform in sorted({run.platform for run in runs}):
        check_shards([run for run in runs if run.platform == platform])


def _not_mixable(field: str, one: tuple[Run, str], other: tuple[Run, str], where: str) -> LabError:
    """Two runs, each with its value of a field, that no column of `where` may mix."""
    return errors.not_mixable(field, run=one[0].id, value=one[1], other_run=other[0].id, other=other[1], where=where)
