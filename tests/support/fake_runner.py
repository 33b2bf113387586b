"""A runner for tests that speaks the protocol over JSON with a mark of its own, and misbehaves on request.

    fake_runner.py CODEC MISCHIEF COMMAND …

MISCHIEF is `none` or one of the words below; the tests show that the driver catches each. FAKE_LOG and FAKE_HOLD are
for tests of what happens when: see `log` and `hold`.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import time
import zlib
from pathlib import Path
from typing import NoReturn, TextIO

SCENARIOS = ("process-created", "point")
CANARY_NS = 500_000
CANARIES = {
    "calm": lambda _: CANARY_NS,
    "slower-but-calm": lambda _: CANARY_NS,
    "restless": lambda count: 2 * CANARY_NS if count % 20 else CANARY_NS,
    "half-calm": lambda count: CANARY_NS * (1 + count % 4 // 2),
}
"""Mischief → time of a canary by its number: runners whose machine was always calm, never between two canaries, or half of the time."""


def log(event: str) -> None:
    """Appends an event to the file that FAKE_LOG names."""
    if name := os.environ.get("FAKE_LOG"):
        with Path(name).open("a") as file:
            file.write(f"{event}\n")


def hold(step: str) -> None:
    """Waits at a step as long as the file that FAKE_HOLD names holds its name; another file says that it was reached."""
    name = os.environ.get("FAKE_HOLD")
    while name and Path(name).exists() and Path(name).read_text() == step:
        Path(f"{name}.reached").touch()
        time.sleep(0.02)


def main() -> None:
    codec, mischief, *rest = sys.argv[1:]
    step = " ".join([rest[0], *(rest[n + 1] for n, word in enumerate(rest) if word == "--scenario")])
    if rest[0] == "measure" and rest[rest.index("--samples") + 1] == "3":
        step = step.replace("measure", "pilot")
    hold(step)
    log(f"begin {step} {codec}")
    try:
        obey(codec, mischief, rest)
    finally:
        log(f"end {step} {codec}")


def obey(codec: str, mischief: str, rest: list[str]) -> None:
    if mischief == f"floods-{rest[0]}":
        flood(sys.stdout)
    if mischief == f"talks-without-end-{rest[0]}":
        flood(sys.stderr)
    if mischief in BAD_ENDS and rest[0] == "measure" and rest[rest.index("--samples") + 1] == "1":
        BAD_ENDS[mischief]()
    if mischief in DESCRIPTIONS and rest[0] == "describe":
        sys.stdout.buffer.write(DESCRIPTIONS[mischief])
        sys.exit()
    if mischief == f"sleeps-{rest[0]}":
        time.sleep(3600)
    if mischief == "leaves-a-daemon":
        leave_a_daemon()
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    words = ("scenario", "type", "operation", "input", "work", "repetitions", "warmup", "samples", "out", "compression")
    for name in words:
        parser.add_argument(f"--{name}")
    parser.add_argument("--condition", action="append")
    parser.add_argument("--batch", action="store_true")
    if mischief in CANARIES:  # runners without canaries refuse these options
        for name in ("seconds", "copy", "offset", "copy-canary"):
            parser.add_argument(f"--{name}")
    given = parser.parse_args(rest)
    commands = (describe, encode, decode, update, compress, decompress, measure, canary)
    {command.__name__: command for command in commands}[given.command](codec, mischief, given)


ANY_MISCHIEF = ("any", "any-takes-all", "any-drops-zeros", "any-overflows", "any-crashes-on-nan", "any-forgets-escapes")
"""Fakes that take values of any type, in JSON. The first does as it should."""


def unpack_any(mischief: str, encoded: bytes) -> bytes:
    """JSON to JSON, as a strict decoder would, but for the mischief."""
    depth = max(encoded.count(b"["), encoded.count(b"{"))
    if depth > 1000:
        if mischief == "any-overflows":
            os.kill(os.getpid(), signal.SIGSEGV)
        refuse(mischief)
    if mischief == "any-crashes-on-nan" and b"NaN" in encoded:
        sys.exit(101)
    if mischief == "any-forgets-escapes":
        encoded = encoded.replace(b"\\u", b"")
    if mischief == "any-drops-zeros":
        encoded = encoded.rstrip(b"\0")
    try:
        return json.dumps(json.loads(encoded.decode(), parse_constant=refuse)).encode()
    except (ValueError, RecursionError):
        if mischief == "any-takes-all":
            return b"null"
        refuse(mischief)


def replace_output() -> None:
    """A pipe that nobody writes into, where the lab looks for what was printed."""
    Path("../stdout").unlink()
    os.mkfifo("../stdout")
    sys.exit(0)


def write_many_samples() -> None:
    """Short lines, so that many of them fit into what may be written."""
    Path("samples.jsonl").write_bytes(b"ab\n" * (20 << 20))
    sys.exit(0)


def remove_folders() -> None:
    shutil.rmtree("..")
    sys.exit(3)


def lock_out() -> None:
    """Takes all rights from its folders; who is not root then cannot look into them."""
    Path("files/x/y").mkdir(parents=True)
    Path("files/x").chmod(0)
    Path("..").chmod(0)
    sys.exit(3)


BAD_ENDS = {
    "fails": lambda: sys.exit(3),
    "replaces-output": replace_output,
    "writes-many-samples": write_many_samples,
    "removes-folders": remove_folders,
    "locks-out": lock_out,
}
DESCRIPTIONS = {
    "describes-deep": b"[" * 500_000,
    "describes-no-text": b'{"protocol":"\xff"}',
    "describes-at-length": b'{"protocol":"' + b"\x7f" * 600_000 + b'"}',
}


def flood(stream: TextIO) -> NoReturn:
    """Prints without end."""
    while True:
        stream.write("x" * 79 + "\n" if stream is sys.stderr else "x" * (1 << 20))


def leave_a_daemon() -> None:
    """Leaves a process behind that has no parent, group or session of ours, as daemons do; its number goes into a file."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    with Path(os.environ["FAKE_DAEMONS"]).open("a") as file:
        file.write(f"{os.getpid()}\n")
    for stream in (0, 1, 2):
        os.close(stream)
    time.sleep(3600)
    os._exit(0)


def describe(codec: str, mischief: str, _: argparse.Namespace) -> None:
    if mischief == "describe-nonsense":
        print("I am a teapot")
        return
    control = mischief == "control"
    cells = [
        {"scenario": s, "operation": o, "conditions": c}
        for s in SCENARIOS
        for o, c in (
            ("serialize", {"buffer": "reused"}),
            ("deserialize", {"output": "owned", "drop": "inside"}),
            ("round-trip", {"buffer": "reused", "output": "owned", "drop": "inside"}),
        )
    ]
    if mischief in ("compresses", "loses"):
        cells += [
            c | {"conditions": c["conditions"] | {"compression": "lz4"}}
            for c in cells
            if c["operation"] == "round-trip"
        ]
    if mischief in UPDATES:
        cells.append({"scenario": "point", "operation": "update", "conditions": {}})
    answer = {
        "protocol": 2 if mischief == "other-protocol" else 1,
        "codec": codec,
        "format": "none" if control else "JSON" if mischief in ANY_MISCHIEF else "fake",
        "library": None if control else "fake",
        "version": None if control else "9.9.9" if mischief == "lies" else "1.0.0",
        "language": codec.split("/")[0],
        "compiler": "cpython",
        "flags": "",
        "control": control,
        "self_describing": True,
        "batch": mischief.startswith("batch"),
        "any": [] if control else ["decode", "encode"],
        "cells": cells,
    }
    if mischief in CANARIES:
        answer["canary"] = "fake/1"
    print(json.dumps(answer))


def pack(codec: str, mischief: str, canonical: bytes) -> bytes:
    mark = codec.encode() if mischief in ("refuses", "foreign") else b"fake"
    return mark + b"\0" + canonical.strip() + (b" " if mischief == "fat" else b"")


def encode(codec: str, mischief: str, _: argparse.Namespace) -> None:
    if mischief == "encode-crash":
        sys.exit("out of luck")
    sys.stdout.buffer.write(pack(codec, mischief, sys.stdin.buffer.read()))


def unpack(codec: str, mischief: str, encoded: bytes) -> bytes:
    mark, _, canonical = encoded.partition(b"\0")
    if mischief == "takes-anything":
        return b"null\n"
    if mark != (codec.encode() if mischief in ("refuses", "foreign") else b"fake"):
        refuse(mischief)
    if mischief == "wrong-any":
        canonical = canonical.replace(b'"int":"1"', b'"int":"2"')
    if mischief == "wrong-value":
        canonical = canonical.replace(b"100", b"101").replace(b"1234", b"1235")
    return canonical.strip() + b"\n"


UPDATES = {
    "updates": (b'"y":100', b'"y":200'),
    "updates-nothing": (b"", b""),
    "updates-wrongly": (b'"y":100', b'"y":201'),
    "updates-too-much": (b'"x":-10,"y":100', b'"x":-20,"y":200'),
    "updates-beside": (b'"y":100', b'"y": 200'),
    "updates-the-mark": (b"fake", b"real"),
}
"""Mischief → what a fake that updates a point in place makes of what. The first doubles y."""


def update(_: str, mischief: str, __: argparse.Namespace) -> None:
    sys.stdout.buffer.write(sys.stdin.buffer.read().replace(*UPDATES[mischief]))


EXITS = {"exits": 1, "panics": 70, "over-budget": 71}
"""Mischief → exit code, alone or in a batch, of what should be a refusal."""


def refuse(mischief: str) -> None:
    """As the protocol wants it, or in one of the ways in which it does not."""
    if mischief in ("dies", "batch-dies"):
        os.kill(os.getpid(), signal.SIGKILL)
    if mischief == "hangs":
        time.sleep(3600)
    if mischief == "swells":
        memory = b"x" * (1 << 30)
        del memory
    if mischief == "prints":
        print("{}")
    sys.stderr.write("fake: not mine\n" * (2 if mischief == "talks" else 1))
    sys.stderr.flush()
    sys.stdout.flush()
    sys.exit(EXITS.get(mischief.removeprefix("batch-"), 65))


def compress(_: str, mischief: str, given: argparse.Namespace) -> None:
    assert given.compression == "lz4"
    sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))


def decompress(_: str, mischief: str, given: argparse.Namespace) -> None:
    data = zlib.decompress(sys.stdin.buffer.read())
    sys.stdout.buffer.write(data[:-1] if mischief == "loses" else data)


def decode_batch(codec: str, mischief: str) -> None:
    """As the kits do: an answer a message, flushed before the next."""
    data = sys.stdin.buffer.read()
    while data:
        size = int.from_bytes(data[:4], "little")
        message, data = data[4 : 4 + size], data[4 + size :]
        if mischief == "batch-spoils" and not message.startswith(b"fake"):
            os.kill(os.getpid(), signal.SIGSEGV)
        try:
            code, answer = 0, unpack(codec, mischief, message)
        except SystemExit as end:
            code, answer = end.code, b"fake: not mine"
        sys.stdout.buffer.write(bytes([code]) + len(answer).to_bytes(4, "little") + answer)
        sys.stdout.flush()


def decode(codec: str, mischief: str, given: argparse.Namespace) -> None:
    if given.type == "any" and mischief in ANY_MISCHIEF:
        sys.stdout.buffer.write(unpack_any(mischief, sys.stdin.buffer.read()))
        return
    if given.batch:
        decode_batch(codec, mischief)
        return
    sys.stdout.buffer.write(unpack(codec, mischief, sys.stdin.buffer.read()))


def canary(_: str, mischief: str, given: argparse.Namespace) -> None:
    print(json.dumps({"canary": "fake/1", "canary_ns": [CANARIES[mischief](count) for count in range(1000)]}))


def loop_ns(mischief: str, given: argparse.Namespace, count: int) -> int:
    """A time that is not measured: 1 µs a repetition, or a fifth more, and a millionth of noise."""
    repetition_ns = 1200 if mischief.startswith("slower") else 1000
    return int(given.repetitions) * repetition_ns + zlib.crc32(f"{os.getpid()} {count}".encode()) % 7


def measure(codec: str, mischief: str, given: argparse.Namespace) -> None:
    after_pilot = int(given.samples) == 1
    if after_pilot and mischief == "crash":
        sys.exit("segmentation of the mind")
    if after_pilot and mischief == "hang":
        time.sleep(3600)
    encoded = pack(codec, mischief, Path(given.input).read_bytes())
    product = encoded if given.operation == "serialize" else unpack(codec, mischief, encoded)
    if given.operation == "update":
        product = encoded.replace(*UPDATES[mischief])
    if after_pilot and mischief == "does-less":
        product = b""
    compressed = "compression=lz4" in (given.condition or [])
    with Path(given.out).open("a") as out:
        if after_pilot and mischief == "nonsense":
            out.write("no sample at all\n")
            return
        for count in range(int(given.samples)):
            start = time.perf_counter_ns()
            for _ in range(0 if mischief in CANARIES else int(given.repetitions)):
                len(product)
            wall_ns = time.perf_counter_ns() - start
            if mischief in CANARIES:
                wall_ns = loop_ns(mischief, given, count)
            line = {
                "wall_ns": wall_ns,
                "cpu_ns": wall_ns,
                "repetitions": int(given.repetitions),
                "encoded_bytes": len(zlib.compress(encoded) if compressed else encoded),
                "checksum": f"crc32:{zlib.crc32(product):08x}",
            }
            if mischief in CANARIES:
                before, after = (CANARIES[mischief](os.getpid() + count + side) for side in (0, 1))
                line |= {"canary_before_ns": before, "canary_after_ns": after, "involuntary_switches": 0}
            out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
