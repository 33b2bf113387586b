"""The rows of the table of codecs beside each other: a fact is a named function from a codec to the lines of its cell.

Their order here is that of the table; a fact that no codec has makes no row.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from analysis.base.text import count, duration_ns, significant
from analysis.tables.counts.footprints import clean_build, packages, program
from analysis.tables.layout import NOTHING, Lines
from analysis.tables.side_by_side.candidates import Candidate, SideBySide
from analysis.tables.trust.shares import malformed_lines
from bench.model.cells import Operation

Says = Callable[[Candidate, SideBySide], Lines]
SaysOf = Callable[[Candidate, Operation], Lines]
BYTES, TIME, COUNTED, FOOTPRINT, TRUST, UPKEEP = "Bytes", "Time", "Work", "Footprint", "Trust", "Maintenance"


class FactKind(Struct, frozen=True):
    """A row of the table, or one for each operation."""

    section: str
    heading: str
    says: Says | None = None
    says_of: SaysOf | None = None
    """For facts of an operation, whose name is put before the heading."""

    def rows(self, table: SideBySide) -> Iterator[tuple[str, list[Lines]]]:
        """Heading → a cell for each codec, without rows of which nothing is known."""
        if self.says:
            own = [(self.heading, [self.says(one, table) for one in table.codecs])]
        else:
            own = [
                (f"{operation} {self.heading}".rstrip(), [self._of(one, operation) for one in table.codecs])
                for operation in table.operations
            ]
        yield from ((heading, cells) for heading, cells in own if any(cell != (NOTHING,) for cell in cells))

    def _of(self, one: Candidate, operation: Operation) -> Lines:
        return self.says_of(one, operation) if self.says_of and operation in one.figures else (NOTHING,)


FACTS: dict[str, FactKind] = {}
"""Every fact by the name of its function, in the order of the table."""


def fact(section: str, heading: str) -> Callable[[Says], Says]:
    """Registers a function as a row."""

    def registered(says: Says) -> Says:
        FACTS[says.__name__] = FactKind(section, heading, says=says)
        return says

    return registered


def fact_of_operation(section: str, heading: str = "") -> Callable[[SaysOf], SaysOf]:
    """Registers a function as a row for each operation."""

    def registered(says: SaysOf) -> SaysOf:
        FACTS[says.__name__] = FactKind(section, heading, says_of=says)
        return says

    return registered


@fact(BYTES, "format")
def format_name(one: Candidate, _: SideBySide) -> Lines:
    """What it writes."""
    return (one.format or NOTHING,)


@fact(BYTES, "reads what they wrote")
def reads(one: Candidate, table: SideBySide) -> Lines:
    """`rust/x 2 of 2 =`: in how many scenarios, and whether it would have written the same."""
    if not one.reads and all(other is one or other.format != one.format for other in table.codecs):
        return ("none of them",)
    lines = []
    for other, reading in one.reads.items():
        total = len(reading.read) + len(reading.refused)
        lines.append(f"{other} {len(reading.read)} of {total}{' =' if reading.same_bytes else ''}")
    return tuple(lines) or (NOTHING,)


@fact(BYTES, "size (bytes)")
def encoded_size(one: Candidate, table: SideBySide) -> Lines:
    """Of a message, and over the first codec's."""
    first = table.codecs[0].size_bytes
    if one.size_bytes is None:
        return (NOTHING,)
    if one is table.codecs[0] or not first:
        return (count(one.size_bytes),)
    return count(one.size_bytes), f"×{significant(one.size_bytes / first)}"


@fact_of_operation(TIME)
def time(one: Candidate, operation: Operation) -> Lines:
    """`43.1 ns`, and under it the ratio to the first codec, with `=` for a tie, and conditions that differ."""
    figure = one.figures[operation]
    ratio = [] if figure.ratio is None else [f"×{significant(figure.ratio.point)}{' =' if figure.tie else ''}"]
    return duration_ns(figure.ns), *ratio, *([figure.differs] if figure.differs else [])


@fact(TIME, "read in place")
def in_place(one: Candidate, _: SideBySide) -> Lines:
    """Every field, without copying; nothing where `access` has said it."""
    access = one.figures.get(Operation.ACCESS)
    if one.in_place_ns is None or (access and access.ns == one.in_place_ns):
        return (NOTHING,)
    return (duration_ns(one.in_place_ns),)


@fact_of_operation(COUNTED, "allocations")
def allocations(one: Candidate, operation: Operation) -> Lines:
    """Of one repetition, as its runner counted them."""
    number = one.figures[operation].allocations
    return (NOTHING if number is None else count(number),)


@fact_of_operation(COUNTED, "instructions")
def instructions(one: Candidate, operation: Operation) -> Lines:
    """Of one repetition, as `lab count` recorded them."""
    number = one.figures[operation].instructions
    return (NOTHING if number is None else count(number),)


@fact(FOOTPRINT, "program (bytes)")
def program_size(one: Candidate, _: SideBySide) -> Lines:
    """Over the control that does nothing."""
    return program(one.footprint) if one.footprint else (NOTHING,)


@fact(FOOTPRINT, "packages")
def number_of_packages(one: Candidate, _: SideBySide) -> Lines:
    """Over those of the control."""
    return packages(one.footprint) if one.footprint else (NOTHING,)


@fact(FOOTPRINT, "clean build")
def clean_build_time(one: Candidate, _: SideBySide) -> Lines:
    """Of all packages and the runner."""
    return clean_build(one.footprint) if one.footprint else (NOTHING,)


@fact(TRUST, "validates")
def validates(one: Candidate, _: SideBySide) -> Lines:
    """What it reads."""
    return ({True: "yes", False: "no", None: NOTHING}[one.validates],)


@fact(TRUST, "malformed input")
def malformed(one: Candidate, _: SideBySide) -> Lines:
    """Findings of `lab fuzz`."""
    return malformed_lines(one.trust.malformed) if one.trust.malformed else ("not fuzzed",)


@fact(TRUST, "suites of its format")
def conforms(one: Candidate, _: SideBySide) -> Lines:
    """What `lab conformance` recorded."""
    return one.trust.conformance.lines if one.trust.conformance else ("not asked",)


@fact(TRUST, "changed schemas")
def changed_schemas(one: Candidate, _: SideBySide) -> Lines:
    """What `lab evolution` recorded."""
    return one.trust.evolution.lines if one.trust.evolution else ("not asked",)


@fact(TRUST, "special values")
def special_values(one: Candidate, _: SideBySide) -> Lines:
    """What `lab fidelity` recorded."""
    return one.trust.fidelity.lines if one.trust.fidelity else ("not asked",)


@fact(TRUST, "schema evolves")
def evolves(one: Candidate, _: SideBySide) -> Lines:
    """By the format's specification."""
    return (one.specified.evolves.value if one.specified else "not stated",)


@fact(TRUST, "readable without a schema")
def self_describing(one: Candidate, _: SideBySide) -> Lines:
    """Whether messages describe themselves."""
    return ("yes" if one.self_describing else "no",)


@fact(UPKEEP, "measured version")
def measured_version(one: Candidate, _: SideBySide) -> Lines:
    """Of its library."""
    return (one.version or NOTHING,)


@fact(UPKEEP, "last release")
def last_release(one: Candidate, _: SideBySide) -> Lines:
    """`1.2.3`, and when."""
    return (one.maintained.release, one.maintained.released) if one.maintained else ("not looked up",)


@fact(UPKEEP, "advisories")
def advisories(one: Candidate, _: SideBySide) -> Lines:
    """Those that concern the measured version, and the number of others."""
    if one.maintained is None:
        return ("not looked up",)
    known = one.open_advisories
    fixed = len(one.maintained.advisories) - len(known)
    lines = [*(advisory.id for advisory in known), *([f"{fixed} fixed"] if fixed else [])]
    return tuple(lines) or ("none",)
