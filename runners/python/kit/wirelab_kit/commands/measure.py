"""`measure`: times one cell."""

import json
import os
import sys
import zlib
from typing import Any

from wirelab_kit.base.failure import InputError, MalformedError, StreamError, UsageError, one_line
from wirelab_kit.measuring.canary import copy_canary
from wirelab_kit.measuring.cells import select
from wirelab_kit.measuring.chain import run_chain
from wirelab_kit.measuring.offset import taken
from wirelab_kit.measuring.prepare import prepare
from wirelab_kit.model.kind import Offer


def measure(offer: Offer, given: Any) -> None:
    """Prepares the cell, warms up, and times a chain of `samples` loops; then appends a JSON line a loop to `--out`.

    The product is made once, after the chain; its checksum stands in every line. The work outside the timed loops does
    not depend on the number of repetitions, so that two processes differ by their loops alone. (objects=fresh is the
    exception: its objects are made outside the loops.)
    """
    if sys.flags.hash_randomization:
        raise UsageError("string hashes are random, which changes the layout of dicts; set PYTHONHASHSEED=0")
    cell = select(offer, given.scenario, given.operation, dict(given.condition))
    if not os.path.isdir(given.work):  # noqa: PTH112 (pathlib costs its import)
        raise UsageError(f"--work {given.work} is not a folder; create it first")
    _append(given.out, "")  # so that a wrong path is found before anything is measured
    held = taken(given.offset)
    try:
        with open(given.input, "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError as error:
        advice = "give --input a file with the scenario's canonical JSON"
        raise InputError(f"cannot read the input {given.input}: {error.strerror}; {advice}") from None
    try:
        prepared = prepare(offer, cell, text)
        copy = copy_canary(given.copy_canary)
        prepared.repeat(given.warmup)
        chain = run_chain(prepared.repeat, given.repetitions, given.samples, copy)
        common = {
            "repetitions": given.repetitions,
            "encoded_bytes": prepared.encoded_bytes,
            "checksum": f"crc32:{zlib.crc32(prepared.product()):08x}",
        }
        _append(given.out, "".join(json.dumps(own | common) + "\n" for own in chain))
        del held  # not before the last loop
    except MalformedError as error:
        raise MalformedError(f"measure {cell.scenario}: {error}") from None
    except StreamError:
        raise
    except Exception as error:
        raise MalformedError(f"measure {cell.scenario}: {one_line(error)}") from error


def _append(path: str, lines: str) -> None:
    """Writes samples in one call, so that a killed process leaves only whole lines."""
    try:
        with open(path, "ab", buffering=0) as out:  # noqa: PTH123
            out.write(lines.encode())
    except OSError as error:
        advice = "check free disk space and permissions"
        raise StreamError(f"cannot append to {path}: {error.strerror}; {advice}") from None
