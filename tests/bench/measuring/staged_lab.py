"""The `lab` command over fakes that are built one after the other, by a builder that only writes down what it does.

    python -m tests.bench.measuring.staged_lab CODECS COMMAND …

CODECS are the fakes that the catalogue knows, as name=seconds: how long their builds are estimated to take. LAB_WORK
names the folder in which they are built. FAKE_LOG and FAKE_HOLD are those of the fake runner; builds and tables are
written down and held too.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench import cli
from bench.base.paths import RUNNERS
from bench.base.programs import streamed
from bench.building import build, lab, manifest
from bench.commands import bench
from bench.measuring.stages import prospect
from bench.model.cells import Cell, Conditions, Operation
from bench.model.description import Description, RunnerEntry
from tests.support.fake_runner import hold, log
from tests.support.lab import fake_entry

CONDITIONS = {
    Operation.SERIALIZE: Conditions(buffer="reused"),
    Operation.DESERIALIZE: Conditions(output="owned", drop="inside"),
    Operation.ROUND_TRIP: Conditions(buffer="reused", output="owned", drop="inside"),
}
HOLD = "import sys; from tests.support.fake_runner import hold; hold(sys.argv[1])"
"""A tool that does nothing but wait."""


class FakeBuilder:
    """Builds fakes."""

    name = "fake"

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds

    def codec_folders(self) -> list[Path]:
        """Folders that need not exist."""
        return [RUNNERS / "fake" / "codecs" / name for name in sorted(self.seconds)]

    def variants(self, _: object) -> list[str]:
        """One build of each."""
        return [""]

    def inputs(self, _: object) -> dict[str, str]:
        """They never change."""
        return {f"fake/{name}": "0" * 64 for name in self.seconds}

    def build_all(self, folders: list[Path], _: object, __: object) -> Iterator[list[RunnerEntry]]:
        """One after the other."""
        for folder in folders:
            with streamed([sys.executable, "-c", HOLD, f"build {folder.name}"]) as said:
                list(said)  # a tool that is read, as a build's is: it is stopped with the build
            log(f"begin build {folder.name}")
            log(f"end build {folder.name}")
            yield [fake_entry(folder.name)]

    def libraries_of(self, _: Path) -> set[str]:
        return set()

    def build_bytes(self, _: list[Path]) -> int:
        """None to speak of."""
        return 0

    def provide(self, folders: list[Path], _: object) -> list[object]:
        """Nothing is missing."""
        names = " ".join(folder.name for folder in folders)
        hold("provide")
        log(f"begin provide {names}")
        log(f"end provide {names}")
        return []

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """As given."""
        return {f"fake/{folder.name}": self.seconds[folder.name] for folder in folders}


class FakeCatalogue:
    """Every fake offers the same cells."""

    controls: frozenset[str] = frozenset()

    def __init__(self, names: Iterable[str]) -> None:
        self.codecs = {f"fake/{name}": None for name in sorted(names)}

    def unknown(self, codecs: Iterable[str]) -> list[str]:
        """None."""
        return sorted(set(codecs) - self.codecs.keys())

    def cells(self, _: object, __: object = None) -> list[Cell]:
        """Those of the fake runner."""
        scenarios = ("point", "process-created")
        return [Cell(c, s, o, CONDITIONS[o]) for c in self.codecs for s in scenarios for o in CONDITIONS]

    def difference(self, _: Description, __: object) -> None:
        """None."""


def main() -> None:
    """Puts the fakes in place of what the lab builds, and runs the command."""
    words = [word.split("=") for word in sys.argv.pop(1).split(",")]
    seconds = {name: float(value) for name, value in words}
    catalogue, shown = FakeCatalogue(seconds), bench.show
    build.builders = lambda _: [FakeBuilder(seconds)]
    manifest.checkout_codecs = lambda: set(catalogue.codecs)
    prospect.load_catalogue = lab.load_catalogue = lambda: catalogue

    def show(ctx: object, path: Path, **what: object) -> bool:
        hold(f"table {what.get('scenario')}")
        log(f"begin table {what.get('scenario')}")
        try:
            return shown(ctx, path, **what)
        finally:
            log(f"end table {what.get('scenario')}")

    bench.show = show
    cli.main()


if __name__ == "__main__":
    main()
