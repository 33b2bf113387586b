"""Which documents there are."""

from bench.base.paths import ROOT, SCENARIOS

SCENARIO_FILES = sorted(SCENARIOS.glob("*.toml"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *SCENARIOS.glob("*.md"), *(ROOT / "runners").glob("*/*/README.md")])
