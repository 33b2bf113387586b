"""The page of a scenario: its usual tables, with charts above them."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.base.anchors import site_run, site_table
from analysis.base.text import count, plural, short, size
from analysis.data.summaries import Summary, columns, flat
from analysis.site import charts
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab, scenario_page
from analysis.tables.layout import Grid
from analysis.tables.machines.across_grids import ranges_grid
from analysis.tables.notes import machine
from analysis.tables.reports import RunReport, ScenarioReport
from bench.model.plan import Profile
from bench.model.scenario import Scenario


def scenario_pages(lab: Lab) -> list[Page]:
    """A page per scenario, with a part for each run that holds it."""
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    return [_page(lab, name, reports, tags) for name, reports in lab.scenarios.items()]


def _page(
    lab: Lab, name: str, reports: Sequence[tuple[RunReport, ScenarioReport]], tags: Mapping[str, Mapping[str, str]]
) -> Page:
    scenario = reports[0][1].scenario
    blocks = [block for index, (run, one) in enumerate(reports) for block in _run_blocks(lab, run, one, tags, index)]
    if (ranges := ranges_grid(reports)) is not None:
        words = ("How far a ratio carries over from one machine to another; times of two machines share no column.",)
        blocks.append(Block("machines", "Over all machines", words=words, table=table_of(ranges, "machines", tags)))
    return Page(
        scenario_page(name), scenario.title, "Scenarios", _lead(scenario), tuple(blocks), filters=("language", "format")
    )


def _lead(scenario: Scenario) -> tuple[str, ...]:
    published = scenario.published
    rows = scenario.rows
    what = (
        f"{plural(rows, 'different row')} of type `{scenario.type}`" if rows else f"one value of type `{scenario.type}`"
    )
    return (
        f"What each codec takes for `{scenario.name}`: {what}, {size(scenario.data_size_bytes)} by the publication's "
        "count.",
        f"Reproduces: {scenario.source}; {count(published.repetitions)} repetitions, "
        f"{plural(published.rounds, 'round')}, {published.conditions}.",
    )


def _run_blocks(
    lab: Lab, run: RunReport, one: ScenarioReport, tags: Mapping[str, Mapping[str, str]], index: int
) -> list[Block]:
    cells = lab.cells_of(run, one.scenario.name)
    chosen = [cell for cell in cells if cell.as_published]
    prefix, times = site_run(index), site_table(index)
    where = f"{machine(run.run)}, {run.run.created[:10]}"
    order = _order(one, chosen)
    operations = [operation.value for operation in one.scenario.operations]
    published = Block(
        times,
        f"{'Sizes and instructions' if run.run.plan.profile is Profile.UNTIMED else 'Times'} on {where}",
        warnings=one.published.warnings,
        chart=charts.times(order, operations) if chosen else None,
        table=table_of(one.published, times, tags, header=_codec_column(one.published)),
        data=[_row(cell) for cell in chosen],
        types=ROW_TYPES,
    )
    blocks = [published]
    if one.scenario.is_files:
        blocks.append(_throughput(prefix, chosen, order, operations))
    blocks += _size_and_time(prefix, one, chosen)
    variants = Block(
        f"{prefix}-beside",
        "What the published method hides",
        table=table_of(one.variants, f"{prefix}-beside", tags),
        data=[_row(cell) for cell in cells if not cell.as_published],
        types=ROW_TYPES,
    )
    if one.apart:
        name = f"{prefix}-apart"
        blocks.append(Block(name, "What the publication measures besides", table=table_of(one.apart, name, tags)))
    blocks.append(variants)
    if one.network:
        name = f"{prefix}-network"
        blocks.append(Block(name, "Over a network", table=table_of(one.network, name, tags)))
    return blocks


def _codec_column(grid: Grid) -> int:
    """The first column of text."""
    return next(index for index, column in enumerate(grid.columns) if not column.right)


def _order(one: ScenarioReport, chosen: Sequence[Summary]) -> list[str]:
    """Codecs from the fastest to the slowest, controls last."""
    ordered = [row.codec for row in one.table.overview.rows]
    return [codec for codec in ordered if any(cell.codec == codec for cell in chosen)]


ROW_TYPES: Mapping[str, type] = {**columns(), "short": str, "kind": str, "rate_mbit_s": float}


def _row(cell: Summary) -> dict[str, Any]:
    """A cell, with further fields for charts."""
    rate = cell.file_bytes * 8e3 / cell.median_ns if cell.file_bytes else None
    kind = "self-describing" if cell.self_describing else "needs a schema"
    return {**flat(cell), "short": short(cell.codec), "kind": kind, "rate_mbit_s": rate}


def _throughput(prefix: str, chosen: Sequence[Summary], order: Sequence[str], operations: Sequence[str]) -> Block:
    data = [_row(cell) for cell in chosen if cell.file_bytes]
    chart = charts.throughput(order, operations) if data else None
    return Block(
        f"{prefix}-throughput",
        "Throughput of files",
        chart=chart,
        data=data,
        types=ROW_TYPES,
        words=(
            "Bytes of each codec's own file, so that a small format has to do more rows for the same rate; the "
            "table above has the time a row.",
        ),
    )


def _size_and_time(prefix: str, one: ScenarioReport, chosen: Sequence[Summary]) -> list[Block]:
    operation = one.table.overview.operation.value
    data = [_row(c) for c in chosen if c.operation == operation and not c.control and c.encoded_bytes]
    if len(data) < 2:
        return []
    return [
        Block(
            f"{prefix}-size",
            "Size against time",
            chart=charts.size_and_time(operation),
            data=data,
            types=ROW_TYPES,
            words=("Cells at the published conditions: small and fast is at the lower left.",),
        )
    ]
