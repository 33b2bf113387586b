"""From a draft to its proof: what verification says of each cell before it is measured."""

from collections.abc import Mapping

from bench.base.progress import Report
from bench.building.lab import Lab
from bench.model.cells import Cell, Operation
from bench.model.plan import Draft, DraftedCell, Encoded, EncodedRows, FilteredRows, Proof, Proved, Unencoded, Unproved
from bench.model.scenario import Scenario
from bench.model.verification import Check, Verification, Verified
from bench.proof.expected import digests
from bench.proof.verify import crc32, verify, wanted_of


def verify_draft(draft: Draft, lab: Lab, report: Report) -> Verification:
    """Everything that must hold of the drafted cells' codecs."""
    wanted = wanted_of(drafted.cell for drafted in draft.cells)
    return verify(lab.described, wanted, {draft.scenario: lab.scenarios[draft.scenario]}, report)


def with_scenario(before: Verification, scenario: str, now: Verification) -> Verification:
    """What was proved of the scenarios before, and of one more in place of what may have been proved of it earlier."""
    others = [check for check in before.failures if check.scenario != scenario]
    return Verification(
        before.protocol,
        [*(one for one in before.verified if one.scenario != scenario), *now.verified],
        [*others, *(check for check in now.failures if check not in others)],
        [*(one for one in before.exchanges if one.scenario != scenario), *now.exchanges],
    )


def proof_of(draft: Draft, verification: Verification, scenarios: Mapping[str, Scenario]) -> Proof:
    """What each cell must produce, or why it is not measured: the first check that its codec failed."""
    verified = {(one.codec, one.variant, one.scenario): one for one in verification.verified}
    failures: dict[tuple[str, str, str | None], Check] = {}
    for check in verification.failures:
        failures.setdefault((check.codec, check.variant, check.scenario), check)
    results: dict[Cell, Proved | Unproved] = {}
    for drafted in draft.cells:
        codec, scenario = (drafted.cell.codec, drafted.variant), scenarios[drafted.cell.scenario]
        if failure := failures.get((*codec, None)) or failures.get((*codec, scenario.name)):
            results[drafted.cell] = unproved(failure)
        elif drafted.control:
            results[drafted.cell] = Unencoded()
        else:
            results[drafted.cell] = proved(drafted, scenario, verified[*codec, scenario.name])
    return Proof(results)


def unproved(failure: Check) -> Unproved:
    """A failed check as the reason why a cell is not measured."""
    return Unproved(f"{failure.check}: {failure.known or failure.message}", failure.known is not None)


def proved(drafted: DraftedCell, scenario: Scenario, verified: Verified) -> Proved:
    """What a repetition of a verified codec's cell must produce."""
    operation, size = drafted.cell.operation, verified.size_of(drafted.cell.conditions.compression)
    assert size is not None  # each wanted compression was verified
    if operation is Operation.ACCESS:
        return Encoded(size, crc32(digests(scenario, drafted.cell.conditions.fields)))
    checksum = verified.checksum_of(operation)
    assert checksum  # whoever offers the operation was verified
    if not operation.is_file:
        return Encoded(size, checksum)
    rows = scenario.rows or 1
    if operation is Operation.FILTER:
        assert scenario.filter  # loading the scenario saw to that
        return FilteredRows(size, checksum, rows, scenario.filter.rows)
    return EncodedRows(size, checksum, rows)
