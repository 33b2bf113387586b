"""Names a scenario's messages by what they are, so that a reader finds the kind that is most like their own."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from bench.model.scenario import Scenario
from bench.scenarios.sets import types_of
from bench.types.definitions import MistakeError

SMALL_BYTES = 1024
"""Up to this many bytes of the value itself a message is small."""


class MessageShape(StrEnum):
    """A kind of message, in the order in which a page offers them."""

    SMALL = "small messages"
    NESTED = "nested objects"
    LARGE = "large messages"
    OBJECTS = "lists of objects"
    NUMBERS = "arrays of numbers"
    RECORDS = "log records in files"


def shape_of(scenario: Scenario) -> MessageShape:
    """The kind of a scenario's messages, from its type and size; a row is a message of its own."""
    if scenario.is_files:
        return MessageShape.RECORDS
    if scenario.type.startswith("["):
        return MessageShape.NUMBERS if scenario.values > 1 else MessageShape.OBJECTS
    if _is_nested(scenario):
        return MessageShape.NESTED
    message_bytes = scenario.data_size_bytes / (scenario.rows or 1)
    return MessageShape.SMALL if message_bytes <= SMALL_BYTES else MessageShape.LARGE


def _is_nested(scenario: Scenario) -> bool:
    """Whether a field of the message holds a struct."""
    try:
        structs: Mapping[str, Any] = types_of(scenario).structs
    except MistakeError:  # a recorded run may hold anything
        return False
    own = structs.get(scenario.type)
    return own is not None and any(set(re.findall(r"\w+", str(field.type))) & structs.keys() for field in own.fields)
