"""What a sample of each operation must show."""

import pytest

from bench.measuring.stages.prove import proved
from bench.model.cells import Cell, Conditions, Operation
from bench.model.plan import DraftedCell, Encoded
from bench.model.verification import Verified
from bench.proof.expected import digests
from bench.proof.verify import crc32
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()
VERIFIED = Verified(
    "rust/one",
    "point",
    2,
    encoded_checksum="crc32:00000001",
    decoded_checksum="crc32:00000002",
    updated_checksum="crc32:00000003",
)


def drafted(operation: Operation) -> DraftedCell:
    return DraftedCell(
        cell=Cell("rust/one", "point", operation, Conditions()),
        format="f",
        library="l",
        version="1",
        control=False,
        self_describing=False,
        sha256="0" * 64,
    )


@pytest.mark.parametrize(
    ("operation", "checksum"),
    [
        (Operation.SERIALIZE, "crc32:00000001"),
        (Operation.BUILD_SERIALIZE, "crc32:00000001"),
        (Operation.DESERIALIZE, "crc32:00000002"),
        (Operation.ROUND_TRIP, "crc32:00000002"),
        (Operation.BUILD, "crc32:00000002"),
        (Operation.DESERIALIZE_CONVERT, "crc32:00000002"),
        (Operation.ACCESS, crc32(b"90\n")),
        (Operation.UPDATE, "crc32:00000003"),
    ],
)
def test_an_operation_is_proved_by_what_it_makes(operation: Operation, checksum: str) -> None:
    assert proved(drafted(operation), SCENARIOS["point"], VERIFIED) == Encoded(2, checksum)


def test_access_gives_a_digest_a_row() -> None:
    assert digests(SCENARIOS["point"]) == b"90\n"  # -10 and 100
    assert digests(SCENARIOS["process-created-corpus"]).count(b"\n") == 1000
