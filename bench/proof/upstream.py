"""Public issues of libraries about what the lab finds, and which findings may be shown.

A crash, a hang and memory out of proportion are shown only where an issue tells of them: they stop other people's
servers.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from bench.base import errors
from bench.base.files import read_toml
from bench.base.paths import SCHEMAS
from bench.model.fields import Text, Version, name_of
from bench.model.findings import Fact, Fidelity, Finding, Fuzzed, Fuzzing, Harm, harm_of
from bench.model.proof.conformance import Conformance, Conformed, Deviation, Verdict
from bench.model.proof.evolved import WRITER_FAILED, Evolution, Evolved, Outcome

FILE = SCHEMAS / "upstream.toml"
UNTIL = "withheld until the library's authors have had time for it"
WITHHELD = {
    Harm.MEMORY: f"killed by a signal, or stopped by a sanitizer; {UNTIL}",
    Harm.EXHAUSTION: f"took time or memory out of proportion, or overflowed its stack; {UNTIL}",
}
"""What stands in place of a problem; of it the harm is told as of the problem."""
CASE = "withheld"
"""What stands in place of the name of a case."""


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
    problem: Text = ""
    """A regular expression. Of a class, it tells of the findings whose problem this finds; without it of no crash, hang
    or memory use, since the next one of that class may be another."""


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
        own = self.about(finding.codec, library, (finding.class_, finding.id))
        return [one for one in own if finding.id in one.about or _tells_of(one, finding.problem)]


def _tells_of(issue: Issue, problem: str) -> bool:
    """Whether an issue about a whole class tells of a problem."""
    return bool(re.search(issue.problem, problem)) if issue.problem else harm_of(problem) not in WITHHELD


@cache
def upstream(path: Path = FILE) -> UpstreamFile:
    """What the file says. Raises LabError naming file, line and field of a mistake."""
    file = read_toml(path, UpstreamFile)
    for number, one in enumerate(file.issues):
        try:
            re.compile(one.problem)
        except re.error as error:
            raise errors.bad_file(path, None, f"issues.{number}.problem", f"no regular expression: {error}") from None
    return file


def is_withheld(finding: Finding, library: str | None, known: UpstreamFile) -> bool:
    """Whether a finding is one of memory safety, or of a denial of service, that no issue tells of."""
    return finding.harm in WITHHELD and not known.of_finding(finding, library)


def shown(result: Fuzzed, known: UpstreamFile) -> Fuzzed:
    """A result whose withheld findings are counted, without what they do and their inputs."""
    findings = [
        replace(one, problem=WITHHELD[one.harm], input_hex="", recipe=None)
        if is_withheld(one, result.library, known)
        else one
        for one in result.findings
    ]
    return replace(result, findings=findings)


def public(fuzzing: Fuzzing) -> Fuzzing:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = upstream()
    return replace(fuzzing, results=[shown(one, known) for one in fuzzing.results])


def shown_suite(result: Conformed, known: UpstreamFile) -> Conformed:
    """A result whose crashes, hangs and memory use are counted, without their cases, unless an issue tells of the
    suite."""
    if known.about(result.codec, result.library, (result.suite,)):
        return result
    return replace(result, deviations=[_shown_deviation(one) for one in result.deviations])


def _shown_deviation(one: Deviation) -> Deviation:
    harm = Harm.EXHAUSTION if one.verdict is Verdict.HANG else harm_of(one.came)
    if one.verdict not in (Verdict.CRASH, Verdict.HANG) or harm not in WITHHELD:
        return one
    return replace(one, case=CASE, input_bytes=0, input_hex="", came=WITHHELD[harm])


def public_conformance(conformance: Conformance) -> Conformance:
    """What may be recorded and shown to everybody. Raises LabError."""
    known = upstream()
    return replace(conformance, results=[shown_suite(one, known) for one in conformance.results])


def public_fidelity(fidelity: Fidelity) -> Fidelity:
    """The same of special values. No library is recorded of them, so no issue is looked for."""
    return replace(fidelity, facts=[_shown_fact(one) for one in fidelity.facts])


def _shown_fact(one: Fact) -> Fact:
    harm = harm_of(one.error or "")
    if one.outcome != "failed" or harm not in WITHHELD:
        return one
    return replace(one, probe=CASE, sent=None, got=None, error=WITHHELD[harm])


def public_evolution(evolution: Evolution) -> Evolution:
    """The same of changed schemas, of which issues are not about."""
    return replace(evolution, results=[_shown_exchange(one) for one in evolution.results])


def _shown_exchange(one: Evolved) -> Evolved:
    harm = harm_of((one.problem or "").removeprefix(WRITER_FAILED))
    if one.outcome is not Outcome.CRASH or harm not in WITHHELD:
        return one
    return replace(one, change=CASE, wrote="", read=None, problem=WITHHELD[harm])
