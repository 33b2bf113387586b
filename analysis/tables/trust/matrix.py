"""Codecs by questions: one figure each for what happens when something is wrong."""

from collections.abc import Mapping

from analysis.tables.choices.choice import malformed_share
from analysis.tables.exchanges import Reading
from analysis.tables.layout import Column, Grid, Lines, Section
from analysis.tables.trust.answered import CONFORMANCE, EVOLUTION, FIDELITY, INTEROP, MALFORMED, Answers
from analysis.tables.trust.shares import (
    Share,
    Trust,
    conformance_share,
    evolution_share,
    fidelity_share,
    interop_shares,
    malformed_lines,
)

QUESTIONS = {
    CONFORMANCE: "suites of the format",
    EVOLUTION: "changes, both ways",
    MALFORMED: "findings",
    FIDELITY: "special values",
    INTEROP: "messages of peers",
}
"""Question → what its figure counts."""
NOT_ASKED = "not asked"


def trust_of(answers: Answers, readings: Mapping[tuple[str, str], Reading]) -> dict[str, Trust]:
    """Codec → what is known of it, in the order of names. `readings` maps (writer, reader) to how it was read."""
    conformed = {codec: conformance_share(own) for codec, own in answers.conformance.items()}
    changed = {codec: evolution_share(own) for codec, own in answers.evolution.items()}
    malformed = {codec: malformed_share(own) for codec, own in answers.malformed.items()}
    special = {codec: fidelity_share(own) for codec, own in answers.fidelity.items()}
    peers = interop_shares(readings)
    codecs = sorted({*conformed, *changed, *malformed, *special, *peers})
    return {
        codec: Trust(
            conformed.get(codec),
            changed.get(codec),
            malformed.get(codec),
            special.get(codec),
            interop=peers.get(codec),
            library=answers.library(codec),
        )
        for codec in codecs
    }


def matrix_grid(known: Mapping[str, Trust], questions: Mapping[str, str] = QUESTIONS) -> Grid:
    """A row a codec with its library, a column a question; `questions` maps each to the second line of its heading."""
    rows = tuple(
        (tuple(filter(None, (codec, trust.library))), *(cell_of(trust, question) for question in questions))
        for codec, trust in known.items()
    )
    heads = tuple(Column((name, what) if what else (name,), right=False) for name, what in questions.items())
    return Grid("Codecs by questions", (Column(("Codec",), right=False), *heads), (Section(rows),))


def cell_of(trust: Trust, question: str) -> Lines:
    """The figure of a codec, and the worst below it."""
    if question == MALFORMED:
        return malformed_lines(trust.malformed) if trust.malformed else (NOT_ASKED,)
    shares = {
        CONFORMANCE: trust.conformance,
        EVOLUTION: trust.evolution,
        FIDELITY: trust.fidelity,
        INTEROP: trust.interop,
    }
    return _share(shares[question])


def _share(share: Share | None) -> Lines:
    return share.lines if share else (NOT_ASKED,)
