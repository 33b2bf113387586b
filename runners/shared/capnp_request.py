"""Prints what the compiler in pycapnp tells a generator of code of a schema, a `CodeGeneratorRequest`: a program.

    python -P capnp_request.py FOLDER/types.capnp

It is a process of its own, since pycapnp ends it where it refuses a schema. Without -P Python would take the mapping
beside it, capnp.py, for the library.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import capnp


def main(schema: Path) -> None:
    """Prints the request of a schema."""
    package = Path(capnp.__file__).parent
    # What a parser has read is in its own memory: both stay until the end.
    languages, parser = capnp.SchemaParser(), capnp.SchemaParser()
    language = languages.load(str(package / "schema.capnp"), imports=[str(package.parent)])
    parsed = parser.load(str(schema)).schema
    nodes = list(_nodes(parsed))
    made = language.CodeGeneratorRequest.new_message()
    made.init("nodes", len(nodes))
    for index in range(len(nodes)):
        with language.Node.from_bytes(nodes[index].as_builder().to_bytes()) as copied:
            made.nodes[index] = copied
    (file,) = made.init("requestedFiles", 1)
    file.id, file.filename = parsed.node.id, schema.name
    sys.stdout.buffer.write(made.to_bytes())


def _nodes(parsed: Any) -> Iterator[Any]:
    """The nodes of a file, a struct or an enum, and of all that is in it."""
    yield parsed.node
    for nested in parsed.node.nestedNodes:
        yield from _nodes(parsed.get_nested(nested.name))
    if parsed.node.which() == "struct":
        for field in parsed.as_struct().fields.values():
            if field.proto.which() == "group":
                yield from _nodes(field.schema)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
