"""Figures of the rules that documents quote are those of the code that follows them."""

from typing import Any

import pytest

from analysis.statistics.intervals import CONFIDENCE, SURE
from analysis.statistics.noise import OUTLIER_SCORE
from analysis.tables.compilers import MARKED
from bench.base.paths import ROOT
from bench.commands.fuzz import fuzz
from bench.datasets.reading.sources import LARGEST_FILE_BYTES
from bench.datasets.sizing import ALL_PROVED_BYTES, ZSTD_LEVEL
from bench.measuring.machine.calibration import CALIBRATION_S
from bench.measuring.order import OFFSET_STEP_BYTES, OFFSETS
from bench.measuring.profiles import BASE_ROUNDS, BUDGET_S, CHAIN_LOOPS, LAYOUTS, LOOP_NS, MOST_LAYOUTS
from bench.model.plan import Profile
from bench.proof.containment import CASE_LIMIT_S, MALFORMED
from bench.statistics.calm import (
    CALM_RATIO,
    LEAST_CPU_SHARE,
    LONGEST_GATED_NS,
    OWN_PERCENTILE,
    REFERENCE_PERCENTILE,
    REFERENCE_SHIFT,
)
from bench.statistics.layouts import LEAST_CALM_LOOPS, SINGLE_LAYOUT_MARGIN
from bench.statistics.stopping import PRECISE

PUBLISHED, STANDARD = Profile.PUBLISHED, Profile.STANDARD
NUMERALS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def percent(share: float) -> str:
    """`10 %`, with a plain space."""
    return f"{share * 100:.3g} %"


def default_of(command: Any, option: str) -> Any:
    """What an option of a command is without being given."""
    return next(one.default for one in command.params if one.name == option)


QUOTED = {
    "BEYOND-SPEED.md": (
        f"{default_of(fuzz, 'cases'):,} seeded mutations",
        f"refuse (exit code {MALFORMED})",
        f"within {CASE_LIMIT_S:.0f} seconds",
    ),
    "METHODOLOGY.md": (
        f"a chain of up to {NUMERALS[CHAIN_LOOPS]}",
        f"A loop takes {LOOP_NS / 1e6:.0f} to {2.5 * LOOP_NS / 1e6:.1f} ms",
        f"In the first {NUMERALS[BASE_ROUNDS]} rounds each cell also runs with 0 repetitions",
        f"`standard` draws from {LAYOUTS[STANDARD]} layouts of each native runner, `published` from "
        f"{LAYOUTS[PUBLISHED]} at first and up to {MOST_LAYOUTS[PUBLISHED]}",
        f"{BUDGET_S[STANDARD]:g} ({BUDGET_S[PUBLISHED]:.0f}) seconds a cell are spent",
        f"moves its heap by 0 to {(OFFSETS - 1) * OFFSET_STEP_BYTES:,} bytes",
        f"took at most {percent(CALM_RATIO - 1)} longer than the reference",
        f"the thread's CPU time is at least {percent(LEAST_CPU_SHARE)} of the wall time",
        f"The reference is the {REFERENCE_PERCENTILE:.0f}nd percentile of {CALIBRATION_S:.0f} s of canaries",
        f"differs from it by more than {percent(REFERENCE_SHIFT)}",
        f"A cell's own {OWN_PERCENTILE:.0f}th percentile may raise its reference by up to a tenth",
        f"A layout with fewer than {LEAST_CALM_LOOPS} calm loops has no figure",
        f"A repetition above {LONGEST_GATED_NS / 1e6:.0f} ms, and work on files, is not gated",
        f"the {CONFIDENCE * 100:.0f} % interval is over layouts",
        f"more rounds could shrink is at most {percent(PRECISE)}",
        f"by more than {percent(SINGLE_LAYOUT_MARGIN)}",
        f"modified z-score above {OUTLIER_SCORE:.0f}",
        f"the {SURE * 100:.0f} % interval lies below 1",
        f"changes a codec by {percent(MARKED - 1)} more or less than its peers",
    ),
    "README.md": (
        f"Beyond {ALL_PROVED_BYTES // 10**6} MB of messages only the sample is proved",
        f"a file may have {LARGEST_FILE_BYTES >> 30} GiB",
        f"zstd: level {ZSTD_LEVEL}, each message by itself",
    ),
}
"""Document → the words that a figure of the code stands in."""


@pytest.mark.parametrize(("document", "words"), [(name, words) for name, them in QUOTED.items() for words in them])
def test_a_document_quotes_the_figure_of_the_code(document, words):
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    assert words in text, (
        f"{document} no longer says: {words}. The rule or the sentence has changed; bring them together"
    )
