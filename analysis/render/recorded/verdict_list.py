"""The verdicts as Markdown: the score of each publication, the claims that did not hold, those of one scenario."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from analysis.base.anchors import scenario_file
from analysis.base.text import count, plural
from analysis.claims.identity.same_work import PROGRAMS_DIFFER
from analysis.claims.ledger_entry import FOR_READERS, LedgerEntry, for_readers
from analysis.claims.verdicts import Verdict
from analysis.render.claims_grid import SIZES, counted, sizes
from analysis.render.terminal import escape

LISTED_BYTES = 1_200
"""Of the undecided claims, as many as this are listed on a page for all scenarios."""
RUN_NAME = r"\b\d{8}T\d{6}Z-\w+-\w+-[0-9a-f]{6}\b"
RUN_NAMES = re.compile(f"{RUN_NAME}(?:, {RUN_NAME})*")
MARK = "†"
SIZE = "size"
CLAIMS = "Claims"
"""The heading of the claims on a scenario's page."""


def publications_table(entries: Sequence[LedgerEntry], titles: Mapping[str, str]) -> str:
    """The number of claims of each publication by verdict; sizes, which are exact, apart."""
    names = [*(verdict.value for verdict in FOR_READERS), SIZES]
    lines = [f"| Publication | {' | '.join(names)} |", f"| :-- | {' | '.join('--:' for _ in names)} |"]
    for source, group in groupby(entries, key=lambda entry: entry.source):
        held = list(group)
        verdicts = Counter(entry.verdict for entry in counted(held))
        cells = [
            escape(titles[source], in_table=True),
            *(str(verdicts[one] or "–") for one in FOR_READERS),
            sizes(held) or "–",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def not_held(entries: Iterable[LedgerEntry], written: Iterable[str]) -> list[str]:
    """The refuted claims, each with its sentence, then the undecided ones by reason; of these no more than a size.

    `written`: the scenarios that have a page, to which the claims link.
    """
    own = [entry for entry in entries if entry.same_as is None]
    refuted = [entry for entry in own if entry.verdict is Verdict.REFUTED]
    undecided = [entry for entry in own if entry.verdict is Verdict.UNDECIDED]
    parts = [f"### {_number(Verdict.REFUTED, refuted)}"]
    if refuted:
        parts.append("\n".join(_by_scenario(refuted, set(written))))
    if undecided:
        lead = "Their scenarios' pages say what would decide each."
        parts += [f"### {_number(Verdict.UNDECIDED, undecided)}", lead, "\n".join(_by_reason(undecided))]
    return parts


def _number(verdict: Verdict, entries: Sequence[LedgerEntry]) -> str:
    """`Refuted: 15 claims and 4 sizes`."""
    exact = sum(1 for entry in entries if entry.exact)
    also = f" and {plural(exact, SIZE)}" if exact else ""
    return f"{verdict.value.capitalize()}: {plural(len(entries) - exact, 'claim')}{also}"


def _by_reason(entries: Sequence[LedgerEntry]) -> list[str]:
    """A list of reasons, each with the claims that it leaves undecided; those beyond a size are counted."""
    groups: dict[str, list[str]] = {}
    left = LISTED_BYTES
    for entry in entries:
        reason, told = _briefly(_without_figures(entry.why.partition("; ")[0])), escape(entry.says)
        left -= len(told.encode())
        if left >= 0:
            groups.setdefault(reason, []).append(told)
    lines = [f"- {escape(reason[:1].upper() + reason[1:])}: {'; '.join(told)}." for reason, told in groups.items()]
    if more := len(entries) - sum(map(len, groups.values())):
        lines.append(f"\n{count(more)} more {'stands' if more == 1 else 'stand'} on the pages of their scenarios.")
    return lines


def _without_figures(reason: str) -> str:
    """A reason as several claims have it: what differs from claim to claim stands on the pages."""
    reason = re.sub(r" \([\d.]+ %\)|^against \S+: ", "", reason)
    if PROGRAMS_DIFFER in reason:
        return "the program of the publication and the lab's differ in instructions by more than the two rows in time"
    return reason


def _briefly(text: str) -> str:
    """Its runs by the last six characters of their names, which stand whole in the page's list of runs."""

    def short(names: re.Match[str]) -> str:
        ends = [name[-6:] for name in names[0].split(", ")]
        return f"{'runs' if ends[1:] else 'run'} {', '.join(ends)}"

    return RUN_NAMES.sub(short, text)


def scenario_claims(entries: Iterable[LedgerEntry]) -> list[str]:
    """The claims of one scenario by verdict, each with its sentence and its name; those not measured are folded."""
    parts = []
    for verdict, group in groupby(for_readers(entries), key=lambda entry: entry.verdict):
        held = list(group)
        told, title = "\n".join(map(_named, held)), f"{verdict.value.capitalize()}: {count(len(held))}"
        if verdict is Verdict.NOT_MEASURED:
            parts += [f"<details>\n<summary>{title}</summary>", told, "</details>"]
        else:
            parts += [f"### {title}", told]
    return parts


def why(entry: LedgerEntry) -> str:
    """Its sentence without the verdict, which stands in the heading."""
    return escape(_reasons(entry))


def _reasons(entry: LedgerEntry) -> str:
    return entry.sentence.removeprefix(f"{entry.verdict.value}: ")


def _by_scenario(entries: Sequence[LedgerEntry], pages: set[str]) -> list[str]:
    """A list of scenarios, each with the list of its claims; claims of none stand under their publication.

    A remark that several claims end with stands below the list, once.
    """
    groups: dict[str, list[str]] = {}
    remark = _common_remark(entries)
    for entry in entries:
        about = entry.evidence.scenario or entry.evidence.quotation.title
        told = _told(entry)
        if remark and told.endswith(end := f"; {remark}."):
            told = f"{told.removesuffix(end)}.{MARK}"
        groups.setdefault(about, []).append(f"  - {told}")
    lines = []
    for scenario, listed in groups.items():
        linked = scenario in pages
        lines += [f"- [{scenario}]({scenario_file(scenario)}#{CLAIMS.lower()})" if linked else f"- {scenario}", *listed]
    return [*lines, f"\n{MARK} {remark[0].upper()}{remark[1:]}."] if remark else lines


def _common_remark(entries: Iterable[LedgerEntry]) -> str | None:
    """The remark that more claims end with than with any other; None where no two end alike."""
    remarks = Counter(parts[-1] for entry in entries if len(parts := why(entry).split("; ")) > 1)
    ((remark, times),) = remarks.most_common(1) or [("", 0)]
    return remark if times > 1 else None


def _told(entry: LedgerEntry) -> str:
    return f"**{escape(entry.says)}**: {escape(_briefly(_reasons(entry)))}."


def _named(entry: LedgerEntry) -> str:
    same = f"; of the same cells as `{entry.same_as}`" if entry.same_as else ""
    return f"- **{escape(entry.says)}** (`{entry.id}`): {why(entry)}{same}."
