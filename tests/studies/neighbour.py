"""An artificial neighbour: keeps a processor busy for half of the time, in bursts of a given length.

    python tests/studies/neighbour.py --cpu 1 --burst-ms 100 --seconds 60

A run beside it shows whether estimates hold (METHODOLOGY.md, Calm loops). On the same processor it takes turns with the
runner; on a hyperthread of the same core it slows the runner down, and no context switch tells of it.
"""

import argparse
import os
import time


def main() -> None:
    """Bursts and pauses of equal length until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", type=int, required=True, help="the processor to keep busy")
    parser.add_argument("--burst-ms", type=float, required=True, help="length of a burst and of the pause after it")
    parser.add_argument("--seconds", type=float, required=True, help="when to end")
    given = parser.parse_args()
    os.sched_setaffinity(0, {given.cpu})
    burst_s, end = given.burst_ms / 1e3, time.perf_counter() + given.seconds
    while time.perf_counter() < end:
        until = time.perf_counter() + burst_s
        while time.perf_counter() < until:
            pass
        time.sleep(burst_s)


if __name__ == "__main__":
    main()
