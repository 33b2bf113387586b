"""The messages that are sent: encoded again by the same runners that a run was measured with."""

from bench.base import errors
from bench.building.lab import Lab
from bench.building.runner import RunnerError
from bench.model.record import Run
from bench.model.scenario import Scenario
from bench.proof.verify import unframed
from bench.scenarios.inputs import canonical_input
from bench.scenarios.keys import keys_of


def check_run(run: Run, lab: Lab, codecs: set[str]) -> None:
    """Raises LabError if the runner of one of these codecs changed since the run, so that its bytes may differ.

    The default build alone writes messages, whichever others the run measured.
    """
    for planned in run.plan.cells:
        if planned.cell.codec not in codecs or planned.variant:
            continue
        runner = lab.program(planned.cell.codec, planned.cell.scenario)
        if runner is None or runner.entry.sha256 != planned.sha256:
            raise errors.runner_changed(planned.cell.codec)


def sent(lab: Lab, scenario: Scenario, codec: str, compression: str) -> bytes:
    """The messages of one repetition, compressed if asked for, without the frames that `encode` writes around rows.

    Raises LabError where the runner fails.
    """
    runner = lab.program(codec, scenario.name)
    assert runner  # `check_run` compared it
    try:
        encoded = runner.encode(scenario.name, canonical_input(scenario), keys_of(scenario))
        if compression:
            encoded = runner.compress(scenario.name, encoded, compression)
    except RunnerError as error:
        raise errors.runner_failed(codec, str(error)) from None
    return unframed(encoded, scenario)
