"""The committed scenarios and claims, and the runners that are built here: read once for all tests of a process."""

from functools import cache

from analysis.claims.definitions import ClaimSet, load_claims
from bench.base.paths import manifest
from bench.building.build import load_runners
from bench.building.runner import Runner
from bench.model.scenario import Scenario
from bench.scenarios.load import load_scenarios


def committed_scenarios(*, sweeps: bool = False) -> dict[str, Scenario]:
    """All scenarios by name, sorted; with `sweeps` also the points of sweeps. The mapping is the caller's own."""
    return dict(_scenarios(sweeps))


@cache
def committed_claims() -> ClaimSet:
    """The claims of all publications."""
    return load_claims(_scenarios(False))


@cache
def built_runners() -> tuple[Runner, ...]:
    """All runners of the manifest, which each describe themselves once; none if nothing is built."""
    return tuple(load_runners()) if manifest().exists() else ()


@cache
def _scenarios(sweeps: bool) -> dict[str, Scenario]:
    return load_scenarios(sweeps=sweeps)
