"""One figure a codec and question: what happens when something is wrong."""

from analysis.render.evidence_facts import Fact
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab
from analysis.tables.counts.footprints import footprint_grid
from analysis.tables.side_by_side.candidates import readings
from analysis.tables.trust.answered import CONFORMANCE, EVOLUTION, FIDELITY, MALFORMED
from analysis.tables.trust.matrix import QUESTIONS, cell_of, matrix_grid, trust_of

NAME, TITLE = "beyond-speed", "Beyond speed"
LEAD = (
    "What each codec does when something is wrong: bad input, a changed schema, a special value, bytes of another "
    "library.",
    "A figure is the number of cases that came out as they should, and below it the worst of the others. The answers "
    "open below a codec's name, and whole on the pages Conformance, Schema evolution, Malformed input, Fidelity and "
    "Interoperability.",
)
PAGES = {
    CONFORMANCE: "conformance.html",
    EVOLUTION: "evolution.html",
    MALFORMED: "malformed.html",
    FIDELITY: "fidelity.html",
}
"""Question → the page with every answer."""


def matrix_page(lab: Lab) -> Page:
    """Codecs by questions."""
    exchanged = readings((report.run, report.verification) for report in lab.runs)
    known = {
        codec: trust
        for codec, trust in trust_of(lab.answers, exchanged).items()
        if codec in lab.codecs and not lab.codecs[codec].control
    }
    if not known:
        return Page(NAME, TITLE, TITLE, (*LEAD[:1], "Nothing of this is recorded beside these runs."), ())
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    table = table_of(matrix_grid(known), "codec", tags, details={codec: _answers(lab, codec) for codec in known})
    data = [
        {"codec": codec, **{name: "; ".join(cell_of(trust, name)) for name in QUESTIONS}}
        for codec, trust in known.items()
    ]
    types = dict.fromkeys(("codec", *QUESTIONS), str)
    block = Block("matrix", "Matrix", table=table, data=data, types=types)
    return Page(NAME, TITLE, TITLE, LEAD, (block, *_footprints(lab)), filters=("language", "format"))


def _footprints(lab: Lab) -> list[Block]:
    """What codecs cost before they encode anything; empty where it was not recorded."""
    found = lab.footprints.among({name for name, one in lab.codecs.items() if not one.control})
    if not found.programs:
        return []
    tags = {codec: lab.codecs[codec].tags for codec in found.programs}
    data = [
        {
            "codec": codec,
            "program_over_nothing_bytes": one.stripped_over_nothing_bytes,
            "packages_over_nothing": one.packages_over_nothing,
            "clean_build_s": one.compile_s,
        }
        for codec, one in found.programs.items()
    ]
    types = {"codec": str, "program_over_nothing_bytes": int, "packages_over_nothing": int, "clean_build_s": float}
    table = table_of(footprint_grid(found), "footprint", tags)
    return [Block("footprint", "Footprint", words=(found.lead,), table=table, data=data, types=types)]


def _answers(lab: Lab, codec: str) -> tuple[Fact, ...]:
    told = [Fact(name, (words,), link=PAGES[name]) for name, words in lab.answers.words(codec).items()]
    known = [Fact(f"Issue of {one.since}", (one.says,), link=one.address) for one in lab.answers.issues(codec)]
    return (*told, *known)
