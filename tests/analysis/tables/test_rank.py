"""`lab rank` over runs whose true times are known."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.commands.rank import rank
from analysis.data.cells import RunCells, read_cells
from analysis.tables.rank import Ranking, parse_only, ranking
from bench.base.errors import LabError
from bench.model.cells import Operation
from bench.model.plan import Profile
from bench.scenarios.selection import Selection
from tests.support.recorded.calm_run import CalmMade
from tests.support.synthetic_run import BOTH, DESER, PUBLISHED, SER, Made, but


def scenario(name: str, times: dict[str, float], rounds: int = 20) -> Made:
    """Codecs with these times of a round trip."""
    made = Made(name, rounds)
    for codec, ns in times.items():
        made.codec(codec, {BOTH: ns, SER: ns / 2}, size=round(ns))
    return made.codec("rust/memcpy", {BOTH: 1.0}, control=True)


def cells(path: Path, made: Made) -> RunCells:
    """A run, read back."""
    return read_cells(made.write(path))


def ranked(
    *runs: RunCells,
    only: tuple[str, ...] = (),
    filters: tuple[str, ...] = (),
    excludes: tuple[str, ...] = (),
    operation: Operation | None = None,
) -> Ranking:
    """A ranking."""
    return ranking(runs, [parse_only(text) for text in only], Selection(filters, excludes), operation)


@pytest.fixture
def two(tmp_path: Path) -> list[RunCells]:
    """Codecs a, b and c: b takes 2 and 8 times as long as a, c 4 and 4 times; c and b are a tie over both."""
    return [
        cells(tmp_path / "one", scenario("process-created", {"rust/a": 100, "rust/b": 200, "rust/c": 400})),
        cells(tmp_path / "two", scenario("point", {"rust/a": 10, "rust/b": 80, "rust/c": 40, "rust/d": 5})),
    ]


def test_geometric_mean_over_the_scenarios_that_all_have(two: list[RunCells]) -> None:
    found = ranked(*two, excludes=("rust/d",))
    assert found.scenarios == ("point", "process-created")
    assert [(row.codec, row.rank, row.tied) for row in found.codecs] == [
        ("rust/a", 1, False),
        (found.codecs[1].codec, 2, True),
        (found.codecs[2].codec, 2, True),
    ]
    assert {row.codec for row in found.codecs[1:]} == {"rust/b", "rust/c"}
    for row in found.codecs[1:]:
        assert row.ratio.interval.holds(4.0)
        assert row.size == pytest.approx(4.0)
    assert next(row for row in found.codecs if row.codec == "rust/b").scenarios["point"] == pytest.approx(8, rel=0.02)


def test_a_scenario_that_one_codec_lacks_is_left_out_and_named(two: list[RunCells]) -> None:
    found = ranked(*two)
    assert found.scenarios == ("point",)
    assert found.codecs[0].codec == "rust/d"
    assert found.lacking == ("process-created is missing from rust/d",)


def test_the_order_of_runs_does_not_matter(two: list[RunCells]) -> None:
    assert ranked(*two) == ranked(*reversed(two))


def test_codecs_that_share_no_scenario_with_the_others_are_left_out_and_named(tmp_path: Path) -> None:
    runs = [
        cells(tmp_path / "one", scenario("process-created", {"rust/a": 1.0, "rust/b": 2.0})),
        cells(tmp_path / "two", scenario("point", {"rust/c": 1.0})),
    ]
    found = ranked(*runs)
    assert [row.codec for row in found.codecs] == ["rust/a", "rust/b"]
    assert found.scenarios == ("process-created",)
    assert found.lacking == (
        "rust/c, not measured in process-created",
        "point is missing from rust/a, rust/b",
    )


def test_the_operation_is_one_that_the_run_has(tmp_path: Path) -> None:
    made = Made("point", 8)
    for codec, ns in (("rust/a", 10.0), ("rust/b", 20.0)):
        made.codec(codec, {SER: ns, **({DESER: ns} if codec == "rust/a" else {})})
    run = cells(tmp_path / "run", made)
    found = ranked(run)
    assert found.operation == SER, "both have it"
    text = CliRunner().invoke(rank, [str(run.path)], catch_exceptions=False).output
    assert "Ranked by serialize; --operation ranks by another one." in text


def test_codecs_that_were_calm_in_one_layout_alone_are_left_out_and_named_together(tmp_path: Path) -> None:
    made = CalmMade(rounds=4, layouts=4)
    for codec, ns in (("rust/a", 100.0), ("rust/b", 200.0), ("rust/c", 300.0), ("rust/d", 400.0)):
        made.codec(codec, {BOTH: ns})
    made.disturbed_layouts = {"rust/a": {2, 3, 4}, "rust/b": {1, 2}, "rust/c": {3, 4}, "rust/d": {2, 3, 4}}
    found = ranked(cells(tmp_path / "run", made))
    assert [row.codec for row in found.codecs] == ["rust/b", "rust/c"]
    assert found.lacking == (f"rust/a, rust/d, too few of whose loops were calm in {made.scenario.name}",)


def test_codecs_and_scenarios_without_the_operation_are_named(tmp_path: Path) -> None:
    made = Made("point", 8)
    for codec, times in (("rust/a", {SER: 10.0}), ("rust/b", {SER: 20.0}), ("cpp/c", {DESER: 5.0})):
        made.codec(codec, times)
    other = Made("process-created", 8).codec("rust/a", {DESER: 1.0}).codec("rust/b", {DESER: 2.0})
    found = ranked(cells(tmp_path / "one", made), cells(tmp_path / "two", other), operation=SER)
    assert found.lacking == ("cpp/c, without a measured serialize", "process-created, without a measured serialize")


def test_several_runs_are_ranked_one_by_one(tmp_path: Path) -> None:
    scenario("process-created", {"rust/a": 1.0, "rust/b": 2.0}).write(tmp_path / "one")
    scenario("point", {"rust/c": 2.0, "rust/d": 1.0}).write(tmp_path / "two")
    Made("point", 8).codec("rust/memcpy", {BOTH: 1.0}, control=True).write(tmp_path / "three")
    result = CliRunner().invoke(rank, [str(tmp_path), "--json"], catch_exceptions=False)
    assert [[row["codec"] for row in one["codecs"]] for one in json.loads(result.stdout)] == [
        ["rust/a", "rust/b"],
        ["rust/d", "rust/c"],
    ]
    assert "Left out, " in result.stderr
    assert "no codec matches the filters" in result.stderr


def test_no_common_scenario_is_an_error_that_names_who_lacks_what(tmp_path: Path) -> None:
    runs = [
        cells(tmp_path / "one", scenario("process-created", {"rust/a": 1.0})),
        cells(tmp_path / "two", scenario("point", {"rust/b": 1.0})),
    ]
    with pytest.raises(LabError, match="point is missing from rust/a; process-created is missing from rust/b"):
        ranked(*runs)
    with pytest.raises(LabError, match="no codec matches the filters"):
        ranked(*runs, filters=("nothing",))


def test_a_run_without_the_published_conditions_is_told_which_they_are(tmp_path: Path) -> None:
    fresh = {SER: but(PUBLISHED[SER], buffer="fresh")}
    made = Made(rounds=8).codec("rust/a", {SER: 1.0}, conditions=fresh).codec("rust/b", {SER: 2.0}, conditions=fresh)
    run = cells(tmp_path / "run", made)
    with pytest.raises(LabError, match=r"buffer=reused.*Ask for other conditions with --only NAME=VALUE"):
        ranked(run, operation=SER)
    assert [row.codec for row in ranked(run, operation=SER, only=("buffer=fresh",)).codecs] == ["rust/a", "rust/b"]


@pytest.fixture
def mixed(tmp_path: Path) -> RunCells:
    """Codecs that differ in what --only asks for."""
    made = Made(rounds=8)
    made.codec("rust/safe", {BOTH: 100, SER: 50}, size=10)
    made.codec(
        "rust/unsafe", {BOTH: 50, SER: 50}, conditions=PUBLISHED | {BOTH: but(PUBLISHED[BOTH], validation="off")}
    )
    made.codec("rust/safe", {BOTH: 70}, conditions={BOTH: but(PUBLISHED[BOTH], output="borrowed")}, size=10)
    made.codec("cpp/named", {BOTH: 200})
    made.cells[-1] = msgspec.structs.replace(made.cells[-1], self_describing=True, format="CBOR")
    return cells(tmp_path / "mixed", made)


@pytest.mark.parametrize(
    ("only", "codecs"),
    [
        ((), ["rust/unsafe", "rust/safe", "cpp/named"]),
        (("validation=on",), ["rust/safe", "cpp/named"]),
        (("self-describing",), ["cpp/named"]),
        (("self-describing=no",), ["rust/unsafe", "rust/safe"]),
        (("zero-copy",), ["rust/safe"]),
        (("output=borrowed",), ["rust/safe"]),
        (("language=rust",), ["rust/unsafe", "rust/safe"]),
        (("language=rust", "validation=on"), ["rust/safe"]),
        (("format=cbor",), ["cpp/named"]),
    ],
)
def test_filters_by_conditions(mixed: RunCells, only: tuple[str, ...], codecs: list[str]) -> None:
    assert [row.codec for row in ranked(mixed, only=only).codecs] == codecs


def test_a_condition_that_does_not_apply_is_no_obstacle(mixed: RunCells) -> None:
    found = ranked(mixed, only=("validation=on",), operation=SER)
    assert {row.codec for row in found.codecs} == {"rust/safe", "rust/unsafe"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [("safe", "'safe' is not a condition"), ("validation", "give a value"), ("zero-copy=maybe", "is yes or no")],
)
def test_a_filter_that_says_nothing_is_refused(text: str, problem: str) -> None:
    with pytest.raises(LabError, match=problem):
        parse_only(text)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda run: {"environment": {**run.environment, "cpu": {"model": "Other"}}}, "environment.cpu.model"),
        (lambda run: {"provenance": {**run.provenance, "toolchain": "nix"}}, "provenance.toolchain"),
    ],
)
def test_runs_that_no_column_may_mix_are_refused_with_the_field(two: list[RunCells], change, field: str) -> None:
    other = msgspec.structs.replace(two[1], run=msgspec.structs.replace(two[1].run, id="other", **change(two[1].run)))
    with pytest.raises(LabError, match=field):
        ranked(two[0], other)


def test_output_for_people_and_for_programs(tmp_path: Path) -> None:
    path = scenario("point", {"rust/a": 10, "rust/b": 80}).write(tmp_path / "run")
    text = CliRunner().invoke(rank, [str(path)], catch_exceptions=False).output
    assert "Ser+Deser. over 1 scenario" in text
    assert "| 2 | rust/b |" in CliRunner().invoke(rank, [str(path), "--markdown"], catch_exceptions=False).output
    found = json.loads(CliRunner().invoke(rank, [str(path), "--json", "--operation", "serialize"]).output)
    assert [row["codec"] for row in found["codecs"]] == ["rust/a", "rust/b"]
    assert found["operation"] == Operation.SERIALIZE
    assert DESER not in found["scenarios"]


def test_a_condition_that_is_said_only_if_so_is_ranked_by_cells_that_have_it(tmp_path: Path) -> None:
    packed = {BOTH: but(PUBLISHED[BOTH], compression="zstd-3")}
    made = scenario("process-created", {"rust/a": 100, "rust/b": 200})
    for codec, ns in (("rust/a", 900), ("rust/b", 300)):
        made.codec(codec, {BOTH: ns}, conditions=packed)
    run = cells(tmp_path / "run", made)
    assert [row.codec for row in ranked(run).codecs] == ["rust/a", "rust/b"]
    assert [row.codec for row in ranked(run, only=("compression=zstd-3",)).codecs] == ["rust/b", "rust/a"]


def test_an_untimed_run_is_not_ranked_and_the_message_says_why(tmp_path: Path) -> None:
    run = cells(tmp_path / "run", scenario("process-created", {"rust/a": 100, "rust/b": 200}))
    untimed = msgspec.structs.replace(
        run, run=msgspec.structs.replace(run.run, plan=msgspec.structs.replace(run.run.plan, profile=Profile.UNTIMED))
    )
    with pytest.raises(LabError, match="is untimed: it has no times"):
        ranked(untimed)
