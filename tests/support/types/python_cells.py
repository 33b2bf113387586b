"""Runs every cell of a packed Python runner in one process, and prints what is wrong with any of them.

    PYTHON python_cells.py RUNNER INPUTS

INPUTS is JSON: scenario → canonical JSON of its value, or JSON Lines. All conditions are tried, whatever the scenario
says. Products of writing operations must be equal to each other, and those of reading ones to the input.
"""

import gc
import json
import runpy
import sys
from pathlib import Path


def loaded(runner):
    """The offer of a packed runner, with every condition."""
    sys.path.insert(0, runner)
    import wirelab_messages

    taken = []
    wirelab_messages.serve = taken.append
    runpy.run_path(runner, run_name="__main__")
    import wirelab_types

    for name, use in wirelab_types.scenarios.items():
        wirelab_types.scenarios[name] = use._replace(every_condition=True)
    from wirelab_kit.model.kind import Offer
    from wirelab_messages.scenarios import SCENARIOS

    return Offer(taken[0], SCENARIOS)


def wrong(offer, scenario, text):
    """What is wrong with the cells of a scenario, a line each."""
    from wirelab_kit.measuring.cells import cells_of
    from wirelab_kit.measuring.prepare import prepare

    written = None
    values = [json.loads(line) for line in text.decode().removesuffix("\n").split("\n")]
    for cell in cells_of(offer, [scenario]):
        try:
            prepared = prepare(offer, cell, text)
            prepared.repeat(2)
            product = prepared.product()
        except BaseException as error:
            yield f"{cell.options}: {type(error).__name__}: {error}"
            continue
        finally:
            gc.enable()
        if cell.operation in ("serialize", "build+serialize"):
            written = written or (product, prepared.encoded_bytes)
            if written != (product, prepared.encoded_bytes):
                yield f"{cell.options}: other bytes than the first cell"
        elif [json.loads(line) for line in product.decode().removesuffix("\n").split("\n")] != values:
            yield f"{cell.options}: another value: {product[:200]!r}"


if __name__ == "__main__":
    offer = loaded(sys.argv[1])
    inputs = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    offered = [name for name in inputs if offer.kind(name)]
    problems = [line for name in offered for line in wrong(offer, name, inputs[name].encode())]
    json.dump({"offered": offered, "problems": problems}, sys.stdout)
