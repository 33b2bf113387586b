"""Figures that a publication has words of its own for: where they stand, and that none is lost."""

from collections.abc import Mapping

import pytest

from analysis.sources.figures import Figures, figures_of
from analysis.sources.published_tables import FOLDER
from bench.base.paths import ROOT
from bench.model.cells import Cell, Conditions, Operation
from tests.support.scenarios.committed import committed_scenarios

SCENARIOS = committed_scenarios()
FIGURES = {"log": (13, 5, 6), "mesh": (0, 5, 6), "minecraft-savedata": (13, 5, 6), "mk48": (0, 5, 6)}
"""Of rust_serialization_benchmark: how many it prints of borrow, access and read."""


def figures(name: str) -> Figures:
    return figures_of(SCENARIOS[name], "linux", FOLDER)


@pytest.mark.parametrize(("name", "numbers"), FIGURES.items())
def test_each_word_has_all_figures_of_the_publication(name: str, numbers: tuple[int, ...]) -> None:
    held: Mapping[str, int] = {word: len(one.times_ms) for word, one in figures(name).apart.items()}
    assert tuple(held.get(word, 0) for word in ("borrow", "access", "read")) == numbers


def test_a_cell_has_the_figure_of_its_own_word() -> None:
    def time_ms(**conditions: str) -> float | None:
        operation = Operation.ACCESS if "fields" in conditions else Operation.DESERIALIZE
        return figures("log").time_ms(Cell("rust/flatbuffers-verified", "log", operation, Conditions(**conditions)))

    assert time_ms(fields="root") == pytest.approx(2.12, abs=0.005)
    assert time_ms(fields="named") == pytest.approx(2.20, abs=0.005)
    assert time_ms(fields="all") is None


@pytest.mark.parametrize("name", FIGURES)
def test_the_page_of_a_scenario_has_them_beside_the_measured(name: str) -> None:
    page = (ROOT / f"results/scenarios/{name}.md").read_text(encoding="utf-8")
    table = page.split("what the publication measures besides**")[1].split("\n\n- ")[0]
    sections = table.split("\n| *")[1:]
    assert [section.partition(":")[0] for section in sections][-2:] == ["access", "read"]
    assert all("<sub>published " in section for section in sections)
    assert "rust/flatbuffers<br><sub>“flatbuffers (unvalidated)”" in table
