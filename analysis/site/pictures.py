"""Charts as SVG files, for pages that run no scripts; the same bytes every time, by the pinned vl-convert."""

from collections.abc import Sequence
from typing import Any

import vl_convert

from analysis.claims.ledger_entry import LedgerEntry
from analysis.site import charts
from analysis.site.blocks import Chart
from analysis.site.points import claim_points
from analysis.site.write import VEGA_LITE

WIDTH = 760
FONT = "Liberation Sans"
"""The font that vl-convert includes, so that texts have the same width on every machine."""
COLOURS = ("#0b62c4", "#c2410c", "#047857", "#7c3aed", "#be185d", "#525252", "#a16207", "#0e7490")
"""The colours of the report's light theme, on white."""
CONFIG: dict[str, Any] = {
    "background": "#ffffff",
    "font": FONT,
    "view": {"stroke": "#d0d7de"},
    "range": {"category": list(COLOURS)},
    "axis": {"labelColor": "#1b1f24", "titleColor": "#57606a", "gridColor": "#d0d7de", "titleFontWeight": "normal"},
    "rule": {"color": "#57606a"},
    "line": {"color": "#57606a"},
}


def draw_claims(entries: Sequence[LedgerEntry]) -> str | None:
    """The picture of the ledger; None if no claim of a factor was measured."""
    points = claim_points(entries)
    return draw(charts.claims(), points) if points else None


def draw(chart: Chart, rows: Sequence[dict[str, Any]]) -> str:
    """A chart with its data as an SVG file."""
    datasets = {**chart.spec.get("datasets", {}), charts.DATA: list(rows)}
    spec = {**chart.spec, "width": WIDTH, "datasets": datasets, "padding": 12}
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, config=CONFIG)).rstrip() + "\n"
