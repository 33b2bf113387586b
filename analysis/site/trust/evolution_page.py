"""What codecs read after a schema changed, from the evolution.json of runs."""

from collections import Counter
from collections.abc import Sequence

from analysis.base.text import one_line
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab
from analysis.site.matrices import absent, asked
from analysis.tables.layout import NOTHING, Column, Grid, Section
from bench.model.proof.evolved import Evolved, Outcome

MARKS = {
    Outcome.RIGHT: "=",
    Outcome.REFUSED: "–",
    Outcome.DEFAULT: "0",
    Outcome.DROPPED: "…",
    Outcome.CRASH: "✗",
    Outcome.WRONG: "≠",
}
MEANINGS = (
    "First old data read with the new schema, then new data read with the old one. = the value that was written. "
    "– refused. 0 zero, empty or nothing in place of a value. … the right value, but any bytes might have followed. "
    "≠ another value, without an error. ✗ the program ended. Blank: no form for it."
)
LEAD = (
    "What codecs read of a message after its schema changed: each change both ways, one process per message.",
    "A wrong value without an error is what a user finds last, so it stands first.",
)
TYPES = dict.fromkeys(("codec", "change", "direction", "outcome", "wrote", "read", "problem"), str) | {"honest": bool}


def evolution_page(lab: Lab) -> Page:
    """Silently wrong values, then codecs by changes, from the newest evolution.json that holds a codec."""
    title = "Schema evolution"
    results = [one for own in lab.answers.evolution.values() for one in own]
    if not results:
        return absent("evolution", title, LEAD, "evolution")
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    wrong = [one for one in results if one.outcome in (Outcome.WRONG, Outcome.CRASH)]
    blocks = [Block("wrong", "Wrong without an error", table=table_of(_wrong(wrong), "wrong", tags))] if wrong else []
    said = tuple(
        asked(extra.evolution.created, run.run.id, {}, lab)
        for run in lab.runs
        if (extra := lab.extras[run.run.id]).evolution
    )
    blocks += [
        Block("counts", "Codecs", table=table_of(_counts(results), "codec", tags), words=said),
        Block(
            "changes",
            "Changes",
            table=table_of(_matrix(results), "change", tags),
            data=[{name: getattr(one, name) for name in TYPES} for one in results],
            types=TYPES,
        ),
    ]
    return Page("evolution", title, title, LEAD, tuple(blocks), filters=("language", "format"))


def _wrong(results: Sequence[Evolved]) -> Grid:
    rows = tuple(
        (
            (one.codec,),
            (one.change,),
            (one.direction,),
            (one.wrote,),
            (one_line(one.read if one.read is not None else one.problem or NOTHING),),
        )
        for one in results
    )
    names = ("Codec", "Change", "Direction", "Written", "Read")
    return Grid("Wrong values", tuple(Column((name,), right=False) for name in names), (Section(rows),))


def _counts(results: Sequence[Evolved]) -> Grid:
    counts: dict[str, Counter[Outcome]] = {}
    for one in results:
        counts.setdefault(one.codec, Counter())[one.outcome] += 1
    honest = Counter(one.codec for one in results if one.honest)
    order = sorted(counts, key=lambda codec: (*(counts[codec][one] for one in Outcome), codec))
    rows = tuple(
        (
            (codec,),
            (f"{honest[codec]} of {counts[codec].total()}",),
            *((str(counts[codec][outcome] or ""),) for outcome in Outcome),
        )
        for codec in order
    )
    heads = ("As it should be", *(outcome.value.capitalize() for outcome in Outcome))
    columns = (Column(("Codec",), right=False), *(Column((head,)) for head in heads))
    return Grid("Exchanges", columns, (Section(rows),), notes=("Codecs that err least come first.",))


def _matrix(results: Sequence[Evolved]) -> Grid:
    changes = dict.fromkeys(one.change for one in results)
    marks = {(one.codec, one.change, one.direction): MARKS[one.outcome] for one in results}
    directions = dict.fromkeys(one.direction for one in results)
    rows = tuple(
        (
            (codec,),
            *((" ".join(marks.get((codec, change, way), NOTHING) for way in directions),) for change in changes),
        )
        for codec in dict.fromkeys(one.codec for one in results)
    )
    columns = (Column(("Codec",), right=False), *(Column((change,)) for change in changes))
    return Grid("Codecs by changes", columns, (Section(rows),), notes=(MEANINGS,))
