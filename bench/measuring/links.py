"""The layouts of a run's runners: linked anew from the same objects, and proved before they are measured."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec
from msgspec import Struct

from bench.base import errors
from bench.base.progress import Report
from bench.base.supervision import side_by_side
from bench.building.languages import LANGUAGES
from bench.building.layouts import LinkError
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
        self.single: dict[Runner, str] = {}
        self._made: dict[Runner, dict[int, Runner]] = {}

    def provide(self, layouts: Iterable[int], report: Report) -> None:
        """Links and proves these layouts of every runner that can have them.

        A runner of which one cannot be linked, or fails its proof, has the build tool's layout only.
        """
        missing = [
            (runner, layout)
            for runner in self.selected.descriptions
            for layout in layouts
            if layout and runner not in self.single and layout not in self._made.get(runner, {})
        ]
        refused = {runner: self.linker.can_link(runner.entry) for runner, _ in missing}
        self.single |= {runner: reason for runner, reason in refused.items() if reason is not None}
        wanted = [(runner, layout) for runner, layout in missing if runner not in self.single]
        if not wanted:
            return
        report(f"linking: {len({runner for runner, _ in wanted})} runners, {len(wanted)} layouts")
        for (runner, layout), outcome in zip(wanted, side_by_side(self._linked, wanted), strict=True):
            if isinstance(outcome, str):
                self.single.setdefault(runner, outcome)
            else:
                self._made.setdefault(runner, {})[layout] = outcome

    def runner(self, runner: Runner, layout: int) -> tuple[Runner, int]:
        """A runner in a layout, and which one that is: 0 where it has no others."""
        made = {} if runner in self.single else self._made.get(runner, {})
        return (made[layout], layout) if layout in made else (runner, 0)

    def is_linked(self, runner: Runner) -> bool:
        """Whether a runner has several layouts."""
        return runner in self._made and runner not in self.single

    def recorded(self, run: Run) -> Run:
        """The run with the hashes of all links, and the reasons why runners have none.

        Raises LabError where a link that was recorded before is another file now.
        """
        hashes = {
            runner.entry.name: [made[layout].entry.sha256 or "" for layout in sorted(made)]
            for runner, made in self._made.items()
            if runner not in self.single
        }
        for name, before in run.layouts.items():
            now = hashes.get(name, [])
            shared = min(len(before), len(now))
            if not shared or before[:shared] != now[:shared]:
                raise errors.runner_changed(name)
            hashes[name] = max(before, now, key=len)
        single = {runner.entry.name: reason for runner, reason in self.single.items()}
        provenance = run.provenance | ({SINGLE: single} if single else {})
        return msgspec.structs.replace(run, layouts=hashes, provenance=provenance)

    def _linked(self, wanted: tuple[Runner, int]) -> Runner | str:
        runner, layout = wanted
        try:
            linked = Runner(self.linker.link(runner.entry, layout))
        except LinkError as error:
            return str(error)
        failed = failed_check(linked, self.selected.descriptions[runner], self.selected)
        return f"layout {layout}: {failed.check}: {failed.message}" if failed else linked


def failed_check(linked: Runner, description: Description, selected: Selected) -> Check | None:
    """The first check that a link fails of those that its codec passed: round trip, size, filter, compressions."""
    if description.control:
        return None
    for (codec, name), compressions in wanted_of(selected.cells).items():
        if codec == linked.codec:
            scenario = selected.scenarios[name]
            expected = Expected(scenario, canonical_input(scenario))
            outcome = produce(linked, description, expected, compressions)
            if isinstance(outcome, Check):
                return outcome
    return None


