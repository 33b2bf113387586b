"""A counting from its selection to its last line."""

import os
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.base import errors, paths
from bench.base.progress import Report, duration
from bench.base.protocol import PROTOCOL
from bench.base.supervision import POOL, GoneError, side_by_side
from bench.building.environment import cpu_model, git_state, platform_name
from bench.building.lab import Lab
from bench.building.runner import Runner
from bench.counting.choice import cells_of_run, chosen_cells
from bench.counting.continuing import Basis, Continued, beside, continued, continued_head, with_earlier
from bench.counting.counter import Counter
from bench.counting.counts_folder import LINES, CountsFolder
from bench.counting.programs.compile_time import with_compile_times
from bench.counting.programs.counted_programs import asking_beyond, counted_runners
from bench.counting.surroundings import key_of, started
from bench.counting.valgrind import CannotCountError, Guest, Valgrind, find_valgrind, tunables_of
from bench.model.cells import Cell
from bench.model.counts import Counted, CountedRunner, Counts, Key
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
    kept: dict[str, Counted]
    """Cell → what the folder holds of it already."""

    @property
    def to_count(self) -> list[Cell]:
        """The cells that are not counted yet."""
        return [cell for cell in self.cells if str(cell) not in self.kept]


def begin(lab: Lab, order: Order, report: Report) -> CountsSession:
    """Chooses cells, looks for valgrind, and opens the folder, whose counts it goes on with. Raises LabError."""
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
    folder = CountsFolder(order.into, order.run) if order.into else None
    folder = CountsFolder.of_its_own(order.out) if order.out else folder
    session = CountsSession(lab=lab, order=order, cells=cells, valgrind=valgrind, head=head, folder=folder, kept={})
    if folder:
        try:
            open_lines(session, folder, report)
        except BaseException:
            folder.close()
            raise
    return session


def open_lines(session: CountsSession, folder: CountsFolder, report: Report) -> None:
    """Keeps what the folder holds of the same cells, programs and options, and has it ready for the rest.

    No count is lost: neither that of a cell which is not selected, nor, in a folder of its own that is finished, that
    of a selected one, as it may be of before a change. Raises LabError.
    """
    if not folder.earlier:
        folder.begin(session.head, [])
        return
    before, lines = folder.earlier
    if isinstance(session.valgrind, CannotCountError) and any(line.key for line in lines.values()):
        raise errors.counts_without_valgrind(folder.path, str(session.valgrind))
    bases = bases_now(session, lines)
    libcs = libcs_now(session, bases.values())
    found = continued(before, lines.values(), session.head, map(str, session.cells), bases, libcs=libcs)
    replaced = [cell for cells in found.anew.values() for cell in cells]
    if lost := found.lost + (replaced if before.finished and session.order.out else []):
        raise errors.counts_lost(folder.path, len(lost), in_short(lost))
    session.kept = found.kept
    if found.kept:
        session.head = continued_head(before, session.head, found.kept.values())
    tell_of_earlier(session, folder, found, report)
    if session.to_count or session.order.compile_time or not before.finished:
        folder.begin(session.head, found.kept.values())
    else:
        folder.close()
        session.folder = None


def bases_now(session: CountsSession, lines: Mapping[str, Counted]) -> dict[str, Basis]:
    """Cell → what its counts would depend on now, of those that have counts and whose programs are known."""
    found, known = {}, dict[tuple[Runner, Path | None], Key | None]()
    for cell, runner in session.lab.runner_of.items():
        if (line := lines.get(str(cell))) and line.key:
            scenario = session.lab.scenarios[cell.scenario]
            one = runner, keys_of(scenario)
            if one not in known:
                known[one] = key_now(session, *one)
            found[str(cell)] = Basis(known[one], scenario.input.sha256)
    return found


def libcs_now(session: CountsSession, bases: Iterable[Basis]) -> set[str]:
    """The C libraries of the programs that are known now: of those that have counts, and of one that is selected."""
    found = {basis.key.libc for basis in bases if basis.key}
    if not found and isinstance(session.valgrind, Valgrind):
        keys = (key_now(session, session.lab.runner_of[cell], None) for cell in session.cells)
        found = {key.libc for key in islice(filter(None, keys), 1)}
    return found


def key_now(session: CountsSession, runner: Runner, keys: Path | None) -> Key | None:
    """What the counts of a runner would depend on now; None where that cannot be told."""
    assert isinstance(session.valgrind, Valgrind)  # without it nothing is gone on with
    try:
        return key_of(runner, started(runner), session.valgrind, tunables_of(session.order.masked), keys)[0]
    except CannotCountError:
        return None


def tell_of_earlier(session: CountsSession, folder: CountsFolder, found: Continued, report: Report) -> None:
    """Says what is not counted again, and what is."""
    total, path = len(session.cells), paths.brief(folder.path / LINES)
    if done := total - len(session.to_count):
        report(f"{done} of {total} cells are counted already; to count them anew, remove {path}")
    for reason, cells in found.anew.items():
        report(f"{counted_cells(len(cells))} anew, because {reason} changed: {in_short(cells)}")
    if found.retried:
        failed = f"{len(found.retried)} of {total} cells could not be counted and are tried again"
        report(f"{failed}: {in_short(found.retried)}")


def counted_cells(number: int) -> str:
    """`1 cell is counted`, `2 cells are counted`."""
    return "1 cell is counted" if number == 1 else f"{number} cells are counted"


def in_short(cells: Sequence[str]) -> str:
    """The codecs of cells, or how many they are."""
    codecs = sorted({cell.partition(" ")[0] for cell in cells})
    return ", ".join(codecs) if len(codecs) <= 5 else f"{len(codecs)} codecs"


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
    """Counts every cell that is not counted yet, each recorded as soon as it is counted; then the programs.

    Lets the folder go. All of the session's cells, sorted.
    """
    try:
        runners = counted_runners(session.lab, [session.lab.runner_of[cell] for cell in session.cells])
        tell_of_cpuid(runners, report)
        record_runners(session, runners)
        lines = count_cells(session, report)
        if session.order.compile_time:
            record_runners(session, with_compile_times(runners, report))
        if session.folder:
            session.folder.finish(now())
    finally:
        if session.folder:
            session.folder.close()
    kept = [session.kept[str(cell)] for cell in session.cells if str(cell) in session.kept]
    return sorted([*kept, *lines], key=lambda one: one.cell)


def count_cells(session: CountsSession, report: Report) -> list[Counted]:
    """Counts what is not counted yet, side by side."""
    tunables, cells, total = tunables_of(session.order.masked), smallest_input_first(session), len(session.cells)
    done = total - len(cells)

    def counted(cell: Cell) -> Counted:
        nonlocal done
        one = count_cell(session, cell, tunables)
        if one.unavailable and POOL.is_closed:
            raise GoneError  # interrupted: the cell is as it was
        if session.folder:
            session.folder.add(one)
        done += 1
        if one.unavailable and not session.head.unavailable:
            report(f"{cell}: {one.unavailable}")
        elif done % 50 == 0:
            report(f"{done} of {total} cells are counted")
        return one

    if not cells:
        return []
    report(f"counting {len(cells)} cells")
    begun = datetime.now(UTC)
    lines = side_by_side(counted, cells, session.order.jobs or usable_cores())
    report(f"counted in {duration((datetime.now(UTC) - begun).total_seconds())}")
    return lines


def smallest_input_first(session: CountsSession) -> list[Cell]:
    """The cells to count, in their order: so a count that is stopped has most of them."""
    scenarios = {cell.scenario for cell in session.to_count}
    size_of = {name: input_file(session.lab.scenarios[name]).stat().st_size for name in scenarios}
    return sorted(session.to_count, key=lambda cell: size_of[cell.scenario])


def count_cell(session: CountsSession, cell: Cell, tunables: str) -> Counted:
    """The counts of a cell, or why there are none."""
    scenario, runner = session.lab.scenarios[cell.scenario], session.lab.runner_of[cell]
    try:
        with POOL.supervisor() as supervisor:
            counter = Counter(cell, runner, supervisor, tunables=tunables, keys=keys_of(scenario))
            counted = counter.count(session.valgrind, input_file(scenario))
            return msgspec.structs.replace(counted, input_sha256=scenario.input.sha256)
    except CannotCountError as error:
        return Counted(cell=str(cell), unavailable=str(error))
    except GoneError:
        return Counted(cell=str(cell), unavailable="the lab's supervisor was killed while the runner ran")
    except OSError as error:
        raise errors.system_refused(error) from None


def record_runners(session: CountsSession, runners: list[CountedRunner]) -> None:
    """Keeps what is known of the programs; those of kept cells that are not selected stay in the folder."""
    earlier = session.folder.head.runners if session.folder else session.head.runners
    known = with_earlier(runners, earlier)
    if session.folder:
        session.folder.set_runners(beside(known, earlier))
    session.head = msgspec.structs.replace(session.head, runners=known)


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
