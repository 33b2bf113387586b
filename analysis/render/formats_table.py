"""README.md's table of formats: one scenario, a line a format, in every language that the run measured."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis.base.anchors import scenario_file
from analysis.base.problems import bad_markers
from analysis.base.text import count, duration_ns, percent
from analysis.data.floors import calm_spread, floor_of_comparison
from analysis.data.select import runs_by_scenario
from analysis.render.terminal import escape, markdown_table
from analysis.tables.choices.answers import language_name
from analysis.tables.choices.choice import Choice, Malformed, choices
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.notes import commit, machine
from analysis.tables.reports import RunReport

BEGIN, END = re.compile(r"<!-- formats:begin ([\w-]+) -->"), "<!-- formats:end -->"
LONGEST = 10
NATIVE = ("rust", "cpp")
"""The languages that the table compares."""


def spliced(path: Path, text: str, reports: Sequence[RunReport], malformed: Mapping[str, Malformed]) -> str:
    """The text of a page, with the table of the scenario that its marker names; unchanged if it has no marker.

    Raises LabError if one of the two markers is missing, or there several times.
    """
    begins, ends = list(BEGIN.finditer(text)), [end.start() for end in re.finditer(END, text)]
    if not begins and not ends:
        return text
    if len(begins) != 1 or len(ends) != 1 or begins[0].end() > ends[0]:
        raise bad_markers(path, "<!-- formats:begin SCENARIO -->", END)
    begin = begins[0]
    return f"{text[: begin.end()]}\n{formats_table(reports, begin[1], malformed)}\n{text[ends[0] :]}"


def formats_table(reports: Sequence[RunReport], scenario: str, malformed: Mapping[str, Malformed]) -> str:
    """The formats of a scenario, those in most languages first, then the fastest; a sentence if nothing was measured.

    All figures are of one run: that with the most formats in all languages.
    """
    held = [
        (run, choices(cells, malformed)) for run, cells in runs_by_scenario(r.cells for r in reports).get(scenario, [])
    ]
    held = [(run, rows) for run, rows in held if rows and run.run.plan.profile.is_timed]
    if not held:
        return f"No run of {scenario} is recorded yet."
    run, rows = max(held, key=lambda one: _breadth(one[1]))
    cells = next(one for one in run.scenarios if one.scenario.name == scenario)
    formats = _formats(rows)
    shown = sorted(formats, key=lambda name: (-len(formats[name]), min(c.total_ns for c in formats[name].values())))
    languages = [language for language in NATIVE if any(language in formats[name] for name in shown)]
    floor = floor_of_comparison(cells, *(one.codec for name in shown for one in formats[name].values()))
    unsure = ": some codecs met calmer moments than others" if calm_spread(cells) else ""
    told = f"Differences below {percent(floor)} mean nothing{unsure}."
    grid = Grid(
        title="",
        columns=(
            Column(("Format",), right=False),
            *(Column((f"{language_name(language)}: ser. + deser.",)) for language in languages),
            Column(("Size (bytes)", *((" / ".join(map(language_name, languages)),) if languages[1:] else ()))),
            *(Column((name,), right=False) for name in ("Validates", "Self-describing", "Evolves", "Malformed input")),
        ),
        sections=(Section(tuple(_row(name, formats[name], languages) for name in shown[:LONGEST])),),
    )
    n = len(shown)
    conditions = escape(str(cells.scenario.published.conditions))
    caption = (
        f"**{escape(cells.scenario.title)}. {told}** The first {min(n, LONGEST)} of {n} formats, of both languages "
        "first, then the fastest: time to serialize and deserialize once, of the codec with the shortest time of each "
        f"format and language, under the published conditions ({conditions}; what differs stands at the codec). "
        f"{escape(machine(run.run))}, {run.run.created[:10]}, commit "
        f"{escape(commit(run.run))}, run {escape(run.run.id)}; [all codecs]({scenario_file(scenario)}). Times, sizes "
        "and malformed input (findings of `lab fuzz` in cases tried) were measured; whether it validates and "
        "describes itself is what the codec declares, evolves what the format's specification says (as maps: where "
        "structs are written as maps)."
    )
    return f"{markdown_table(grid)}\n\n{caption}"


def _formats(rows: Sequence[Choice]) -> dict[str, dict[str, Choice]]:
    """Format → language → its fastest codec."""
    result: dict[str, dict[str, Choice]] = {}
    for row in rows:
        if row.language in NATIVE:
            result.setdefault(row.format, {}).setdefault(row.language, row)
    return result


def _breadth(rows: Sequence[Choice]) -> tuple[int, int]:
    """Formats in all languages, then codecs."""
    return sum(len(held) == len(NATIVE) for held in _formats(rows).values()), len(rows)


def _row(name: str, held: Mapping[str, Choice], languages: Sequence[str]) -> tuple[Lines, ...]:
    first = min(held.values(), key=lambda one: one.total_ns)
    times = (
        (duration_ns(held[one].total_ns), f"{held[one].codec} {held[one].differs}".rstrip())
        if one in held
        else (NOTHING,)
        for one in languages
    )
    return (
        (name,),
        *times,
        (" / ".join(dict.fromkeys(count(held[one].size_bytes) for one in languages if one in held)),),
        (_each(held, {one: _yes(choice.validates) for one, choice in held.items()}),),
        (_each(held, {one: _yes(choice.self_describing) for one, choice in held.items()}),),
        (first.specified.evolves.value if first.specified else "not stated",),
        (_each(held, {one: _findings(choice) for one, choice in held.items()}),),
    )


def _each(held: Mapping[str, Choice], texts: Mapping[str, str]) -> str:
    """One text if all languages have the same, else each with its language."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{language_name(one)} {texts[one]}" for one in NATIVE if one in held)


def _yes(value: bool | None) -> str:
    return NOTHING if value is None else "yes" if value else "no"


def _findings(one: Choice) -> str:
    if one.malformed is None:
        return "unchecked" if one.validates is False else "not fuzzed"
    return f"{count(one.malformed.total)} in {count(one.malformed.cases)}"
