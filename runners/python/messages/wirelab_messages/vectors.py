"""Vectors of float64: a NumPy array, or a list of floats."""

from typing import Any

from wirelab_kit.base.failure import MalformedError
from wirelab_kit.model.codec import Codec
from wirelab_kit.model.kind import Kind, Sink, Source, then
from wirelab_messages.types import Use, bits


def kind(codec: Codec, use: Use) -> Kind | None:
    """What the codec offers of vectors; None if it takes no arrays."""
    arrays, floats = codec.arrays_of(use.message.name), use.message.plain
    if arrays is None and codec.control is None:
        return None
    sources: dict[str, Source] = {}
    sinks: dict[str, Sink] = {}
    if arrays is not None:
        sources["array"] = Source(to_array, arrays.encode, codec.api, again=lambda values: values.copy())
        gives_list = arrays.gives == "list"
        if not gives_list:
            import numpy  # noqa: F401 (before `decode` limits the memory, without which the import would crash)
        sinks[arrays.gives] = Sink(arrays.decode, floats if gives_list else from_array, codec.api)
        if arrays.gives != "array":
            own = to_array if gives_list else lambda view: view.copy()
            sinks["array"] = Sink(then(arrays.decode, own), from_array, codec.api)
        if not gives_list:
            sinks["list"] = Sink(then(arrays.decode, lambda values: values.tolist()), floats, codec.api)
    return Kind(
        sources,
        sinks,
        floats,
        use.message.canonical,
        use.message.data_bytes,
        serialize=(("array", "reused", "on"), ("array", "fresh", "on")),
        deserialize=(("array", "on"), ("list", "on"), ("view", "on")),
        round_trip=(("array", "array"),),
        rows=use.rows,
        bits=None if use.rows else bits,
    )


def to_array(numbers: Any) -> Any:
    """A list of floats as an array."""
    import numpy as np

    return np.array(numbers, dtype=np.float64)


def from_array(decoded: Any) -> list[float]:
    """An array as a list of floats. Raises MalformedError if it is not a vector of float64."""
    import numpy as np

    if not isinstance(decoded, np.ndarray) or decoded.dtype != np.float64 or decoded.ndim != 1:
        raise MalformedError("the value is not an array of float64 with one dimension")
    numbers: list[float] = decoded.tolist()
    return numbers
