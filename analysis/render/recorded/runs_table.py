"""What was measured: every run of each machine, and whether the newest commit still builds its programs."""

from collections.abc import Mapping, Sequence

from analysis.base.text import plural
from analysis.render.terminal import escape
from analysis.tables.layout import NOTHING
from analysis.tables.notes import commit, machine
from analysis.tables.reports import RunReport
from bench.model.record import Run

HEADINGS = (
    "| Run, named by its start in UTC | Profile | Commit | Its programs | Scenarios |\n| :-- | :-- | :-- | --: | --: |"
)


def runs_tables(reports: Sequence[RunReport]) -> list[str]:
    """A table of each machine under its name, and what the column of programs says."""
    newest, programs = newest_programs([report.run for report in reports])
    tables: dict[str, list[str]] = {}
    for report in reports:
        run = report.run
        told = NOTHING if commit(run) == newest else told_programs(run, programs)
        cells = (
            report.path.name,
            run.plan.profile.value,
            commit(run),
            told,
            str(len(report.scenarios)),
        )
        tables.setdefault(machine(run), [HEADINGS]).append(
            f"| {' | '.join(escape(one, in_table=True) for one in cells)} |"
        )
    explained = (
        f"Its programs: of the codecs that were linked for this run and for a run of commit {newest}, the newest, how "
        "many are equal to the bit (SHA-256 of the first layout). Times of an equal program hold for both commits."
    )
    parts = [part for name, lines in tables.items() for part in (f"{escape(name)}:", "\n".join(lines))]
    return [*parts, explained] if programs and len({commit(one.run) for one in reports}) > 1 else parts


def newest_programs(runs: Sequence[Run]) -> tuple[str | None, Mapping[str, set[str]]]:
    """The commit of the newest run that linked layouts, and runner → SHA-256 of all that its runs linked."""
    linked = [run for run in runs if run.layouts]
    if not linked:
        return None, {}
    newest = commit(max(linked, key=lambda run: run.created))
    programs: dict[str, set[str]] = {}
    for run in linked:
        if commit(run) == newest:
            for runner, links in run.layouts.items():
                programs.setdefault(runner, set()).update(links)
    return newest, programs


def told_programs(run: Run, programs: Mapping[str, set[str]]) -> str:
    """“23 of 24 equal”; a dash where the run linked nothing, or no codec of these."""
    shared = [runner for runner, links in run.layouts.items() if links and runner in programs]
    equal = sum(run.layouts[runner][0] in programs[runner] for runner in shared)
    return f"{equal} of {plural(len(shared), 'codec')} equal" if shared else NOTHING
