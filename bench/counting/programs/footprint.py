"""What a codec costs before it encodes anything: bytes of program, packages, and the time of a clean build."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from bench.base.progress import Report
from bench.building.lab import Lab
from bench.building.languages import LANGUAGES
from bench.building.runner import Runner
from bench.counting.programs.compile_time import with_compile_times
from bench.counting.programs.counted_programs import counted_runners, doing_nothing, with_nothing
from bench.model.counts import CountedRunner


def footprints(lab: Lab, runners: Sequence[Runner], report: Report) -> list[CountedRunner]:
    """The programs of runners and of the controls that do nothing beside them, each built from nothing. Sorted."""
    chosen = with_nothing(lab, runners)
    nothing = {runner.codec.partition("/")[0]: runner.codec for runner in doing_nothing(lab)}
    packages = {runner.codec: packages_of(runner.codec) for runner in chosen}
    report(f"{len(chosen)} clean builds, one after another; begun at {datetime.now(UTC):%H:%M} UTC")
    return [
        with_packages(one, packages[one.codec], packages.get(nothing.get(one.codec.partition("/")[0], "")))
        for one in with_compile_times(counted_runners(lab, chosen), report)
    ]


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
