"""A codec for tests that takes rows of any type: a message is its JSON behind a mark; it misbehaves on request.

data_runner.py CODEC MISCHIEF COMMAND …
"""

import json
import os
import sys
import time
import zlib
from pathlib import Path

SIZES = {"fat": b" " * 40}


def main() -> None:
    codec, mischief, command, *rest = sys.argv[1:]
    options = dict(zip(rest[::2], rest[1::2], strict=False))
    {"describe": describe, "encode": encode, "decode": decode, "measure": measure}[command](codec, mischief, options)


def describe(codec: str, mischief: str, _: dict[str, str]) -> None:
    conditions = {
        "serialize": {"buffer": "reused"},
        "deserialize": {"output": "owned", "drop": "inside"},
        "round-trip": {"buffer": "reused", "output": "owned", "drop": "inside"},
    }
    answer = {
        "protocol": 1,
        "codec": codec,
        "format": "fake",
        "library": "fake",
        "version": "1.0.0",
        "language": codec.split("/")[0],
        "compiler": "cpython",
        "flags": "",
        "control": False,
        "self_describing": True,
        "cells": [
            {"scenario": name, "operation": operation, "conditions": one}
            for name in os.environ["DATA_SCENARIOS"].split(",")
            for operation, one in conditions.items()
        ],
    }
    print(json.dumps(answer))


def is_rows(options: dict[str, str]) -> bool:
    return options.get("--scenario") != os.environ.get("DATA_SINGLE")


def encoded(mischief: str, message: bytes) -> bytes:
    return b"\0" + message + SIZES.get(mischief, b"")


def encode(_: str, mischief: str, options: dict[str, str]) -> None:
    lines = sys.stdin.buffer.read().removesuffix(b"\n").split(b"\n")
    if mischief == "refuses" and any(b"refuse me" in line for line in lines):
        sys.stderr.write("fake: this is refused\n")
        sys.exit(65)
    if mischief == "loses-one":
        del lines[0]
    frame = is_rows(options)
    for line in lines:
        message = encoded(mischief, line)
        sys.stdout.buffer.write(len(message).to_bytes(4, "little") + message if frame else message)


def decode(_: str, mischief: str, options: dict[str, str]) -> None:
    data = sys.stdin.buffer.read()
    while data:
        size = int.from_bytes(data[:4], "little") if is_rows(options) else len(data)
        start = 4 if is_rows(options) else 0
        message, data = data[start + 1 : start + size].rstrip(b" "), data[start + size :]
        if mischief == "changes":
            message = message.replace(b'"change me"', b'"changed"')
        sys.stdout.buffer.write(message + b"\n")


def measure(codec: str, mischief: str, options: dict[str, str]) -> None:
    lines = Path(options["--input"]).read_bytes().removesuffix(b"\n").split(b"\n")
    messages = [encoded(mischief, line) for line in lines]
    framed = b"".join(len(one).to_bytes(4, "little") + one for one in messages) if is_rows(options) else messages[0]
    text = b"".join(line + b"\n" for line in lines)
    product = framed if options["--operation"] == "serialize" else text
    with Path(options["--out"]).open("a") as out:
        for _ in range(int(options["--samples"])):
            start = time.perf_counter_ns()
            for _ in range(int(options["--repetitions"])):
                len(product)
            wall_ns = max(1, time.perf_counter_ns() - start)
            sample = {
                "wall_ns": wall_ns,
                "cpu_ns": wall_ns,
                "repetitions": int(options["--repetitions"]),
                "encoded_bytes": sum(map(len, messages)),
                "checksum": f"crc32:{zlib.crc32(product):08x}",
            }
            out.write(json.dumps(sample) + "\n")


if __name__ == "__main__":
    main()
