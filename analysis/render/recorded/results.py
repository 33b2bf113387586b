"""RESULTS.md and the table in README.md, as text from recorded runs: no clock, no disk, the same bytes every time."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from analysis.base.anchors import heading_anchor, scenario_file
from analysis.base.problems import bad_markers
from analysis.base.text import count, plural
from analysis.claims.ledger_entry import LedgerEntry
from analysis.claims.verdicts import HOLDS, Verdict
from analysis.data.machines.run_paths import machine_name, processor
from analysis.data.select import runs_by_scenario
from analysis.render.claims_grid import counted, score
from analysis.render.recorded.answers_page import answers_section
from analysis.render.recorded.runs_table import runs_tables
from analysis.render.recorded.scenario_pages import OTHER_SIZES, Points, scenario_page
from analysis.render.recorded.verdict_list import not_held, publications_table
from analysis.render.terminal import escape, markdown_notes, markdown_table
from analysis.tables.certainty.noise_notes import beside_title
from analysis.tables.digest.at_a_glance import glance
from analysis.tables.digest.short_table import MARKS, short_grid
from analysis.tables.layout import NOTHING, Grid
from analysis.tables.notes import commit, estimator, machine
from analysis.tables.reports import RunReport
from analysis.tables.trust.shares import Trust
from bench.model.plan import Profile

BEGIN, END = re.compile(r"<!-- table:begin ([\w-]+) -->"), "<!-- table:end -->"
README_ROWS = 6
PAGE_ROWS = 4
"""Rows of a table in RESULTS.md: of longer ones the first, so that the page stays short enough to be read."""

HOW_TO_READ = (
    "Only the rows that the publication has. A time is what calm loops took, as the geometric mean over layouts of "
    "their medians; of files and of repetitions above 50 ms the lower quartile of all loops (¼). [min – max] is of "
    "all loops of as many rounds as were published, or of more until it holds the time. Sizes of files are per row.",
    "Under a time stand the published figure, of another machine (compare the order and the ratios, not the "
    "numbers), and the instructions of one repetition, where they were counted.",
    "# is the rank among all codecs measured. With = it is shared: the difference is below the noise floor, or within "
    "its own 95 % interval. With – there is none: the time has no interval, or ranks are withheld.",
    f"Marks: {'; '.join(f'{note.mark} {note.meaning.partition(chr(58))[0]}' for note in MARKS)}. Every sample is kept.",
)
PICTURE_SAYS = (
    "Every measured claim of a factor as a point: the published factor against the one measured here. On the dashed "
    "diagonal it reproduces exactly; below the line at 1 it is the other way round."
)

Held = Mapping[str, Sequence[RunReport]]
"""Scenario → the runs that have it, first the one that represents it."""


def runs_of_scenarios(reports: Sequence[RunReport], entries: Sequence[LedgerEntry]) -> dict[str, list[RunReport]]:
    """Scenario → the runs that have it, first the one that represents it; in the order of their first claims."""
    by_cells = {id(report.cells): report for report in reports}
    holding = runs_by_scenario(report.cells for report in reports)
    claimed = dict.fromkeys(entry.evidence.scenario for entry in entries if entry.evidence.scenario in holding)
    names = dict.fromkeys([*(name for name in claimed if name), *holding])
    return {name: [by_cells[id(cells)] for cells, _ in holding[name]] for name in names}


def scenario_pages(reports: Sequence[RunReport], entries: Sequence[LedgerEntry]) -> dict[str, str]:
    """Path from the repository's root → text of the page of each scenario that a run has."""
    holding = runs_of_scenarios(reports, entries)
    return {
        scenario_file(name): scenario_page(name, held, entries, points_of(name, holding))
        for name, held in holding.items()
    }


def points_of(scenario: str, held: Held) -> Points:
    """The points of a scenario's sweep, each with the run that represents it."""
    return [(name, runs[0]) for name, runs in held.items() if _sweep_of(name, runs) == scenario]


def _sweep_of(name: str, runs: Sequence[RunReport]) -> str | None:
    """The scenario of whose sweep this one is a point; None for one that stands for itself."""
    scenario = runs[0].of(name).scenario
    return scenario.declared_by if scenario.point else None


def results_page(
    reports: Sequence[RunReport],
    entries: Sequence[LedgerEntry],
    titles: Mapping[str, str],
    known: Mapping[str, Trust] = {},
    picture: str | None = None,
) -> str:
    """RESULTS.md: the verdicts, every scenario in a line, its published rows, and where all of it was measured.

    `titles` are the publications' titles, `known` is what codecs do when something is wrong. `picture` is the path of
    the ledger's picture, if there is one.
    """
    held = runs_of_scenarios(reports, entries)
    parts = [
        "# Results",
        "This page shows which published claims hold when they are measured anew, and the first rows of each published "
        "table; all else stands on a page per scenario. `./lab results` writes these pages from the runs "
        "below [results/](results/).",
        _measured_where(reports),
        f"**{score(entries)}.**",
        *([_of_the_score(entries)] if entries else []),
        *([publications_table(entries, titles)] if entries else []),
        "## Does it hold, and who is fastest?",
        _glances(held, entries),
        *_verdicts(held, entries, picture),
        "## The published tables",
        markdown_notes(HOW_TO_READ),
        *(part for name, runs in held.items() for part in _short_table(name, runs)),
        *answers_section(known),
        "## What was measured",
        *runs_tables(reports),
        "`./lab results --check` says whether this page, those of the scenarios and the tables in README.md are up to "
        "date with the runs.",
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _of_the_score(entries: Sequence[LedgerEntry]) -> str:
    """What a reader must know of the numbers of claims."""
    by_rule = sum(one.by_rule or one.quote is None for one in counted(entries))
    differ = sum(len({run.verdict for run in one.measurements if run.figure is not None}) > 1 for one in entries)
    read_off = (
        f"{count(by_rule)} of these claims are read off the rows of a table: a row against the next or all others, "
        "which its publication states in no words. "
    )
    several = (
        "Of several runs the newest finished one of `published` with three of four cells precise decides; "
        f"{plural(differ, 'verdict')} {'differs' if differ == 1 else 'differ'} in another run, which the pages name. "
    )
    return (
        f"{read_off if by_rule else ''}{several if differ else ''}A claim holds if it is reproduced or goes in the "
        "same direction: [what the verdicts mean](METHODOLOGY.md#verdicts)."
    )


def _measured_where(reports: Sequence[RunReport]) -> str:
    """The machines that gave the times, then those that gave what needs no clock."""
    untimed = [one for one in reports if one.run.plan.profile is Profile.UNTIMED]
    timed = [one for one in reports if one not in untimed]
    parts = [
        *([f"Measured on {_where(timed)} ([runs](#what-was-measured))."] if timed else []),
        *([f"Counted without times on {_where(untimed)}."] if untimed else []),
    ]
    return " ".join(parts)


def _where(reports: Sequence[RunReport]) -> str:
    machines = dict.fromkeys(processor(report.run) for report in reports)
    dates = sorted({report.run.created[:10] for report in reports})
    commits = dict.fromkeys(commit(report.run) for report in reports)
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    at = f"commit {next(iter(commits))}" if len(commits) == 1 else plural(len(commits), "commit")
    return f"{escape('; '.join(machines))}; {when}, {plural(len(reports), 'run')}, {escape(at)}"


def _glances(held: Held, entries: Sequence[LedgerEntry]) -> str:
    lines = [
        "| Scenario | claims that hold | refuted | undecided | Fastest of the run shown | Fewest bytes in it | All |",
        "| :-- | --: | --: | --: | :-- | :-- | :-- |",
    ]
    rest: list[str] = []
    for name, runs in held.items():
        if _sweep_of(name, runs) in held:  # it stands on that scenario's page
            continue
        own = Counter(entry.verdict for entry in counted(entries) if entry.evidence.scenario == name)
        numbers = [sum(own[one] for one in HOLDS), own[Verdict.REFUTED], own[Verdict.UNDECIDED]]
        table = runs[0].of(name).table
        seen = glance(table)
        shown = short_grid(table, runs[0].run)
        if not any(numbers) and seen.fastest == NOTHING and not shown:
            rest.append(name)
            continue
        where = f"[{name}](#{name})" if shown else name
        cells = [
            where,
            *(str(number) if number else NOTHING for number in numbers),
            escape(seen.fastest, in_table=True),
            escape(seen.smallest, in_table=True),
            f"[{plural(seen.codecs, 'codec')}]({scenario_file(name)})",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    told = (
        [f"With neither claims nor a fastest codec, but [a page each](results/scenarios): {', '.join(rest)}."]
        if rest
        else []
    )
    swept = dict.fromkeys(filter(None, (_sweep_of(name, runs) for name, runs in held.items())))
    links = (f"[{name}]({scenario_file(name)}#{heading_anchor(OTHER_SIZES)})" for name in swept if name in held)
    if named := ", ".join(links):
        told.append(f"At other sizes: {named}.")
    return "\n\n".join(["\n".join(lines), *told])


def _verdicts(held: Held, entries: Sequence[LedgerEntry], picture: str | None) -> list[str]:
    if not entries:
        return []
    return [
        "## What did not hold",
        *not_held(entries, held),
        "The claims that hold stand with their sentences on the pages of their scenarios; `./lab claims results/` "
        "shows all, `./lab claims results/ CLAIM` the evidence under one.",
        *([f"![{escape(PICTURE_SAYS)}]({picture})"] if picture else []),
    ]


def _short_table(name: str, runs: Sequence[RunReport]) -> list[str]:
    """The published rows of a scenario in the run that represents it; empty where none was measured."""
    run = runs[0].run
    grid = short_grid(runs[0].of(name).table, run)
    if grid is None:
        return []
    where = f"{machine_name(run).removesuffix(f'-{run.platform}')}, run {run.id}"
    others = f"; {plural(len(runs) - 1, 'other run')} there" if len(runs) > 1 else ""
    rows = sum(len(section.rows) for section in grid.sections)
    cut = f" The first {PAGE_ROWS} of {rows} codecs." if rows > PAGE_ROWS else ""
    return [
        f"### {name}",
        f"**{escape(grid.title)}**: {escape(' '.join(grid.notes))}{cut} {escape(where)}. "
        f"[Variants, notes, claims]({scenario_file(name)}){others}.",
        *(f"> **{escape(warning)}**" for warning in grid.warnings),
        markdown_table(first_rows(grid, PAGE_ROWS), small=False),
    ]


def splice(path: Path, text: str, table_of: Callable[[str], str]) -> str:
    """The text of a page, with the table of the scenario that its marker names inserted between the two markers.

    Raises LabError unless each marker occurs exactly once.
    """
    begins, ends = list(BEGIN.finditer(text)), [end.start() for end in re.finditer(END, text)]
    if len(begins) != 1 or len(ends) != 1 or begins[0].end() > ends[0]:
        raise bad_markers(path, "<!-- table:begin SCENARIO -->", END)
    begin = begins[0]
    return f"{text[: begin.end()]}\n{table_of(begin[1]).rstrip()}\n{text[ends[0] :]}"


def readme_table(reports: Sequence[RunReport], scenario: str) -> str:
    """The first rows of a scenario in the run that represents it; a sentence if there is none."""
    holding = runs_by_scenario(report.cells for report in reports).get(scenario)
    if not holding:
        return f"No run of {scenario} is recorded yet."
    one = next(report for report in reports if report.cells is holding[0][0]).of(scenario)
    run, n = holding[0][0].run, one.scenario.published.timed_repetitions
    caption = (
        f"**{escape(one.scenario.title)}{beside_title(one.cells)}**, the first {README_ROWS} codecs: milliseconds for "
        f"{n:,} repetitions, and the published figure with measured / published. {estimator(one.table)}. "
        f"{escape(machine(run))}, {run.created[:10]}, commit {escape(commit(run))}. "
        f"Run {escape(run.id)}; all codecs and the noise floor: [its page]({scenario_file(scenario)})."
    )
    warned = [f"> **{escape(warning)}**" for warning in one.published.warnings]
    return "\n\n".join([markdown_table(first_rows(one.published, README_ROWS)), *warned, caption])


def first_rows(grid: Grid, number: int) -> Grid:
    """The first rows of a table's first section."""
    sections = tuple(msgspec.structs.replace(section, rows=section.rows[:number]) for section in grid.sections[:1])
    return msgspec.structs.replace(grid, sections=sections)
