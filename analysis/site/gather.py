"""From run folders to all that the site is about: the one part of it that reads files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from analysis import errors
from analysis.claims import load_claims
from analysis.ledger import ledger
from analysis.rankings import rankings
from analysis.reports import RunReport, read_report
from analysis.site.lab import Extras, Lab, codecs_of, scenarios_of, weight
from analysis.summaries import summaries
from bench import fidelity, fuzz, limits
from bench.files import is_there, read_json
from bench.scenarios import load_scenarios

T = TypeVar("T")


def gather(paths: Sequence[Path]) -> Lab:
    """The runs in these folders, each once. Raises LabError naming file, line and field of what cannot be read."""
    reports: dict[str, RunReport] = {}
    for path in paths:
        report = read_report(path)
        if (known := reports.setdefault(report.run.id, report)).path.resolve() != path.resolve():
            raise errors.same_id(report.run.id, known.path, path)
    ordered = tuple(sorted(reports.values(), key=weight, reverse=True))
    cells = [report.cells for report in ordered]
    book = load_claims(load_scenarios())
    return Lab(
        runs=ordered,
        summaries={report.run.id: summaries(report.cells) for report in ordered},
        extras={report.run.id: extras(report.path) for report in ordered},
        ledger=ledger(book, cells),
        rankings=rankings(book, cells),
        codecs=codecs_of(ordered),
        scenarios=scenarios_of(ordered),
    )


def extras(path: Path) -> Extras:
    """What lies beside a run."""
    return Extras(
        _read(path / fidelity.FILE, fidelity.Fidelity, limits.DOCUMENT_BYTES),
        _read(path / fuzz.FILE, fuzz.Fuzzing, limits.FINDINGS_BYTES),
    )


def _read(path: Path, kind: type[T], limit: int) -> T | None:
    return read_json(path, kind, limit) if is_there(path) else None
