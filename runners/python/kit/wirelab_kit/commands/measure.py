"""`measure`: times one cell."""

import json
import os
import sys
import zlib
from typing import Any

from wirelab_kit.base.failure import InputError, MalformedError, StreamError, UsageError, one_line
from wirelab_kit.measuring.cells import select
from wirelab_kit.measuring.prepare import prepare
from wirelab_kit.model.kind import Offer


def measure(offer: Offer, given: Any) -> None:
    """Prepares the cell, warms up, and times `samples` loops; appends a JSON line a loop to `--out`.

    The work outside the timed loops does not depend on the number of repetitions, so that two processes differ by their
    loops alone. (objects=fresh is the exception: its objects are made outside the loops.)
    """
    if sys.flags.hash_randomization:
        raise UsageError("string hashes are random, which changes the layout of dicts; set PYTHONHASHSEED=0")
    cell = select(offer, given.scenario, given.operation, dict(given.condition))
    if not os.path.isdir(given.work):  # noqa: PTH112 (pathlib costs its import)
        raise UsageError(f"--work {given.work} is not a folder; create it first")
    try:
        with open(given.input, "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError as error:
        advice = "give --input a file with the scenario's canonical JSON"
        raise InputError(f"cannot read the input {given.input}: {error.strerror}; {advice}") from None
    try:
        prepared = prepare(offer, cell, text)
        prepared.repeat(given.warmup)
        for _ in range(given.samples):
            wall_ns, cpu_ns = prepared.repeat(given.repetitions)
            sample = {
                "wall_ns": wall_ns,
                "cpu_ns": cpu_ns,
                "repetitions": given.repetitions,
                "encoded_bytes": prepared.encoded_bytes,
                "checksum": f"crc32:{zlib.crc32(prepared.product()):08x}",
            }
            _append(given.out, json.dumps(sample) + "\n")
    except MalformedError as error:
        raise MalformedError(f"measure {cell.scenario}: {error}") from None
    except StreamError:
        raise
    except Exception as error:
        raise MalformedError(f"measure {cell.scenario}: {one_line(error)}") from error


def _append(path: str, line: str) -> None:
    """Writes a sample in one call, so that a killed process leaves only whole lines."""
    try:
        with open(path, "ab", buffering=0) as out:  # noqa: PTH123
            out.write(line.encode())
    except OSError as error:
        advice = "check free disk space and permissions"
        raise StreamError(f"cannot append to {path}: {error.strerror}; {advice}") from None
