"""A synthetic run of record version 3: layouts, canaries, and a neighbour who slows loops and canaries alike.

A process runs canary, loop, canary, loop … canary on a time axis of its own. The machine has two speeds: while the
neighbour works, everything takes `slowdown` times as long. Nothing is measured.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from bench.model.cells import Cell
from bench.model.plan import Plan, ProcessKind, Slot, Timed
from bench.model.record import CanaryReference, Ending, EndingRule, Process, Run, Sample
from tests.support.synthetic_run import CHECKSUM, Made

KERNEL = "x86-64/1"
CANARY_NS = 500_000
JITTER = 0.003
"""Standard deviation of a canary and of a loop on a calm machine, as a share."""


class Neighbour(msgspec.Struct, frozen=True):
    """Works in bursts of a mean length, by default half of the time, and slows everything by a factor meanwhile.

    Bursts and rests take 0.5 to 1.5 of the mean length: with a fixed length, loops and bursts would keep step.
    """

    burst_s: float
    slowdown: float = 2.0
    busy: float = 0.5
    """The share of the time in which he works."""

    def walk(self, random: np.random.Generator, works_ns: Iterable[float]) -> NDArray[np.float64]:
        """How long pieces of work take, one after another, that take `works_ns` each on a calm machine; shape (n,)."""
        busy, result = random.random() < self.busy, list[float]()
        left = self._length(random, busy=busy) * random.random()
        for work in works_ns:
            took = 0.0
            while work > 0:
                slow = self.slowdown if busy else 1.0
                done = min(work, left / slow)
                work, left, took = work - done, left - done * slow, took + done * slow
                if work > 0:
                    busy, left = not busy, self._length(random, busy=not busy)
            result.append(took)
        return np.array(result)

    def _length(self, random: np.random.Generator, *, busy: bool) -> float:
        return 2 * (self.busy if busy else 1 - self.busy) * self.burst_s * 1e9 * random.uniform(0.5, 1.5)


class CalmMade(Made):
    """What is to be recorded, with the factor of each layout and loops of several in a process."""

    def __init__(
        self, scenario: str = "process-created", rounds: int = 16, *, layouts: int = 8, loops: int = 6
    ) -> None:
        super().__init__(scenario, rounds)
        self.repetitions = 30_000
        self.layouts, self.loops = layouts, loops
        self.neighbour: Neighbour | None = None
        self.kernel: str | None = KERNEL
        self.kernels: dict[str, str | None] = {}
        """Codec → kernel of its canary, where it is not `kernel`."""
        self.layout_spread = 0.02
        """Standard deviation of the logarithm of a layout's factor; each codec, operation and layout has its own."""
        self.process_spread = 0.002
        self.identical: dict[Cell, str] = {}
        """Cell → the codec whose code for it is the same."""
        self.calibration: dict[str, CanaryReference] = {KERNEL: CanaryReference(CANARY_NS, CANARY_NS, 1.0, 10_000)}
        self.disturbed: dict[str, float] = {}
        """Codec → the share of its loops that a neighbour of its own disturbs."""
        self.disturbed_layouts: dict[str, set[int]] = {}
        """Codec → layouts of which a neighbour disturbs every loop."""
        self.ending: Ending | None = Ending(EndingRule.PRECISE, rounds, layouts, 60.0, 1.0, 0.99)
        self.slower_canary: dict[str, float] = {}
        """Codec → the factor of its canaries' time."""
        self.clock = 1.0
        """The factor of all times, canaries included."""
        self.repetitions_of: dict[str, int] = {}
        """Codec → repetitions of its loops, where they are not `repetitions`."""
        self.only_layout: dict[str, int] = {}
        """Codec → the number of its layouts, where it is not `layouts`; 0: only that of its build tool."""

    def run(self) -> Run:
        """run.json, with what record version 3 adds."""
        run = super().run()
        cells = [self._chained(planned) for planned in run.plan.cells]
        plan = msgspec.structs.replace(run.plan, cells=cells, layouts=self.layouts, most_layouts=24)
        endings = {self.scenario.name: self.ending} if self.ending else {}
        return msgspec.structs.replace(run, plan=plan, calibration=self.calibration, endings=endings)

    def _chained(self, planned: Plan) -> Plan:
        codec = planned.cell.codec
        known = {"canary": self.kernels.get(codec, self.kernel), "identical": self.identical.get(planned.cell)}
        if isinstance(planned, Timed):
            known["loops"] = self.loops
            known["repetitions"] = self.repetitions_of.get(codec, self.repetitions)
        return msgspec.structs.replace(planned, **known)

    def layout(self, slot: Slot) -> int:
        """The layout of a process: a codec's layouts take turns, from a beginning that is its own."""
        number = self.only_layout.get(slot.cell.codec, self.layouts)
        first = int(_random("first", slot.cell.codec, slot.twin).integers(max(1, number)))
        return 1 + (slot.round + first) % number if number else 0

    def factor_of(self, cell: Cell, layout: int) -> float:
        """What a layout makes of a cell; the program of the build tool has a factor of its own too."""
        return float(np.exp(_random("layout", str(cell), layout).normal(0, self.layout_spread)))

    def chain(self, slot: Slot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times of a process's canaries, shape (loops + 1,), and of its loops, shape (loops,)."""
        random = _random("chain", str(slot.cell), slot.round, slot.twin)
        repetitions = self.repetitions_of.get(slot.cell.codec, self.repetitions)
        work = self.ns[slot.cell] * repetitions * self.factor_of(slot.cell, self.layout(slot))
        work *= np.exp(random.normal(0, self.process_spread))
        base = self.clock * np.where(np.arange(2 * self.loops + 1) % 2, work, CANARY_NS)
        times = base * (1 + np.abs(random.normal(0, JITTER, len(base))))
        if self.neighbour:
            times = self.neighbour.walk(random, times)
        canaries, loops = times[::2] * self.slower_canary.get(slot.cell.codec, 1.0), times[1::2]
        hit = random.random(self.loops) < self.disturbed.get(slot.cell.codec, 0.0)
        hit |= self.layout(slot) in self.disturbed_layouts.get(slot.cell.codec, ())
        canaries[:-1][hit] *= 2
        loops[hit] *= 2
        return canaries, loops

    def write(self, path: Path) -> Path:
        """The run folder, with the samples of every loop."""
        super().write(path)
        samples = [line for slot in self.slots() if self._has_sample(slot) for line in self._samples(slot)]
        (path / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in samples))
        return path

    def slots(self) -> Iterable[Slot]:
        """The processes of the plan."""
        from bench.measuring.order import slots

        return [*slots(self.run().plan)][: self.until]

    def loop_ns(self, slot: Slot) -> int:
        """All loops of a process together."""
        return 30 if slot.kind is ProcessKind.BASE else round(float(self.chain(slot)[1].sum()))

    def _samples(self, slot: Slot) -> Iterable[Sample]:
        canaries, loops = self.chain(slot)
        first = self._sample(slot)
        kernel = self.kernels.get(slot.cell.codec, self.kernel)
        for index, wall in enumerate(loops):
            beside: Mapping[str, int] = {}
            if kernel is not None:
                beside = {
                    "canary_before_ns": round(canaries[index]),
                    "canary_after_ns": round(canaries[index + 1]),
                    "involuntary_switches": 0,
                }
            repetitions = self.repetitions_of.get(slot.cell.codec, self.repetitions)
            times = {
                "repetitions": repetitions,
                "index": index,
                "wall_ns": round(wall),
                "cpu_ns": round(wall),
                "layout": self.layout(slot),
            }
            yield msgspec.structs.replace(first, **times, **beside)

    def _process(self, slot: Slot) -> Process:
        return msgspec.structs.replace(super()._process(slot), layout=self.layout(slot))


def _random(*names: object) -> np.random.Generator:
    return np.random.default_rng([*" ".join(map(str, names)).encode()])


__all__ = ["CANARY_NS", "CHECKSUM", "KERNEL", "CalmMade", "Neighbour"]
