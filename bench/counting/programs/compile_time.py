"""How long a clean build of each runner takes: its dependencies included, in a folder of its own.

A time, not a count: it depends on the machine and on what else it does. Builds are made one after another.
"""

import os
import tempfile
import time
from pathlib import Path

import msgspec

from bench.base.paths import STATE
from bench.base.progress import Report, duration
from bench.building.languages import LANGUAGES
from bench.model.counts import CountedRunner

PARENT = STATE / "clean"
"""Not the system's folder for temporary files, which may be in memory."""


def with_compile_times(runners: list[CountedRunner], report: Report) -> list[CountedRunner]:
    """The same runners with the times of their clean builds; without one where nothing is compiled, or it fails."""
    return [with_compile_time(runner, report) for runner in runners]


def with_compile_time(runner: CountedRunner, report: Report) -> CountedRunner:
    """A runner with the time of its clean build."""
    name, _, codec = runner.codec.partition("/")
    language = LANGUAGES.get(name)
    folder = next((one for one in language.codec_folders() if one.name == codec), None) if language else None
    if language is None or folder is None:
        return runner
    PARENT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PARENT) as target:
        language.provide([folder], report)  # sources are there before the clock runs
        started = time.monotonic()
        problem = language.build_clean(folder, runner.variant, Path(target))
        seconds = time.monotonic() - started
    report(f"{runner.name}: {problem or f'a clean build takes {duration(seconds)}'}")
    if problem:
        return runner
    return msgspec.structs.replace(runner, compile_s=round(seconds, 2), compile_jobs=os.cpu_count() or 1)
