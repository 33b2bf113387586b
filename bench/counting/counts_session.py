"""A counting from its selection to its last line."""

import os
import secrets
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from bench.base import errors
from bench.base.progress import Report, duration
from bench.base.protocol import PROTOCOL
from bench.base.supervision import POOL, GoneError, side_by_side
from bench.building.environment import cpu_model, git_state, platform_name
from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.counting.choice import cells_of_run, chosen_cells
from bench.counting.compile_time import with_compile_times
from bench.counting.counted_programs import asking_beyond, counted_runners
from bench.counting.counter import Counter
from bench.counting.counts_folder import CountsFolder
from bench.counting.surroundings import key_of, started
from bench.counting.valgrind import CannotCountError, Guest, Valgrind, find_valgrind, tunables_of
from bench.model.cells import Cell
from bench.model.counts import Counted, CountedRunner, Counts
from bench.model.record import Run
from bench.scenarios.inputs import input_file
from bench.scenarios.keys import keys_of


class Order(Struct, frozen=True, kw_only=True):
    """What `lab count` was asked for."""

    filters: Sequence[str] = ()
    excludes: Sequence[str] = ()
    sweeps: bool = False
    published: bool = False
    masked: Sequence[str] = ()
    compile_time: bool = False
    jobs: int | None = None
    into: Path | None = None
    out: Path | None = None
    run: Run | None = None
    """The run in `into`."""


class CountsSession(Struct):
    """A counting that has begun."""

    lab: Lab
    order: Order
    cells: list[Cell]
    valgrind: Valgrind | CannotCountError
    head: Counts
    folder: CountsFolder | None
    """None where nothing is recorded."""


def begin(lab: Lab, order: Order, report: Report) -> CountsSession:
    """Chooses cells, looks for valgrind, and opens the folder. Raises LabError."""
    cells, left_out = chosen_cells(lab, order.filters, order.excludes, published=order.published)
    for reason, number in left_out.items():
        report(f"{number} cells are left out: {reason}")
    if order.run:
        cells = cells_of_run(lab, order.run, cells)
    valgrind, guest, unavailable = probe([lab.runner_of[cell] for cell in cells], tunables_of(order.masked))
    if unavailable:
        report(f"instructions are unavailable: {unavailable}")
    head = Counts(
        protocol=PROTOCOL,
        id=f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{platform_name()}-{secrets.token_hex(3)}",
        created=now(),
        platform=platform_name(),
        command=command_line(sys.argv[1:]),
        **{name: value for name, value in git_state().items() if name in ("git_commit", "git_dirty")},
        cpu=cpu_model(),
        valgrind=valgrind.version if isinstance(valgrind, Valgrind) else None,
        features=guest.features if guest else [],
        masked=list(order.masked),
        unavailable=unavailable,
    )
    folder = CountsFolder(order.into, head) if order.into else None
    folder = CountsFolder.create(order.out, head) if order.out else folder
    return CountsSession(lab=lab, order=order, cells=cells, valgrind=valgrind, head=head, folder=folder)


def probe(runners: Sequence[Runner], tunables: str) -> tuple[Valgrind | CannotCountError, Guest | None, str | None]:
    """Valgrind, what it shows of the CPU to the first runner that starts under it, and why nothing can be counted."""
    try:
        valgrind = find_valgrind()
    except CannotCountError as error:
        return error, None, str(error)
    for runner in dict.fromkeys(runners):
        try:
            return valgrind, key_of(runner, started(runner), valgrind, tunables, None)[1], None
        except CannotCountError:  # the runner's cells will say so
            continue
    return valgrind, None, None


def complete(session: CountsSession, report: Report) -> list[Counted]:
    """Counts every cell, each recorded as soon as it is counted; then the programs. Sorted by cell."""
    tunables, total, done = tunables_of(session.order.masked), len(session.cells), 0

    def counted(cell: Cell) -> Counted:
        nonlocal done
        one = count_cell(session, cell, tunables)
        if session.folder:
            session.folder.add(one)
        done += 1
        if one.unavailable and not session.head.unavailable:
            report(f"{cell}: {one.unavailable}")
        elif done % 50 == 0:
            report(f"{done} of {total} cells are counted")
        return one

    runners = counted_runners(session.lab, [session.lab.runner_of[cell] for cell in session.cells])
    tell_of_cpuid(runners, report)
    record_runners(session, runners)
    report(f"counting {total} cells")
    begun = datetime.now(UTC)
    lines = side_by_side(counted, smallest_input_first(session), session.order.jobs or usable_cores())
    report(f"counted in {duration((datetime.now(UTC) - begun).total_seconds())}")
    if session.order.compile_time:
        record_runners(session, with_compile_times(runners, report))
    if session.folder:
        session.folder.finish(now())
    return sorted(lines, key=lambda one: one.cell)


def smallest_input_first(session: CountsSession) -> list[Cell]:
    """The cells in the order in which they are counted: so a count that is stopped has most of them."""
    scenarios = {cell.scenario for cell in session.cells}
    size_of = {name: input_file(session.lab.scenarios[name]).stat().st_size for name in scenarios}
    return sorted(session.cells, key=lambda cell: size_of[cell.scenario])


def count_cell(session: CountsSession, cell: Cell, tunables: str) -> Counted:
    """The counts of a cell, or why there are none."""
    scenario, runner = session.lab.scenarios[cell.scenario], session.lab.runner_of[cell]
    try:
        with POOL.supervisor() as supervisor:
            counter = Counter(cell, runner, supervisor, tunables=tunables, keys=keys_of(scenario))
            return counter.count(session.valgrind, input_file(scenario))
    except CannotCountError as error:
        return Counted(cell=str(cell), unavailable=str(error))
    except GoneError:
        return Counted(cell=str(cell), unavailable="the lab's supervisor was killed while the runner ran")
    except OSError as error:
        raise errors.system_refused(error) from None


def record_runners(session: CountsSession, runners: list[CountedRunner]) -> None:
    """Keeps what is known of the programs."""
    session.head.runners[:] = runners
    if session.folder:
        session.folder.set_runners(runners)


def tell_of_cpuid(runners: list[CountedRunner], report: Report) -> None:
    """Names the functions that ask the CPU by themselves, and who has them."""
    for function, names in asking_beyond(runners).items():
        who = ", ".join(names) if len(names) <= 5 else f"{len(names)} runners"
        report(f"{function} asks the CPU itself, so that --mask does not reach it: in {who}")


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def now() -> str:
    """The time as records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def command_line(arguments: Sequence[str]) -> list[str]:
    """How the counts were asked for, without their folders: they are read on other machines."""
    words, kept = iter(arguments), []
    for word in words:
        if word in ("--out", "--into"):
            next(words, None)
        elif not word.startswith(("--out=", "--into=")):
            kept.append(word)
    return ["lab", *kept]
