"""Interoperability, special values and malformed input, codec by codec."""

from collections.abc import Mapping, Sequence

from analysis.base.text import count, one_line
from analysis.site.blocks import Block, Page, slug, table_of
from analysis.site.lab import Lab
from analysis.tables.exchanges import newest_matrices, pairs_grid, refusals, why_refused
from analysis.tables.layout import NOTHING, Column, Grid, Section
from bench.model.findings import Fact, Fuzzed, Harm, by_harm
from bench.proof.special import load_special
from bench.proof.upstream import upstream

MARKS = {"same": "=", "changed": "≠", "refused": "–", "unreadable": "!", "failed": "✗"}
MEANINGS = (
    "= comes back as it was, value and type. ≠ comes back as something else. – the encoder refuses it. ! its own "
    "decoder does not read it. ✗ the process ended. Blank: not asked."
)
HARMS = (
    "Memory: a crash, or what a sanitizer reports. Wrong value: accepted, and what came out is no value of the type, "
    "such as text that is not UTF-8, or another than is meant. Hang or memory use: no end, a stack that overflows, or "
    "memory out of proportion to the input. Against the specification: accepted what the format excludes, or refused "
    "what it asks for. Other: it failed in another way than by a refusal, such as a panic."
)
HEX_SHOWN = 120
FINDINGS_SHOWN = 5
"""Of a codec and scenario on the page."""


def interop_page(lab: Lab) -> Page:
    """Every pair of codecs of one format: what the newest run that tried it found before it measured."""
    found = newest_matrices((report.run, report.verification) for report in lab.runs)
    types = {"format": str, "writer": str, "reader": str, "read": int, "not_read": int, "same_bytes": bool}
    blocks = [
        Block(
            f"format-{slug(matrix.format)}",
            matrix.format,
            table=table_of(pairs_grid(matrix), f"format-{slug(matrix.format)}", {}),
            data=[
                {
                    "format": matrix.format,
                    "writer": writer,
                    "reader": reader,
                    "read": len(reading.read),
                    "not_read": len(reading.refused),
                    "same_bytes": reading.same_bytes,
                }
                for (writer, reader), reading in matrix.pairs.items()
            ],
            types=types,
        )
        for matrix in found
    ]
    rows = tuple(
        ((matrix.format,), (one.reader,), (one.writer,), one.scenarios, why_refused(one))
        for matrix in found
        for one in refusals(matrix)
    )
    if rows:
        headings = ("Format", "Does not read", "What this wrote", "Scenarios", "Why")
        grid = Grid("Refusals", tuple(Column((name,), right=False) for name in headings), (Section(rows),))
        blocks.append(Block("refusals", "What was not read, and why", table=table_of(grid, "refusal", {})))
    lead: tuple[str, ...] = (
        "Before anything is measured, every codec of a format reads what every other codec of that format wrote, in "
        "every scenario that both have, and the value is compared.",
    )
    if not blocks:
        lead = (*lead, "These runs hold no two codecs of one format; `./lab verify` checks every pair that exists.")
    return Page("interop", "Interoperability", "Interoperability", lead, tuple(blocks))


FACT_TYPES = dict.fromkeys(("codec", "probe", "outcome", "sent", "got", "error"), str)


def fidelity_page(lab: Lab) -> Page:
    """Codecs by special values, from the newest fidelity.json that holds a codec."""
    lead = ("What codecs return for values that formats and libraries treat differently, each written and read again.",)
    facts = [fact for own in lab.answers.fidelity.values() for fact in own]
    if not facts:
        return absent("fidelity", "Fidelity", lead, "fidelity")
    typed = {one.name for one in load_special().typed}
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    said = tuple(
        asked(extra.fidelity.created, run.run.id, {}, lab)
        for run in lab.runs
        if (extra := lab.extras[run.run.id]).fidelity
    )
    parts = (
        ("fidelity", "Values without a type", [fact for fact in facts if fact.probe not in typed]),
        ("typed", "Messages with a type", [fact for fact in facts if fact.probe in typed]),
    )
    blocks = [
        Block(
            anchor,
            title,
            table=table_of(_marks(title, own), "value", tags),
            data=[{name: getattr(fact, name) for name in FACT_TYPES} for fact in own],
            types=FACT_TYPES,
            words=said,
        )
        for anchor, title, own in parts
        if own
    ]
    details = Grid(
        "Changed values",
        tuple(Column((name,), right=False) for name in ("Codec", "Value", "Outcome", "Sent", "Got, or why not")),
        (Section(tuple(_fact(fact) for fact in facts if fact.outcome != "same")),),
    )
    blocks.append(Block("details", "Values that did not come back as they were", table=table_of(details, "fact", tags)))
    return Page("fidelity", "Fidelity", "Fidelity", lead, tuple(blocks), filters=("language", "format"))


def _marks(title: str, facts: Sequence[Fact]) -> Grid:
    probes = dict.fromkeys(fact.probe for fact in facts)
    marks = {(fact.codec, fact.probe): MARKS[fact.outcome] for fact in facts}
    rows = tuple(
        ((codec,), *((marks.get((codec, probe), ""),) for probe in probes))
        for codec in dict.fromkeys(fact.codec for fact in facts)
    )
    columns = (Column(("Codec",), right=False), *(Column((probe,)) for probe in probes))
    return Grid(title, columns, (Section(rows),), notes=(MEANINGS,))


def _fact(fact: Fact) -> tuple[tuple[str, ...], ...]:
    answer = fact.got if fact.outcome == "changed" else fact.error
    return (fact.codec,), (fact.probe,), (fact.outcome,), (fact.sent or NOTHING,), (one_line(answer or NOTHING),)


def fuzzing_page(lab: Lab) -> Page:
    """Findings by codec: of several runs' fuzz.json the newest that asked it for a type."""
    lead: tuple[str, ...] = (
        "Malformed input by class, and seeded mutations of what each codec wrote itself: truncations, flipped bits, "
        "lengths that claim more, noise, parts repeated or moved. A codec must refuse or decode, and where its "
        "format's specification says which, do that; anything else is a finding, counted by its kind. Crashes, hangs "
        "and memory use are counted, and shown once the library's authors have had time for them.",
    )
    asked_runs = [(run, extra) for run in lab.runs if (extra := lab.extras[run.run.id].fuzzing)]
    if not asked_runs:
        return absent("malformed", "Malformed input", lead, "fuzz")
    results = [one for own in lab.answers.malformed.values() for one in own]
    failures = [item for _, fuzzing in asked_runs for item in fuzzing.failures.items()]
    words = tuple(
        f"{count(fuzzing.cases)} random cases per codec, seed {fuzzing.seed}. "
        f"{asked(fuzzing.created, run.run.id, fuzzing.binaries, lab)}"
        for run, fuzzing in asked_runs
    )
    tags = {codec: facts.tags for codec, facts in lab.codecs.items()}
    blocks = [_cases_block(results, failures, words, tags)]
    if any(one.findings for one in results):
        blocks.append(_findings_block(results, tags))
    return Page("malformed", "Malformed input", "Malformed input", lead, tuple(blocks), filters=("language", "format"))


Tags = Mapping[str, Mapping[str, str]]
"""Codec → tags by which tables can be filtered."""


def _cases_block(
    results: Sequence[Fuzzed], failures: Sequence[tuple[str, str]], words: tuple[str, ...], tags: Tags
) -> Block:
    """The numbers of cases that each codec refused, decoded, and answered in any other way."""
    names = ("Codec", "Scenario", "Cases", "Refused", "Decoded", *(harm.capitalize() for harm in Harm))
    grid = Grid(
        "Malformed input",
        tuple(Column((name,), right=index > 1) for index, name in enumerate(names)),
        (Section(tuple(_fuzzed(one) for one in results)),),
        notes=(HARMS, *(f"Not asked, {name}: {one_line(why)}" for name, why in failures)),
    )
    data = [
        {
            "codec": one.codec,
            "scenario": one.scenario,
            "cases": one.cases,
            "refused": one.refused,
            "accepted": one.accepted,
            "findings": len(one.findings),
            **{slug(harm): number for harm, number in by_harm(one.findings).items()},
        }
        for one in results
    ]
    numbers = ("cases", "refused", "accepted", "findings", *map(slug, Harm))
    types = {"codec": str, "scenario": str, **dict.fromkeys(numbers, int)}
    return Block("malformed", "Codecs", table=table_of(grid, "codec", tags), words=words, data=data, types=types)


def _findings_block(results: Sequence[Fuzzed], tags: Tags) -> Block:
    """The first findings of each codec and scenario; all of them in the download."""
    findings = [finding for one in results for finding in one.findings]
    shown = [(one.library, finding) for one in results for finding in one.findings[:FINDINGS_SHOWN]]
    rows = tuple(
        (
            (f.codec,),
            (f.scenario,),
            (f.class_,),
            (f.harm,),
            (one_line(f.problem),),
            (_hex(f.input_hex or f.recipe or ""),),
            tuple(issue.address for issue in upstream().of_finding(f, library)) or (NOTHING,),
        )
        for library, f in shown
    )
    grid = Grid(
        "Findings",
        tuple(
            Column((name,), right=False) for name in ("Codec", "Scenario", "Class", "Kind", "Problem", "Input", "Issue")
        ),
        (Section(rows),),
        notes=(
            f"Of each codec and scenario the first {FINDINGS_SHOWN} are here, and inputs beyond {HEX_SHOWN // 2} bytes "
            f"are cut; the download has all {count(len(findings))} whole.",
        ),
    )
    keys = ("codec", "scenario", "class_", "case", "harm", "problem", "input_hex", "recipe")
    data = [{key: getattr(finding, key) for key in keys} for finding in findings]
    types = {key: int if key == "case" else str for key in keys}
    return Block("findings", "Findings", table=table_of(grid, "finding", tags), data=data, types=types)


def _fuzzed(one: Fuzzed) -> tuple[tuple[str, ...], ...]:
    numbers = (one.cases, one.refused, one.accepted, *by_harm(one.findings).values())
    return (one.codec,), (one.scenario,), *((count(number),) for number in numbers)


def _hex(text: str | None) -> str:
    if not text:
        return NOTHING
    return text if len(text) <= HEX_SHOWN else f"{text[:HEX_SHOWN]}…"


def absent(name: str, title: str, lead: tuple[str, ...], command: str) -> Page:
    """A page that says how to get what these runs lack."""
    how = f"None of these runs has it: `./lab {command} --run RUN` asks every codec and keeps the answers."
    return Page(name, title, title, (*lead, how), ())


def asked(created: str, run: str, binaries: Mapping[str, str], lab: Lab) -> str:
    """When codecs were asked, and whether with the binaries that the run measured."""
    measured: dict[str, set[str]] = {}
    for planned in (one for report in lab.runs if report.run.id == run for one in report.run.plan.cells):
        if planned.sha256:
            measured.setdefault(planned.cell.codec, set()).add(planned.sha256)
    others = sorted(codec for codec, digest in binaries.items() if digest not in measured.get(codec, {digest}))
    note = f" Other binaries than the run measured: {', '.join(others)}." if others else ""
    return f"Asked on {created[:10]}, kept with run {run}.{note}"
