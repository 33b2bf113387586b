"""`lab compare` over runs whose true times are known: what changed comes first, and what forbids a conclusion is said."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.commands.compare import compare, share_of
from analysis.data.cells import RunCells, read_cells
from analysis.data.comparable import check_mixable, differences, other_machine
from analysis.statistics.estimates import Estimate, Unit
from analysis.tables import compare as tables
from analysis.tables.compare import REBUILT, Comparison, compare_codecs, compare_runs, comparison_grid
from bench.base.errors import LabError
from bench.base.files import read_json, write_json
from bench.model.plan import PlannedCell, Profile
from bench.model.record import CanaryReference, Run
from tests.support.recorded.calm_run import CalmMade
from tests.support.synthetic_run import BOTH, DESER, PUBLISHED, SER, Made, but

Change = Callable[[Run], Run]


def made(**factors: float) -> Made:
    """Three codecs and the copying control; `factors` slow one of them down."""
    times = {"slow": 400.0, "middle": 200.0, "quick": 100.0}
    result = Made(rounds=20)
    for name, ns in times.items():
        result.codec(f"rust/{name}", {SER: ns * factors.get(name, 1), BOTH: 3 * ns * factors.get(name, 1)})
    return result.codec(
        "rust/memcpy", {SER: 10 * factors.get("memcpy", 1), BOTH: 20 * factors.get("memcpy", 1)}, control=True
    )


def written(path: Path, run: Made, change: Change = lambda run: run) -> Path:
    """A run folder whose run.json was changed."""
    run.write(path)
    write_json(path / "run.json", change(read_json(path / "run.json", Run)))
    return path


def cells(path: Path) -> RunCells:
    """A run, read back."""
    return read_cells(path)


def compared(tmp_path: Path, one: Made, other: Made, change: Change = lambda run: run) -> Comparison:
    """Two runs, the second with a changed run.json."""
    first = cells(written(tmp_path / "one", one, lambda run: msgspec.structs.replace(run, id="one")))
    second = cells(written(tmp_path / "other", other, lambda run: change(msgspec.structs.replace(run, id="other"))))
    return compare_runs(first, second)


def elsewhere(run: Run) -> Run:
    """The same run on another processor."""
    return msgspec.structs.replace(run, environment={**run.environment, "cpu": {"model": "Other CPU"}})


def call(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and output of `lab compare`."""
    result = CliRunner().invoke(compare, [str(argument) for argument in arguments], catch_exceptions=False)
    return result.exit_code, result.output


def test_what_changed_most_comes_first_and_ties_last(tmp_path: Path) -> None:
    found = compared(tmp_path, made(), made(middle=2, quick=0.8))
    names = [change.cell.split()[0] for change in found.changes]
    assert names[:4] == ["rust/middle", "rust/middle", "rust/quick", "rust/quick"]
    assert [change.tie for change in found.changes] == [False] * 4 + [True] * 4
    assert found.changes[0].ratio.interval.holds(2.0)
    assert found.changes[2].ratio.interval.holds(0.8)
    assert not found.paired
    assert found.differences == ()


def test_other_machines_compare_ratios_to_the_control(tmp_path: Path) -> None:
    """The other machine is three times as slow at everything, and `middle` alone twice as slow besides."""
    slower = made(slow=3, middle=6, quick=3, memcpy=3)
    found = compared(tmp_path, made(), slower, elsewhere)
    assert found.by_control
    ratios = {change.cell.split()[0]: change.ratio for change in found.changes}
    assert ratios["rust/middle"].interval.holds(2.0)
    assert ratios["rust/slow"].interval.holds(1.0)
    assert [(d.field, d.one, d.other) for d in found.differences] == [
        ("environment.cpu.model", "Synthetic CPU", "Other CPU")
    ]
    assert "only ratios to a control" in found.differences[0].forbids


def test_without_control_other_machines_cannot_be_compared(tmp_path: Path) -> None:
    one = Made(rounds=6).codec("rust/a", {SER: 100})
    with pytest.raises(LabError, match="no copying control that both runs measured"):
        compared(tmp_path, one, one, elsewhere)


@pytest.mark.parametrize(
    ("change", "field", "forbids"),
    [
        (
            lambda r: replace(r, provenance={**r.provenance, "toolchain": "nix"}),
            "provenance.toolchain",
            "the toolchain's",
        ),
        (lambda r: replace(r, environment={**r.environment, "os": "BeOS"}), "environment.os", "the system's"),
        (
            lambda r: replace(r, provenance={**r.provenance, "git_commit": "d" * 40}, plan=rebuilt(r, sha256="1" * 64)),
            "plan.cells.sha256",
            "different binaries of rust/memcpy, rust/middle, rust/quick and 1 more",
        ),
        (lambda r: replace(r, plan=rebuilt(r, version="2.0.0")), "library of rust/middle", "the library's"),
        (lambda r: replace(r, plan=replace(r.plan, profile=Profile.STANDARD)), "plan.profile", "different lengths"),
    ],
)
def test_what_differs_is_said_with_what_it_forbids(tmp_path: Path, change: Change, field: str, forbids: str) -> None:
    found = compared(tmp_path, made(), made(), change)
    assert any(d.field == field and forbids in d.forbids for d in found.differences), found.differences
    assert not found.by_control


def test_another_binary_is_told_at_its_rows_and_not_above_the_table(tmp_path: Path) -> None:
    def change(run: Run) -> Run:
        planned = [replace(p, sha256="1" * 64) if p.cell.codec == "rust/quick" else p for p in run.plan.cells]
        return replace(run, plan=replace(run.plan, cells=planned))

    grid = comparison_grid(compared(tmp_path, made(), made(), change), [])
    marked = {row[0][0].split()[0] for section in grid.sections for row in section.rows if REBUILT in row[0]}
    assert marked == {"rust/quick"}
    assert not any("binaries" in warning for warning in grid.warnings)
    assert any(note.startswith(f"{REBUILT}: ") for note in grid.notes)


def replace(value: msgspec.Struct, **changes: object):  # noqa: ANN201
    return msgspec.structs.replace(value, **changes)


def rebuilt(run: Run, **changes: object):  # noqa: ANN201
    """The plan with all its cells changed."""
    cells: list[PlannedCell] = [
        replace(p, **({k: v for k, v in changes.items() if k != "version" or not p.control})) for p in run.plan.cells
    ]
    return replace(run.plan, cells=cells)


def test_another_input_or_a_missing_cell_is_left_out_with_its_reason(tmp_path: Path) -> None:
    other = made().codec("rust/new", {SER: 5})
    found = compared(tmp_path, made(), other)
    assert [text for text in found.left_out if "rust/new" in text and "only in other" in text]

    def edited(run: Run) -> Run:
        scenario = run.scenarios[0]
        return replace(run, scenarios=[replace(scenario, input=replace(scenario.input, sha256="f" * 64))])

    with pytest.raises(LabError, match="different inputs of this scenario"):
        compared(tmp_path / "inputs", made(), made(), edited)


def test_two_codecs_are_paired_by_round_across_their_own_conditions(tmp_path: Path) -> None:
    run = made()
    run.codec("rust/derived", {DESER: 100}, conditions={DESER: but(PUBLISHED[DESER], api="derive", validation="off")})
    run.codec("rust/quick", {DESER: 200})
    found = compare_codecs(cells(run.write(tmp_path / "run")), "rust/derived", "rust/quick")
    (change,) = found.changes
    assert found.paired
    assert change.ratio.interval.holds(2.0)
    assert change.ratio.high / change.ratio.low < 1.05
    assert change.note == "api=derive → serde, validation=off → on"
    assert len(found.left_out) == 2
    with pytest.raises(LabError, match="'rust/quik' is not a codec with a value in this run; there are: rust/quick"):
        compare_codecs(cells(tmp_path / "run"), "rust/quik", "rust/slow")


@pytest.mark.parametrize(("factor", "limit", "code"), [(1.2, "5%", 1), (1.2, "25%", 0), (0.5, "5%", 0), (1.0, "5", 0)])
def test_fail_on_is_about_what_clearly_takes_longer(tmp_path: Path, factor: float, limit: str, code: int) -> None:
    written(tmp_path / "one", made())
    written(tmp_path / "other", made(middle=factor))
    found, text = call(tmp_path / "one", tmp_path / "other", "--fail-on", limit)
    assert found == code
    assert ("worse by more than" in text) is bool(code)


def test_fail_on_is_about_sizes_too(tmp_path: Path) -> None:
    Made(rounds=6).codec("rust/a", {SER: 100}, size=100).write(tmp_path / "one")
    Made(rounds=6).codec("rust/a", {SER: 100}, size=120).write(tmp_path / "other")
    code, text = call(tmp_path / "one", tmp_path / "other", "--fail-on", "10%")
    assert code == 1
    assert "bytes 100 → 120" in text
    assert call(tmp_path / "one", tmp_path / "other", "--fail-on", "25%")[0] == 0


@pytest.mark.parametrize(("factor", "code"), [(1.2, 1), (1.0, 0), (0.5, 0)])
def test_fail_on_times_takes_the_noise_floor_as_threshold(tmp_path: Path, factor: float, code: int) -> None:
    written(tmp_path / "one", made())
    written(tmp_path / "other", made(middle=factor))
    found, text = call(tmp_path / "one", tmp_path / "other", "--fail-on", "times")
    assert found == code
    assert ("takes longer by more than the noise floor of both runs:\nlab:   rust/middle" in text) is bool(code)


@pytest.mark.parametrize(("low", "floor", "longer"), [(1.05, 0.02, True), (1.05, 0.06, False), (0.99, 0.0, False)])
@pytest.mark.parametrize("same_binary", [True, False])
def test_a_cell_takes_longer_where_its_whole_interval_lies_beyond_the_floor(
    low: float, floor: float, longer: bool, same_binary: bool
) -> None:
    ratio = Estimate(1.08, low, 1.11, 0.9, 1.2, 8, Unit.LAYOUTS, 0.5, 7.0)
    sizes = {"one_bytes": 5, "other_bytes": 9}
    change = tables.Change("rust/a", "", 100, 108, ratio, floor=floor, same_binary=same_binary, rebuilt=False, **sizes)
    assert change.longer is longer


def test_fail_on_times_wants_runs_that_can_be_compared(tmp_path: Path) -> None:
    one = written(tmp_path / "one", made())
    with pytest.raises(LabError, match="different machines, so their times cannot fail anything"):
        call(one, written(tmp_path / "other", made(), elsewhere), "--fail-on", "times")
    quick = written(tmp_path / "quick", made(), lambda r: replace(r, plan=replace(r.plan, profile=Profile.QUICK)))
    with pytest.raises(LabError, match="is a quick run, whose times mean nothing"):
        call(one, quick, "--fail-on", "times")


@pytest.mark.parametrize("text", ["", "five", "-5%", "nan", "inf%"])
def test_a_share_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(LabError, match="is neither a percentage, such as"):
        share_of(text)


@pytest.mark.parametrize(("text", "share"), [("0", 0.0), ("0%", 0.0), ("1.5%", 0.015), ("5", 0.05)])
def test_a_share_is_a_percentage_from_0(text: str, share: float) -> None:
    assert share_of(text) == pytest.approx(share)


@pytest.mark.parametrize("limit", ["5%", "times"])
def test_a_cell_that_is_gone_fails_and_is_named(tmp_path: Path, limit: str) -> None:
    one, other = made(), made()
    other.cells = [planned for planned in other.cells if planned.cell.codec != "rust/quick"]
    for (first, second), code in (((one, other), 1), ((other, one), 0)):
        folder = tmp_path / str(code)
        paths = (written(folder / name, run) for name, run in (("one", first), ("other", second)))
        found, text = call(*paths, "--fail-on", limit)
        assert found == code
        assert ("no figure on the second side" in text) is bool(code)
        assert ("lab:   rust/quick process-created serialize" in text) is bool(code)


def test_a_cell_that_failed_on_the_second_side_fails(tmp_path: Path) -> None:
    other = made()
    cell = other.cell("rust/quick", SER)
    other.errors = dict.fromkeys(((cell, number) for number in range(other.rounds)), "killed by signal 11")
    paths = (written(tmp_path / name, run) for name, run in (("one", made()), ("other", other)))
    found, text = call(*paths, "--fail-on", "5%")
    assert found == 1
    assert f"lab:   {cell}: only in" in text


def test_two_codecs_of_a_run_may_offer_different_cells(tmp_path: Path) -> None:
    run = made()
    run.codec("rust/quick", {DESER: 200})
    run.write(tmp_path / "run")
    assert call(tmp_path / "run", "--codecs", "rust/quick", "rust/quick", "--fail-on", "5%")[0] == 0
    assert call(tmp_path / "run", "--codecs", "rust/slow", "rust/quick", "--fail-on", "5%")[0] == 0


def test_output_for_people_and_for_programs(tmp_path: Path) -> None:
    one, other = written(tmp_path / "one", made()), written(tmp_path / "other", made(middle=2), elsewhere)
    code, text = call(one, other)
    assert code == 0
    assert "environment.cpu.model: Synthetic CPU → Other CPU" in text
    assert "| rust/middle process-created" in call(one, other, "--markdown")[1]
    assert json.loads(call(one, other, "--json")[1])["by_control"] is True


def test_wrong_number_of_runs_is_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one", made())
    for arguments in ([one], [one, one, one], [one, one, "--codecs", "rust/slow", "rust/quick"]):
        with pytest.raises(LabError, match="give two runs"):
            call(*arguments)


# canaries, layouts, machines


def chained(**factors: float) -> CalmMade:
    """The same three codecs with canaries and layouts, in programs that the second run has anew."""
    result = CalmMade(rounds=24)
    for name, ns in {"slow": 400.0, "middle": 200.0, "quick": 100.0}.items():
        result.codec(f"rust/{name}", {SER: ns * factors.get(name, 1)})
    return result.twin("rust/quick", SER)


def test_runs_with_layouts_compare_by_layouts_and_beyond_the_floor(tmp_path: Path) -> None:
    found = compared(tmp_path, chained(), chained(middle=1.2, quick=1.005))
    by_name = {change.cell.split()[0]: change for change in found.changes}
    assert [name for name, change in by_name.items() if not change.tie] == ["rust/middle"]
    assert by_name["rust/middle"].ratio.kind is Unit.LAYOUTS
    assert by_name["rust/middle"].ratio.interval.holds(1.2)
    assert by_name["rust/quick"].floor > 0.005


def test_a_change_below_the_floor_is_a_tie_whatever_its_interval(tmp_path: Path) -> None:
    """Twins 5 % apart make a floor that no change of 10 % leaves; of one pair it is 12.7 times their distance."""
    one, other = made(), made(quick=1.1)
    for run in (one, other):
        run.twin("rust/slow", SER)
        noisy = run.loop_ns
        run.loop_ns = lambda slot, noisy=noisy: round(noisy(slot) * (1.05 if slot.twin else 1))  # type: ignore[method-assign,misc]
    found = compared(tmp_path, one, other)
    quick = next(change for change in found.changes if change.cell.startswith("rust/quick"))
    assert quick.ratio.low > 1
    assert quick.tie
    assert not quick.worse_by(0.05)


def test_other_programs_of_one_layout_tie_within_ten_per_cent(tmp_path: Path) -> None:
    """The same program may be faster by 8 %; of two programs that is what another link can do."""
    for name, sha256, tie in (("same", "0" * 64, False), ("other", "1" * 64, True)):
        found = compared(
            tmp_path / name,
            made().twin("rust/middle", SER, BOTH),
            made(quick=1.08).twin("rust/middle", SER, BOTH),
            lambda r, sha256=sha256: replace(r, plan=rebuilt(r, sha256=sha256)),
        )
        middle = next(change for change in found.changes if change.cell.startswith("rust/quick"))
        assert middle.tie is (tie and middle.same_binary is False)


def test_without_a_noise_floor_runs_tie_within_ten_per_cent(tmp_path: Path) -> None:
    for factor, tie in ((1.08, True), (1.3, False)):
        found = compared(tmp_path / str(factor), made(), made(quick=factor))
        assert {one.tie for one in found.changes if one.cell.startswith("rust/quick ")} == {tie}, found.changes


@pytest.mark.parametrize(
    "part", ["family", "model_number", "stepping", "microcode", "cache_bytes", "l2_cache_bytes", "l3_cache_bytes"]
)
@pytest.mark.parametrize("other", [26, None])
def test_another_processor_of_the_same_name_is_another_machine(tmp_path: Path, part: str, other: int | None) -> None:
    """Also where only one run says what it has."""

    def processor(run: Run, value: int | None) -> Run:
        cpu = {"model": "AMD EPYC"} | ({} if value is None else {part: value})
        return msgspec.structs.replace(run, environment={**run.environment, "cpu": cpu})

    one, second = (processor(made().run(), value) for value in (25, other))
    found = differences(one, second)
    assert [difference.field for difference in found] == [f"environment.cpu.{part}"]
    assert other_machine(found)
    with pytest.raises(LabError, match=f"environment.cpu.{part}"):
        check_mixable([one, msgspec.structs.replace(second, id="other")])


@pytest.mark.parametrize(("factor", "said"), [(1.04, False), (1.06, True), (0.9, True)])
def test_another_speed_of_the_same_machine_is_said(factor: float, said: bool) -> None:
    def calibrated(ns: float) -> Run:
        reference = CanaryReference(round(ns), round(ns), 1.0, 10_000)
        return msgspec.structs.replace(made().run(), calibration={"x86-64/1": reference})

    found = differences(calibrated(500_000), calibrated(500_000 * factor))
    assert bool(found) is said
    assert not other_machine(found)
