"""The data of all pages, from the reports of any number of runs."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analysis.base.anchors import site_page
from analysis.claims.ledger_entry import LedgerEntry
from analysis.claims.machines.machine_verdicts import ClaimOnMachines
from analysis.claims.orders import ColumnOrder
from analysis.data.judged.extras import Extras
from analysis.data.select import runs_by_scenario
from analysis.data.summaries import Summary
from analysis.render.codec_source import folder_links
from analysis.site.blocks import slug
from analysis.tables.counts.footprints import FootprintTable
from analysis.tables.reports import RunReport, ScenarioReport
from analysis.tables.trust.answered import Answers


class CodecFacts(Struct, frozen=True):
    """What is known of a codec independent of any machine."""

    codec: str
    format: str
    libraries: tuple[str, ...]
    self_describing: bool
    control: bool

    @property
    def language(self) -> str:
        """The first part of its name."""
        return self.codec.partition("/")[0]

    @property
    def page(self) -> str:
        """Name of its page."""
        return f"codec-{slug(self.codec)}"

    @property
    def tags(self) -> dict[str, str]:
        """What tables can be filtered by."""
        kind = "control" if self.control else self.format
        return {"language": self.language, "format": kind}


class Lab(Struct, frozen=True, eq=False):
    """Runs and everything derived from them; `runs` in the order of `precedence`."""

    runs: tuple[RunReport, ...]
    summaries: Mapping[str, Sequence[Summary]]
    """Run → its cells."""
    extras: Mapping[str, Extras]
    """Run → what stands beside it."""
    answers: Answers
    footprints: FootprintTable
    """What codecs answered in any run."""
    ledger: tuple[LedgerEntry, ...]
    rankings: tuple[ColumnOrder, ...]
    titles: Mapping[str, str]
    """Publication → its title."""
    codecs: Mapping[str, CodecFacts]
    """Every codec of every run, in the order of names."""
    scenarios: Mapping[str, Sequence[tuple[RunReport, ScenarioReport]]]
    """Scenario → the runs that hold it, first the one that represents it."""
    on_machines: tuple[ClaimOnMachines, ...] = ()
    """The claims that a machine measured; first those that machines disagree about."""
    repository: str = ""
    """The address of the lab's repository on the web, if pages are to link to it."""

    def cells_of(self, run: RunReport, scenario: str) -> list[Summary]:
        """The cells of a scenario in a run."""
        return [one for one in self.summaries[run.run.id] if one.scenario == scenario]

    @property
    def links(self) -> dict[str, str]:
        """Text of a table's cell → the page that it links to."""
        codecs = {name: f"{facts.page}.html" for name, facts in self.codecs.items()}
        scenarios = {name: f"{scenario_page(name)}.html" for name in self.scenarios}
        claims = {entry.id: f"ledger.html#claim-{slug(entry.id)}" for entry in self.ledger}
        runs = [report.run for report in self.runs]
        return {**codecs, **scenarios, **claims, **folder_links(self.repository, self.codecs, runs)}


def codecs_of(runs: Sequence[RunReport]) -> dict[str, CodecFacts]:
    """Every codec of the runs; for one in several, the first run's facts count."""
    facts: dict[str, CodecFacts] = {}
    for report in reversed(runs):
        for planned in report.run.plan.cells:
            known = facts.get(planned.cell.codec)
            library = f"{planned.library} {planned.version}" if planned.library else None
            libraries = known.libraries if known else ()
            if library and library not in libraries:
                libraries = (*libraries, library)
            facts[planned.cell.codec] = CodecFacts(
                planned.cell.codec, planned.format, libraries, planned.self_describing, planned.control
            )
    return dict(sorted(facts.items()))


def scenarios_of(reports: Sequence[RunReport]) -> dict[str, list[tuple[RunReport, ScenarioReport]]]:
    """Scenario → the runs that hold it, first the one that represents it."""
    of_run = {report.run.id: report for report in reports}
    return {
        name: [(of_run[run.run.id], of_run[run.run.id].of(name)) for run, _ in holding]
        for name, holding in runs_by_scenario(report.cells for report in reports).items()
    }


def scenario_page(name: str) -> str:
    """Name of a scenario's page."""
    return site_page(name)
