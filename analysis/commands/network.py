"""`lab network`."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec
from rich.console import Console

from analysis.data.cells import RunCells, ScenarioCells, read_cells
from analysis.render.terminal import markdown, print_grid
from analysis.tables.network import Transport, rates, transports, wire_ms
from analysis.tables.reports import TRANSFERS, network_of
from bench.base import errors
from bench.base.files import read_json_lines, write_whole
from bench.base.output import say
from bench.base.progress import report
from bench.building.lab import Lab, open_lab
from bench.commands.options import selection
from bench.model.record import Transfer
from bench.model.scenario import Scenario
from bench.network.link import Link, LinkError
from bench.network.messages import check_run, sent
from bench.records.run_file import check_takes_more
from bench.scenarios.selection import Selection

SECTION = "read"

TIME_A_RATE_S = 0.3
"""A message is sent as often as fits into this time, at least 3 and at most 20 times."""


@click.command("network")
@click.argument("path", type=click.Path(path_type=Path), metavar="RUN")
@selection
@click.option("--measure", "wanted", is_flag=True, help="Send the bytes over a shaped TCP connection (Linux, root).")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of tables for a terminal.")
def network(path: Path, filters: tuple[str, ...], excludes: tuple[str, ...], wanted: bool, as_markdown: bool) -> None:
    """Show round trips over 100 Mbit/s, 1 and 10 Gbit/s.

    They are computed by the published formula from a run's times.

    With --measure the same bytes also go over a real TCP connection between two network namespaces that tc shapes to
    each rate; the transfers are recorded in the run's network.jsonl, where they replace earlier ones of the same
    messages, and from then on shown under the formula's figures.
    Filters match `codec scenario round-trip`, then the conditions.
    """
    cells = chosen(read_cells(path), Selection(filters, excludes))
    file, why = path / TRANSFERS, None
    if wanted:
        check_takes_more(path)
        why = measure(cells, file)
        if why:
            report(f"no measurement: {why}")
    transfers = read_json_lines(file, Transfer)
    console = Console(highlight=False)
    for one in cells.scenarios:
        if not transports(one):
            continue
        grid = network_of(cells, one, transfers, why)
        if as_markdown:
            say(markdown(grid))
        else:
            print_grid(console, grid)


def chosen(cells: RunCells, selection: Selection) -> RunCells:
    """The cells of a run that match the filters. Raises LabError if no round trip is left."""
    scenarios = tuple(
        msgspec.structs.replace(
            one, series={n: s for n, s in one.series.items() if selection.takes(n[0].name, str(n[0].conditions))}
        )
        for one in cells.scenarios
    )
    if not any(transports(one) for one in scenarios):
        raise errors.nothing_selected(selection.filters, selection.excludes, [])
    return msgspec.structs.replace(cells, scenarios=scenarios)


def measure(cells: RunCells, file: Path) -> str | None:
    """Sends every message at every rate and records the transfers; returns the reason if that is not possible.

    Nothing is recorded unless all were sent. Raises LabError where the file holds something else than transfers.
    """
    earlier, taken = read_json_lines(file, Transfer), list[Transfer]()
    try:
        with Link() as link:
            codecs = {transport.codec for one in cells.scenarios for transport in transports(one)}
            lab = open_lab(report, within=codecs)
            check_run(cells.run, lab, codecs)
            for one in cells.scenarios:
                messages = {transport: message(lab, one, transport) for transport in transports(one)}
                for rate in rates(one.scenario):
                    link.set_rate(rate)
                    for transport, data in messages.items():
                        report(f"{one.scenario.name}, {rate} Mbit/s: {transport.codec} {transport.compression}")
                        taken += _transfers(link, one.scenario, transport, rate, data)
    except LinkError as error:
        return str(error)
    record(file, earlier, taken)
    return None


def record(file: Path, earlier: Iterable[Transfer], taken: Sequence[Transfer]) -> None:
    """Writes transfers, whole, in place of earlier ones of the same messages; those of other messages stay."""
    sent_now = {_message_of(one) for one in taken}
    kept = [one for one in earlier if _message_of(one) not in sent_now]
    write_whole(file, b"".join(msgspec.json.encode(one) + b"\n" for one in [*kept, *taken]))


def _message_of(one: Transfer) -> tuple[str, str, str | None]:
    return one.codec, one.scenario, one.compression


def message(lab: Lab, cells: ScenarioCells, transport: Transport) -> bytes:
    """The bytes of a codec, compressed like a cell's. Raises LabError unless there are as many as in the run."""
    data = sent(lab, cells.scenario, transport.codec, transport.compression)
    expected = transports(cells)[transport].message_bytes
    if len(data) != expected:
        raise errors.other_message(transport.codec, cells.scenario.name, expected, len(data))
    return data


def _transfers(link: Link, scenario: Scenario, transport: Transport, rate: int, data: bytes) -> list[Transfer]:
    times = max(3, min(20, round(TIME_A_RATE_S * 1e3 / wire_ms(len(data), rate))))
    return [
        Transfer(
            codec=transport.codec,
            scenario=scenario.name,
            compression=transport.compression or None,
            rate_mbit_s=rate,
            index=index,
            message_bytes=len(data),
            transfer_ns=taken,
        )
        for index, taken in enumerate(link.transfer(data, times))
    ]
