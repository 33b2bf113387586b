"""Proves programs of a set of types by what the lab itself holds against them: verification, and the checks of samples.

scenarios(everything(), seed=1)     scenario → it, with an input of its own in the lab's folder of inputs
wrong(runners, scenarios, folder)   what is wrong with any cell that the runners offer, a line each
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bench.base.protocol import PROTOCOL
from bench.base.supervision import side_by_side
from bench.building.runner import Runner, RunnerError
from bench.measuring.request import MeasureError, Request, check_samples, read_samples
from bench.measuring.stages.prove import proved
from bench.model.cells import Cell, Conditions, Operation
from bench.model.plan import DraftedCell
from bench.model.scenario import Input, PublishedTable, Scenario
from bench.model.verification import Verification, Verified
from bench.proof.verify import verify_scenario
from bench.scenarios.inputs import input_file, keep_input
from bench.types.type_set import TypeSet, Use
from tests.support.canonical_values import lines

ROWS = 5


def scenarios(types: TypeSet, seed: int, table: Mapping[str, object]) -> dict[str, Scenario]:
    """The scenarios of a set whose types are those of a table, with values drawn from a seed."""
    return {
        use.scenario: with_input(
            use, str(message.type), lines(message.type, types, ROWS if use.rows else 1, seed), table
        )
        for message in types.messages
        for use in message.uses
    }


def with_input(use: Use, kind: str, text: bytes, table: Mapping[str, object]) -> Scenario:
    """A scenario with this canonical input, which is kept where the lab looks for it."""
    rows = text.count(b"\n") if use.rows else None
    scenario = Scenario(
        protocol=PROTOCOL,
        name=use.scenario,
        title=use.scenario,
        source="a test",
        type=kind,
        operations=[Operation.SERIALIZE],
        data_size_bytes=len(text),
        input=Input(hashlib.sha256(text).hexdigest(), file=f"{use.scenario}.json{'l' if rows else ''}", file_rows=rows),
        published=PublishedTable(1, 1, Conditions()),
        types=dict(table),
    )
    keep_input(scenario, text)
    return scenario


def wrong(runners: Sequence[Runner], known: Mapping[str, Scenario], folder: Path) -> list[str]:
    """What is wrong with the runners: what verification says, and each cell whose loop gives something else."""
    problems = []
    for name, scenario in known.items():
        offering = [runner for runner in runners if _cells(runner, name)]
        formats = {one: one.description.format for one in offering if not one.description.control}
        outcome = verify_scenario(formats, scenario) if formats else None
        problems += [f"{one.codec} {name}: {one.check}: {one.message}" for one in outcome.failures] if outcome else []
        measured = list(_measured(offering, scenario, outcome))
        problems += filter(None, side_by_side(lambda one: _wrong_cell(*one, folder), measured))
    return problems


def _cells(runner: Runner, scenario: str) -> list[Cell]:
    description = runner.description
    return [
        Cell(description.codec, one.scenario, one.operation, one.conditions)
        for one in description.cells
        if one.scenario == scenario and not one.operation.is_file and not one.conditions.compression
    ]


def _measured(
    offering: Collection[Runner], scenario: Scenario, outcome: Verification | None
) -> Iterator[tuple[Runner, Cell, Verified | None, Scenario]]:
    verified = {one.codec: one for one in outcome.verified} if outcome else {}
    for runner in offering:
        if runner.description.control or runner.codec in verified:
            for cell in _cells(runner, scenario.name):
                yield runner, cell, verified.get(runner.codec), scenario


def _wrong_cell(runner: Runner, cell: Cell, verified: Verified | None, scenario: Scenario, folder: Path) -> str | None:
    """What a loop of two repetitions gives that was not proved."""
    out = folder / f"{hashlib.sha256(str(cell).encode()).hexdigest()[:20]}.jsonl"
    command = runner.measure_command(
        cell, input_file=input_file(scenario), work=folder, repetitions=2, warmup=0, samples=1, out=out
    )
    try:
        runner.call(command[len(runner.entry.command) :])
        if verified:
            check_samples(read_samples(out, 1), _request(runner, cell, verified, scenario))
    except (RunnerError, MeasureError) as error:
        return f"{cell}: {error}"
    return None


def _request(runner: Runner, cell: Cell, verified: Verified, scenario: Scenario) -> Request:
    one = runner.description
    drafted = DraftedCell(
        cell=cell,
        format=one.format,
        library=one.library,
        version=one.version,
        control=one.control,
        self_describing=one.self_describing,
        sha256=None,
    )
    return Request(
        cell=cell,
        proved=proved(drafted, scenario, verified),
        input_file=input_file(scenario),
        repetitions=2,
        warmup=0,
        samples=1,
        limit_s=60.0,
        keys=None,
        file_bytes=0,
    )
