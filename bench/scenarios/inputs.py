"""The canonical input of a scenario: the same bytes on every machine, pinned by their SHA-256.

A value stands in the scenario literally, or as a rule of one key:

    { repeat = { text = "X", count = 100 } }                       the text, count times
    { cycle = { count = 5, low = 0, high = 3, step = 1 } }         0 1 2 0 1: from low by step, back to low at high
    { numpy_random = { seed = 0, count = 5 } }                     numpy.random.default_rng(seed).random(count)
    { mt19937_64 = { seed = 5489, count = 5, type = "f64" } }      numbers over the whole range of f64, f32, u64, u32 or
                                                                   u16, as C++ draws them; see mersenne.py
    { each = { count = 5, item = RULE } }                          a list; within the rule of its items:
    { index = 2 }                                                  2 × the item's index, a float for 2.0
    { in_turn = [a, b, …] }                                        one of them after the other

and in a generator of rows also, drawn anew for each row:

    { uniform = [low, high] }                                      an integer, both ends included; as text where
                                                                   TOML has no integers so large
    { choice = [a, b, …] }                                         one of them
    { text = { alphabet = "abc", length = [low, high] } }          random letters
    { text = { classes = [CLASS, …], length = [low, high] } }      random letters of classes with weights, each
                                                                   { weight = 3, of = ["abc", [0x20, 0x7e], …] }:
                                                                   letters, or a range of code points
    { template = '{dir}\\{file}.exe', parts = { dir = RULE, … } }  a text with parts drawn by rules
    { chance = { percent = 49, then = RULE, else = RULE } }        one or the other; without `else` nothing,
                                                                   which an option may be
    { bytes = [low, high] }                                        a list of that many bytes
    { digits = [low, high] }                                       an integer as decimal text
    { fraction = [low, high] }                                     a float: an integer of 24 bits, scaled to the range
    { map = { key = RULE, value = RULE, length = [low, high] } }   an object; keys that were drawn before count once
    { sibling = "chunk" }                                          what was drawn for another field of the same object

`template` may stand anywhere. Randomness is the 64-bit output of MT19937 seeded as Python seeds it, scaled to a range
by multiplication, so that it does not depend on how a version of Python draws from a range. (`numpy_random` is PCG64,
`mt19937_64` another generator of the name, as their publications have them.)
"""

import hashlib
import json
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from bench.base import errors
from bench.base.paths import SCENARIOS, STATE
from bench.model.scenario import ItemsOf, Reference, Scenario
from bench.scenarios.load import load_scenario
from bench.scenarios.sets import types_of
from bench.types.expressions import parse_type
from bench.types.values import read_alike


class Source(random.Random):
    """The random generator that rules draw from, with the index of the current item of a list."""

    index = 0


Rule = Callable[[Any, Source], Any]


def canonical_input(scenario: Scenario) -> bytes:
    """Canonical JSON of the scenario's value, or JSON Lines of its rows, with the pinned SHA-256.

    What is drawn at random, or taken from another scenario, is kept in a file: the largest takes ten seconds.
    """
    given = scenario.input
    if not (given.draws or given.items_of or given.generator):
        return _checked(scenario, made_input(scenario))
    text = input_file(scenario).read_bytes()
    if hashlib.sha256(text).hexdigest() == given.sha256:
        return text
    return keep_input(scenario, made_input(scenario)).read_bytes()


def made_input(scenario: Scenario) -> bytes:
    """The same made anew, and not checked."""
    given = scenario.input
    if given.file:
        return _data_file(scenario).read_bytes()
    if given.items_of:
        return _lines(items(given.items_of))
    of, defined = parse_type(scenario.type), types_of(scenario)
    if given.draws:
        from bench.scenarios.draws.rules import draw_value  # which needs NumPy

        try:
            return _lines([draw_value(of, defined, given.draws)])
        except ValueError as error:
            raise errors.bad_file(SCENARIOS / f"{scenario.name}.toml", None, "input.draws", str(error)) from None
    if given.generator:
        source = Source(given.generator.seed)
        fields = {name: given.generator.fields[name] for name in field_names(scenario)}
        rows = [_object(fields, source) for _ in range(given.generator.rows)]
    else:
        rows = [draw(given.value, Source(0))]
    return _lines([read_alike(of, defined, row) for row in rows])


def items(given: ItemsOf) -> list[Any]:
    """The items of a list of another scenario. Raises LabError if it has no such list of this length."""
    path = SCENARIOS / f"{given.scenario}.toml"
    found = json.loads(canonical_input(load_scenario(path))).get(given.field)
    if not isinstance(found, list) or len(found) != given.rows:
        raise errors.no_items(path, given.field, given.rows)
    return found


def _lines(rows: list[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()


def _data_file(scenario: Scenario) -> Path:
    """The file that holds a scenario's input: beside the scenario's own, or kept by `lab try`, which has none."""
    kept = _input_path(scenario)
    path = kept if kept.exists() else SCENARIOS / str(scenario.input.file)
    if not path.exists():
        raise errors.no_data_file(path)
    return path


def _checked(scenario: Scenario, text: bytes) -> bytes:
    """A canonical input, which must have the pinned SHA-256."""
    actual = hashlib.sha256(text).hexdigest()
    if actual != scenario.input.sha256:
        raise errors.input_changed(SCENARIOS / f"{scenario.name}.toml", scenario.input.sha256, actual)
    return text


def field_names(scenario: Scenario) -> list[str]:
    """The fields of the struct that a scenario's rows are, in their order."""
    return [field.name for field in types_of(scenario).structs[scenario.type].fields]


def reference_bytes(reference: Reference, scenario: Scenario) -> bytes:
    """The scenario's list of numbers in the bytes of a reference: its head, then the numbers."""
    code = {"f64": "d", "f32": "f", "u64": "Q", "u32": "I", "u16": "H"}[scenario.type[1:-1]]
    numbers = draw(scenario.input.value, Source(0))
    return bytes.fromhex(reference.head) + struct.pack(f"<{len(numbers)}{code}", *numbers)


def input_file(scenario: Scenario) -> Path:
    """The canonical input as a file for `measure --input`, named by its hash and written once."""
    path = _input_path(scenario)
    return path if path.exists() else keep_input(scenario, made_input(scenario))


def keep_input(scenario: Scenario, text: bytes) -> Path:
    """Writes a canonical input to where `input_file` and `canonical_input` look for it."""
    path = _input_path(scenario)
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as temporary:  # several shards may write at once
        temporary.write(_checked(scenario, text))
    Path(temporary.name).replace(path)
    return path


def _input_path(scenario: Scenario) -> Path:
    return STATE / "inputs" / f"{scenario.name}-{scenario.input.sha256[:12]}.json"


def draw(rule: Any, source: Source) -> Any:
    """The value that a rule produces; anything else stands for itself."""
    if isinstance(rule, list):
        return [draw(item, source) for item in rule]
    if not isinstance(rule, dict):
        return rule
    if _is_rule(rule):
        name = next(iter(rule))
        return RULES[name](rule if name == "template" else rule[name], source)
    return _object(rule, source)


def _object(fields: dict[str, Any], source: Source) -> dict[str, Any]:
    """An object; its fields are drawn in order, those that refer to a sibling last."""
    drawn: dict[str, Any] = {}
    for name, rule in fields.items():
        if not _refers(rule):
            drawn[name] = draw(rule, source)
    for name, rule in fields.items():
        if name not in drawn:
            drawn[name] = draw(_with_siblings(rule, drawn), source)
    return {name: drawn[name] for name in fields}


def _is_rule(rule: Any) -> bool:
    name = next(iter(rule), "") if isinstance(rule, dict) else ""
    return name == "template" or (name in RULES and len(rule) == 1)


def _refers(rule: Any) -> bool:
    """Whether this is a rule (not a plain object) that uses a sibling's value."""
    return _is_rule(rule) and _names_sibling(rule)


def _names_sibling(rule: Any) -> bool:
    return isinstance(rule, dict) and ("sibling" in rule or any(map(_names_sibling, rule.values())))


def _with_siblings(rule: Any, drawn: dict[str, Any]) -> Any:
    if not isinstance(rule, dict):
        return rule
    if rule.keys() == {"sibling"}:
        return drawn[rule["sibling"]]
    return {key: _with_siblings(value, drawn) for key, value in rule.items()}


def _uniform(bounds: list[int] | list[str], source: Source) -> int:
    low, high = map(int, bounds)
    return low + (source.getrandbits(64) * (high - low + 1) >> 64)


def _choice(options: Sequence[Any], source: Source) -> Any:
    return options[_uniform([0, len(options) - 1], source)]


def _draws(count: int, source: Source) -> tuple[int, ...]:
    """`count` random integers of 64 bits, equal to those drawn one after another."""
    drawn = source.getrandbits(64 * count) if count else 0
    return struct.unpack(f"<{count}Q", drawn.to_bytes(8 * count, "little"))


def _text(rule: dict[str, Any], source: Source) -> str:
    length = _uniform(rule["length"], source)
    if "classes" in rule:
        return "".join(_letter(rule["classes"], source) for _ in range(length))
    alphabet = rule["alphabet"]
    return "".join(alphabet[draw * len(alphabet) >> 64] for draw in _draws(length, source))


def _letter(classes: list[dict[str, Any]], source: Source) -> str:
    """A letter: a class by its weight, then an entry of that class, then a letter of that entry."""
    remaining = _uniform([0, sum(one["weight"] for one in classes) - 1], source)
    for one in classes:
        remaining -= one["weight"]
        if remaining < 0:
            entry = _choice(one["of"], source)
            return str(_choice(entry, source)) if isinstance(entry, str) else chr(_uniform(entry, source))
    raise AssertionError("the weights add up to more than was drawn")


def _chance(rule: dict[str, Any], source: Source) -> Any:
    return draw(rule.get("then" if _uniform([0, 99], source) < rule["percent"] else "else"), source)


def _bytes(length: list[int], source: Source) -> list[int]:
    return [draw >> 56 for draw in _draws(_uniform(length, source), source)]


def _digits(bounds: list[str], source: Source) -> str:
    low, high = map(int, bounds)
    return str(low + (source.getrandbits(192) * (high - low + 1) >> 192))


def _fraction(bounds: list[int], source: Source) -> float:
    low, high = bounds
    return low + _uniform([0, (1 << 24) - 1], source) / (1 << 24) * (high - low)


def _map(rule: dict[str, Any], source: Source) -> dict[str, Any]:
    count = _uniform(rule["length"], source)
    drawn = {draw(rule["key"], source): draw(rule["value"], source) for _ in range(count)}
    return dict(sorted(drawn.items()))


def _template(rule: dict[str, Any], source: Source) -> str:
    return str(rule["template"]).format_map({name: draw(part, source) for name, part in rule["parts"].items()})


def _repeat(rule: dict[str, Any], _: Source) -> str:
    return str(rule["text"]) * int(rule["count"])


def _cycle(rule: dict[str, Any], _: Source) -> list[int | float]:
    low, high, step = rule["low"], rule["high"], rule["step"]
    period = -((low - high) // step)
    return [low + step * (i % period) for i in range(rule["count"])]


def _numpy_random(rule: dict[str, int], _: Source) -> list[float]:
    import numpy as np  # imported here so that `lab list` stays quick

    numbers: list[float] = np.random.default_rng(rule["seed"]).random(rule["count"]).tolist()
    return numbers


def _mt19937_64(rule: dict[str, Any], _: Source) -> list[int] | list[float]:
    from bench.scenarios import mersenne  # which needs NumPy

    return mersenne.numbers(rule["type"], rule["seed"], rule["count"])


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
    "chance": _chance,
    "bytes": _bytes,
    "digits": _digits,
    "fraction": _fraction,
    "map": _map,
    "repeat": _repeat,
    "cycle": _cycle,
    "numpy_random": _numpy_random,
    "mt19937_64": _mt19937_64,
    "each": _each,
    "index": _index,
    "in_turn": _in_turn,
}
