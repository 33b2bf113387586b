"""What codecs make of the test suites of their formats, from the conformance.json of runs."""

from collections.abc import Sequence

from analysis.base.text import count, one_line
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab
from analysis.site.matrices import absent, asked
from analysis.tables.layout import NOTHING, Column, Grid, Section
from bench.model.proof.conformance import Conformance, Conformed, Verdict

LEAD = (
    "Every codec beside the test suites that its format's community keeps: the suite says what a decoder accepts, what "
    "it refuses, and which value comes out.",
    "Cases that a suite leaves open are counted apart and judged only by crashes and hangs; so are those in which a "
    "codec differs from what a suite only recommends.",
)
HEX_SHOWN = 80
TYPES: dict[str, type] = {
    **dict.fromkeys(("codec", "suite", "case", "verdict", "came", "input_hex"), str),
    "input_bytes": int,
}


def conformance_page(lab: Lab) -> Page:
    """Codecs by suites with the number of each verdict, then every deviation."""
    title = "Conformance"
    files = [(run, own) for run in lab.runs if (own := lab.extras[run.run.id].conformance)]
    results = [one for own in lab.answers.conformance.values() for one in own]
    if not results:
        return absent("conformance", title, LEAD, "conformance")
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    words = tuple(asked(file.created, run.run.id, file.binaries, lab) for run, file in files)
    blocks = [Block("suites", "Suites", table=table_of(_verdicts(results, [file for _, file in files]), "suite", tags))]
    deviations = [(one, deviation) for one in results for deviation in one.deviations]
    if deviations:
        data = [
            {"codec": one.codec, "suite": one.suite, **{name: getattr(d, name) for name in (*TYPES,)[2:]}}
            for one, d in deviations
        ]
        rows = tuple(
            ((one.codec,), (one.suite,), (d.case,), (d.verdict,), (one_line(d.came) or NOTHING,), (_hex(d.input_hex),))
            for one, d in deviations
        )
        names = ("Codec", "Suite", "Case", "Verdict", "What came out", "Input")
        grid = Grid("Deviations", tuple(Column((name,), right=False) for name in names), (Section(rows),))
        table = table_of(grid, "deviation", tags)
        blocks.append(
            Block(
                "deviations", "Deviations", table=table, folded="Every deviation", data=data, types=TYPES, words=words
            )
        )
    return Page("conformance", title, title, LEAD, tuple(blocks), filters=("language", "format"))


def _verdicts(results: Sequence[Conformed], files: Sequence[Conformance]) -> Grid:
    verdicts = [Verdict.RIGHT, *(one for one in Verdict if one is not Verdict.RIGHT)]
    apart = ("Open: accepted", "refused", "Not as recommended", "Skipped")
    names = ("Codec", "Suite", *(one.capitalize() for one in verdicts), *apart)
    rows = tuple(
        (
            (one.codec,),
            (one.suite,),
            *((count(number) if (number := one.verdicts.get(verdict, 0)) else "",) for verdict in verdicts),
            (count(one.open_accepted),),
            (count(one.open_refused),),
            (count(len(one.recommended)) if one.recommended else "",),
            (count(one.skipped) if one.skipped else "",),
        )
        for one in results
    )
    titles = {name: used for file in files for name, used in file.suites.items()}
    lacking = {name: why for file in files for name, why in file.unavailable.items() if name not in titles}
    notes = (
        *(f"{name}: {used.title}, {used.edition}, {count(used.cases)} cases" for name, used in titles.items()),
        *(f"{name} could not be had: {one_line(why)}" for name, why in lacking.items()),
    )
    return Grid(
        "Verdicts",
        tuple(Column((name,), right=index > 1) for index, name in enumerate(names)),
        (Section(rows),),
        notes=notes,
    )


def _hex(text: str) -> str:
    return text if len(text) <= HEX_SHOWN else f"{text[:HEX_SHOWN]}…"
