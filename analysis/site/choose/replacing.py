"""What to take in place of a library that an advisory concerns and no release mends: it, and others, side by side."""

from collections.abc import Sequence

from analysis.data.cells import RunCells, ScenarioCells
from analysis.site.blocks import Block, Page, slug, table_of
from analysis.site.lab import Lab
from analysis.sources.maintenance import maintenance
from analysis.tables.choices.choice import choices, front
from analysis.tables.side_by_side.candidates import Known, elsewhere, places, readings, side_by_side
from analysis.tables.side_by_side.side_grid import side_by_side_grid
from analysis.tables.trust.matrix import trust_of
from bench.counting.counts_folder import has_counts
from bench.scenarios.catalogue import load_catalogue

MOST = 6
"""Columns of a table: more do not fit beside each other."""
TYPES = dict.fromkeys(("fact", "codec", "value"), str)


def replacing_page(lab: Lab) -> Page:
    """A table for each library that needs a successor."""
    read = readings((report.run, report.verification) for report in lab.runs)
    known = Known(
        readings=read,
        trust=trust_of(lab.answers, read),
        footprints=lab.footprints,
        offered=load_catalogue().codecs,
    )
    libraries = libraries_of(lab)
    abandoned = needing(lab, libraries)
    blocks = tuple(block for codec in abandoned if (block := _block(lab, codec, known, libraries)))
    lead: tuple[str, ...] = (
        "Libraries that an advisory concerns and no release mends, beside what could take their place: who reads their "
        "bytes, then what no other is both smaller and faster than.",
        "`./lab compare LANGUAGE/NAME LANGUAGE/NAME` sets any codecs side by side.",
    )
    if not abandoned:
        lead = (*lead, "No codec of these runs is of such a library.")
    elif not blocks:
        lead = (*lead, f"No timed run sets {', '.join(abandoned)} beside others.")
    return Page("replace", "In place of", "In place of", lead, blocks)


Libraries = dict[str, str | None]
"""Codec → its library; controls, which have none, are left out."""


def libraries_of(lab: Lab) -> Libraries:
    """The codecs of all runs."""
    cells = [planned for report in lab.runs for planned in report.run.plan.cells if not planned.control]
    return {planned.cell.codec: planned.library for planned in sorted(cells, key=lambda one: one.cell)}


def needing(lab: Lab, libraries: Libraries) -> list[str]:
    """For each library that needs a successor, the codec that was measured in most scenarios."""
    scenarios: dict[str, set[str]] = {}
    for report in lab.runs:
        for planned in report.run.plan.cells:
            scenarios.setdefault(planned.cell.codec, set()).add(planned.cell.scenario)
    found: dict[tuple[str, str | None], list[str]] = {}
    for codec, library in libraries.items():
        if is_abandoned(codec, library):
            found.setdefault((codec.partition("/")[0], library), []).append(codec)
    return [min(codecs, key=lambda one: (-len(scenarios[one]), one)) for codecs in found.values()]


def is_abandoned(codec: str, library: str | None) -> bool:
    """Whether an advisory concerns a codec's library and no release mends it."""
    known = maintenance().of(codec, library)
    return known is not None and any(advisory.fixed_in is None for advisory in known.advisories)


def rivals(cells: ScenarioCells, codec: str, known: Known, libraries: Libraries) -> list[str]:
    """What could take a codec's place: at most five of its language, one a library that is not abandoned.

    First who reads its bytes, then who is on the front of size and time, then the fastest.
    """
    language = codec.partition("/")[0]
    rows = [
        row
        for row in choices(cells, known.malformed)
        if row.language == language and not is_abandoned(row.codec, libraries.get(row.codec))
    ]
    best = front(rows)

    def order(name: str) -> tuple[bool, bool]:
        reading = known.readings.get((codec, name))
        return not (reading and reading.read), name not in best

    of_library: dict[str, str] = {}
    for name in sorted((row.codec for row in rows), key=order):
        of_library.setdefault(libraries.get(name) or name, name)
    return [*of_library.values()][: MOST - 1]


def _block(lab: Lab, codec: str, known: Known, libraries: Libraries) -> Block | None:
    """The table of a codec, in the scenario that most codecs of its language were measured in beside it."""
    runs, counted = [one.run for one in lab.runs], {one.run.id for one in lab.runs if has_counts(one.path)}
    own = {(one.run.id, one.scenario) for one in places(runs, [codec])}
    peers = [name for name in libraries if name.partition("/")[0] == codec.partition("/")[0]]
    for place in places(runs, peers, counted):
        held = _held(lab, place.run.id, place.scenario) if (place.run.id, place.scenario) in own else None
        names = [codec, *rivals(held[1], codec, known, libraries)] if held else []
        if held and len(names) > 1:
            return _table(held, names, known, elsewhere(places(runs, names), place))
    return None


def _held(lab: Lab, run: str, scenario: str) -> tuple[RunCells, ScenarioCells] | None:
    cells = next(report.cells for report in lab.runs if report.run.id == run)
    return next(((cells, one) for one in cells.scenarios if one.scenario.name == scenario), None)


def _table(held: tuple[RunCells, ScenarioCells], names: Sequence[str], known: Known, others: tuple[str, ...]) -> Block:
    grid = side_by_side_grid(side_by_side(names, held, known, others), held[0])
    anchor = f"for-{slug(names[0])}"
    return Block(
        anchor,
        names[0],
        table=table_of(grid, anchor, {}),
        data=[
            {"fact": row[0][0], "codec": name, "value": "; ".join(cell)}
            for section in grid.sections
            for row in section.rows
            for name, cell in zip(names, row[1:], strict=True)
        ],
        types=TYPES,
    )
