"""What a build lacks, all of it named before anything is compiled: tools, compilers, registries, disk space."""

from collections.abc import Collection, Mapping
from pathlib import Path

import psutil

from bench.base import paths
from bench.base.progress import Report
from bench.base.supervision import side_by_side
from bench.building.languages import LANGUAGES
from bench.building.languages.language import Builder, Problem
from bench.building.manifest import is_given
from bench.building.nix import builder_of

FREE_DISK = "Free some space, or name a folder on another disk: `LAB_WORK=FOLDER ./lab …`."
AGAIN = "Then ask again: nothing was downloaded."
MARGIN_BYTES = 2**30
"""What a disk should have left: tools, the runners' layouts, a run's records and files of rows come on top."""


def problems(report: Report, languages: Collection[str] | None = None) -> list[Problem]:
    """What building all codecs of some languages lacks, all if None; what can be downloaded, is."""
    if is_given():
        return []
    asked = [builder_of(one) for one in LANGUAGES.values() if languages is None or one.name in languages]
    return problems_of({builder: builder.codec_folders() for builder in asked}, report)


def problems_of(due: Mapping[Builder, list[Path]], report: Report) -> list[Problem]:
    """What building these codecs lacks, each once; what can be downloaded, is, unless the disk has no room for it."""
    if lacking := _disk(sum(builder.build_bytes(folders) for builder, folders in due.items())):
        return lacking
    asked = side_by_side(lambda item: item[0].provide(item[1], report), due.items())
    return list({problem.lack: problem for some in reversed(asked) for problem in reversed(some)}.values())[::-1]


def _disk(needed: int) -> list[Problem]:
    paths.STATE.mkdir(parents=True, exist_ok=True)
    free = psutil.disk_usage(str(paths.STATE)).free
    if free >= needed + MARGIN_BYTES:
        return []
    detail = f"{free / 2**30:.1f} GiB are free, and the build needs {(needed + MARGIN_BYTES) / 2**30:.1f} GiB"
    return [Problem("disk space", detail, f"{FREE_DISK} {AGAIN}")]
