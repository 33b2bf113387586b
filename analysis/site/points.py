"""The ledger as rows of data: what its chart draws and its download holds."""

from collections.abc import Iterable
from typing import Any

from analysis.claims.ledger import LedgerEntry
from analysis.render.claims_grid import versions

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
        "low": measured.low if measured else None,
        "high": measured.high if measured else None,
        "verdict": entry.verdict.value,
        "why": entry.why,
        "units": measured.units if measured else None,
        "of": measured.kind.value if measured else None,
        "needed": entry.need.units if entry.need else None,
        "needed_of": entry.need.kind.value if entry.need else None,
        "libraries": "; ".join(versions(entry)),
        "same_as": entry.same_as,
    }
