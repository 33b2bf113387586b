"""Vectors of float64: a NumPy array, or a list of floats."""

from array import array
from typing import Any

from wirelab_kit.codec import Codec
from wirelab_kit.failure import MalformedError
from wirelab_kit.kind import Kind, Sink, Source, then
from wirelab_kit.users import floats


def kind(codec: Codec) -> Kind | None:
    """What the codec can do with vectors; None where it takes no arrays."""
    arrays = codec.arrays
    if arrays is None and codec.copy is None:
        return None
    sources, sinks = {}, {}
    if arrays is not None:
        sources["array"] = Source(to_array, arrays.encode, codec.api, again=lambda values: values.copy())
        gives_list = arrays.gives == "list"
        if not gives_list:
            import numpy  # noqa: F401 (before `decode` limits memory: without enough of it the import ends the process)
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
        lambda numbers: 8 * len(numbers),
        serialize=(("array", "reused", "on"), ("array", "fresh", "on")),
        deserialize=(("array", "on"), ("list", "on"), ("view", "on")),
        round_trip=(("array", "array"),),
        bits=bits,
    )


def bits(numbers: list[float]) -> bytes:
    """The numbers to the bit."""
    return array("d", numbers).tobytes()


def to_array(numbers: Any) -> Any:
    """A list of floats as an array."""
    import numpy as np

    return np.array(numbers, dtype=np.float64)


def from_array(decoded: Any) -> list[float]:
    """An array as a list of floats. Raises MalformedError where it is no vector of float64."""
    import numpy as np

    if not isinstance(decoded, np.ndarray) or decoded.dtype != np.float64 or decoded.ndim != 1:
        raise MalformedError("the value is no array of float64 with one dimension")
    return decoded.tolist()
