"""The head of run.json: where, when and from what a run is made, and what it learns of its runners as it goes on."""

import secrets
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.base import errors, paths
from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.building.environment import built_provenance, environment, platform_name, provenance
from bench.building.lab import Lab
from bench.building.manifest import load_manifest
from bench.measuring.stages.prospect import Prospect
from bench.model.description import PUBLISHED_TYPES, Description
from bench.model.plan import Plan
from bench.model.record import Run


def begin(prospect: Prospect, path: Path) -> Run:
    """A run of which nothing is prepared."""
    now = datetime.now(UTC)
    return Run(
        protocol=PROTOCOL,
        id=f"{now:%Y%m%dT%H%M%SZ}-{platform_name()}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="seconds"),
        platform=platform_name(),
        command=[visible(word) for word in command_line(sys.argv[1:])],
        environment=environment(path),
        provenance=provenance(),
        scenarios=[prospect.lab.scenarios[name] for name in prospect.scenarios],
        plan=Plan.of(prospect.design),
        pending=list(prospect.scenarios),
    )


def learned(lab: Lab) -> dict[str, Any]:
    """What a run's provenance holds of the runners that were asked so far."""
    sets = sorted({runner.entry.types for runner in lab.described}, key=lambda name: name != PUBLISHED_TYPES)
    built = [built_provenance(load_manifest(types)) for types in reversed(sets)]
    identities = {codec: of for one in built for codec, of in one["identities"].items()}
    return {name: value for one in built for name, value in one.items()} | {
        "identities": identities,
        "unavailable": lab.unavailable,
        "compilers": {
            r.entry.name: f"{d.compiler}; {d.flags}" for r, d in lab.described.items() if isinstance(d, Description)
        },
        "sources": {r.entry.name: r.entry.source for r in lab.described if r.entry.source},
    }


def command_line(arguments: Iterable[str]) -> list[str]:
    """How the run was asked for, without its folder: a recorded run is read on other machines."""
    words = iter(arguments)
    kept = []
    for word in words:
        if word == "--out":
            next(words, None)
        elif not word.startswith("--out="):
            kept.append(word)
    return ["lab", *kept]


def default_folder() -> Path:
    """runs/<time>-<platform>."""
    return paths.RUNS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{platform_name()}"


def check_scenarios(run: Run, lab: Lab) -> None:
    """Raises LabError where a scenario is no longer the one that the run began with."""
    for scenario in run.scenarios:
        current = lab.scenarios.get(scenario.name)
        if current is None or current.input.sha256 != scenario.input.sha256:
            raise errors.scenario_changed(scenario.name)


def check_runners(run: Run, lab: Lab) -> None:
    """Raises LabError where a runner is no longer the one that the run measured before it was interrupted."""
    for cell in run.plan.cells:
        runner = lab.runner_of.get(cell.cell)
        if runner is None or runner.entry.sha256 != cell.sha256:
            raise errors.runner_changed(cell.cell.codec)
