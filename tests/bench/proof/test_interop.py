"""Who reads whose bytes: the matrix as a reader sees it, and what others write in a format."""

import json

import pytest
from click.testing import CliRunner

from analysis.commands.interop import interop
from analysis.tables.exchanges import interop_grid, matrices, refusals
from analysis.tables.trust.shares import interop_shares
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.verification import Exchange, Verification
from bench.scenarios.inputs import canonical_input, reference_bytes
from tests.support.scenarios.committed import committed_scenarios
from tests.support.synthetic_run import BOTH, Made

SCENARIOS = committed_scenarios()
ARRAYS = [name for name in SCENARIOS if name.startswith("array-")]


def exchange(writer, reader, scenario="point", *, problem=None, known=None, same=False, format="CBOR"):
    return Exchange(scenario, format, writer, reader, problem is None, same, problem, known)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_typed_array_has_the_published_size_of_cbor(name):
    """The publication's CBOR is Glaze's, which writes RFC 8746."""
    (reference,) = SCENARIOS[name].references
    encoded = reference_bytes(reference, SCENARIOS[name])
    assert len(encoded) == SCENARIOS[name].sizes_bytes["cpp/glaze-cbor"]


def test_a_typed_array_is_its_tag_a_byte_string_and_the_numbers_little_endian():
    """Tag 69 is uint16, little endian (RFC 8746, section 2.1); 20,000 bytes are 59 4e 20 (RFC 8949, section 3)."""
    scenario = SCENARIOS["array-u16"]
    encoded = reference_bytes(scenario.references[0], scenario)
    assert encoded[:5] == bytes([0xC0 | 24, 69, 0x40 | 25, 20_000 >> 8, 20_000 & 0xFF])
    numbers = json.loads(canonical_input(scenario))
    assert encoded[5:9] == numbers[0].to_bytes(2, "little") + numbers[1].to_bytes(2, "little")


def test_a_matrix_a_format_with_references_below_the_codecs():
    both = [exchange("a/x", "b/y"), exchange("b/y", "a/x"), exchange("typed", "a/x", problem="tag")]
    found = matrices([*both, exchange("a/z", "b/z", format="JSON")])
    assert [(one.format, one.writers, one.readers) for one in found] == [
        ("CBOR", ("a/x", "b/y", "typed"), ("a/x", "b/y")),
        ("JSON", ("a/z",), ("b/z",)),
    ]


def test_messages_of_another_form_are_no_failures_to_read():
    """Scenarios know whose form of a format a reader refuses."""
    (matrix,) = matrices(
        [
            exchange("a/x", "b/y", "point"),
            exchange("a/x", "b/y", "users-100", problem="too deep"),
            exchange("a/z", "b/y", "point", problem="an array", known="structs are arrays there"),
            exchange("b/y", "a/z", "point", problem="a map", known="structs are maps there"),
        ]
    )
    shares = interop_shares(matrix.pairs)
    assert shares["b/y"].lines == ("1 of 2", "1 of another form")
    assert shares["a/z"].lines == ("0 of 0", "1 of another form")


def test_what_is_read_is_counted_and_equal_bytes_are_marked():
    (matrix,) = matrices(
        [
            exchange("a/x", "b/y", "point", same=True),
            exchange("a/x", "b/y", "users-100", same=True),
            exchange("b/y", "a/x", "point", same=True),
            exchange("b/y", "a/x", "users-100", problem="too deep"),
        ]
    )
    rows = [[cell[0] for cell in row] for row in interop_grid(matrix).sections[0].rows]
    assert rows == [["a/x", "–", "2 of 2 ="], ["b/y", "1 of 2", "–"]]


def test_refusals_with_one_reason_are_told_together():
    (matrix,) = matrices(
        [
            exchange("a/x", "b/y", "point", problem="decode: exit code 65: tag 86", known="reads no typed arrays"),
            exchange("a/x", "b/y", "users-100", problem="decode: exit code 65: tag 85", known="reads no typed arrays"),
            exchange("b/y", "a/x", "point", problem="$.x: '1' against '2'"),
        ]
    )
    assert [(one.writer, one.reader, one.scenarios) for one in refusals(matrix)] == [
        ("a/x", "b/y", ("point", "users-100")),
        ("b/y", "a/x", ("point",)),
    ]
    assert interop_grid(matrix).notes[1:] == (
        "b/y does not read a/x (2 scenarios: point, users-100): reads no typed arrays (decode: exit code 65: tag 86)",
        "a/x does not read b/y (1 scenario: point): $.x: '1' against '2'",
    )


@pytest.fixture
def run(tmp_path):
    path = Made("point").codec("rust/prost", {BOTH: 100.0}).write(tmp_path / "run")
    exchanges = [exchange("a/x", "b/y", problem="tag", known="cannot"), exchange("b/y", "c/z", "users-100")]
    write_json(path / "verify.json", Verification(PROTOCOL, exchanges=exchanges))
    return path


def test_what_a_run_recorded_is_shown(run):
    shown = CliRunner().invoke(interop, ["--run", str(run), "--markdown"])
    assert shown.exit_code == 0, shown.output
    assert "b/y does not read a/x (1 scenario: point): cannot (tag)" in shown.output
    filtered = CliRunner().invoke(interop, ["--run", str(run), "--json", "-f", "c/z"])
    assert [one["reader"] for one in json.loads(filtered.stdout)] == ["c/z"]
    without = CliRunner().invoke(interop, ["--run", str(run), "--json", "--not", "a/x"])
    assert [one["reader"] for one in json.loads(without.stdout)] == ["c/z"]


def test_a_refusal_that_nobody_knows_of_is_not_well(run):
    recorded = Verification(PROTOCOL, exchanges=[exchange("a/x", "b/y", problem="tag")])
    write_json(run / "verify.json", recorded)
    assert CliRunner().invoke(interop, ["--run", str(run)]).exit_code == 1


def test_a_run_without_exchanges_says_so(run):
    write_json(run / "verify.json", Verification(PROTOCOL))
    failed = CliRunner().invoke(interop, ["--run", str(run)])
    assert "records no exchange of bytes" in str(failed.exception)
