"""Codecs of one format read each other's bytes: every pair, in both directions, across languages.

A scenario may also hold bytes that others write in that format (`references`), and refusals that are known properties
of the libraries rather than errors (`known_refusals`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.model.scenario import Scenario
from bench.model.verification import Check, Exchange, Verified
from bench.proof.expected import Expected
from bench.scenarios.inputs import reference_bytes


class Product(Struct, frozen=True):
    """What a codec made of a scenario's canonical input."""

    runner: Runner
    format: str
    encoded: bytes
    proved: Verified


class Writer(Struct, frozen=True):
    """Bytes of a format with their origin: a codec, or a reference of the scenario."""

    name: str
    format: str
    encoded: bytes


def exchanges(products: Sequence[Product], scenario: Scenario, expected: Expected) -> list[Exchange]:
    """Whether codecs read what those of their format wrote: one exchange for each pair.

    A reader decodes equal bytes once, whoever wrote them, and bytes equal to its own not at all: its round trip has
    proved that it reads those.
    """
    exchanged = list(pairs(products, scenario))
    asked = dict.fromkeys((to.runner, by.encoded) for by, to in exchanged if by.encoded != to.encoded)
    problems = dict(zip(asked, side_by_side(lambda ask: reading_problem(*ask, expected), asked), strict=True))
    return [
        exchange_of(writer, reader, problems.get((reader.runner, writer.encoded)), scenario)
        for writer, reader in exchanged
    ]


def pairs(products: Sequence[Product], scenario: Scenario) -> Iterator[tuple[Writer, Product]]:
    """(writer, reader) pairs of one format; of each codec only the build that every lab makes.

    Points of a sweep have none, since they are the list of their scenario at another length.
    """
    if scenario.point:
        return
    readers = [product for product in products if not product.runner.entry.variant]
    writers = [Writer(product.runner.codec, product.format, product.encoded) for product in readers]
    writers += [Writer(one.title, one.format, reference_bytes(one, scenario)) for one in scenario.references]
    for writer in writers:
        for reader in readers:
            if writer.format == reader.format and writer.name != reader.runner.codec:
                yield writer, reader


def reading_problem(reader: Runner, encoded: bytes, expected: Expected) -> str | None:
    """Why a codec does not read bytes as the expected value; None if it does."""
    try:
        decoded = reader.decode(expected.scenario.name, encoded, expected.keys)
    except RunnerError as error:
        return str(error)
    return expected.difference(decoded)


def exchange_of(writer: Writer, reader: Product, problem: str | None, scenario: Scenario) -> Exchange:
    """What became of one pair."""
    codec = reader.runner.codec
    return Exchange(
        scenario=scenario.name,
        format=writer.format,
        writer=writer.name,
        reader=codec,
        reads=problem is None,
        same_bytes=writer.encoded == reader.encoded,
        problem=problem,
        known=next(
            (one.because for one in scenario.known_refusals if writer.name in one.writers and codec in one.readers),
            None,
        ),
    )


def blamed(exchanges: Sequence[Exchange], scenario: Scenario) -> list[Check]:
    """A failed check for each codec to blame where one does not read what another wrote.

    To blame is the side that fails with more peers; on a tie the side whose encoding was not published (the other's has
    just been proved equal to the published one, to the byte); else both. Nobody is to blame for a refusal in
    `known_refusals`; the reader is where it reads what it is known to refuse. Nor is anybody where a scenario brings
    types of its own: libraries write structs of one format in several forms, which are known of the lab's types alone.
    """
    stale = [
        Check(
            check="interop",
            codec=one.reader,
            message=f"{one.reader} reads what {one.writer} wrote ({one.format}), although known_refusals of the "
            f"scenario says that it does not ({one.known}); remove that entry",
            scenario=scenario.name,
            peer=one.writer,
            known=scenario.known_failures.get(one.reader),
        )
        for one in exchanges
        if one.reads and one.known
    ]
    refusals = [one for one in exchanges if not one.reads and not one.known and not scenario.types]
    counts = Counter(codec for one in refusals for codec in (one.writer, one.reader))

    def doubt(codec: str) -> tuple[int, bool]:
        return counts[codec], codec not in scenario.sizes_bytes

    references = {one.title for one in scenario.references}
    result = []
    for one in refusals:
        sides = [(one.writer, one.reader), (one.reader, one.writer)]
        message = f"{one.reader} does not read what {one.writer} wrote ({one.format}): {one.problem}"
        for side, peer in sides:
            if side not in references and (peer in references or doubt(side) >= doubt(peer)):
                known = scenario.known_failures.get(side)
                result.append(Check("interop", side, message, scenario.name, peer=peer, known=known))
    return result + stale
