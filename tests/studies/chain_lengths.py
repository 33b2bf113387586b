"""Which length of loops and of chains gives the narrowest interval a second of measuring.

    LAB_RUNNERS=… .lab/venv/bin/python tests/studies/chain_lengths.py RUN [-f REGEX]…

Without a RUN folder it records one of 16 rounds first: chains of 60 loops of 2 ms and more, so that longer loops and
shorter chains can be made of them. A loop of 3 times the length is three neighbours: calm where the canary before the
first and the canary after the last are. The chain of 10 loops is the first 10. For each choice and each cell:

    error²  = variance of the logarithm of a process's calm median, within layouts
    cost    = time of a process outside its loops + loops · (loop + canary) + canary
    figure  = √(error² · cost / share of processes with a calm loop)

which is the half-width that a second of measuring leaves, up to a factor that is the same for all choices. Printed are
the figure of each choice over that of the best one of its cell, as the geometric mean over cells, and the calm share.
"""

import argparse
import math
from collections import defaultdict
from pathlib import Path

import numpy as np

from bench.base.files import read_json_lines
from bench.base.progress import report
from bench.measuring import profiles
from bench.measuring.rounds.evidence import Context, kernel_of, loops_of, references_of, times_of
from bench.measuring.session import Session
from bench.measuring.stages.draft import Options
from bench.measuring.stages.prospect import prospect
from bench.model.plan import ProcessKind
from bench.model.record import Process, Sample
from bench.records.run_file import read_run
from bench.statistics.calm import Loops, is_calm, is_gated

LOOP_NS, CHAIN_LOOPS, ROUNDS = 2_000_000, 60, 16
MERGED = (1, 2, 4, 8)
CHAINS = (3, 5, 8, 10, 15, 20, 30)


def record(folder: Path, filters: list[str]) -> None:
    """A run with long chains of short loops."""
    profiles.LOOP_NS, profiles.CHAIN_LOOPS, profiles.CHAIN_NS = LOOP_NS, CHAIN_LOOPS, 10**9
    session = Session.new(prospect(Options(filters=filters, rounds=ROUNDS, seed=15), report), folder)
    try:
        session.complete(report)
    finally:
        session.close()


def merged(loops: list[Sample], number: int, chain: int, reference: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and calmness of the first `chain` loops of `number` neighbours each."""
    groups = [loops[start : start + number] for start in range(0, number * chain, number)]
    times = np.array([np.mean(times_of(group)) for group in groups])
    columns = {
        name: np.array([np.sum(getattr(loops_of(group), name)) for group in groups])
        for name in ("wall_ns", "cpu_ns", "involuntary_switches")
    }
    before, after = ([group[end] for group in groups] for end in (0, -1))
    joined = Loops(
        **columns,
        canary_before_ns=loops_of(before).canary_before_ns,
        canary_after_ns=loops_of(after).canary_after_ns,
        copy_before_ns=np.full(len(groups), np.nan),
        copy_after_ns=np.full(len(groups), np.nan),
    )
    return times, is_calm(joined, reference, np.nan)


def figures(path: Path) -> dict[tuple[int, int], dict[str, tuple[float, float, float]]]:
    """(Neighbours, loops) → of each cell its figure, its calm share and its loop in ms."""
    recorded = read_run(path)
    timed = {str(cell): one for cell, one in recorded.run.plan.timed.items()}
    context = Context(timed, recorded.run.calibration, lambda _: True)
    by_cell: dict[tuple[str, bool], list[Sample]] = defaultdict(list)
    for sample in recorded.samples:
        by_cell[sample.cell, False].append(sample)
    references = references_of(by_cell, context)
    outside = overheads(read_json_lines(path / "processes.jsonl", Process))
    result: dict[tuple[int, int], dict[str, tuple[float, float, float]]] = defaultdict(dict)
    for (cell, _), samples in by_cell.items():
        loop_ns = float(np.median([one.wall_ns for one in samples]))
        canary_ns = float(np.median([one.canary_before_ns for one in samples if one.canary_before_ns]))
        if not is_gated(float(np.median(times_of(samples))), is_file=False) or timed[cell].loops < max(CHAINS):
            continue
        chains: dict[tuple[int, bool], list[Sample]] = defaultdict(list)
        for sample in samples:
            chains[sample.round, sample.twin].append(sample)
        for number in MERGED:
            for chain in CHAINS:
                if number * chain > timed[cell].loops:
                    continue
                reference = references[kernel_of(timed[cell])]
                found = [merged(loops, number, chain, reference) for loops in chains.values()]
                layouts = [loops[0].layout for loops in chains.values()]
                error2 = variance(found, layouts)
                usable = np.mean([calm.any() for _, calm in found])
                cost_s = outside + (chain * (number * loop_ns + canary_ns) + canary_ns) / 1e9
                calm_share = float(np.mean(np.concatenate([calm for _, calm in found])))
                if error2 and usable:
                    figure = math.sqrt(error2 * cost_s / usable)
                    result[number, chain][cell] = figure, calm_share, number * loop_ns / 1e6
    return result


def variance(found: list[tuple[np.ndarray, np.ndarray]], layouts: list[int]) -> float:
    """The pooled variance of processes' log medians within layouts; 0 where there are too few."""
    logs = defaultdict(list)
    for (times, calm), layout in zip(found, layouts, strict=True):
        if calm.any():
            logs[layout].append(math.log(np.median(times[calm])))
    degrees = sum(len(values) - 1 for values in logs.values())
    return sum(float(np.sum((np.array(v) - np.mean(v)) ** 2)) for v in logs.values()) / degrees if degrees > 3 else 0.0


def overheads(processes: list[Process]) -> float:
    """Seconds of a process outside its loops: the median of those at 0 repetitions, and hyperfine's start."""
    bases = [p.wall_s for p in processes if p.kind is ProcessKind.BASE and p.wall_s]
    return float(np.median(bases)) - (CHAIN_LOOPS + 1) * profiles.CANARY_NS / 1e9 + profiles.PROCESS_OVERHEAD_NS / 1e9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("-f", "--filter", action="append", default=[])
    given = parser.parse_args()
    if not given.run.exists():
        record(given.run, given.filter)
    found = figures(given.run)
    everywhere = set.intersection(*(set(cells) for cells in found.values()))
    best = {cell: min(cells[cell][0] for cells in found.values()) for cell in everywhere}
    print("   loop  loops  half-width over the best's  calm")
    for (_, chain), cells in sorted(found.items()):
        ratio = math.exp(np.mean([math.log(cells[cell][0] / best[cell]) for cell in everywhere]))
        calm, loop_ms = (np.median([cells[cell][index] for cell in everywhere]) for index in (1, 2))
        print(f"{loop_ms:4.1f} ms  {chain:5}  {ratio:26.2f}  {100 * calm:3.0f} %")
    print(f"{len(everywhere)} cells")


if __name__ == "__main__":
    main()
