"""Asks every codec what it reads of a message that was written with another version of its schema."""

from collections.abc import Iterable
from typing import Any

from bench.base.supervision import side_by_side
from bench.building.runner import DEADLINE_S, Runner, RunnerError, problem_of
from bench.model.proof.evolved import WRITER_FAILED, Evolved, Outcome
from bench.proof.changes import Change, Changes, Direction
from bench.proof.containment import MALFORMED
from bench.types.definitions import Defined
from bench.types.expressions import ArrayOf, ListOf, MapOf, Named, OptionOf, Scalar, Type
from bench.types.type_set import FieldType
from bench.types.values import Number, first_difference, parse_canonical

PRINTED_BYTES = 1 << 20
NO_MESSAGE = b"\xff" * 16
"""Bytes that no format can take for a part of a message: behind one, they show whether a codec looks there."""

Task = tuple[Runner, Change, Direction]


def evolved(runners: Iterable[Runner], changes: Changes, workers: int) -> list[Evolved]:
    """Every codec, change and direction for which it has both schemas; in the order of codecs and changes."""
    tasks = [
        (runner, change, direction)
        for runner in runners
        for change in changes.all
        if change.asks(runner.codec, runner.description.format)
        for direction in Direction
        if {change.writer(direction), change.reader(direction)} <= schemas_of(runner)
    ]
    return side_by_side(lambda task: _evolved(task, changes), tasks, workers)


def schemas_of(runner: Runner) -> set[str]:
    """The schemas that a program knows. Raises RunnerError."""
    return {cell.scenario for cell in runner.description.cells}


def _evolved(task: Task, changes: Changes) -> Evolved:
    runner, change, direction = task
    message = change.exchanged(direction)
    wrote = changes.canonical(change.writer(direction), message.writes)
    kind = changes.type_of(change.reader(direction))
    outcome, read, problem = _outcome(task, changes, wrote, kind)
    honest = outcome is (Outcome.REFUSED if message.reads is None else Outcome.RIGHT)
    return Evolved(
        codec=runner.codec,
        change=change.name,
        direction=direction.value,
        outcome=outcome,
        honest=honest,
        wrote=wrote.decode(),
        read=None if read is None else read.decode(errors="replace").rstrip("\n"),
        problem=problem,
    )


def _outcome(task: Task, changes: Changes, wrote: bytes, kind: Type) -> tuple[Outcome, bytes | None, str | None]:
    runner, change, direction = task
    try:
        encoded = runner.encode(change.writer(direction), wrote)
    except RunnerError as error:
        return Outcome.CRASH, None, f"{WRITER_FAILED}{error}"
    done = runner.ended(
        [*runner.command, "decode", "--scenario", change.reader(direction)], encoded, DEADLINE_S, PRINTED_BYTES
    )
    said = " ".join(done.messages.split())[-300:] or None
    if done.code == MALFORMED:
        return Outcome.REFUSED, None, said
    if done.code != 0:
        return Outcome.CRASH, None, " ".join((problem_of(done, DEADLINE_S, PRINTED_BYTES) or "").split())
    reads = change.exchanged(direction).reads
    right = None if reads is None else _parsed(changes.canonical(change.reader(direction), reads))
    try:
        read = _parsed(done.stdout)
    except (ValueError, RecursionError):
        return Outcome.CRASH, done.stdout, "it printed no canonical JSON"
    if right is not None and (problem := first_difference(kind, changes.defined, right, read)) is None:
        try:
            again = runner.encode(change.reader(direction), done.stdout)
        except RunnerError as error:
            return Outcome.CRASH, done.stdout, f"it does not encode what it read: {error}"
        drops = len(again) < len(encoded) and encoded.startswith(again) and _takes_anything(task, again, done.stdout)
        return (Outcome.DROPPED if drops else Outcome.RIGHT), done.stdout, None
    if right is None:
        problem = "no value is right here"
    written = changes.type_of(change.writer(direction)), _parsed(wrote)
    if _is_default(changes.defined, (kind, read), right, written):
        return Outcome.DEFAULT, done.stdout, problem
    return Outcome.WRONG, done.stdout, problem


def _takes_anything(task: Task, message: bytes, value: bytes) -> bool:
    """Whether the reader reads the same of a message that is followed by what can be no part of one."""
    runner, change, direction = task
    try:
        return runner.decode(change.reader(direction), message + NO_MESSAGE) == value
    except RunnerError:
        return False


def _parsed(canonical: bytes) -> Any:
    return parse_canonical(canonical, rows=False)[0]


Typed = tuple[Type, Any]


def _is_default(defined: Defined, read: Typed, right: Any, wrote: Typed) -> bool:
    """Whether a value is what was written, but for fields that were not, which are zero, empty or nothing."""
    (kind, value), (source, given) = read, wrote
    kind, source = _inner(kind, value), _inner(source, given)
    if isinstance(kind, Named) and isinstance(source, Named) and kind.name in defined.structs:
        there = {field.name: field.type for field in defined.structs[source.name].fields}
        wanted = right if isinstance(right, dict) else {}
        return all(
            _is_default_field(defined, field, value[field.name], wanted.get(field.name), (there, given))
            for field in defined.structs[kind.name].fields
        )
    if isinstance(kind, ListOf) and isinstance(source, ListOf) and len(value) == len(given):
        rights = right if isinstance(right, list) else [None] * len(value)
        each = zip(value, rights, given, strict=True)
        return all(_is_default(defined, (kind.item, one), good, (source.item, old)) for one, good, old in each)
    expected = given if right is None and type(source) is type(kind) else right
    return expected is not None and first_difference(kind, defined, expected, value) is None


def _is_default_field(
    defined: Defined, field: FieldType, value: Any, wanted: Any, wrote: tuple[dict[str, Type], Any]
) -> bool:
    there, given = wrote
    if given.get(field.name) is None and _is_nothing(defined, field.type, value):
        return True
    if field.name not in there:
        return wanted is not None and first_difference(field.type, defined, wanted, value) is None
    return _is_default(defined, (field.type, value), wanted, (there[field.name], given[field.name]))


def _inner(of: Type, value: Any) -> Type:
    return of.item if isinstance(of, OptionOf) and value is not None else of


def _is_nothing(defined: Defined, of: Type, value: Any) -> bool:
    """Whether a value is what a format takes for a field that is not there: zero, empty, nothing, the first variant."""
    match of:
        case OptionOf(item):
            return value is None or _is_nothing(defined, item, value)
        case Scalar("bool"):
            return value is False
        case Scalar("string" | "bytes"):
            return bool(value == "")
        case Scalar(_):
            return isinstance(value, Number) and float(value) == 0
        case ListOf() | MapOf() | ArrayOf():
            return not value
        case Named(name) if name in defined.enums:
            return bool(value == defined.enums[name].variants[0].name)
        case Named(name):
            return all(_is_nothing(defined, field.type, value[field.name]) for field in defined.structs[name].fields)
    return False
