"""The calculator: what measured cells imply for a message rate, a network and a number of cores.

The browser calculates, in assets/calculator.js; this module has its data, and the same formula for the test that
compares the two. It adds measured medians of one thread and the time that the bytes take on the network; queues,
kernels, allocators under load and a second process are not in it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from analysis.site.blocks import Page
from analysis.site.lab import Lab
from analysis.tables.network import transports
from bench.model.plan import Profile

HOURS_A_MONTH = 730.5
"""365.25 · 24 / 12."""
LEAD = (
    "This page calculates, for each codec, the time, cores, network and money that a stream of messages takes, from "
    "times and sizes that were measured for the message that you choose.",
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


USUAL = Needs(rate=10_000, network_mbit_s=1_000, cores=2, core_hour=0.04, gigabyte=0.05)
"""What the page opens with; its rate is lowered where most codecs would not keep up."""


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


def keeps_up(message: Message, needs: Needs) -> bool:
    """Whether a codec takes neither more cores nor more of the network than there is."""
    result = answer(message, needs)
    return result.cores <= needs.cores and result.network_share <= 1


def opening(messages: Sequence[Message]) -> Needs:
    """What the page opens with: of 10,000, 1,000, … messages a second the most at which half of the codecs keep up."""
    needs = USUAL
    while needs.rate > 1 and 2 * sum(keeps_up(one, needs) for one in messages) < len(messages):
        needs = msgspec.structs.replace(needs, rate=needs.rate / 10)
    return needs


def calculator_page(lab: Lab) -> Page:
    """The page, with the messages of every scenario that has round trips, or both serialize and deserialize.

    The smallest message is first, so that it opens on that; a scenario of one codec or of a quick run is last.
    """
    held = {name: data for name in lab.scenarios if (data := _scenario(lab, name))}
    scenarios = dict(sorted(held.items(), key=_usefulness))
    first = next(iter(scenarios.values()), None)
    return Page(
        "calculator",
        "Calculator",
        "Calculator",
        LEAD,
        (),
        template="calculator.html",
        extra={"scenarios": scenarios, "hours": HOURS_A_MONTH, "opening": opening(first["messages"] if first else [])},
    )


def _usefulness(item: tuple[str, dict[str, Any]]) -> tuple[bool, bool, int, str]:
    name, data = item
    return data["quick"], len(data["messages"]) < 2, data["data_bytes"], name


def _scenario(lab: Lab, name: str) -> dict[str, Any] | None:
    report, tables = lab.scenarios[name][0]
    if tables.scenario.is_rows:
        return None
    messages = [
        Message(one.codec, one.compression, f"{lab.codecs[one.codec].page}.html", sent.ms * 1e6, sent.message_bytes)
        for one, sent in transports(tables.cells).items()
        if sent.is_figure or report.run.plan.profile is Profile.QUICK
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
