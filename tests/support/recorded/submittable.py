"""Synthetic runs that can be submitted: finished, proved, of a clean commit, on a processor that can be chosen."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from analysis.data.machines.endings import endings_by_lines
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.counts import CountedRunner, Footprints
from bench.model.record import Run
from bench.model.verification import Verification, Verified
from bench.records.run_file import read_run
from bench.records.stored_files import SUFFIX, compressed, open_stored, stored_path
from tests.support.recorded.calm_run import CHECKSUM, CalmMade
from tests.support.synthetic_run import BOTH, DESER, DESERIALIZE, SER, but, claimed

WHEN = "2025-01-03T00:00:00+00:00"

XEON = {
    "model": "Intel(R) Xeon(R) Processor",
    "vendor": "GenuineIntel",
    "family": 6,
    "model_number": 167,
    "features": ["avx2", "bmi2", "fma", "sse2"],
    "usable_threads": 2,
}
EPYC = XEON | {"model": "AMD EPYC", "vendor": "AuthenticAMD", "family": 25, "model_number": 1}


class Submittable(CalmMade):
    """A run of a processor; `changed` overrides fields of run.json."""

    def __init__(self, cpu: dict[str, Any] | None = None, run_id: str = "abcdef", **options: Any) -> None:
        super().__init__(**({"rounds": 16, "layouts": 4, "loops": 6} | options))
        self.cpu, self.run_id = cpu or XEON, run_id
        self.changed: dict[str, Any] = {}
        self.verification: Verification | None = None

    def run(self) -> Run:
        """run.json."""
        run = super().run()
        environment = run.environment | {"cpu": self.cpu}
        links = [f"{number:064x}" for number in range(self.layouts)]
        plain = {
            "id": f"20250102T030405Z-linux-x86_64-{self.run_id}",
            "environment": environment,
            "finished": "2025-01-02T05:05:05+00:00",
            "layouts": dict.fromkeys({one.cell.codec for one in self.cells}, links),
        }
        return msgspec.structs.replace(run, **(plain | self.changed))

    def write(self, path: Path) -> Path:
        """The run folder."""
        super().write(path)
        sizes = {one.cell.codec: one.encoded_bytes or 0 for one in self.cells if not one.control}
        verified = [Verified(codec, self.scenario.name, size, CHECKSUM, CHECKSUM) for codec, size in sizes.items()]
        write_json(path / "verify.json", self.verification or Verification(PROTOCOL, verified))
        if self.ending and "endings" not in self.changed:  # by the lines, as the driver would
            endings = endings_by_lines(read_run(path))
            write_json(path / "run.json", msgspec.structs.replace(self.run(), endings=endings))
        return path


def footprints(*programs: CountedRunner, created: str = WHEN, cpu: str | None = "Synthetic CPU") -> Footprints:
    """What `lab count --footprint` records, of a machine."""
    return Footprints(
        protocol=PROTOCOL,
        created=created,
        platform="linux-x86_64",
        cpu=cpu,
        git_commit=None,
        git_dirty=None,
        runners=[*programs],
    )


def stored_text(folder: Path, name: str) -> str:
    """What a file of a submitted run holds."""
    with open_stored(stored_path(folder, name)) as file:
        return file.read().decode()


def change_stored(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Changes a file of a submitted run, which no command of the lab does."""
    text = change(stored_text(folder, name)).encode()
    with (folder / f"{name}{SUFFIX}").open("wb") as file:
        compressed(BytesIO(text), file.write)


def submittable(cpu: dict[str, Any] | None = None, run_id: str = "abcdef", *, postcard: float = 1.0) -> Submittable:
    """Five codecs with controls, on a processor; `postcard` is a factor of that codec's times, and of Prost's."""
    made = Submittable(cpu, run_id)
    made.codec("rust/postcard", {SER: 43 * postcard, DESER: 110, BOTH: 150 * postcard}, size=230, library="postcard")
    made.codec("rust/bincode", {SER: 42, DESER: 111, BOTH: 150}, size=234, library="bincode")
    made.codec("rust/flat-message-unchecked", {SER: 19, DESER: 60, BOTH: 82}, size=298, library="flat_message")
    claimed(made, 209 * postcard, 260)
    made.codec("rust/noop", {SER: 0.5, DESER: 0.5, BOTH: 0.5}, size=0, control=True)
    made.codec("rust/memcpy", {SER: 4, BOTH: 9}, control=True)
    made.codec("rust/clone", {DESER: 45}, conditions={DESER: but(DESERIALIZE, validation=None)}, control=True)
    return made
