"""What a codec costs before it encodes anything: bytes of program, packages, and the time of a clean build."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.base import errors
from bench.base.files import write_json
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.building.environment import cpu_model, git_state, platform_name
from bench.building.lab import Lab
from bench.building.languages import LANGUAGES
from bench.building.runner import Runner
from bench.counting.programs.compile_time import with_compile_time
from bench.counting.programs.counted_programs import counted_runners, doing_nothing, with_nothing
from bench.model.counts import FOOTPRINT, CountedRunner, Footprints
from bench.records.stored_files import read_stored


def recorded_footprints(lab: Lab, runners: Sequence[Runner], run: Path | None, report: Report) -> list[CountedRunner]:
    """The footprints of runners and of the controls that do nothing beside them, sorted; written beside the run, if
    there is one, as soon as a build is timed.

    What the run has of the same programs, built on the same CPU, is not built again. Raises LabError where it has
    others of another commit or machine: a file holds those of one.
    """
    programs = counted_runners(lab, with_nothing(lab, runners))
    head = new_head()
    before = (read_stored(run, FOOTPRINT, Footprints) if run else None) or head
    same_machine = (before.platform, before.cpu) == (head.platform, head.cpu)
    names = {one.name for one in programs}
    others = {one.name: one for one in before.runners if one.name not in names}
    if run and others and not (same_machine and before.git_commit == head.git_commit):
        raise errors.footprints_lost(run / FOOTPRINT, len(others), before.git_commit)
    found = list[CountedRunner]()
    for one in footprints(lab, programs, before.runners if same_machine else [], report):
        found.append(one)
        if run:
            held = others | {each.name: each for each in found}
            recorded = msgspec.structs.replace(head, runners=[held[name] for name in sorted(held)])
            write_json(run / FOOTPRINT, recorded)
    return found


def new_head() -> Footprints:
    """Footprints of this commit and machine, none yet."""
    git = git_state()
    return Footprints(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        platform=platform_name(),
        cpu=cpu_model(),
        git_commit=git["git_commit"],
        git_dirty=git["git_dirty"],
        runners=[],
    )


def footprints(
    lab: Lab, programs: Sequence[CountedRunner], known: Iterable[CountedRunner], report: Report
) -> Iterator[CountedRunner]:
    """The programs with their packages, each built from nothing; first those whose build was timed already, as known:
    a stop loses none of them.
    """
    held = {(one.name, one.sha256): one for one in known if one.compile_s is not None}
    nothing = {runner.codec.partition("/")[0]: runner.codec for runner in doing_nothing(lab)}
    packages = {one.codec: packages_of(one.codec) for one in programs}
    left = [one for one in programs if (one.name, one.sha256) not in held]
    report(f"{len(left)} clean builds, one after another; begun at {datetime.now(UTC):%H:%M} UTC")
    for one in sorted(programs, key=lambda one: (one.name, one.sha256) not in held):
        if (one.name, one.sha256) in held:
            yield held[one.name, one.sha256]
        else:
            beside = packages.get(nothing.get(one.codec.partition("/")[0], ""))
            yield with_packages(with_compile_time(one, report), packages[one.codec], beside)


def packages_of(codec: str) -> set[str] | None:
    """The packages that a codec's build compiles, with their versions; None where nobody tells."""
    name, _, short = codec.partition("/")
    language = LANGUAGES.get(name)
    folder = next((one for one in language.codec_folders() if one.name == short), None) if language else None
    return language.packages(folder) if language and folder else None


def with_packages(runner: CountedRunner, own: set[str] | None, nothing: set[str] | None) -> CountedRunner:
    """The runner with the number of its packages, and of those that the control which does nothing has not."""
    if own is None:
        return runner
    beyond = None if nothing is None else len(own - nothing)
    return msgspec.structs.replace(runner, packages=len(own), packages_over_nothing=beyond)
