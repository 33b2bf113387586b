"""The published side of a claim: its factor or figure, its range, and what counts as reproducing it."""

import math

from analysis.claims.definitions import Claim, Entry, Side
from analysis.claims.verdicts import Band
from analysis.data.publications import Kind
from analysis.data.published_tables import BYTES, MS, RATES, PublishedValue


class PublishedFigure(Band, frozen=True):
    """The published figure with its tolerance, and the range that was printed."""

    low_printed: float | None = None
    high_printed: float | None = None


def published_band(entry: Entry) -> PublishedFigure:
    """The published factor (or the one figure), and what counts as reproducing it.

    Where ranges are printed, the factor's range follows from their extremes: a range of k = 10 contains the true
    median with probability 1 − 2⁻⁹, so two of them give a range of at least 99.6 %. Where a claim compares with
    several rows, it is the factor to the nearest of them.
    """
    claim = entry.claim
    if not entry.than:
        value = entry.row.value
        low, high = value.value * (1 - claim.tolerance), value.value * (1 + claim.tolerance)
        return _limited(claim, PublishedFigure(value.value, low, high, value.low, value.high))
    factors = [_published_factor(entry, side) for side in entry.than]
    point, low, high = min(factors) if claim.direction != "equal" else max(factors, key=lambda f: abs(math.log(f[0])))
    printed = (low, high) if low != high else (None, None)
    # beyond its printed range, a figure within the tolerance still counts as the published one
    return _limited(claim, PublishedFigure(point, low / (1 + claim.tolerance), high * (1 + claim.tolerance), *printed))


def _limited(claim: Claim, figure: PublishedFigure) -> PublishedFigure:
    if claim.at_least is None and claim.at_most is None:
        return figure
    low = -math.inf if claim.at_least is None else claim.at_least
    high = math.inf if claim.at_most is None else claim.at_most
    return PublishedFigure(figure.point, low, high, figure.low_printed, figure.high_printed)


def _published_factor(entry: Entry, than: Side) -> tuple[float, float, float]:
    """Point, low and high of the factor between two published figures, above 1 where the claim is true."""
    claim, one, other = entry.claim, entry.row.value, than.value
    if entry.kind is Kind.TIME_RATIO:
        ratio = (one.value,) * 3
    elif entry.kind is Kind.SPEEDUP:
        ratio = (1 / one.value,) * 3
    elif entry.kind is Kind.SIZE_REDUCTION:
        ratio = (1 - one.value / 100,) * 3
    else:
        a, b = [scale(one) * v for v in _range(one)], [scale(other) * v for v in _range(other)]
        ratio = (a[0] / b[0], a[1] / b[2], a[2] / b[1])
    return (1 / ratio[0], 1 / ratio[2], 1 / ratio[1]) if claim.direction == "less" else ratio


def _range(value: PublishedValue) -> tuple[float, float, float]:
    if value.low is None or value.high is None:
        return value.value, value.value, value.value
    return value.value, value.low, value.high


def scale(value: PublishedValue) -> float:
    """One unit of a published figure in ms, bytes, or bytes a second."""
    return {**MS, **BYTES, **RATES}.get(value.unit, 1.0)


def contradiction(claim: Claim, published: PublishedFigure) -> str | None:
    """The objection to a claim that the publication's own figures do not support; None where they do."""
    point = published.point
    limited = claim.at_least is not None or claim.at_most is not None
    beyond = limited and not published.low <= point <= published.high
    backwards = claim.than is not None and claim.direction != "equal" and point < 1
    return "the publication's own figures do not support it" if beyond or backwards else None
