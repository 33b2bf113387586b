"""The evidence under a claim as text, the same for terminal, Markdown and site: facts of a name and lines."""

import textwrap
from collections.abc import Sequence

from msgspec import Struct

from analysis.base.text import bounds, count, duration_ns, percent, plural, significant
from analysis.claims.ledger_entry import LedgerEntry, SideEvidence
from analysis.render.claims_grid import figure, versions
from analysis.render.terminal import escape
from analysis.statistics.estimates import Estimate

WIDTH = 100
"""Columns of a screen on which a claim fits."""
LABEL = 12
"""Columns of a fact's name on the terminal."""
COMMAND = "Measure it"


class Fact(Struct, frozen=True):
    """A part of the evidence."""

    name: str
    lines: tuple[str, ...]
    link: str | None = None
    """Where its first line leads on the site."""
    is_code: bool = False
    """Whether it is a command."""


def evidence_facts(entry: LedgerEntry) -> tuple[Fact, ...]:
    """What stands under a claim, top to bottom; what is not known is left out."""
    evidence = entry.evidence
    facts = [
        Fact("Claim", (entry.says,)),
        Fact("Quotation", (f"“{entry.quote}”" if entry.quote else _read_from_table(entry),)),
        Fact("Address", _address(entry)),
        Fact("Published", _published(entry)),
        Fact("Measured", _measured(entry)),
        Fact("Cells", tuple(line for side in evidence.sides for line in _cell(side))),
        Fact("Compilers", tuple(_compilers(entry))),
        Fact("Libraries", tuple(versions(entry))),
        Fact("Run", _run(entry)),
        Fact("Same as", (entry.same_as,) if entry.same_as else ()),
        Fact("Table", (evidence.table,) if evidence.table else ()),
        Fact(COMMAND, (evidence.command,) if evidence.command else (), is_code=True),
    ]
    return tuple(fact for fact in facts if fact.lines)


def claim_heading(entry: LedgerEntry) -> str:
    """`CLAIM, of PUBLICATION`."""
    return f"{entry.id}, of {entry.evidence.quotation.title}"


def evidence_text(entry: LedgerEntry) -> str:
    """A claim with its evidence for a terminal: no line is wider than 100 columns but for words that are."""
    heading = textwrap.wrap(claim_heading(entry), WIDTH, break_long_words=False, break_on_hyphens=False)
    lines = [*heading, *textwrap.wrap(entry.sentence, WIDTH), ""]
    for fact in evidence_facts(entry):
        if fact.name == COMMAND:
            lines += ["", f"{COMMAND}:", *shell_lines(fact.lines[0])]
            continue
        name = fact.name
        for line in fact.lines:
            own = textwrap.wrap(line, WIDTH - LABEL, break_long_words=False, break_on_hyphens=False) or [""]
            for text in own:
                lines.append(f"{name:<{LABEL}}{text}")
                name = ""
    return "\n".join(lines)


def evidence_markdown(entry: LedgerEntry) -> str:
    """A claim with its evidence as Markdown: a heading, the sentence, and a list."""
    facts = (
        f"- {fact.name}: {'; '.join(f'`{line}`' if fact.name == COMMAND else escape(line) for line in fact.lines)}"
        for fact in evidence_facts(entry)
    )
    return "\n\n".join([f"### {escape(claim_heading(entry))}", escape(entry.sentence), "\n".join(facts)]) + "\n"


def shell_lines(command: str) -> list[str]:
    """A command whose last word is quoted, in lines of at most 100 columns that a shell reads as the same words."""
    if len(command) <= WIDTH:
        return [command]
    start, _, quoted = command.partition("'")
    words = quoted.removesuffix("'").split(" ")
    lines, line = list[str](), f"{start}'{words[0]}"
    if len(f"{line} '\\") > WIDTH:
        command, option = start.rstrip().rsplit(" ", 1)
        lines, line = [f"{command} \\"], f"{option} '{words[0]}"
    for word in words[1:]:
        if len(f"{line} {word} '\\") > WIDTH:
            lines.append(f"{line} '\\")
            line = f"'{word}"
        else:
            line = f"{line} {word}"
    return [*lines, f"{line}'"]


def _read_from_table(entry: LedgerEntry) -> str:
    if entry.published is None:
        return ""
    return "no sentence of the publication: the claim is what the figures of its table say"


def _address(entry: LedgerEntry) -> tuple[str, ...]:
    quotation = entry.evidence.quotation
    section = f"section “{quotation.section}”" if quotation.section else None
    return tuple(part for part in (quotation.address, section) if part)


def _published(entry: LedgerEntry) -> tuple[str, ...]:
    """The claimed figure, and what is printed of each row, with file and line."""
    if entry.published is None:
        return ()
    evidence = entry.evidence
    line = f"{figure(entry.published, entry.unit)}{_range(entry.published_low, entry.published_high)}"
    allowed = (evidence.allowed_low, evidence.allowed_high)
    if evidence.run and any(bound is not None for bound in allowed):
        line += f"; reproduced where it is {_allowed(*allowed, entry.unit)}"
    printed = (
        f"{side.row}: {figure(side.published, side.unit)}{_range(side.published_low, side.published_high)} "
        f"(analysis/published/{entry.source}.csv, line {side.line})"
        for side in evidence.sides
        if side.published is not None
    )
    return (line, *printed)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{significant(low)}–{significant(high)}]"


def _allowed(low: float | None, high: float | None, unit: str) -> str:
    if low == high and low is not None:
        return f"exactly {figure(low, unit)}"
    if low is None or high is None:
        return f"≥ {figure(low, unit)}" if low is not None else f"≤ {figure(high or 0.0, unit)}"
    return f"{figure(low, unit)} to {figure(high, unit)}"


def _measured(entry: LedgerEntry) -> tuple[str, ...]:
    measured = entry.measured
    if measured is None:
        return ()
    first = figure(measured.point, entry.unit)
    if measured.is_exact:
        return (f"{first}, counted",)
    unit = plural(measured.units, str(measured.kind)[:-1])
    intervals = [
        f"{share} {text}"
        for share, text in (("95 %", bounds(measured.interval)), ("99 %", bounds(measured.interval99)))
        if text
    ]
    floor = entry.evidence.floor
    noise = f"noise floor {percent(floor)}" if floor else None
    return (", ".join(part for part in (first, *intervals, f"over {unit}", noise) if part),)


def _cell(side: SideEvidence) -> tuple[str, ...]:
    """The cell's name with its conditions, and under it what was measured of it."""
    if side.cell is None:
        return (f"{side.codec}: not measured",)
    known = [
        _time(side.time_ns) if side.time_ns else None,
        f"{count(side.encoded_bytes)} B" if side.encoded_bytes else None,
        plural(side.rounds, "round") if side.rounds else None,
        plural(side.layouts, "layout") if side.rounds else None,
        f"{percent(side.calm_share)} of {plural(side.loops, 'loop')} calm" if side.calm_share is not None else None,
    ]
    return (side.cell, f"  {', '.join(part for part in known if part)}")


def _time(time: Estimate) -> str:
    text = duration_ns(time.point)
    return text if not bounds(time) else f"{text} [{duration_ns(time.low)} – {duration_ns(time.high)}]"


def _compilers(entry: LedgerEntry) -> Sequence[str]:
    """Each compiler's figure and verdict, and whether the verdict depends on it."""
    evidence = entry.evidence
    lines = [
        f"{one.compiler}: {one.verdict}, {figure(one.measured.point, entry.unit)} {bounds(one.measured)}".rstrip()
        if one.measured
        else f"{one.compiler}: {one.verdict}, {one.why}"
        for one in evidence.compilers
    ]
    return [*lines, *(["the verdict depends on the compiler"] if evidence.depends_on_compiler else [])]


def _run(entry: LedgerEntry) -> tuple[str, ...]:
    evidence = entry.evidence
    if evidence.run is None:
        return ()
    others = [f"{one.run}: {one.verdict}" for one in entry.measurements if one.run != evidence.run and one.figure]
    return (f"{evidence.run}, {evidence.machine}, {evidence.recorded}", *others)
