"""The notation of [input.draws]: which value a type gets, and in which order its parts are drawn.

A type without a rule is drawn over its whole range: integers, floats from 0 to 1, a coin for a bool; an option is a
coin and then what it holds; structs, tuples and arrays part by part. A rule is for a field of a struct, in the table

    [input.draws.structs.NAME.fields]

    { range = [low, high] }                                  a number of the field's type, `high` excluded; the number
                                                             of a variant of an enumeration, as an i32
    { choice = [a, b, …] }                                   one of them
    { length = [low, high], item = RULE }                    a list; its length is a usize, `high` excluded
    { template = "{a} {b}", parts = { a = RULE, b = RULE } } a text; its parts are drawn in their order, ranges as i32
    anything that is no table                                itself, drawn from nothing

The rule of an option is that of what it holds. Fields are drawn as their struct has them, or in an `order` of their
own. A struct whose fields depend on each other has a `function` of `FUNCTIONS`, and what that is given in `with`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bench.model.scenario import Draws, StructDraws
from bench.scenarios.draws import ships
from bench.scenarios.draws.pcg import outputs
from bench.scenarios.draws.rand import Rand, decimal
from bench.types.definitions import Defined
from bench.types.expressions import FLOATS, ArrayOf, ListOf, Named, OptionOf, Scalar, TupleOf, Type

Draw = Callable[[], Any]

FUNCTIONS: Mapping[str, Callable[[Rand, Mapping[str, Any]], Draw]] = {"ships-in-sight": ships.updates}

RULES = ({"range"}, {"choice"}, {"length"}, {"length", "item"}, {"template", "parts"})
COUNT = Scalar("i32")


def draw_value(of: Type, defined: Defined, draws: Draws) -> Any:
    """A value of a type. Raises ValueError for a rule that does not fit its type."""
    return _Drawer(defined, draws).drawn(of, None)()


class _Drawer:
    """Makes functions that draw values of a type, each a draw from one generator."""

    def __init__(self, defined: Defined, draws: Draws) -> None:
        self._defined, self._structs = defined, draws.structs
        self._rand = Rand(outputs(draws.state, draws.stream))

    def drawn(self, of: Type, rule: Any) -> Draw:
        """A function that draws values of a type by a rule; by none, over its whole range."""
        if isinstance(of, OptionOf):
            return self._option(self.drawn(of.item, rule))
        if rule is None:
            return self._any(of)
        if not isinstance(rule, dict):
            return lambda: rule
        if rule.keys() not in RULES:
            raise ValueError(f"{rule!r:.80} is no rule of a draw: see bench/scenarios/draws/rules.py")
        if "choice" in rule:
            options = rule["choice"]
            return lambda: self._rand.choice(options)
        if "template" in rule:
            return self._template(rule["template"], rule["parts"])
        if "length" in rule and isinstance(of, ListOf):
            return self._list(rule["length"], self.drawn(of.item, rule.get("item")))
        if "range" in rule and isinstance(of, Scalar | Named):
            return self._range(of, *rule["range"])
        raise ValueError(f"{rule!r:.80} does not fit {of}")

    def _any(self, of: Type) -> Draw:
        rand = self._rand
        match of:
            case Scalar("f32"):
                return lambda: decimal(rand.any("f32"))
            case Scalar(name) if name not in ("string", "bytes"):
                return lambda: rand.any(name)
            case Named(name) if name in self._defined.structs:
                return self._struct(name)
            case ArrayOf(item, length):
                return self._each([self.drawn(item, None)] * length)
            case TupleOf(items):
                return self._each([self.drawn(item, None) for item in items])
        raise ValueError(f"{of} needs a rule of its own")

    def _struct(self, name: str) -> Draw:
        draws, types = self._structs.get(name, StructDraws()), self._defined.structs[name].fields
        if draws.function is not None:
            if draws.function not in FUNCTIONS:
                raise ValueError(f"{draws.function!r} is no function that draws; there are {', '.join(FUNCTIONS)}")
            return FUNCTIONS[draws.function](self._rand, draws.given)
        names = [field.name for field in types]
        if wrong := {*draws.fields, *draws.order} - {*names}:
            raise ValueError(f"{min(wrong)!r} is not a field of {name}")
        if draws.order and sorted(draws.order) != sorted(names):
            raise ValueError(f"the order of {name} names each of its fields once")
        rules = {field.name: self.drawn(field.type, draws.fields.get(field.name)) for field in types}
        if not draws.order:
            return lambda: {name: draw() for name, draw in rules.items()}
        ordered = [(name, rules[name]) for name in draws.order]

        def draw_in_order() -> dict[str, Any]:
            drawn = {name: draw() for name, draw in ordered}
            return {name: drawn[name] for name in names}

        return draw_in_order

    def _option(self, inner: Draw) -> Draw:
        return lambda: inner() if self._rand.chance(0.5) else None

    def _each(self, parts: list[Draw]) -> Draw:
        return lambda: [draw() for draw in parts]

    def _list(self, length: list[int], item: Draw) -> Draw:
        low, high = length
        return lambda: [item() for _ in range(self._rand.within("u64", low, high))]

    def _range(self, of: Scalar | Named, low: float, high: float) -> Draw:
        rand = self._rand
        if of.name in self._defined.enums:
            variants = [variant.name for variant in self._defined.enums[of.name].variants]
            return lambda: variants[rand.within("i32", int(low), int(high))]
        if of == Scalar("f32"):
            return lambda: decimal(rand.between("f32", low, high))
        if of.name in FLOATS:
            return lambda: rand.between(of.name, low, high)
        return lambda: rand.within(of.name, int(low), int(high))

    def _template(self, text: str, parts: Mapping[str, Any]) -> Draw:
        draws = {name: self.drawn(COUNT, rule) for name, rule in parts.items()}
        return lambda: text.format_map({name: draw() for name, draw in draws.items()})
