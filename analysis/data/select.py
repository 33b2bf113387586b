"""Selects the cell for a row and the run for a scenario, for every table, verdict, chart and export."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from analysis.data.cells import RunCells, ScenarioCells, Series
from bench.model.cells import SAID_IF_SO, Cell, Conditions, ControlRole, Operation, is_published
from bench.model.plan import Profile
from bench.model.record import Run

BORROWED = ("borrowed", "view")
"""Outputs that refer to the encoded message instead of copying from it."""

Chosen = Mapping[str, Mapping[Operation, Series]]
"""Codec → operation → the cell shown in the published table."""

# which cell


def build_order(series: Series) -> tuple[str, Cell]:
    """Cells in the order in which they stand for a codec: the build that every lab has first, then others."""
    return series.planned.variant, series.cell


@lru_cache(maxsize=10_000)
def candidates(cells: ScenarioCells, conditions: Conditions) -> tuple[Series, ...]:
    """The cells under given conditions; of several for a codec and operation, every table shows the first.

    The default build, such as that of the pinned compiler, comes before builds made on request.
    """
    plain = [series for (_, twin), series in cells.series.items() if not twin]
    fitting = [series for series in plain if is_published(series.cell.conditions, conditions)]
    return tuple(sorted(fitting, key=build_order))


def choose(cells: ScenarioCells, conditions: Conditions | None = None) -> dict[str, dict[Operation, Series]]:
    """The cells at the published conditions, or at those given; for a control without such a cell, its first one."""
    wanted = cells.scenario.published.conditions if conditions is None else conditions
    controls = [series for (_, twin), series in cells.series.items() if series.planned.control and not twin]
    result: dict[str, dict[Operation, Series]] = {}
    for series in (
        *candidates(cells, wanted),
        *sorted(controls, key=build_order),
    ):
        result.setdefault(series.cell.codec, {}).setdefault(series.cell.operation, series)
    return result


@lru_cache(maxsize=1_000)
def nearest(cells: ScenarioCells) -> Chosen:
    """For each codec and operation, the cell at the published conditions, else the one that differs in the fewest.

    So a library that cannot decode into an existing value is still shown; a mark at its time says what differs. Of
    cells that differ in as many, one whose output is the reader's own comes before one that borrows from the message,
    which is less work. Of several builds it is the default one.
    """
    published = cells.scenario.published.conditions
    wanted = dict.fromkeys(SAID_IF_SO) | dict(published.items())

    def distance(series: Series) -> tuple[int, bool, str, str]:
        conditions = series.cell.conditions
        others = [name for name, value in conditions.items() if wanted.get(name, value) != value]
        return len(others), conditions.output in BORROWED, series.planned.variant, str(series.cell)

    result: dict[str, dict[Operation, Series]] = {}
    for series in sorted((s for (_, twin), s in cells.series.items() if not twin), key=distance):
        result.setdefault(series.cell.codec, {}).setdefault(series.cell.operation, series)
    return result


def encoded_bytes(cells: ScenarioCells, codec: str) -> int | None:
    """Size of a codec's message: it depends on neither operation nor build. None where nothing was encoded."""
    encoding = encoding_cell(cells, codec)
    return encoding.encoded_bytes if encoding else None


def encoding_cell(cells: ScenarioCells, codec: str) -> Series | None:
    """A cell of a codec that has the size of its message: what a cell compresses has another size."""
    own = (one for (cell, _), one in cells.series.items() if cell.codec == codec and not cell.conditions.compression)
    return next((one for one in own if one.encoded_bytes), None)


def size_of(operations: Mapping[Operation, Series]) -> int | None:
    """Encoded bytes of a codec, from whichever of its cells has them; None where nothing is encoded."""
    return next((series.encoded_bytes for series in operations.values() if series.encoded_bytes), None)


def controls_of(cells: ScenarioCells, codec: str, operation: Operation, role: ControlRole) -> dict[str, Series]:
    """The measured controls with a role in an operation; those of the codec's own language come first."""
    chosen = {name: operations[operation] for name, operations in choose(cells).items() if operation in operations}
    fitting = {name: one for name, one in chosen.items() if one.planned.role is role and one.measured}
    return {name: fitting[name] for name in _own_language_first(codec, fitting)}


def limit_of(codec: str, controls: Mapping[str, Series], role: ControlRole | None) -> Series | None:
    """The control of a role, that no codec can be faster than: of the codec's own language where that has one."""
    fitting = [name for name, one in controls.items() if role and one.planned.role is role]
    return controls[_own_language_first(codec, fitting)[0]] if fitting else None


def _own_language_first(codec: str, names: Iterable[str]) -> list[str]:
    language = codec.partition("/")[0]
    return sorted(names, key=lambda name: (name.partition("/")[0] != language, name))


# which run


MOSTLY_PRECISE = 0.75
"""From this share of precise cells on, a run of a scenario is as good as any other."""
STEP = 0.25
"""Shares within the same step count as equal, of precise cells as of calm loops: that 4 % and not 0 % is chance."""
WHOLE = 0.5
"""A run with fewer of a scenario's rows than this share of what another timed run has was asked about a few codecs."""


Precedence = tuple[bool, bool, bool, int, int, int, str, str]
"""A sort key of runs: the greater comes first."""


def precedence(run: Run, scenario: str = "", rounds_whole: int = 0) -> Precedence:
    """Sort key of runs of a scenario: the greatest is the run that represents it.

    The profile `published` precedes `standard`, which precedes those without times; then a finished run wins, then the
    larger share of precise cells and then of calm loops, both in whole quarters, and of equal ones the newer run.
    Rounds count only where no precision ended a run: a scenario whose figures are precise early ends early.
    """
    ending = run.endings.get(scenario)
    return (
        run.plan.profile is Profile.PUBLISHED,
        run.plan.profile.is_timed,
        run.finished is not None,
        int(min(ending.precise_share, MOSTLY_PRECISE) / STEP) if ending else 0,
        int(ending.calm_share / STEP) if ending else 0,
        0 if ending else rounds_whole,
        run.created,
        run.id,
    )


def runs_by_scenario(runs: Iterable[RunCells]) -> dict[str, list[tuple[RunCells, ScenarioCells]]]:
    """Scenario → the runs that hold it, with their cells; the first run represents it. Sorted by name.

    They come in the order of `precedence`, but timed runs of a few codecs after the other timed ones.
    """
    result: dict[str, list[tuple[RunCells, ScenarioCells]]] = {}
    for run in runs:
        for cells in run.scenarios:
            result.setdefault(cells.scenario.name, []).append((run, cells))
    return {name: _ordered(name, held) for name, held in sorted(result.items())}


def _ordered(scenario: str, held: Sequence[tuple[RunCells, ScenarioCells]]) -> list[tuple[RunCells, ScenarioCells]]:
    rows = {codec for _, cells in held for codec in cells.scenario.published.rows}
    counted = [(run.run.plan.profile.is_timed, _row_count(cells, rows), run, cells) for run, cells in held]
    most = max((count for is_timed, count, _, _ in counted if is_timed), default=0)

    def key(one: tuple[bool, int, RunCells, ScenarioCells]) -> tuple[bool, bool, Precedence]:
        is_timed, count, run, cells = one
        return is_timed, count >= WHOLE * most, precedence(run.run, scenario, cells.rounds_whole)

    return [(run, cells) for _, _, run, cells in sorted(counted, key=key, reverse=True)]


def _row_count(cells: ScenarioCells, rows: Collection[str]) -> int:
    """How many of the published rows' codecs could run; of all codecs where nobody published rows."""
    planned = [one.planned for one in cells.series.values() if not one.planned.control and not one.planned.blocked]
    return len({one.cell.codec for one in planned if not rows or one.cell.codec in rows})
