"""Has codecs write documents without a schema, or a scenario's message, and counts the bytes: plain, and packed.

They are packed as the publications' tools pack them.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.proof.document_sizes import DocumentSize
from bench.proof.sizes.packing import PACKERS
from bench.types.schemaless import from_json, line_of


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
    scenario: str | None = None
    """The scenario whose canonical input the document is; None where it is JSON that is written without a schema."""


def sizes_of(
    tasks: Sequence[Task], documents: Mapping[str, bytes], runners: Mapping[str, Runner]
) -> tuple[list[DocumentSize], dict[str, str]]:
    """The sizes, in the order of the tasks, and why there are none, by codec and document."""

    def run(task: Task) -> DocumentSize | str:
        try:
            encoded = _encoded(task, documents[task.document], runners[task.codec])
        except RunnerError as error:
            return str(error)
        content = encoded + task.ends_with.encode()
        counted = {metric: len(PACKERS[packer](content) if packer else content) for metric, packer in task.metrics}
        return DocumentSize(task.publication, task.row, task.document, task.codec, counted)

    able = [task for task in tasks if task.document in documents and task.codec in runners]
    results = list(zip(able, side_by_side(run, able, os.cpu_count() or 1), strict=True))
    failures = {f"{task.codec} {task.document}": one for task, one in results if isinstance(one, str)}
    return [one for _, one in results if isinstance(one, DocumentSize)], failures


def _encoded(task: Task, document: bytes, runner: Runner) -> bytes:
    if task.scenario is not None:
        return runner.encode(task.scenario, document)
    return runner.encode_any(line_of(from_json(document, integral_floats=task.integers)))


def minified_bytes(documents: Mapping[str, bytes], names: Collection[str]) -> dict[str, int]:
    """Document → bytes of its JSON without white space, text unescaped, each number as short as it can be."""
    return {
        name: len(json.dumps(json.loads(content), separators=(",", ":"), ensure_ascii=False).encode())
        for name, content in documents.items()
        if name in names
    }
