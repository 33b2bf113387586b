"""The first page, the ledger, curves over sizes, and where the numbers come from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.base.text import bounds, count, percent, plural, short, significant, size
from analysis.claims.ledger_entry import LedgerEntry
from analysis.claims.verdicts import Verdict
from analysis.data.floors import floor_of, kinds_of
from analysis.render.claims_grid import (
    SIZES,
    counted,
    is_absent,
    ledger_grid,
    rankings_grid,
    score,
    sizes,
    unmeasured_words,
)
from analysis.site import charts
from analysis.site.blocks import Block, Page, Table, slug, table_of
from analysis.site.choose.chooser import chooser
from analysis.site.lab import Lab
from analysis.site.points import CLAIM_TYPES, claim_details, claim_points, claim_row
from analysis.tables.digest.at_a_glance import glance
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.notes import commit, machine
from analysis.tables.reports import RunReport, ScenarioReport
from bench.model.cells import ControlRole
from bench.model.plan import Profile
from bench.model.record import Run

RATIO_TYPES: dict[str, type] = {
    "scenario": str,
    "operation": str,
    "codec": str,
    "language": str,
    "format": str,
    "reference": str,
    "ratio": float,
    "low": float,
    "high": float,
}
SIZE_TYPES: dict[str, type] = {
    "type": str,
    "operation": str,
    "codec": str,
    "language": str,
    "format": str,
    "control": bool,
    "scenario": str,
    "data_bytes": int,
    "median_ns": float,
    "gb_s": float,
    "label": str,
}


def overview_page(lab: Lab) -> Page:
    """What was measured, how it compares with what was published, and links to everything else."""
    codecs = [facts for facts in lab.codecs.values() if not facts.control]
    formats = {facts.format for facts in codecs}
    lead = (
        f"Measured anew: {plural(len(codecs), 'codec')} of {plural(len(formats), 'format')} on "
        f"{plural(len(lab.scenarios), 'scenario')}, for your choice of format, and for what publications claim.",
    )
    blocks = (*claims_blocks(lab), _own_data(), _scenarios(lab), _runs(lab))
    question = chooser(lab)
    title = "Which format should I use?" if question else "Overview"
    return Page("index", title, "Overview", lead, blocks, template="index.html", extra=question)


def _own_data() -> Block:
    """The way to figures of the reader's own messages."""
    words = (
        "No table knows your messages: `./lab try FILE` reads JSON, JSON Lines, CSV, Parquet or Protocol Buffers, "
        "infers a type, and measures codecs on it. It sends nothing anywhere.",
        "`./lab try events.jsonl --budget 2m` measures for two minutes; `-o page` writes a page like this one.",
    )
    return Block("own-data", "Your own data", words=words)


def claims_blocks(lab: Lab) -> list[Block]:
    """Published against measured, and the number of claims of each source by verdict."""
    data = claim_points(lab.ledger)
    rows = tuple(_score_row(lab.titles[source], entries) for source, entries in _by_source(lab).items())
    verdicts = (Column((verdict.value,)) for verdict in Verdict)
    grid = Grid(
        "Verdicts on the claims of each publication",
        (Column(("Publication",), right=False), *verdicts, Column((SIZES,))),
        (Section(rows),),
        notes=(f"Drawn are the {plural(len(data), 'claim')} of a factor that these runs tell; the ledger has all.",),
    )
    block = Block(
        "claims",
        "Which published claims hold",
        words=(f"{score(lab.ledger)}.",),
        chart=charts.claims() if data else None,
        table=table_of(grid, "source", {}),
        data=data,
        types=CLAIM_TYPES,
    )
    return [block]


def _by_source(lab: Lab) -> dict[str, list[LedgerEntry]]:
    """The ledger by publication."""
    result: dict[str, list[LedgerEntry]] = {}
    for entry in lab.ledger:
        result.setdefault(entry.source, []).append(entry)
    return result


def _score_row(title: str, entries: Sequence[LedgerEntry]) -> tuple[Lines, ...]:
    """The number of a publication's claims by verdict; sizes, which are exact, apart."""
    verdicts = Counter(entry.verdict for entry in counted(entries))
    return (
        (title,),
        *((count(verdicts[verdict]) if verdicts[verdict] else NOTHING,) for verdict in Verdict),
        (sizes(entries) or NOTHING,),
    )


def _scenarios(lab: Lab) -> Block:
    """Every scenario with its codecs as points, by the run that represents it."""
    data, rows = list[dict[str, Any]](), []
    for name, reports in lab.scenarios.items():
        report, one = reports[0]
        data += _ratios(lab, one)
        rows.append(_scenario_row(name, report, one))
    names = ("Scenario", "Codecs", "Fastest", "Reference", "Noise floor", "Measured on")
    grid = Grid(
        "Scenarios",
        tuple(Column((text,), right=text in ("Codecs", "Noise floor")) for text in names),
        (Section(tuple(rows)),),
        notes=(
            "Fastest: by the operation in brackets. The reference is the fastest codec in the publication, else "
            "the fastest measured. Noise floor: what 95 % of differences between identical code stay below, native / "
            "interpreted.",
        ),
    )
    chart = charts.ratios(
        list(lab.scenarios),
        "time over that of the scenario's reference",
        *charts.by_language(sorted({facts.language for facts in lab.codecs.values()})),
        "Points: every codec's time over that of its scenario's reference codec, one line per scenario.",
    )
    return Block(
        "scenarios",
        "Scenarios",
        chart=chart if data else None,
        table=table_of(grid, "scenario", {}),
        data=data,
        types=RATIO_TYPES,
    )


def _ratios(lab: Lab, one: ScenarioReport) -> Iterator[dict[str, Any]]:
    facts = lab.codecs
    for row in one.table.overview.codecs:
        if (ratio := row.relative.here) is not None:
            yield {
                "scenario": one.scenario.name,
                "operation": one.table.overview.operation.value,
                "codec": row.codec,
                "language": facts[row.codec].language,
                "format": facts[row.codec].format,
                "reference": one.table.overview.reference,
                "ratio": ratio.point,
                "low": ratio.low if bounds(ratio) else ratio.point,
                "high": ratio.high if bounds(ratio) else ratio.point,
            }


def _scenario_row(name: str, report: RunReport, one: ScenarioReport) -> tuple[Lines, ...]:
    firsts = [row.codec for row in one.table.overview.codecs if row.rank == 1]
    first, *alike = firsts if firsts and glance(one.table).fastest != NOTHING else [NOTHING]
    told = f"({one.table.overview.operation}{f'; {len(alike)} more alike' if alike else ''})"
    floors = [floor for kind in kinds_of(one.cells) if (floor := floor_of(one.cells, kind))]
    noise = " / ".join(percent(floor.share) for floor in floors) or NOTHING
    quick = " (quick: its numbers mean nothing)" if report.run.plan.profile is Profile.QUICK else ""
    return (
        (name, one.scenario.title),
        (count(len(one.table.overview.codecs)),),
        (first, told),
        (one.table.overview.reference or NOTHING,),
        (noise,),
        (f"{machine(report.run)}, {report.run.created[:10]}{quick}",),
    )


def _runs(lab: Lab) -> Block:
    rows = tuple(
        (
            (report.run.id,),
            (machine(report.run),),
            (report.run.created[:10],),
            (report.run.plan.profile.value,),
            (commit(report.run),),
            (count(len(report.scenarios)),),
            (count(len(lab.summaries[report.run.id])),),
        )
        for report in lab.runs
    )
    names = ("Run", "Machine", "When", "Profile", "Commit", "Scenarios", "Cells")
    columns = tuple(Column((name,), right=name in ("Scenarios", "Cells")) for name in names)
    words = ("Columns never mix two runs. If several hold a scenario, its page has a part for each.",)
    return Block("runs", "Runs", words=words, table=table_of(Grid("Runs", columns, (Section(rows),)), "run", {}))


def ledger_page(lab: Lab) -> Page:
    """All claims, measured or not, and the order of each table."""
    tags = {
        entry.id: {
            "verdict": entry.verdict.value,
            "source": lab.titles[entry.source],
            "platform": entry.platform,
        }
        for entry in lab.ledger
    }
    absent = [entry for entry in lab.ledger if is_absent(entry)]
    told = [entry for entry in lab.ledger if not is_absent(entry)]
    details = {entry.id: claim_details(lab, entry) for entry in lab.ledger}

    def table_with(entries: Sequence[LedgerEntry]) -> Table:
        grid = ledger_grid(entries, lab.titles, everything=True, wrap=False)
        return table_of(grid, "claim", tags, name_line=1, details=details)

    orders = rankings_grid(lab.rankings, everything=False)
    words = (
        "Under each claim its evidence opens: what was published where, the cells, and the command that measures just "
        "this. The # beside a claim is its address.",
    )
    blocks = (
        Block("ledger", "Claims", words=words, table=table_with(told), data=_rows_of(lab.ledger), types=CLAIM_TYPES),
        *_not_measured(absent, table_with(absent)),
        Block("orders", "Order of the published tables", table=table_of(orders, "order", {})),
    )
    lead = ("Every headline statement of the publications, judged by the runs; no verdict is typed in.",)
    return Page("ledger", "Claims ledger", "Ledger", lead, blocks, filters=("verdict", "source", "platform"))


def _rows_of(entries: Sequence[LedgerEntry]) -> list[dict[str, Any]]:
    return [claim_row(entry) for entry in entries]


def _not_measured(entries: Sequence[LedgerEntry], table: Table) -> list[Block]:
    """The claims that these runs do not tell, folded: they may be many more than the others."""
    if not entries:
        return []
    text = f"{plural(len(entries), 'claim')}, with the command that measures each"
    return [Block("not-measured", "Not measured", words=unmeasured_words(entries), table=table, folded=text)]


def sizes_page(lab: Lab) -> Page:
    """Curves over the size of the value, for types that scenarios have in several sizes."""
    families: dict[tuple[str, str], dict[str, ScenarioReport]] = {}
    for name, ((report, one), *_) in lab.scenarios.items():
        if not one.scenario.is_rows:
            families.setdefault((one.scenario.type, report.run.id), {})[name] = one
    blocks = []
    for (kind, _), members in families.items():
        if len({one.scenario.data_size_bytes for one in members.values()}) > 1:
            blocks += _size_blocks(lab, kind, list(members))
    lead: tuple[str, ...] = (
        "Bytes of the value that a codec handles in a second, over the size of the value.",
        "Scenarios of one type and several sizes, measured in one run, form a curve; the copying control is the most "
        "that the machine can do.",
    )
    if not blocks:
        lead = (*lead, "These runs hold no type in several sizes.")
    return Page("sizes", "Time and size", "Sizes", lead, tuple(blocks), filters=("language", "format"))


def _size_blocks(lab: Lab, kind: str, scenarios: list[str]) -> list[Block]:
    run = lab.scenarios[scenarios[0]][0][0].run
    points = [point for name in scenarios for point in _points(lab, kind, name)]
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    blocks = []
    for operation in dict.fromkeys(point["operation"] for point in points):
        own = [point for point in points if point["operation"] == operation]
        largest = {point["codec"]: point["data_bytes"] for point in sorted(own, key=lambda p: p["data_bytes"])}
        data = [
            {**point, "label": short(point["codec"]) if largest[point["codec"]] == point["data_bytes"] else ""}
            for point in own
        ]
        anchor = f"{slug(kind)}-{operation}-{slug(run.id)}"
        codecs = list(largest)
        blocks.append(
            Block(
                anchor,
                f"{kind}: {operation}",
                chart=charts.sizes(codecs),
                data=data,
                types=SIZE_TYPES,
                table=table_of(_size_grid(kind, operation, own, run), anchor, tags),
            )
        )
    return blocks


def _points(lab: Lab, kind: str, scenario: str) -> Iterator[dict[str, Any]]:
    report, _ = lab.scenarios[scenario][0]
    facts = lab.codecs
    copies = {one.cell.codec for one in report.run.plan.cells if one.role is ControlRole.COPY}
    for cell in lab.cells_of(report, scenario):
        if cell.is_figure and cell.as_published and (not cell.control or cell.codec in copies):
            yield {
                "type": kind,
                "operation": cell.operation,
                "codec": cell.codec,
                **facts[cell.codec].tags,
                "control": cell.control,
                "scenario": scenario,
                "data_bytes": cell.data_bytes,
                "median_ns": cell.median_ns,
                "gb_s": cell.data_bytes / cell.median_ns,
            }


def _size_grid(kind: str, operation: str, points: list[dict[str, Any]], run: Run) -> Grid:
    steps = sorted({(point["data_bytes"], point["scenario"]) for point in points})
    by_codec: dict[str, dict[str, float]] = {}
    for point in points:
        by_codec.setdefault(point["codec"], {})[point["scenario"]] = point["gb_s"]
    ordered = sorted(by_codec, key=lambda codec: (-by_codec[codec].get(steps[-1][1], 0.0), codec))
    rows = tuple(
        ((codec,), *((significant(by_codec[codec][s]) if s in by_codec[codec] else NOTHING,) for _, s in steps))
        for codec in ordered
    )
    return Grid(
        f"{kind}: {operation}, GB/s of the value",
        (Column(("Codec",), right=False), *(Column((size(data_bytes), scenario)) for data_bytes, scenario in steps)),
        (Section(rows),),
        notes=(
            "Each size was measured separately, under its scenario's published conditions. "
            f"{machine(run)}, {commit(run)}, run {run.id}.",
        ),
    )


def environment_page(lab: Lab) -> Page:
    """Machine, toolchain and binaries of each run."""
    blocks = [block for report in lab.runs for block in _environment(report)]
    lead = ("Where the numbers come from: what a run recorded of its machine, its toolchain and its binaries.",)
    return Page("environment", "Environment and provenance", "Environment", lead, tuple(blocks))


def _environment(report: RunReport) -> list[Block]:
    run = report.run
    facts = [*_flat("environment", run.environment), *_flat("provenance", run.provenance)]
    rows = tuple(((name,), (text,)) for name, text in facts)
    prefix = slug(run.id)
    recorded = Grid(
        "As recorded in run.json", (Column(("Field",), right=False), Column(("Value",), right=False)), (Section(rows),)
    )
    binaries = {(p.cell.codec, p.variant): p for p in reversed(run.plan.cells)}
    several = Counter(codec for codec, _ in binaries)
    compilers = run.provenance.get("compilers", {})
    runners = Grid(
        "Runners",
        tuple(Column((name,), right=False) for name in ("Codec", "Library", "SHA-256 of the runner", "Compiler")),
        (
            Section(
                tuple(
                    (
                        (codec, variant) if several[codec] > 1 and variant else (codec,),
                        (f"{planned.library} {planned.version}" if planned.library else NOTHING,),
                        (planned.sha256 or NOTHING,),
                        (NOTHING if variant else str(compilers.get(codec, NOTHING)),),
                    )
                    for (codec, variant), planned in sorted(binaries.items())
                )
            ),
        ),
    )
    return [
        Block(prefix, f"Run {run.id}", words=report.about),
        Block(f"{prefix}-facts", "What it recorded", level=3, table=table_of(recorded, f"{prefix}-fact", {})),
        Block(f"{prefix}-runners", "Its runners", level=3, table=table_of(runners, f"{prefix}-runner", {})),
    ]


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    """A tree of values as (path, text); runners have a table of their own."""
    if name == "provenance.compilers":
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, list):
        yield name, " ".join(str(one) for one in value)
    else:
        yield name, str(value)
