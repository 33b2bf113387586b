"""The page of `lab try`: the table, sizes against times, and the types."""

from collections.abc import Iterator
from typing import Any

import msgspec

from analysis.base.text import plural
from analysis.render import export
from analysis.site import charts
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab, codecs_of
from analysis.site.write import HERE, MARKER, data_path, frame_of, html_of, templates_of, vega_bundle
from analysis.tables.counts.footprints import FootprintTable
from analysis.tables.reports import read_report
from analysis.tables.trials.trial_grid import trial_grid
from analysis.tables.trials.trial_rows import Trial, TrialRow
from analysis.tables.trials.trial_words import in_words
from analysis.tables.trust.answered import Answers
from bench.base.protocol import PROTOCOL
from bench.model.cells import Operation
from bench.model.plan import Profile

TYPES: dict[str, type] = {
    "codec": str,
    "short": str,
    "language": str,
    "format": str,
    "kind": str,
    "encoded_bytes": int,
    "zstd_bytes": int,
    "dictionary_bytes": int,
    "median_ns": float,
    "low_ns": float,
    "high_ns": float,
    "is_figure": bool,
    "serialize_ns": float,
    "deserialize_ns": float,
}


def trial_files(trial: Trial) -> Iterator[tuple[str, bytes]]:
    """(Path below the folder, content) of every file."""
    report = read_report(trial.cells.path)
    lab = Lab(
        runs=(report,),
        summaries={},
        extras={},
        answers=Answers(),
        footprints=FootprintTable(),
        ledger=(),
        rankings=(),
        titles={},
        codecs=codecs_of([report]),
        scenarios={},
    )
    page = trial_page(trial)
    templates = templates_of(lab, navigation={"This data": "index.html"}, links={})
    yield "index.html", html_of(templates, page).encode()
    for block in page.blocks:
        if block.data:
            frame = frame_of(block)
            yield f"{data_path(page, block)}.csv", export.csv_of(frame)
            yield f"{data_path(page, block)}.parquet", export.parquet_of(frame)
    for name in ("site.css", "site.js"):
        yield f"assets/{name}", (HERE / "assets" / name).read_bytes()
    yield "assets/vega.js", vega_bundle().encode()
    yield MARKER, msgspec.json.encode({"protocol": PROTOCOL, "runs": [trial.cells.run.id]})


def trial_page(trial: Trial) -> Page:
    """The one page."""
    grid, rows = trial_grid(trial), [_data(row) for row in trial.rows if row.compares]
    tags = {row.codec: {"language": row.codec.partition("/")[0], "format": row.format or ""} for row in trial.rows}
    quick = trial.cells.run.plan.profile is Profile.QUICK
    blocks = [
        Block(
            "front",
            "Size and time",
            words=() if quick else (in_words(trial),),
            chart=charts.size_and_time("a message's round trip") if rows and not quick else None,
            data=rows,
            types=TYPES,
        ),
        Block("codecs", "Codecs", warnings=grid.warnings, table=table_of(grid, "codec", tags)),
    ]
    lead = (
        f"{plural(trial.report.messages, 'message')} of `{trial.report.name.replace('`', chr(39))}` through "
        f"{plural(len(trial.rows), 'codec')}, on this machine alone.",
    )
    return Page("index", f"Codecs for {trial.report.name}", "This data", lead, tuple(blocks))


def _data(row: TrialRow) -> dict[str, Any]:
    assert row.data.sizes and row.round_trip
    serialize, deserialize = (row.times.get(one) for one in (Operation.SERIALIZE, Operation.DESERIALIZE))
    return {
        "codec": row.codec,
        "short": row.codec.partition("/")[2],
        "language": row.codec.partition("/")[0],
        "format": row.format,
        "kind": charts.KINDS[0] if row.self_describing else charts.KINDS[1],
        "encoded_bytes": row.data.sizes.total_bytes,
        "zstd_bytes": row.data.zstd.total_bytes if row.data.zstd else None,
        "dictionary_bytes": row.data.dictionary.total_bytes if row.data.dictionary else None,
        "median_ns": row.round_trip.ns,
        "low_ns": row.round_trip.low_ns,
        "high_ns": row.round_trip.high_ns,
        "is_figure": row.round_trip.is_figure,
        "serialize_ns": serialize.ns if serialize else None,
        "deserialize_ns": deserialize.ns if deserialize else None,
    }
