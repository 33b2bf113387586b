"""One figure a codec and question: what happens when something is wrong."""

from analysis.render.evidence_facts import Fact
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab
from analysis.site.matrices import fidelity_words, fuzzing_words
from analysis.site.trust.conformance_page import conformance_words
from analysis.site.trust.evolution_page import evolution_words
from analysis.tables.layout import Column, Grid, Lines, Section
from analysis.tables.side_by_side.candidates import readings
from analysis.tables.trust.shares import Share, Trust, malformed_lines, trust_of

NAME, TITLE = "beyond-speed", "Beyond speed"
LEAD = (
    "What each codec does when something is wrong: bad input, a changed schema, a special value, bytes of another "
    "library.",
    "A figure is the number of cases that came out as they should, and below it the worst of the others. The answers "
    "open below a codec's name, and whole on the pages Conformance, Schema evolution, Malformed input, Fidelity and "
    "Interoperability.",
)
QUESTIONS = {
    "Conformance": "suites of the format",
    "Schema evolution": "changes, both ways",
    "Malformed input": "findings",
    "Fidelity": "special values",
    "Interoperability": "messages of peers",
}


def matrix_page(lab: Lab) -> Page:
    """Codecs by questions."""
    exchanged = readings((report.run, report.verification) for report in lab.runs)
    known = {
        codec: trust
        for codec, trust in trust_of(lab.extras.values(), exchanged).items()
        if codec in lab.codecs and not lab.codecs[codec].control
    }
    if not known:
        return Page(NAME, TITLE, TITLE, (*LEAD[:1], "Nothing of this is recorded beside these runs."), ())
    rows = tuple(((codec,), *cells_of(trust)) for codec, trust in known.items())
    heads = tuple(Column((name, what), right=False) for name, what in QUESTIONS.items())
    grid = Grid("Codecs by questions", (Column(("Codec",), right=False), *heads), (Section(rows),))
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    table = table_of(grid, "codec", tags, details={codec: _answers(lab, codec) for codec in known})
    data = [
        {"codec": codec, **dict(zip(QUESTIONS, ("; ".join(cell) for cell in cells_of(trust)), strict=True))}
        for codec, trust in known.items()
    ]
    types = dict.fromkeys(("codec", *QUESTIONS), str)
    block = Block("matrix", "Matrix", table=table, data=data, types=types)
    return Page(NAME, TITLE, TITLE, LEAD, (block,), filters=("language", "format"))


def cells_of(trust: Trust) -> tuple[Lines, ...]:
    """The figures of a codec, in the order of the questions."""
    return (
        _share(trust.conformance),
        _share(trust.evolution),
        malformed_lines(trust.malformed) if trust.malformed else ("not asked",),
        _share(trust.fidelity),
        _share(trust.interop),
    )


def _share(share: Share | None) -> Lines:
    return share.lines if share else ("not asked",)


def _answers(lab: Lab, codec: str) -> tuple[Fact, ...]:
    told = {
        ("Conformance", "conformance"): conformance_words(lab, codec),
        ("Schema evolution", "evolution"): evolution_words(lab, codec),
        ("Malformed input", "malformed"): fuzzing_words(lab, codec),
        ("Fidelity", "fidelity"): fidelity_words(lab, codec),
    }
    return tuple(Fact(name, words, link=f"{page}.html") for (name, page), words in told.items() if words)
