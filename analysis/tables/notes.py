"""The text above and below the tables: what was measured, how much is noise, and where the numbers come from."""

import shlex
from collections.abc import Iterable, Iterator

from analysis.base.text import count, heading, one_line, percent, plural, significant
from analysis.data.machines.run_paths import processor
from analysis.statistics.intervals import LEAST_ROUNDS
from analysis.tables.certainty.noise_notes import certainty, withheld
from analysis.tables.columns import KINDS
from analysis.tables.footnotes import FOOTNOTES, explained
from analysis.tables.rows import COUNTED, Row, Table, longest_loop
from analysis.tables.timings import Timing, ranged_rounds
from bench.measuring.profiles import rounds_of
from bench.model.plan import Profile, Scope
from bench.model.record import Run

UNTIMED = "This run is untimed: it has no times."
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")


def warnings(table: Table, run: Run) -> tuple[str, ...]:
    """What a reader must know before reading a number."""
    cells, known = table.cells, []
    if run.plan.profile is Profile.QUICK:
        known.append("This is a quick run: it proves that everything works. Its numbers mean nothing.")
    if run.plan.profile is Profile.UNTIMED:
        known.append(f"{UNTIMED} Sizes and counts are exact on any machine.")
    if run.finished is None and cells.ending is None and cells.rounds_whole < cells.rounds_planned:
        known.append("This scenario is not finished: complete the run with `./lab bench --resume`.")
    wanted = cells.ending.rounds if cells.ending else cells.rounds_planned
    if cells.rounds_whole < wanted:
        used = f"{cells.rounds_whole} of {wanted} rounds"
        known.append(f"Only {used} of this scenario are whole; the incomplete ones are left out.")
    return (*known, *withheld(cells))


def under_table(table: Table, run: Run) -> tuple[str, ...]:
    """All notes under a scenario's table."""
    kinds = [KINDS[name] for name in table.kinds]
    if run.plan.profile is Profile.UNTIMED:
        return (
            f"{machine(run)}, {run.created[:10]}; profile {run.plan.profile}, seed {run.plan.seed}.",
            *(kind.legend(table) for kind in kinds if kind is KINDS.get(COUNTED) and kind.legend(table)),
            *(f"No row, under other conditions only: {codec}." for codec in table.elsewhere),
            *failed(table),
        )
    return (
        method(table, run),
        *([f"{about_rows(table)} {where_files_were(table, run)}"] if table.scenario.is_files else []),
        " ".join([ordering(table), *(legend for kind in kinds if (legend := kind.legend(table)))]),
        comparison(table),
        *(remark for kind in kinds for remark in kind.remarks(table)),
        *certainty(table.cells, run),
        *(note for footnote in FOOTNOTES for note in explained(footnote, bearers(table))),
        *(f"No row, measured under other conditions only: {codec}." for codec in table.elsewhere),
        *failed(table),
    )


def shown(table: Table) -> Iterator[tuple[Row, Timing]]:
    """Every time that a table shows, with its row."""
    for section in table.sections:
        for row in section.rows:
            for measures in row.measures.values():
                if measures.timing is not None:
                    yield row, measures.timing


def bearers(table: Table) -> list[tuple[str, Timing]]:
    """Every time that may bear a mark, with the name of its cell."""
    return [(f"{row.codec} {heading(timing.cell.operation)}", timing) for row, timing in shown(table)]


def method(table: Table, run: Run) -> str:
    """n, k, seed, machine and date in one sentence."""
    n, rounds = table.scenario.published.timed_repetitions, plural(table.cells.rounds_whole, "round")
    loops = {timing.repetitions for _, timing in shown(table)}
    if units := times_in(table):
        scaled = f" (loops of {span(loops)}, scaled to n)" if loops - {n} else ""
        done = f"in {units} for n = {plural(n, 'repetition')}{scaled}, k = {rounds}, {in_processes(table)}"
    else:
        done = f"of {rounds}; loops of {span(loops or {n})} repetitions (published: {count(n)}), {in_processes(table)}"
    return (
        f"{estimator(table)} {done}; profile {run.plan.profile}, seed {run.plan.seed}. "
        f"{machine(run)}, {run.created[:10]}."
    )


def estimator(table: Table) -> str:
    """What a time is, and what its range is of."""
    measured = [one for operations in table.chosen.values() for one in operations.values() if one.measured]
    if not any(one.canaried for one in measured):
        return "Median [min – max]"
    published = table.scenario.published.rounds
    most = max(ranged_rounds(one, published) for one in measured if one.canaried)
    rounds = f"the first {plural(most, 'round')}" if table.cells.rounds_whole > most else "all rounds"
    units = sorted({"layouts" if len(one.layouts) > 1 else "processes" for one in measured if one.gated})
    figure = f"Mean over {' or '.join(units)} of the medians of calm loops" if units else "Lower quartile of all loops"
    return f"{figure} [min – max of all loops of {rounds}]"


def in_processes(table: Table) -> str:
    """How loops share processes."""
    loops = {planned.loops for s in table.cells.series.values() if (planned := s.planned).blocked is None}
    if loops <= {1}:
        return "each loop in a process of its own"
    return f"{span(loops)} loops in a process, with a canary before, between and after them"


def times_in(table: Table) -> str:
    """The unit of a table's times for n repetitions; empty where it shows none."""
    return next((unit for name in table.kinds if (unit := KINDS[name].unit)), "")


def span(numbers: Iterable[int]) -> str:
    """`100` or `100 – 1,000,000`."""
    ordered = sorted(numbers)
    return count(ordered[0]) if len(ordered) == 1 else f"{count(ordered[0])} – {count(ordered[-1])}"


def ordering(table: Table) -> str:
    """The order of the rows, and whether there are enough rounds to trust it."""
    rounds, sorted_by = table.cells.rounds_whole, heading(table.sections[0].operation).rstrip(".")
    notes = [
        f"Sorted by {sorted_by}."
        if table.form.operations == "columns"
        else "In each section from the fastest to the slowest."
    ]
    canaried = any(series.canaried for series in table.cells.series.values())
    if rounds == 1:
        seen = (
            "there is no interval: every rank is shared"
            if canaried
            else "every interval is a point: ranks are mere order"
        )
        notes.append(f"With one round {seen}, nothing can be told from noise.")
    elif rounds < LEAST_ROUNDS and not canaried:
        notes.append(f"{rounds} rounds are too few for intervals of 95 %: these are narrower than they claim.")
    return " ".join(notes)


def comparison(table: Table) -> str:
    """What may be concluded from the published figures, and what may not."""
    figures, source = table.figures, table.scenario.source
    if not table.scenario.published.table:
        return "No publication has this table."
    if not figures.values:
        return f"The publication has no figures for {figures.platform}: {source}."
    platform = f", {figures.platform}" if figures.is_stated else ", system not stated"
    if not times_in(table):
        return f"Published: {source}{platform}. The machines differ: compare the order and the ratios."
    return (
        f"Published: {source}{platform}; × is measured / published. The machines differ, so × by itself says nothing "
        "about a codec: compare the order and the ratios."
    )


def about_rows(table: Table) -> str:
    """How many rows the files hold, and how much was measured compared with the publication."""
    scenario, published = table.scenario, table.scenario.published
    rows = scenario.rows or 1
    filtered = f", of which the filter takes {count(scenario.filter.rows)}" if scenario.filter else ""
    passes = plural(published.repetitions, "pass", "passes")
    share = significant(table.cells.rounds_whole * longest_loop(table) / published.repetitions)
    times = f" ({count(published.rounds)} times in the publication)" if published.table else ""
    return (
        f"{count(rows)} different rows{filtered}. Times and sizes are of {passes} over them, "
        f"{count(rows * published.repetitions)} rows; {share} times as many were measured for each codec{times}."
    )


def where_files_were(table: Table, run: Run) -> str:
    """The kind of disk, and whether the files were in memory when they were read."""
    kind = (run.environment.get("disk") or {}).get("file_system")
    disk = f"Files lay on {f'a file system of the type {kind}' if kind else 'the disk of the run'}, never synced"
    if kind in MEMORY_FILE_SYSTEMS:
        return f"{disk}: they are in memory, and no disk is measured."
    cached = least_cached(table)
    if cached is None:
        return f"{disk}; whether they were in the system's page cache when they were read is not known."
    held = "all of each file" if cached >= 1 else f"{percent(cached)} of a file at least"
    return f"{disk}; the system's page cache held {held} when reading began."


def least_cached(table: Table) -> float | None:
    """The smallest share of a file that was in the system's cache when a loop began to read it.

    None if the system does not report it.
    """
    shares = [
        min(1.0, series.cached_bytes / series.file_bytes)
        for operations in table.chosen.values()
        for series in operations.values()
        if series.cached_bytes is not None and series.file_bytes
    ]
    return min(shares, default=None)


def failed(table: Table) -> tuple[str, ...]:
    """The error rows of a scenario."""
    return tuple(
        f"Error, {failure.codec}: {one_line(failure.reason)} "
        f"({plural(failure.rows, 'error row')} of {plural(failure.cells, 'cell')})"
        for failure in table.failures
    )


def machine(run: Run) -> str:
    """Processor and virtualization."""
    cpu = run.environment.get("cpu") or {}
    virtualization = run.environment.get("virtualization")
    kind = {None: "virtualization unknown", "none": "bare metal"}.get(virtualization, f"virtualized: {virtualization}")
    threads = cpu.get("usable_threads") or cpu.get("threads")
    return f"{processor(run)}{f', {threads} threads' if threads else ''}, {run.platform}, {kind}"


def commit(run: Run) -> str:
    """The commit of the lab, and whether its tree was clean."""
    known = run.provenance.get("git_commit")
    return f"{known[:12]}{' (tree not clean)' if run.provenance.get('git_dirty') else ''}" if known else "unknown"


def libraries(run: Run) -> str:
    """The measured libraries with their versions."""
    versions = {(p.library, p.version) for p in run.plan.cells if p.library}
    return ", ".join(f"{library} {version or '?'}" for library, version in sorted(versions, key=str))


def command(run: Run) -> str:
    """The command that records such a run again, without the run's own folder or --resume."""
    plan = run.plan
    words = ["./lab", "bench"]
    for option, values in (("-f", plan.filters), ("--not", plan.excludes)):
        for value in values:
            words += [option, value]
    words += ["--all"] if plan.scope is Scope.ALL and not plan.filters else []
    words += ["--sweep"] if plan.sweeps or any(s.point for s in run.scenarios) else []
    words += ["--cold"] if plan.cold else []
    words += ["--profile", plan.profile.value]
    others = {plan.rounds[s.name] for s in run.scenarios if plan.rounds[s.name] != rounds_of(plan.profile, s)}
    words += ["--rounds", str(min(others))] if others else []
    words += ["--budget", f"{plan.total_budget_s:g}s"] if plan.total_budget_s else []
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
        *to_come(run, not_begun),
        f"Reproduce: `{command(run)}`",
    )


def to_come(run: Run, not_begun: Iterable[str]) -> Iterator[str]:
    """What an unfinished run still lacks, and the scenarios of which nothing could be measured."""
    if run.finished is None:
        pending = f" Still to come: {', '.join(run.pending)}." if run.pending else ""
        yield f"The run is not finished: `./lab bench --resume` completes it.{pending}"
    planned = {one.cell.scenario for one in run.plan.cells}
    for name in not_begun:
        if name in planned:
            yield f"No whole round yet: {name}."
        elif name not in run.pending:
            yield f"Not measured, since no runner of it is available: {name}."


def _loads(values: list[float] | None) -> str | None:
    return " ".join(f"{value:.2f}" for value in values) if values else None
