"""Which findings may be shown to everybody: a crash only when its library's authors know of it."""

from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import Text, Version, name_of
from bench.model.findings import Finding, Fuzzed, Fuzzing, Harm, is_crash
from bench.model.proof.conformance import Conformance, Conformed, Verdict

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


def is_disclosed(id_: str, known: DisclosedFile) -> bool:
    """Whether the authors of a library know of what has this id."""
    begins = {"/".join(parts[:count]) for parts in [id_.split("/")] for count in range(1, len(parts) + 1)}
    return any(one.finding in begins for one in known.disclosed)


def is_withheld(finding: Finding, known: DisclosedFile) -> bool:
    """Whether a finding may be one of memory safety or of a denial of service that nobody has been told of."""
    return finding.harm is Harm.MEMORY and not is_disclosed(finding.id, known)


def shown(result: Fuzzed, known: DisclosedFile) -> Fuzzed:
    """A result whose withheld findings are counted, without what they do and their inputs."""
    findings = [
        replace(one, problem=WITHHELD, input_hex="", recipe=None) if is_withheld(one, known) else one
        for one in result.findings
    ]
    return replace(result, findings=findings)


def public(fuzzing: Fuzzing) -> Fuzzing:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = disclosures()
    return replace(fuzzing, results=[shown(one, known) for one in fuzzing.results])


def conformed(result: Conformed, known: DisclosedFile) -> Conformed:
    """A result whose crashes are counted, without their cases, unless LANGUAGE/CODEC/SUITE is disclosed."""
    if is_disclosed(f"{result.codec}/{result.suite}", known):
        return result
    deviations = [
        replace(one, case="withheld", input_bytes=0, input_hex="", came=WITHHELD)
        if one.verdict is Verdict.CRASH and is_crash(one.came)
        else one
        for one in result.deviations
    ]
    return replace(result, deviations=deviations)


def public_conformance(conformance: Conformance) -> Conformance:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = disclosures()
    return replace(conformance, results=[conformed(one, known) for one in conformance.results])
