"""What the template of bincode's types calls: the plain types, with texts borrowed as `&str`: nothing is escaped."""

from typing import Any

from bench.base.paths import RUNNERS
from bench.types.generation import PLAIN, generator_module
from bench.types.names import Names
from bench.types.type_set import TypeSet


def context(types: TypeSet, names: Names) -> dict[str, Any]:
    """`rust`: see the generator of the plain types."""
    plain = generator_module(RUNNERS / "rust" / PLAIN)
    assert plain
    return {"rust": plain.Rust(types, names, text="&'a str", octets="&'a [u8]")}
