"""Hostile runs drawn at random through the commands, and the corpus written down.

python tests/support/hostile/fuzz.py --write FOLDER       every run of the corpus, to be looked at
python tests/support/hostile/fuzz.py --minutes 60         mutated runs, drawn from --seed, through the commands
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.base import limits
from tests.support.hostile.box import Box, Worker, no_runners
from tests.support.hostile.runs import FILES, POISON, SCENARIOS, Case, corpus, dump, healthy, load


def mutated(random_: random.Random, path: Path) -> str:
    """Harms a run at random, one to three times; says how."""
    done = []
    for _ in range(random_.choice((1, 1, 1, 2, 3))):
        name = random_.choice((*("run.json",) * 6, *("samples.jsonl", "processes.jsonl") * 2, *FILES[1:]))
        how = random_.choice((_mutate_softly, _mutate_softly, _mutate_softly, _mutate_value, _mutate_bytes))
        file = path / name
        try:
            content = file.read_bytes()
            file.write_bytes(how(random_, name, content))
        except (ValueError, RecursionError, LookupError):  # no longer JSON: bytes it is
            file.write_bytes(_mutate_bytes(random_, name, content))
        done.append(f"{name} {how.__name__}")
    return ", ".join(done)


def _mutate_bytes(random_: random.Random, _: str, content: bytes) -> bytes:
    data = bytearray(content or b"x")
    for _ in range(random_.choice((1, 1, 2, 8))):
        place = random_.randrange(len(data) + 1)
        length = random_.choice((1, 1, 2, 16, 200))
        match random_.randrange(6):
            case 0:
                data[place : place + length] = random_.randbytes(length)
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length] * random_.choice((1, 2, 50))
            case 3:
                data[place:place] = random_.choice(
                    (b"\n", b"\x00", b"\x1b[2J", b"\xff", b"{", b"}", b"[", b"]", b'"', b",", b"\r", b"-", b"e9", b"\\")
                )
            case 4:
                del data[place:]
            case _:
                data[place : place + 1] = bytes([random_.choice(b"0123456789-.eE\"'{}[],:ntf\\")])
    return bytes(data)


ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    10**6,
    10**9,
    2**31,
    2**53,
    2**63 - 1,
    2**63,
    2**64,
    10**18,
    10**30,
    0.0,
    -0.0,
    0.5,
    1e-300,
    1e300,
    5e-324,
    "",
    " ",
    "x",
    "0",
    POISON,
    "\ud800",
    "../..",
    "rust/memcpy",
    "rust/flat-message",
    "linux-x86_64",
    "a" * 100,
    "a" * 70_000,
    "serialize",
    "deserialize",
    "round-trip",
    "write",
    "read",
    "filter",
    "quick",
    "standard",
    "published",
    "loop",
    "base",
    "1/3",
    "2025-01-02T03:04:05+00:00",
    "process-created",
    "log-small",
    "brec.csv#Small Record",
    "b-fast.csv#NumPy Arrays (8MB)",
    "crc32:00000000",
    "0" * 64,
    "on",
    "off",
    "owned",
    "zstd-1",
    [],
    {},
    [[]],
    [None],
    [0],
    ["x"],
    {"x": 1},
    {"": ""},
    [POISON],
)


def _mutate_value(random_: random.Random, name: str, content: bytes) -> bytes:
    if name == "remarks.txt":
        return _mutate_bytes(random_, name, content)
    value = load(name, content)
    for _ in range(random_.choice((1, 1, 2, 4))):
        places = list(_places(value))
        if not places:
            break
        holder, key = random_.choice(places)
        match random_.randrange(8):
            case 0 | 1 | 2:
                holder[key] = random_.choice(ODD)
            case 3:
                del holder[key]
            case 4:
                other, that = random_.choice(places)
                with suppress(LookupError):
                    holder[key] = json.loads(json.dumps(other[that]))
            case 5 if isinstance(holder, list):
                holder.insert(random_.randrange(len(holder) + 1), json.loads(json.dumps(holder[key])))
            case 5:
                holder[random_.choice(("x", POISON, *list(holder)))] = random_.choice(ODD)
            case 6 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
                holder[key] = random_.choice(
                    (holder[key] + 1, holder[key] - 1, -holder[key], holder[key] * 10**9, holder[key] // 10**4)
                )
            case _ if isinstance(holder[key], str):
                holder[key] = random_.choice(
                    (holder[key] + "x", holder[key][:-1], holder[key].upper(), holder[key] + POISON, holder[key] * 50)
                )
            case _:
                holder[key] = random_.choice(ODD)
    return dump(name, value)


def _mutate_softly(random_: random.Random, name: str, content: bytes) -> bytes:
    """Values that their fields may have, in places where they do not belong: what gets past the first look."""
    if name == "remarks.txt":
        return _mutate_bytes(random_, name, content)
    value = load(name, content)
    for _ in range(random_.choice((1, 2, 4, 16))):
        places = list(_places(value))
        if not places:
            break
        holder, key = random_.choice(places)
        found = holder[key]
        if isinstance(found, bool):
            holder[key] = not found
        elif isinstance(found, int | float) and key != "protocol":
            least = random_.choice((0, 1, 2, found // 2, found * 2, found + 1, found * 1000, 10**6, limits.NANOSECONDS))
            holder[key] = type(found)(min(least, limits.NANOSECONDS if isinstance(found, int) else limits.SECONDS))
        elif isinstance(found, list):
            random_.shuffle(found)
            del found[random_.randrange(len(found) + 1) :]
        else:  # what the same field has elsewhere, or None
            others = [there[that] for there, that in places if that == key]
            holder[key] = json.loads(json.dumps(random_.choice([*others, None])))
    return dump(name, value)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        inside = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, inner in inside:
            yield one, key
            waiting.append(inner)


def fuzz(minutes: float, seed: int, workers: int, keep: Path | None) -> int:
    """Mutated runs through the commands until the time is over; prints and counts what must not be."""
    end = time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for scenario in SCENARIOS:
            healthy(folder / scenario, scenario)
        with ThreadPoolExecutor(workers) as pool:
            totals = list(pool.map(lambda lane: _fuzz_lane(folder, lane, workers, seed, end, keep), range(workers)))
    codes: dict[int, int] = {}
    runs, calls, findings = (sum(total[place] for total in totals) for place in range(3))
    for total in totals:
        for code, count in total[3].items():
            codes[code] = codes.get(code, 0) + count
    print(f"{runs} runs, {calls} calls, {findings} findings; exit codes {dict(sorted(codes.items()))}", flush=True)
    return findings


def _fuzz_lane(
    folder: Path, lane: int, lanes: int, seed: int, end: float, keep: Path | None
) -> tuple[int, int, int, dict[int, int]]:
    worker, number, calls, findings, codes = Worker(no_runners_in(folder, lane)), lane, 0, 0, dict[int, int]()
    runs = 0
    while time.monotonic() < end:
        random_ = random.Random(f"{seed} {number}")
        scenario = random_.choice(SCENARIOS)
        how = ""

        def harm(path: Path, random_: random.Random = random_) -> None:
            nonlocal how
            how = mutated(random_, path)

        box = Box(folder / f"box-{number}", Case(str(number), harm), template=folder / scenario)
        shutil.copytree(folder / scenario, box.healthy)
        codecs = sorted(
            {cell["cell"]["codec"] for cell in json.loads((box.healthy / "run.json").read_bytes())["plan"]["cells"]}
        )
        commands = list(box.commands(codecs[:2]))
        chosen = random_.sample(commands, 5)
        for name, arguments in chosen:
            ended, problems = box.check(worker, arguments)
            calls += 1
            codes[ended.code] = codes.get(ended.code, 0) + 1
            for problem in problems:
                findings += 1
                print(f"FOUND seed {seed} run {number} ({scenario}: {how}) {name}: {problem}", flush=True)
            if problems and keep:
                shutil.copytree(box.run, keep / f"{seed}-{number}", symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(box.folder)
        number += lanes
        runs += 1
    worker.close()
    return runs, calls, findings, codes


def no_runners_in(folder: Path, lane: int) -> Path:
    """A manifest for a lane of its own."""
    place = folder / f"lane-{lane}"
    place.mkdir()
    return no_runners(place)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the corpus there")
    parser.add_argument("--minutes", type=float, help="fuzz for so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the runs of findings there")
    given = parser.parse_args()
    if given.write:
        for case in corpus():
            Box(given.write / case.name, case)
    if given.minutes:
        sys.exit(1 if fuzz(given.minutes, given.seed, given.workers, given.keep) else 0)


if __name__ == "__main__":
    main()
