"""What a run is going to measure, as far as that is known before anything is built."""

import pytest

from bench.base import paths
from bench.measuring.stages import prospect
from bench.measuring.stages.budgets import fitting, shares
from bench.measuring.stages.draft import Options
from bench.measuring.stages.prospect import offers
from bench.model.plan import Scope


def test_a_codec_that_the_catalogue_lacks_is_left_out_where_nothing_is_to_be_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(paths.RUNNERS_VARIABLE, raising=False)
    monkeypatch.setattr(prospect, "codec_names", lambda _: {"rust/prost", "rust/pot"})
    monkeypatch.setattr(prospect, "extended", lambda *_: pytest.fail("it builds"))
    told: list[str] = []
    known = offers(told.append, sweeps=False, build=False)
    assert {cell.codec for cell in known.cells} == {"rust/prost"}
    assert told == [
        "left out: rust/pot, not in runners/catalogue.toml; `./lab catalogue` builds and adds what it lacks"
    ]


@pytest.mark.parametrize(
    ("budget_s", "fit"), [(60, ["one", "two", "ten"]), (12, ["one", "two"]), (3, ["one", "two"]), (0.1, ["one"])]
)
def test_a_budget_leaves_out_what_takes_longest_and_never_everything(budget_s: float, fit: list[str]) -> None:
    assert fitting(budget_s, {"ten": 10, "two": 2, "one": 1}) == fit


def test_a_budget_is_shared_by_cells_and_no_scenario_gets_less_than_its_least_rounds_take() -> None:
    counts = {"one": 10, "two": 10, "ten": 20}
    assert shares(40, counts, {}) == {"one": 10, "two": 10, "ten": 20}
    assert shares(40, counts, {"one": 5, "two": 15, "ten": 20}) == {"one": 5, "two": 15, "ten": 20}
    assert shares(40, counts, {"one": 1, "two": 25, "ten": 1}) == {"one": 5, "two": 25, "ten": 10}
    assert shares(4, {"one": 10}, {"one": 5}) == {"one": 4}


@pytest.mark.parametrize("minutes", [5, 20, 30, 60])
def test_a_budget_is_what_measuring_takes(minutes: int) -> None:
    told: list[str] = []
    expected = prospect.prospect(Options(scope=Scope.PUBLISHED, budget_s=minutes * 60), told.append, build=False)
    assert sum(one.measure_s for one in expected.scenarios.values()) == pytest.approx(minutes * 60, abs=1)
    assert any(one.startswith("left out: ") and "mesh" in one for one in told) is ("mesh" not in expected.scenarios)
