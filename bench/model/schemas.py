"""The JSON Schemas in schemas/, generated from `bench.model` and similar modules, so prose and code cannot disagree.

`python -m bench.model.schemas` writes them; a test compares them with the model.
"""

import json
from typing import Any

import msgspec

from bench.base.paths import SCHEMAS as FOLDER
from bench.model.counts import Counted, Counts, Footprints
from bench.model.description import Description, Manifest
from bench.model.findings import DataReport, Fidelity, Fuzzing
from bench.model.offers import CatalogueFile
from bench.model.proof.conformance import Conformance
from bench.model.proof.document_sizes import DocumentSizes
from bench.model.proof.evolved import Evolution
from bench.model.proof.malformed_rules import MalformedFile
from bench.model.proof.suite import SuiteFile, Vectors
from bench.model.record import Process, Run, RunnerSample, Sample, Transfer
from bench.model.scenario import Scenario
from bench.model.verification import Verification

KINDS: dict[str, Any] = {
    "scenario": Scenario,
    "catalogue": CatalogueFile,
    "describe": Description,
    "runner-sample": RunnerSample,
    "manifest": Manifest,
    "run": Run,
    "sample": Sample,
    "process": Process,
    "transfer": Transfer,
    "verify": Verification,
    "fidelity": Fidelity,
    "fuzz": Fuzzing,
    "evolution": Evolution,
    "conformance": Conformance,
    "suites": SuiteFile,
    "vectors": Vectors,
    "data": DataReport,
    "malformed": MalformedFile,
    "sizes": DocumentSizes,
    "counts": Counts,
    "counted": Counted,
    "footprint": Footprints,
}

SCHEMAS: dict[str, dict[str, Any]] = {
    name: {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(kind)}
    for name, kind in KINDS.items()
}


def write() -> None:
    """Writes schemas/*.schema.json."""
    for name, schema in SCHEMAS.items():
        (FOLDER / f"{name}.schema.json").write_text(render(schema), encoding="utf-8", newline="\n")


def render(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write()
