"""The published side of a claim: its factor or figure, its range, and what counts as reproducing it."""

import math

import msgspec

from analysis.claims.definitions import Entry, Pair
from analysis.claims.statements import Claim
from analysis.claims.verdicts import Band
from analysis.sources.publications import Kind
from analysis.sources.published_tables import PublishedValue


class PublishedFigure(Band, frozen=True):
    """The published figure with its tolerance, and the range that was printed."""

    low_printed: float | None = None
    high_printed: float | None = None


def published_band(entry: Entry) -> PublishedFigure:
    """The published factor (or the one figure), and what counts as reproducing it.

    Where a claim compares several rows, it is the factor that comes nearest to refuting it.
    """
    claim = entry.claim
    if not entry.pairs:
        value = entry.row.value
        low, high = value.value * (1 - claim.tolerance), value.value * (1 + claim.tolerance)
        return _limited(claim, PublishedFigure(value.value, low, high, low_printed=value.low, high_printed=value.high))
    bands = [band_of(entry, pair) for pair in entry.pairs]
    if claim.direction == "equal":
        return max(bands, key=lambda band: abs(math.log(band.point)))
    return min(bands, key=lambda band: band.point)


def band_of(entry: Entry, pair: Pair) -> PublishedFigure:
    """The published factor of one pair, or the difference where factors mean nothing, and what counts as the same.

    Where ranges are printed, the factor's range follows from their extremes: a range of k = 10 contains the true
    median with probability 1 − 2⁻⁹, so two of them give a range of at least 99.6 %.
    """
    claim = entry.claim
    if entry.kind is Kind.MEMORY:
        difference = pair.one.value.value - pair.other.value.value
        point = -difference if claim.direction == "less" else difference
        slack = abs(point) * claim.tolerance
        return _limited(claim, PublishedFigure(point, point - slack, point + slack))
    point, low, high = _published_factor(entry, pair)
    printed = (low, high) if low != high else (None, None)
    if claim.direction == "equal":
        # nearer to 1 than published is as equal as claimed, whichever of the two is ahead
        high = max(high, 1 / low)
        low = 1 / high
    # beyond its printed range, a figure within the tolerance still counts as the published one
    low, high = low / (1 + claim.tolerance), high * (1 + claim.tolerance)
    return _limited(claim, PublishedFigure(point, low, high, low_printed=printed[0], high_printed=printed[1]))


def _limited(claim: Claim, figure: PublishedFigure) -> PublishedFigure:
    if claim.at_least is None and claim.at_most is None:
        return figure
    low = -math.inf if claim.at_least is None else claim.at_least
    high = math.inf if claim.at_most is None else claim.at_most
    return msgspec.structs.replace(figure, low=low, high=high, stated=True)


def _published_factor(entry: Entry, pair: Pair) -> tuple[float, float, float]:
    """Point, low and high of the factor between two published figures, above 1 where the claim is true."""
    claim, one, other = entry.claim, pair.one.value, pair.other.value
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
    return value.scale


def contradiction(claim: Claim, kind: Kind, published: PublishedFigure) -> str | None:
    """The objection to a claim that the publication's own figures do not support; None where they do."""
    point = published.point
    limited = claim.at_least is not None or claim.at_most is not None
    beyond = limited and not published.low <= point <= published.high
    turned = point < (0 if kind is Kind.MEMORY else 1)
    backwards = claim.than is not None and claim.direction != "equal" and turned
    unequal = (
        claim.direction == "equal" and claim.than is not None and kind.is_size and abs(point - 1) > claim.tolerance
    )
    return "the publication's own figures do not support it" if beyond or backwards or unequal else None
