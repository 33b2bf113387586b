"""From the rows of the tables to text in cells: what terminal and Markdown both show, in the same words."""

from msgspec import Struct

from analysis.base.text import bounds, count, heading, ms, short, significant, size
from analysis.statistics.intervals import Interval
from analysis.statistics.ratios import is_tie
from analysis.tables import notes
from analysis.tables.files import FileRow, FileSection
from analysis.tables.form import CodecRow, PublishedForm, Timing, size_percent
from analysis.tables.items import ItemRow, ItemSection
from analysis.tables.variants import Allocations, Beside, BesideRow, Changed, Variant
from bench.model.cells import Operation
from bench.model.plan import Profile
from bench.model.record import Run
from bench.model.scenario import TableForm

NOTHING = "–"
MEANINGLESS = "QUICK: these numbers mean nothing"
CONTROLS = "controls: no serialization"

Lines = tuple[str, ...]
"""The lines of one cell; the second explains the first."""


class Column(Struct, frozen=True):
    """A column with its heading."""

    heading: Lines
    right: bool = True


class Section(Struct, frozen=True):
    """Rows that stand together, under a name where they have one."""

    rows: tuple[tuple[Lines, ...], ...]
    name: str | None = None


class Grid(Struct, frozen=True):
    """A table as text, with what its reader must know first (`warnings`) and below it (`notes`)."""

    title: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def published_grid(form: PublishedForm, run: Run) -> Grid:
    """The table in the form of the publication."""
    scenario = form.scenario
    operations = [*scenario.operations]
    relative = ("relative to", short(form.reference) if form.reference else NOTHING)
    columns = [
        Column(("#",)),
        Column(("Codec", "published as") if scenario.published.rows else ("Codec",), right=False),
        Column(("Size (b)",)),
        *(Column((f"{heading(operation)} (ms)",)) for operation in operations),
        Column(relative),
    ]

    def cells(row: CodecRow) -> tuple[Lines, ...]:
        return (
            (f"{row.rank}{'=' if row.tied else ''}" if row.rank is not None else NOTHING,),
            (row.codec, f"“{row.published_name}”") if row.published_name else (row.codec,),
            size_cell(row, form),
            *(timing_cell(row, operation) for operation in operations),
            relative_cell(row, form),
        )

    sections = [Section(tuple(cells(row) for row in form.codecs))] if form.codecs else []
    if form.controls:
        sections.append(Section(tuple(cells(row) for row in form.controls), CONTROLS))
    return Grid(
        title=titled(f"{scenario.title} ({scenario.name})", run),
        columns=tuple(columns),
        sections=tuple(sections),
        warnings=notes.warnings(form, run),
        notes=notes.under_published(form, run),
    )


def files_grid(sections: tuple[FileSection, ...], cached: float | None, form: PublishedForm, run: Run) -> Grid:
    """The table of rows in files: a section an operation, under each number the published one."""
    scenario = form.scenario
    columns = (
        Column(("#",)),
        Column(("Codec", "published as") if scenario.published.rows else ("Codec",), right=False),
        Column(("MiB",)),
        Column(("Time (ms)",)),
        Column(("µs a", "row")),
        Column(("µs a", "match")),
        Column(("Mbit/s",)),
        Column(("Calls", "a row")),
        Column(("Peak", "memory")),
        Column(("relative",)),
    )

    def cells(row: FileRow) -> tuple[Lines, ...]:
        return (
            (
                f"{row.rank}{'=' if row.tied else ''}"
                if row.rank is not None
                else "control"
                if row.control
                else NOTHING,
            ),
            (row.codec, f"“{row.published_name}”") if row.published_name else (row.codec,),
            over_published(row.here.size_mib, row.published.size_mib),
            file_time_cell(row),
            over_published(row.here.us_a_row, row.published.us_a_row),
            over_published(row.here.us_a_match, row.published.us_a_match),
            over_published(row.here.rate_mbit_s, row.published.rate_mbit_s),
            (NOTHING if row.calls_a_row is None else significant(row.calls_a_row),),
            (NOTHING if row.peak_memory_bytes is None else size(row.peak_memory_bytes),),
            file_relative_cell(row),
        )

    def named(section: FileSection) -> str:
        return f"{section.operation}{f', relative to {short(section.reference)}' if section.reference else ''}"

    return Grid(
        title=titled(f"{scenario.title} ({scenario.name})", run),
        columns=columns,
        sections=tuple(Section(tuple(map(cells, one.rows)), named(one)) for one in sections if one.rows),
        warnings=notes.warnings(form, run),
        notes=notes.under_files(form, cached, run),
    )


def items_grid(sections: tuple[ItemSection, ...], shape: TableForm, form: PublishedForm, run: Run) -> Grid:
    """The table of a publication's own form: a section an operation, under each number the published one."""
    scenario = form.scenario
    columns = (
        Column(("Codec", "published as"), right=False),
        Column(("Bytes",)),
        *([Column(("smaller than", f"{short(shape.smaller_than)} (%)"))] if shape.smaller_than else []),
        Column(("Time (ms)",)),
        *([Column((f"µs a{'n' if shape.item[0] in 'aeiou' else ''}", shape.item))] if shape.items else []),
        *(Column(("times as fast", f"as {short(other)}")) for other in shape.relative_to),
    )

    def cells(row: ItemRow) -> tuple[Lines, ...]:
        ratios = zip(row.times_as_fast, row.published_times_as_fast, strict=True)
        return (
            (row.codec, f"“{row.published_name}”") if row.published_name else (row.codec,),
            (NOTHING if row.size_bytes is None else count(row.size_bytes),),
            *([over_published(row.smaller_percent, row.published_smaller_percent)] if shape.smaller_than else []),
            ("error",) if row.timing is None else timing_lines(row.timing),
            *([over_published(row.us_an_item, row.published_us_an_item)] if shape.items else []),
            *(ratio_lines(here, published) for here, published in ratios),
        )

    return Grid(
        title=titled(f"{scenario.title} ({scenario.name})", run),
        columns=columns,
        sections=tuple(Section(tuple(map(cells, one.rows)), str(one.operation)) for one in sections if one.rows),
        warnings=notes.warnings(form, run),
        notes=notes.under_items(sections, form, shape, run),
    )


def ratio_lines(here: Interval | None, published: float | None) -> Lines:
    """`1.34 [1.31 – 1.37]`, and under it the published ratio."""
    if here is None:
        return (NOTHING,)
    first = f"{significant(here.point)} {bounds(here)}".rstrip()
    return (first,) if published is None else (first, f"published {significant(published)}")


def over_published(here: float | None, published: float | None) -> Lines:
    """A number, and the published one under it."""
    first = NOTHING if here is None else significant(here, 4)
    return (first,) if published is None or here is None else (first, f"published {significant(published, 4)}")


def file_time_cell(row: FileRow) -> Lines:
    """`2476 [2401 – 2533]`, and under it the published time with the ratio measured / published."""
    if (timing := row.timing) is None:
        return ("error",)
    spread = f" [{significant(timing.min_ms)} – {significant(timing.max_ms)}]" if timing.rounds > 1 else ""
    first = f"{significant(timing.median_ms, 4)}{spread}{marks(timing)}"
    if row.published.time_ms is None:
        return (first,)
    ratio = significant(timing.median_ms / row.published.time_ms)
    return first, f"published {significant(row.published.time_ms, 4)} ×{ratio}"


def file_relative_cell(row: FileRow) -> Lines:
    """`1.34 [1.31 – 1.37]`, and under it the same ratio of the published times."""
    if row.relative is None:
        return (NOTHING,)
    first = f"{significant(row.relative.point)} {bounds(row.relative)}".rstrip()
    return (first,) if row.relative_published is None else (first, f"published {significant(row.relative_published)}")


def size_cell(row: CodecRow, form: PublishedForm) -> Lines:
    """`298 [+27%]`, and for scenarios of many rows the bytes of one row."""
    if row.size_bytes is None:
        return (NOTHING,)
    first = f"{row.size_bytes} [{size_percent(row.size_bytes, form.scenario.data_size_bytes):+d}%]"
    generator = form.scenario.input.generator
    return (first, f"{significant(row.size_bytes / generator.rows, 4)} a row") if generator else (first,)


def timing_cell(row: CodecRow, operation: Operation) -> Lines:
    """`2.53 [2.06 – 3.01]`, and under it the published median with the ratio measured / published."""
    if (timing := row.timings.get(operation)) is None:
        return ("error" if operation in row.failed else NOTHING,)
    return timing_lines(timing)


def timing_lines(timing: Timing) -> Lines:
    """`2.53 [2.06 – 3.01]`, and under it the published median with the ratio measured / published."""
    middle = timing.median_ms
    range_ms = f" [{ms(timing.min_ms, middle)} – {ms(timing.max_ms, middle)}]" if timing.rounds > 1 else ""
    first = f"{ms(timing.median_ms)}{range_ms}{marks(timing)}"
    if timing.published_ms is None:
        return (first,)
    return first, f"published {ms(timing.published_ms)} ×{significant(timing.median_ms / timing.published_ms)}"


def marks(timing: Timing, footnotes: tuple[notes.Footnote, ...] = notes.FOOTNOTES) -> str:
    """The footnote marks of a cell."""
    found = "".join(footnote.mark for footnote in footnotes if footnote.applies(timing))
    return f" {found}" if found else ""


def relative_cell(row: CodecRow, form: PublishedForm) -> Lines:
    """`1.34 [1.31 – 1.37]`, and under it the same ratio of the published medians."""
    here, published = row.relative.here, row.relative.published
    if here is None:
        return (NOTHING,)
    is_reference = row.codec == form.reference
    first = "1" if is_reference else f"{significant(here.point)} {bounds(here)}".rstrip()
    if published is None:
        return (first,)
    return first, f"published {'1' if is_reference else significant(published)}"


def beside_grid(table: Beside, form: PublishedForm, run: Run, remarks: tuple[str, ...] = ()) -> Grid:
    """What the published method hides; `remarks`: what was found out about the run after it."""
    columns = [
        Column(("Codec",), right=False),
        *(Column((heading(variant.operation), *condition_lines(variant))) for variant in table.variants),
        *(Column((heading(operation), "allocs")) for operation in table.operations),
        Column(("Start-up", "(ms)", "loading")),
        Column(("Memory", "base / peak")),
    ]

    def cells(row: BesideRow) -> tuple[Lines, ...]:
        return (
            (row.codec,),
            *(ratio_cell(row.variants.get(variant)) for variant in table.variants),
            *(allocations_cell(row.allocations.get(operation)) for operation in table.operations),
            start_up_cell(row),
            memory_cell(row),
        )

    codecs = tuple(cells(row) for row in table.rows if not row.control)
    controls = tuple(cells(row) for row in table.rows if row.control)
    sections = [Section(codecs)] if codecs else []
    return Grid(
        title=titled(f"Beside the published method: {form.scenario.name}", run),
        columns=tuple(columns),
        sections=(*sections, Section(controls, CONTROLS)) if controls else tuple(sections),
        notes=(*notes.under_beside(table), *remarks),
    )


def ratio_cell(changed: Changed | None) -> Lines:
    """`×0.43`, with `=` where the interval holds 1, over its interval."""
    if changed is None:
        return (NOTHING,)
    ratio = changed.ratio
    tie = " =" if is_tie(ratio) and ratio.low < ratio.high else ""
    first = f"×{significant(ratio.point)}{tie}{marks(changed.timing, notes.CLOCK_FOOTNOTES)}"
    return (first, bounds(ratio)) if bounds(ratio) else (first,)


def allocations_cell(allocations: Allocations | None) -> Lines:
    """How many, over how many bytes."""
    if allocations is None:
        return (NOTHING,)
    return (str(allocations.count), size(allocations.size_bytes)) if allocations.count else ("0",)


def start_up_cell(row: BesideRow) -> Lines:
    """`35.1`, and under it `+12.3`, what loading the codec's library takes of it."""
    if row.start_up_ms is None:
        return (NOTHING,)
    first = significant(row.start_up_ms)
    return (first,) if row.loading_ms is None else (first, f"{row.loading_ms:+.2g}")


def memory_cell(row: BesideRow) -> Lines:
    """Base over peak memory."""
    known = [NOTHING if value is None else size(value) for value in (row.base_memory_bytes, row.peak_memory_bytes)]
    return (NOTHING,) if known == [NOTHING, NOTHING] else tuple(known)


def condition_lines(variant: Variant) -> list[str]:
    """`output=borrowed` as two lines, so that the column stays narrow."""
    return [line for pair in variant.conditions.split() for line in pair.replace("=", "= ").split()]


def titled(text: str, run: Run) -> str:
    """A title, which says of a `quick` run what it is worth."""
    return f"{text} – {MEANINGLESS}" if run.plan.profile is Profile.QUICK else text
