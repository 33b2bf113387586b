"""A user's data, ready to be tried: its type, all messages as canonical JSON, and the scenario of its sample."""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from bench.base import errors
from bench.base.files import read_toml
from bench.base.paths import STATE, brief
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.base.visible import visible
from bench.datasets.fitting import Fitting, MisfitError
from bench.datasets.inference.deduction import Conflict, Deduced, deduce, untyped
from bench.datasets.inference.depth import first_too_deep
from bench.datasets.inference.shapes import MOST_FIELDS, Shape
from bench.datasets.reading.exact_json import too_deep
from bench.datasets.reading.sources import MOST_MESSAGE_BYTES, MOST_SPOOLED_BYTES, Source
from bench.datasets.strata import Sample, Sampler
from bench.model.cells import Conditions, Operation
from bench.model.scenario import Input, PublishedTable, Scenario
from bench.types.definitions import Defined, Definitions, MistakeError, TypesFile, define, load_definitions
from bench.types.expressions import Named, named_in
from bench.types.names import pascal_case
from bench.types.notation import table_of

CHUNK_BYTES = 4 << 20
"""Of messages that are given to a codec at once."""
LONGEST_SLUG = 40
MOST_CONFLICTS = 10
MAIN_CONDITIONS = Conditions(buffer="reused", input="dicts", output="owned", drop="inside", validation="on", gc="on")
"""Of a codec's cells the nearest to these is measured: what most programs do.

In Python every operation is of dicts, so that a round trip compares with its halves. Other languages have no input to
choose.
"""
REPETITIONS = 1_000
"""A pilot, and the profile quick, pass over the sample once."""


class Typed(Struct, frozen=True):
    """The types of a user's messages."""

    definitions: Definitions
    root: str
    notes: Sequence[str] = ()
    inferred: bool = False
    """Whether they follow from the messages."""

    @property
    def defined(self) -> Defined:
        """The types, checked."""
        return define(self.definitions)


class DataSet:
    """All messages of a user's data, in canonical form, in a file without a name that goes when it is closed."""

    def __init__(
        self, source: Source, typed: Typed, spool: IO[bytes], count: int, sample: Sample, *, given_bytes: int
    ) -> None:
        self.path, self.typed, self.count = source.path, typed, count
        self.notes = [*typed.notes, *source.notes]
        self._spool = spool
        self.sample = sample
        self.total_bytes = spool.tell() - count
        self.given_bytes = given_bytes
        """Of compact JSON of the messages as they were read, without keys that a message lacks."""

    def chunks(self) -> Iterator[list[bytes]]:
        """All messages, some megabytes at a time."""
        self._spool.seek(0)
        while lines := self._spool.readlines(CHUNK_BYTES):
            yield [line[:-1] for line in lines]

    def close(self) -> None:
        """Removes the file."""
        self._spool.close()

    def scenario(self, codecs: Sequence[str], name: str | None = None) -> Scenario:
        """The scenario of the sample, measured by these codecs."""
        text, rows = self.text(), len(self.sample.messages) if self.count > 1 else None
        name = name or scenario_name(self.path)
        return Scenario(
            protocol=PROTOCOL,
            name=name,
            title=f"{visible(self.path.name)}: {len(self.sample.messages):,} of {self.count:,} messages",
            source="the user's own data",
            type=self.typed.root,
            operations=[Operation.SERIALIZE, Operation.DESERIALIZE, Operation.ROUND_TRIP, Operation.ACCESS],
            data_size_bytes=len(text),
            input=Input(
                sha256=hashlib.sha256(text).hexdigest(),
                file=f"{name}.json" if rows is None else f"{name}.jsonl",
                file_rows=rows,
            ),
            published=PublishedTable(REPETITIONS, 1, MAIN_CONDITIONS, rows={codec: codec for codec in codecs}),
            types=table_of(self.typed.definitions),
        )

    def text(self) -> bytes:
        """The sample as canonical JSON or JSON Lines."""
        return b"".join(message + b"\n" for message in self.sample.messages)


def scenario_name(path: Path) -> str:
    """The name of a data set's scenario: no scenario of the lab begins so."""
    slug = re.sub(r"[^a-z0-9]+", "-", path.stem.lower())[:LONGEST_SLUG].strip("-")
    return f"try-{slug or 'data'}"


def inferred(source: Source, report: Report) -> Deduced:
    """The type of a file's messages. Raises LabError for one that is no object, and where no type has their depth."""
    report(f"reading {brief(source.path)}")
    shape = Shape(is_root=True)
    for message in source.messages():
        check_is_object(source, message.at, message.value)
        try:
            shape.observe(message.value, message.at)
        except RecursionError:
            raise source.mistake(message.at, "", str(too_deep())) from None
        if shape.objects and len(shape.objects.fields) > MOST_FIELDS:
            problem = f"the messages have more than {MOST_FIELDS:,} keys by now. Put a map of them into one key"
            raise source.mistake(message.at, "", problem)
    if not shape.seen:
        raise errors.no_messages(source.path)
    if shape.objects and not shape.objects.fields:
        raise source.mistake(shape.objects.example[1], "", "has no key, and neither has any other message")
    try:  # the message's struct comes last, and is looked at first, so that the depth of all is seen
        deduced = deduce(shape, _root_name(source.path))
        define(Definitions(dict(reversed(deduced.definitions.structs.items())), deduced.definitions.enums))
    except (MistakeError, RecursionError) as error:
        raise _undefined(source, error) from None
    return deduced


def _undefined(source: Source, error: MistakeError | RecursionError) -> errors.LabError:
    """Why messages have no type: the first that is nested too deep, else what is wrong with their types."""
    for message in source.messages():
        if place := first_too_deep(message.value):
            return source.mistake(message.at, place.path, place.problem)
    if isinstance(error, MistakeError):
        problem = f"its types cannot be: {'.'.join(error.keys)}: {error}. Write them by hand, with --type"
        return errors.bad_file(source.path, None, "", problem)
    return errors.bad_file(source.path, None, "", f"a message {too_deep()}")


def check_is_object(source: Source, at: int, value: Any) -> None:
    """Raises LabError for a message that is no object."""
    if not isinstance(value, dict):
        problem = f'{untyped(value)} is no object. Messages are objects: name the value, as in {{"value": …}}'
        raise source.mistake(at, "", problem)


def _root_name(path: Path) -> str:
    name = pascal_case(path.stem)
    return name if re.fullmatch("[A-Z][A-Za-z0-9]{0,60}", name) else "Message"


def describe(conflict: Conflict, source: Source) -> str:
    """A conflict in words: the path, two values, and where they stand."""
    sorts = (f"{one.words} ({untyped(one.value)}, {source.where(one.at)})" for one in (conflict.first, conflict.second))
    why = f"; {conflict.why}" if conflict.why else ""
    return visible(f"{conflict.path[:200]}: {' and '.join(sorts)}{why}")


def inferred_types(source: Source, report: Report) -> Typed:
    """The types of messages that have one. Raises LabError with all places where they have none."""
    deduced = inferred(source, report)
    if deduced.conflicts:
        words = [describe(conflict, source) for conflict in deduced.conflicts[:MOST_CONFLICTS]]
        if len(deduced.conflicts) > MOST_CONFLICTS:
            words.append(f"and {len(deduced.conflicts) - MOST_CONFLICTS} more")
        raise errors.not_one_type(source.path, words)
    return Typed(deduced.definitions, deduced.root, deduced.notes, inferred=True)


def given_types(path: Path, root: str | None) -> Typed:
    """The types of a file, and the struct that a message is. Raises LabError."""
    defined = load_definitions(path)
    inner = {name for one in defined.structs.values() for field in one.fields for name in named_in(field.type)}
    roots = [name for name in defined.structs if name not in inner]
    if root is not None and root not in defined.structs:
        raise errors.bad_root(path, list(defined.structs))
    if root is None and len(roots) != 1:
        raise errors.bad_root(path, roots)
    file = read_toml(path, TypesFile)
    return Typed(Definitions(file.structs, file.enums), root or roots[0])


def fitted(source: Source, typed: Typed, seed: int, report: Report) -> DataSet:
    """All messages as their type has them. Raises LabError with file, line, path and value of the first that is not."""
    report(f"checking every message of {brief(source.path)} against its type")
    fitting = Fitting(Named(typed.root), typed.defined, inferred=typed.inferred)
    sampler, count, given_bytes = Sampler(seed), 0, 0
    STATE.mkdir(parents=True, exist_ok=True)
    spool = tempfile.TemporaryFile(dir=STATE)  # noqa: SIM115 (the data set closes it)
    try:
        for message in source.messages():
            check_is_object(source, message.at, message.value)
            try:
                text = fitting.canonical(message.value)
            except MisfitError as error:
                raise source.mistake(message.at, error.path, str(error)) from None
            except RecursionError:
                raise source.mistake(message.at, "", str(too_deep())) from None
            check_bounds(source, message.at, len(text), spool.tell())
            spool.write(text + b"\n")
            sampler.offer(text)
            count += 1
            given_bytes += len(msgspec.json.encode(message.value))
        if not count:
            raise errors.no_messages(source.path)
    except BaseException:
        spool.close()
        raise
    return DataSet(source, typed, spool, count, sampler.sample(), given_bytes=given_bytes)


def check_bounds(source: Source, at: int, message_bytes: int, spooled_bytes: int) -> None:
    """Raises LabError where a message, or all so far, are more than the lab holds."""
    if message_bytes > MOST_MESSAGE_BYTES:
        problem = f"has {message_bytes >> 20:,} MiB with every key of its type, and a message may have"
        hint = "Divide it, or give a type without keys that are seldom there"
        raise source.mistake(at, "", f"{problem} {MOST_MESSAGE_BYTES >> 20} MiB. {hint}")
    if spooled_bytes + message_bytes > MOST_SPOOLED_BYTES:
        problem = f"the messages up to here have {MOST_SPOOLED_BYTES >> 30} GiB with every key of their type, the most"
        raise source.mistake(at, "", f"{problem} that `lab try` takes. Give a part of them")


def counted_kinds(definitions: Definitions) -> str:
    """A set of types in a few words."""
    kinds: Mapping[str, int] = {"struct": len(definitions.structs), "enumeration": len(definitions.enums)}
    return ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for name, number in kinds.items() if number)
