"""Which cell stands for a row and which run for a scenario: asked of every part that answers, over all recorded runs."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from analysis.claims.definitions import Side
from analysis.claims.ledger import has_no_interval, ledger
from analysis.claims.measurements import measure
from analysis.data.cells import Series, read_cells
from analysis.data.inference import ratio_of
from analysis.data.select import candidates, choose, controls_of, encoded_bytes, nearest, precedence, runs_by_scenario
from analysis.render.recorded.results import readme_table
from analysis.site.calculator import calculator_page
from analysis.site.gather import gather, gathered
from analysis.sources.publications import Kind
from analysis.tables.rank import ranking
from analysis.tables.reports import RunReport
from bench.base.files import read_json, write_json
from bench.model.cells import Conditions, ControlRole
from bench.model.plan import Profile
from bench.model.record import Ending, EndingRule, Run
from bench.scenarios.selection import Selection
from tests.support.recorded.committed import recorded, recorded_cells
from tests.support.scenarios.committed import committed_claims
from tests.support.synthetic_run import BOTH, DESER, ROUND_TRIP, SER, SERIALIZE, Made, but, usual

BOOK = committed_claims()
DIRECTIONS = {entry.id: entry.claim.direction for entry in BOOK.entries}
KINDS = {entry.id: entry.kind for entry in BOOK.entries}


# the ledger and the tables


def table_of(report: RunReport) -> Mapping[tuple[str, str, str], Series]:
    """(Codec, scenario, operation) → the very cell whose time the tables of a run print, whichever form they have."""
    return {
        (row.codec, one.scenario.name, operation.value): measures.series
        for one in report.scenarios
        for section in one.table.sections
        for row in section.rows
        for operation, measures in row.measures.items()
        if measures.timing
    }


def stands_in(side: Side, series: Series) -> bool:
    """Whether a cell of the table has the conditions that a claim's side names."""
    has = dict(series.cell.conditions.items())
    return all(
        has.get(name) == value for name, value in side.conditions.items() if name in Conditions.__struct_fields__
    )


def test_every_factor_of_the_ledger_is_that_of_the_cells_in_the_table() -> None:
    compared = 0
    for report in recorded():
        run, table = report.cells, table_of(report)
        for entry in BOOK.entries:
            measured = measure(entry, run)
            timed = entry.kind in (Kind.TIME, Kind.TIME_PER_ITEM, Kind.TIME_RATIO, Kind.SPEEDUP)
            if measured.pair is None or measured.figure is None or not timed:
                continue
            row, than = measured.pair.one, measured.pair.other
            sides = [table[side.codec, side.scenario, side.operation] for side in (row, than)]
            if not all(map(stands_in, (row, than), sides)):
                continue  # a claim of another column, whose cells are variants in the table
            ratio = ratio_of(*sides)
            assert ratio is not None
            factor = ratio.point * than.items / row.items
            expected = 1 / factor if entry.claim.direction == "less" else factor
            assert measured.figure.point == pytest.approx(expected, rel=1e-12), entry.id
            compared += 1
    assert compared >= 100


def test_ratios_to_the_reference_of_a_publication_stand_alike_in_ledger_and_table() -> None:
    """Claims that a publication makes of another's scenario may be over another codec than the table's reference."""
    relative: dict[tuple[str, str, str, str], float] = {}
    reports = recorded()
    first = {name: held[0][0].run.id for name, held in runs_by_scenario(one.cells for one in reports).items()}
    references = set[tuple[str, str]]()
    for report in reports:
        for one in (one for one in report.scenarios if first[one.scenario.name] == report.run.id):
            for section in one.table.sections:
                for row in section.rows:
                    if row.relative.here:
                        references.add((one.scenario.name, str(section.reference)))
                        key = (row.codec, one.scenario.name, section.operation.value, str(section.reference))
                        relative[key] = row.relative.here.point
    compared = 0
    for entry in ledger(BOOK, [report.cells for report in reports]):
        words = [*entry.cell.split()[:3], *(side.split()[0] for side in entry.than)]
        if KINDS.get(entry.id) is Kind.TIME_RATIO and entry.measured and (words[1], words[3]) in references:
            ratio = relative[tuple(words)]
            expected = 1 / ratio if DIRECTIONS[entry.id] == "less" else ratio
            assert entry.measured.point == pytest.approx(expected, rel=1e-12), entry.id
            compared += 1
    assert compared >= 30


def test_every_size_of_the_ledger_is_that_of_the_table() -> None:
    for run in recorded_cells():
        for cells in run.scenarios:
            printed = {
                codec: {s.encoded_bytes for s in ops.values() if s.encoded_bytes}
                for codec, ops in choose(cells).items()
            }
            for codec, sizes in printed.items():
                assert encoded_bytes(cells, codec) in (sizes or {None}), (codec, cells.scenario.name)


# which cell


def builds() -> Made:
    """A codec built by two compilers; the one that only some labs have comes first by name."""
    pinned, system = (but(SERIALIZE, compiler=name) for name in ("zig", "system"))
    made = Made().codec("cpp/a", {SER: 100.0}, conditions={SER: pinned})
    made.codec("cpp/a", {SER: 50.0}, conditions={SER: system}, variant="compiler=system")
    return made.codec("cpp/a", {SER: 90.0}, conditions={SER: but(pinned, buffer="fresh")})


def test_of_several_builds_the_one_that_every_lab_has_stands_for_a_row(tmp_path: Path) -> None:
    cells = read_cells(builds().write(tmp_path / "run")).scenarios[0]
    for chosen in (choose(cells), nearest(cells)):
        assert chosen["cpp/a"][SER].cell.conditions == but(SERIALIZE, compiler="zig")


def test_other_conditions_choose_other_cells(tmp_path: Path) -> None:
    cells = read_cells(builds().write(tmp_path / "run")).scenarios[0]
    published = cells.scenario.published.conditions
    fresh = msgspec.structs.replace(published, buffer="fresh")
    assert choose(cells, fresh)["cpp/a"][SER].cell.conditions.buffer == "fresh"
    assert [one.planned.variant for one in candidates(cells, published)] == ["", "compiler=system"]


def test_a_cell_that_compresses_is_not_nearest_to_a_publication_that_does_not(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {BOTH: 100.0}, conditions={BOTH: but(ROUND_TRIP, compression="lz4")})
    made.codec("rust/a", {BOTH: 100.0}, conditions={BOTH: ROUND_TRIP}, variant="other")
    cells = read_cells(made.write(tmp_path / "run")).scenarios[0]
    assert nearest(cells)["rust/a"][BOTH].cell.conditions == ROUND_TRIP


def test_a_control_is_known_by_its_role_and_the_codec_s_own_language_comes_first(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {SER: 100.0}).codec("cpp/b", {SER: 100.0})
    made.codec("cpp/memcpy", {SER: 5.0}, control=True).codec("rust/memcpy", {SER: 4.0}, control=True)
    made.codec("rust/noop", {SER: 1.0, DESER: 1.0}, control=True)
    cells = read_cells(made.write(tmp_path / "run")).scenarios[0]
    assert [*controls_of(cells, "rust/a", SER, ControlRole.COPY)] == ["rust/memcpy", "cpp/memcpy"]
    assert [*controls_of(cells, "cpp/b", SER, ControlRole.COPY)] == ["cpp/memcpy", "rust/memcpy"]
    assert [*controls_of(cells, "rust/a", DESER, ControlRole.COPY)] == []
    assert [*controls_of(cells, "rust/a", DESER, ControlRole.NOTHING)] == ["rust/noop"]


def test_controls_of_recorded_runs_have_a_role() -> None:
    """Their runners did not say it yet: reading fills it in."""
    planned = [one for run in recorded_cells() for one in run.run.plan.cells]
    assert {one.role is not None for one in planned if one.control} == {True}
    assert {one.role for one in planned if not one.control} == {None}


# which run


def test_the_order_in_which_runs_speak() -> None:
    """Each run differs from the one before it in one thing, and speaks after it."""
    best = usual().run()
    of_profile = {p: msgspec.structs.replace(best, plan=msgspec.structs.replace(best.plan, profile=p)) for p in Profile}
    older = msgspec.structs.replace(best, created="2025-01-01T00:00:00+00:00")
    name = best.scenarios[0].name

    def ended(run: Run, precise: float, calm: float = 0.6) -> Run:
        ending = Ending(EndingRule.BUDGET, 10, 8, 60.0, precise, calm)
        return msgspec.structs.replace(run, endings={name: ending})

    ordered = [
        precedence(ended(best, 0.76), name, 9),
        precedence(ended(older, 0.99), name, 20),
        precedence(ended(best, 0.6), name, 20),
        precedence(ended(older, 0.7, 0.7), name, 20),
        precedence(ended(best, 0.7, 0.4), name, 20),
        precedence(ended(best, 0.3), name, 20),
        precedence(best, name, 20),
        precedence(best, name, 10),
        precedence(older, name, 10),
        precedence(msgspec.structs.replace(best, finished=None), name, 20),
        precedence(of_profile[Profile.STANDARD], name, 20),
        precedence(of_profile[Profile.QUICK], name, 20),
    ]
    assert ordered == sorted(ordered, reverse=True)
    assert len(set(ordered)) == len(ordered)


@pytest.fixture
def two_runs(tmp_path: Path) -> list[Path]:
    """An older run with more rounds and a newer one with fewer, of one scenario."""
    paths = [usual(rounds=10).write(tmp_path / "many"), usual(rounds=6).write(tmp_path / "few")]
    for path, day in zip(paths, ("02", "03"), strict=True):
        run = read_json(path / "run.json", Run)
        changes = {"id": f"202501{day}T030405Z-{path.name}", "created": f"2025-01-{day}T03:04:05+00:00"}
        write_json(path / "run.json", msgspec.structs.replace(run, **changes))
    return paths


def test_ledger_site_readme_calculator_and_ranking_take_one_run(two_runs: list[Path]) -> None:
    lab, cells = gather(two_runs), [*map(read_cells, two_runs)]
    first = lab.scenarios["process-created"][0][0].run
    assert first.id == "20250102T030405Z-many"
    telling = [entry.measurements[0].run for entry in lab.ledger if entry.measured]
    assert telling
    assert {*telling, *(one.run for one in lab.rankings if one.run)} == {first.id}
    assert f"Run {first.id};" in readme_table(lab.runs, "process-created")
    assert calculator_page(lab).extra["scenarios"]["process-created"]["run"] == first.id
    assert ranking(cells, [], Selection([], [])).rounds == {"process-created": 10}
    assert runs_by_scenario(cells)["process-created"][0][0].run.id == first.id


def test_a_run_of_a_few_codecs_stands_for_no_scenario_that_another_run_holds_whole(tmp_path: Path) -> None:
    whole = usual().write(tmp_path / "whole")
    run = read_json(whole / "run.json", Run)
    standard = msgspec.structs.replace(run.plan, profile=Profile.STANDARD)
    write_json(whole / "run.json", msgspec.structs.replace(run, plan=standard, id="20240102T030405Z-whole"))
    few = Made(rounds=10).codec("rust/postcard", {SER: 43}).write(tmp_path / "few")
    cells = [*map(read_cells, (few, whole))]
    assert max(cells, key=lambda one: precedence(one.run)).path == few  # by itself it is the better one
    assert [run.path for run, _ in runs_by_scenario(cells)["process-created"]] == [whole, few]
    untimed = msgspec.structs.replace(run.plan, profile=Profile.UNTIMED)
    write_json(whole / "run.json", msgspec.structs.replace(run, plan=untimed))
    cells = [*map(read_cells, (whole, few))]
    assert [run.path for run, _ in runs_by_scenario(cells)["process-created"]] == [few, whole]  # which has times


def test_the_site_s_run_of_each_recorded_scenario_is_the_ledger_s() -> None:
    """Unless that run has no figure for a claim, or none with an interval, and another one has."""
    lab = gathered(recorded())
    of_cells = [entry for entry in lab.ledger if entry.measured and entry.measurements]  # sizes of documents: no cell
    assert of_cells
    for entry in of_cells:
        cannot = {one.run for one in entry.measurements if one.figure is None or has_no_interval(one)}
        shown = lab.scenarios[entry.cell.split()[1]][0][0].run.id
        assert entry.measurements[0].run == shown or shown in cannot


def test_conditions_that_nobody_declared_choose_nothing(tmp_path: Path) -> None:
    cells = read_cells(usual().write(tmp_path / "run")).scenarios[0]
    assert choose(cells, Conditions(api="manual", compression="lz4")).keys() == {
        "rust/noop",
        "rust/memcpy",
        "rust/clone",
    }


def test_a_compressed_message_does_not_give_a_codec_its_size(tmp_path: Path) -> None:
    packed = Made().codec("rust/a", {BOTH: 100.0}, conditions={BOTH: but(ROUND_TRIP, compression="zstd-1")}, size=177)
    (cells,) = read_cells(packed.write(tmp_path / "packed")).scenarios
    assert encoded_bytes(cells, "rust/a") is None
    plain = packed.codec("rust/a", {SER: 100.0}, size=230)
    (cells,) = read_cells(plain.write(tmp_path / "plain")).scenarios
    assert encoded_bytes(cells, "rust/a") == 230
