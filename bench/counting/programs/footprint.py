"""What a codec costs before it encodes anything: bytes of program, packages, and the time of a clean build."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.base.files import is_there, read_json, write_json
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.building.environment import cpu_model, git_state, platform_name
from bench.building.lab import Lab
from bench.building.languages import LANGUAGES
from bench.building.runner import Runner
from bench.counting.programs.compile_time import with_compile_time
from bench.counting.programs.counted_programs import counted_runners, doing_nothing, with_nothing
from bench.model.counts import FOOTPRINT, CountedRunner, Footprints


def recorded_footprints(lab: Lab, runners: Sequence[Runner], run: Path | None, report: Report) -> list[CountedRunner]:
    """The footprints, each written beside the run as soon as its build is timed, if there is a run.

    Those that the run has of the same programs, built on the same CPU, stay as they are.
    """
    git = git_state()
    head = Footprints(
        protocol=PROTOCOL,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        platform=platform_name(),
        cpu=cpu_model(),
        git_commit=git["git_commit"],
        git_dirty=git["git_dirty"],
        runners=[],
    )
    file = run / FOOTPRINT if run else None
    before = read_json(file, Footprints) if file and is_there(file) else head
    kept = before.runners if (before.platform, before.cpu) == (head.platform, head.cpu) else []
    found = {one.name: one for one in kept}
    chosen = list[CountedRunner]()
    for one in footprints(lab, runners, kept, report):
        found[one.name] = one
        chosen.append(one)
        if file:
            write_json(file, msgspec.structs.replace(head, runners=[found[name] for name in sorted(found)]))
    return chosen


def footprints(
    lab: Lab, runners: Sequence[Runner], known: Iterable[CountedRunner], report: Report
) -> Iterator[CountedRunner]:
    """The programs of runners and of the controls that do nothing beside them, each built from nothing. Sorted.

    Those whose build was timed already are not built again.
    """
    chosen = with_nothing(lab, runners)
    held = {(one.name, one.sha256): one for one in known if one.compile_s is not None}
    nothing = {runner.codec.partition("/")[0]: runner.codec for runner in doing_nothing(lab)}
    packages = {runner.codec: packages_of(runner.codec) for runner in chosen}
    programs = counted_runners(lab, chosen)
    left = [one for one in programs if (one.name, one.sha256) not in held]
    report(f"{len(left)} clean builds, one after another; begun at {datetime.now(UTC):%H:%M} UTC")
    for one in programs:
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
