"""The network: a formula of known numbers, a real link that is shaped, and nothing left of it however a run ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import msgspec
import psutil
import pytest
from click.testing import CliRunner

from analysis.commands.network import network, record
from analysis.data.cells import read_cells
from analysis.sources.published_tables import load_published
from analysis.tables.network import Transport, sections, transports, wire_ms
from bench.base.errors import LabError
from bench.base.files import read_json_lines
from bench.base.paths import ROOT
from bench.measuring.run_folder import append_lines
from bench.model.record import Transfer
from bench.model.schemas import SCHEMAS
from bench.network.link import Link, LinkError
from bench.network.messages import check_run
from tests.support.recorded.object_conditions import DESERIALIZE, ROUND_TRIP, SERIALIZE
from tests.support.synthetic_run import BOTH, DESER, SER, Made

PACKED = msgspec.structs.replace(ROUND_TRIP, compression="lz4")
DICTS = msgspec.structs.replace(ROUND_TRIP, input="dicts")


def why_no_link() -> str | None:
    try:
        with Link():
            return None
    except LinkError as error:
        return str(error)


WHY_NO_LINK = why_no_link()
linked = pytest.mark.skipif(WHY_NO_LINK is not None, reason=str(WHY_NO_LINK))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """10 ms and 1,000,000 bytes of orjson, 20 ms and 250,000 of B-FAST + LZ4, 12 ms and 200,000 of compressed orjson."""
    made = Made("users-10k", rounds=3)
    made.spread = 0.0
    made.codec("python/orjson", {BOTH: 10e6}, size=1_000_000, conditions={BOTH: ROUND_TRIP})
    made.codec("python/orjson", {BOTH: 10e6}, size=1_000_000, conditions={BOTH: DICTS})
    made.codec("python/orjson", {BOTH: 12e6}, size=200_000, conditions={BOTH: PACKED})
    made.codec("python/bfast-lz4", {BOTH: 20e6}, size=250_000, conditions={BOTH: ROUND_TRIP})
    made.codec("python/halves", {SER: 2e6, DESER: 3e6}, size=500_000, conditions={SER: SERIALIZE, DESER: DESERIALIZE})
    made.codec("python/memcpy", {BOTH: 1e6}, size=1, control=True, conditions={BOTH: ROUND_TRIP})
    return made.write(tmp_path / "run")


def cells(run: Path):
    return read_cells(run).scenarios[0]


def test_the_formula_is_the_published_one():
    """Of B-FAST's page: 1 MB over 100 Mbit/s are 80 ms, over 10 Gbit/s 0.8."""
    assert wire_ms(1_000_000, 100) == 80
    assert wire_ms(1_000_000, 10_000) == 0.8


def test_every_codec_and_compression_has_its_time_and_size_and_controls_have_none(run):
    found = transports(cells(run))
    assert {way: sent.message_bytes for way, sent in found.items()} == {
        Transport("python/orjson", ""): 1_000_000,
        Transport("python/orjson", "lz4"): 200_000,
        Transport("python/bfast-lz4", ""): 250_000,
        Transport("python/halves", ""): 500_000,
    }
    drift = found[Transport("python/orjson", "")].ms / 10
    assert found[Transport("python/halves", "")].ms == pytest.approx(5 * drift)


def test_a_published_row_stands_at_the_conditions_of_its_table(tmp_path):
    made = Made("users-10k", rounds=3)
    made.spread = 0.0
    for codec in ("python/orjson", "python/bfast-lz4", "python/other"):
        made.codec(codec, {BOTH: 10e6}, size=1_000_000, conditions={BOTH: ROUND_TRIP})
        made.codec(codec, {BOTH: 1e6}, size=1_000_000, conditions={BOTH: DICTS})
    rows = {100: (load_published("b-fast.csv#Round-Trip 100 Mbps"), "unstated")}
    (slow, *_) = sections(cells(made.write(tmp_path / "run")), [], rows, "python/orjson")
    fast = {row.transport.codec for row in slow.rows if row.codec_ms < 5}
    assert fast == {"python/orjson"}, "B-FAST's figure is an estimate, and the other has none"


def test_a_published_figure_stands_beside_nothing_measured_otherwise(tmp_path):
    made = Made("users-10k", rounds=3)
    made.codec("python/orjson", {BOTH: 10e6}, size=1_000_000, conditions={BOTH: ROUND_TRIP})
    rows = {100: (load_published("b-fast.csv#Round-Trip 100 Mbps"), "unstated")}
    (slow, *_) = sections(cells(made.write(tmp_path / "run")), [], rows, "python/orjson")
    assert [(row.published_name, row.published_ms) for row in slow.rows] == [(None, None)]


def test_published_figures_stand_beside_with_estimates_marked_and_speedups_by_the_formula(run):
    rows = {100: (load_published("b-fast.csv#Round-Trip 100 Mbps"), "unstated")}
    slow = sections(cells(run), [], rows, "python/orjson")[0]
    by_transport = {row.transport: row for row in slow.rows}
    orjson, bfast = by_transport[Transport("python/orjson", "")], by_transport[Transport("python/bfast-lz4", "")]
    assert (orjson.published_ms, bfast.published_ms) == (91.7, 16.1)
    assert orjson.estimate is None
    assert "0.3 × its serialize" in str(bfast.estimate)
    assert bfast.published_speedup == pytest.approx(5.7, abs=0.05)  # as printed on the page
    assert bfast.speedup == pytest.approx((orjson.codec_ms + 80) / (bfast.codec_ms + 20))
    assert by_transport[Transport("python/orjson", "lz4")].published_ms is None
    assert [row.formula_ms for row in slow.rows] == sorted(row.formula_ms for row in slow.rows)


def test_recorded_transfers_stand_under_the_formula(run):
    taken = [
        Transfer("python/orjson", "users-10k", None, 100, i, 1_000_000, ns) for i, ns in enumerate((84e6, 83e6, 99e6))
    ]
    append_lines(run / "network.jsonl", [msgspec.structs.replace(t, transfer_ns=int(t.transfer_ns)) for t in taken])
    done = CliRunner().invoke(network, [str(run), "--markdown"])
    assert done.exit_code == 0, done.output
    assert "measured 84.0" in done.output
    assert "published 91.7" in done.output
    assert "published 16.1 ≈" in done.output
    assert "was an estimate in the publication" in done.output


def test_transfers_of_other_messages_stay(tmp_path):
    def transfer(codec: str, compression: str | None, ns: int) -> Transfer:
        return Transfer(codec, "users-10k", compression, 100, 0, 1_000_000, ns)

    others = [transfer("python/orjson", "lz4", 1), transfer("python/bfast-lz4", None, 2)]
    now = [transfer("python/orjson", None, 4)]
    record(tmp_path / "network.jsonl", [transfer("python/orjson", None, 3), *others], now)
    assert read_json_lines(tmp_path / "network.jsonl", Transfer) == [*others, *now]


@pytest.mark.parametrize(("variant", "sha256", "changed"), [("native", "1" * 64, False), ("", "1" * 64, True)])
def test_a_run_that_measured_other_builds_too_can_be_sent(variant, sha256, changed):
    """Of the default build, which is the one that encodes; it must be the one that was measured."""
    planned = Made("users-10k").codec("python/orjson", {BOTH: 1}, conditions={BOTH: ROUND_TRIP}).cells[0]
    another = msgspec.structs.replace(planned, variant=variant, sha256=sha256)
    run = SimpleNamespace(plan=SimpleNamespace(cells=[planned, another]))
    entry = SimpleNamespace(sha256=planned.sha256)
    lab = SimpleNamespace(program=lambda _, __: SimpleNamespace(entry=entry))
    if changed:
        with pytest.raises(LabError, match="python/orjson is not the one that this run began with"):
            check_run(run, lab, {"python/orjson"})
    else:
        check_run(run, lab, {"python/orjson"})


def test_without_the_rights_the_formula_stands_alone_with_the_reason(run):
    command = [sys.executable, "-m", "bench.cli", "network", str(run), "--measure"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PATH": "/nowhere"}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Not measured: ip was not found. Install iproute2" in " ".join(done.stdout.split())
    assert "80.0" in done.stdout
    assert not (run / "network.jsonl").exists()


@linked
def test_a_transfer_takes_at_least_what_its_rate_allows():
    """Less the burst that the shaper lets pass at once."""
    message = bytes(200_000)
    with Link() as link:
        for rate in (50, 100):
            link.set_rate(rate)
            for taken in link.transfer(message, 2):
                assert taken / 1e6 > wire_ms(len(message) - 10_000, rate)


@linked
def test_a_recorded_transfer_is_valid_by_its_schema():
    with Link() as link:
        link.set_rate(1000)
        (taken,) = link.transfer(b"x", 1)
    line = msgspec.json.encode(Transfer("a/b", "users-10k", None, 1000, 0, 1, taken))
    jsonschema.validate(json.loads(line), SCHEMAS["transfer"])


def namespaces() -> set[str]:
    """The network namespaces that processes are in."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.add(str((process / "ns" / "net").readlink()))
        except OSError:
            continue
    return found


def runs(pid: int) -> bool:
    """Whether a process is there and not merely waits to be reaped."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@linked
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_the_network_however_the_driver_ends(end):
    names = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    program = (
        "from bench.network.link import Link; link = Link(); link.set_rate(1); print(link._process.pid, flush=True);"
        "link.transfer(bytes(10**9), 1)"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert driver.stdout
    near = int(driver.stdout.readline())
    children = Path(f"/proc/{near}/task/{near}/children").read_text().split()
    assert len(children) == 1
    ends = [near, int(children[0])]
    own = {str(Path(f"/proc/{pid}/ns/net").readlink()) for pid in ends}
    assert len(own) == 2
    assert own <= namespaces()
    driver.send_signal(end)
    driver.wait(timeout=60)
    deadline = time.monotonic() + 30
    while (own & namespaces() or any(map(runs, ends))) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not own & namespaces()
    assert not any(map(runs, ends))
    assert subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout == names
