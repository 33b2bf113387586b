"""The table of what a publication measures besides: cells under further conditions, called by its words."""

from msgspec.structs import replace

from analysis.base.text import plural
from analysis.data.cells import ScenarioCells, Series
from analysis.data.select import choose
from analysis.sources.figures import Apart, Figures
from analysis.tables.digest.short_table import instructions
from analysis.tables.footnotes import FOOTNOTES, explained
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section, timing_lines, titled
from analysis.tables.timings import Timing, timing
from bench.model.plan import Profile
from bench.model.record import Run


def apart_grid(cells: ScenarioCells, figures: Figures, run: Run) -> Grid | None:
    """A section for each such word with its published rows, from the fastest to the slowest; None without any."""
    if run.plan.profile is Profile.UNTIMED:
        return None
    timed = {word: _timed(cells, figures, one) for word, one in figures.apart.items()}
    sections = tuple(
        Section(tuple(_row(*each, figures, figures.apart[word]) for each in held), _name(figures.apart[word]))
        for word, held in timed.items()
        if held
    )
    if not sections:
        return None
    repetitions = cells.scenario.published.timed_repetitions
    bearers = [(f"{one.cell.codec} {word}", one) for word, held in timed.items() for _, one in held]
    return Grid(
        title=titled(f"{cells.scenario.title} ({cells.scenario.name}): what the publication measures besides", run),
        columns=(Column(("Codec", "published as"), right=False), Column(("Time (ms)",)), Column(("Instructions",))),
        sections=sections,
        notes=(
            f"Each under the publication's word and the lab's name for it; ms of {plural(repetitions, 'repetition')}, "
            "with the published time and measured / published. Not ranked: `./lab claims` judges the ratios.",
            *(line for footnote in FOOTNOTES for line in explained(footnote, bearers)),
        ),
    )


def _timed(cells: ScenarioCells, figures: Figures, one: Apart) -> list[tuple[Series, Timing]]:
    """The measured cells of a word, from the fastest to the slowest."""
    chosen = choose(cells, replace(cells.scenario.published.conditions, **one.conditions))
    rows = figures.rows.keys() | one.rows.keys()
    series = [held[one.operation] for codec, held in chosen.items() if codec in rows and one.operation in held]
    own = [each for each in series if each.measured and one.is_of(each.cell)]
    timed = [
        (each, replace(timing(each, cells.scenario, figures.time_ms(each.cell)), other_conditions="")) for each in own
    ]
    return sorted(timed, key=lambda each: each[1].median_ms)


def _row(series: Series, timed: Timing, figures: Figures, one: Apart) -> tuple[Lines, ...]:
    name = one.rows.get(series.cell.codec) or figures.rows[series.cell.codec]
    return (
        (series.cell.codec, f"“{name}”"),
        timing_lines(timed),
        (instructions(series) or NOTHING,),
    )


def _name(one: Apart) -> str:
    conditions = " ".join(f"{name}={value}" for name, value in one.conditions.items())
    return f"{one.word}: {one.operation} {conditions}"
