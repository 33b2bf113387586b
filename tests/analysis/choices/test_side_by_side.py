"""Codecs beside each other: figures of one run under the same conditions, facts of all runs, and what is not known."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from analysis.commands.compare import compare
from analysis.site.choose.replacing import replacing_page
from analysis.site.gather import gather
from analysis.sources.maintenance import Advisory, Maintained, maintenance
from analysis.tables.side_by_side.candidates import Candidate, SideBySide, readings
from analysis.tables.side_by_side.facts import FACTS
from analysis.tables.side_by_side.read_candidates import read_side_by_side
from analysis.tables.side_by_side.side_grid import side_by_side_grid
from bench.base.errors import LabError
from bench.base.files import write_json
from bench.base.protocol import PROTOCOL
from bench.model.cells import Operation
from bench.model.counts import FOOTPRINT, CountedRunner
from bench.model.plan import Profile
from bench.model.verification import Exchange, Verification
from tests.support.recorded.submittable import footprints
from tests.support.synthetic_lab import renamed
from tests.support.synthetic_run import BOTH, DESER, DESERIALIZE, SER, SERIALIZE, Made, but, usual

CODECS = ("rust/bincode", "rust/postcard", "rust/toml")
BORROWED = {DESER: but(DESERIALIZE, output="borrowed")}
EXISTING = {DESER: but(DESERIALIZE, output="existing", drop=None)}


@pytest.fixture
def table(tmp_path: Path) -> SideBySide:
    path = usual().write(tmp_path / "run")
    exchanges = [exchange("rust/bincode", "rust/postcard"), exchange("rust/toml", "rust/bincode", problem="refused")]
    write_json(path / "verify.json", Verification(PROTOCOL, exchanges=exchanges))
    table, _ = read_side_by_side([path], CODECS)
    return table


def exchange(writer: str, reader: str, scenario: str = "process-created", problem: str | None = None) -> Exchange:
    return Exchange(scenario, "bincode", writer, reader, problem is None, problem is None, problem)


def of(table: SideBySide, codec: str) -> Candidate:
    return next(one for one in table.codecs if one.codec == codec)


def told(table: SideBySide, fact: str, operation: str = "") -> list[tuple[str, ...]]:
    """The cells of a row."""
    rows = dict(FACTS[fact].rows(table))
    return rows[next(heading for heading in rows if heading.startswith(operation))]


def test_every_ratio_is_to_the_first_codec(table: SideBySide):
    bincode, postcard, toml = (of(table, codec).figures[SER] for codec in CODECS)
    assert bincode.ratio is None
    assert postcard.ratio and postcard.ratio.point == pytest.approx(43 / 42, rel=0.02)
    assert toml.ratio and toml.ratio.point == pytest.approx(1200 / 42, rel=0.02)
    assert postcard.tie and not toml.tie
    assert told(table, "time", "serialize")[1][1] == f"×{postcard.ratio.point:.2f} ="
    assert told(table, "encoded_size") == [("234",), ("230", "×0.983"), ("385", "×1.65")]


def test_what_is_made_of_plain_values_and_back_is_not_set_beside_what_has_no_other(tmp_path: Path):
    own = dict.fromkeys((Operation.BUILD, Operation.BUILD_SERIALIZE, Operation.DESERIALIZE_CONVERT), SERIALIZE)
    made = Made("log").codec("rust/a", {SER: 100}).codec("rust/b", {SER: 100})
    made.codec("rust/b", dict.fromkeys(own, 200), conditions=own)
    table, _ = read_side_by_side([made.write(tmp_path / "run")], ("rust/a", "rust/b"))
    assert [[*one.figures] for one in table.codecs] == [[SER], [SER]]


def test_who_reads_whose_bytes(table: SideBySide):
    assert told(table, "reads") == [("rust/toml 0 of 1",), ("rust/bincode 1 of 1 =",), ("–",)]


def test_nobody_reads_another_format(table: SideBySide):
    alone = [replace(one, format=f"format {number}", reads={}) for number, one in enumerate(table.codecs)]
    assert told(replace(table, codecs=tuple(alone)), "reads") == [("none of them",)] * len(CODECS)


def test_a_time_to_read_in_place_is_told_once(table: SideBySide):
    one = replace(table.codecs[0], in_place_ns=7.0)
    assert told(replace(table, codecs=(one,)), "in_place") == [("7.00 ns",)]
    access = replace(one.figures[SER], ns=7.0)
    accessed = replace(one, figures={**one.figures, Operation.ACCESS: access})
    assert not dict(FACTS["in_place"].rows(replace(table, codecs=(accessed,))))


def test_of_two_runs_the_newer_says_who_reads(tmp_path: Path):
    run = usual().run()
    old = Verification(PROTOCOL, exchanges=[exchange("rust/a", "rust/b", problem="refused")])
    new = Verification(PROTOCOL, exchanges=[exchange("rust/a", "rust/b")])
    later = msgspec.structs.replace(run, created="2026-01-02T03:04:05+00:00")
    for order in ([(run, old), (later, new)], [(later, new), (run, old)]):
        assert readings(order)["rust/a", "rust/b"].read == ("process-created",)


def test_all_are_asked_to_do_the_same(tmp_path: Path):
    made = Made().codec("rust/a", {DESER: 90}).codec("rust/a", {DESER: 30}, conditions=BORROWED)
    made.codec("rust/b", {DESER: 80}).codec("rust/c", {DESER: 60}, conditions=EXISTING)
    table, _ = read_side_by_side([made.write(tmp_path / "run")], ("rust/a", "rust/b", "rust/c"))
    a, b, c = (one.figures[DESER] for one in table.codecs)
    assert a.ns / b.ns == pytest.approx(90 / 80, rel=0.02), "not the borrowed one"
    assert (a.differs, b.differs, c.differs) == ("", "", "output=existing")
    assert told(table, "time", "deserialize")[2][2] == "output=existing"


def test_owned_output_comes_before_borrowed_where_all_have_both(tmp_path: Path):
    made = Made("nested-object")  # whose published cells decode into what exists, which none of the two does
    for codec in ("rust/a", "rust/b"):
        made.codec(codec, {DESER: 90}).codec(codec, {DESER: 30}, conditions=BORROWED)
    table, _ = read_side_by_side([made.write(tmp_path / "run")], ("rust/a", "rust/b"))
    assert [round(one.figures[DESER].ns / 1.1, -1) for one in table.codecs] == [90, 90]


def test_the_scenario_is_that_in_which_most_were_measured(tmp_path: Path):
    two = usual().write(tmp_path / "two")
    made = Made("point").codec("rust/bincode", {SER: 5, DESER: 5}, library="bincode")
    one = renamed(made.write(tmp_path / "one"), "20260101T030405Z-linux-x86_64-0c0de1")
    table, run = read_side_by_side([one, two], CODECS)
    assert run and (table.scenario, run.path) == ("process-created", two)
    table, run = read_side_by_side([one, two], CODECS, "point")
    assert run and (table.scenario, run.path) == ("point", one)
    assert table.elsewhere == ("process-created",)
    assert not of(table, "rust/postcard").figures, "figures of two runs never share a row"
    with pytest.raises(LabError, match="'users-1k' is not a scenario in which these codecs were measured"):
        read_side_by_side([one, two], CODECS, "users-1k")


def test_a_quick_run_has_no_figures(tmp_path: Path):
    made = usual(rounds=1)
    made.profile = Profile.QUICK
    table, run = read_side_by_side([made.write(tmp_path / "run")], CODECS)
    assert run is None
    assert not any(one.figures for one in table.codecs)
    assert of(table, "rust/bincode").format == "bincode", "the catalogue knows it"


def test_a_footprint_is_told_where_a_run_has_it(table: SideBySide, tmp_path: Path):
    assert "program (bytes)" not in [heading for kind in FACTS.values() for heading, _ in kind.rows(table)]
    path = tmp_path / "run"
    own = CountedRunner(codec="rust/postcard", sha256="0" * 64, stripped_over_nothing_bytes=8_123, compile_s=9.5)
    write_json(
        path / FOOTPRINT,
        footprints(own, created="2026-01-01T00:00:00+00:00", cpu=None),
    )
    told_now, run = read_side_by_side([path], CODECS)
    assert told(told_now, "program_size") == [("–",), ("8,123",), ("–",)]
    assert told(told_now, "clean_build_time") == [("–",), ("9.50 s",), ("–",)]
    assert any("on linux-x86_64" in note for note in side_by_side_grid(told_now, run).notes)


def test_upkeep_of_a_library(table: SideBySide):
    assert of(table, "rust/bincode").version == "1.2.3"
    (one,) = of(table, "rust/bincode").open_advisories
    assert one.id == "RUSTSEC-2025-0141"
    assert told(table, "advisories")[0][0] == one.id
    assert told(table, "last_release")[1] == ("1.1.3", "2025-07-24")


def test_a_library_that_nobody_looked_up_is_not_said_to_be_without_advisories(tmp_path: Path):
    made = Made().codec("rust/x", {SER: 1}, library="unheard-of").codec("rust/y", {SER: 1}, library="postcard")
    table, _ = read_side_by_side([made.write(tmp_path / "run")], ("rust/x", "rust/y"))
    assert told(table, "advisories") == [("not looked up",), ("none",)]
    assert told(table, "malformed") == [("not fuzzed",)] * 2


@pytest.mark.parametrize(
    ("fixed_in", "version", "concerns"),
    [
        ("0.8.17", "0.8.9", True),
        ("0.8.17", "0.8.17", False),
        ("0.8.17", "0.10.0", False),
        ("1.0.0-alpha.1", "1.0.0", False),
        (None, "9.9.9", True),
        (None, None, True),
        ("0.8.17", None, False),
    ],
)
def test_an_advisory_concerns_versions_without_its_fix(fixed_in: str | None, version: str | None, concerns: bool):
    known = Maintained("1.0.0", "2026-01-01", advisories=[Advisory("RUSTSEC-2026-0001", "2026-01-01", "x", fixed_in)])
    assert bool(known.open_for(version)) is concerns


def test_nothing_is_known_of_the_future():
    file = maintenance()
    for libraries in file.libraries.values():
        for name, known in libraries.items():
            assert known.released <= file.releases_of, name
            assert all(
                one.date <= file.advisories_of and one.date[:4] >= one.id.split("-")[1] for one in known.advisories
            )


def invoked(*words: str) -> str:
    result = CliRunner().invoke(compare, words)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_the_command_prints_the_table_and_json(tmp_path: Path):
    run = str(usual().write(tmp_path / "run"))
    text = invoked("--run", run, "--markdown", *CODECS)
    assert text.startswith("**In place of rust/bincode: Process Create Event**")
    assert "| round-trip |" in text
    printed = json.loads(invoked("--run", run, "--json", *CODECS))
    assert [one["codec"] for one in printed["codecs"]] == [*CODECS]
    assert printed["codecs"][1]["figures"][BOTH]["ratio"]["point"] == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rust/bincode"], "give two runs"),
        (["rust/bincode", "rust/bincode"], "give two runs"),
        (
            ["rust/bincode", "rust/bincodee"],
            "'rust/bincodee' is not a codec of the lab or of these runs; there are: rust",
        ),
        (["rust/bincode", "rust/postcard", "--fail-on", "5%"], "--fail-on: "),
        (["rust/bincode", "rust/postcard", "--counts"], "--counts: "),
        (["{run}", "{run}", "--scenario", "point"], "--scenario: "),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, words: list[str], message: str):
    run = str(usual().write(tmp_path / "run"))
    given = [word.format(run=run) for word in words]
    with pytest.raises(LabError, match=message):
        invoked(*([] if run in given else ["--run", run]), *given)


def test_a_folder_of_a_codecs_name_is_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usual().write(tmp_path / "rust/bincode")
    renamed(usual().write(tmp_path / "rust/postcard"), "20260101T030405Z-linux-x86_64-0c0de1")
    monkeypatch.chdir(tmp_path)
    assert "cells" in invoked("rust/bincode", "rust/postcard")


def test_the_site_sets_a_library_without_future_beside_others(tmp_path: Path):
    path = usual().write(tmp_path / "run")
    write_json(path / "verify.json", Verification(PROTOCOL, exchanges=[exchange("rust/bincode", "rust/toml")]))
    page = replacing_page(gather([path]))
    (block,) = page.blocks
    assert block.table
    headings = [column.heading[0] for column in block.table.grid.columns[1:]]
    assert headings[:3] == ["rust/bincode", "rust/toml", "rust/flat-message-unchecked"], "first who reads its bytes"
    assert {row["codec"] for row in block.data} == set(headings)


def test_the_site_says_that_no_library_needs_a_successor(tmp_path: Path):
    made = Made().codec("rust/postcard", {SER: 1, DESER: 1, Operation.ROUND_TRIP: 2}, library="postcard")
    page = replacing_page(gather([made.write(tmp_path / "run")]))
    assert not page.blocks
    assert "No codec of these runs is of such a library." in page.lead
