"""All that the pages are about, from the reports of any number of runs."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analysis.claims.ledger import LedgerEntry
from analysis.claims.orders import Ranking
from analysis.data.summaries import Summary
from analysis.site.blocks import slug
from analysis.tables.reports import RunReport, ScenarioReport
from bench.model.findings import Fidelity, Fuzzing
from bench.model.plan import Profile


class Extras(Struct, frozen=True):
    """What lies beside a run, where it does."""

    fidelity: Fidelity | None
    fuzzing: Fuzzing | None


class CodecFacts(Struct, frozen=True):
    """What is known of a codec whatever it is measured on."""

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
    """Runs with all that follows from them; `runs` in the order in which they speak: see `weight`."""

    runs: tuple[RunReport, ...]
    summaries: Mapping[str, Sequence[Summary]]
    """Run → its cells."""
    extras: Mapping[str, Extras]
    ledger: tuple[LedgerEntry, ...]
    rankings: tuple[Ranking, ...]
    titles: Mapping[str, str]
    """Publication → its title."""
    codecs: Mapping[str, CodecFacts]
    """Every codec of every run, in the order of names."""
    scenarios: Mapping[str, Sequence[tuple[RunReport, ScenarioReport]]]
    """Scenario → the runs that hold it, the one that speaks for it first."""

    def cells_of(self, run: RunReport, scenario: str) -> list[Summary]:
        """The cells of a scenario in a run."""
        return [one for one in self.summaries[run.run.id] if one.scenario == scenario]

    @property
    def links(self) -> dict[str, str]:
        """Text of a table's cell → the page that it stands for."""
        codecs = {name: f"{facts.page}.html" for name, facts in self.codecs.items()}
        return {**codecs, **{name: f"{scenario_page(name)}.html" for name in self.scenarios}}


def codecs_of(runs: Sequence[RunReport]) -> dict[str, CodecFacts]:
    """Every codec of runs, of which the first speaks for those that several hold."""
    found: dict[str, CodecFacts] = {}
    for report in reversed(runs):
        for planned in report.run.plan.cells:
            known = found.get(planned.cell.codec)
            library = f"{planned.library} {planned.version}" if planned.library else None
            libraries = known.libraries if known else ()
            if library and library not in libraries:
                libraries = (*libraries, library)
            found[planned.cell.codec] = CodecFacts(
                planned.cell.codec, planned.format, libraries, planned.self_describing, planned.control
            )
    return dict(sorted(found.items()))


def scenarios_of(runs: Sequence[RunReport]) -> dict[str, list[tuple[RunReport, ScenarioReport]]]:
    """Scenario → the runs that hold it, in their order."""
    found: dict[str, list[tuple[RunReport, ScenarioReport]]] = {}
    for report in runs:
        for one in report.scenarios:
            found.setdefault(one.scenario.name, []).append((report, one))
    return dict(sorted(found.items()))


def weight(report: RunReport) -> tuple[bool, bool, bool, str, str]:
    """Which of several runs speaks first: published before standard before quick, finished, newest, by id."""
    run = report.run
    return (
        run.plan.profile is Profile.PUBLISHED,
        run.plan.profile is not Profile.QUICK,
        run.finished is not None,
        run.created,
        run.id,
    )


def scenario_page(name: str) -> str:
    """Name of a scenario's page."""
    return f"scenario-{name}"
