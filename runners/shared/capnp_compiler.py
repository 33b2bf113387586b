"""The compiler of Cap'n Proto's schemas: that in pycapnp, or another one that is named."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, run
from typing import Any

from bench.base.errors import LabError

CAPNP = "WIRELAB_CAPNP"
"""A `capnp` to use where pycapnp is not installed."""


def request(schema: Path, output: Path) -> Path:
    """Writes what the compiler tells a generator of code of a schema, a `CodeGeneratorRequest`, and returns the file.

    Raises LabError where there is no compiler or it refuses the schema.
    """
    given = os.environ.get(CAPNP)
    if given:
        done = run([given, "compile", "-o-", schema.name], cwd=schema.parent, stdout=PIPE, stderr=PIPE, check=False)
        if done.returncode != 0:
            raise LabError(f"capnp refuses {schema}: {done.stderr.decode(errors='replace').strip()[:500]}")
        made = done.stdout
    elif find_spec("capnp"):
        made = _of_pycapnp(schema)
    else:
        raise LabError("there is no compiler of Cap'n Proto: install pycapnp, as pyproject.toml pins it")
    if not output.exists() or output.read_bytes() != made:
        output.write_bytes(made)
    return output


def _of_pycapnp(schema: Path) -> bytes:
    import capnp  # loading it takes a while

    package = Path(capnp.__file__).parent
    language = capnp.SchemaParser().load(str(package / "schema.capnp"), imports=[str(package.parent)])
    try:
        parsed = capnp.SchemaParser().load(str(schema)).schema
    except capnp.KjException as error:
        raise LabError(f"capnp refuses {schema}: {str(error).splitlines()[0][:500]}") from None
    nodes = list(_nodes(parsed))
    made = language.CodeGeneratorRequest.new_message()
    for index, node in enumerate(made.init("nodes", len(nodes))):
        with language.Node.from_bytes(nodes[index].as_builder().to_bytes()) as copied:
            made.nodes[index] = copied
    (file,) = made.init("requestedFiles", 1)
    file.id, file.filename = parsed.node.id, schema.name
    return bytes(made.to_bytes())


def _nodes(parsed: Any) -> Iterator[Any]:
    """The nodes of a file, a struct or an enum, and of all that is in it."""
    yield parsed.node
    for nested in parsed.node.nestedNodes:
        yield from _nodes(parsed.get_nested(nested.name))
    if parsed.node.which() == "struct":
        for field in parsed.as_struct().fields.values():
            if field.proto.which() == "group":
                yield from _nodes(field.schema)
