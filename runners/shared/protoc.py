"""protoc, the compiler of Protocol Buffers' schemas: that of grpcio-tools, or another one that is named."""

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bench.base.errors import LabError
from bench.base.programs import captured

PROTOC = "WIRELAB_PROTOC"
"""A protoc to use where grpcio-tools is not installed."""


def run(schema: Path, options: Sequence[str]) -> None:
    """Calls protoc in the folder of a schema. Raises LabError where it is missing or fails."""
    given = os.environ.get(PROTOC)
    protoc = [sys.executable, "-m", "grpc_tools.protoc"] if find_spec("grpc_tools") else [given] if given else None
    if protoc is None:
        raise LabError("there is no protoc: install grpcio-tools, as pyproject.toml pins it, into the lab's Python")
    done = captured([*protoc, "-I.", *options, schema.name], cwd=schema.parent)
    if done.returncode != 0:
        raise LabError(f"protoc refuses {schema}: {done.stderr.strip()[:500]}")
