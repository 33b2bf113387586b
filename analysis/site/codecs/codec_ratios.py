"""A codec against a reference of its own language: what it costs to choose it instead of that one."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.base.text import bounds, significant
from analysis.data.cells import Series
from analysis.data.inference import ratio_of, time_of
from analysis.data.select import choose
from analysis.site import charts
from analysis.site.blocks import Block, table_of
from analysis.site.lab import Lab
from analysis.sources.publications import Kind
from analysis.statistics.intervals import Interval
from analysis.tables.layout import Column, Grid, Section
from analysis.tables.rows import Table
from bench.model.cells import Operation

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


def ratio_blocks(lab: Lab, codec: str) -> list[Block]:
    """The chart of a codec's ratios in every scenario that has another codec of its language; none without one."""
    ratios = [row for name in lab.scenarios for row in _ratios(lab, name, codec)]
    if not ratios:
        return []
    language = codec.partition("/")[0]
    order = list(dict.fromkeys(row["scenario"] for row in ratios))
    operations = list(dict.fromkeys(row["operation"] for row in ratios))
    chart = charts.ratios(
        order,
        f"time over that of another {language} codec",
        *charts.by_operation(operations),
        f"Points: time of {codec} over that of the reference of its language in each scenario, with 95 % intervals; "
        "left of the dashed line it is faster.",
    )
    return [
        Block(
            "ratios",
            f"Against other codecs in {language}",
            data=ratios,
            types=RATIO_TYPES,
            chart=chart,
            table=table_of(_grid(language, ratios), "ratios", {}),
        )
    ]


def reference_of(table: Table, codec: str, operation: Operation) -> str | None:
    """Another codec of the same language to compare with; None if there is none with a figure.

    It is the publication's reference, else the fastest in the publication, else the fastest measured.
    """
    others = _others(table, codec, operation)
    if named := next((name for name in table.form.reference if name in others), None):
        return named
    published = {name: table.figures.of(Kind.TIME, name, operation) for name in others}
    known = {name: ms for name, ms in published.items() if ms is not None}
    return min(known or others, key=(known or _times(others)).__getitem__, default=None)


def _others(table: Table, codec: str, operation: Operation) -> dict[str, Series]:
    language = codec.partition("/")[0]
    return {
        name: series
        for name, operations in sorted(choose(table.cells).items())
        if name != codec
        and name.partition("/")[0] == language
        and (series := operations.get(operation)) is not None
        and not series.planned.control
        and time_of(series) is not None
    }


def _times(series: Mapping[str, Series]) -> dict[str, float]:
    return {name: time.point for name, one in series.items() if (time := time_of(one)) is not None}


def _ratios(lab: Lab, scenario: str, codec: str) -> list[dict[str, Any]]:
    """The ratios at the published conditions, in the run that represents the scenario."""
    run, report = lab.scenarios[scenario][0]
    own = choose(report.table.cells).get(codec, {})
    rows = []
    for operation in report.scenario.operations:
        series, reference = own.get(operation), reference_of(report.table, codec, operation)
        if series is None or reference is None or series.planned.control:
            continue
        ratio = ratio_of(series, choose(report.table.cells)[reference][operation])
        if ratio is not None:
            low, high = (ratio.low, ratio.high) if bounds(ratio) else (ratio.point, ratio.point)
            names = {"run": run.run.id, "scenario": scenario, "operation": operation.value, "codec": codec}
            rows.append({**names, "reference": reference, "ratio": ratio.point, "low": low, "high": high})
    return rows


def _grid(language: str, rows: Sequence[dict[str, Any]]) -> Grid:
    def ratio(row: dict[str, Any]) -> tuple[str, ...]:
        interval = Interval(row["ratio"], row["low"], row["high"])
        return tuple(filter(None, (f"×{significant(interval.point)}", bounds(interval))))

    return Grid(
        f"Time over that of a reference in {language}",
        (
            Column(("Scenario",), right=False),
            Column(("Operation",), right=False),
            Column(("Reference",), right=False),
            Column(("Time over the reference's", "[95 %]")),
        ),
        (Section(tuple(((row["scenario"],), (row["operation"],), (row["reference"],), ratio(row)) for row in rows)),),
        notes=(
            f"The reference of a scenario and operation is another codec in {language}: the publication's own, else "
            "the fastest in the publication, else the fastest measured. Below ×1 this codec is faster. Both were "
            "measured in the same rounds, at the published conditions.",
        ),
    )
