"""The evidence under a claim: its sentence, its cells as the tables show them, and the command that measures it."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from analysis.base.anchors import heading_anchor, run_link
from analysis.claims.definitions import Entry, Pair, Side
from analysis.claims.evidence import pattern_of
from analysis.claims.ledger import ledger
from analysis.claims.ledger_entry import FOR_READERS, LedgerEntry, for_readers
from analysis.claims.measurements import Measurement
from analysis.claims.sentences import relation, sentence
from analysis.claims.verdicts import HOLDS, Verdict
from analysis.commands import claims as command
from analysis.commands.claims import claims, split
from analysis.data.cells import RunCells, read_cells
from analysis.data.select import runs_by_scenario
from analysis.render.evidence_facts import WIDTH, evidence_text, shell_lines
from analysis.statistics.estimates import Unit, exact
from analysis.tables.reports import RunReport, read_report
from bench.commands.bench import bench
from bench.model.cells import Cell, Conditions, Operation, is_published
from bench.model.plan import Scope
from bench.model.record import Ending, EndingRule
from bench.scenarios.catalogue import load_catalogue
from bench.scenarios.scope import chosen_cells
from bench.scenarios.selection import Selection
from tests.support.recorded.committed import recorded, recorded_cells
from tests.support.recorded.submittable import Submittable
from tests.support.scenarios.committed import committed_claims, committed_scenarios
from tests.support.synthetic_run import BOTH, DESER, PUBLISHED, SER, Made, claimed, usual

SCENARIOS = committed_scenarios()
BOOK = committed_claims()
APART = {entry.id for entry in BOOK.entries if entry.row.conditions}
"""Claims of columns whose cells have conditions of their own, and stand among the variants."""
CATALOGUE = load_catalogue()
CELLS = CATALOGUE.cells(SCENARIOS)


def judged(path: Path, made: Made, claim: str) -> LedgerEntry:
    """A claim as a synthetic run judges it."""
    return next(one for one in ledger(BOOK, [read_cells(made.write(path))]) if one.id == claim)


def prost_and_rmp(prost: float, rmp: float) -> Made:
    """Two codecs of a claim, with these times of a round trip in ns."""
    return claimed(Made(), prost, rmp).twin("rust/prost", BOTH)


# sentences


@pytest.mark.parametrize(
    ("prost", "rmp", "begins", "ends"),
    [
        (300, 100, "refuted: published 1.63× as fast; here 0.33", "takes (2.9|3.0). times as long as rmp"),
        (
            100,
            130,
            "reproduced: published 1.63× as fast; here 1.[23]",
            "fast as rmp, within what .* allows",
        ),
        (100, 900, "same direction: published 1.63× as fast; here [89]", "rmp, more than published"),
        (100, 100, "undecided: published 1.63× as fast; here (1|0.99)", "may decide it"),
    ],
)
def test_a_sentence_tells_verdict_figures_and_meaning(
    tmp_path: Path, prost: float, rmp: float, begins: str, ends: str
) -> None:
    made = prost_and_rmp(prost, rmp)
    told = judged(tmp_path / "run", made, "order-process-created-protobuf-schema-round-trip@linux").sentence
    assert re.match(begins, told), told
    assert re.search(f"{ends}$", told), told


def test_a_sentence_has_the_measured_figure_and_its_interval(tmp_path: Path) -> None:
    entry = judged(tmp_path / "run", prost_and_rmp(300, 100), "order-process-created-protobuf-schema-round-trip@linux")
    assert entry.measured is not None
    assert f"here {entry.measured.point:.3f}× [{entry.measured.low:.3f}–{entry.measured.high:.3f}]" in entry.sentence


@pytest.mark.parametrize(
    ("claim", "point", "told"),
    [
        (
            "order-process-created-protobuf-schema-round-trip@linux",
            0.5,
            "protobuf (schema) takes 2.00 times as long as rmp",
        ),
        (
            "order-process-created-protobuf-schema-round-trip@linux",
            2.0,
            "protobuf (schema) is 2.00 times as fast as rmp",
        ),
        ("large-json-reads-last", 2.0, "JSON takes 2.00 times as long as "),
        ("large-json-reads-last", 0.5, "JSON is 2.00 times as fast as "),
        ("array-f64-protobuf-writes-beve", 0.25, "Protobuf is 4.00 times as fast as BEVE"),
        ("large-protobuf-20-40-percent-smaller", 1.5, "JSON takes 1.50 times as many bytes as Protobuf"),
        ("array-f64-messagepack-12-percent-larger", 0.8, "BEVE takes 1.25 times as many bytes as MessagePack"),
        ("small-storage-takes-more-memory-read", 900, "Brec Storage takes 900.0 kB more than "),
        ("small-storage-takes-more-memory-read", -900, "Brec Storage takes 900.0 kB less than "),
        (
            "bfast-scales-linearly-to-1k",
            2.0,
            "B-FAST in users-1k takes 2.00 times as long an item as B-FAST in users-100",
        ),
    ],
)
def test_a_figure_of_two_rows_is_told_the_right_way_round(claim: str, point: float, told: str) -> None:
    entry = next(one for one in BOOK.entries if one.id == claim)
    assert relation(entry, entry.pairs[0], msgspec.structs.replace(exact(1.0), point=point)).startswith(told)


def test_memory_of_a_smaller_file_is_not_called_less_than_published() -> None:
    entry = next(one for one in BOOK.entries if one.id == "small-storage-takes-more-memory-read")
    why = "of a smaller file than the published one, so only the direction can be told"
    figure = msgspec.structs.replace(exact(1.0), point=900.0, low=800.0, high=1000.0, kind=Unit.ROUNDS)
    first = Measurement("run", figure, entry.pairs[0], Verdict.SAME_DIRECTION, why, reason=why)
    told = sentence(entry, first, Verdict.SAME_DIRECTION, why)
    assert told.endswith(why) and "less than published" not in told


def test_sizes_that_differ_by_a_byte_are_not_told_as_equal(tmp_path: Path) -> None:
    conditions = {SER: Conditions(api="derive", buffer="reused", build="baseline")}
    made = Made("array-f64").codec("cpp/glaze-beve", {SER: 1e3}, size=80_003, conditions=conditions)
    made.codec("cpp/glaze-cbor", {SER: 1e3}, size=80_004, conditions=conditions)
    entry = judged(tmp_path / "run", made, "array-f64-beve-and-cbor-same-size")
    assert "CBOR takes 0.0012 % more bytes than BEVE" in entry.sentence


def test_without_a_run_the_sentence_says_so() -> None:
    assert next(iter(ledger(BOOK, []))).sentence == "not measured: no run"


def test_refuted_and_undecided_claims_are_listed_first(tmp_path: Path) -> None:
    entries = for_readers(ledger(BOOK, [read_cells(usual().write(tmp_path / "run"))]))
    assert set(FOR_READERS) == set(Verdict)
    verdicts = [entry.verdict for entry in entries]
    assert verdicts == sorted(verdicts, key=FOR_READERS.index)


# compilers


def built_twice(zig: float, system: float, other: float) -> Made:
    """A C++ claim whose row has a build of each of two compilers; the other row takes the same with both."""
    made = Made("array-f64")
    for compiler, ns, variant in (("zig", zig, ""), ("system", system, "system")):
        conditions = {SER: Conditions(api="derive", buffer="reused", compiler=compiler, build="baseline")}
        made.codec("cpp/zpp-bits", {SER: ns}, size=80_004, conditions=conditions, variant=variant)
        made.codec("cpp/glaze-beve", {SER: other}, size=80_003, conditions=conditions, variant=variant)
    return made


def test_both_compilers_are_shown_and_a_verdict_that_depends_on_them_says_so(tmp_path: Path) -> None:
    entry = judged(tmp_path / "run", built_twice(2000, 500, 1000), "array-f64-protobuf-writes-beve")
    assert [(one.compiler, one.verdict) for one in entry.evidence.compilers] == [
        ("zig", entry.verdict),
        ("system", Verdict.REFUTED),
    ]
    zig, system = (one.measured.point for one in entry.evidence.compilers if one.measured)
    assert (zig, system) == (pytest.approx(2, rel=0.05), pytest.approx(0.5, rel=0.05))
    assert "depends on the compiler: " in entry.sentence
    assert re.search(r"refuted with system \(0\.(49|50)", entry.sentence)


def test_a_claim_that_one_run_refutes_and_another_holds_is_undecided(tmp_path: Path) -> None:
    def run(name: str, ns: float, size: int = 80_004) -> RunCells:
        made, conditions = Made("array-f64"), {SER: Conditions(api="derive", buffer="reused", compiler="zig")}
        made.codec("cpp/zpp-bits", {SER: ns}, size=size, conditions=conditions)
        made.codec("cpp/glaze-beve", {SER: 1000}, size=80_003, conditions=conditions)
        return read_cells(made.write(tmp_path / name))

    def told(*runs: RunCells) -> dict[str, LedgerEntry]:
        return {entry.id: entry for entry in ledger(BOOK, runs)}

    name, size = "array-f64-protobuf-writes-beve", "size-array-f64-protobuf"
    slower, faster = run("slower", 2000), run("faster", 500, 80_005)
    assert told(faster)[name].verdict is Verdict.REFUTED
    assert told(slower)[name].verdict in HOLDS
    both = told(slower, faster)
    assert both[name].verdict is Verdict.UNDECIDED
    assert "recorded runs contradict each other: " in both[name].sentence
    assert both[size].verdict is both[size].measurements[0].verdict, (
        "a size is what the program of the first run writes"
    )


def test_a_run_with_an_interval_decides_before_one_that_has_none(tmp_path: Path) -> None:
    def run(name: str, rounds: int) -> RunCells:
        made = Submittable(run_id=name, rounds=rounds)
        made.changed["endings"] = {"process-created": Ending(EndingRule.PRECISE, 16, 8, 60.0, 1.0, 1.0)}
        claimed(made, 200, 300).twin("rust/prost", BOTH)
        return read_cells(made.write(tmp_path / name))

    name = "order-process-created-protobuf-schema-round-trip@linux"
    few, whole = run("ffffff", 1), run("aaaaaa", 16)
    assert [one.run.id for one, _ in runs_by_scenario([few, whole])["process-created"]] == [few.run.id, whole.run.id]
    alone, both = (next(e for e in ledger(BOOK, runs) if e.id == name) for runs in ([few], [few, whole]))
    assert alone.verdict is Verdict.UNDECIDED and "alone: an interval needs at least" in alone.why
    assert both.verdict in HOLDS and [one.run for one in both.measurements] == [whole.run.id, few.run.id]


def test_a_build_on_request_is_made_before_it_is_measured(tmp_path: Path) -> None:
    made, conditions = Made("array-f64"), {SER: Conditions(api="derive", buffer="reused", compiler="system")}
    for codec, size, ns in (("cpp/zpp-bits", 80_004, 2000), ("cpp/glaze-beve", 80_003, 1000)):
        made.codec(codec, {SER: ns}, size=size, conditions=conditions, variant="system")
    command = judged(tmp_path / "run", made, "array-f64-protobuf-writes-beve").evidence.command
    first, _, second = str(command).partition(" && ")
    assert first == "./lab build --toolchain zig,system -f '^(cpp/zpp-bits|cpp/glaze-beve) array-f64 '"
    assert second.startswith("./lab bench --profile published -f ")


def test_a_build_on_request_that_no_run_has_is_made_and_measured_alone(tmp_path: Path) -> None:
    """sonic-rs asks for the machine's own processor, which labs build on request."""
    made = Made("log")
    for codec in ("rust/sonic-rs", "rust/simd-json-in-place"):
        made.codec(codec, {DESER: 100.0}, conditions={DESER: Conditions(validation="on", build="baseline")})
    baseline = read_cells(made.write(tmp_path / "run"))
    for runs in ([], [baseline]):
        entry = next(one for one in ledger(BOOK, runs) if one.id == "sonic-rs-reads-texts-faster-than-simd-json")
        first, _, second = str(entry.evidence.command).partition(" && ")
        assert first == "./lab build --cpu native -f '^(rust/sonic-rs|rust/simd-json-in-place) log '"
        pattern = re.compile(shlex.split(second)[-1])
        assert pattern.search("rust/sonic-rs log deserialize api=serde validation=on build=native")
        assert pattern.search("rust/simd-json-in-place log deserialize validation=on build=native fields=all")
        assert not pattern.search("rust/sonic-rs log deserialize api=serde validation=on build=baseline")
        assert not runs or "build=native" in entry.why


def test_of_runs_without_a_figure_the_one_that_has_most_of_the_rows_says_why(tmp_path: Path) -> None:
    def run(name: str, codec: str, build: str) -> RunCells:
        made = Submittable(scenario="log", run_id=name)
        made.codec(codec, {DESER: 100.0}, conditions={DESER: Conditions(validation="on", build=build)})
        return read_cells(made.write(tmp_path / name))

    lacking, holding = run("aaaaaa", "rust/prost", "baseline"), run("ffffff", "rust/sonic-rs", "native")
    for runs in ([lacking, holding], [holding, lacking]):
        entry = next(one for one in ledger(BOOK, runs) if one.id == "sonic-rs-reads-texts-faster-than-simd-json")
        assert entry.why == "no cell rust/simd-json-in-place log deserialize build=native in the run"
        assert entry.evidence.run == holding.run.id and str(entry.evidence.sides[0].cell).startswith("rust/sonic-rs")
        assert [one.run for one in entry.measurements] == [holding.run.id, lacking.run.id]


def test_no_claim_is_refuted_where_the_noise_floor_is_unknown(tmp_path: Path) -> None:
    """A difference of 6 % means nothing where no code was measured twice, and something where it was."""

    def verdict(name: str, *, is_known: bool) -> Verdict:
        made, own = Submittable(scenario="log", run_id=name), {DESER: Conditions(validation="on", build="native")}
        made.layout_spread = 0.001
        made.codec("rust/sonic-rs", {DESER: 106.0}, conditions=own)
        made.codec("rust/simd-json-in-place", {DESER: 100.0}, conditions=own)
        made.twins = [one.cell for one in made.cells] if is_known else []
        runs = [read_cells(made.write(tmp_path / name))]
        return next(e for e in ledger(BOOK, runs) if e.id == "sonic-rs-reads-texts-faster-than-simd-json").verdict

    assert verdict("aaaaaa", is_known=False) is Verdict.UNDECIDED
    assert verdict("ffffff", is_known=True) is Verdict.REFUTED


def test_the_command_measures_both_rows_where_a_run_has_one_of_them(tmp_path: Path) -> None:
    made, conditions = Made("array-f64"), {SER: Conditions(api="derive", buffer="reused")}
    made.codec("cpp/zpp-bits", {SER: 2000}, size=80_004, conditions=conditions)
    command = judged(tmp_path / "run", made, "array-f64-protobuf-writes-beve").evidence.command
    assert command == "./lab bench --profile published -f '^(cpp/zpp-bits|cpp/glaze-beve) array-f64 serialize '"


def test_compilers_that_agree_are_shown_without_that_sentence(tmp_path: Path) -> None:
    entry = judged(tmp_path / "run", built_twice(2000, 2100, 1000), "array-f64-protobuf-writes-beve")
    assert len(entry.evidence.compilers) == 2
    assert "compiler" not in entry.sentence


def test_what_one_compiler_leaves_undecided_is_not_called_a_difference(tmp_path: Path) -> None:
    entry = judged(tmp_path / "run", built_twice(2000, 1000, 1000), "array-f64-protobuf-writes-beve")
    assert "not decided with each compiler: " in entry.sentence and not entry.evidence.depends_on_compiler


# the cells are those of the tables


def check_cells(report: RunReport) -> int:
    """Holds every claim's cells and factor against the rows of the run's tables; returns how many there are."""
    checked = 0
    for entry in ledger(BOOK, [report.cells]):
        sides = entry.evidence.sides
        if entry.exact or entry.measured is None or any(side.cell is None for side in sides) or entry.id in APART:
            continue
        shown = []
        for side in sides:
            rows = report.of(str(side.cell).split(" ")[1]).table.chosen[side.codec]
            shown.append(rows[Operation(str(entry.evidence.operation))])
            assert str(shown[-1].cell) == side.cell, entry.id
        times = [side.time_ns.point for side in sides if side.time_ns]
        alike = len({series.gated for series in shown}) == 1  # else the ratio is of all loops of both
        if len(times) == 2 and entry.unit == "x" and entry.measured.kind is Unit.LAYOUTS and entry.metric == "time":
            factor = times[1] / times[0] if report_less(entry) else times[0] / times[1]
            assert entry.measured.point == pytest.approx(factor, rel=1e-6 if alike else 0.2), entry.id
        checked += 1
    return checked


def report_less(entry: LedgerEntry) -> bool:
    """Whether the claim is that its row takes less time."""
    return next(one for one in BOOK.entries if one.id == entry.id).claim.direction == "less"


def test_every_figure_is_of_the_cells_that_the_table_shows(tmp_path: Path) -> None:
    assert check_cells(read_report(claimed(usual(), 200, 300).write(tmp_path / "usual"))) > 0
    assert check_cells(read_report(built_twice(2000, 500, 1000).write(tmp_path / "twice"))) > 0


@pytest.mark.slow
def test_every_recorded_figure_is_of_the_cells_that_the_table_shows() -> None:
    assert sum(map(check_cells, recorded())) > 10


def test_every_size_is_the_one_in_the_table(tmp_path: Path) -> None:
    report = read_report(usual().write(tmp_path / "usual"))
    sizes = {row.codec: row.size_bytes for row in report.scenarios[0].table.overview.rows}
    entries = [one for one in ledger(BOOK, [report.cells]) if one.exact and one.measured]
    assert entries
    for entry in entries:
        assert [side.encoded_bytes for side in entry.evidence.sides] == [sizes[s.codec] for s in entry.evidence.sides]


# the command


def pairs_of(entry: Entry) -> Iterator[tuple[Side, ...]]:
    """What can decide a claim: each of its pairs, or its only row."""
    if not entry.pairs:
        yield (entry.row,)
    for pair in entry.pairs:
        yield (pair.one, pair.other) if isinstance(pair, Pair) else ()


def offered(side: Side) -> Cell | None:
    """The cell of a side in the catalogue, under the published conditions."""
    wanted = SCENARIOS[side.scenario].published.conditions
    own = [c for c in CELLS if (c.codec, c.scenario, c.operation) == (side.codec, side.scenario, side.operation)]
    return next((one for one in own if is_published(one.conditions, wanted)), None)


def test_each_command_selects_its_cells_and_their_controls_alone() -> None:
    checked = set[str]()
    for entry in BOOK.entries:
        for sides in pairs_of(entry) if entry.row.scenario in SCENARIOS else ():
            cells = [cell for side in sides if (cell := offered(side)) is not None]
            if not cells or pattern_of(cells) in checked:
                continue
            held = [one for one in CELLS if one.scenario in {cell.scenario for cell in cells}]
            chosen = chosen_cells(held, SCENARIOS, CATALOGUE.controls, Selection([pattern_of(cells)]), Scope.ALL)
            assert {one for one in chosen if one.codec not in CATALOGUE.controls} == {
                one for one in cells if one.codec not in CATALOGUE.controls
            }, entry.id
            groups = {(one.codec.partition("/")[0], one.scenario, one.operation) for one in cells}
            assert {(one.codec.partition("/")[0], one.scenario, one.operation) for one in chosen} <= groups, entry.id
            checked.add(pattern_of(cells))
    assert len(checked) > 80


def test_the_lab_plans_the_cells_of_a_claim_and_their_controls() -> None:
    entry = next(one for one in BOOK.entries if one.id == "order-process-created-protobuf-schema-round-trip@linux")
    cells = [cell for side in next(pairs_of(entry)) if (cell := offered(side))]
    arguments = ["--profile", "published", "-f", pattern_of(cells), "--dry-run", "-v"]
    result = CliRunner().invoke(bench, arguments, catch_exceptions=False)
    planned = [line.strip() for line in result.output.splitlines() if line.startswith("    ")]
    controls = {line for line in planned if line.split(" ")[0] in CATALOGUE.controls}
    assert controls and set(planned) - controls == set(map(str, cells))


def test_letters_with_a_meaning_in_patterns_are_taken_literally() -> None:
    conditions = Conditions(api="generated", build="x86-64-v3.1")
    cell = Cell("cpp/a.b", "users-1k", Operation.BUILD_SERIALIZE, conditions)
    like = Cell("cpp/acb", "users-1k", Operation.BUILD_SERIALIZE, conditions)
    assert Selection([pattern_of([cell])]).cells([cell, like]) == [cell]


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_a_shell_reads_a_command_of_several_lines_as_the_same_words() -> None:
    long = "./lab bench --profile published -f '^(" + "|".join(f"rust/codec-{n} log read a=b" for n in range(9)) + ")$'"
    lines = shell_lines(long)
    assert len(lines) > 2 and max(map(len, lines)) <= WIDTH

    def words(text: str) -> str:
        script = f"set -- {text}\nprintf '%s\\n' \"$@\""
        return subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout

    assert words("\n".join(lines)) == words(long)


# links


def test_headings_have_the_anchors_that_github_makes() -> None:
    """As in GitHub's own documentation of links to sections."""
    assert heading_anchor("Sample Section") == "sample-section"
    title = "This'll be a Helpful Section About the Greek Letter Θ!"
    assert heading_anchor(title) == "thisll-be-a-helpful-section-about-the-greek-letter-θ"


def test_a_claim_links_to_the_tables_of_the_run_that_decides(tmp_path: Path) -> None:
    made = prost_and_rmp(300, 100)
    entry = judged(tmp_path / "run", made, "order-process-created-protobuf-schema-round-trip@linux")
    run = read_cells(tmp_path / "run").run
    assert entry.evidence.table == run_link("process-created", run)
    assert entry.evidence.table.startswith("results/scenarios/process-created.md#run-")


def test_every_publication_has_an_address_and_every_table_a_section() -> None:
    assert all(address and address.startswith("https://") for address in BOOK.addresses.values())
    assert all(table.definition.section for table in BOOK.tables.values())


# lab claims


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual synthetic run."""
    return claimed(usual(), 200, 200).write(tmp_path_factory.mktemp("runs") / "usual")


def call(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and output of `lab claims`."""
    result = CliRunner().invoke(claims, [str(argument) for argument in arguments])
    return result.exit_code, result.output + (str(result.exception) if result.exception else "")


def test_a_claim_is_shown_with_its_evidence_on_one_screen(run: Path) -> None:
    code, text = call("order-process-created-protobuf-schema-round-trip@linux", run)
    assert code == 0
    assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= WIDTH
    for part in ("Quotation", "Address", "Published", "Measured", "Cells", "Run", "Table", "./lab bench --profile"):
        assert part in text
    assert "flatmessage.csv, line 161" in text and "api=serde buffer=reused" in text


@pytest.mark.slow
def test_no_claim_is_longer_than_a_screen() -> None:
    for entry in ledger(BOOK, recorded_cells()):
        lines = evidence_text(entry).splitlines()
        assert len(lines) <= 40 and max(map(len, lines)) <= WIDTH, entry.id


def test_without_a_run_those_below_results_judge(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "RESULTS", run.parent)
    assert call("size-postcard@linux") == call("size-postcard@linux", run)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "order-process-created-protobuf-schema-round-tri",
            "the nearest: order-process-created-protobuf-schema-",
        ),
        ("toml-last", "Give one of: toml-last@windows, toml-last@macos"),
        ("qqqqq", "neither a folder nor the id of a claim"),
        ("q" * 5_000, "neither a folder nor the id of a claim"),
        ("runs/none", "holds no run"),
    ],
)
def test_what_is_neither_a_run_nor_one_claim_is_named(given: str, said: str) -> None:
    code, text = call(given)
    assert code != 0 and said in text


def test_every_claim_that_the_ledger_has_can_be_asked_for() -> None:
    ids = [entry.id for entry in ledger(BOOK, [])]
    assert split(ids, BOOK) == ([], ids)


def test_a_claim_of_one_platform_needs_no_platform(run: Path) -> None:
    assert call("size-postcard", run) == call("size-postcard@linux", run)


def test_a_folder_is_a_run_even_if_it_is_called_like_a_claim(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(run, tmp_path / "size-postcard@linux")
    monkeypatch.chdir(tmp_path)
    assert "Claims ledger" in call("size-postcard@linux")[1]


@pytest.mark.parametrize(
    ("options", "shown", "hidden"),
    [
        (("-f", "^size-postcard"), "size-postcard@linux", "size-bincode@linux"),
        (("--verdict", "reproduced"), "size-postcard@linux", "toml-last@macos"),
        (("--verdict", "not measured"), "large-json-reads-last", "size-postcard@linux"),
        (("--source", "brec", "--all"), "large-json-reads-last", "size-postcard@linux"),
        (("--source", "brec", "--source", "b-fast", "--all"), "bfast-numpy-14-times", "early-storage-reads-last"),
        (
            ("-f", "^size-", "--verdict", "reproduced", "--source", "flatmessage"),
            "size-postcard@linux",
            "large-json-reads-last",
        ),
        (("--verdict", "reproduced", "--verdict", "not measurable"), "bfast-zero-copy-arrays", "large-json-reads-last"),
    ],
)
def test_claims_can_be_filtered(run: Path, options: tuple[str, ...], shown: str, hidden: str) -> None:
    code, text = call(run, *options)
    assert code == 0
    assert shown in text and hidden not in text


def test_an_unknown_publication_is_named(run: Path) -> None:
    code, text = call(run, "--source", "flat")
    assert code != 0 and "flatmessage" in text


def test_markdown_and_json_have_the_evidence_too(run: Path) -> None:
    assert (
        "- Measure it: `./lab bench"
        in call(run, "order-process-created-protobuf-schema-round-trip@linux", "--markdown")[1]
    )
    assert (
        '"command":"./lab bench --profile published -f '
        in call(run, "order-process-created-protobuf-schema-round-trip@linux", "--json")[1]
    )


def test_published_conditions_of_the_synthetic_cells_are_in_their_evidence(tmp_path: Path) -> None:
    entry = judged(tmp_path / "run", prost_and_rmp(300, 100), "order-process-created-protobuf-schema-round-trip@linux")
    assert [side.cell for side in entry.evidence.sides] == [
        str(Cell(codec, "process-created", BOTH, PUBLISHED[BOTH])) for codec in ("rust/prost", "rust/rmp-serde-named")
    ]
