"""The compiler of Cap'n Proto's schemas: that in pycapnp."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REFUSED = "refused: "
"""What a request begins with that is none, but says why; a request begins with the number of its segments."""
MISSING = "there is no compiler of Cap'n Proto: install pycapnp, as pyproject.toml pins it, into the lab's Python"


def request(schema: Path, output: Path) -> Path:
    """Writes what the compiler tells a generator of code of a schema, a `CodeGeneratorRequest`, and returns the file.

    Where pycapnp is missing or refuses the schema, the file says so, which the library's build script prints: the codecs
    that need it are unavailable, and no other.
    """
    made = _compiled(schema) if find_spec("capnp") else f"{REFUSED}{MISSING}".encode()
    if not output.exists() or output.read_bytes() != made:
        output.write_bytes(made)
    return output


def _compiled(schema: Path) -> bytes:
    import capnp  # a library of 20 MB, which nothing else needs

    package = Path(capnp.__file__).parent
    # What a parser has read is its own memory: both stay until the end.
    languages, parser = capnp.SchemaParser(), capnp.SchemaParser()
    language = languages.load(str(package / "schema.capnp"), imports=[str(package.parent)])
    try:
        module = parser.load(str(schema))
    except capnp.KjException as error:
        return f"{REFUSED}{' '.join(str(error).split())[:500]}".encode()
    parsed = module.schema
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
