"""The layouts of a run's runners: linked anew from the same objects, and proved before they are measured."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec
from msgspec import Struct

from bench.base import errors
from bench.base.output import plural
from bench.base.progress import Report
from bench.base.supervision import side_by_side
from bench.building.languages import LANGUAGES
from bench.building.relink import LinkError
from bench.building.runner import Runner
from bench.model.cells import Cell
from bench.model.description import Description, RunnerEntry
from bench.model.record import Run
from bench.model.scenario import Scenario
from bench.model.verification import Check
from bench.proof.expected import Expected
from bench.proof.verify import produce, wanted_of
from bench.scenarios.inputs import canonical_input

SINGLE = "single_layout"
"""In a run's provenance: runner → why it has one layout only."""


class Linker(Protocol):
    """Links runners in other layouts."""

    def can_link(self, entry: RunnerEntry) -> str | None:
        """Why it cannot; None if it can."""
        ...

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """The runner in a layout. Raises LinkError."""
        ...


class LanguageLinker:
    """Links by the runner's own language."""

    def can_link(self, entry: RunnerEntry) -> str | None:
        """Why it cannot; None if it can."""
        language = LANGUAGES.get(name := entry.codec.partition("/")[0])
        return language.can_link(entry) if language else f"this lab cannot link programs of the language {name}"

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """The runner in a layout. Raises LinkError."""
        return LANGUAGES[entry.codec.partition("/")[0]].link(entry, layout)


class Selected(Struct, frozen=True):
    """What is linked, and what each link must show before it is measured."""

    descriptions: Mapping[Runner, Description]
    """The selected runners."""
    cells: Iterable[Cell]
    scenarios: Mapping[str, Scenario]


class Links:
    """The links of a run's runners, made as blocks of rounds need them, never while something is timed."""

    def __init__(self, selected: Selected, linker: Linker) -> None:
        self.selected, self.linker = selected, linker
        self.refused: dict[Runner, str] = {}
        self._expected: dict[str, Expected] = {}
        self._made: dict[Runner, dict[int, Runner]] = {}
        self._failed: set[Runner] = set()
        """Those of which a layout fails the scenario's proof."""

    def provide(self, layouts: Iterable[int], report: Report) -> None:
        """Links and proves these layouts of every runner that can have them.

        A runner of which one cannot be linked, or fails its proof, has the build tool's layout only; one that had some
        before keeps those, which stand in for the new ones.
        """
        missing = [
            (runner, layout)
            for runner in self.selected.descriptions
            for layout in layouts
            if layout and runner not in self.refused and layout not in self._made.get(runner, {})
        ]
        runners = list(dict.fromkeys(runner for runner, _ in missing))
        reasons = dict(zip(runners, side_by_side(lambda one: self.linker.can_link(one.entry), runners), strict=True))
        self.refused |= {runner: reason for runner, reason in reasons.items() if reason is not None}
        wanted = [(runner, layout) for runner, layout in missing if runner not in self.refused]
        if not wanted:
            return
        for name in {cell.scenario for cell in self.selected.cells} - self._expected.keys():
            scenario = self.selected.scenarios[name]
            self._expected[name] = Expected(scenario, canonical_input(scenario))
        report(f"linking: {plural(len({runner for runner, _ in wanted}), 'runner')}, {plural(len(wanted), 'layout')}")
        linked: dict[Runner, dict[int, Runner]] = {}
        for (runner, layout), outcome in zip(wanted, side_by_side(self._linked, wanted), strict=True):
            if isinstance(outcome, str):
                self.refused.setdefault(runner, outcome)
            else:
                linked.setdefault(runner, {})[layout] = outcome
        for runner, made in linked.items():
            if runner not in self.refused:
                self._made.setdefault(runner, {}).update(made)

    def runner(self, runner: Runner, layout: int) -> tuple[Runner, int]:
        """A runner in a layout, and which one that is: 0 where it has no others, another where it lacks this one."""
        made = self._made.get(runner)
        if not layout or not made:
            return runner, 0
        stand_in = layout if layout in made else sorted(made)[(layout - 1) % len(made)]
        return made[stand_in], stand_in

    def is_linked(self, runner: Runner) -> bool:
        """Whether a runner has several layouts."""
        return runner in self._made

    def recorded(self, run: Run) -> Run:
        """The run with the hashes of all links, and the reasons why runners have none.

        Raises LabError where a link that was recorded before is another file now. Runners of other scenarios keep
        what is recorded of them, and so does one that fails this scenario's proof only.
        """
        hashes = dict(run.layouts)
        for runner in self.selected.descriptions:
            name, made = runner.entry.name, self._made.get(runner, {})
            before, now = run.layouts.get(name, []), [made[layout].entry.sha256 or "" for layout in sorted(made)]
            shared = min(len(before), len(now))
            if before[:shared] != now[:shared] or (before and not now and runner not in self._failed):
                raise errors.runner_changed(name)
            if now:
                hashes[name] = max(before, now, key=len)
        single = {runner.entry.name: reason for runner, reason in self.refused.items() if not self.is_linked(runner)}
        single = run.provenance.get(SINGLE, {}) | single
        provenance = run.provenance | ({SINGLE: single} if single else {})
        return msgspec.structs.replace(run, layouts=hashes, provenance=provenance)

    def _linked(self, wanted: tuple[Runner, int]) -> Runner | str:
        runner, layout = wanted
        try:
            linked = Runner(self.linker.link(runner.entry, layout))
        except LinkError as error:
            return str(error)
        failed = self._failed_check(linked, self.selected.descriptions[runner])
        if failed:
            self._failed.add(runner)
            return f"layout {layout}: {failed.check}: {failed.message}"
        return linked

    def _failed_check(self, linked: Runner, description: Description) -> Check | None:
        """The first check that a link fails of those that its codec passed: round trip, size, filter, compressions."""
        if description.control:
            return None
        for (codec, name), compressions in wanted_of(self.selected.cells).items():
            if codec == linked.codec:
                outcome = produce(linked, description.format, self._expected[name], compressions)
                if isinstance(outcome, Check):
                    return outcome
        return None
