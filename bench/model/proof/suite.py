"""A suite of cases that a format's community keeps, as schemas/conformance.toml names it."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from bench.model.fields import Count, FormatName, Positive, Sha256, Text, Version, name_of

SuiteName = Annotated[str, name_of("[a-z0-9][a-z0-9-]*")]
Commit = Annotated[str, name_of("[0-9a-f]{40}")]


class Registry(StrEnum):
    """Who serves a package, and so which client fetches it."""

    NPM = "npm"
    CRATES = "crates"


class Package(Struct, frozen=True, forbid_unknown_fields=True):
    """A package of a registry that holds a suite, or a part of one."""

    registry: Registry
    name: Text
    version: Text
    sha256: Sha256
    """The hash of its archive."""
    files: Text
    """The file in it that is read, or the folder whose files are."""


class Checkout(Struct, frozen=True, forbid_unknown_fields=True):
    """A git checkout that the user brings, as a folder of this name below LAB_SOURCES."""

    name: Text
    commit: Commit
    files: Text
    """The folder in it whose files are read."""


class SystemLibraries(Struct, frozen=True, forbid_unknown_fields=True):
    """The system's libraries as a program of a suite needs them, where those of the machine are older."""

    packages: dict[Text, Sha256]
    """Debian packages, which the user puts below LAB_SOURCES, by file."""
    loader: Text
    """The program in them that starts others with these libraries."""
    folder: Text
    """Where the libraries are in them."""


class Judge(Struct, frozen=True, forbid_unknown_fields=True):
    """The program of a suite that judges codecs itself: it asks a program of the codec's over pipes."""

    programs: dict[Text, Text]
    """Operating system and processor → the program's file in the suite's package."""
    options: list[Text]
    cases: Positive
    """How many cases it has for what the lab measures."""
    skipped_cases: Count
    """How many others it has in the same totals, which testees skip."""
    schemas: Text
    """The folder of its package that holds the schemas of its messages."""
    describe_command: list[Text]
    """A Python program and its words, which describes them in one file, in the folder of the package."""
    descriptors: Text
    """That file."""
    recommended: Text
    """How the names begin of the cases that it recommends and does not require."""
    phrases: dict[Text, Text]
    """What it says of a case → what came of it; of several phrases the first that it says, else it is another value."""
    libraries: dict[Text, SystemLibraries] = {}
    """By operating system and processor."""


class TypedText(Struct, frozen=True, forbid_unknown_fields=True):
    """An input that is a text in an encoding."""

    text: Text
    encoding: Text


class Suite(Struct, frozen=True, forbid_unknown_fields=True):
    """A suite: where it comes from, and how it is read."""

    title: Text
    about: Text
    edition: Text
    licence: Text
    formats: Annotated[list[FormatName], Meta(min_length=1)]
    reader: Text | None = None
    """The function in bench/proof/suites/readers.py that makes cases of its files; None if its own program judges."""
    packages: list[Package] = []
    checkout: Checkout | None = None
    vectors: Text | None = None
    """The file below schemas that holds its cases, typed anew."""
    scenario: Text | None = None
    """The scenario whose messages its inputs are, for codecs that check them; None where they have no type."""
    given: bool = False
    """Whether only the user can bring it: `lab conformance --folder SUITE=PATH` names its folder."""
    fields: dict[Text, Text] = {}
    """What a reader looks for in its files, and the names that these have for it."""
    listed: Text | None = None
    """The file that lists which of its files belong to the edition."""
    one_number: bool = False
    """Whether an integer and a float of the same value are the same."""
    open: dict[Text, Text] = {}
    """Inputs, in hexadecimal, or names of cases, that it judges though the specification leaves them open, and where it
    does."""
    texts: dict[Text, TypedText] = {}
    """Inputs that no package has as bytes."""
    judge: Judge | None = None
    """Its own program, in its first package, if that asks and judges."""


class SuiteFile(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/conformance.toml."""

    protocol: Version
    suites: dict[SuiteName, Suite]


class Refused(Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs that a specification calls malformed, and why."""

    reason: Text
    inputs: Text
    """In hexadecimal, between spaces."""


class Vectors(Struct, frozen=True, forbid_unknown_fields=True):
    """Examples of a specification, typed anew."""

    protocol: Version
    accept: dict[Text, Text]
    """Encoding in hexadecimal, and its value in the notation of schemaless values."""
    refuse: list[Refused]
