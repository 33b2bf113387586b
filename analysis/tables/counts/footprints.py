"""What codecs cost before they encode anything, as `lab count --footprint` recorded it."""

from collections.abc import Iterable, Mapping

from analysis.base.text import count, duration_ns
from analysis.data.judged.extras import Extras, newest_of_each
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.counts import CountedRunner

LEAD = (
    "Program: what a process loads of it, without symbols, less that of the language's control that does nothing; "
    "packages likewise. A clean build compiles all packages, one runner after another."
)


def footprints_of(extras: Iterable[Extras]) -> dict[str, CountedRunner]:
    """Codec → the program of its default build, of several runs the newest, by name; scripts have none."""
    held = newest_of_each((one.created, one.runners) for extra in extras if (one := extra.footprints))
    usual = ((codec, runner) for codec, own in held.items() for runner in own if not runner.variant)
    return {codec: runner for codec, runner in usual if runner.stripped_over_nothing_bytes is not None}


def footprint_grid(footprints: Mapping[str, CountedRunner]) -> Grid:
    """A row a codec, the smallest program of each language first."""

    def order(item: tuple[str, CountedRunner]) -> tuple[str, int, str]:
        codec, one = item
        return codec.partition("/")[0], one.stripped_over_nothing_bytes or 0, codec

    rows = tuple(
        ((codec,), program(one), packages(one), clean_build(one))
        for codec, one in sorted(footprints.items(), key=order)
    )
    heads = ("Program (bytes)", "Packages", "Clean build")
    return Grid("Footprint", (Column(("Codec",), right=False), *(Column((head,)) for head in heads)), (Section(rows),))


def program(one: CountedRunner) -> Lines:
    """Bytes over those of the control."""
    return (NOTHING if one.stripped_over_nothing_bytes is None else count(one.stripped_over_nothing_bytes),)


def packages(one: CountedRunner) -> Lines:
    """Those that the control has not."""
    return (NOTHING if one.packages_over_nothing is None else count(one.packages_over_nothing),)


def clean_build(one: CountedRunner) -> Lines:
    """`14.2 s`."""
    return (NOTHING if one.compile_s is None else duration_ns(one.compile_s * 1e9),)


def footprint_words(one: CountedRunner) -> str:
    """A sentence on a codec's footprint."""
    told = [f"{program(one)[0]} bytes of program"]
    if one.packages_over_nothing is not None:
        told.append(f"{packages(one)[0]} packages")
    over = f"Footprint, over the control that does nothing: {' and '.join(told)}"
    return f"{over}; its clean build took {clean_build(one)[0]}." if one.compile_s is not None else f"{over}."
