"""Codecs beside each other as a table: a column a codec, so that half a dozen fit on a screen."""

from collections.abc import Iterator

from analysis.data.cells import RunCells
from analysis.sources.maintenance import maintenance
from analysis.tables.layout import Column, Grid, Section, titled
from analysis.tables.notes import machine
from analysis.tables.side_by_side.candidates import SideBySide
from analysis.tables.side_by_side.facts import BYTES, COUNTED, FACTS, FOOTPRINT, TIME, TRUST, UPKEEP

SECTIONS = (BYTES, TIME, COUNTED, FOOTPRINT, TRUST, UPKEEP)
READS = (
    "Reads what they wrote: of the scenarios that both have, those whose value it read correctly; = where it would "
    "have written the same bytes. Only codecs of one format are tried."
)
RATIOS = (
    "×: over {first}, of one repetition; = where that does not leave 1 by more than the noise floor. All were asked to "
    "do the same, as far as they can; a condition under a time is of that codec alone."
)


def side_by_side_grid(table: SideBySide, run: RunCells | None) -> Grid:
    """The table; `run` is the one whose figures it shows."""
    first = table.codecs[0].codec
    text = f"In place of {first}" + (f": {_title(table, run)}" if run else "")
    sections = []
    for name in SECTIONS:
        rows = [row for kind in FACTS.values() if kind.section == name for row in kind.rows(table)]
        if rows:
            sections.append(Section(tuple(((heading,), *cells) for heading, cells in rows), name))
    return Grid(
        title=titled(text, run.run) if run else text,
        columns=(Column(("Fact",), right=False), *(Column((one.codec,)) for one in table.codecs)),
        sections=tuple(sections),
        notes=(*([READS] if any(one.reads for one in table.codecs) else []), *_notes(table, run)),
    )


def _title(table: SideBySide, run: RunCells) -> str:
    return next(one.scenario.title for one in run.scenarios if one.scenario.name == table.scenario)


def _notes(table: SideBySide, run: RunCells | None) -> Iterator[str]:
    if run:
        yield RATIOS.format(first=table.codecs[0].codec)
        yield f"Bytes, time and work: {table.scenario} in run {run.run.id}, {machine(run.run)}, {run.run.created[:10]}."
    if none := [one.codec for one in table.codecs if not one.figures]:
        yield f"Without figures, since no run has them beside the others: {', '.join(none)}."
    if table.footprints.programs:
        yield table.footprints.lead
    if table.elsewhere:
        yield f"Several of these were also measured in {', '.join(table.elsewhere)} (`--scenario`)."
    known = {advisory.id: (one, advisory) for one in table.codecs for advisory in one.open_advisories}
    for one, advisory in known.values():
        fix = f"fixed in {advisory.fixed_in}" if advisory.fixed_in else "no release has a fix"
        yield f"{advisory.id} ({one.library}, {advisory.date}, {fix}): {advisory.says}"
    noted = {one.library: one.maintained.note for one in table.codecs if one.maintained and one.maintained.note}
    yield from (f"{library}: {note}." for library, note in noted.items())
    dates = maintenance()
    yield (
        "Schema evolves is what the format's specification says. Releases as registries listed them on "
        f"{dates.releases_of}, advisories as their database had them on {dates.advisories_of}."
    )
