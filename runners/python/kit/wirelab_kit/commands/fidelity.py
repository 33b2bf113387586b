"""`fidelity`: encodes and decodes a value that formats treat differently, and compares the result with it.

Each probe runs in a process of its own (`fidelity --probe NAME`), since deeply nested values can crash it.
"""

import datetime
import decimal
import faulthandler
import json
import sys
import uuid
from collections.abc import Callable
from typing import Any

from wirelab_kit.base.failure import MalformedError, UsageError, one_line
from wirelab_kit.commands.transcode import failure_of
from wirelab_kit.model.codec import Arrays, Call, Codec, Objects

UTC = datetime.timezone.utc  # noqa: UP017 (the name of its repr)


def nested(depth: int) -> list[Any]:
    """Lists within lists, to a depth."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


OBJECTS: dict[str, Callable[[], Any]] = {
    "integer 2^63": lambda: 2**63,
    "integer 2^64": lambda: 2**64,
    "integer -2^63-1": lambda: -(2**63) - 1,
    "tuple": lambda: (1, 2),
    "set": lambda: {1},
    "integer keys": lambda: {1: "one"},
    "None and bool keys": lambda: {None: 0, True: 1},
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "-infinity": lambda: float("-inf"),
    "-0.0": lambda: -0.0,
    "float 1.0": lambda: 1.0,
    "date": lambda: datetime.date(2024, 2, 29),
    "datetime": lambda: datetime.datetime.fromisoformat("2024-02-29T12:30:00.123456"),
    "datetime UTC": lambda: datetime.datetime.fromisoformat("2024-02-29T12:30:00.123456").replace(tzinfo=UTC),
    "UUID": lambda: uuid.UUID("12345678-1234-5678-1234-567812345678"),
    "Decimal": lambda: decimal.Decimal("1.10"),
    "bytes": lambda: b"\x00\xff",
    "nested 100": lambda: nested(100),
    "nested 1,000": lambda: nested(1_000),
    "nested 100,000": lambda: nested(100_000),
}
"""Values of Python and its standard library."""

ARRAYS: dict[str, Callable[[], Any]] = {
    "array f64": lambda: _array([1.5, -0.0], "float64"),
    "array f32": lambda: _array([1.5, 0.1], "float32"),
    "array i32": lambda: _array([1, -2], "int32"),
    "array 2 × 3": lambda: _array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float64"),
    "array with NaN": lambda: _array([float("nan"), 1.0], "float64"),
}
"""Values of NumPy: type, dtype and shape are compared too."""


def probes_of(codec: Codec) -> list[str]:
    """The probes that apply to a codec: none of values whose type its generated code fixes, or that it converts."""
    objects = list(OBJECTS) if isinstance(codec.objects, Objects) else []
    return objects + (list(ARRAYS) if isinstance(codec.arrays, Arrays) and codec.arrays.probed else [])


def fidelity(codec: Codec, probe: str) -> None:
    """Prints the result of a probe as one JSON object: the outcome, the value sent, the value received, the error."""
    if probe not in probes_of(codec):
        raise UsageError(
            f"no probe {probe!r}; use one of {', '.join(probes_of(codec)) or 'none, since the codec has a schema'}"
        )
    faulthandler.enable()  # a crash of the library prints its stack
    if probe in OBJECTS:
        assert isinstance(codec.objects, Objects)
        answer = judged(OBJECTS[probe](), codec.objects.encode, codec.objects.decode)
    else:
        assert isinstance(codec.arrays, Arrays)
        answer = judged(ARRAYS[probe](), codec.arrays.encode, codec.arrays.decode)
    sys.stdout.write(json.dumps({"probe": probe, **answer}) + "\n")


def judged(sent: Any, encode: Call, decode: Call) -> dict[str, str | None]:
    """The outcome: `same`, `changed`, `refused` by the encoder, or `unreadable` for the codec's own decoder."""
    answer: dict[str, str | None] = {"outcome": "same", "sent": shown(sent), "got": None, "error": None}
    try:
        encoded = encode(sent)
    except BaseException as error:
        return answer | {"outcome": "refused", "error": refusal(error)}
    try:
        got = decode(encoded)
    except BaseException as error:
        return answer | {"outcome": "unreadable", "error": refusal(error)}
    return answer | {"outcome": "same" if shown(got) == shown(sent) else "changed", "got": shown(got)}


def refusal(error: BaseException) -> str:
    """An exception as a line. What is no refusal ends the command as it ends `encode` and `decode`: raises Failure."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error
    if (kind := failure_of(error)) is not MalformedError:
        raise kind(f"fidelity: {one_line(error)}") from None
    return one_line(error)[:200]


def shown(value: Any) -> str:
    """Type and value as text: equal texts mean equal values."""
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return f"numpy.{type(value).__name__} {value.dtype} {value.shape}: {value.tolist()!r}"
    depth, inner = 0, value
    while type(inner) is list and len(inner) == 1:
        depth, inner = depth + 1, inner[0]
    if depth > 10:
        return f"{depth + (inner == [])} lists around {'nothing' if inner == [] else repr(inner)[:80]}"
    return f"{type(value).__name__} {value!r:.300}"


def _array(values: Any, dtype: str) -> Any:
    import numpy as np

    return np.array(values, dtype=dtype)
