"""The table of scenarios whose publication has a form of its own: what one item takes, ratios to named codecs, sizes.

Which of these columns there are says the scenario (`published.form`).
"""

from msgspec import Struct

from analysis.data.cells import ScenarioCells, ratio_of
from analysis.data.published_tables import PublishedRows
from analysis.data.select import Chosen, choose
from analysis.statistics.intervals import Interval
from analysis.tables.form import PublishedForm, Timing, in_order, size_of
from bench.model.cells import Operation
from bench.model.scenario import TableForm


class ItemRow(Struct, frozen=True):
    """A codec in the section of an operation."""

    codec: str
    published_name: str | None
    size_bytes: int | None
    smaller_percent: float | None
    """How much smaller than the messages of the codec that the form names."""
    published_smaller_percent: float | None
    timing: Timing | None
    """None where every process of the cell failed."""
    us_an_item: float | None
    published_us_an_item: float | None
    times_as_fast: tuple[Interval | None, ...]
    """As each codec of the form: its time over this codec's, per round."""
    published_times_as_fast: tuple[float | None, ...]


class ItemSection(Struct, frozen=True):
    """An operation, its codecs from the fastest to the slowest."""

    operation: Operation
    rows: tuple[ItemRow, ...]


def item_sections(
    cells: ScenarioCells,
    form: PublishedForm,
    platform: str,
    published: PublishedRows | None,
    of_items: PublishedRows | None,
) -> tuple[ItemSection, ...]:
    """The sections of a scenario's table. `of_items` holds what was published of single items."""
    timings = {row.codec: row.timings for row in (*form.codecs, *form.controls)}
    chosen = choose(cells)
    return tuple(
        ItemSection(
            operation,
            tuple(
                _row(codec, operation, chosen, timings[codec].get(operation), platform, published, of_items, cells)
                for codec in in_order({c: o for c, o in chosen.items() if operation in o}, operation)
            ),
        )
        for operation in cells.scenario.operations
    )


def _row(
    codec: str,
    operation: Operation,
    chosen: Chosen,
    timing: Timing | None,
    platform: str,
    published: PublishedRows | None,
    of_items: PublishedRows | None,
    cells: ScenarioCells,
) -> ItemRow:
    shape = cells.scenario.published.form or TableForm()
    name = cells.scenario.published.rows.get(codec)
    size, series = size_of(chosen[codec]), chosen[codec][operation]
    whole = size_of(chosen.get(shape.smaller_than or "", {}))

    def printed(metric: str, table: PublishedRows | None = published) -> float | None:
        return table.metric(platform, metric).get((name, operation)) if table and name else None

    def speedup(other: str) -> Interval | None:
        base = chosen.get(other, {}).get(operation)
        return ratio_of(base, series) if base and base.measured and series.measured else None

    return ItemRow(
        codec=codec,
        published_name=name,
        size_bytes=size,
        smaller_percent=100 * (1 - size / whole) if size and whole else None,
        published_smaller_percent=published.of_row(platform, name, "payload_reduction") if published and name else None,
        timing=timing,
        us_an_item=timing.median_ms * 1e3 / shape.items if timing and shape.items else None,
        published_us_an_item=printed("time_per_object", of_items),
        times_as_fast=tuple(speedup(other) for other in shape.relative_to),
        published_times_as_fast=tuple(printed(f"speedup_vs_{other.partition('/')[2]}") for other in shape.relative_to),
    )
