"""A run of one scenario that no file of the lab holds: a user's data, by codecs that are built already."""

import shlex
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from bench.base import errors, paths
from bench.base.progress import Report
from bench.building.build import build
from bench.building.lab import Lab
from bench.building.runner import Runner, describe_all
from bench.measuring.beginning import check_scenarios
from bench.measuring.run_folder import RunFolder, check_new
from bench.measuring.session import Session
from bench.measuring.stages.draft import Options, choose, make_design
from bench.measuring.stages.prospect import Prospect, awaited
from bench.model.plan import Profile, Scope
from bench.model.scenario import Scenario
from bench.types.type_set import TypeSet

OPTIONS = {"types": "--type", "proto": "--proto", "message": "--message", "out": "-o"}
"""Those with a value that a resumed run needs again, by the names of their values."""
FLAGS = {"full": "--full", "counted": "--count"}


def built_for(scenario: Scenario, types: TypeSet, codecs: Collection[str], report: Report) -> Lab:
    """The lab of one scenario: the programs of these codecs for its types, built and asked."""
    assert types.name == scenario.name
    manifest = build(report, codecs=codecs, types=types)
    entries = [entry for entry in manifest.runners if entry.codec in codecs]
    return Lab(describe_all(map(Runner, entries)), {scenario.name: scenario})


def options_of(profile: Profile, seed: int, budget_s: float | None) -> Options:
    """What is measured: of each codec and operation the cell that is nearest to the scenario's conditions."""
    return Options(profile=profile, scope=Scope.PUBLISHED, seed=seed, budget_s=budget_s)


def expected(lab: Lab, scenario: Scenario, options: Options) -> Prospect:
    """What the run is going to measure. Raises LabError where no codec offers anything."""
    controls = {codec for codec, description in lab.descriptions.items() if description.control}
    cells = {scenario.name: choose(lab.cells(), lab.scenarios, controls, options)}
    if not cells[scenario.name]:
        raise errors.nothing_selected([scenario.name], [], list(lab.unavailable))
    design = make_design(options, cells, lab.scenarios)
    return Prospect(options, design, lab, awaited(design, cells, lab, {}))


def new_trial(path: Path, lab: Lab, scenario: Scenario, options: Options) -> Session:
    """A new run. Raises LabError where the folder holds a run already, or anything else."""
    return Session.new(expected(lab, scenario, options), path)


def resumed_trial(path: Path, lab: Lab, scenario: Scenario) -> Session:
    """A run that was interrupted, with the same data. Raises LabError where it cannot go on."""
    folder, run = RunFolder.resume(path)
    try:
        check_scenarios(run, lab)
        again = expected(lab, scenario, Options.again(run.plan))
        waiting = {name: one for name, one in again.scenarios.items() if name in run.pending}
        prospect = Prospect(again.options, run.plan, lab, waiting)
    except BaseException:
        folder.close()
        raise
    return Session(folder, run, prospect)


def check_places(run: Path | None, page: Path | None) -> None:
    """Raises LabError where a new run, or the page, could not be written in the end."""
    if run is not None:
        check_new(run, "--run")
    if page is None:
        return
    own = page.is_dir() and ((page / paths.PAGE_MARKER).is_file() or not any(page.iterdir()))
    if page.exists() and not own:
        raise errors.no_page_folder(page)
    if run is not None and run.resolve().is_relative_to(page.resolve()):
        raise errors.run_in_page(run, page)


def resuming(data: Path, folder: Path, given: Mapping[str, Any]) -> str:
    """The command that completes a run from the current folder: with the same types, read and shown in the same way."""
    words = ["./lab" if Path.cwd() == paths.ROOT else str(paths.ROOT / "lab"), "try", from_here(data)]
    for name, option in OPTIONS.items():
        if value := given.get(name):
            words += [option, from_here(value) if isinstance(value, Path) else str(value)]
    words += [flag for name, flag in FLAGS.items() if given.get(name)]
    return shlex.join([*words, "--resume", from_here(folder)])


def from_here(path: Path) -> str:
    """A path as it is given in the current folder: relative where it lies below it."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
