"""The two ends of a `bench.network.link`, each a process in its own network namespace. Not to be started by hand.

Requests come as JSON lines on standard input, a message's bytes after its line; each answer is a JSON line.
"""

import ctypes
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

from bench.base.programs import captured

CLONE_NEWNET = 0x4000_0000  # <linux/sched.h>
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
NEAR, FAR = "wirelab0", "wirelab1"
NEAR_ADDRESS, FAR_ADDRESS, PORT = "10.77.0.1", "10.77.0.2", 7077
BURST_S = 100e-6
"""How much the shaper lets pass at once; less would need finer timers than machines have."""
LEAST_BURST_BYTES = 3_200
"""Two full frames."""
QUEUE_BYTES = 16 << 20
"""More than TCP ever has in flight here, so that the shaper delays and never drops."""

libc = ctypes.CDLL(None, use_errno=True)


class EndError(Exception):
    """The system refused a step; the message says which."""


def main() -> None:
    """Makes both ends, then answers requests."""
    die_with(os.getppid())
    try:
        connection = connected()
    except (EndError, OSError) as error:
        answer({"error": str(error)})
        sys.exit(1)
    answer({})
    for line in sys.stdin.buffer:
        question = json.loads(line)
        try:
            if rate := question.get("rate_mbit_s"):
                shape(rate)
                answer({})
            else:
                message = sys.stdin.buffer.read(question["bytes"])
                answer({"transfer_ns": transfers(connection, message, question["repetitions"])})
        except (EndError, OSError) as error:
            answer({"error": str(error)})


def die_with(parent: int) -> None:
    """Has the system kill this process when its parent ends; exits if the parent has ended already."""
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL) != 0 or os.getppid() != parent:
        sys.exit("the process that asked for a network is gone")


def leave_network() -> None:
    """Moves this process into a new, empty network namespace, which ends with it. Raises EndError."""
    if libc.unshare(CLONE_NEWNET) != 0:
        raise EndError(
            f"a network namespace needs root privileges ({os.strerror(ctypes.get_errno())}): run it with sudo, "
            "or in a container with CAP_NET_ADMIN and CAP_SYS_ADMIN"
        )


def connected() -> socket.socket:
    """A connection from this end to the other, a child of this process. Raises EndError, OSError."""
    leave_network()
    parent, (far_in, near_out), (near_in, far_out) = os.getpid(), os.pipe(), os.pipe()
    far = os.fork()
    if far == 0:
        os.close(near_out)
        os.close(near_in)
        receive(parent, far_in, far_out)
    os.close(far_in)
    os.close(far_out)
    if os.read(near_in, 1) != b"n":
        raise EndError("the far end got no network namespace")
    system(f"ip link add {NEAR} type veth peer name {FAR} netns {far}")
    system(f"ip address add {NEAR_ADDRESS}/30 dev {NEAR}")
    system(f"ip link set {NEAR} up")
    Path("/proc/sys/net/ipv4/tcp_slow_start_after_idle").write_text("0", encoding="ascii")
    os.write(near_out, b"g")
    if os.read(near_in, 1) != b"l":
        raise EndError("the far end does not listen")
    connection = socket.create_connection((FAR_ADDRESS, PORT), timeout=10)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(parent: int, far_in: int, far_out: int) -> NoReturn:
    """The far end: reads messages, each after its length (u64, little-endian), and answers each with a byte."""
    try:
        die_with(parent)
        leave_network()
        os.write(far_out, b"n")
        os.read(far_in, 1)
        system(f"ip address add {FAR_ADDRESS}/30 dev {FAR}")
        system(f"ip link set {FAR} up")
        with socket.create_server((FAR_ADDRESS, PORT)) as server:
            os.write(far_out, b"l")
            connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        buffer = bytearray(1 << 20)
        with connection, connection.makefile("rb", buffering=0) as stream:
            while length := read_length(stream):
                while length:
                    length -= connection.recv_into(buffer, min(length, len(buffer)))
                connection.sendall(b"a")
    except (EndError, OSError) as error:
        sys.stderr.write(f"the far end of the network: {error}\n")
        os._exit(1)
    os._exit(0)


def read_length(stream: io.RawIOBase) -> int:
    """The length of the next message; 0 at the end."""
    head = b""
    while len(head) < 8:
        part = stream.read(8 - len(head))
        if not part:
            return 0
        head += part
    return int.from_bytes(head, "little")


def shape(rate_mbit_s: int) -> None:
    """Limits what this end sends, frames included, by a token bucket (tc-tbf(8)). Raises EndError."""
    burst = max(LEAST_BURST_BYTES, round(rate_mbit_s * 1e6 / 8 * BURST_S))
    system(f"tc qdisc replace dev {NEAR} root tbf rate {rate_mbit_s}mbit burst {burst} limit {QUEUE_BYTES}")


def transfers(connection: socket.socket, message: bytes, repetitions: int) -> list[int]:
    """Nanoseconds from the first byte sent to the answer, of each transfer after one that warms up."""
    framed = len(message).to_bytes(8, "little") + message
    transfer_ns = []
    for _ in range(repetitions + 1):
        start = time.perf_counter_ns()
        connection.sendall(framed)
        if connection.recv(1) != b"a":
            raise EndError("the far end is gone")
        transfer_ns.append(time.perf_counter_ns() - start)
    return transfer_ns[1:]


def system(command: str) -> None:
    """Runs a tool; no word of the command holds a space. Raises EndError with the tool's message."""
    done = captured(command.split(), stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise EndError(f"{command}: {' '.join(done.stderr.split()) or f'exit code {done.returncode}'}")


def answer(value: dict[str, object]) -> None:
    """Sends one answer."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
