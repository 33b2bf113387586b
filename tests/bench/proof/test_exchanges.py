"""Who is asked to read what others wrote: each reader once for bytes that it did not write itself."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench.building.runner import RunnerError
from bench.model.verification import Verified
from bench.proof.interop import Product, exchanges
from bench.proof.verify import crc32
from tests.support.scenarios.committed import committed_scenarios

SCENARIO = next(
    one for one in committed_scenarios().values() if not (one.references or one.known_refusals or one.point)
)


class Reader:
    """A runner that remembers what it decoded, and refuses one byte string."""

    def __init__(self, codec: str) -> None:
        self.codec, self.entry, self.decoded = codec, SimpleNamespace(variant=""), list[bytes]()

    def decode(self, _scenario: str, encoded: bytes, _keys: object) -> bytes:
        self.decoded.append(encoded)
        if encoded == b"odd":
            raise RunnerError("it is odd")
        return b"value"


def product(codec: str, encoded: bytes) -> Product:
    proved = Verified(codec, SCENARIO.name, len(encoded), crc32(encoded), crc32(b"value"))
    reader: Any = Reader(codec)
    return Product(reader, "format", encoded, proved)


@pytest.fixture
def products() -> dict[str, Product]:
    written = {"one": b"alike", "two": b"alike", "three": b"alike", "odd": b"odd"}
    return {codec: product(codec, encoded) for codec, encoded in written.items()}


def test_bytes_written_alike_are_read_once_and_by_none_that_wrote_them(products: dict[str, Product]) -> None:
    expected: Any = SimpleNamespace(scenario=SCENARIO, keys=None, difference=lambda _: None)
    found = exchanges(list(products.values()), SCENARIO, expected)
    assert len(found) == len(products) * (len(products) - 1)
    decoded = {codec: cast(Any, one.runner).decoded for codec, one in products.items()}
    assert decoded == {"one": [b"odd"], "two": [b"odd"], "three": [b"odd"], "odd": [b"alike"]}
    refused = {(one.writer, one.reader) for one in found if not one.reads}
    assert refused == {("odd", "one"), ("odd", "two"), ("odd", "three")}
    assert {one.problem for one in found if not one.reads} == {"it is odd"}
    assert {(one.writer, one.reader) for one in found if one.same_bytes} == {
        (writer, reader) for writer in ("one", "two", "three") for reader in ("one", "two", "three") if writer != reader
    }
