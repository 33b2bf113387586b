"""Does it hold on my CPU? The verdict on each claim on every machine that has a run, and the ranks that move."""

from collections.abc import Mapping, Sequence

from analysis.base.text import bounds, plural
from analysis.claims.machines.machine_verdicts import ClaimOnMachines
from analysis.data.machines.run_paths import machine_name
from analysis.render.claims_grid import figure
from analysis.site.blocks import Block, Page, table_of
from analysis.site.lab import Lab
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from analysis.tables.machines.across import commits_note
from analysis.tables.machines.across_grids import moves_grid
from analysis.tables.notes import machine
from analysis.tables.reports import RunReport

ADD_YOURS = (
    "To see your own here: `./lab bench --profile published` measures it, `./lab submit RUN` packs the run for a pull "
    "request, and `./lab report results RUN -o site` shows it beside the others at once."
)
VERDICT_TYPES: dict[str, type] = {
    "claim": str,
    "source": str,
    "says": str,
    "machine": str,
    "verdict": str,
    "published": float,
    "measured": float,
    "low": float,
    "high": float,
    "differs": bool,
}


def cpus_page(lab: Lab) -> Page:
    """What holds on which processor."""
    machines = machines_of(lab.runs)
    claims = lab.on_machines
    differing = [one for one in claims if one.differs]
    if len(machines) < 2:
        name, model = next(iter(machines.items()))
        lead: tuple[str, ...] = (
            f"Only one CPU model has a run here, {model} (`{name}`), so this page cannot tell yet what holds "
            "elsewhere: below are the verdicts on that one.",
            ADD_YOURS,
        )
    else:
        refuted = sum(one.contradicts for one in claims)
        several = sum(len(one.verdicts) > 1 for one in claims)
        lead = (
            f"{plural(len(claims), 'claim')} measured on {plural(len(machines), 'CPU model')}, {several} of them on "
            f"several: the verdict on {len(differing)} differs between models; {refuted} of these one model refutes "
            "and another one shows.",
            ADD_YOURS,
        )
    tags = {one.entry.id: _tags(lab, one) for one in claims}
    blocks = [
        Block(
            "verdicts",
            "Does a claim hold on my CPU?",
            words=commits_note(one.run for one in lab.runs) if len(machines) > 1 else (),
            table=table_of(_verdicts(claims, list(machines)), "claim", tags, name_line=1),
            data=[row for one in claims for row in _rows(one)],
            types=VERDICT_TYPES,
        )
    ]
    if len(machines) > 1:
        moves = moves_grid(lab.scenarios)
        codecs = {codec: facts.tags for codec, facts in lab.codecs.items()}
        none = not moves.sections[0].rows
        words = ("No rank differs between machines that measured the same codecs.",) if none else ()
        table = None if none else table_of(moves, "move", codecs)
        blocks.append(Block("ranks", "Which ranks move", words=words, table=table))
    blocks.append(Block("machines", "Machines", table=table_of(_machines(lab.runs), "machine", {})))
    return Page("cpus", "Does it hold on my CPU?", "Your CPU", lead, tuple(blocks), filters=("agreement", "source"))


def machines_of(runs: Sequence[RunReport]) -> dict[str, str]:
    """Name of a machine → the model of its processor, in the order of names."""
    models = {machine_name(one.run): str((one.run.environment.get("cpu") or {}).get("model")) for one in runs}
    return dict(sorted(models.items()))


def _tags(lab: Lab, claim: ClaimOnMachines) -> Mapping[str, str]:
    agreement = "one machine" if len(claim.verdicts) < 2 else "differs" if claim.differs else "same"
    return {"agreement": agreement, "source": lab.titles[claim.entry.source]}


def _verdicts(claims: Sequence[ClaimOnMachines], machines: Sequence[str]) -> Grid:
    sections = (
        ("The verdict differs", [one for one in claims if one.differs]),
        (
            "The same verdict on each of them",
            [one for one in claims if not one.differs and len(one.verdicts) > 1],
        ),
        ("Measured on one CPU model", [one for one in claims if len(one.verdicts) == 1]),
    )
    return Grid(
        "Verdicts on each CPU model",
        (
            Column(("Claim",), right=False),
            Column(("Published",)),
            *(Column((name,), right=False) for name in machines),
        ),
        tuple(Section(tuple(_claim(one, machines) for one in own), title) for title, own in sections if own),
        notes=(
            "Each verdict is of that machine's runs alone, with the measured figure and its 95 % interval. A verdict "
            "differs too where one machine decides what another leaves undecided; claims that one machine refutes "
            "and another one shows come first.",
        ),
    )


def _claim(claim: ClaimOnMachines, machines: Sequence[str]) -> tuple[Lines, ...]:
    entry = claim.entry
    published = NOTHING if entry.published is None else figure(entry.published, entry.unit)

    def cell(name: str) -> Lines:
        if name not in claim.verdicts:
            return (NOTHING,)
        measured = claim.figures[name]
        interval = "" if entry.exact or measured is None else bounds(measured)
        shown = (f"{figure(measured.point, entry.unit)} {interval}".rstrip(),) if measured else ()
        return (claim.verdicts[name].value, *shown)

    return ((entry.says, entry.id), (published,), *map(cell, machines))


def _rows(claim: ClaimOnMachines) -> list[dict[str, object]]:
    entry = claim.entry
    return [
        {
            "claim": entry.id,
            "source": entry.source,
            "says": entry.says,
            "machine": name,
            "verdict": verdict.value,
            "published": entry.published,
            "measured": measured.point if (measured := claim.figures[name]) else None,
            "low": measured.low if measured else None,
            "high": measured.high if measured else None,
            "differs": claim.differs,
        }
        for name, verdict in claim.verdicts.items()
    ]


def _machines(runs: Sequence[RunReport]) -> Grid:
    held: dict[str, list[RunReport]] = {}
    for one in runs:
        held.setdefault(machine_name(one.run), []).append(one)
    rows = tuple(
        (
            (name,),
            tuple(dict.fromkeys(machine(one.run) for one in own)),
            tuple(one.run.id for one in own),
            (str(len({scenario.scenario.name for one in own for scenario in one.scenarios})),),
        )
        for name, own in sorted(held.items())
    )
    columns = (
        *(Column((text,), right=False) for text in ("Name", "Processor", "Runs")),
        Column(("Scenarios",)),
    )
    return Grid("Machines with runs", columns, (Section(rows),))
