"""Claims that a table makes with each of its rows, claims of equal bytes, and cells that an operation's conditions name."""

import csv
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from analysis.claims.definitions import ClaimSet, load_claims
from analysis.claims.ledger import LedgerEntry, ledger
from analysis.claims.rules.row_rules import overlap
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells, read_cells
from analysis.render.claims_grid import REASONS, unmeasured_words
from analysis.sources.published_tables import FOLDER, PublishedValue
from bench.base.errors import LabError
from bench.model.plan import Encoded, Profile
from tests.support.scenarios.committed import committed_claims, committed_scenarios
from tests.support.synthetic_lab import renamed
from tests.support.synthetic_run import DESER, DESERIALIZE, SER, Made, but

SCENARIOS = committed_scenarios()
COMMITTED = committed_claims()
HEAD = """protocol = 1
title = "A test's publication"
order = 1
[codecs]
"A" = "rust/a"
"B" = "rust/b"
"C" = "rust/c"
[tables.t]
published = "T"
scenario = "process-created"
operations = { borrow = "deserialize output=borrowed" }
"""
RULE = """[rules.order]
each = "next"
says = "{table}: {row} before {than} ({operation})"
tables = ["t"]
operations = ["serialize"]
metric = "time"
"""
ROWS = """source,table,platform,codec,operation,metric,value,low,high,unit
s,T,linux,A,serialize,time,900,890,910,us
s,T,linux,B,serialize,time,2,1.9,2.1,ms
s,T,linux,C,serialize,time,2.05,2,2.2,ms
s,T,linux,D,serialize,time,1,1,1,us
s,T,linux,A,borrow,time,1,,,ms
s,T,linux,B,borrow,time,3,,,ms
s,T,linux,A,size,size,300,,,B
s,T,linux,B,size,size,310,,,B
"""
SIZES = """[rules.size]
each = "figure"
says = "{table}: {row} in its size ({operation})"
tables = ["t"]
operations = ["size"]
metric = "size"
tolerance = 0.0
"""
SAME = """[same_bytes.identity]
says = "A writes the bytes of B"
quote = "the same bytes"
one = "rust/a"
other = "rust/b"
"""


def book(folder: Path, more: str = RULE, *, head: str = HEAD) -> ClaimSet:
    folder.mkdir(exist_ok=True)
    (folder / "p.toml").write_text(head + more, encoding="utf-8")
    (folder / "p.csv").write_text(ROWS, encoding="utf-8")
    return load_claims(SCENARIOS, folder)


def made(**ns: float) -> Made:
    result = Made()
    for name, time in ns.items():
        result.codec(f"rust/{name}", {SER: time}, library=name)
    return result


def judged(claims: ClaimSet, *runs: RunCells) -> dict[str, LedgerEntry]:
    return {entry.id: entry for entry in ledger(claims, runs)}


def test_neighbours_whose_ranges_overlap_claim_nothing(tmp_path: Path) -> None:
    (entry,) = book(tmp_path / "p").entries
    assert entry.id == "order-t-a-serialize@linux", "B and C overlap, and no codec stands for D"
    assert entry.claim.says == "t: A before B (serialize)"
    run = read_cells(made(a=45, b=100).write(tmp_path / "run"))
    assert judged(book(tmp_path / "p"), run)[entry.id].verdict is Verdict.REPRODUCED


@pytest.mark.parametrize(("times", "says"), [({"a": 100, "b": 45}, True), ({"a": 45, "b": 100}, False)])
def test_only_a_refuted_time_says_how_the_publication_compiled(
    tmp_path: Path, times: dict[str, float], says: bool
) -> None:
    claims = book(tmp_path / "p", head=f'compiled = "for one processor, the lab\'s for all"\n{HEAD}')
    (entry,) = judged(claims, read_cells(made(**times).write(tmp_path / "run"))).values()
    assert (entry.verdict is Verdict.REFUTED) is says
    assert ("program was compiled for one processor, the lab's for all" in entry.sentence) is says


def test_each_row_is_compared_with_the_best_in_one_unit(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", RULE.replace('"next"', '"best"'))
    assert {entry.claim.row: entry.claim.than for entry in claims.entries} == {"B": "A", "C": "A"}
    assert {entry.claim.direction for entry in claims.entries} == {"greater"}
    run = read_cells(made(a=100, b=222, c=100 * 2050 / 900).write(tmp_path / "run"))
    found = judged(claims, run)
    assert {entry.verdict for entry in found.values()} == {Verdict.REPRODUCED}
    assert found["order-t-b-serialize@linux"].published == pytest.approx(2000 / 900)


def test_where_more_is_better_the_order_turns(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", RULE.replace('"next"', '"best"') + 'best = "greater"\n')
    assert {entry.claim.row: entry.claim.than for entry in claims.entries} == {"A": "C"}, "B is 2.5 % behind C"
    assert {entry.claim.direction for entry in claims.entries} == {"less"}


def test_a_row_s_own_figure_is_a_claim(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", SIZES)
    assert [entry.id for entry in claims.entries] == ["size-t-a@linux", "size-t-b@linux"]
    run = Made().codec("rust/a", {SER: 1}, size=300).codec("rust/b", {SER: 1}, size=311).write(tmp_path / "run")
    verdicts = {name: entry.verdict for name, entry in judged(claims, read_cells(run)).items()}
    assert verdicts == {"size-t-a@linux": Verdict.REPRODUCED, "size-t-b@linux": Verdict.REFUTED}


def test_what_the_publication_s_program_decides_is_not_measurable(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", SIZES + '[rules.size.differs.t]\nB = "its program leaves a field out"\n')
    run = Made().codec("rust/a", {SER: 1}, size=300).codec("rust/b", {SER: 1}, size=311).write(tmp_path / "run")
    found = judged(claims, read_cells(run))
    assert found["size-t-a@linux"].verdict is Verdict.REPRODUCED
    assert found["size-t-b@linux"].verdict is Verdict.NOT_MEASURABLE
    assert found["size-t-b@linux"].why == "its program leaves a field out"
    assert found["size-t-b@linux"].need is None


def test_an_operation_may_have_conditions_of_its_own(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", RULE.replace("serialize", "borrow"))
    borrowed = {DESER: but(DESERIALIZE, output="borrowed")}
    run = Made()
    for codec, owned, lent in (("rust/a", 900, 100), ("rust/b", 100, 300)):
        run.codec(codec, {DESER: owned}).codec(codec, {DESER: lent}, conditions=borrowed)
    (entry,) = judged(claims, read_cells(run.write(tmp_path / "run"))).values()
    assert entry.verdict is Verdict.REPRODUCED, "of the borrowed cells, not of the owned ones"
    assert entry.cell == "rust/a process-created deserialize output=borrowed"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{row}", "{rows}", r"p\.toml:\d+: rules\.order\.says: 'rows' is no part of a claim"),
        ("{row}", "{", r"rules\.order\.says: "),
        ('["t"]', '["u"]', r"rules\.order\.tables: 'u' is not a table of this file"),
        ('"time"', '"speed"', r"rules\.order\.metric: 'speed' is not a metric of a claim"),
        ('"next"', '"last"', r"rules\.order\.each: "),
        ("tables", "operations = []\ntables", r"p\.toml"),
        ('metric = "time"', 'metric = "time"\ndiffers.t.A = "x"', r"rules\.order\.differs: only a rule with"),
    ],
)
def test_a_mistake_in_a_rule_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(LabError, match=message):
        book(tmp_path / "p", RULE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("differs", "message"),
    [
        ('u.A = "x"', r"rules\.size\.differs\.u: 'u' is not a table of this rule"),
        ('t.E = "x"', r"rules\.size\.differs\.t\.E: 'E' is not a row of the table"),
    ],
)
def test_a_difference_of_what_is_not_claimed_is_named(tmp_path: Path, differs: str, message: str) -> None:
    with pytest.raises(LabError, match=message):
        book(tmp_path / "p", f"{SIZES}differs.{differs}\n")


def test_a_rule_s_claim_does_not_take_another_s_name(tmp_path: Path) -> None:
    own = RULE.replace("[rules.order]", "[claims.order-t-a-serialize]")
    own = own.partition("each")[0] + (
        'says = "x"\ntable = "t"\nrow = "A"\noperation = "serialize"\nmetric = "time"\ndirection = "less"\nthan = "B"\n'
        'platforms = ["linux"]\n'
    )
    with pytest.raises(LabError, match="has a claim of the name 'order-t-a-serialize@linux'"):
        book(tmp_path / "p", own + RULE)


def test_an_unknown_condition_of_an_operation_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    book(folder)
    text = (folder / "p.toml").read_text().replace("output=borrowed", "outptu=borrowed")
    (folder / "p.toml").write_text(text)
    with pytest.raises(LabError, match=r"tables\.t\.operations: 'outptu' is not a condition"):
        load_claims(SCENARIOS, folder)


# equal bytes


def bytes_run(
    path: Path,
    checksum: str = "crc32:00000000",
    *,
    size: int = 300,
    of_both: bool = False,
    profile: Profile = Profile.PUBLISHED,
    scenario: str = "process-created",
) -> Path:
    """Both codecs in one scenario; the second one's proof is another by checksum or, but `of_both`, by size."""
    run = Made(scenario).codec("rust/a", {SER: 1}, library="a", size=size if of_both else 300)
    run.profile = profile
    run.codec("rust/b", {SER: 1}, library="b")
    run.cells[1] = replace(run.cells[1], proved=Encoded(size, checksum))
    return run.write(path)


@pytest.mark.parametrize(
    ("checksum", "size", "verdict"),
    [
        ("crc32:00000000", 300, Verdict.REPRODUCED),
        ("crc32:00000001", 300, Verdict.REFUTED),
        ("crc32:00000000", 301, Verdict.REFUTED),
    ],
)
def test_equal_bytes_are_judged_by_what_was_proved(tmp_path: Path, checksum: str, size: int, verdict: Verdict) -> None:
    run = read_cells(bytes_run(tmp_path / "run", checksum, size=size))
    entry = judged(book(tmp_path / "p", SAME), run)["identity"]
    assert entry.verdict is verdict
    assert entry.evidence.scenario == "process-created"
    assert [one.library for one in entry.versions] == ["a", "b"]
    assert entry.sentence.startswith(f"{verdict}: ")


def test_a_quick_run_proves_bytes_too_but_a_better_one_precedes_it(tmp_path: Path) -> None:
    quick = bytes_run(tmp_path / "quick", "crc32:00000001", profile=Profile.QUICK)
    claims = book(tmp_path / "p", SAME)
    assert judged(claims, read_cells(quick))["identity"].verdict is Verdict.REFUTED
    best = read_cells(renamed(bytes_run(tmp_path / "best"), "20260101T030405Z-linux-x86_64-0c0de1"))
    assert judged(claims, read_cells(quick), best)["identity"].verdict is Verdict.REPRODUCED


def test_the_largest_message_lists_a_claim_of_equal_bytes_whichever_run_is_newer(tmp_path: Path) -> None:
    claims = book(tmp_path / "p", SAME)
    for newer in ("point", "log"):
        runs = [
            renamed(
                bytes_run(tmp_path / newer / scenario, size=size, of_both=True, scenario=scenario),
                f"2026010{1 + (scenario == newer)}T030405Z-linux-x86_64-0c0de1",
            )
            for scenario, size in (("point", 10), ("log", 99))
        ]
        entry = judged(claims, *map(read_cells, runs))["identity"]
        assert (entry.evidence.scenario, entry.why) == ("log", "the same bytes in log, point")


def test_without_a_run_of_both_nothing_is_known_of_their_bytes(tmp_path: Path) -> None:
    run = read_cells(made(a=1).write(tmp_path / "run"))
    entry = judged(book(tmp_path / "p", SAME), run)["identity"]
    assert entry.verdict is Verdict.NOT_MEASURED
    assert entry.why == "no run proved rust/a and rust/b in one scenario"


def test_claims_of_bytes_and_others_share_no_name(tmp_path: Path) -> None:
    more = SAME + '[statements.identity]\nsays = "x"\nquote = "y"\nwhy = "z"\n'
    with pytest.raises(LabError, match=r"statements\.identity: a claim or another statement has this name"):
        book(tmp_path / "p", more)


# the committed ones


def test_no_neighbours_with_overlapping_intervals_are_claimed() -> None:
    """Held against the file itself, without the code that reads it."""
    with (FOLDER / "rsb.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        figures = {(r["data_set"], r["crate"], r["metric"]): (float(r["value"]), r["unit"]) for r in rows}
    units = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3}
    checked = 0
    for entry in COMMITTED.entries:
        if entry.source == "rsb" and entry.claim.operation == "borrow" and entry.id.startswith("order"):
            ((one, other),) = [(pair.one.value.codec, pair.other.value.codec) for pair in entry.pairs]
            table = COMMITTED.tables[entry.claim.table].definition.published
            ends = [figures[table, one, "borrow ci_high"], figures[table, other, "borrow ci_low"]]
            high, low = (value * units[unit] for value, unit in ends)
            assert high < low, entry.id
            checked += 1
    assert checked > 10


def test_every_published_line_of_a_file_without_tables_has_its_claim() -> None:
    with (FOLDER / "wincode.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
    published = {row["claim_id"] for row in lines if row["note"].endswith("published") and "not" not in row["note"]}
    file = tomllib.loads((FOLDER / "wincode.toml").read_text(encoding="utf-8"))
    claims = file["same_bytes"].keys() | file["statements"].keys()
    assert published == {name.removesuffix("-legacy") for name in claims}


def test_ranges_that_touch_overlap() -> None:
    one = PublishedValue("linux", "A", "serialize", "time", 1.0, 0.9, 1.1, "ms", 1)
    assert overlap(one, replace(one, value=1200, low=1100, high=1300, unit="us"))
    assert not overlap(one, replace(one, value=1200, low=1101, high=1300, unit="us"))
    assert overlap(replace(one, low=None, high=None), replace(one, low=None, high=None))


def test_of_many_reasons_the_frequent_ones_are_named() -> None:
    entries = ledger(COMMITTED, [])
    (text,) = unmeasured_words([replace(one, why=f"reason {place % 20}") for place, one in enumerate(entries)])
    assert text.count("reason ") == REASONS
    assert "other reasons (" in text
