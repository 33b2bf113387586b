"""Kit against plain loop, in alternation: what METHODOLOGY.md quotes, and how it is called.

Prints ns a repetition: the median of the layouts with the least and the greatest, of each the least of the launches.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from bench.building.languages.cpp import BASELINE  # noqa: E402
from bench.building.languages.cpp_build import Build  # noqa: E402
from bench.scenarios.inputs import input_file  # noqa: E402
from bench.scenarios.load import load_scenarios  # noqa: E402

CODECS = ("glaze-beve", "glaze-json", "msgpack-c")
CELLS = [
    (scenario, operation) for scenario in ("nested-object", "array-f64") for operation in ("serialize", "deserialize")
]
LAYOUTS = 5
"""As many as CMakeLists.txt makes."""
LOOP_NS = 20_000_000


def kit_ns(program: Path, scenario: str, operation: str, repetitions: int, work: Path) -> float:
    """ns a repetition as the runner measures them."""
    out = work / "samples.jsonl"
    out.unlink(missing_ok=True)
    condition = "buffer=reused" if operation == "serialize" else "output=existing"
    words = {
        "scenario": scenario,
        "operation": operation,
        "condition": condition,
        "work": work,
        "out": out,
        "input": input_file(load_scenarios()[scenario]),
        "repetitions": repetitions,
        "warmup": 0,
        "samples": 1,
    }
    options = [word for name, value in words.items() for word in (f"--{name}", str(value))]
    subprocess.run([program, "measure", *options], check=True)
    return json.loads(out.read_text())["wall_ns"] / repetitions


def plain_ns(program: Path, scenario: str, operation: str, repetitions: int) -> float:
    """ns a repetition as the plain loop prints them."""
    words = [input_file(load_scenarios()[scenario]), operation, str(repetitions)]
    return float(subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout)


def compare(
    folder: Path, codec: str, scenario: str, operation: str, work: Path, layouts: int, launches: int
) -> tuple[list[float], list[float]]:
    """The least of the launches in each layout, of kit and of plain loop."""
    kit, plain = [], []
    for layout in range(layouts):
        programs = [folder / f"{side}-{codec}-{layout}" for side in ("kit", "plain")]
        repetitions = max(10, int(LOOP_NS / plain_ns(programs[1], scenario, operation, 10)))
        found = [
            (
                kit_ns(programs[0], scenario, operation, repetitions, work),
                plain_ns(programs[1], scenario, operation, repetitions),
            )
            for _ in range(launches)
        ]
        kit.append(min(one for one, _ in found))
        plain.append(min(other for _, other in found))
    return kit, plain


def words(numbers: list[float]) -> str:
    """`12.3 [12.0 - 13.1]`."""
    return f"{statistics.median(numbers):.1f} [{min(numbers):.1f} - {max(numbers):.1f}]"


@click.command()
@click.option("--codec", "codecs", type=click.Choice(CODECS), multiple=True, default=CODECS, help="All by default.")
@click.option("--layouts", type=click.IntRange(1, LAYOUTS), default=LAYOUTS, show_default=True)
@click.option("--launches", type=click.IntRange(1), default=9, show_default=True, help="Of each program and layout.")
def main(codecs: tuple[str, ...], layouts: int, launches: int) -> None:
    """Build both sides and print a line a cell; no time is asserted, the table is for people."""
    build = Build("zig", BASELINE)
    build.configure()
    build.run(*(f"{side}-{c}-{layout}" for side in ("kit", "plain") for c in codecs for layout in range(layouts)))
    print(f"{'codec':<12}{'scenario':<15}{'operation':<12}{'kit':>32}{'plain':>32}{'kit/plain':>11}")
    with tempfile.TemporaryDirectory() as work:
        for codec in codecs:
            for scenario, operation in CELLS:
                kit, plain = compare(build.folder / "bin", codec, scenario, operation, Path(work), layouts, launches)
                ratio = statistics.median(kit) / statistics.median(plain)
                print(f"{codec:<12}{scenario:<15}{operation:<12}{words(kit):>32}{words(plain):>32}{ratio:>11.3f}")


if __name__ == "__main__":
    main()
