"""What was measured: every run of each machine, and whether the newest commit still builds its programs."""

from collections.abc import Mapping, Sequence

from analysis.base.text import plural
from analysis.render.terminal import escape
from analysis.tables.notes import commit, machine
from analysis.tables.reports import RunReport
from bench.model.record import Run

HEADINGS = "| Run, named by its start in UTC | Profile | Scenarios |\n| :-- | :-- | --: |"


def runs_tables(reports: Sequence[RunReport]) -> list[str]:
    """A table of each machine under its name, and what the runs' commits are."""
    tables: dict[str, list[str]] = {}
    for report in reports:
        cells = (report.path.name, report.run.plan.profile.value, str(len(report.scenarios)))
        tables.setdefault(machine(report.run), [HEADINGS]).append(
            f"| {' | '.join(escape(one, in_table=True) for one in cells)} |"
        )
    parts = [part for name, lines in tables.items() for part in (f"{escape(name)}:", "\n".join(lines))]
    return [*parts, told_commits([report.run for report in reports])] if reports else parts


def told_commits(runs: Sequence[Run]) -> str:
    """The newest commit, and of each run of another one how many of its programs the newest still builds."""
    linked, programs = newest_programs(runs)
    newest = linked or commit(max(runs, key=lambda run: run.created))
    others = [run for run in runs if commit(run) != newest]
    if not others:
        return f"All of commit {escape(newest)}."
    told = [f"{escape(run.id)} of {escape(commit(run))}, {told_programs(run, programs)}" for run in others]
    return (
        f"All of commit {escape(newest)} but {'; '.join(told)}. Equal: of the codecs that both commits linked, those "
        "whose programs are the same to the bit (SHA-256 of the first layout): their times hold for both."
    )


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
    """“23 of 24 codecs equal”, or that the run linked nothing, or no codec of these."""
    shared = [runner for runner, links in run.layouts.items() if links and runner in programs]
    equal = sum(run.layouts[runner][0] in programs[runner] for runner in shared)
    return f"{equal} of {plural(len(shared), 'codec')} equal" if shared else "no program in common"
