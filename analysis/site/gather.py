"""Reads run folders into the site's data; no other part of the site reads files."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from analysis.base import problems as errors
from analysis.claims.definitions import load_claims
from analysis.claims.ledger import ledger
from analysis.claims.machines.machine_verdicts import claims_on_machines
from analysis.claims.orders import column_orders
from analysis.data.judged.extras import read_extras
from analysis.data.select import precedence
from analysis.data.summaries import summaries
from analysis.site.lab import Lab, codecs_of, scenarios_of
from analysis.tables.counts.footprints import footprints_of
from analysis.tables.reports import RunReport, read_report
from analysis.tables.trust.answered import answers_of
from bench.scenarios.load import load_scenarios


def gather(paths: Sequence[Path], repository: str = "") -> Lab:
    """The runs in these folders, each once. Raises LabError naming file, line and field of what cannot be read.

    `repository`: the lab's address on the web, to which pages then link; without it no link leads outside.
    """
    reports: dict[str, RunReport] = {}
    for path in paths:
        report = read_report(path)
        if (known := reports.setdefault(report.run.id, report)).path.resolve() != path.resolve():
            raise errors.same_id(report.run.id, known.path, path)
    return gathered(reports.values(), repository)


def gathered(reports: Iterable[RunReport], repository: str = "") -> Lab:
    """What `gather` gives, for runs that were read already; no run may be there twice."""
    ordered = tuple(sorted(reports, key=lambda report: precedence(report.run), reverse=True))
    cells = [report.cells for report in ordered]
    book = load_claims(load_scenarios())
    extras = {report.run.id: read_extras(report.path) for report in ordered}
    return Lab(
        runs=ordered,
        summaries={report.run.id: summaries(report.cells) for report in ordered},
        extras=extras,
        answers=answers_of(extras.values()),
        footprints=footprints_of(extras.values()),
        ledger=ledger(book, cells),
        rankings=column_orders(book, cells),
        on_machines=claims_on_machines(book, cells),
        titles=book.titles,
        codecs=codecs_of(ordered),
        scenarios=scenarios_of(ordered),
        repository=repository,
    )
