"""The text of a report of one finding, for the authors of a library."""

from collections.abc import Iterator, Sequence

from analysis.sources.maintenance import Channel
from bench.model.findings import Finding, Fuzzed, Harm
from bench.model.proof.malformed_rules import ANY, RANDOM
from bench.proof.upstream import Issue

HEX_SHOWN = 512
"""Digits of an input that stand in a report as they are."""
NOT_LOOKED_UP = "report this in private: see the security policy of its repository"
NO_CHANNEL = "no private channel is published; ask the maintainers for one, in an issue without details"
HARM = {
    Harm.MEMORY: "The program ended by a signal, or a sanitizer stopped it.",
    Harm.WRONG_VALUE: "The library accepts the input and gives a wrong value.",
    Harm.EXHAUSTION: "The library does not end, overflows its stack, or takes memory out of proportion to the input.",
    Harm.SPECIFICATION: "The library does not do what the format's specification says.",
    Harm.OTHER: "The library fails in another way than by an error that its caller can handle.",
}


def finding_report(
    finding: Finding, result: Fuzzed, channel: Channel | None, command: str, issues: Sequence[Issue] = ()
) -> str:
    """The report as Markdown. `channel`: what is known of the library's private one; `command`: the runner's; `issues`:
    those in public that tell of it."""
    return "\n".join(_lines(finding, result, channel, command, issues))


def _lines(
    finding: Finding, result: Fuzzed, channel: Channel | None, command: str, issues: Sequence[Issue]
) -> Iterator[str]:
    library = f"{result.library} {result.version}" if result.library else finding.codec
    if issues:
        yield f"**Known already:** {'; '.join(f'{one.address} ({one.since}): {one.says}' for one in issues)}."
        yield ""
    elif finding.harm in (Harm.MEMORY, Harm.EXHAUSTION):
        yield f"**Not in public:** {_where(channel)}."
        yield ""
    yield f"# {library}: {finding.class_} ({finding.harm})"
    yield ""
    yield f"{HARM[finding.harm]} Finding `{finding.id}`, of the codec `{finding.codec}`."
    yield ""
    what = "a value of any type" if finding.scenario == ANY else f"the type of the scenario `{finding.scenario}`"
    yield f"**Input**, read as {what}:"
    yield ""
    yield from _code(finding)
    yield ""
    yield f"**What happened:** {finding.problem}"
    yield ""
    said = finding.specification or "nothing that the lab knows of; an error that the caller can handle is always right"
    yield f"**What the specification says:** {said}"
    yield ""
    yield "**To see it again:**"
    yield ""
    yield "```sh"
    yield from _commands(finding, result, command)
    yield "```"


def _where(channel: Channel | None) -> str:
    """Where the authors want to be told, with what says so."""
    if channel is None:
        return NOT_LOOKED_UP
    where = f"report this in private: {channel.report_to}" if channel.report_to else NO_CHANNEL
    return f"{where} ({'; '.join(filter(None, [channel.source, channel.note]))})"


def _code(finding: Finding) -> Iterator[str]:
    if finding.recipe is None and len(finding.input_hex) <= HEX_SHOWN:
        yield f"    {finding.input_hex or '(no byte)'}"
    elif finding.recipe is None:
        yield f"    {finding.input_hex[:HEX_SHOWN]}…  ({len(finding.input_hex) // 2:,} bytes; --input FILE writes them)"
    else:
        yield "```python"
        yield finding.recipe
        yield "```"


def _commands(finding: Finding, result: Fuzzed, command: str) -> Iterator[str]:
    of_type = f"--type {ANY}" if finding.scenario == ANY else f"--scenario {finding.scenario}"
    yield f"./lab report-finding {finding.id} --input input.bin"
    yield f"{command} decode {of_type} < input.bin"
    scenario = "" if finding.scenario == ANY else f" {finding.scenario} "
    random = f" --seed {result.seed}" if finding.class_ == RANDOM else ""
    yield f"./lab fuzz -f '^{finding.codec}{scenario}' --class {finding.class_}{random}"
