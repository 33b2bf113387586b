"""Whether a run's numbers can be those of a machine: held against its own controls, clocks and processor.

No check proves that a run was measured. Each finds a mistake or an invention that would otherwise stand in a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from analysis.base.text import significant
from analysis.data.cells import RunCells, ScenarioCells, Series
from analysis.data.inference import time_of
from analysis.data.select import choose, limit_of
from bench.model.cells import ControlRole, Operation
from bench.model.record import Run

Sizes = Mapping[tuple[str, str, str, str], tuple[int, str]]
"""(Cell, library, version, commit of the lab) → (encoded bytes, the run that says so)."""

BELOW_NOTHING = 0.8
"""A codec that takes less than this share of the time of doing nothing did not do its work."""
COPY_GB_S = (0.005, 2_000.0)
"""Bandwidth of a copy: the least is a short message copied from Python, the most is beyond any first-level cache."""
CANARY_NS = (50_000, 10_000_000)
"""The canary takes 0.4 ms at 3 GHz."""
CANARY_SHIFT = 2.0
"""A run whose canaries took so many times as long, or as short, as its calibration was not calibrated there."""
CLOCK_TOLERANCE = 0.95
"""A process takes at least this share of what its own loops say."""
CLOCK_SKEW = timedelta(days=1)
"""By how much the clocks of two machines may differ."""
NEEDED = {
    "x86_64": ({"sse2"}, {"neon", "asimd", "sve"}),
    "aarch64": (set[str](), {"sse2", "avx", "avx2", "avx512f"}),
}
"""Architecture → features that each of its processors has, and that none has."""
BUILDS = {"x86-64-v3": {"avx2", "bmi2", "fma"}, "x86-64-v4": {"avx512f", "avx512bw", "avx512vl"}}
"""Builds for another processor → the features that running them takes."""
VENDORS = {"intel": "GenuineIntel", "amd": "AuthenticAMD"}


def implausible(cells: RunCells, known: Sizes, now: datetime) -> list[str]:
    """What cannot be, one sentence each; `known` are sizes in runs of other machines, `now` the time, with its zone."""
    found = [*_processor(cells.run), *_canaries(cells), *_calendar(cells, now)]
    for scenario in cells.scenarios:
        found += [*_controls(scenario), *_clocks(scenario), *_other_sizes(scenario, known, _commit(cells))]
    return found


def sizes_of(runs: Sequence[RunCells]) -> dict[tuple[str, str, str, str], tuple[int, str]]:
    """The encoded bytes that runs agree or disagree about; of several the first counts."""
    sizes: dict[tuple[str, str, str, str], tuple[int, str]] = {}
    for cells in runs:
        for scenario in cells.scenarios:
            for series in scenario.series.values():
                if series.encoded_bytes and not series.planned.control:
                    sizes.setdefault(_sized(series, _commit(cells)), (series.encoded_bytes, cells.run.id))
    return sizes


def _commit(cells: RunCells) -> str:
    return str(cells.run.provenance.get("git_commit"))


def _sized(series: Series, commit: str) -> tuple[str, str, str, str]:
    """What a message's size follows from: at another commit the lab may have another schema."""
    return str(series.cell), series.planned.library or "", series.planned.version or "", commit


def _other_sizes(scenario: ScenarioCells, known: Sizes, commit: str) -> Iterator[str]:
    for series in scenario.series.values():
        here, other = series.encoded_bytes, known.get(_sized(series, commit))
        if here and other and not series.planned.control and other[0] != here:
            yield f"{series.cell}: {here} encoded bytes, but {other[0]} in {other[1]} with the same library and commit"


def _controls(scenario: ScenarioCells) -> Iterator[str]:
    """Nothing is faster than doing nothing, and a copy moves bytes at a speed that memory has."""
    chosen = choose(scenario)
    sizes = [one.encoded_bytes for own in chosen.values() for one in own.values() if one.encoded_bytes]
    for series in scenario.series.values():
        if not series.planned.control:
            yield from _below_nothing(series, chosen, series.cell.operation)
    for codec, operations in chosen.items():
        for operation, series in operations.items():
            if series.planned.role is ControlRole.COPY and sizes and (ns := _ns(series)):
                slowest, fastest = max(sizes) / ns, min(sizes) / ns
                if slowest < COPY_GB_S[0] or fastest > COPY_GB_S[1]:
                    yield f"{codec} {scenario.scenario.name} {operation}: copies {significant(fastest)} GB/s"


def _below_nothing(
    series: Series, chosen: Mapping[str, Mapping[Operation, Series]], operation: Operation
) -> Iterator[str]:
    language = series.cell.codec.partition("/")[0]
    controls = {
        name: own[operation]
        for name, own in chosen.items()
        if operation in own and own[operation].planned.control and name.partition("/")[0] == language
    }
    nothing = limit_of(series.cell.codec, controls, ControlRole.NOTHING)
    floor, own = _ns(nothing), _ns(series)
    if nothing is not None and floor and own and own < BELOW_NOTHING * floor:
        yield f"{series.cell}: {significant(own)} ns, where doing nothing takes {significant(floor)} ns"


def _ns(series: Series | None) -> float | None:
    time = time_of(series) if series is not None else None
    return None if time is None else time.point


def _clocks(scenario: ScenarioCells) -> Iterator[str]:
    """A process, which hyperfine timed, contains the loops that it timed itself."""
    for series in scenario.series.values():
        longer = series.process_ns >= CLOCK_TOLERANCE * series.timed_ns
        if not longer.all():  # a process without a time is none
            yield f"{series.cell}: in {int((~longer).sum())} rounds the process took less time than the loops within it"


def _calendar(cells: RunCells, now: datetime) -> Iterator[str]:
    """What was measured one after another fits between the run's beginning and its end, which is over."""
    run = cells.run
    if run.finished is None:
        return
    try:
        created, finished = map(datetime.fromisoformat, (run.created, run.finished))
    except ValueError as error:
        yield f"created, finished: {error}"
        return
    if finished > now + CLOCK_SKEW:
        yield f"finished: {run.finished} is still to come"
    if finished < created:
        yield f"finished: {run.finished} is before {run.created}, when it was created"
        return
    elapsed = (finished - created).total_seconds()
    spent = sum(
        float(one.process_ns[one.process_ns > 0].sum()) / 1e9 for own in cells.scenarios for one in own.series.values()
    )
    if elapsed < CLOCK_TOLERANCE * spent:
        yield f"its processes took {spent:.0f} s, but it was finished {elapsed:.0f} s after it was created"


def _canaries(cells: RunCells) -> Iterator[str]:
    low, high = CANARY_NS
    for kernel, one in sorted(cells.run.calibration.items()):
        if not low <= one.percentile_2_ns <= high or one.median_ns < one.percentile_2_ns:
            yield f"calibration of {kernel}: {one.percentile_2_ns} ns, median {one.median_ns} ns"
    for scenario in cells.scenarios:
        for kernel, reference in sorted(scenario.references.items()):
            calibrated = cells.run.calibration.get(kernel)
            ratio = reference.ns / calibrated.percentile_2_ns if calibrated and calibrated.percentile_2_ns else 1.0
            if not 1 / CANARY_SHIFT <= ratio <= CANARY_SHIFT:
                name = scenario.scenario.name
                yield f"{name}: canaries of {kernel} took ×{significant(ratio)} of the calibration's time"


def _processor(run: Run) -> Iterator[str]:
    cpu = run.environment.get("cpu") or {}
    told = cpu.get("features")
    features = {str(one) for one in told} if isinstance(told, list) else set()
    architecture = run.platform.rpartition("-")[2]
    needed, foreign = NEEDED.get(architecture, (set(), set()))
    if features and (missing := needed - features):
        yield f"environment.cpu.features: {architecture} without {', '.join(sorted(missing))}"
    if alien := foreign & features:
        yield f"environment.cpu.features: {', '.join(sorted(alien))} on {architecture}"
    builds = {one.cell.conditions.build for one in run.plan.cells if one.blocked is None}
    for build, wanted in BUILDS.items():
        if build in builds and features and (missing := wanted - features):
            yield f"build={build} was measured on a processor without {', '.join(sorted(missing))}"
    model, vendor = str(cpu.get("model")).lower(), cpu.get("vendor")
    for word, name in VENDORS.items():
        if word in model.replace("(", " ").split() and vendor not in (None, name):
            yield f"environment.cpu: the vendor of {cpu.get('model')!r} is {vendor!r}"
