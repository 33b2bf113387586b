"""Public issues of libraries about what the lab finds, and which findings may be shown: a crash only with an issue."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import Text, Version, name_of
from bench.model.findings import Finding, Fuzzed, Fuzzing, Harm, is_crash
from bench.model.proof.conformance import Conformance, Conformed, Verdict

FILE = SCHEMAS / "upstream.toml"
WITHHELD = "killed by a signal, or stopped by a sanitizer; withheld until the library's authors have had time for it"


class Issue(Struct, frozen=True, forbid_unknown_fields=True):
    """An issue in a library's public tracker."""

    library: Annotated[str, name_of("[a-z]+/[A-Za-z0-9_.-]+")]
    """LANGUAGE/LIBRARY; each of its codecs is meant."""
    about: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """Classes of malformed input, suites, special values, and ids of findings."""
    since: Annotated[str, name_of("[0-9]{4}-[0-9]{2}-[0-9]{2}")]
    """The day on which it was opened."""
    address: Annotated[str, name_of("https://[!-~]+")]
    says: Text


class UpstreamFile(Struct, frozen=True, forbid_unknown_fields=True):
    """schemas/upstream.toml."""

    protocol: Version
    issues: list[Issue]

    def about(self, codec: str, library: str | None, names: Iterable[str]) -> list[Issue]:
        """The issues of a codec's library that tell of one of these; `name@2` is a version line of `name`."""
        own = f"{codec.partition('/')[0]}/{(library or '').partition('@')[0]}"
        wanted = set(names)
        return [one for one in self.issues if one.library == own and not wanted.isdisjoint(one.about)]

    def of_finding(self, finding: Finding, library: str | None) -> list[Issue]:
        """The issues that tell of a finding of `lab fuzz`."""
        return self.about(finding.codec, library, (finding.class_, finding.id))


@cache
def upstream(path: Path = FILE) -> UpstreamFile:
    """What the file says. Raises LabError naming file, line and field of a mistake."""
    return read_toml(path, UpstreamFile)


def is_withheld(finding: Finding, library: str | None, known: UpstreamFile) -> bool:
    """Whether a finding may be one of memory safety or of a denial of service that nobody has been told of."""
    return finding.harm is Harm.MEMORY and not known.of_finding(finding, library)


def shown(result: Fuzzed, known: UpstreamFile) -> Fuzzed:
    """A result whose withheld findings are counted, without what they do and their inputs."""
    findings = [
        replace(one, problem=WITHHELD, input_hex="", recipe=None) if is_withheld(one, result.library, known) else one
        for one in result.findings
    ]
    return replace(result, findings=findings)


def public(fuzzing: Fuzzing) -> Fuzzing:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = upstream()
    return replace(fuzzing, results=[shown(one, known) for one in fuzzing.results])


def shown_suite(result: Conformed, known: UpstreamFile) -> Conformed:
    """A result whose crashes are counted, without their cases, unless an issue tells of the suite."""
    if known.about(result.codec, result.library, (result.suite,)):
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
    known = upstream()
    return replace(conformance, results=[shown_suite(one, known) for one in conformance.results])
