"""Runs of any size, with random times, as `lab bench` would have recorded them: what `lab merge` is tried on.

    python tests/support/recorded/large_run.py FOLDER --samples 10000000

writes five runs of two platforms with that many samples in all. The same arguments give the same bytes.
"""

import argparse
from pathlib import Path

import msgspec
import numpy as np

from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.record import Run
from bench.model.verification import Verification
from tests.support.synthetic_run import BOTH, DESER, SER, Made

CODECS, ROUND_SAMPLES = 25, 10
"""Codecs of a run, each with three operations; timed loops of one process."""
PLATFORMS = ("linux-x86_64", "linux-x86_64", "linux-x86_64", "macos-aarch64", "macos-aarch64")


def write_runs(folder: Path, samples: int) -> list[Path]:
    """The runs; `samples` is rounded up to whole rounds."""
    cells = 3 * CODECS
    rounds = -(-samples // (len(PLATFORMS) * cells * ROUND_SAMPLES))
    return [write_run(folder / f"run-{number}", number, platform, rounds) for number, platform in enumerate(PLATFORMS)]


def plan_of(number: int, platform: str, rounds: int) -> Run:
    """run.json of one of them."""
    made = Made(rounds=rounds)
    for codec in range(CODECS):
        made.codec(f"rust/codec-{codec}", {SER: 10.0 + codec, DESER: 20.0 + codec, BOTH: 30.0 + codec})
    run = made.run()
    model = {"cpu": {"model": f"CPU of {platform}"}}
    return msgspec.structs.replace(
        run,
        id=f"2025010{number + 1}T000000Z-{platform}-{number:06x}",
        platform=platform,
        created=f"2025-0{1 + number % 2}-01T00:00:0{number}+00:00",
        environment=model,
        plan=msgspec.structs.replace(
            run.plan, cells=[msgspec.structs.replace(one, loops=ROUND_SAMPLES) for one in run.plan.cells]
        ),
    )


def write_run(path: Path, number: int, platform: str, rounds: int) -> Path:
    """One run, round by round, so that memory does not grow with it."""
    path.mkdir(parents=True)
    run = plan_of(number, platform, rounds)
    write_json(path / "run.json", run)
    write_json(path / "verify.json", Verification(PROTOCOL))
    names = [str(planned.cell) for planned in run.plan.cells]
    random = np.random.default_rng(number)
    with (path / "samples.jsonl").open("w") as samples, (path / "processes.jsonl").open("w") as processes:
        for place in range(rounds):
            times = random.lognormal(14, 0.02, (len(names), ROUND_SAMPLES)).astype(np.int64).tolist()
            for name, loops in zip(names, times, strict=True):
                head = f'{{"cell":"{name}","round":{place},"place":0,'
                samples.writelines(
                    f'{head}"index":{index},"wall_ns":{ns},"cpu_ns":{ns},"repetitions":100000,"encoded_bytes":298,'
                    '"checksum":"crc32:83de2d81","allocations":0,"allocated_bytes":0}\n'
                    for index, ns in enumerate(loops)
                )
                processes.write(
                    f'{head}"kind":"loop","wall_s":0.01,"user_s":0.01,"system_s":0.0,"peak_memory_bytes":2920448,'
                    f'"loop_ns":{sum(loops)}}}\n'
                )
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=10_000_000)
    given = parser.parse_args()
    write_runs(given.folder, given.samples)
