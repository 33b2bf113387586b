"""The verdict on each claim on each machine that has a run: whether it holds elsewhere too."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from analysis.claims.definitions import ClaimSet
from analysis.claims.ledger import MEASURED, ledger
from analysis.claims.ledger_entry import LedgerEntry
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells
from analysis.data.machines.run_paths import machine_name
from analysis.statistics.estimates import Estimate


class ClaimOnMachines(Struct, frozen=True):
    """A claim, judged by the runs of one machine after another."""

    entry: LedgerEntry
    """As the ledger has it, of all runs."""
    verdicts: Mapping[str, Verdict]
    """Machine → its verdict, in the order of names; only those that measured the claim."""
    figures: Mapping[str, Estimate | None]
    """Machine → what it measured."""

    @property
    def differs(self) -> bool:
        """Whether two machines disagree."""
        return len(set(self.verdicts.values())) > 1

    @property
    def contradicts(self) -> bool:
        """Whether one machine refutes what another one shows."""
        seen = set(self.verdicts.values())
        return Verdict.REFUTED in seen and bool(seen & {Verdict.REPRODUCED, Verdict.SAME_DIRECTION})


def runs_of_machines(runs: Iterable[RunCells]) -> dict[str, list[RunCells]]:
    """Machine → its runs, in the order of names."""
    result: dict[str, list[RunCells]] = {}
    for run in runs:
        result.setdefault(machine_name(run.run), []).append(run)
    return dict(sorted(result.items()))


def claims_on_machines(book: ClaimSet, runs: Sequence[RunCells]) -> tuple[ClaimOnMachines, ...]:
    """Every claim that a machine measured. First those that machines contradict, then those that differ."""
    machines = runs_of_machines(runs)
    ledgers = {name: {entry.id: entry for entry in ledger(book, own, runs)} for name, own in machines.items()}
    result = []
    for entry in ledger(book, runs):
        own = {name: lines[entry.id] for name, lines in ledgers.items() if lines[entry.id].verdict in MEASURED}
        if own:
            verdicts = {name: one.verdict for name, one in own.items()}
            result.append(ClaimOnMachines(entry, verdicts, {name: one.measured for name, one in own.items()}))
    return tuple(sorted(result, key=lambda one: (not one.contradicts, not one.differs)))
