"""Which findings may be shown to everybody: a crash only when its library's authors know of it."""

from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Struct

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import Text, Version, name_of
from bench.model.findings import Finding, Fuzzed, Fuzzing, Harm

FILE = SCHEMAS / "disclosed.toml"
WITHHELD = "killed by a signal, or stopped by a sanitizer; withheld until the library's authors have had time for it"


class Disclosed(Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that is public."""

    finding: Annotated[str, name_of("[a-z0-9.-]+(/[a-z0-9.-]+)+")]
    """Its id, or the begin of the ids of several: whole parts between slashes."""
    since: Annotated[str, name_of("[0-9]{4}-[0-9]{2}-[0-9]{2}")]
    address: Text
    """Where the library's authors tell of it."""


class DisclosedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/disclosed.toml."""

    protocol: Version
    disclosed: list[Disclosed]


@cache
def disclosures(path: Path = FILE) -> DisclosedFile:
    """What the file says. Raises LabError naming file, line and field of a mistake."""
    return read_toml(path, DisclosedFile)


def is_withheld(finding: Finding, known: DisclosedFile) -> bool:
    """Whether a finding may be one of memory safety or of a denial of service that nobody has been told of."""
    begins = {"/".join(parts[:count]) for parts in [finding.id.split("/")] for count in range(1, len(parts) + 1)}
    return finding.harm is Harm.MEMORY and not any(one.finding in begins for one in known.disclosed)


def shown(result: Fuzzed, known: DisclosedFile) -> Fuzzed:
    """A result whose withheld findings are counted, without what they do and their inputs."""
    findings = [
        msgspec.structs.replace(one, problem=WITHHELD, input_hex="", recipe=None) if is_withheld(one, known) else one
        for one in result.findings
    ]
    return msgspec.structs.replace(result, findings=findings)


def public(fuzzing: Fuzzing) -> Fuzzing:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = disclosures()
    return msgspec.structs.replace(fuzzing, results=[shown(one, known) for one in fuzzing.results])
