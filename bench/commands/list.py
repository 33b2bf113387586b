"""`lab list`."""

from collections.abc import Iterable, Iterator, Mapping

import click
from msgspec import Struct

from bench.base import paths
from bench.base.output import plural, say, say_json
from bench.base.progress import report
from bench.building.manifest import codec_names, known_manifest, wanted_builds
from bench.commands.options import json_output, selection, sweeps
from bench.model.cells import Cell, Operation
from bench.model.description import Description, RunnerEntry
from bench.model.offers import Offered
from bench.model.scenario import Scenario
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.load import load_scenarios
from bench.scenarios.selection import Selection

SECTION = "measure"


class Listed(Struct, frozen=True, kw_only=True):
    """A row: a cell with its codec, or an unavailable codec with the reason."""

    codec: str
    format: str | None = None
    library: str | None
    version: str | None
    language: str
    scenario: str | None = None
    operation: Operation | None = None
    conditions: dict[str, str] = {}
    control: bool = False
    available: bool
    reason: str | None = None


@click.command("list")
@selection
@sweeps
@json_output
def list_cells(filters: tuple[str, ...], excludes: tuple[str, ...], sweeps: bool, as_json: bool) -> None:
    """List every cell, without building anything.

    A cell is a codec, a scenario, an operation and conditions. Codecs that could not be built on this machine are
    listed with the reason. With --json each line is one cell.
    """
    chosen = Selection(filters, excludes)
    every = listed(load_scenarios(sweeps=sweeps), as_json)
    rows = [row for row in every if chosen.takes(*_names(row))] if filters or excludes else list(every)
    if as_json:
        for row in rows:
            say_json(row)
        return
    if rows:
        say("\n".join(map(_line, rows)))
    codecs = {(row.codec, row.available) for row in rows}
    available = sum(1 for _, there in codecs if there)
    cells = sum(row.available for row in rows)
    unavailable = plural(len(codecs) - available, "codec")
    say(f"{plural(cells, 'cell')} of {plural(available, 'codec')}; {unavailable} unavailable", err=True)


def listed(scenarios: Mapping[str, Scenario], with_versions: bool) -> Iterator[Listed]:
    """Every cell of every codec as the catalogue has it, and a row for each build that an earlier call could not make.

    Codecs that the catalogue does not know are asked, if they are built.
    """
    catalogue, manifest = load_catalogue(), known_manifest()
    wanted = wanted_builds(manifest)
    built: dict[str, list[RunnerEntry]] = {codec: [] for codec in codec_names(manifest)}
    for entry in manifest.runners if manifest else ():
        built.setdefault(entry.codec, []).append(entry)
    for codec, entries in sorted(built.items()):
        offered = catalogue.codecs.get(codec)
        if offered is None:
            yield from _asked(codec, entries, scenarios)
        elif not entries:
            version = _pinned_version(codec) if with_versions else None
            yield from _rows(catalogue.cells_of(codec, scenarios, wanted), offered, version)
        else:
            for entry in entries:
                if entry.unavailable:
                    yield _unavailable(entry, entry.unavailable)
                else:
                    cells = catalogue.cells_of(codec, scenarios, wanted, entry.variant)
                    yield from _rows(cells, offered, entry.version)


def _asked(codec: str, entries: list[RunnerEntry], scenarios: Mapping[str, Scenario]) -> Iterator[Listed]:
    """What the runners of a codec say themselves."""
    from bench.building.lab import offered_cells
    from bench.building.runner import Runner, RunnerError

    if not entries:
        report(f"{codec} is neither in the catalogue nor built; `./lab build` builds it, `./lab catalogue` adds it")
    for entry in entries:
        try:
            description = Runner(entry).description
        except RunnerError as error:
            yield _unavailable(entry, str(error))
        else:
            yield from _rows(offered_cells(description, scenarios), description, description.version)


def _rows(cells: Iterable[Cell], offered: Offered | Description, version: str | None) -> Iterator[Listed]:
    for cell in cells:
        yield Listed(
            codec=cell.codec,
            format=offered.format,
            library=offered.library,
            version=version,
            language=cell.language,
            scenario=cell.scenario,
            operation=cell.operation,
            conditions=dict(cell.conditions.items()),
            control=offered.control,
            available=True,
        )


def _unavailable(entry: RunnerEntry, reason: str) -> Listed:
    return Listed(
        codec=entry.codec,
        library=entry.library,
        version=entry.version,
        language=entry.codec.partition("/")[0],
        available=False,
        reason=reason,
    )


def _pinned_version(codec: str) -> str | None:
    """The version of a codec's library that the lock files pin."""
    from bench.building.languages import LANGUAGES  # reading lock files takes a while

    language, _, name = codec.partition("/")
    return LANGUAGES[language].pinned_version(paths.RUNNERS / language / "codecs" / name)


def _line(row: Listed) -> str:
    name, conditions = _names(row)
    return f"{name:<60} {conditions}" if row.available else f"{row.codec:<60} unavailable: {row.reason}"


def _names(row: Listed) -> tuple[str, str]:
    name = " ".join(filter(None, (row.codec, row.scenario, row.operation)))
    return name, " ".join(f"{k}={v}" for k, v in row.conditions.items())
