"""`lab table` over runs whose true times are known; nothing is built or measured."""

import csv
import itertools
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.base.text import ms, significant, size
from analysis.commands.table import table
from analysis.render.terminal import escape, markdown
from analysis.sources.published_tables import FOLDER, load_published
from analysis.tables.columns.sizes import size_percent
from analysis.tables.layout import Grid
from analysis.tables.reports import ScenarioReport, read_report
from analysis.tables.rows import RankedRows
from bench.base.errors import LabError
from bench.model.plan import Profile
from tests.support.synthetic_run import BOTH, DESER, DESERIALIZE, SER, SERIALIZE, Made, but, usual


def overview_of(folder: Path) -> RankedRows:
    """The rows of the only scenario of a run, by its round trip."""
    return report_of(folder).table.overview


def report_of(folder: Path) -> ScenarioReport:
    """Both tables of the only scenario of a run."""
    (report,) = read_report(folder).scenarios
    return report


def row_of(grid: Grid, name: str) -> list[str]:
    """A row by its codec, each cell on one line."""
    return next(
        [" / ".join(cell) for cell in row]
        for s in grid.sections
        for row in s.rows
        if any(c[0] == name for c in row[:2])
    )


def notes_with(grid: Grid, word: str) -> str:
    """The notes that hold a word."""
    return "\n".join(note for note in grid.notes if word in note)


def shown(*arguments: str | Path) -> str:
    """What `lab table` prints."""
    result = CliRunner().invoke(table, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def refused(folder: Path) -> str:
    """The message with which `lab table` refuses a run."""
    with pytest.raises(LabError) as caught:
        CliRunner().invoke(table, [str(folder)], catch_exceptions=False)
    return str(caught.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual synthetic run."""
    return usual().write(tmp_path_factory.mktemp("runs") / "usual")


# the published tables


def test_published_sizes_have_their_printed_percentages() -> None:
    """All 39 of the publication, +94 % to −2 %."""
    rows = list(csv.DictReader((FOLDER / "flatmessage.csv").open(encoding="utf-8")))
    sizes = {(r["platform"], r["codec"]): int(r["value"]) for r in rows if r["metric"] == "size"}
    printed = {(r["platform"], r["codec"]): int(r["value"]) for r in rows if r["metric"] == "size_vs_data"}
    assert len(printed) == 39
    assert {key: size_percent(size, 233) for key, size in sizes.items()} == printed


def test_published_rows_are_typed() -> None:
    loaded = load_published("flatmessage.csv#ProcessCreated")
    assert loaded.platforms() == ["windows", "macos", "linux"]
    assert loaded.times_ms("linux")["FlatMessage", BOTH] == 12.16
    assert next(v for v in loaded.values if v.operation == "round-trip").low == 18.0


@pytest.mark.parametrize(
    ("text", "reference", "message"),
    [
        ("", "t.csv#T", "t.csv:1: its columns are ''"),
        ("a,b\n", "t.csv#T", "t.csv:1: its columns are 'a,b'"),
        ("{head}\ns,T,linux,x,serialize,time,fast,,,ms\n", "t.csv#T", "t.csv:2: value: 'fast' is not a number"),
        ("{head}\ns,T,linux\n", "t.csv#T", "t.csv:2: 3 fields; a row has 10"),
        ("{head}\ns,U,linux,x,serialize,time,1,,,ms\n", "t.csv#T", "holds no table 'T'; it holds: U"),
        ("{head}\n", "t.csv", "give FILE#TABLE"),
        ("{head}\n", "none.csv#T", "'none.csv' is not one of the lab's published tables: t.csv"),
    ],
)
def test_bad_published_tables_are_named(tmp_path: Path, text: str, reference: str, message: str) -> None:
    head = "source,table,platform,codec,operation,metric,value,low,high,unit"
    (tmp_path / "t.csv").write_text(text.replace("{head}", head), encoding="utf-8")
    with pytest.raises(LabError) as caught:
        load_published(reference, tmp_path)
    assert message in str(caught.value)


def test_an_odd_unit_of_time_is_named(tmp_path: Path) -> None:
    head = "source,table,platform,codec,operation,metric,value,low,high,unit"
    (tmp_path / "t.csv").write_text(f"{head}\ns,T,linux,x,serialize,time,1,,,fortnight\n", encoding="utf-8")
    with pytest.raises(LabError, match="t.csv:2: unit: 'fortnight'"):
        load_published("t.csv#T", tmp_path).times_ms("linux")


# the published form


def test_true_difference_true_tie_and_competition_ranks(run: Path) -> None:
    codecs = overview_of(run).codecs
    assert [(row.codec, row.rank, row.tied) for row in codecs] == [
        ("rust/flat-message-unchecked", 1, False),
        ("rust/bincode", 2, True),
        ("rust/postcard", 2, True),
        ("rust/cbor4ii", 4, False),
        ("rust/toml", 5, False),
    ]


def test_relative_intervals_hold_the_true_ratios(run: Path) -> None:
    rows = {row.codec: row.relative for row in overview_of(run).codecs}
    for codec, true in (("rust/postcard", 150 / 82), ("rust/cbor4ii", 290 / 82), ("rust/toml", 4000 / 82)):
        assert rows[codec].here is not None
        assert rows[codec].here.point == pytest.approx(true, rel=0.02)
        assert rows[codec].here.high / rows[codec].here.low < 1.04  # the drift of 20 % is not in it
    assert rows["rust/postcard"].published == pytest.approx(14.90 / 8.15)


def test_what_was_found_out_about_a_run_stands_under_its_second_tables(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    assert not notes_with(report_of(folder).variants, "start-ups are wrong")
    (folder / "remarks.txt").write_text("The start-ups are wrong.\n\nAnother line.\n")
    assert report_of(folder).variants.notes[-2:] == ("The start-ups are wrong.", "Another line.")


def test_a_row_as_a_reader_sees_it(run: Path) -> None:
    grid = report_of(run).published
    rank, name, size, ser, deser, both, relative = row_of(grid, "rust/postcard")
    assert (rank, name, size) == ("2=", "rust/postcard / “postcard (schema)”", "230 [-2%]")
    assert ser.startswith("4.6") and " – " in ser and ser.endswith("/ published 4.34 ×1.08")
    assert "published 11.18 ×" in deser and "published 14.90 ×" in both
    assert relative.endswith("/ published 1.83")
    assert row_of(grid, "rust/cbor4ii")[5].count("published") == 0, "a codec that the publication does not have"


def test_controls_stand_apart_and_without_rank(run: Path) -> None:
    grid = report_of(run).published
    codecs, controls = grid.sections
    assert controls.name == "controls: no serialization"
    assert {row[1][0] for row in controls.rows} == {"rust/noop", "rust/memcpy", "rust/clone"}
    assert {row[0][0] for row in controls.rows} == {"–"}
    assert row_of(grid, "rust/noop")[2] == "–"
    assert row_of(grid, "rust/clone")[3] == "–"
    assert row_of(grid, "rust/memcpy")[4].endswith("§")
    assert "rust/memcpy Deser. output=existing" in notes_with(grid, "§")


def test_notes_say_how_where_and_how_noisy(run: Path) -> None:
    grid = report_of(run).published
    said = "\n".join(grid.notes)
    for words in ("n = 100,000", "k = 10 rounds", "seed 7", "Synthetic CPU", "virtualized: kvm", "2025-01-02"):
        assert words in said
    assert "Ser. rust/postcard ×" in notes_with(grid, "Noise floor")
    assert "The machines differ" in said
    about = "\n".join(read_report(run).about)
    assert "postcard 1.2.3" in about
    assert "`./lab bench -f process-created --profile published --rounds 10 --seed 7`" in about
    assert "/somewhere/else" not in about


def test_loops_of_another_length_are_scaled_and_said_so(tmp_path: Path) -> None:
    made = Made()
    made.repetitions = 20_000
    grid = report_of(made.codec("rust/postcard", {SER: 43, BOTH: 150}).write(tmp_path / "r")).published
    assert row_of(grid, "rust/postcard")[3].startswith("4.")
    assert "(loops of 20,000, scaled to n)" in grid.notes[0]


def test_suspect_clocks_are_marked_with_their_numbers(tmp_path: Path) -> None:
    made = usual()
    made.extra_process_ns[made.cell("rust/toml", BOTH)] = 60e6
    grid = report_of(made.write(tmp_path / "r")).published
    assert "†" in row_of(grid, "rust/toml")[5]
    assert "rust/toml Ser+Deser. +60.0 ms for a loop of 415 ms (+14%, 3 rounds)" in notes_with(grid, "†")
    assert notes_with(grid, "†").count("ms for a loop") == 1


def test_suspect_clocks_are_marked_beside_too_but_not_of_values_dropped_outside_the_loop(tmp_path: Path) -> None:
    made = usual()
    made.extra_process_ns[made.cell("rust/postcard", SER, but(SERIALIZE, buffer="fresh"))] = 60e6
    made.extra_process_ns[made.cell("rust/postcard", DESER, but(DESERIALIZE, drop="outside"))] = 60e6
    grid = report_of(made.write(tmp_path / "r")).variants
    assert [cell.count("†") for cell in row_of(grid, "rust/postcard")[1:4]] == [1, 0, 0]
    assert "rust/postcard Ser. buffer=fresh +60.0 ms" in notes_with(grid, "†")


def test_agreeing_clocks_are_not_marked(run: Path) -> None:
    assert "†" not in shown(run)


def test_preemption_is_marked(tmp_path: Path) -> None:
    made = usual()
    made.cpu_share[made.cell("rust/bincode", SER)] = 0.7
    grid = report_of(made.write(tmp_path / "r")).published
    assert "‡" in row_of(grid, "rust/bincode")[3]
    assert "rust/bincode Ser. 70 %" in notes_with(grid, "‡")


def test_outliers_are_labelled_and_kept(tmp_path: Path) -> None:
    made = usual()
    made.spread = 0.001
    made.factor[made.cell("rust/cbor4ii", SER), 4] = 9
    grid = report_of(made.write(tmp_path / "r")).published
    assert "°" in row_of(grid, "rust/cbor4ii")[3]
    assert "rust/cbor4ii Ser. round 5" in notes_with(grid, "°")
    slowest = (
        next(r for r in overview_of(tmp_path / "r").codecs if r.codec == "rust/cbor4ii").measures[SER].timing.max_ms
    )
    assert slowest > 9 * 6.0


def test_error_rows_are_listed_and_the_rest_is_measured(tmp_path: Path) -> None:
    made = usual()
    made.errors[made.cell("rust/cbor4ii", DESER), 2] = "the runner ended with exit code 70: boom"
    made.codec("rust/broken", {SER: 1, BOTH: 1}, blocked="value: expected\n 1, got 2")
    grid = report_of(made.write(tmp_path / "r")).published
    assert row_of(grid, "rust/broken")[3:6] == ["error", "–", "error"]
    assert row_of(grid, "rust/broken")[0] == "–"
    assert "rust/broken: value: expected 1, got 2 (2 error rows of 2 cells)" in notes_with(grid, "Error")
    assert "rust/cbor4ii: the runner ended with exit code 70: boom (1 error row of 1 cell)" in notes_with(grid, "Error")
    timing = next(r for r in overview_of(tmp_path / "r").codecs if r.codec == "rust/cbor4ii").measures[DESER].timing
    assert timing.rounds == 9


def test_only_errors_still_make_a_table(tmp_path: Path) -> None:
    made = Made().codec("rust/broken", {SER: 1}, blocked="value: wrong")
    assert "rust/broken: value: wrong" in shown(made.write(tmp_path / "r"))


def test_quick_says_in_every_title_that_it_means_nothing(tmp_path: Path) -> None:
    made = usual(rounds=1)
    made.profile = Profile.QUICK
    report = report_of(made.write(tmp_path / "r"))
    for grid in (report.published, report.variants):
        assert grid.title.endswith("QUICK: these numbers mean nothing")
    assert "nothing can be told from noise" in notes_with(report.published, "Sorted")
    assert "[" not in row_of(report.published, "rust/postcard")[3], "no range of one round"


def test_few_rounds_are_said_to_be_few(tmp_path: Path) -> None:
    assert "5 rounds are too few" in notes_with(report_of(usual(rounds=5).write(tmp_path / "r")).published, "Sorted")


def test_another_platform_has_no_published_figures(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    text = (
        (folder / "run.json")
        .read_text(encoding="utf-8")
        .replace('"platform": "linux-x86_64"', '"platform": "plan9-mips"')
    )
    (folder / "run.json").write_text(text, encoding="utf-8")
    grid = report_of(folder).published
    assert "no figures for plan9" in "\n".join(grid.notes)
    assert "×" not in " ".join(row_of(grid, "rust/postcard"))


# beside


def test_other_conditions_relate_to_the_same_codec(run: Path) -> None:
    grid = report_of(run).variants
    headings = [" ".join(column.heading) for column in grid.columns]
    row = dict(zip(headings, row_of(grid, "rust/postcard"), strict=True))
    assert row["Ser. buffer= fresh"].startswith(("×2.0", "×1.9"))
    assert row["Deser. output= borrowed"].startswith(("×0.40", "×0.39"))
    assert row["Deser. drop= outside"].startswith(("×0.79", "×0.80", "×0.81"))
    assert row["Ser. allocs"] == "0"
    assert row["Deser. allocs"] == "4 / 208 B"
    assert row["Start-up (ms) loading"] == "3.00 / +0", "as long as the control's"
    assert row["Memory base / peak"] == "2.00 MiB / 2.48 MiB"


def test_a_condition_that_changes_nothing_is_a_tie(tmp_path: Path) -> None:
    made = Made().codec("rust/a", {SER: 40, BOTH: 90})
    made.codec("rust/a", {SER: 40}, conditions={SER: but(SERIALIZE, buffer="fresh")})
    cell = row_of(report_of(made.write(tmp_path / "r")).variants, "rust/a")[1]
    assert cell.split(" / ")[0].endswith(" =")


# what must hold for any run


def test_neither_order_of_lines_nor_company_changes_a_number(run: Path, tmp_path: Path) -> None:
    other = usual().codec("rust/zzz", {SER: 999, DESER: 999, BOTH: 9999}).write(tmp_path / "r")
    for name in ("samples.jsonl", "processes.jsonl"):
        lines = (other / name).read_bytes().splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        (other / name).write_bytes(b"".join(lines))
    before, after = report_of(run), report_of(other)
    for codec in ("rust/postcard", "rust/toml", "rust/noop"):
        assert row_of(before.published, codec) == row_of(after.published, codec)
        assert row_of(before.variants, codec) == row_of(after.variants, codec)


def test_the_same_run_gives_the_same_bytes(run: Path) -> None:
    assert shown(run, "--markdown") == shown(run, "--markdown")


def test_terminal_and_markdown_hold_the_same_cells(run: Path) -> None:
    terminal, text = shown(run), shown(run, "--markdown")
    for grid in (report_of(run).published, report_of(run).variants):
        lines = list(itertools.chain.from_iterable(cell for s in grid.sections for row in s.rows for cell in row))
        assert all(line in terminal for line in lines)
        assert all(escape(line) in text for line in lines)


def test_tables_stay_narrow_and_whole(run: Path) -> None:
    lines = [line.rstrip() for line in shown(run).splitlines() if not line.startswith("·")]
    assert max(map(len, lines)) <= 160
    assert "…" not in "".join(lines)


def test_markdown_tables_have_equal_rows(run: Path) -> None:
    rows = [line for line in markdown(report_of(run).published).splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1


def test_several_runs_are_printed_one_after_another(run: Path, tmp_path: Path) -> None:
    output = shown(run, usual(rounds=6).write(tmp_path / "second"))
    assert output.index("k = 10 rounds") < output.index("k = 6 rounds")


def test_numbers_as_published_and_tiny_ones_with_the_decimals_of_their_median() -> None:
    assert [ms(2.526), ms(126.9), ms(0.0), ms(0.05467)] == ["2.53", "126.90", "0.00", "0.0547"]
    assert [ms(0.1, 0.0925), ms(0.09, 2.0)] == ["0.1000", "0.09"]
    assert [significant(x) for x in (0.0, 1, 0.9996, 12.34, 1234.5, 0.00123)] == [
        "0",
        "1.00",
        "1.00",
        "12.3",
        "1,230",
        "0.00123",
    ]
    assert [size(x) for x in (204, 1188, 3 * 1024**2)] == ["204 B", "1.16 KiB", "3.00 MiB"]


def test_escape_leaves_nothing_to_markdown() -> None:
    assert escape("a|b_c*d<e> `f|g_h`") == r"a\|b\_c\*d\<e\> `f|g_h`"
    assert escape("a|b `f|g_h`", in_table=True) == r"a\|b `f\|g_h`"
    assert escape("an odd ` tick") == "an odd ' tick"


# unfinished and bad runs


def test_an_unfinished_run_says_so_and_uses_whole_rounds(tmp_path: Path) -> None:
    made = usual()
    made.until = 150
    grid = report_of(made.write(tmp_path / "r")).published
    assert any("not finished" in warning for warning in grid.warnings)
    whole = report_of(tmp_path / "r").cells.rounds_whole
    assert 0 < whole < 10
    assert {
        measures.timing.rounds for row in overview_of(tmp_path / "r").codecs for measures in row.measures.values()
    } == {whole}
    assert f"Only {whole} of 10 rounds" in "\n".join(grid.warnings)


def test_a_torn_last_line_of_an_unfinished_run_is_no_error(tmp_path: Path) -> None:
    made = usual()
    made.until = 150
    folder = made.write(tmp_path / "r")
    with (folder / "processes.jsonl").open("ab") as file:
        file.write(b'{"cell": "rust/po')
    assert "not finished" in shown(folder)


def test_no_whole_round(tmp_path: Path) -> None:
    made = usual()
    made.until = 5
    message = refused(made.write(tmp_path / "r"))
    assert "no round of any scenario is complete yet" in message and "--resume" in message


def test_a_folder_without_run(tmp_path: Path) -> None:
    assert "holds no run" in refused(tmp_path)


def test_a_run_without_samples(tmp_path: Path) -> None:
    made = usual()
    made.until = 0
    assert "no sample and no error row" in refused(made.write(tmp_path / "r"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"cell": "rust/else point serialize"},
            "samples.jsonl:3: cell: 'rust/else point serialize' is not in the plan",
        ),
        ({"round": 10}, "samples.jsonl:3: round: round 10, the plan has 10, counted from 0"),
        ({"repetitions": 7}, "samples.jsonl:3: repetitions: 7, the plan says 100000"),
        ({"wall_ns": 0}, "samples.jsonl:3: wall_ns: a timed loop of 0 ns"),
        ({"wall_ns": -1}, "samples.jsonl:3: wall_ns"),
        ({"color": "red"}, "samples.jsonl:3: color"),
    ],
)
def test_foreign_samples_are_named(tmp_path: Path, change: dict[str, object], message: str) -> None:
    folder = usual().write(tmp_path / "r")
    lines = (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    (folder / "samples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert message in refused(folder)


def test_a_sample_that_stands_twice(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    text = (folder / "samples.jsonl").read_text(encoding="utf-8")
    (folder / "samples.jsonl").write_text(text + text.splitlines()[0] + "\n", encoding="utf-8")
    assert "is recorded twice" in refused(folder)


def test_a_twin_that_the_plan_does_not_have(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    lines = (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    place = next(n for n, line in enumerate(lines) if "rust/noop" in line)
    lines[place] = json.dumps(json.loads(lines[place]) | {"twin": True})
    (folder / "samples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert f"samples.jsonl:{place + 1}: twin" in refused(folder)


def test_samples_that_are_gone(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    (folder / "samples.jsonl").unlink()
    assert "this process has 0 of its 1 samples" in refused(folder)


def test_a_torn_line_of_a_finished_run(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    with (folder / "samples.jsonl").open("ab") as file:
        file.write(b'{"cell": "rust/po')
    assert "the line is cut off" in refused(folder)


def test_a_published_row_that_does_not_exist(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    text = (folder / "run.json").read_text(encoding="utf-8").replace('"postcard (schema)"', '"postkarte"')
    (folder / "run.json").write_text(text, encoding="utf-8")
    assert "holds no row 'postkarte', which published.rows names for rust/postcard" in refused(folder)


def test_a_published_table_that_does_not_exist(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "r")
    text = (folder / "run.json").read_text(encoding="utf-8").replace("#ProcessCreated", "#Nothing")
    (folder / "run.json").write_text(text, encoding="utf-8")
    assert "holds no table 'Nothing'; it holds: ProcessCreated" in refused(folder)
