"""The calculator: what measured cells imply for a message rate, a network and a number of cores.

The browser calculates, in assets/calculator.js; this module has its data, and the same formula for the test that
compares the two. It adds measured medians of one thread and the time that the bytes take on the network; queues,
kernels, allocators under load and a second process are not in it.
"""

from typing import Any

from msgspec import Struct

from analysis.site.blocks import Page
from analysis.site.lab import Lab
from analysis.tables.network import transports
from bench.model.plan import Profile

HOURS_A_MONTH = 730.5
"""365.25 · 24 / 12."""
LEAD = (
    "Which codec takes the least time, or costs least, at a message rate, on a network, with a number of cores? Times "
    "and sizes were measured in one scenario, the message of your choice; nothing is extrapolated. A codec "
    "with a compression is a row of its own, where the run measured it.",
)


class Message(Struct, frozen=True):
    """One codec's cost of one message: its time from object to object in ns, its size on the wire in bytes."""

    codec: str
    compression: str
    page: str
    busy_ns: float
    """Serialize, compress, decompress and deserialize."""
    size_bytes: int

    @property
    def name(self) -> str:
        """The codec, and its compression if any."""
        return f"{self.codec} + {self.compression}" if self.compression else self.codec


class Needs(Struct, frozen=True):
    """The inputs: messages a second, Mbit/s, cores, price of a core for an hour, price of 10⁹ bytes sent."""

    rate: float
    network_mbit_s: float
    cores: float
    core_hour: float
    gigabyte: float


class Answer(Struct, frozen=True):
    """The results for one codec."""

    time_ns: float
    """From object to object: serialize, compress, send, decompress, deserialize one message."""
    cores: float
    network_share: float
    rate: float
    """Messages a second at most."""
    cost: float
    """A month."""


def answer(message: Message, needs: Needs) -> Answer:
    """The formula that the page shows."""
    busy_s = message.busy_ns / 1e9
    bits = message.size_bytes * 8
    send_s = bits / (needs.network_mbit_s * 1e6)
    cores = needs.rate * busy_s
    sent_a_month = needs.rate * message.size_bytes * HOURS_A_MONTH * 3600
    return Answer(
        time_ns=(busy_s + send_s) * 1e9,
        cores=cores,
        network_share=needs.rate * send_s,
        rate=min(needs.cores / busy_s, 1 / send_s),
        cost=cores * HOURS_A_MONTH * needs.core_hour + sent_a_month / 1e9 * needs.gigabyte,
    )


def calculator_page(lab: Lab) -> Page:
    """The page, with the messages of every scenario that has round trips, or both serialize and deserialize."""
    scenarios = {name: data for name in lab.scenarios if (data := _scenario(lab, name))}
    return Page(
        "calculator",
        "Calculator",
        "Calculator",
        LEAD,
        (),
        template="calculator.html",
        extra={"scenarios": scenarios, "hours": HOURS_A_MONTH},
    )


def _scenario(lab: Lab, name: str) -> dict[str, Any] | None:
    report, tables = lab.scenarios[name][0]
    if tables.scenario.is_rows:
        return None
    messages = [
        Message(one.codec, one.compression, f"{lab.codecs[one.codec].page}.html", ms * 1e6, size)
        for one, (ms, size) in transports(tables.cells).items()
    ]
    if not messages:
        return None
    return {
        "title": tables.scenario.title,
        "data_bytes": tables.scenario.data_size_bytes,
        "conditions": str(tables.scenario.published.conditions),
        "run": report.run.id,
        "quick": report.run.plan.profile is Profile.QUICK,
        "messages": messages,
    }
