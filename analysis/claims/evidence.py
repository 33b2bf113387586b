"""The evidence under a claim: quotation, cells, conditions, compilers, and the command that measures it again."""

import math
import re
from collections.abc import Sequence

from msgspec.structs import replace

from analysis.base.anchors import run_link, site_page
from analysis.base.builds import build_options
from analysis.base.text import one_line
from analysis.claims.bands import band_of, published_band
from analysis.claims.cell_estimates import held_in, time_estimate
from analysis.claims.definitions import ClaimSet, Entry, Pair, Side
from analysis.claims.ledger_entry import CompilerEvidence, Evidence, Quotation, SideEvidence
from analysis.claims.measurements import Measurement, UnknownError, applicable, measure, series_of
from analysis.data.cells import RunCells, Series
from analysis.data.machines.run_paths import processor
from analysis.data.select import encoding_cell
from bench.model.cells import Cell, Conditions
from bench.model.plan import Profile

SIZE = "size"
"""The operation that published tables give sizes."""


def evidence_of(
    entry: Entry,
    claims: ClaimSet,
    first: Measurement | None,
    run: RunCells | None,
    compilers: tuple[CompilerEvidence, ...],
) -> Evidence:
    """What the verdict on a claim rests on. `first`: the measurement that decides; `run`: the run that it is of."""
    sides = deciding_sides(entry, first)
    section = entry.claim.section or claims.tables[entry.claim.table].definition.section
    quotation = quotation_of(claims, entry.source, entry.claim.quote, section)
    operation = None if entry.kind.is_size else entry.row.operation
    if run is None:
        rows = _sides(entry, sides, [None] * len(sides))
        return Evidence(quotation, entry.row.scenario, operation, sides=rows, command=command_of_rows(entry))
    held = [_series(entry, side, run) for side in sides]
    band = published_band(entry) if first is None or first.pair is None else band_of(entry, first.pair)
    return Evidence(
        quotation=quotation,
        scenario=entry.row.scenario,
        operation=operation,
        run=run.run.id,
        machine=one_line(f"{processor(run.run)}, {run.run.platform}"),
        recorded=run.run.created[:10],
        floor=first.floor if first else None,
        allowed_low=band.low if math.isfinite(band.low) else None,
        allowed_high=band.high if math.isfinite(band.high) else None,
        sides=_sides(entry, sides, held),
        compilers=compilers,
        table=run_link(entry.row.scenario, run.run),
        site_table=f"{site_page(entry.row.scenario)}.html",
        command=command_of([one.cell for one in held if one], entry),
    )


def quotation_of(claims: ClaimSet, source: str, quote: str | None, section: str | None) -> Quotation:
    """What a publication says, with the address of its page."""
    return Quotation(quote, claims.titles[source], claims.addresses[source], section)


def deciding_sides(entry: Entry, first: Measurement | None) -> tuple[Side, ...]:
    """The two rows that decide, or the claim's only row; of several pairs without a figure those of the first."""
    pair = first.pair if first else None
    if pair is None and entry.pairs:
        pair = entry.pairs[0]
    return (entry.row,) if pair is None else (pair.one, pair.other)


# sides


def rows_without_cell(entry: Entry, run: RunCells) -> int:
    """How many of the rows that decide a claim have no cell in a run."""
    return sum(_series(entry, side, run) is None for side in deciding_sides(entry, None))


def _series(entry: Entry, side: Side, run: RunCells) -> Series | None:
    """The cell of a side as the ledger judges it; of a size any cell of the codec that encodes."""
    if not entry.kind.is_size:
        try:
            return series_of(side, run)
        except UnknownError:
            return None
    return encoding_cell(held_in(run, side.scenario), side.codec)


def _sides(entry: Entry, sides: Sequence[Side], held: Sequence[Series | None]) -> tuple[SideEvidence, ...]:
    """The rows of a claim with their cells. Of a printed ratio only the first row has a figure."""
    return tuple(
        _side(side, series, printed=index == 0 or not entry.kind.is_ratio, timed=not entry.kind.is_size)
        for index, (side, series) in enumerate(zip(sides, held, strict=True))
    )


def _side(side: Side, series: Series | None, *, printed: bool, timed: bool) -> SideEvidence:
    value = side.value
    evidence = SideEvidence(
        codec=side.codec,
        row=value.codec,
        published=value.value if printed else None,
        published_low=value.low if printed else None,
        published_high=value.high if printed else None,
        unit=value.unit,
        line=value.line,
    )
    if series is None:
        return evidence
    return replace(
        evidence,
        cell=str(series.cell),
        time_ns=time_estimate(series) if timed else None,
        encoded_bytes=series.encoded_bytes,
        rounds=len(series.rounds),
        layouts=len(series.layouts),
        loops=len(series.loops.ns),
        calm_share=series.calm_share,
    )


# compilers


def compilers_of(entry: Entry, first: Measurement, run: RunCells) -> tuple[CompilerEvidence, ...]:
    """What the builds of each compiler say, first those that decide; empty where the run has no two compilers.

    The same rules judge each: the rows, conditions and noise floor are those of the verdict.
    """
    names = _compilers_in(entry, first, run)
    if len(names) < 2 or entry.kind.is_size:
        return ()
    others = [(name, measure(_built_by(entry, name), run)) for name in names[1:]]
    return tuple(CompilerEvidence(name, one.figure, one.verdict, one.why) for name, one in [(names[0], first), *others])


def _compilers_in(entry: Entry, first: Measurement, run: RunCells) -> list[str]:
    """The compilers of the cells of the claim's rows in its operation, first the one of the cells that decide."""
    sides = [entry.row, *(side for pair in entry.pairs for side in (pair.one, pair.other))]
    wanted = {(side.codec, side.operation) for side in sides}
    deciding = [_series(entry, side, run) for side in deciding_sides(entry, first)]
    names = [one.cell.conditions.compiler for one in deciding if one is not None]
    cells = next(one for one in run.scenarios if one.scenario.name == entry.row.scenario)
    names += sorted(
        {
            str(cell.conditions.compiler)
            for (cell, twin), series in cells.series.items()
            if not twin and series.measured and (cell.codec, cell.operation) in wanted and cell.conditions.compiler
        }
    )
    return [name for name in dict.fromkeys(names) if name]


def _built_by(entry: Entry, compiler: str) -> Entry:
    """The same claim of the cells that a compiler built; cells without a choice of compiler stay."""

    def built(side: Side) -> Side:
        return replace(side, conditions={**side.conditions, "compiler": compiler})

    pairs = tuple(Pair(built(pair.one), built(pair.other)) for pair in entry.pairs)
    return replace(entry, row=built(entry.row), pairs=pairs)


# the command


def command_of(cells: Sequence[Cell], entry: Entry) -> str:
    """The command that measures these cells and the controls of their languages, and nothing else.

    Where a row that decides has no cell yet, every variant of the rows' codecs that the claim allows.
    """
    if len(cells) < len(deciding_sides(entry, None)):
        return command_of_rows(entry)
    profile = Profile.QUICK if entry.kind.is_size else Profile.PUBLISHED  # sizes are the same in every profile
    options = " ".join(dict.fromkeys(build_options(cell.conditions) for cell in cells)).strip()
    codecs = [cell.codec for cell in cells]
    return _built_first(options, codecs, cells[0].scenario, f"./lab bench --profile {profile} -f '{pattern_of(cells)}'")


def command_of_rows(entry: Entry) -> str:
    """The command that measures every variant of a claim's codecs in its operation: which one decides is not known yet.

    Of builds that labs make on request, it makes and measures the one that the claim names.
    """
    codecs, scenario = [side.codec for side in deciding_sides(entry, None)], entry.row.scenario
    if entry.kind.is_size:
        return f"./lab bench --profile {Profile.QUICK} -f '^{_one_of(codecs)} {scenario} '"
    conditions = applicable(entry.row)
    options = build_options(Conditions(**conditions))
    build = f".* build={_literal(conditions['build'])}( |$)" if options and "build" in conditions else ""
    pattern = f"^{_one_of(codecs)} {scenario} {_literal(entry.row.operation)} {build}"
    return _built_first(options, codecs, scenario, f"./lab bench --profile {Profile.PUBLISHED} -f '{pattern}'")


def _built_first(options: str, codecs: Sequence[str], scenario: str, command: str) -> str:
    """The command, after the one that makes the builds that labs do not make by themselves."""
    return f"./lab build {options} -f '^{_one_of(codecs)} {scenario} ' && {command}" if options else command


def pattern_of(cells: Sequence[Cell]) -> str:
    """A regular expression that exactly these cells match, with what they share written once.

    `^(a|b) scenario operation api=serde$`, or `^(a scenario operation api=serde|b …) buffer=reused$`.
    """
    named = [(cell.name, [f"{name}={value}" for name, value in cell.conditions.items()]) for cell in cells]
    if len({str(cell.conditions) for cell in cells}) == 1 and len({(c.scenario, c.operation) for c in cells}) == 1:
        return _around(list(dict.fromkeys(cell.codec for cell in cells)), cells[0].name.split(" ")[1:] + named[0][1])
    shared: list[str] = []
    while all(conditions for _, conditions in named) and len({conditions[-1] for _, conditions in named}) == 1:
        shared.insert(0, named[0][1][-1])
        named = [(name, conditions[:-1]) for name, conditions in named]
    return _around([" ".join([name, *conditions]) for name, conditions in named], shared)


def _around(alternatives: Sequence[str], shared: Sequence[str]) -> str:
    return f"^{' '.join([_one_of(alternatives), *map(_literal, shared)])}$"


def _one_of(texts: Sequence[str]) -> str:
    """A regular expression that takes any of these texts."""
    own = list(map(_literal, dict.fromkeys(texts)))
    return own[0] if len(own) == 1 else f"({'|'.join(own)})"


def _literal(text: str) -> str:
    """A text that a regular expression takes literally."""
    return re.sub(r"([.+*?()|\[\]{}^$\\])", r"\\\1", text)
