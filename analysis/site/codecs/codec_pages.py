"""The page of a codec, and the list of all of them."""

from collections.abc import Iterator

from analysis.base.text import bounds, count, plural
from analysis.claims.ledger_entry import LedgerEntry
from analysis.data.summaries import columns, flat
from analysis.render.claims_grid import figure
from analysis.render.codec_source import folder_at, folder_of, source_of
from analysis.site.blocks import Block, Code, Page, table_of
from analysis.site.codecs.codec_cells import scenario_blocks
from analysis.site.codecs.codec_findings import finding_blocks
from analysis.site.codecs.codec_ratios import ratio_blocks
from analysis.site.lab import CodecFacts, Lab
from analysis.tables.counts.footprints import footprint_words
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.reports import RunReport
from bench.model.plan import PlannedCell

CONTROL = "a control, which serializes nothing"


def codec_pages(lab: Lab) -> list[Page]:
    """The list, then a page per codec."""
    return [_index(lab), *(_page(lab, facts) for facts in lab.codecs.values())]


def _index(lab: Lab) -> Page:
    codecs = lab.codecs
    rows = tuple(
        (
            (codec,),
            (facts.format,),
            (", ".join(facts.libraries) or NOTHING,),
            (NOTHING if facts.control else "yes" if facts.self_describing else "no",),
            (count(len(_scenarios_of(lab, codec))),),
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
    lead = (
        "A codec is one library's implementation of a format in one language and configuration; its page has its code, "
        "its flags, every figure, and how to measure each again.",
    )
    block = Block("codecs", "Codecs", table=table_of(grid, "codecs", tags))
    return Page("codecs", "Codecs", "Codecs", lead, (block,), filters=("language", "format"))


def _scenarios_of(lab: Lab, codec: str) -> set[str]:
    return {cell.scenario for cells in lab.summaries.values() for cell in cells if cell.codec == codec}


def _page(lab: Lab, facts: CodecFacts) -> Page:
    codec = facts.codec
    described = f"format {facts.format}, {'self-describing' if facts.self_describing else 'not self-describing'}"
    cells = len({one.cell for cells in lab.summaries.values() for one in cells if one.codec == codec})
    measured = (
        f"{plural(cells, 'cell')} in {plural(len(_scenarios_of(lab, codec)), 'scenario')}, each with the command that "
        "measures it again."
        if cells
        else "no time. Its sizes and counts are on the pages of its scenarios."
    )
    lead = (
        f"What was measured of {codec} ({', '.join(facts.libraries) or 'no library'}; "
        f"{CONTROL if facts.control else described}): {measured}",
    )
    blocks = (
        *_made(lab, codec),
        *ratio_blocks(lab, codec),
        *scenario_blocks(lab, codec),
        *_claims(lab, codec),
        *finding_blocks(lab, codec),
        *_source(codec),
        _objections(lab, codec),
        *_data(lab, codec),
    )
    return Page(facts.page, codec, "Codecs", lead, blocks)


def _made(lab: Lab, codec: str) -> list[Block]:
    """What was built, and how, run by run."""
    rows = [row for run in lab.runs for row in _builds(run, codec)]
    names = ("Run", "Library", "Source", "Compiler and flags")
    grid = Grid("What was built", tuple(Column((name,), right=False) for name in names), (Section(tuple(rows)),))
    if not rows:
        return []
    words = footprint_words(lab.footprints, codec)
    return [Block("build", "What was built, and how", words=words, table=table_of(grid, "build", {}))]


def _builds(run: RunReport, codec: str) -> Iterator[tuple[Lines, ...]]:
    """A row for each build of a codec in a run."""
    builds: dict[str, PlannedCell] = {}
    for planned in run.run.plan.cells:
        if planned.cell.codec == codec:
            builds.setdefault(planned.variant, planned)
    compilers = run.run.provenance.get("compilers", {})
    for variant, planned in sorted(builds.items()):
        name = f"{codec} ({variant})" if variant else codec
        flags = compilers.get(name)
        yield (
            (run.run.id, run.run.created[:10]),
            (f"{planned.library} {planned.version}" if planned.library else NOTHING,),
            (folder_at(codec, run.run),),
            (f"`{flags}`" if flags else "not recorded",),
        )


def _claims(lab: Lab, codec: str) -> list[Block]:
    """What publications say of a codec, and whether it held."""
    entries = [entry for entry in lab.ledger if entry.measured is not None and codec in _about(entry)]
    if not entries:
        return []
    parts = {
        f"about {codec}": [entry for entry in entries if entry.cell.split(" ")[0] == codec],
        f"about others, compared with {codec}": [entry for entry in entries if entry.cell.split(" ")[0] != codec],
    }
    grid = Grid(
        "Claims",
        (
            Column(("Claim",), right=False),
            Column(("Says",), right=False),
            Column(("Published",)),
            Column(("Measured", "[95 %]")),
            Column(("Verdict", "and why"), right=False),
        ),
        tuple(Section(tuple(map(_claim, group)), name) for name, group in parts.items() if group),
        notes=("The ledger has each claim's source, and those that no run tells.",),
    )
    return [Block("claims", "Claims about it", table=table_of(grid, "claims", {}))]


def _about(entry: LedgerEntry) -> set[str]:
    """The codecs that a claim compares."""
    return {text.split(" ")[0] for text in (entry.cell, *entry.than)}


def _claim(entry: LedgerEntry) -> tuple[Lines, ...]:
    assert entry.measured
    interval = "" if entry.measured.is_exact else bounds(entry.measured)
    return (
        (entry.id,),
        (entry.says,),
        (NOTHING if entry.published is None else figure(entry.published, entry.unit),),
        tuple(filter(None, (figure(entry.measured.point, entry.unit), interval))),
        (entry.verdict.value, *filter(None, (entry.why,))),
    )


def _source(codec: str) -> list[Block]:
    """The main file, whole."""
    if (source := source_of(codec)) is None:
        return []
    words = (
        f"The codec's main file, `{source.folder}/{source.name}`, with the library's calls that are timed: as in the "
        "checkout that wrote this page. The table at the top names the commits that were measured.",
    )
    return [Block("source", "Its source", words=words, code=Code(source.name, source.text))]


def _objections(lab: Lab, codec: str) -> Block:
    """What somebody can do who knows the library better."""
    where = f"{lab.repository}/issues" if lab.repository else "in the repository of the lab"
    return Block(
        "objections",
        "Is this fair?",
        words=(
            f"If the library is used in another way than its documentation recommends, change `{folder_of(codec)}`: "
            f"`./lab verify -f '^{codec} '` proves the change, and `./lab count -f '^{codec} '` shows within minutes "
            "what it costs or saves.",
            f"If you measure other figures, record them: `./lab bench -f '^{codec} ' --out mine`, then "
            "`./lab compare RUN mine`, which says whether they differ beyond noise, and how the machines differ.",
            f"Write an issue ({where}) with the address of the row, to which its # leads, and the folder of your run.",
        ),
    )


def _data(lab: Lab, codec: str) -> list[Block]:
    """Every cell of every run, to be downloaded."""
    cells = [one for run in lab.runs for one in lab.summaries[run.run.id] if one.codec == codec]
    if not cells:
        return []
    words = ("Every cell of every run, with all that is known of it.",)
    return [Block("cells", "All cells as data", words=words, data=[*map(flat, cells)], types=columns())]
