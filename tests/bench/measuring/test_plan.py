"""The plan is a function of its seed: whole, shuffled, repeatable."""

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.base.errors import LabError
from bench.measuring.order import choose_twins, scenario_order, shard, slots
from bench.measuring.profiles import (
    BASE_ROUNDS,
    INPUT_BYTES_A_SECOND,
    least_rounds_of,
    loops_of,
    proof_estimate_s,
    repetitions_of,
    round_up_125,
)
from bench.measuring.remaining import Remaining
from bench.model.cells import Cell, Conditions, Operation, is_published
from bench.model.plan import Design, Draft, DraftedCell, Encoded, Plan, PlannedCell, ProcessKind, Profile, Stage, Timed
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()


def drafted(codec: str, scenario: str = "point", control: bool = False) -> DraftedCell:
    return DraftedCell(
        cell=Cell(codec, scenario, Operation.SERIALIZE, Conditions(buffer="reused")),
        format="f",
        library="l",
        version="1",
        control=control,
        self_describing=False,
        sha256=None,
    )


def planned(codec: str, scenario: str = "point", repetitions: int = 10) -> Timed:
    return drafted(codec, scenario).as_timed(Encoded(22, "crc32:00000000"), repetitions, 100.0)


def design_of(cells: list[DraftedCell], seed: int = 1, rounds: int = 5) -> Design:
    return Design(
        profile=Profile.STANDARD,
        seed=seed,
        rounds={p.cell.scenario: rounds for p in cells},
        base_rounds=BASE_ROUNDS,
        warmup=0,
        filters=[],
        excludes=[],
        shard=None,
        limit_s=None,
    )


def plan_of(cells: list[PlannedCell], seed: int = 1, rounds: int = 5) -> Plan:
    """All scenarios in one stage, with the twin of the first cell."""
    draft = Draft("all", cells, [min(p.cell for p in cells)])
    return Plan.of(design_of(cells, seed, rounds)).with_stage(Stage.of(draft, cells))


CELLS = [planned(f"x/{letter}", scenario) for scenario in ("point", "enum-fields") for letter in "abcdefgh"]


def test_every_round_holds_every_cell_once_and_the_twin_a_second_time():
    for scenario in ("point", "enum-fields"):
        for round_ in range(5):
            loops = [
                (str(s.cell), s.twin)
                for s in slots(plan_of(CELLS))
                if (s.scenario, s.round, s.kind) == (scenario, round_, ProcessKind.LOOP)
            ]
            expected = [(str(p.cell), False) for p in CELLS if p.cell.scenario == scenario]
            expected += [(str(min(p.cell for p in CELLS)), True)] if scenario == "enum-fields" else []
            assert sorted(loops) == sorted(expected)


def test_scenarios_follow_one_another_and_are_never_mixed():
    order = [s.scenario for s in slots(plan_of(CELLS))]
    assert order == sorted(order)


def test_scenarios_are_measured_in_the_order_of_the_design_and_those_that_it_lacks_by_name():
    plan = msgspec.structs.replace(plan_of(CELLS), order=["point"])
    assert list(dict.fromkeys(s.scenario for s in slots(plan))) == ["point", "enum-fields"]
    assert list(dict.fromkeys(s.scenario for s in slots(plan_of(CELLS)))) == ["enum-fields", "point"]


def test_the_first_rounds_also_run_the_process_at_no_repetitions():
    rounds = {s.round for s in slots(plan_of(CELLS)) if s.kind is ProcessKind.BASE}
    assert rounds == set(range(BASE_ROUNDS))


def test_the_order_is_that_of_the_seed_and_differs_between_rounds_and_seeds():
    first = [(s.round, str(s.cell)) for s in slots(plan_of(CELLS, seed=1))]
    assert first == [(s.round, str(s.cell)) for s in slots(plan_of(CELLS[::-1], seed=1))]
    assert first != [(s.round, str(s.cell)) for s in slots(plan_of(CELLS, seed=2))]
    by_round = [[c for r, c in first if r == n] for n in range(3, 5)]
    assert by_round[0] != by_round[1]


def test_no_place_is_favoured():
    """Over many rounds each cell's mean place is the middle: a shuffle that favours one would show as bias."""
    rounds = 400
    places: dict[str, list[int]] = {}
    for slot in slots(plan_of(CELLS[:8], rounds=rounds)):
        if slot.round >= BASE_ROUNDS and not slot.twin:
            places.setdefault(str(slot.cell), []).append(slot.place)
    for found in places.values():
        assert abs(sum(found) / len(found) - 4.0) < 0.6


def test_a_blocked_cell_is_not_measured():
    cells = [planned("x/a"), drafted("x/b").as_blocked("wrong value")]
    assert {s.cell.codec for s in slots(plan_of(cells))} == {"x/a"}


def test_a_twin_of_a_blocked_cell_falls_out_with_it():
    assert plan_of([drafted("x/a").as_blocked("wrong value"), planned("x/b")]).twins == []
    assert [twin.codec for twin in plan_of([planned("x/a"), planned("x/b")]).twins] == ["x/a"]


def test_the_order_is_that_of_sha_256_computed_by_hand():
    """Over seed, scenario, round, cell, twin and kind: whoever has these can tell the order of any run."""
    cells = [cell for cell in CELLS if cell.cell.scenario == "point"]
    plan = plan_of(cells)
    for round_ in range(5):
        entries = [(str(p.cell), False, kind) for p in cells for kind in ("loop", "base")]
        entries.append((str(plan.twins[0]), True, "loop"))
        digests = [hashlib.sha256(f"1:point:{round_}:{c}:{t}:{k}".encode()).digest() for c, t, k in entries]
        expected = [entry for _, entry in sorted(zip(digests, entries, strict=True))]
        assert [(str(s.cell), s.twin, s.kind) for s in slots(plan) if s.round == round_] == expected


def test_twins_are_never_controls_and_follow_the_seed():
    cells = [drafted("x/memcpy", control=True), *(drafted(f"x/{i}") for i in range(20))]
    chosen = {choose_twins(cells, SCENARIOS, seed)[0].codec for seed in range(50)}
    assert "x/memcpy" not in chosen
    assert len(chosen) > 5


def test_each_language_has_a_twin():
    cells = [drafted(f"x/{i}") for i in range(20)] + [drafted("y/only"), drafted("z/memcpy", control=True)]
    for seed in range(20):
        codecs = [twin.codec for twin in choose_twins(cells, SCENARIOS, seed)]
        assert len(codecs) == len(set(codecs)) in (2, 3)
        assert {codec[0] for codec in codecs} == {"x", "y"}


def test_cells_at_other_conditions_are_twins_where_no_other_is_chosen():
    fresh = [
        msgspec.structs.replace(one, cell=msgspec.structs.replace(one.cell, conditions=Conditions(buffer="fresh")))
        for one in (drafted("x/a"), drafted("x/b"), drafted("x/memcpy", control=True))
    ]
    assert {twin.codec for twin in choose_twins(fresh, SCENARIOS, 1)} == {"x/a", "x/b"}
    usual = drafted("x/c")
    assert choose_twins([*fresh, usual], SCENARIOS, 1) == [usual.cell], "the noise of what is ranked"


def test_profiles_repeat_as_they_say():
    point, files = SCENARIOS["point"], SCENARIOS["log-small"]
    assert repetitions_of(Profile.QUICK, point, 123.0) == 500
    assert repetitions_of(Profile.QUICK, SCENARIOS["large-vectors"], 1.0) == 1
    for profile in (Profile.STANDARD, Profile.PUBLISHED):
        loop_ns = 123.0 * repetitions_of(profile, point, 123.0)
        assert 5e6 <= loop_ns <= 20e6
        assert repetitions_of(profile, point, 30e6) == 1
    assert repetitions_of(Profile.PUBLISHED, files, 1.0) * files.published.split == files.published.repetitions


@given(st.floats(0.1, 1e11))
def test_loops_take_5_to_20_ms_or_one_repetition(estimate_ns):
    repetitions = repetitions_of(Profile.STANDARD, SCENARIOS["point"], estimate_ns)
    assert repetitions == 1 or 5e6 <= repetitions * estimate_ns <= 20e6


def test_chains_are_shorter_where_loops_take_longer():
    point = SCENARIOS["point"]
    loops = [loops_of(Profile.STANDARD, point, 1, estimate) for estimate in (1e7, 4e7, 1e9, 1e11)]
    assert loops == sorted(loops, reverse=True)
    assert loops[-1] == 1


def test_files_and_quick_have_one_loop():
    assert loops_of(Profile.QUICK, SCENARIOS["point"], 500, 0.0) == 1
    assert loops_of(Profile.PUBLISHED, SCENARIOS["log-small"], 10, 1e9) == 1


@given(st.floats(1e-3, 1e12))
def test_rounding_up_never_goes_below_and_at_most_to_two_and_a_half_times(number):
    assert number <= round_up_125(number) <= max(1, 2.5 * number)


def test_conditions_that_do_not_apply_do_not_count_against_a_cell():
    published = Conditions(buffer="reused", output="owned", drop="inside")
    assert is_published(Conditions(api="serde", buffer="reused"), published)
    assert not is_published(Conditions(api="serde", buffer="fresh"), published)


@given(st.integers(1, 12), st.sets(st.text("abcdef", min_size=1), max_size=20))
def test_shards_are_whole_disjoint_and_together_everything(count, names):
    parts = [shard(names, f"{i}/{count}") for i in range(1, count + 1)]
    assert sorted(name for part in parts for name in part) == sorted(names)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3"])
def test_a_shard_that_is_none_is_refused(text):
    with pytest.raises(LabError, match="I/N"):
        shard(["a"], text)


def test_the_estimate_grows_with_what_is_measured():
    small, large = plan_of(CELLS), plan_of([planned(p.cell.codec, p.cell.scenario, 10**6) for p in CELLS])
    assert Remaining(large, "point", {}).left_s > Remaining(small, "point", {}).left_s > 0


def test_the_estimate_holds_what_reading_a_large_input_takes():
    small = planned("x/a")
    large = msgspec.structs.replace(small, proved=Encoded(15_000_000, "crc32:00000000"))
    started = BASE_ROUNDS + 2 * 5  # of the cell and its twin, in each of five rounds
    more_s = Remaining(plan_of([large]), "point", {}).left_s - Remaining(plan_of([small]), "point", {}).left_s
    assert more_s == pytest.approx(started, rel=0.01)


def test_the_estimate_of_proofs_holds_what_pilots_take_to_read_a_large_input():
    large = max(SCENARIOS.values(), key=lambda scenario: scenario.data_size_bytes)
    read_s = large.data_size_bytes / INPUT_BYTES_A_SECOND
    assert read_s > 0.1
    assert proof_estimate_s(large, codecs=0, cells=10, layouts=4) > 10 * read_s
    assert proof_estimate_s(large, codecs=0, cells=10, layouts=0) == 0.0, "without layouts there are no pilots"


@pytest.mark.parametrize("estimate_ns", [1.0, 1e4, 1e8])
def test_the_published_profile_repeats_at_least_as_often_as_the_publication_in_all(estimate_ns):
    for scenario in SCENARIOS.values():
        published, least = scenario.published, least_rounds_of(Profile.PUBLISHED, scenario)
        loop = repetitions_of(Profile.PUBLISHED, scenario, estimate_ns)
        total = loop * loops_of(Profile.PUBLISHED, scenario, loop, estimate_ns) * least
        assert total >= published.repetitions * published.rounds, scenario.name
        assert not scenario.is_files or total == published.repetitions * published.rounds, scenario.name


def test_the_estimate_ends_with_the_budget_but_not_before_the_least_rounds():
    plan = plan_of(CELLS, rounds=50)
    longest = Remaining(plan, "point", {}).left_s
    limited = msgspec.structs.replace(plan, budget_s=dict.fromkeys(plan.rounds, 0.25 * longest))
    assert Remaining(limited, "point", {}).left_s == pytest.approx(0.25 * longest)
    least = msgspec.structs.replace(limited, least_rounds=dict.fromkeys(plan.rounds, 50))
    assert Remaining(least, "point", {}).left_s == longest


# The order of scenarios

SOURCES = {"a": "paper 2", "b": "paper 1", "c": "paper 2"}
MEASURING_S = {"a": 10.0, "b": 30.0, "c": 20.0}


def test_once_everything_is_built_scenarios_come_publication_by_publication():
    built = {name: {"x/one": 0.0} for name in SOURCES}
    assert scenario_order(built, MEASURING_S, SOURCES) == ["b", "a", "c"]


def test_until_then_the_table_that_stands_soonest_is_next_and_what_is_built_for_it_counts_once():
    builds = {"a": {"x/slow": 100.0}, "b": {"x/slow": 100.0, "x/quick": 15.0}, "c": {"x/quick": 15.0, "x/other": 60.0}}
    assert scenario_order(builds, MEASURING_S, SOURCES) == ["c", "a", "b"]
    assert scenario_order(builds | {"c": {"x/done": 0.0}}, MEASURING_S, SOURCES)[0] == "c"
