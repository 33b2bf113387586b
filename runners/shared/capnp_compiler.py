"""The compiler of Cap'n Proto's schemas: that in pycapnp."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PROGRAM = Path(__file__).with_name("capnp_request.py")
REFUSED = "refused: "
"""What a request begins with that is none, but says why; a request begins with the number of its segments."""
MISSING = "there is no compiler of Cap'n Proto: install pycapnp, as pyproject.toml pins it, into the lab's Python"


def request(schema: Path, output: Path) -> Path:
    """Writes what the compiler tells a generator of code of a schema, a `CodeGeneratorRequest`, and returns the file.

    Where pycapnp is missing or refuses the schema, the file says so, which the library's build script prints: the
    codecs that need it are unavailable, and no other.
    """
    made = _compiled(schema) if find_spec("capnp") else f"{REFUSED}{MISSING}".encode()
    if not output.exists() or output.read_bytes() != made:
        output.write_bytes(made)
    return output


def _compiled(schema: Path) -> bytes:
    done = subprocess.run([sys.executable, "-P", str(PROGRAM), str(schema)], capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    said = " ".join(done.stderr.decode(errors="replace").split())
    return f"{REFUSED}{said[:500] or f'pycapnp ended with {done.returncode}'}".encode()
