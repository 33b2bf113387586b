"""A run folder as the driver would record it, with times that are known beforehand; nothing is measured or built."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from bench.base.files import read_toml, write_json
from bench.base.paths import SCENARIOS
from bench.base.protocol import PROTOCOL
from bench.measuring.order import slots
from bench.model.cells import Cell, Conditions, ControlRole, Operation
from bench.model.plan import DraftedCell, Encoded, Plan, PlannedCell, ProcessKind, Profile, Slot, Unencoded
from bench.model.record import Process, Run, Sample
from bench.model.scenario import Scenario
from bench.model.verification import Verification

SER, DESER, BOTH = Operation.SERIALIZE, Operation.DESERIALIZE, Operation.ROUND_TRIP
N = 100_000
CHECKSUM = "crc32:00000000"
START_UP_NS = 3_000_000
SERIALIZE = Conditions(api="serde", buffer="reused", build="baseline")
DESERIALIZE = Conditions(api="serde", output="owned", drop="inside", validation="on", build="baseline")
ROUND_TRIP = Conditions(api="serde", buffer="reused", output="owned", drop="inside", validation="on", build="baseline")
ROLES = {"memcpy": ControlRole.COPY, "clone": ControlRole.CLONE, "noop": ControlRole.NOTHING}
"""What the synthetic controls say of themselves."""
PUBLISHED = {SER: SERIALIZE, DESER: DESERIALIZE, BOTH: ROUND_TRIP}


def but(conditions: Conditions, **changes: str | None) -> Conditions:
    """The same conditions, some of them others."""
    return msgspec.structs.replace(conditions, **changes)


class Made:
    """What is to be recorded: nanoseconds a repetition of each cell, then what goes wrong with some of them."""

    def __init__(self, scenario: str = "process-created", rounds: int = 10) -> None:
        self.scenario: Scenario = read_toml(SCENARIOS / f"{scenario}.toml", Scenario)
        self.rounds = rounds
        self.profile = Profile.PUBLISHED
        self.repetitions = self.scenario.published.repetitions
        self.spread = 0.01
        self.cells: list[PlannedCell] = []
        self.ns: dict[Cell, float] = {}
        self.twins: list[Cell] = []
        self.errors: dict[tuple[Cell, int], str] = {}
        self.extra_process_ns: dict[Cell, float] = {}
        self.cpu_share: dict[Cell, float] = {}
        self.factor: dict[tuple[Cell, int], float] = {}
        self.until: int | None = None
        """How many processes are recorded before the run breaks off."""

    def codec(
        self,
        name: str,
        times: Mapping[Operation, float],
        *,
        size: int = 300,
        control: bool = False,
        conditions: Mapping[Operation, Conditions] = PUBLISHED,
        library: str | None = "lib",
        blocked: str | None = None,
        variant: str = "",
    ) -> "Made":
        """A codec's cells under given conditions, by default the published ones."""
        for operation, ns in times.items():
            cell = Cell(name, self.scenario.name, operation, conditions[operation])
            self.ns[cell] = ns
            drafted = DraftedCell(
                cell=cell,
                format="none" if control else "JSON",
                library=None if control else library,
                version=None if control else "1.2.3",
                control=control,
                self_describing=False,
                sha256="0" * 64,
                variant=variant,
                role=ROLES.get(name.partition("/")[2]) if control else None,
            )
            proved = Unencoded() if control else Encoded(size, CHECKSUM)
            timed = drafted.as_timed(proved, self.repetitions, ns)
            self.cells.append(timed if blocked is None else drafted.as_blocked(blocked))
        return self

    def cell(self, codec: str, operation: Operation, conditions: Conditions | None = None) -> Cell:
        """The cell of that name."""
        return Cell(codec, self.scenario.name, operation, conditions or PUBLISHED[operation])

    def twin(self, codec: str, *operations: Operation) -> "Made":
        """These cells are measured under a second name too."""
        self.twins += [self.cell(codec, operation) for operation in operations or PUBLISHED]
        return self

    def run(self) -> Run:
        """run.json."""
        plan = Plan(
            profile=self.profile,
            seed=7,
            rounds={self.scenario.name: self.rounds},
            base_rounds=3,
            warmup=0,
            filters=["process-created"],
            excludes=[],
            shard=None,
            limit_s=None,
            cells=sorted(self.cells, key=lambda planned: planned.cell),
            twins=sorted(self.twins),
        )
        return Run(
            protocol=PROTOCOL,
            id="20250102T030405Z-linux-x86_64-abcdef",
            created="2025-01-02T03:04:05+00:00",
            platform="linux-x86_64",
            command=["lab", "bench", "--out", "/somewhere/else"],
            environment={
                "cpu": {"model": "Synthetic CPU", "usable_threads": 2},
                "virtualization": "kvm",
                "load_before": [0.1, 0.2, 0.3],
            },
            provenance={
                "git_commit": "c" * 40,
                "git_dirty": False,
                "toolchain": "host",
                "hyperfine": "1.20.0",
                "unavailable": {},
            },
            plan=plan,
            scenarios=[self.scenario],
            finished=None if self.until is not None else "2025-01-02T03:05:05+00:00",
        )

    def write(self, path: Path) -> Path:
        """The run folder."""
        path.mkdir(parents=True)
        run = self.run()
        write_json(path / "run.json", run)
        write_json(path / "verify.json", Verification(PROTOCOL))
        blocked = [Process(str(p.cell), 0, 0, ProcessKind.LOOP, error=p.blocked) for p in self.cells if p.blocked]
        rows = [*slots(run.plan)][: self.until]
        (path / "processes.jsonl").write_bytes(_lines([*blocked, *(self._process(slot) for slot in rows)]))
        (path / "samples.jsonl").write_bytes(_lines(self._sample(s) for s in rows if self._has_sample(s)))
        return path

    def loop_ns(self, slot: Slot) -> int:
        """Time of a timed loop: the cell's own, with noise of its own and a drift that all cells of a round share."""
        if slot.kind is ProcessKind.BASE:
            return 30
        noise = np.random.default_rng([slot.round, slot.twin, *str(slot.cell).encode()]).normal(0, self.spread)
        drift = 1 + 0.2 * slot.round / self.rounds
        factor = self.factor.get((slot.cell, slot.round), 1.0)
        return max(1, round(self.ns[slot.cell] * self.repetitions * drift * np.exp(noise) * factor))

    def _has_sample(self, slot: Slot) -> bool:
        return slot.kind is ProcessKind.LOOP and (slot.cell, slot.round) not in self.errors

    def _sample(self, slot: Slot) -> Sample:
        planned = next(p for p in self.cells if p.cell == slot.cell)
        wall = self.loop_ns(slot)
        count = 0 if slot.cell.operation is SER else 4
        return Sample(
            cell=str(slot.cell),
            round=slot.round,
            place=slot.place,
            index=0,
            wall_ns=wall,
            cpu_ns=round(wall * self.cpu_share.get(slot.cell, 1.0)),
            repetitions=self.repetitions,
            encoded_bytes=planned.encoded_bytes or 0,
            checksum=CHECKSUM,
            twin=slot.twin,
            allocations=count,
            allocated_bytes=52 * count,
            file_bytes=(planned.encoded_bytes or 0) * self.repetitions if slot.cell.operation.is_file else None,
        )

    def _process(self, slot: Slot) -> Process:
        place = {"cell": str(slot.cell), "round": slot.round, "place": slot.place, "kind": slot.kind, "twin": slot.twin}
        if slot.kind is ProcessKind.LOOP and (slot.cell, slot.round) in self.errors:
            return Process(**place, error=self.errors[slot.cell, slot.round])
        loop = self.loop_ns(slot)
        extra = self.extra_process_ns.get(slot.cell, 0.0) if slot.kind is ProcessKind.LOOP else 0.0
        memory = 2 * 1024**2 + (500_000 if slot.kind is ProcessKind.LOOP else 0)
        return Process(
            **place,
            wall_s=(START_UP_NS + loop + extra) / 1e9,
            user_s=0.0,
            system_s=0.0,
            peak_memory_bytes=memory,
            loop_ns=loop,
        )


def claimed(made: Made, prost: float, rmp: float) -> Made:
    """The run with two codecs of a claim of the FlatMessage book, and these times of a round trip in ns."""
    made.codec("rust/prost", {BOTH: prost}, size=240, library="prost")
    return made.codec("rust/rmp-serde-named", {BOTH: rmp}, size=334, library="rmp-serde")


def usual(rounds: int = 10) -> Made:
    """Two codecs that differ, two that tie, controls, A/A cells, other conditions."""
    made = Made(rounds=rounds)
    made.codec("rust/flat-message-unchecked", {SER: 19, DESER: 60, BOTH: 82}, size=298, library="flat_message")
    made.codec("rust/postcard", {SER: 43, DESER: 110, BOTH: 150}, size=230, library="postcard")
    made.codec("rust/bincode", {SER: 42, DESER: 111, BOTH: 150}, size=234, library="bincode")
    made.codec("rust/cbor4ii", {SER: 60, DESER: 200, BOTH: 290}, size=334, library="cbor4ii")
    made.codec("rust/toml", {SER: 1200, DESER: 2400, BOTH: 4000}, size=385, library="toml")
    made.codec(
        "rust/postcard", {SER: 86}, conditions={SER: but(SERIALIZE, buffer="fresh")}, size=230, library="postcard"
    )
    made.codec(
        "rust/postcard",
        {DESER: 44},
        conditions={DESER: but(DESERIALIZE, output="borrowed")},
        size=230,
        library="postcard",
    )
    made.codec(
        "rust/postcard", {DESER: 88}, conditions={DESER: but(DESERIALIZE, drop="outside")}, size=230, library="postcard"
    )
    made.codec("rust/noop", {SER: 0.5, DESER: 0.5, BOTH: 0.5}, size=0, control=True)
    made.codec("rust/memcpy", {SER: 4, BOTH: 9}, control=True)
    made.codec(
        "rust/memcpy",
        {DESER: 4},
        conditions={DESER: Conditions(api="manual", output="existing", build="baseline")},
        control=True,
    )
    made.codec("rust/clone", {DESER: 45}, conditions={DESER: but(DESERIALIZE, validation=None)}, control=True)
    return made.twin("rust/postcard")


def _lines(values: Iterable[object]) -> bytes:
    return b"".join(msgspec.json.encode(value) + b"\n" for value in values)
