"""Two machines that agree in most things and differ in one: on the second a codec takes another rank."""

from pathlib import Path

from tests.support.recorded.submittable import EPYC, XEON, submittable

XEON_NAME, EPYC_NAME = "intel-xeon-6-167-linux-x86_64", "amd-epyc-25-1-linux-x86_64"
SLOWER = 1.6
"""Factor of writing by `rust/postcard` on the second machine; on the first it ties with `rust/bincode`."""


def two_machines(folder: Path) -> tuple[Path, Path]:
    """Runs of a Xeon and of an EPYC."""
    one = submittable(XEON, "aaaaaa").write(folder / "xeon")
    other = submittable(EPYC, "bbbbbb", postcard=SLOWER).write(folder / "epyc")
    return one, other
