"""The page of a codec, and the list of all of them."""

from typing import Any

from analysis.base.text import bounds, count, duration_ns, plural, significant, size
from analysis.data.summaries import Summary, columns, flat
from analysis.site import charts
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import CodecFacts, Lab
from analysis.site.matrices import fidelity_words, fuzzing_words
from analysis.statistics.intervals import Interval
from analysis.tables.layout import NOTHING, Column, Grid, Section
from analysis.tables.notes import machine
from analysis.tables.reports import RunReport

CONTROL = "a control: it serializes nothing"
RATIO_TYPES: dict[str, type] = {
    "run": str,
    "scenario": str,
    "operation": str,
    "codec": str,
    "reference": str,
    "ratio": float,
    "low": float,
    "high": float,
}


def codec_pages(lab: Lab) -> list[Page]:
    """The list, then a page per codec."""
    return [_index(lab), *(_page(lab, facts) for facts in lab.codecs.values())]


def _index(lab: Lab) -> Page:
    codecs = lab.codecs
    held = {
        codec: {cell.scenario for cells in lab.summaries.values() for cell in cells if cell.codec == codec}
        for codec in codecs
    }
    rows = tuple(
        (
            (codec,),
            (facts.format,),
            (", ".join(facts.libraries) or NOTHING,),
            (NOTHING if facts.control else "yes" if facts.self_describing else "no",),
            (count(len(held[codec])),),
        )
        for codec, facts in codecs.items()
    )
    grid = Grid(
        "All codecs",
        tuple(
            Column((name,), right=name == "Scenarios")
            for name in ("Codec", "Format", "Library", "Self-describing", "Scenarios")
        ),
        (Section(rows),),
    )
    tags = {codec: facts.tags for codec, facts in codecs.items()}
    lead = ("A codec is one library's implementation of a format in one language and configuration.",)
    block = Block("codecs", "Codecs", table=table_of(grid, "codecs", tags))
    return Page("codecs", "Codecs", "Codecs", lead, (block,), filters=("language", "format"))


def _page(lab: Lab, facts: CodecFacts) -> Page:
    blocks = [block for run in lab.runs for block in _run_blocks(lab, facts, run)]
    kind = CONTROL if facts.control else f"format {facts.format}"
    describes = "" if facts.control else f", {'self-describing' if facts.self_describing else 'not self-describing'}"
    lead = f"{kind}{describes}; language {facts.language}; library {', '.join(facts.libraries) or 'none'}."
    sentences = (*_claims(lab, facts.codec), *fidelity_words(lab, facts.codec), *fuzzing_words(lab, facts.codec))
    more = Block("more", "More about it", words=sentences) if sentences else None
    return Page(facts.page, facts.codec, "Codecs", (lead[0].upper() + lead[1:],), (*blocks, *([more] if more else [])))


def _claims(lab: Lab, codec: str) -> tuple[str, ...]:
    entries = [e for e in lab.ledger if e.cell.split(" ")[0] == codec and e.measured is not None]
    return tuple(f"Claim `{entry.id}`: {entry.says}: {entry.verdict.value}." for entry in entries)


def _run_blocks(lab: Lab, facts: CodecFacts, run: RunReport) -> list[Block]:
    cells = [one for one in lab.summaries[run.run.id] if one.codec == facts.codec]
    if not cells:
        return []
    where, prefix = f"{machine(run.run)}, {run.run.created[:10]}", f"run-{lab.runs.index(run) + 1}"
    ratios = _ratios(run, facts.codec)
    blocks = []
    if ratios:
        order = list(dict.fromkeys(row["scenario"] for row in ratios))
        operations = list(dict.fromkeys(row["operation"] for row in ratios))
        blocks.append(
            Block(
                f"{prefix}-ratios",
                f"Against the reference codecs, on {where}",
                data=ratios,
                types=RATIO_TYPES,
                chart=charts.ratios(
                    order,
                    "time over that of the scenario's reference",
                    *charts.by_operation(operations),
                    f"Points: time of {facts.codec} over that of each scenario's reference codec, with 95 % intervals.",
                ),
                table=table_of(_ratio_grid(ratios), f"{prefix}-ratios", {}),
            )
        )
    heading = f"Every cell, on {where}"
    types, data = columns(), [flat(one) for one in cells]
    table = table_of(_grid(cells), f"{prefix}-cells", {})
    return [*blocks, Block(f"{prefix}-cells", heading, table=table, data=data, types=types)]


def _ratios(run: RunReport, codec: str) -> list[dict[str, Any]]:
    ratios = []
    for one in run.scenarios:
        for row in one.table.overview.rows:
            if row.codec == codec and (ratio := row.relative.here) is not None:
                ratios.append(
                    {
                        "run": run.run.id,
                        "scenario": one.scenario.name,
                        "operation": one.table.overview.operation.value,
                        "codec": codec,
                        "reference": one.table.overview.reference,
                        "ratio": ratio.point,
                        "low": ratio.low,
                        "high": ratio.high,
                    }
                )
    return ratios


def _ratio_grid(rows: list[dict[str, Any]]) -> Grid:
    def ratio(row: dict[str, Any]) -> tuple[str, ...]:
        interval = Interval(row["ratio"], row["low"], row["high"])
        return tuple(filter(None, (f"×{significant(interval.point)}", bounds(interval))))

    return Grid(
        "Against the reference codecs",
        (
            Column(("Scenario",), right=False),
            Column(("Operation",), right=False),
            Column(("Reference",), right=False),
            Column(("Time over the reference's",)),
        ),
        (Section(tuple(((row["scenario"],), (row["operation"],), (row["reference"],), ratio(row)) for row in rows)),),
        notes=(
            "The reference of a scenario is the fastest codec in its publication, else the fastest measured. "
            "Median of per-round ratios [95 % interval].",
        ),
    )


def _grid(cells: list[Summary]) -> Grid:
    """Every cell of a codec in a run."""
    sections: dict[str, list[Summary]] = {}
    for cell in cells:
        sections.setdefault(cell.scenario, []).append(cell)
    rounds = sorted({cell.rounds for cell in cells})
    return Grid(
        "Every cell",
        (
            Column(("Operation", "conditions"), right=False),
            Column(("Median", "[95 %]")),
            Column(("Least – most",)),
            Column(("Size",)),
            Column(("Allocations",)),
            Column(("Peak memory",)),
        ),
        tuple(Section(tuple(map(_cells, group)), name) for name, group in sections.items()),
        notes=(f"Time of one repetition; rounds: {', '.join(map(str, rounds))}. {plural(len(cells), 'cell')}.",),
    )


def _cells(cell: Summary) -> tuple[tuple[str, ...], ...]:
    low, high = duration_ns(cell.low_ns), duration_ns(cell.high_ns)
    allocated = NOTHING if cell.allocations is None else count(cell.allocations)
    mark = "" if cell.as_published else " (beside)"
    return (
        (f"{cell.operation}{mark}", str(cell.conditions)),
        (duration_ns(cell.median_ns), f"[{low} – {high}]"),
        (f"{duration_ns(cell.min_ns)} – {duration_ns(cell.max_ns)}",),
        (size(cell.encoded_bytes) if cell.encoded_bytes else NOTHING,),
        (allocated,),
        (size(cell.peak_memory_bytes) if cell.peak_memory_bytes else NOTHING,),
    )
