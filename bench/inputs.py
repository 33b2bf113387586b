"""The canonical input of a scenario: the same bytes on every machine, pinned by their SHA-256.

A value stands in the scenario literally, or as a rule of one key:

    { repeat = { text = "X", count = 100 } }                       the text, count times
    { cycle = { count = 5, low = 0, high = 3, step = 1 } }         0 1 2 0 1: from low by step, back to low at high
    { numpy_random = { seed = 0, count = 5 } }                     numpy.random.default_rng(seed).random(count)
    { each = { count = 5, item = RULE } }                          a list; within the rule of its items:
    { index = 2 }                                                  2 × the item's index, a float for 2.0
    { in_turn = [a, b, …] }                                        one of them after the other

and in a generator of rows also, drawn anew for each row:

    { uniform = [low, high] }                                      an integer, both ends included
    { choice = [a, b, …] }                                         one of them
    { text = { alphabet = "abc", length = [low, high] } }          random letters
    { template = '{dir}\\{file}.exe', parts = { dir = RULE, … } }  a text with parts drawn by rules

`template` may stand anywhere. Randomness is the 64-bit output of MT19937 seeded as Python seeds it, scaled to a range
by multiplication, so that it does not depend on how a version of Python draws from a range. (`numpy_random` is PCG64,
as its publication has it.)
"""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import errors
from bench.model import Scenario
from bench.paths import SCENARIOS, STATE
from bench.types import load_types


class Source(random.Random):
    """Where rules draw from, and the index of the item that they draw for."""

    index = 0


Rule = Callable[[Any, Source], Any]


def canonical_input(scenario: Scenario) -> bytes:
    """Canonical JSON of the scenario's value, or JSON Lines of its rows; checked against the pinned SHA-256."""
    if scenario.input.generator:
        generator = scenario.input.generator
        source = Source(generator.seed)
        names = load_types().structs[scenario.type]
        rows = [{name: draw(generator.fields[name], source) for name in names} for _ in range(generator.rows)]
    else:
        rows = [draw(scenario.input.value, Source(0))]
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()
    found = hashlib.sha256(text).hexdigest()
    if found != scenario.input.sha256:
        raise errors.input_changed(SCENARIOS / f"{scenario.name}.toml", scenario.input.sha256, found)
    return text


def input_file(scenario: Scenario) -> Path:
    """The canonical input as a file for `measure --input`, named by its hash and written once."""
    path = STATE / "inputs" / f"{scenario.name}-{scenario.input.sha256[:12]}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_bytes(canonical_input(scenario))
        temporary.replace(path)
    return path


def draw(rule: Any, source: Source) -> Any:
    """The value that a rule gives; anything that is no rule stands for itself."""
    if isinstance(rule, list):
        return [draw(item, source) for item in rule]
    if not isinstance(rule, dict):
        return rule
    name = next(iter(rule), "")
    if name in RULES and (len(rule) == 1 or name == "template"):
        return RULES[name](rule if name == "template" else rule[name], source)
    return {key: draw(value, source) for key, value in rule.items()}


def _uniform(bounds: list[int], source: Source) -> int:
    low, high = bounds
    return low + (source.getrandbits(64) * (high - low + 1) >> 64)


def _choice(options: list[Any], source: Source) -> Any:
    return options[_uniform([0, len(options) - 1], source)]


def _text(rule: dict[str, Any], source: Source) -> str:
    return "".join(_choice(rule["alphabet"], source) for _ in range(_uniform(rule["length"], source)))


def _template(rule: dict[str, Any], source: Source) -> str:
    return str(rule["template"]).format_map({name: draw(part, source) for name, part in rule["parts"].items()})


def _repeat(rule: dict[str, Any], _: Source) -> str:
    return str(rule["text"]) * int(rule["count"])


def _cycle(rule: dict[str, Any], _: Source) -> list[int | float]:
    low, high, step = rule["low"], rule["high"], rule["step"]
    period = -((low - high) // step)
    return [low + step * (i % period) for i in range(rule["count"])]


def _numpy_random(rule: dict[str, int], _: Source) -> list[float]:
    import numpy as np  # nothing else here needs it, and `lab list` should stay quick

    numbers: list[float] = np.random.default_rng(rule["seed"]).random(rule["count"]).tolist()
    return numbers


def _each(rule: dict[str, Any], source: Source) -> list[Any]:
    items = []
    for source.index in range(rule["count"]):
        items.append(draw(rule["item"], source))
    return items


def _index(factor: int | float, source: Source) -> int | float:
    return factor * source.index


def _in_turn(options: list[Any], source: Source) -> Any:
    return options[source.index % len(options)]


RULES: dict[str, Rule] = {
    "uniform": _uniform,
    "choice": _choice,
    "text": _text,
    "template": _template,
    "repeat": _repeat,
    "cycle": _cycle,
    "numpy_random": _numpy_random,
    "each": _each,
    "index": _index,
    "in_turn": _in_turn,
}
