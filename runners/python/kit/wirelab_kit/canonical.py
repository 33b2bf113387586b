"""Canonical JSON, in which values cross the boundary between a runner and the world.

Numbers are their shortest decimal that reads back as the same value. Written by the standard library's `json`, whose
decoder does not share a line with any measured codec but `python/json`; a value is held against its type before.
"""

import json
from typing import Any

from wirelab_kit.failure import MalformedError


def read(text: bytes) -> Any:
    """The one value that `text` holds. Raises MalformedError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"no canonical JSON: {error}") from None


def write(value: Any) -> bytes:
    """A value and a line end. Raises ValueError for NaN, infinities and lone surrogates, which JSON has not."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"
