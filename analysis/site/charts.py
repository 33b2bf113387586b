"""Charts as Vega-Lite specifications, by Altair. Their data is named `rows` and comes with the block.

Times and ratios have logarithmic axes, where equal distances are equal factors, and are drawn as points with their
intervals: a bar would have to begin at zero, which such an axis does not have.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
from msgspec import Struct

from analysis.claims.verdicts import Verdict
from analysis.site.blocks import Chart

DATA = "rows"
VALUE = "datum.value"
TIME = (
    f"{VALUE} >= 1e9 ? format({VALUE} / 1e9, '.3~g') + ' s' : {VALUE} >= 1e6 ? format({VALUE} / 1e6, '.3~g') + ' ms' : "
    f"{VALUE} >= 1e3 ? format({VALUE} / 1e3, '.3~g') + ' µs' : format({VALUE}, '.3~g') + ' ns'"
)
BYTES = (
    f"{VALUE} >= 1048576 ? format({VALUE} / 1048576, '.3~g') + ' MiB' : "
    f"{VALUE} >= 1024 ? format({VALUE} / 1024, '.3~g') + ' KiB' : format({VALUE}, '.3~g') + ' B'"
)
FACTOR = f"'×' + format({VALUE}, '.3~g')"
NUMBER = f"format({VALUE}, '.3~g')"
LEADING = f"round({VALUE} / pow(10, floor(log({VALUE}) / LN10 + 1e-9)) * 10) / 10"
"""First digit of a tick: 1 where it is a power of ten."""
STEP = 22
LOG = alt.Scale(type="log", nice=False, padding=12)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
KINDS = ("self-describing", "needs a schema")
FRONT = ("on the front", "beaten")
PARETO = (
    "Points: each codec's size against its time to write and read, both logarithmic; small and fast is at the lower "
    "left. A codec is beaten if another is at least as small and as fast, and better in one of the two; a small "
    "difference of time may be chance."
)
VERDICTS = tuple(verdict.value for verdict in Verdict)


def times(order: Sequence[str], operations: Sequence[str]) -> Chart:
    """Codec by time of one repetition: a point and its 95 % interval, over the thin line from minimum to maximum."""
    colour, shape = by_operation(operations)
    base = _of_figures().encode(
        y=alt.Y("codec:N", sort=list(order), title=None),
        yOffset=alt.YOffset("operation:N", sort=list(operations)),
        color=colour,
    )
    axis, title = _axis(TIME, "x", orient="top"), "time of one repetition, logarithmic"
    spread = base.mark_rule(opacity=0.35).encode(x=_x("min_ns", axis, title), x2="max_ns:Q")
    interval = base.mark_rule(strokeWidth=3).encode(x=_x("low_ns", axis, title), x2="high_ns:Q")
    point = _points(base, 45).encode(
        x=_x("median_ns", axis, title),
        shape=shape,
        tooltip=["codec:N", "operation:N", "median_ns:Q", "low_ns:Q", "high_ns:Q", "min_ns:Q", "max_ns:Q", "rounds:Q"],
    )
    step = STEP if len(operations) < 3 else STEP * 3 // 2
    return _chart(
        spread + interval + point,
        Lines("codec", step, len(order)),
        "Points: median time of one repetition by codec and operation, fastest codec first, with its 95 % interval and "
        "a thin line from minimum to maximum, on a logarithmic axis; without cells of which too few loops were calm.",
    )


def size_and_time(operation: str) -> Chart:
    """Encoded size by time; codecs that no other beats in both are at the lower left."""
    base = _of_figures().encode(
        x=_x("encoded_bytes", _axis(BYTES, "x"), "encoded size, logarithmic"),
        y=_y("median_ns", _axis(TIME, "y"), f"{operation}, time of one repetition"),
    )
    scale = alt.Scale(domain=list(KINDS))
    point = _points(base, 60).encode(
        color=alt.Color("kind:N", title=None, legend=_legend(), scale=scale),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=list(SHAPES[:2]))),
        tooltip=["codec:N", "format:N", "encoded_bytes:Q", "median_ns:Q"],
    )
    label = base.mark_text(align="left", dx=7, dy=3, fontSize=10).encode(text="short:N")
    says = (
        f"Points: encoded size against the time of {operation}, both logarithmic; small and fast is at the lower left."
    )
    return _chart(point + label, 420, says)


def pareto() -> Chart:
    """Encoded size by the time to write and read, with a line along the codecs that no other beats in both."""
    base = _base().encode(
        x=_x("size_bytes", _axis(BYTES, "x"), "encoded size, logarithmic"),
        y=_y("total_ns", _axis(TIME, "y"), "time to write and read, logarithmic"),
    )
    line = base.transform_filter(f"datum.kind == '{FRONT[0]}'").mark_line(strokeDash=[4, 3], opacity=0.7)
    point = _points(base, 70).encode(
        color=alt.Color("kind:N", title=None, legend=_legend(), scale=alt.Scale(domain=list(FRONT))),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=list(FRONT), range=list(SHAPES[:2]))),
        tooltip=["codec:N", "format:N", "size_bytes:Q", "total_ns:Q"],
    )
    label = base.mark_text(align="left", dx=7, dy=-6, fontSize=11).encode(text="label:N")
    return _chart(line + point + label, 360, PARETO)


def throughput(order: Sequence[str], operations: Sequence[str]) -> Chart:
    """Codec by Mbit/s of its file."""
    colour, shape = by_operation(operations)
    chart = _points(_of_figures(), 60).encode(
        x=_x("rate_mbit_s", _axis(NUMBER, "x", orient="top"), "Mbit/s of the file, logarithmic"),
        y=alt.Y("codec:N", sort=list(order), title=None),
        color=colour,
        shape=shape,
        tooltip=["codec:N", "operation:N", "rate_mbit_s:Q", "file_bytes:Q"],
    )
    lines = Lines("codec", STEP, len(order))
    return _chart(chart, lines, "Points: megabits of its file that each codec writes, reads or filters in a second.")


def sizes(codecs: Sequence[str]) -> Chart:
    """Throughput by size of the value: one line per codec, the copying control dashed."""
    base = _base().encode(
        x=_x("data_bytes", _axis(BYTES, "x"), "size of the value, logarithmic"),
        y=_y("gb_s", _axis(NUMBER, "y"), "GB/s of the value, logarithmic"),
        color=alt.Color("codec:N", sort=list(codecs), title=None, legend=None),
        detail="codec:N",
    )
    dashes = alt.Scale(domain=[False, True], range=[[1, 0], [6, 4]])
    line = base.mark_line(strokeWidth=1.5).encode(strokeDash=alt.StrokeDash("control:N", legend=None, scale=dashes))
    point = _points(base, 40).encode(tooltip=["codec:N", "scenario:N", "data_bytes:Q", "gb_s:Q"])
    label = base.mark_text(align="left", dx=7, fontSize=10).encode(text="label:N")
    return _chart(
        line + point + label,
        480,
        "Lines: bytes of the value a second against its size, one line per codec; the copying control is dashed and is "
        "the most that the machine can do.",
    )


def ratios(order: Sequence[str], title: str, colour: alt.Color, shape: alt.Shape, says: str) -> Chart:
    """Scenarios by a ratio with its interval; a dashed line at 1."""
    axis = _axis(FACTOR, "x", orient="top")
    title = f"{title}, logarithmic"
    y = alt.Y("scenario:N", sort=list(order), title=None)
    one = _at_one().mark_rule(strokeDash=[4, 3]).encode(x=_x("one", axis, title))
    encoded = _base().encode(y=y, color=colour)
    interval = encoded.mark_rule(strokeWidth=2).encode(x=_x("low", axis, title), x2="high:Q")
    point = _points(encoded, 45).encode(
        x=_x("ratio", axis, title), shape=shape, tooltip=["codec:N", "scenario:N", "ratio:Q", "low:Q", "high:Q"]
    )
    return _chart(one + interval + point, Lines("scenario", STEP, len(order)), says)


def claims() -> Chart:
    """Published factor by measured factor: what reproduces is on the diagonal, what is reversed is below 1."""
    base = _base()
    x = _x("published", _axis(FACTOR, "x"), "published factor, logarithmic")
    axis, title = _axis(FACTOR, "y"), "measured here, with its 95 % interval"
    scale = alt.Scale(domain=list(VERDICTS))
    colour = alt.Color("verdict:N", title=None, legend=_legend(), scale=scale)
    shapes = alt.Scale(
        domain=list(VERDICTS), range=["circle", "square", "triangle-down", "triangle-up", "cross", "diamond"]
    )
    ends = base.transform_aggregate(low="min(published)", high="max(published)")
    diagonal = ends.transform_fold(["low", "high"], as_=["end", "at"]).mark_line(strokeDash=[4, 3], opacity=0.6)
    rule = _at_one().mark_rule(opacity=0.6).encode(y=_y("one", axis, title))
    interval = base.mark_rule().encode(x=x, y=_y("low", axis, title), y2="high:Q", color=colour)
    point = _points(base, 50).encode(
        x=x,
        y=_y("measured", axis, title),
        color=colour,
        shape=alt.Shape("verdict:N", title=None, scale=shapes),
        tooltip=["claim:N", "says:N", "published:Q", "measured:Q", "verdict:N"],
    )
    return _chart(
        diagonal.encode(x=alt.X("at:Q", scale=LOG), y=_y("at", axis, title)) + rule + interval + point,
        420,
        "Points: every measured claim of a factor, the published factor against the one measured here. On the dashed "
        "diagonal it reproduces exactly; below the line at 1 it is the other way round.",
    )


def by_operation(operations: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape by operation, in one legend."""
    domain, shapes = list(operations), [SHAPES[index % len(SHAPES)] for index in range(len(operations))]
    return (
        alt.Color("operation:N", title=None, legend=_legend(), scale=alt.Scale(domain=domain)),
        alt.Shape("operation:N", title=None, scale=alt.Scale(domain=domain, range=shapes)),
    )


def by_language(languages: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape by language, in one legend."""
    domain, shapes = list(languages), [SHAPES[index % len(SHAPES)] for index in range(len(languages))]
    return (
        alt.Color("language:N", title=None, legend=_legend(), scale=alt.Scale(domain=domain)),
        alt.Shape("language:N", title=None, scale=alt.Scale(domain=domain, range=shapes)),
    )


def _base() -> alt.Chart:
    return alt.Chart(alt.NamedData(name=DATA))


def _of_figures() -> alt.Chart:
    """Of cells with a figure alone: the median of disturbed loops tells nothing."""
    chart: alt.Chart = _base().transform_filter(alt.FieldEqualPredicate(field="is_figure", equal=True))
    return chart


def _at_one() -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[{"one": 1}]))


def _points(chart: alt.Chart, size: int) -> alt.Chart:
    marked: alt.Chart = chart.mark_point(filled=True, size=size, opacity=0.9)
    return marked


def _x(field: str, axis: alt.Axis, title: str) -> alt.X:
    return alt.X(f"{field}:Q", scale=LOG, title=title, axis=axis)


def _y(field: str, axis: alt.Axis, title: str) -> alt.Y:
    return alt.Y(f"{field}:Q", scale=LOG, title=title, axis=axis)


def _axis(label: str, channel: str, orient: Any = alt.Undefined) -> alt.Axis:
    """A logarithmic axis; over many decades only 1, 2 and 5 or the powers of ten have a label and a full line."""
    span = f"domain('{channel}')[1] / domain('{channel}')[0]"
    shown = f"({span} < 30 || ({span} < 1000 ? indexof([1, 2, 5], {LEADING}) >= 0 : {LEADING} == 1))"
    return alt.Axis(labelExpr=f"{shown} ? {label} : ''", orient=orient, tickCount=6, gridOpacity=0.5, labelOverlap=True)


def _legend() -> alt.Legend:
    return alt.Legend(orient="top", direction="horizontal", columns=3)


class Lines(Struct, frozen=True):
    """A chart as high as its categories need: one line of a fixed height for each value of a field."""

    field: str
    pixels: int
    number: int


def _chart(chart: Any, height: Lines | int, says: str) -> Chart:
    pixels = height if isinstance(height, int) else height.pixels * max(1, height.number)
    spec: dict[str, Any] = chart.properties(width="container", height=pixels).to_dict()
    spec.pop("config", None)  # colours and fonts are the page's
    if isinstance(height, Lines):  # by which the page lowers it when rows are filtered
        spec["usermeta"] = {"field": height.field, "pixels": height.pixels}
    return Chart(spec, says)
