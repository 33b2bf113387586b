"""The claims ledger: every claim points somewhere, and each verdict arises from data that should give it."""

import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.claims.definitions import COMPARABLE, ClaimSet, load_claims
from analysis.claims.ledger import LedgerEntry, each_measurement_once, ledger
from analysis.claims.orders import column_orders, kendall
from analysis.claims.verdicts import Verdict
from analysis.commands.claims import claims
from analysis.data.cells import RunCells, Series, read_cells
from analysis.data.machines.run_paths import runs_below
from analysis.render.claims_grid import score
from analysis.render.schemas import SCHEMAS as GENERATED
from analysis.sources.published_tables import FOLDER
from bench.base.errors import LabError
from bench.base.paths import RESULTS, SCHEMAS
from bench.model.cells import Cell, Conditions, Operation
from bench.model.plan import Profile
from bench.model.record import Run
from bench.model.schemas import render
from bench.records.run_file import read_run_file
from tests.support.recorded.calm_run import CalmMade
from tests.support.scenarios.committed import committed_claims, committed_scenarios
from tests.support.synthetic_run import BOTH, DESER, PUBLISHED, SER, Made, claimed, usual

SCENARIOS = committed_scenarios()
BOOK = committed_claims()
FILES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
RAW = {
    part: {name: one for file in FILES.values() for name, one in file.get(part, {}).items()}
    for part in ("claims", "tables")
}

HEAD = """protocol = 1
title = "A test's publication"
order = 1
[planned]
scenarios = ["later"]
operations = ["write"]
[metrics.times_of_a]
kind = "time ratio"
to = "A"
[metrics.memory_delta]
kind = "memory"
[tables.t]
published = "T"
scenario = "process-created"
[tables.t.codecs]
"A" = "rust/a"
"B" = "rust/b"
"C" = "rust/c"
[claims.c]
"""
CSV = """source,table,platform,codec,operation,metric,value,low,high,unit
s,T,linux,A,serialize,time,10,,,ms
s,T,linux,B,serialize,time,20,,,ms
s,T,linux,C,serialize,time,40,,,ms
s,T,linux,A,deserialize,time,10,9,30,ms
s,T,linux,B,deserialize,time,20,15,25,ms
s,T,linux,A,size,size,100,,,B
s,T,linux,B,size,size,200,,,B
s,T,linux,A,write,throughput,10,,,GB/s
s,T,linux,A,serialize,throughput,10,,,GB/s
s,T,linux,B,serialize,times_of_a,2,,,x
s,T,linux,A,serialize,memory_delta,480,,,kB
s,T,linux,B,serialize,memory_delta,100,,,kB
"""
CLAIM = """says = "A is faster than B"
table = "t"
platforms = ["linux"]
row = "A"
operation = "serialize"
metric = "time"
direction = "less"
than = "B"
"""


@pytest.fixture
def book(tmp_path: Path) -> Callable[..., ClaimSet]:
    """A book of one claim over a table of three rows, with changes of its text."""

    def make(*changes: tuple[str, str], more: str = "") -> ClaimSet:
        text = HEAD + CLAIM + more
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (tmp_path / "t.csv").write_text(CSV, encoding="utf-8")
        (tmp_path / "t.toml").write_text(text, encoding="utf-8")
        return load_claims(SCENARIOS, tmp_path)

    return make


def cells(path: Path, made: Made) -> RunCells:
    """A synthetic run, read back."""
    return read_cells(made.write(path))


def two(a: float, b: float, *, size_a: int = 100, size_b: int = 200) -> Made:
    """Codecs a and b with these times of one repetition in ns, and A/A cells of a."""
    made = Made().codec("rust/a", {SER: a, DESER: a}, size=size_a).codec("rust/b", {SER: b, DESER: b}, size=size_b)
    return made.twin("rust/a", SER)


def verdict(book: ClaimSet, *runs: RunCells) -> LedgerEntry:
    """The only entry of a book."""
    (entry,) = ledger(book, runs)
    return entry


# the committed claims


def test_every_source_has_its_headlines_and_there_are_at_least_forty() -> None:
    assert len(RAW["claims"]) >= 40
    assert {entry.source for entry in BOOK.entries} == {
        "flatmessage",
        "brec",
        "brec-early",
        "binary_performance",
        "b-fast",
        "bitcode",
        "rsb",
        "serde-zap",
        "sonic-rs",
        "zerompk",
    }
    assert {entry.platform for entry in BOOK.entries} == {"windows", "macos", "linux", "unstated"}


@pytest.mark.parametrize("name", FILES)
def test_the_committed_publications_are_valid_by_their_json_schema_too(name: str) -> None:
    jsonschema.validate(FILES[name], GENERATED["publication"])


@pytest.mark.parametrize("name", GENERATED)
def test_the_committed_schemas_are_current(name: str) -> None:
    committed = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    assert committed == render(GENERATED[name]), "run `python -m analysis.render.schemas`"
    jsonschema.Draft202012Validator.check_schema(json.loads(committed))


def test_no_published_number_and_no_verdict_is_repeated_in_the_claims() -> None:
    allowed = {"tolerance", "at_least", "at_most"}
    for claim in RAW["claims"].values():
        assert not [key for key, value in claim.items() if isinstance(value, (int, float)) and key not in allowed]
        assert "verdict" not in claim


def test_codecs_of_the_lab_s_own_scenarios_are_the_scenarios_and_not_the_claims() -> None:
    for name, table in RAW["tables"].items():
        if table["scenario"] in SCENARIOS:
            assert not table.get("codecs"), f"{name}: schemas/scenarios says which codec stands for which row"


def test_estimates_are_not_measurable_with_the_reason() -> None:
    entries = {entry.id: entry for entry in ledger(BOOK, [])}
    found = {name for name, entry in entries.items() if entry.verdict is Verdict.NOT_MEASURABLE}
    estimates = {"bfast-round-trip-100m", "bfast-round-trip-1g", "bfast-round-trip-10g", "bfast-marginal-at-10g"}
    differ = {entry.id for entry in BOOK.entries if entry.claim.differs}
    assert found == estimates | differ | {entry.id for entry in BOOK.statements}
    assert {"size-mesh-ron@linux", "size-minecraft-savedata-ron@linux"} < differ
    assert "deserialize time was not measured" in entries["bfast-round-trip-1g"].why
    assert entries["bfast-round-trip-1g"].published == pytest.approx(2.1)


def test_a_publication_that_contradicts_itself_is_named() -> None:
    entries = {entry.id: entry for entry in ledger(BOOK, [])}
    wrong = {name for name, entry in entries.items() if "own figures do not support it" in entry.why}
    assert "beve-writes-f32-beyond-60" in wrong  # 59.05 GB/s in the table, “exceeding 60 GB/s” in the prose
    assert "array-u16-messagepack-12-percent-larger" in wrong  # 29.26 KB against 19.53 KB
    assert "array-f64-messagepack-12-percent-larger" not in wrong


def test_published_factors_are_looked_up_and_turned_as_the_claim_goes() -> None:
    entries = {entry.id: entry for entry in ledger(BOOK, [])}
    assert entries["flat-message-unchecked-first@linux"].published == pytest.approx(12.16 / 8.15)
    assert entries["flat-message-unchecked-first@linux"].published_low == pytest.approx(11.86 / 11.84)
    assert entries["toml-last@windows"].published == pytest.approx(506.82 / 215.41)
    assert entries["array-f64-json-writes-beve"].published == 150.8
    assert entries["bfast-payload-89-percent-smaller"].published == pytest.approx(1 / 0.11)
    assert entries["large-protobuf-20-40-percent-smaller"].published == pytest.approx(5216 / 3409)
    assert entries["beve-writes-f64-beyond-60"].published == 61.23
    assert entries["size-bincode@linux"].published == 234


# each verdict from data that should give it


@pytest.mark.parametrize(
    ("a", "b", "expected", "why"),
    [
        (100, 200, Verdict.REPRODUCED, "the whole interval lies in the published band"),
        (100, 190, Verdict.REPRODUCED, "the whole interval lies in the published band"),
        (100, 150, Verdict.SAME_DIRECTION, "a smaller factor than published"),
        (100, 300, Verdict.SAME_DIRECTION, "a larger factor than published"),
        (100, 220, Verdict.SAME_DIRECTION, "reaches beyond the published band"),
        (100, 100, Verdict.UNDECIDED, "nearer to 1 than another layout may move it (10 %)"),
        (100, 105, Verdict.UNDECIDED, "nearer to 1 than another layout may move it (10 %)"),
        (105, 100, Verdict.UNDECIDED, "nearer to 1 than another layout may move it (10 %)"),
        (200, 100, Verdict.REFUTED, "the other way round, at 99 %"),
    ],
)
def test_published_twice_as_fast(
    book: Callable[..., ClaimSet], tmp_path: Path, a: float, b: float, expected: Verdict, why: str
) -> None:
    entry = verdict(book(), cells(tmp_path / "run", two(a, b)))
    assert (entry.verdict, entry.published) == (expected, 2.0)
    assert why in entry.why
    assert entry.measured is not None
    assert entry.measured.low <= b / a * 1.02
    assert entry.measured.high >= b / a * 0.98


def test_printed_ranges_count_as_the_published_interval(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    """15 / 30 = 0.5 to 25 / 9 = 2.78, where the medians alone give 2."""
    entry = verdict(book(('"serialize"', '"deserialize"')), cells(tmp_path / "run", two(100, 250)))
    assert entry.verdict is Verdict.REPRODUCED
    assert (entry.published_low, entry.published_high) == (0.5, pytest.approx(25 / 9))


def test_tolerance_is_the_claim_s_own(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    run = cells(tmp_path / "run", two(100, 150))
    assert verdict(book(), run).verdict is Verdict.SAME_DIRECTION
    assert verdict(book(more="tolerance = 0.5\n"), run).verdict is Verdict.REPRODUCED


def test_noise_of_the_run_makes_a_small_difference_a_tie(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    made = two(150, 100)
    calm = verdict(book(), cells(tmp_path / "calm", made))
    assert calm.verdict is Verdict.REFUTED
    twin = made.cell("rust/a", SER)
    noisy = Made.loop_ns
    made.loop_ns = lambda slot: round(noisy(made, slot) * (1.2 if slot.twin and slot.cell == twin else 1))  # type: ignore[method-assign]
    entry = verdict(book(), cells(tmp_path / "noisy", made))
    assert entry.verdict is Verdict.UNDECIDED
    assert "than identical code may differ here" in entry.why
    assert entry.need is None, "no number of rounds gets below the noise floor"


def test_an_interval_that_holds_both_tells_nothing(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    made = two(100, 115)
    made.twins = []
    made.spread = 0.2
    entry = verdict(book(), cells(tmp_path / "run", made))
    assert entry.verdict is Verdict.UNDECIDED
    assert entry.need is not None
    assert (entry.need.kind, entry.need.now) == ("rounds", 10)
    assert entry.need.units is not None
    assert entry.need.units > 10
    assert f"about {entry.need.units:,} rounds (10 now) would decide it" in entry.why


@pytest.mark.parametrize(
    ("b", "expected"),
    [(200, Verdict.REPRODUCED), (201, Verdict.REFUTED), (100, Verdict.REFUTED), (50, Verdict.REFUTED)],
)
def test_sizes_are_exact(book: Callable[..., ClaimSet], tmp_path: Path, b: int, expected: Verdict) -> None:
    sizes = book(('"serialize"', '"size"'), ('"time"', '"size"'), more="tolerance = 0.0\n")
    assert verdict(sizes, cells(tmp_path / "run", two(100, 200, size_b=b))).verdict is expected


@pytest.mark.parametrize(("a", "expected"), [(100, Verdict.REPRODUCED), (101, Verdict.REFUTED)])
def test_one_size_is_held_against_the_published_one(
    book: Callable[..., ClaimSet], tmp_path: Path, a: int, expected: Verdict
) -> None:
    one = book(
        ('than = "B"\n', ""),
        ('"serialize"', '"size"'),
        ('"time"', '"size"'),
        ('"less"', '"equal"'),
        more="tolerance = 0.0\n",
    )
    assert verdict(one, cells(tmp_path / "run", two(1, 1, size_a=a))).verdict is expected


@pytest.mark.parametrize(
    ("ns", "copy_ns", "expected"),
    [(10, 5, Verdict.REPRODUCED), (100, 5, Verdict.REFUTED), (100, 50, Verdict.NOT_MEASURABLE)],
)
def test_a_rate_that_copying_does_not_reach_says_nothing_of_the_codec(
    book: Callable[..., ClaimSet], tmp_path: Path, ns: float, copy_ns: float, expected: Verdict
) -> None:
    """100 bytes in 10 ns are 10 GB/s; the scenario's 233 bytes copied in 5 ns are 46 GB/s, in 50 ns 4.7 GB/s."""
    limit = book(('than = "B"\n', "at_least = 8.0\n"), ('"time"', '"throughput"'), ('"less"', '"greater"'))
    made = two(ns, 1).codec("rust/memcpy", {SER: copy_ns}, control=True)
    entry = verdict(limit, cells(tmp_path / "run", made))
    assert entry.verdict is expected
    assert ("merely copying" in entry.why) is (expected is Verdict.NOT_MEASURABLE)


@pytest.mark.parametrize(
    ("c", "expected", "nearest"),
    [(400, Verdict.REPRODUCED, "rust/b"), (150, Verdict.SAME_DIRECTION, "rust/c"), (50, Verdict.REFUTED, "rust/c")],
)
def test_against_several_rows_the_nearest_decides(
    book: Callable[..., ClaimSet], tmp_path: Path, c: float, expected: Verdict, nearest: str
) -> None:
    made = two(100, 200).codec("rust/c", {SER: c})
    entry = verdict(book(('than = "B"', 'than = "*"')), cells(tmp_path / "run", made))
    assert entry.verdict is expected
    assert nearest in entry.why
    pair = entry.measurements[0].pair
    assert pair is not None
    assert pair.other.codec == nearest


def test_against_several_rows_a_missing_one_can_only_refute(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    claim = book(('than = "B"', 'than = ["B", "C"]'))
    assert verdict(claim, cells(tmp_path / "fast", two(100, 200))).verdict is Verdict.NOT_MEASURED
    assert verdict(claim, cells(tmp_path / "slow", two(200, 100))).verdict is Verdict.REFUTED


@pytest.mark.parametrize(("row", "expected"), [("A", Verdict.REPRODUCED), ("B", Verdict.REFUTED)])
def test_memory_is_the_peak_beyond_that_of_the_process_without_repetitions(
    book: Callable[..., ClaimSet], tmp_path: Path, row: str, expected: Verdict
) -> None:
    """Each synthetic process takes 500,000 bytes more with repetitions than without: 488 kB of 1,024 bytes."""
    one = book(
        ('"time"', '"memory_delta"'), ('"less"', '"equal"'), ('than = "B"\n', ""), ('row = "A"', f'row = "{row}"')
    )
    entry = verdict(one, cells(tmp_path / "run", two(1, 1)))
    assert entry.measured
    assert entry.measured.point == pytest.approx(500_000 / 1024)
    assert (entry.unit, entry.verdict) == ("kB", expected)


def test_memory_over_a_smaller_file_than_the_published_one_says_nothing(tmp_path: Path) -> None:
    """An index that is kept of a file grows with it: a tenth of the file cannot refute a claim of its size."""
    write = Conditions(api="manual", io="as-published", build="baseline")
    series = Made("log-small", rounds=6)
    series.repetitions = series.scenario.published.repetitions // 10
    series.codec("rust/brec-storage", {Operation.WRITE: 1e5}, size=30_000, conditions={Operation.WRITE: write})
    entries = {one.id: one for one in ledger(BOOK, [cells(tmp_path / "run", series)])}
    entry = entries["brec-storage-memory-small-write"]
    assert entry.verdict is Verdict.NOT_MEASURED
    assert "0.1 times as many rows as the published one" in entry.why
    assert "the peak of preparing the rows, which is subtracted, hides part of that" in entry.why


def test_equal_is_reproduced_near_and_refuted_far(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    equal = [('"less"', '"equal"'), ('row = "A"', 'row = "B"'), ('than = "B"', 'than = "A"')]
    assert verdict(book(*equal), cells(tmp_path / "near", two(100, 200))).verdict is Verdict.REPRODUCED
    assert verdict(book(*equal), cells(tmp_path / "far", two(100, 300))).verdict is Verdict.REFUTED


def test_what_was_not_measured_says_why(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    claim = book()
    run = cells(tmp_path / "run", two(100, 200))
    assert verdict(claim).why == "no run"
    windows = book(('["linux"]', '["linux"]'), more="")
    assert verdict(windows, _on(run, "windows-x86_64")).why == "no run on linux"
    one = Made().codec("rust/a", {SER: 100}).twin("rust/a", SER)
    assert "no cell rust/b process-created serialize" in verdict(claim, cells(tmp_path / "one", one)).why
    failed = two(100, 200)
    failed.errors = {(failed.cell("rust/b", SER), number): "exit code 3" for number in range(10)}
    assert verdict(claim, cells(tmp_path / "failed", failed)).why == "rust/b failed: exit code 3"
    fresh = Made().codec("rust/a", {SER: 100}).twin("rust/a", SER)
    fresh.codec("rust/b", {SER: 200}, conditions={SER: Conditions(api="serde", buffer="fresh", build="baseline")})
    assert "other conditions only" in verdict(claim, cells(tmp_path / "fresh", fresh)).why
    quick = two(100, 200)
    quick.profile = Profile.QUICK
    assert "numbers mean nothing" in verdict(claim, cells(tmp_path / "quick", quick)).why
    later = book(('scenario = "process-created"', 'scenario = "later"'))
    assert verdict(later, run).why == "no run of later"


def _on(run: RunCells, platform: str) -> RunCells:
    changed: Run = msgspec.structs.replace(run.run, platform=platform)
    return msgspec.structs.replace(run, run=changed)


def test_of_several_runs_the_one_with_most_rounds_speaks_and_others_are_named(
    book: Callable[..., ClaimSet], tmp_path: Path
) -> None:
    long, short = two(100, 200), two(100, 150)
    short.rounds = 6
    runs = [cells(tmp_path / "short", short), cells(tmp_path / "long", long)]
    entry = verdict(book(), *runs)
    assert entry.verdict is Verdict.REPRODUCED
    assert "says same direction" in entry.why
    assert entry == verdict(book(), *reversed(runs))


def test_nearer_to_equal_than_published_is_equal_whichever_is_ahead(
    book: Callable[..., ClaimSet], tmp_path: Path
) -> None:
    """Published: B takes twice A's time and is called as fast."""
    equal = book(('"less"', '"equal"'), ('row = "A"', 'row = "B"'), ('than = "B"', 'than = "A"'))
    for b in (100, 55, 190):
        assert verdict(equal, cells(tmp_path / f"near{b}", two(100, b))).verdict is Verdict.REPRODUCED
    assert verdict(equal, cells(tmp_path / "turned", two(300, 100))).verdict is Verdict.REFUTED


# several rows, statements, versions


def test_an_undecided_row_leaves_the_claim_undecided_though_a_nearer_one_is_reproduced(
    book: Callable[..., ClaimSet], tmp_path: Path
) -> None:
    made = two(100, 115).codec("rust/c", {SER: 125})
    entry = verdict(book(('than = "B"', 'than = "*"')), cells(tmp_path / "run", made))
    assert entry.verdict is Verdict.SAME_DIRECTION
    noisy = Made.loop_ns
    shaken = made.cell("rust/c", SER)
    factors = [0.5, 1.9, 0.7, 1.5, 0.6, 1.8, 1.0, 0.9, 1.6, 0.8]
    made.loop_ns = lambda slot: round(noisy(made, slot) * (factors[slot.round] if slot.cell == shaken else 1))  # type: ignore[method-assign]
    entry = verdict(book(('than = "B"', 'than = "*"')), cells(tmp_path / "noisy", made))
    assert entry.verdict is Verdict.UNDECIDED
    assert "against rust/c" in entry.why


STATEMENT = """[statements.s]
says = "Arrays are not copied"
quote = "Zero-copy arrays"
why = "no time tells"
"""


def test_a_statement_that_nothing_tells_is_a_line_without_figures(book: Callable[..., ClaimSet]) -> None:
    _, line = ledger(book(more=STATEMENT), [])
    assert (line.id, line.verdict, line.why) == ("s", Verdict.NOT_MEASURABLE, "no time tells")
    assert (line.quote, line.published, line.measured) == ("Zero-copy arrays", None, None)


def test_a_statement_needs_a_name_of_its_own(book: Callable[..., ClaimSet]) -> None:
    with pytest.raises(LabError, match="another statement has this name"):
        book(more=STATEMENT.replace("statements.s", "statements.c"))


def test_the_version_published_stands_beside_the_one_measured(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    run = cells(tmp_path / "run", two(100, 200).codec("rust/c", {SER: 300}))
    (version, same) = verdict(
        book(("[metrics.times_of_a]", '[versions]\nlib = "0.9"\n[metrics.times_of_a]')), run
    ).versions
    assert (version.codec, version.library, version.published, version.measured) == ("rust/a", "lib", "0.9", "1.2.3")
    assert same.codec == "rust/b"
    assert verdict(book(), run).versions[0].published is None


def test_every_version_is_of_a_library_that_a_codec_of_the_publication_has() -> None:
    planned = [cell for run in runs_below([RESULTS]) for cell in read_run_file(run).plan.cells]
    for source, versions in BOOK.versions.items():
        entries = [entry for entry in BOOK.entries if entry.source == source]
        codecs = {codec for entry in entries for pair in entry.pairs for codec in (pair.one.codec, pair.other.codec)}
        codecs |= {entry.row.codec for entry in entries}
        same = [entry.claim for entry in BOOK.same_bytes if entry.source == source]
        codecs |= {codec for claim in same for codec in (claim.one, claim.other)}
        codecs |= {figure.codec for figure in BOOK.document_sizes if figure.publication == source}
        assert versions.keys() <= {cell.library for cell in planned if cell.cell.codec in codecs}, source


def test_a_measurement_that_two_claims_rest_on_is_scored_once(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    both = book(more=CLAIM.replace("says", "[claims.d]\nsays", 1).replace('than = "B"', 'than = "*"'))
    run = cells(tmp_path / "run", two(100, 200).codec("rust/c", {SER: 400}))
    one, other = ledger(both, [run])
    assert (one.same_as, other.same_as) == (None, one.id)
    assert score([one, other]).startswith("1 claim: 1 reproduced")
    turned = cells(tmp_path / "turned", two(100, 200).codec("rust/c", {SER: 50}))
    one, other = ledger(both, [turned])
    assert other.same_as is None, "it has another verdict, from another row"


@pytest.mark.parametrize(
    ("disturbed", "expected"), [({}, Verdict.SAME_DIRECTION), ({"rust/c": 0.3}, Verdict.UNDECIDED)]
)
def test_where_codecs_met_unequal_moments_a_canary_s_tolerance_decides_nothing(
    book: Callable[..., ClaimSet], tmp_path: Path, disturbed: dict[str, float], expected: Verdict
) -> None:
    made = CalmMade(rounds=40)
    made.layout_spread, made.disturbed = 0.001, disturbed
    for codec, ns in {"rust/a": 100.0, "rust/b": 106.0, "rust/c": 200.0}.items():
        made.codec(codec, {SER: ns, DESER: ns})
    made.twin("rust/a", SER)
    assert verdict(book(), cells(tmp_path / "run", made)).verdict is expected


@pytest.mark.parametrize(("unit", "same"), [("x", True), ("kB", False)])
def test_figures_of_another_unit_are_never_the_same_measurement(
    book: Callable[..., ClaimSet], tmp_path: Path, unit: str, same: bool
) -> None:
    (one,) = ledger(book(), [cells(tmp_path / "run", two(100, 200))])
    other = msgspec.structs.replace(one, id="d", unit=unit)
    assert [entry.same_as for entry in each_measurement_once([one, other])] == [None, one.id if same else None]


def test_sizes_have_a_score_of_their_own(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    sizes = CLAIM.replace("says", "[claims.d]\nsays", 1).replace('"serialize"', '"size"').replace('"time"', '"size"')
    both = book(more=sizes)
    right = ledger(both, [cells(tmp_path / "right", two(100, 200))])
    assert score(right).startswith("1 claim: 1 reproduced")
    assert score(right).endswith("; sizes: 1 of 1 as published")
    assert score(ledger(both, [cells(tmp_path / "wrong", two(100, 200, size_b=300))])).endswith(
        "0 of 1 as published, 1 refuted"
    )


@pytest.mark.parametrize(("kb", "expected"), [(2_000, Verdict.SAME_DIRECTION), (10, Verdict.UNDECIDED)])
def test_more_memory_than_others_is_a_difference(tmp_path: Path, kb: int, expected: Verdict) -> None:
    """The others take none beyond the process, so that there is no factor; a smaller file tells the direction alone."""
    read = Conditions(api="derive", validation="on", io="as-published", cache="warm", build="baseline")
    series = Made("log-small", rounds=6)
    series.repetitions = series.scenario.published.repetitions // 10
    names = ["brec-storage", "brec-stream", "plain-text", "serde-json", "prost", "flatbuffers", "flatbuffers-owned"]
    for name in names:
        series.codec(f"rust/{name}", {Operation.READ: 1e5}, size=30_000, conditions={Operation.READ: read})
    run = cells(tmp_path / "run", series)
    changed = [
        _taking(one, kb if cell.codec == "rust/brec-storage" else 0)
        for (cell, _), one in run.scenarios[0].series.items()
    ]
    held = msgspec.structs.replace(run.scenarios[0], series={(one.cell, one.twin): one for one in changed})
    entries = {one.id: one for one in ledger(BOOK, [msgspec.structs.replace(run, scenarios=(held,))])}
    entry = entries["small-storage-takes-more-memory-read"]
    assert entry.verdict is expected, entry.why
    assert entry.unit == "kB"


def _taking(series: Series, kb: int) -> Series:
    """The same cell with that much more memory than its process at 0 repetitions, give or take 20."""
    more = kb + np.array([0, 20, -20, 10, -10, 0])[: len(series.rounds)]
    return msgspec.structs.replace(series, peak_memory_bytes=series.base_memory_bytes + 1024 * more)


# claims that point nowhere


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        (('row = "A"', 'row = "a"'), "claims.c.row", "'a' is not a row of t.csv#T; there are: A, B, C"),
        (('than = "B"', 'than = "D"'), "claims.c.than", "'D' is not a row of t.csv#T"),
        (('operation = "serialize"', 'operation = "sort"'), "claims.c.row", "'sort' is not an operation of t.csv#T"),
        (('["linux"]', '["macos"]'), "claims.c.row", "'macos' is not a platform of t.csv#T; there are: linux"),
        (('"time"', '"speed"'), "claims.c.row", "'speed' is not a metric of t.csv#T"),
        (('table = "t"', 'table = "u"'), "claims.c.table", "'u' is not a table of this file; there are: t"),
        (('published = "T"', 'published = "U"'), "tables.t.published", "holds no table 'U'"),
        (('to = "A"\n', ""), "metrics.times_of_a", "a time ratio needs `to`"),
        (
            ('scenario = "process-created"', 'scenario = "proces-created"'),
            "tables.t.scenario",
            "is not a scenario of the lab; there are: process-created",
        ),
        (('"A" = "rust/a"', '"A" = "rust a"'), "tables.t.codecs", "matching regex"),
        (('"A" = "rust/a"', '"Z" = "rust/a"'), "tables.t.codecs.Z", "'Z' is not a row of the table"),
        (('"A" = "rust/a"\n', ""), "claims.c.row", "no codec stands for row 'A'"),
        (
            (
                'scenario = "process-created"\n',
                'scenario = "process-created"\noperations = { serialize = "serialise" }\n',
            ),
            "tables.t.operations",
            "'serialise' is not an operation of the scenario; there are: serialize",
        ),
        (
            ('scenario = "process-created"\n', 'scenario = "process-created"\nconditions = { bufer = "reused" }\n'),
            "tables.t.conditions",
            "'bufer' is not a condition; there are: buffer",
        ),
        (('"less"', '"faster"'), "claims.c.direction", "Invalid enum value"),
        (('than = "B"', 'then = "B"'), "claims.c.then", "unknown field `then`"),
        (('than = "B"\n', ""), "claims.c", "needs `than`, `at_least` or `at_most`"),
    ],
)
def test_a_claim_that_points_nowhere_is_reported_with_file_line_and_field(
    book: Callable[..., ClaimSet], tmp_path: Path, change: tuple[str, str], field: str, problem: str
) -> None:
    with pytest.raises(LabError) as caught:
        book(change)
    message = str(caught.value)
    file, line, rest = message.split(":", 2)
    assert Path(file) == tmp_path / "t.toml"
    text = (tmp_path / "t.toml").read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert field.rpartition(".")[2] in text, f"line {line} is {text!r}"
    assert rest.strip().startswith(field), message
    assert problem in rest, message


def test_another_version_of_the_file_is_refused(book: Callable[..., ClaimSet]) -> None:
    with pytest.raises(LabError, match="its protocol version is 2"):
        book(("protocol = 1", "protocol = 2"))


def test_every_metric_of_a_claim_can_be_measured(book: Callable[..., ClaimSet]) -> None:
    assert {entry.kind for entry in BOOK.entries} <= COMPARABLE
    with pytest.raises(LabError, match="compares two rows: name the other one"):
        book(('"time"', '"times_of_a"'), ('row = "A"', 'row = "B"'), ('than = "B"\n', ""))


# rank correlation


def test_tau_b_by_hand() -> None:
    """Of 1 2 3 4 against 1 2 2 4: 5 pairs agree, 1 is a tie: 5 / √(6 · 5)."""
    assert kendall([1, 2, 3, 4], [1, 2, 2, 4]) == pytest.approx(5 / math.sqrt(30))
    assert kendall([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert kendall([1, 2], [1, 1]) is None


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_tau_b_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    published, measured = zip(*pairs, strict=True)
    expected = stats.kendalltau(published, measured, variant="b").statistic
    own = kendall(published, measured)
    assert own is None if math.isnan(expected) else own == pytest.approx(expected, abs=1e-12)


def test_swapped_pairs_and_ties_are_those_of_the_data(tmp_path: Path) -> None:
    """Published on Linux: FlatMessage unchecked, postcard, bincode, toml; here bincode and postcard tie."""
    found = {
        (r.operation, r.platform): r
        for r in column_orders(BOOK, [cells(tmp_path / "run", usual())])
        if r.table == "process-created"
    }
    both = found["round-trip", "linux"]
    assert (both.rows, both.compared, both.pairs, both.tied, both.swaps) == (13, 4, 6, 1, ())
    assert both.tau == pytest.approx(5 / math.sqrt(30))
    assert found["round-trip", "windows"].why == "no run on windows"
    made = Made().codec("rust/bincode", {BOTH: 100}).codec("rust/postcard", {BOTH: 200}).codec("rust/toml", {BOTH: 50})
    (turned,) = [r for r in column_orders(BOOK, [cells(tmp_path / "turned", made)]) if r.tau is not None]
    assert turned.tau == pytest.approx(-1)
    assert {(swap.faster, swap.slower) for swap in turned.swaps} == {
        ("postcard (schema)", "toml"),
        ("postcard (schema)", "bincode (schema)"),
        ("bincode (schema)", "toml"),
    }
    assert all(swap.published > 1 > swap.measured.high for swap in turned.swaps)


# the command


def call(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and output of `lab claims`."""
    result = CliRunner().invoke(claims, [str(argument) for argument in arguments], catch_exceptions=False)
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual synthetic run, in which toml and cbor4ii stand beside three codecs of the table."""
    return claimed(usual(), 200, 200).write(tmp_path_factory.mktemp("runs") / "usual")


def test_terminal_shows_what_was_measured_and_counts_the_rest(run: Path) -> None:
    code, text = call(run)
    assert code == 0
    assert "size-postcard@linux" in text
    assert "no run of log-large" in text
    assert "large-json-reads-last" not in text
    assert "large-json-reads-last" in call(run, "--all")[1]


def test_markdown_is_a_table(run: Path) -> None:
    lines = call(run, "--markdown")[1].splitlines()
    assert sum(line.startswith("| ") for line in lines) > 10
    assert any("230 B" in line and "reproduced" in line and "size-postcard@linux" in line for line in lines)


def test_json_holds_every_claim_with_all_that_the_verdict_rests_on(run: Path) -> None:
    found = json.loads(call(run, "--json")[1])
    groups = (BOOK.entries, BOOK.same_bytes, BOOK.document_sizes, BOOK.statements)
    assert len(found["claims"]) == sum(map(len, groups))
    entry = next(
        one for one in found["claims"] if one["id"] == "order-process-created-protobuf-schema-round-trip@linux"
    )
    assert entry["than"] == ["rust/rmp-serde-named process-created round-trip"]
    assert entry["measured"]["low"] <= 1 <= entry["measured"]["high"]
    assert entry["measurements"][0]["run"].startswith("2025")
    assert {r["operation"] for r in found["rankings"]} >= {"round-trip", "serialize", "filter", "read"}


def test_strict_fails_on_a_refuted_claim_alone(run: Path, tmp_path: Path) -> None:
    assert call(run, "--strict")[0] == 0
    made = claimed(Made(), 300, 100)
    code, text = call(made.write(tmp_path / "run"), "--strict")
    assert code == 1
    assert "order-process-created-protobuf-schema-round-trip@linux" in text.partition("Refuted: ")[2]


def test_the_same_runs_give_the_same_bytes(run: Path) -> None:
    assert call(run, "--json") == call(run, "--json")


def test_conditions_of_a_table_choose_the_cell(book: Callable[..., ClaimSet], tmp_path: Path) -> None:
    fresh = {SER: Conditions(api="serde", buffer="fresh", build="baseline")}
    made = two(100, 200).codec("rust/a", {SER: 100}, conditions=fresh).codec("rust/b", {SER: 50}, conditions=fresh)
    run = cells(tmp_path / "run", made)
    assert Cell("rust/a", "process-created", SER, PUBLISHED[SER]) in {cell for cell, _ in run.scenarios[0].series}
    assert verdict(book(), run).verdict is Verdict.REPRODUCED
    changed = ('scenario = "process-created"\n', 'scenario = "process-created"\nconditions = { buffer = "fresh" }\n')
    assert verdict(book(changed), run).verdict is Verdict.REFUTED
