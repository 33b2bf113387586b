"""Writes pages as files: HTML by Jinja2, data as CSV and Parquet, the charts' scripts; the same bytes every time."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from analysis.render import export
from analysis.site.blocks import Block, Page
from analysis.site.calculator import calculator_page
from analysis.site.choose.replacing import replacing_page
from analysis.site.codecs.codec_pages import codec_pages
from analysis.site.lab import Lab
from analysis.site.machines.cpus_page import cpus_page
from analysis.site.matrices import fidelity_page, fuzzing_page, interop_page
from analysis.site.overview import environment_page, ledger_page, overview_page, sizes_page
from analysis.site.scenario import scenario_pages
from analysis.site.trust.conformance_page import conformance_page
from analysis.site.trust.evolution_page import evolution_page
from analysis.site.trust.matrix_page import matrix_page
from bench.base.paths import PAGE_MARKER
from bench.base.protocol import PROTOCOL
from bench.base.visible import UNSAFE, visible_lines
from bench.model.plan import Profile

MARKER = PAGE_MARKER
HERE = Path(__file__).parent
NAVIGATION = {
    "Overview": "index.html",
    "Scenarios": "index.html#scenarios",
    "Codecs": "codecs.html",
    "Ledger": "ledger.html",
    "Your CPU": "cpus.html",
    "In place of": "replace.html",
    "Sizes": "sizes.html",
    "Beyond speed": "beyond-speed.html",
    "Interoperability": "interop.html",
    "Fidelity": "fidelity.html",
    "Malformed input": "malformed.html",
    "Schema evolution": "evolution.html",
    "Conformance": "conformance.html",
    "Calculator": "calculator.html",
    "Environment": "environment.html",
}
VEGA_LITE = "6.4"
"""The version whose schema Altair writes; a test compares the two."""


def pages(lab: Lab) -> list[Page]:
    """Every page of the site."""
    return [
        overview_page(lab),
        *scenario_pages(lab),
        *codec_pages(lab),
        ledger_page(lab),
        cpus_page(lab),
        replacing_page(lab),
        sizes_page(lab),
        interop_page(lab),
        fidelity_page(lab),
        fuzzing_page(lab),
        evolution_page(lab),
        conformance_page(lab),
        matrix_page(lab),
        calculator_page(lab),
        environment_page(lab),
    ]


def files(lab: Lab) -> Iterator[tuple[str, bytes]]:
    """(Path below the site's folder, content) of every file."""
    templates = templates_of(lab)
    for page in pages(lab):
        yield f"{page.name}.html", html_of(templates, page).encode()
        for block in page.blocks:
            if block.data:
                frame = frame_of(block)
                yield f"{data_path(page, block)}.csv", export.csv_of(frame)
                yield f"{data_path(page, block)}.parquet", export.parquet_of(frame)
    for name in ("site.css", "site.js", "calculator.js", "chooser.js"):
        yield f"assets/{name}", (HERE / "assets" / name).read_bytes()
    yield "assets/vega.js", vega_bundle().encode()
    yield MARKER, msgspec.json.format(msgspec.json.encode({"protocol": PROTOCOL, "runs": [r.run.id for r in lab.runs]}))


def data_path(page: Page, block: Block) -> str:
    """The path of a figure's data, without its ending."""
    return f"data/{page.name}-{block.anchor}"


def frame_of(block: Block) -> pl.DataFrame:
    """The data of a figure as a table with typed columns."""
    return export.frame_of(block.data, block.types)


def chart_data(block: Block) -> list[dict[str, Any]]:
    """The data of a figure as its chart reads it: only the fields that the chart or filters use."""
    assert block.chart
    text = json.dumps(block.chart.spec)
    wanted = {name for name in block.types if f'"{name}"' in text or f"({name})" in text}
    wanted |= {"codec", "language", "format"} & set(block.types)
    return [{name: row[name] for name in block.types if name in wanted} for row in block.data]


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, as bundled by vl-convert; defines `vegaEmbed`."""
    return f"(() => {{\n{vl_convert.javascript_bundle('window.vegaEmbed = vegaEmbed;', vl_version=VEGA_LITE)}\n}})();\n"


def templates_of(
    lab: Lab, *, navigation: Mapping[str, str] = NAVIGATION, links: Mapping[str, str] | None = None
) -> Environment:
    """The templates, with what every page shows of the runs."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"words": words, "embedded": embedded, "sentence_first": sentence_first}
    quick = [report.run.id for report in lab.runs if report.run.plan.profile is Profile.QUICK]
    environment.globals |= {
        "links": lab.links if links is None else links,
        "navigation": navigation,
        "data_path": data_path,
        "chart_data": chart_data,
        "quick": quick,
        "runs": [report.run.id for report in lab.runs],
    }
    return environment


def html_of(templates: Environment, page: Page) -> str:
    """A page."""
    return visible_lines(templates.get_template(page.template).render(page=page))


def words(text: str) -> Markup:
    """Prose, with text between backticks as code."""
    parts = str(escape(text)).split("`")
    if len(parts) % 2 == 0:
        return Markup("`".join(parts))
    return Markup("".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts)))


def sentence_first(lead: Sequence[str]) -> list[str]:
    """The paragraphs at a page's top, with the first sentence as one of its own: it says what the page shows."""
    if not lead:
        return []
    return [*re.split(r"(?<=[.?]) (?=[A-Z])", lead[0], maxsplit=1), *lead[1:]]


def embedded(value: object) -> Markup:
    """A value as JSON that no `</script>` ends early."""
    text = msgspec.json.encode(value).decode()
    return Markup(shown_json(text).replace("<", "\\u003c"))


def shown_json(text: str) -> str:
    """JSON of the texts as a page shows them: no script can restore a control character from a run."""
    text = re.sub(r"\\(\\|[bfnrt]|u[0-9a-f]{4})", lambda match: match[0] if match[1] == "\\" else f"\\{match[0]}", text)
    return UNSAFE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text)
