"""What codecs cost before they encode anything, as `lab count --footprint` recorded it on one machine."""

from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from analysis.base.text import count, duration_ns, plural
from analysis.data.judged.extras import Extras, newest_of_each
from analysis.tables.layout import NOTHING, Column, Grid, Lines, Section
from bench.model.counts import CountedRunner


class FootprintTable(Struct, frozen=True):
    """The programs of codecs' default builds, all built on one machine; empty where nothing is recorded."""

    machine: str = ""
    """Its processor and platform."""
    programs: Mapping[str, CountedRunner] = {}
    """Codec → its program, by name; scripts have none."""
    nothing: Mapping[str, CountedRunner] = {}
    """The control that does nothing of each language, by name: it has no more than itself."""

    def among(self, codecs: Container[str]) -> "FootprintTable":
        """Those of some codecs."""
        return replace(self, programs={codec: one for codec, one in self.programs.items() if codec in codecs})

    @property
    def lead(self) -> str:
        """What the columns mean."""
        return (
            "Program: what a process loads of the runner, which has code for all types of the lab, without symbols, "
            "less what it loads of the control that does nothing. Packages: those that the control does not have. "
            "Clean build: of the runner and all of its packages, the control's too, on "
            f"{self.machine}{''.join(self._own_builds())}."
        )

    def _own_builds(self) -> Iterator[str]:
        """`; LANGUAGE/NAME alone takes 38.2 s`: what a clean build of a language takes without any codec."""
        yield from (
            f"; {codec} alone takes {clean_build(one)[0]}" for codec, one in self.nothing.items() if one.compile_s
        )


def footprints_of(extras: Iterable[Extras]) -> FootprintTable:
    """The newest program of each codec, of the machine on which any was recorded last: builds of two do not compare."""
    files = sorted((one for extra in extras if (one := extra.footprints)), key=lambda one: one.created)
    if not files:
        return FootprintTable()
    last = files[-1]
    own = [one for one in files if (one.platform, one.cpu) == (last.platform, last.cpu)]
    held = newest_of_each((one.created, one.runners) for one in own)
    usual = ((codec, runner) for codec, runners in held.items() for runner in runners if not runner.variant)
    programs = {codec: runner for codec, runner in usual if runner.stripped_over_nothing_bytes is not None}
    nothing = {codec: one for codec, one in programs.items() if one.stripped_over_nothing_bytes == 0}
    return FootprintTable(", ".join(filter(None, (last.cpu, last.platform))), programs, nothing)


def footprint_grid(footprints: FootprintTable) -> Grid:
    """A row a codec, the smallest program of each language first."""

    def order(item: tuple[str, CountedRunner]) -> tuple[str, int, str]:
        codec, one = item
        return codec.partition("/")[0], one.stripped_over_nothing_bytes or 0, codec

    rows = tuple(
        ((codec,), program(one), packages(one), clean_build(one))
        for codec, one in sorted(footprints.programs.items(), key=order)
    )
    heads = ("Program (bytes)", "Packages", "Clean build")
    columns = Column(("Codec",), right=False), *(Column((head,)) for head in heads)
    return Grid("Footprint", columns, (Section(rows),))


def program(one: CountedRunner) -> Lines:
    """Bytes over those of the control."""
    return (NOTHING if one.stripped_over_nothing_bytes is None else count(one.stripped_over_nothing_bytes),)


def packages(one: CountedRunner) -> Lines:
    """Those that the control has not."""
    return (NOTHING if one.packages_over_nothing is None else count(one.packages_over_nothing),)


def clean_build(one: CountedRunner) -> Lines:
    """`14.2 s`."""
    return (NOTHING if one.compile_s is None else duration_ns(one.compile_s * 1e9),)


def footprint_words(footprints: FootprintTable, codec: str) -> tuple[str, ...]:
    """A sentence on a codec's footprint; none where it is not known."""
    one = footprints.programs.get(codec)
    if one is None:
        return ()
    told = [plural(one.stripped_over_nothing_bytes or 0, "byte")]
    if one.packages_over_nothing is not None:
        told.append(plural(one.packages_over_nothing, "package"))
    over = f"Footprint, over the control that does nothing: {' and '.join(told)}"
    build = f"; its clean build on {footprints.machine} took {clean_build(one)[0]}" if one.compile_s is not None else ""
    return (f"{over}{build}.",)
