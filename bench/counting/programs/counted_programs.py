"""What is known of the counted programs without running a cell: sizes, and who asks the CPU by itself."""

from collections.abc import Iterable

from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.counting.programs.elf import Elf
from bench.model.cells import ControlRole
from bench.model.counts import CountedRunner
from bench.model.description import Description

MOST_FUNCTIONS = 100


def counted_runners(lab: Lab, runners: Iterable[Runner]) -> list[CountedRunner]:
    """The programs of runners, sorted by name."""
    nothing = {_kind(runner): runner for runner in doing_nothing(lab)}
    return [
        counted_runner(runner, nothing.get(_kind(runner)))
        for runner in sorted(set(runners), key=lambda one: one.entry.name)
    ]


def with_nothing(lab: Lab, runners: Iterable[Runner]) -> list[Runner]:
    """The runners, and of each language and build among them the control that does nothing."""
    chosen = [*dict.fromkeys(runners)]
    kinds = {_kind(runner) for runner in chosen}
    return [*dict.fromkeys([*chosen, *(one for one in doing_nothing(lab) if _kind(one) in kinds)])]


def counted_runner(runner: Runner, nothing: Runner | None) -> CountedRunner:
    """A runner's program, beside that of its language and build which does nothing."""
    own, base = elf_of(runner), elf_of(nothing) if nothing else None
    assert runner.entry.sha256  # it described itself, so it was built
    return CountedRunner(
        codec=runner.codec,
        variant=runner.entry.variant,
        sha256=runner.entry.sha256,
        text_bytes=own.text_bytes if own else None,
        text_over_nothing_bytes=own.text_bytes - base.text_bytes if own and base else None,
        stripped_over_nothing_bytes=own.stripped_bytes - base.stripped_bytes if own and base else None,
        cpuid=own.asks_cpu()[:MOST_FUNCTIONS] if own else [],
    )


def elf_of(runner: Runner) -> Elf | None:
    """The program of a compiled runner; None for scripts and for other formats."""
    try:
        return Elf.read(runner.program)
    except (OSError, ValueError):
        return None


def asking_beyond(runners: Iterable[CountedRunner]) -> dict[str, list[str]]:
    """Function → the runners in whose programs it asks the CPU, however features are masked."""
    found: dict[str, list[str]] = {}
    for runner in runners:
        for function in runner.cpuid:
            found.setdefault(function, []).append(runner.name)
    return dict(sorted(found.items()))


def _kind(runner: Runner) -> tuple[str, str, str]:
    """Language, set of types and build: programs of one kind differ in their codec alone."""
    return runner.codec.partition("/")[0], runner.entry.types, runner.entry.variant


def doing_nothing(lab: Lab) -> list[Runner]:
    """The controls that do nothing, in each of their builds."""
    return [
        runner
        for runner, description in lab.described.items()
        if isinstance(description, Description) and description.role is ControlRole.NOTHING
    ]
