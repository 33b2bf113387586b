"""A line of the ledger with the evidence under it, as values."""

from collections.abc import Iterable

from msgspec import Struct

from analysis.claims.measurements import Measurement
from analysis.claims.needs import Need
from analysis.claims.verdicts import Verdict
from analysis.statistics.estimates import Estimate


class LibraryVersions(Struct, frozen=True):
    """A library on one side of a claim: the version published and the version measured."""

    codec: str
    library: str
    published: str | None
    """None where the publication does not state it."""
    measured: str | None


class Quotation(Struct, frozen=True):
    """What the publication says, and where it says it."""

    text: str | None
    """Its own sentence; None where the claim is read from its table, whose figures then stand beside the sides."""
    title: str
    address: str | None
    """The address of its page; None where its file names none."""
    section: str | None
    """The heading under which the table or the sentence stands."""


class SideEvidence(Struct, frozen=True):
    """One of the two rows that decide a claim, as published and as measured; or its only row."""

    codec: str
    row: str
    """Its name in the publication."""
    published: float | None
    """The printed figure; None where only the ratio of the two rows is printed."""
    published_low: float | None
    published_high: float | None
    unit: str
    line: int
    """Line of the CSV file that has it."""
    cell: str | None = None
    """The measured cell with its conditions; None where none was measured. Of a size any cell of the codec."""
    time_ns: Estimate | None = None
    """Time of one repetition; None of a size, and where too few loops were calm."""
    encoded_bytes: int | None = None
    rounds: int = 0
    layouts: int = 0
    loops: int = 0
    """Timed loops of all rounds; 0 where there are no canaries."""
    calm_share: float | None = None
    """The share of its loops that were calm; None where that is unknown."""


class CompilerEvidence(Struct, frozen=True):
    """What the builds of one compiler say of a claim."""

    compiler: str
    measured: Estimate | None
    verdict: Verdict
    why: str


class Evidence(Struct, frozen=True):
    """What a verdict rests on, whole: enough to look each figure up and to measure it again."""

    quotation: Quotation
    scenario: str | None = None
    operation: str | None = None
    """None of sizes, which are the same in each operation."""
    run: str | None = None
    """The run that decides; None where none tells."""
    machine: str | None = None
    """Processor and platform of that run."""
    recorded: str | None = None
    """The date of that run."""
    floor: float | None = None
    """The share by which identical code differs in that run, in the comparison that decides."""
    allowed_low: float | None = None
    allowed_high: float | None = None
    """What the claim allows, in the unit of its figures; None without a bound on that side."""
    sides: tuple[SideEvidence, ...] = ()
    """The row and the one that it is compared with: of several the one that decides."""
    compilers: tuple[CompilerEvidence, ...] = ()
    """Where the run has builds of several compilers each of them, first the one that decides."""
    table: str | None = None
    """Path and anchor of the tables with these cells, from the repository's root."""
    site_table: str | None = None
    """The same on the site: page and anchor, to which `-` and the row's name are added."""
    command: str | None = None
    """Measures just this, with the controls."""

    @property
    def depends_on_compiler(self) -> bool:
        """Whether the builds of different compilers decide the claim differently."""
        told = {one.verdict for one in self.compilers if one.measured is not None}
        return len(told - {Verdict.UNDECIDED}) > 1


class LedgerEntry(Struct, frozen=True):
    """One line of the ledger. A statement that nothing measured tells has no figures."""

    id: str
    source: str
    platform: str
    says: str
    quote: str | None
    """The source's own sentence, where `says` does not give it word by word."""
    cell: str
    than: tuple[str, ...]
    metric: str
    unit: str
    """The unit of both figures: `x` for factors."""
    exact: bool
    """Whether its figures are sizes, which are counted; these have a score of their own."""
    published: float | None
    published_low: float | None
    published_high: float | None
    at_least: float | None
    at_most: float | None
    measured: Estimate | None
    verdict: Verdict
    why: str
    sentence: str
    """The verdict and why, in one sentence that can stand alone."""
    need: Need | None
    """What would decide an undecided claim."""
    versions: tuple[LibraryVersions, ...]
    measurements: tuple[Measurement, ...]
    """One for every run that holds the scenario; the verdict is that of the first, unless another contradicts it."""
    evidence: Evidence
    by_rule: bool = False
    """Whether the lab read it off the rows of a table, so that its publication states it in no words."""
    same_as: str | None = None
    """An earlier claim that has its verdict from the same measurement; the score counts the two once."""


FOR_READERS = (
    Verdict.REFUTED,
    Verdict.UNDECIDED,
    Verdict.SAME_DIRECTION,
    Verdict.REPRODUCED,
    Verdict.NOT_MEASURABLE,
    Verdict.NOT_MEASURED,
)
"""The order in which readers want verdicts: first those that contradict a publication."""


def for_readers(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The claims by verdict, refuted and undecided first; those of one verdict stay in their order."""
    return sorted(entries, key=lambda entry: FOR_READERS.index(entry.verdict))
