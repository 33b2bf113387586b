"""The ledger as rows of data, and the evidence that opens under a claim."""

import math
from collections.abc import Iterable
from typing import Any

from analysis.base.anchors import row_anchor, site_page, site_table
from analysis.claims.ledger_entry import LedgerEntry
from analysis.render.claims_grid import versions
from analysis.render.evidence_facts import Fact, evidence_facts
from analysis.site.lab import Lab
from analysis.tables.rows import RankedRows
from bench.model.cells import Operation

CLAIM_TYPES: dict[str, type] = {
    "claim": str,
    "source": str,
    "platform": str,
    "says": str,
    "cell": str,
    "unit": str,
    "published": float,
    "measured": float,
    "low": float,
    "high": float,
    "verdict": str,
    "why": str,
    "sentence": str,
    "quote": str,
    "address": str,
    "section": str,
    "run": str,
    "cells": str,
    "command": str,
    "units": int,
    "of": str,
    "needed": int,
    "needed_of": str,
    "libraries": str,
    "same_as": str,
}


def claim_points(entries: Iterable[LedgerEntry]) -> list[dict[str, Any]]:
    """The claims of a factor that were measured."""
    return [claim_row(e) for e in entries if e.measured is not None and e.unit == "x"]


def claim_row(entry: LedgerEntry) -> dict[str, Any]:
    """A line of the ledger."""
    measured = entry.measured
    return {
        "claim": entry.id,
        "source": entry.source,
        "platform": entry.platform,
        "says": entry.says,
        "cell": entry.cell,
        "unit": entry.unit,
        "published": entry.published,
        "measured": measured.point if measured else None,
        "low": measured.low if measured and math.isfinite(measured.high) else None,
        "high": measured.high if measured and math.isfinite(measured.high) else None,
        "verdict": entry.verdict.value,
        "why": entry.why,
        "sentence": entry.sentence,
        "quote": entry.quote,
        "address": entry.evidence.quotation.address,
        "section": entry.evidence.quotation.section,
        "run": entry.evidence.run,
        "cells": "; ".join(side.cell for side in entry.evidence.sides if side.cell) or None,
        "command": entry.evidence.command,
        "units": measured.units if measured else None,
        "of": measured.kind.value if measured else None,
        "needed": entry.need.units if entry.need else None,
        "needed_of": entry.need.kind.value if entry.need else None,
        "libraries": "; ".join(versions(entry)),
        "same_as": entry.same_as,
    }


def claim_details(lab: Lab, entry: LedgerEntry) -> tuple[Fact, ...]:
    """What opens under a claim: the sentence, and the evidence with a link to the row of the table."""
    facts = [fact for fact in evidence_facts(entry) if fact.name not in ("Claim", "Table")]
    link = row_link(lab, entry)
    table = [Fact("Table", (f"{entry.evidence.sides[0].codec} {entry.evidence.scenario}",), link)] if link else []
    return (Fact("Verdict", (entry.sentence,)), *facts[:-1], *table, *facts[-1:])


def row_link(lab: Lab, entry: LedgerEntry) -> str | None:
    """The page and the row of the first cell that decides a claim; None where no table of the site shows it, and for
    claims that no cell decides, such as those of equal bytes."""
    evidence = entry.evidence
    reports = lab.scenarios.get(evidence.scenario or "", ())
    index = next((index for index, (run, _) in enumerate(reports) if run.run.id == evidence.run), None)
    if evidence.scenario is None or index is None or not evidence.sides:
        return None
    codec, number = evidence.sides[0].codec, 0
    for section in reports[index][1].table.sections:
        if any(row.codec == codec for row in section.rows):
            number += 1
            if entry.exact or evidence.operation in {operation.value for operation in _shown(section, codec)}:
                return f"{site_page(evidence.scenario)}.html#{row_anchor(site_table(index), codec, number)}"
    return None


def _shown(section: RankedRows, codec: str) -> list[Operation]:
    """The operations of which a section has a time of a codec: its own, or all where they are columns."""
    rows = [row for row in section.rows if row.codec == codec]
    return [section.operation, *(operation for row in rows for operation in row.measures)]
