"""How often verdicts are wrong, simulated: `python -m tests.studies.verdict_simulation` prints the table.

Two cells, each linked in K layouts. The logarithm of a layout's figure is the cell's own, plus the layout's (normal, of
a given spread), plus the error of the median of its calm loops. The interval of the ratio is Welch's over layouts; the
noise floor comes from twins, which run the same links under two names, as most pairs of a run do: it holds no layouts.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from analysis.claims.verdicts import Band, Verdict, verdict_of_factor
from analysis.statistics.estimates import Estimate, Unit
from bench.statistics.layouts import MEDIAN_ERROR, SINGLE_LAYOUT_MARGIN, ratio_estimate
from bench.statistics.student import student_quantile

LOOPS = 10
"""Calm loops a layout."""
SAME_PAIRS = 6
"""Pairs of identical code in a scenario."""
FASTER = Band(1.3, 1.3 / 1.1, 1.3 * 1.1)
AS_FAST = Band(1.0, 1 / 1.1, 1.1)


class Claimed(Struct, frozen=True):
    """A published comparison and what is true here."""

    direction: str
    band: Band
    truth: float

    def is_wrong(self, verdict: Verdict) -> bool:
        """Whether a verdict says what is not so; undecided never does."""
        inside = self.band.low <= self.truth <= self.band.high
        if verdict is Verdict.REPRODUCED:
            return not inside
        if verdict is Verdict.SAME_DIRECTION:
            return self.truth <= 1
        if verdict is Verdict.REFUTED:
            return inside if self.direction == "equal" else self.truth >= 1
        return False


class Setting(Struct, frozen=True):
    """How it is measured: layouts of each side, their spread, and the noise of a loop, both as logarithms."""

    layouts: int
    spread: float
    noise: float


FASTER_CLAIMS = [Claimed("less", FASTER, truth) for truth in (1.3, 1.43, 1.1, 1.0, 0.9)]
EQUAL_CLAIMS = [Claimed("equal", AS_FAST, truth) for truth in (1.0, 1.1, 1.2)]
LAYOUTS, SPREADS, NOISES = (4, 8, 16), (0.0, 0.02, 0.05), (0.01, 0.03)
SETTINGS = [Setting(*one) for one in product(LAYOUTS, SPREADS, NOISES)]


def verdicts(claimed: Claimed, setting: Setting, trials: int, seed: int) -> Iterator[Verdict]:
    """The verdict of each of a number of runs."""
    random = np.random.default_rng([seed, setting.layouts, round(1e4 * setting.spread), round(1e4 * setting.noise)])
    for _ in range(trials):
        measured = _measured(random, setting, math.log(claimed.truth))
        yield verdict_of_factor(claimed.direction, measured, claimed.band, _floor(random, setting)).verdict


def verdicts_of_one_layout(claimed: Claimed, spread: float, noise: float, trials: int) -> Iterator[Verdict]:
    """The same where each cell has one layout, measured in 20 rounds: the interval knows nothing of the spread."""
    random = np.random.default_rng([round(1e4 * spread), round(1e4 * noise)])
    for _ in range(trials):
        shift = math.log(claimed.truth) + float(random.normal(0, spread * math.sqrt(2)))
        measured = _measured(random, Setting(20, 0.0, noise), shift, Unit.ROUNDS)
        yield verdict_of_factor(claimed.direction, measured, claimed.band, SINGLE_LAYOUT_MARGIN).verdict


def verdicts_against_several(rows: int, setting: Setting, trials: int) -> Iterator[Verdict]:
    """The verdict on “faster than each of these rows”, all of which are exactly as fast: one refuted pair refutes it."""
    random = np.random.default_rng(rows)
    for _ in range(trials):
        own, floor = _side(random, setting), _floor(random, setting)
        pairs = [_welch(_side(random, setting), own) for _ in range(rows)]
        held = {verdict_of_factor("less", pair, FASTER, floor).verdict for pair in pairs}
        yield Verdict.REFUTED if Verdict.REFUTED in held else Verdict.UNDECIDED


def _side(random: np.random.Generator, setting: Setting) -> NDArray[np.float64]:
    """Logarithms of a cell's figures by layout, around 0."""
    error = setting.noise * MEDIAN_ERROR / math.sqrt(LOOPS)
    return random.normal(0, math.hypot(setting.spread, error), setting.layouts)


def _measured(random: np.random.Generator, setting: Setting, log: float, kind: Unit = Unit.LAYOUTS) -> Estimate:
    return _welch(log + _side(random, setting), _side(random, setting), kind)


def _welch(one: NDArray[np.float64], other: NDArray[np.float64], kind: Unit = Unit.LAYOUTS) -> Estimate:
    ratio = ratio_estimate(one, other)
    assert ratio is not None
    return Estimate(ratio.point, *ratio.bounds(), *ratio.bounds(0.99), len(one), kind, 0.0, ratio.degrees)


def _floor(random: np.random.Generator, setting: Setting) -> float:
    """The noise floor of a run: what 95 % of differences between identical code stay below."""
    twins = Setting(setting.layouts, 0.0, setting.noise)  # of the same links
    logs = [np.mean(_side(random, twins)) - np.mean(_side(random, twins)) for _ in range(SAME_PAIRS)]
    return math.expm1(student_quantile(0.975, SAME_PAIRS) * math.sqrt(float(np.mean(np.square(logs)))))


HELD = (Verdict.REPRODUCED, Verdict.SAME_DIRECTION, Verdict.REFUTED, Verdict.UNDECIDED)


def table(trials: int) -> str:
    """Per cent of each verdict with 4 / 8 / 16 layouts a side, and with one layout, as Markdown; wrong ones are bold."""
    lines = [f"| Claim | True factor | Spread | {' | '.join(HELD)} |", "| :-- | --: | --: | --: | --: | --: | --: |"]
    for claimed, spread in product([*FASTER_CLAIMS, *EQUAL_CLAIMS], SPREADS):
        columns = [
            Counter(
                verdict
                for noise in NOISES
                for verdict in verdicts(claimed, Setting(layouts, spread, noise), trials, seed=15)
            )
            for layouts in LAYOUTS
        ]
        columns.append(Counter(verdicts_of_one_layout(claimed, spread, NOISES[-1], trials)))
        lines.append(_line(claimed, spread, columns))
    return "\n".join(lines)


def _line(claimed: Claimed, spread: float, columns: Sequence[Counter[Verdict]]) -> str:
    name = "as fast" if claimed.direction == "equal" else f"{claimed.band.point:g} times as fast"
    cells = [name, f"{claimed.truth:g}", f"{spread:.0%}"]
    for verdict in HELD:
        shares = " / ".join(f"{100 * counted[verdict] / counted.total():.1f}" for counted in columns)
        cells.append(f"**{shares}**" if claimed.is_wrong(verdict) else shares)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(table(2_000))  # noqa: T201
