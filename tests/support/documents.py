"""Which documents there are, and how their examples are built."""

from pathlib import Path

from bench.base.paths import ROOT, SCENARIOS

SCENARIO_FILES = sorted(SCENARIOS.glob("*.toml"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *SCENARIOS.glob("*.md"), *(ROOT / "runners").glob("*/*/README.md")])
QUICKLY_COMPILED = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
"""For commands that compile what is then only seen to work: half the time, and slow programs."""
TOOLS = ("tools", "uv")
"""What below `.lab` depends on no codec and no scenario: a copy of the checkout takes it from this one."""


def share_tools(copy: Path) -> None:
    """Gives a copy of the checkout the tools that this one has built."""
    (copy / ".lab").mkdir()
    for name in TOOLS:
        (copy / ".lab" / name).symlink_to(ROOT / ".lab" / name)
