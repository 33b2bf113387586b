"""Which codecs are marked because the compiler changes them more than their peers."""

import pytest

from analysis.data.cells import read_cells
from analysis.data.select import choose
from analysis.sources.figures import Figures
from analysis.tables.columns import MESSAGES
from analysis.tables.compilers import compiler_effects
from analysis.tables.rows import table_of
from tests.support.synthetic_run import DESER, DESERIALIZE, SER, SERIALIZE, Made, but

BY = {
    compiler: {SER: but(SERIALIZE, compiler=compiler), DESER: but(DESERIALIZE, compiler=compiler)}
    for compiler in ("zig", "system")
}


def measured(made: Made, folder):
    cells = read_cells(made.write(folder / "run")).scenarios[0]
    return cells, table_of(cells, MESSAGES, Figures("linux", {}, {}, 1)).overview


def two(made: Made, name: str, zig: float, system: float, **words) -> None:
    made.codec(name, {SER: zig, DESER: 1_000.0}, conditions=BY["zig"], **words)
    made.codec(name, {SER: system, DESER: 1_000.0}, conditions=BY["system"], **words)


def test_the_odd_one_is_marked_and_its_peers_are_not(tmp_path):
    made = Made()
    two(made, "cpp/even", 100.0, 101.0)
    two(made, "cpp/also", 200.0, 199.0)
    two(made, "cpp/odd", 330.0, 130.0)
    cells, table = measured(made, tmp_path)
    effects = compiler_effects(cells, choose(cells))
    assert {cell.codec for cell in effects} == {"cpp/odd"}
    (effect,) = effects.values()
    other = {"zig": 330 / 130, "system": 130 / 330}[effect.compiler]
    assert effect.own.point == pytest.approx(other, rel=0.05) and effect.peers == pytest.approx(1, rel=0.05)
    marked = {row.codec for row in table.codecs if any(one.timing.compiler for one in row.measures.values())}
    assert marked == {"cpp/odd"}


def test_a_factor_that_all_share_marks_nobody(tmp_path):
    made = Made()
    for number, name in enumerate(("cpp/a", "cpp/b", "cpp/c"), start=1):
        two(made, name, 100.0 * number, 300.0 * number)
    cells, _ = measured(made, tmp_path)
    assert compiler_effects(cells, choose(cells)) == {}


def test_controls_other_languages_and_one_compiler_are_no_peers(tmp_path):
    made = Made()
    two(made, "cpp/odd", 330.0, 130.0)
    two(made, "cpp/noop", 1.0, 1.0, control=True)
    made.codec("cpp/single", {SER: 100.0}, conditions=BY["zig"])
    made.codec("rust/other", {SER: 100.0})
    cells, _ = measured(made, tmp_path)
    assert compiler_effects(cells, choose(cells)) == {}
