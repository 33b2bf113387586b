"""Has codecs write documents without a schema, and counts the bytes, plain and as the publications' tools pack them."""

import json
import math
import os
import struct
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.document_sizes import DocumentSize
from bench.proof.sizes.packing import PACKERS


class Task(Struct, frozen=True):
    """A document for the codec of a publication's row."""

    publication: str
    row: str
    document: str
    codec: str
    integers: bool
    """Whether numbers without a fraction are written as integers, as programs in JavaScript do."""
    ends_with: str
    """What the publication counted after the encoded bytes, such as the end of a line."""
    metrics: tuple[tuple[str, str | None], ...]
    """Metric → how the bytes are packed before they are counted; None for not at all."""


def sizes_of(
    tasks: Sequence[Task], documents: Mapping[str, bytes], runners: Mapping[str, Runner]
) -> tuple[list[DocumentSize], dict[str, str]]:
    """The sizes, in the order of the tasks, and why there are none, by codec and document."""

    def run(task: Task) -> DocumentSize | str:
        try:
            line = notation(parsed(documents[task.document]), integers=task.integers)
            encoded = runners[task.codec].call(["encode", "--type", "any"], line.encode())
        except RunnerError as error:
            return str(error)
        content = encoded + task.ends_with.encode()
        counted = {metric: len(PACKERS[packer](content) if packer else content) for metric, packer in task.metrics}
        return DocumentSize(task.publication, task.row, task.document, task.codec, counted)

    able = [task for task in tasks if task.document in documents and task.codec in runners]
    results = list(zip(able, side_by_side(run, able, os.cpu_count() or 1), strict=True))
    failures = {f"{task.codec} {task.document}": one for task, one in results if isinstance(one, str)}
    return [one for _, one in results if isinstance(one, DocumentSize)], failures


def parsed(document: bytes) -> Any:
    """The value of a JSON document: integers exact, other numbers as f64."""
    return json.loads(document)


def minified_bytes(documents: Mapping[str, bytes], names: Collection[str]) -> dict[str, int]:
    """Document → bytes of its JSON without white space, text unescaped, each number as short as it can be."""
    return {
        name: len(json.dumps(parsed(content), separators=(",", ":"), ensure_ascii=False).encode())
        for name, content in documents.items()
        if name in names
    }


def notation(value: Any, *, integers: bool) -> str:
    """A JSON value as `encode --type any` takes it."""
    return json.dumps(_noted(value, integers), separators=(",", ":"), ensure_ascii=False) + "\n"


def _noted(value: Any, integers: bool) -> Any:
    match value:
        case None | bool() | str():
            return value
        case list():
            return [_noted(one, integers) for one in value]
        case dict():
            return {"map": [[key, _noted(one, integers)] for key, one in value.items()]}
        case float() if not (integers and value.is_integer() and abs(value) <= EXACT_INTEGERS):
            return {"float": struct.pack(">d", math.nan if math.isnan(value) else value).hex()}
    return {"int": str(int(value))}


EXACT_INTEGERS = 2**53
"""Up to here every integer is an f64."""
