"""The words above and below the tables: what was done, how much of it is noise, and what is odd about a cell."""

import shlex
from collections.abc import Callable, Iterable

from msgspec import Struct

from analysis.base.text import bounds, count, heading, one_line, percent, plural, significant
from analysis.data.select import Twin
from analysis.statistics.intervals import LEAST_ROUNDS
from analysis.statistics.ratios import is_tie
from analysis.tables.form import PublishedForm, Timing
from analysis.tables.items import ItemSection
from analysis.tables.variants import Beside
from bench.measuring.profiles import rounds_of
from bench.model.plan import Profile
from bench.model.record import Run
from bench.model.scenario import TableForm

MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")


class Footnote(Struct, frozen=True):
    """A mark at a cell, when it stands there, and what the note under the table says of the cell."""

    mark: str
    meaning: str
    applies: Callable[[Timing], bool]
    numbers: Callable[[Timing], str]


def clock_numbers(timing: Timing) -> str:
    """By how much the two clocks disagree."""
    check = timing.clocks
    assert check is not None
    return (
        f"{check.difference_ns / 1e6:+.1f} ms beside a loop of {significant(check.loop_ns / 1e6)} ms "
        f"({check.difference_ns / check.loop_ns:+.0%}, {plural(check.rounds, 'round')})"
    )


def outlier_numbers(timing: Timing) -> str:
    """In which rounds, counted from 1."""
    return f"round {', '.join(str(number + 1) for number in timing.outlier_rounds)}"


def factor_numbers(timing: Timing) -> str:
    """The codec's factor and that of its peers."""
    effect = timing.compiler
    assert effect is not None
    return f"×{significant(effect.own.point)} by compiler={effect.compiler}, its peers ×{significant(effect.peers)}"


FOOTNOTES = (
    Footnote(
        "†", "suspect: process less start-up less timed loop should be 0, and is", lambda t: t.suspect, clock_numbers
    ),
    Footnote(
        "‡", "pre-empted, CPU time is well below wall time", lambda t: t.preempted, lambda t: percent(t.cpu_share)
    ),
    Footnote("°", "outliers, labelled and kept", lambda t: bool(t.outlier_rounds), outlier_numbers),
    Footnote(
        "¶",
        "the compiler changes it more than its peers by over 20 %",
        lambda t: t.compiler is not None,
        factor_numbers,
    ),
    Footnote("§", "not the published conditions", lambda t: bool(t.other_conditions), lambda t: t.other_conditions),
)
CLOCK_FOOTNOTES = FOOTNOTES[:2]
"""Those that matter for a ratio."""


def warnings(form: PublishedForm, run: Run) -> tuple[str, ...]:
    """What a reader must know before reading a number."""
    found = []
    if run.plan.profile is Profile.QUICK:
        found.append("This is a quick run: it proves that everything works. Its numbers mean nothing.")
    if run.finished is None:
        found.append("The run is not finished: complete it with `./lab bench --resume`.")
    if form.rounds_whole < form.rounds_planned:
        used = f"{form.rounds_whole} of {form.rounds_planned} rounds"
        found.append(f"Only {used} of this scenario are whole; the others are left out.")
    return tuple(found)


def under_published(form: PublishedForm, run: Run) -> tuple[str, ...]:
    """All that stands under the published table."""
    return (
        method(form, run),
        ranking(form),
        *comparison(form),
        *_below(form),
    )


def _below(form: PublishedForm) -> tuple[str, ...]:
    """What stands under every table of a scenario."""
    return (
        noise(form),
        *(note for footnote in FOOTNOTES for note in footnotes(form, footnote)),
        *(f"No row, measured under other conditions only: {codec}." for codec in form.elsewhere),
        *failed(form),
    )


def under_files(form: PublishedForm, cached: float | None, run: Run) -> tuple[str, ...]:
    """All that stands under a table of rows in files."""
    scenario, published = form.scenario, form.scenario.published
    rows = scenario.input.generator.rows if scenario.input.generator else 1
    filtered = f", of which the filter takes {count(scenario.filter.rows)}" if scenario.filter else ""
    passes = plural(published.repetitions, "pass", "passes")
    return (
        f"{count(rows)} different rows{filtered}. Times and MiB are of {passes} over them, "
        f"{count(rows * published.repetitions)} rows; {iterations(form)}. "
        "MiB are 2^20 bytes, a rate is that of the file's bytes, both as published; a publication's time a "
        "scanned row is its total time over all rows. Calls a row: how often the system was asked to read and to write "
        "(seeks are not counted). Peak memory: hyperfine's, of a process that only writes or only reads, a file of "
        f"{plural(longest(form), 'pass', 'passes')}. "
        f"{where_files_were(run, cached)}",
        *under_published(form, run),
    )


def iterations(form: PublishedForm) -> str:
    """How much of what was published was measured: all passes of the rounds over those of one iteration."""
    published = form.scenario.published
    loop = longest(form)
    said = f"{significant(form.rounds_whole * loop / published.repetitions)} times as many were measured of each codec"
    return f"{said} ({count(published.rounds)} times in the publication)" if published.table else said


def longest(form: PublishedForm) -> int:
    """The most repetitions that a process of the table did."""
    return max((t.repetitions for row in form.codecs for t in row.timings.values()), default=0)


def where_files_were(run: Run, cached: float | None) -> str:
    """On which kind of disk, and whether in memory when they were read."""
    kind = run.environment.get("disk", {}).get("file_system")
    disk = f"Files lay on {f'a file system of the type {kind}' if kind else 'the disk of the run'}, never synced"
    if kind in MEMORY_FILE_SYSTEMS:
        return f"{disk}: they are in memory, and no disk is measured."
    if cached is None:
        return f"{disk}; whether they were in the system's page cache when they were read is not known."
    held = "all of each file" if cached >= 1 else f"{percent(cached)} of a file at least"
    return f"{disk}; the system's page cache held {held} when reading began."


AGREE_WITHIN = 1.25
"""Figures of one publication that differ by more than this factor contradict each other, however they were rounded."""


def contradictions(sections: Iterable[ItemSection], shape: TableForm) -> tuple[str, ...]:
    """Where a publication's time for all items is not its time of one, times their number."""
    found = []
    for section in sections:
        for row in section.rows:
            whole_ms = row.timing.published_ms if row.timing else None
            if not (whole_ms and row.published_us_an_item and shape.items):
                continue
            follows = whole_ms * 1e3 / shape.items
            if max(follows, row.published_us_an_item) > AGREE_WITHIN * min(follows, row.published_us_an_item):
                found.append(
                    f"The publication contradicts itself on {row.codec} {section.operation}: {significant(whole_ms)} "
                    f"ms for {count(shape.items)} is {significant(follows)} µs a piece, and elsewhere it says "
                    f"{significant(row.published_us_an_item)} µs."
                )
    return tuple(found)


def under_items(sections: Iterable[ItemSection], form: PublishedForm, shape: TableForm, run: Run) -> tuple[str, ...]:
    """All that stands under the table of a publication's own form."""
    others = ", ".join(shape.relative_to)
    return (
        method(form, run),
        "In each section from the fastest to the slowest"
        + (f"; times as fast as {others}: median of per-round ratios [95 % interval]." if others else "."),
        *(
            [f"Published: {form.scenario.source}; × is measured / published. The machines differ: compare the ratios."]
            if form.has_published
            else []
        ),
        *contradictions(sections, shape),
        *_below(form),
    )


def failed(form: PublishedForm) -> tuple[str, ...]:
    """The error rows of a scenario."""
    return tuple(
        f"Error, {failure.codec}: {one_line(failure.reason)} "
        f"({plural(failure.rows, 'error row')} of {plural(failure.cells, 'cell')})"
        for failure in form.failures
    )


def method(form: PublishedForm, run: Run) -> str:
    """n, k, seed, machine and date in one sentence."""
    n = form.scenario.published.timed_repetitions
    loops = {t.repetitions for row in (*form.codecs, *form.controls) for t in row.timings.values()}
    scaled = f" (loops of {span(loops)}, scaled to n)" if loops - {n} else ""
    return (
        f"Median [min – max] in ms for n = {plural(n, 'repetition')}{scaled}, "
        f"k = {plural(form.rounds_whole, 'round')}, "
        f"each loop in a process of its own; profile {run.plan.profile}, seed {run.plan.seed}. "
        f"{machine(run)}, {run.created[:10]}."
    )


def span(numbers: Iterable[int]) -> str:
    """`100` or `100 – 1,000,000`."""
    ordered = sorted(numbers)
    return count(ordered[0]) if len(ordered) == 1 else f"{count(ordered[0])} – {count(ordered[-1])}"


def ranking(form: PublishedForm) -> str:
    """What a rank is, and from how many rounds on it can be trusted."""
    said = (
        f"Sorted by {heading(form.sorted_by)} A rank with = is shared: the 95 % interval of the per-round ratio "
        "to the first of that rank holds 1."
    )
    if form.rounds_whole == 1:
        return f"{said} With one round every interval is a point: ranks are mere order and nothing is told from noise."
    if form.rounds_whole < LEAST_ROUNDS:
        return (
            f"{said} {form.rounds_whole} rounds are too few for intervals of 95 %: these are narrower than they claim."
        )
    return said


def comparison(form: PublishedForm) -> tuple[str, ...]:
    """What may be concluded from the published figures, and what may not."""
    relative = f"Relative to {form.reference}: median of per-round ratios [95 % interval]"
    if not form.scenario.published.table:
        return (f"{relative}. No publication has this table.",) if form.reference else ()
    if not form.has_published:
        system = form.platform
        return (
            f"The publication has no figures for {system}: {form.scenario.source}.",
            *([f"{relative}."] if form.reference else []),
        )
    return (
        f"Published: {form.scenario.source}, {form.platform}; × is measured / published. The machines differ, so × "
        "by itself says nothing of a codec: compare the order, and the last column.",
        f"{relative}; under it the same ratio of the published medians.",
    )


def noise(form: PublishedForm) -> str:
    """The noise floor and where it comes from."""
    if form.noise is None:
        return "Noise floor: unknown, the run has no A/A cell of this scenario."
    floor = form.noise
    pairs = "; ".join(twin_numbers(twin) for twin in form.twins)
    said = [
        f"Noise floor: {percent(floor.widest_bound)}, the widest bound of an A/A interval (the same code twice",
        f"in every round: {pairs}); no A/A median is off by more than {percent(floor.largest_shift)}.",
    ]
    if floor.detectable is not None:
        said.append(f"Least difference that this run would show 8 times in 10: {percent(floor.detectable)}.")
    if not all(is_tie(twin.ratio) for twin in form.twins):
        said.append("An A/A interval does not hold 1: distrust differences below the floor, whatever their rank.")
    return " ".join(said)


def twin_numbers(twin: Twin) -> str:
    """`Ser. language/codec ×1.002 [0.9965–1.008]`."""
    ratio = f"×{significant(twin.ratio.point, 4)} {bounds(twin.ratio, 4)}".rstrip()
    return f"{heading(twin.cell.operation)} {twin.cell.codec} {ratio}"


def footnotes(form: PublishedForm, footnote: Footnote) -> tuple[str, ...]:
    """One note for a mark in the published table; none where no cell bears it."""
    bearers = [
        (f"{row.codec} {heading(operation)}", timing)
        for row in (*form.codecs, *form.controls)
        for operation, timing in row.timings.items()
    ]
    return explained(footnote, bearers)


def explained(footnote: Footnote, bearers: Iterable[tuple[str, Timing]]) -> tuple[str, ...]:
    """A mark's meaning with the cells that bear it and their numbers; none where none of these cells does."""
    found = "; ".join(f"{name} {footnote.numbers(timing)}" for name, timing in bearers if footnote.applies(timing))
    return (f"{footnote.mark} {footnote.meaning}: {found}.",) if found else ()


def under_beside(table: Beside) -> tuple[str, ...]:
    """How to read the second table, and what is odd about its cells."""
    bearers = [
        (f"{row.codec} {heading(variant.operation)} {variant.conditions}", changed.timing)
        for row in table.rows
        for variant, changed in row.variants.items()
    ]
    return (
        "× is the time under the column's condition over the same codec's time in the table above: median of per-round "
        "ratios [95 % interval]; = where the interval holds 1.",
        "allocs: allocations and their bytes, of one repetition in steady state under the published conditions. "
        "Start-up and base memory: the process at 0 repetitions (median); loading: its start-up over that of the same "
        "language's quickest control, which loads no library. Peak: of all processes of the table above.",
        *(note for footnote in CLOCK_FOOTNOTES for note in explained(footnote, bearers)),
    )


def machine(run: Run) -> str:
    """Processor and virtualization."""
    cpu = run.environment.get("cpu") or {}
    virtualization = run.environment.get("virtualization")
    kind = {None: "virtualization unknown", "none": "bare metal"}.get(virtualization, f"virtualized: {virtualization}")
    threads = cpu.get("usable_threads") or cpu.get("threads")
    return f"{cpu.get('model', 'unknown processor')}{f', {threads} threads' if threads else ''}, {run.platform}, {kind}"


def commit(run: Run) -> str:
    """The commit of the lab, and whether its tree was that commit."""
    known = run.provenance.get("git_commit")
    return f"{known[:12]}{' (tree not clean)' if run.provenance.get('git_dirty') else ''}" if known else "unknown"


def libraries(run: Run) -> str:
    """The measured libraries with their versions."""
    found = {(p.library, p.version) for p in run.plan.cells if p.library}
    return ", ".join(f"{library} {version or '?'}" for library, version in sorted(found, key=str))


def command(run: Run) -> str:
    """The command that records such a run again; where it was written to and resumed from does not matter."""
    plan = run.plan
    words = ["./lab", "bench"]
    for option, values in (("-f", plan.filters), ("--not", plan.excludes)):
        for value in values:
            words += [option, value]
    words += ["--sweep"] if any(s.point for s in run.scenarios) else []
    words += ["--profile", plan.profile.value]
    others = {plan.rounds[s.name] for s in run.scenarios if plan.rounds[s.name] != rounds_of(plan.profile, s)}
    words += ["--rounds", str(min(others))] if others else []
    words += ["--shard", plan.shard] if plan.shard else []
    return shlex.join([*words, "--seed", str(plan.seed)])


def about_run(run: Run, not_begun: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Provenance of a run: what, where, when, from which commit, and how to repeat it."""
    environment, provenance = run.environment, run.provenance
    state = [
        f"{name} {value}"
        for name, value in (
            ("governor", environment.get("governor")),
            ("turbo", environment.get("turbo")),
            ("load before", _loads(environment.get("load_before"))),
            ("load after", _loads(run.load_after)),
        )
        if value
    ]
    compilers = sorted(set(provenance.get("compilers", {}).values()))
    return (
        f"Run {run.id}, {run.created}.",
        f"Machine: {machine(run)}; {environment.get('os', 'unknown system')}{''.join(f'; {fact}' for fact in state)}.",
        f"Built by toolchain {provenance.get('toolchain', 'unknown')}, lab commit {commit(run)}, "
        f"hyperfine {provenance.get('hyperfine')}{''.join(f'; {compiler}' for compiler in compilers)}.",
        f"Libraries: {libraries(run) or 'none'}.",
        *(
            f"Not built, {codec}: {one_line(str(reason))}"
            for codec, reason in provenance.get("unavailable", {}).items()
        ),
        *(f"No whole round yet: {name}." for name in not_begun),
        f"Reproduce: `{command(run)}`",
    )


def _loads(values: list[float] | None) -> str | None:
    return " ".join(f"{value:.2f}" for value in values) if values else None
