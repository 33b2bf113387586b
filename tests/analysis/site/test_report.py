"""The report site: whole, the same every time, nothing that leads nowhere; that a browser shows it is test_browser.py's."""

import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import altair
import polars as pl
import pytest
import vl_convert
from click.testing import CliRunner

from analysis.commands.report import report
from analysis.site.blocks import Block, Page, slug, table_of
from analysis.site.calculator import HOURS_A_MONTH, Message, Needs, answer
from analysis.site.gather import gather
from analysis.site.lab import Lab
from analysis.site.write import VEGA_LITE, chart_data, data_path, embedded, files, frame_of, pages, words
from analysis.sources.specifications import specified
from bench.base.errors import LabError
from bench.proof.upstream import upstream
from tests.support.synthetic_lab import write_runs
from tests.support.synthetic_run import usual

FIRST_VIEW_BYTES = 2_000_000
"""What may be loaded before the first page is read: a promise of the report."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def lab(runs: list[Path]) -> Lab:
    return gather(runs)


@pytest.fixture(scope="module")
def site(lab: Lab) -> dict[str, bytes]:
    return dict(files(lab))


@pytest.fixture(scope="module")
def found(lab: Lab) -> dict[str, Page]:
    return {page.name: page for page in pages(lab)}


class Links(HTMLParser):
    """Anchors and links of a page; complains of tags that do not nest."""

    VOID = {"meta", "link", "br", "input", "hr", "img"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID and tag not in ("li", "option"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and tag not in ("li", "option"):
            assert self.open.pop() == tag


def html(site: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    return ((name, content.decode()) for name, content in site.items() if name.endswith(".html"))


def blocks_with_charts(found: dict[str, Page]) -> list[tuple[Page, Block]]:
    return [(page, block) for page in found.values() for block in page.blocks if block.chart]


def test_has_every_page(site: dict[str, bytes]) -> None:
    names = {name for name, _ in html(site)}
    assert names >= {
        "index.html",
        "ledger.html",
        "interop.html",
        "fidelity.html",
        "malformed.html",
        "evolution.html",
        "conformance.html",
        "beyond-speed.html",
        "environment.html",
        "calculator.html",
        "sizes.html",
        "codecs.html",
        "scenario-process-created.html",
        "scenario-users-1k.html",
        "scenario-log-small.html",
        "codec-rust-postcard.html",
        "codec-python-bfast.html",
        "codec-rust-memcpy.html",
    }


def test_no_link_leads_nowhere_and_none_leads_outside(site: dict[str, bytes]) -> None:
    parsed = {name: Links(text) for name, text in html(site)}
    known = {one.specification for one in specified().values()} | {one.address for one in upstream().issues}
    for name, page in parsed.items():
        assert len(page.ids) == len(set(page.ids)), f"{name}: an id stands there twice"
        for link in page.links:
            target, _, anchor = link.partition("#")
            if link == "data:," or link in known:
                continue
            assert not re.match(r"\w+:|//", link), f"{name}: {link} leads outside"
            assert not target or target in site, f"{name}: {link}"
            if anchor:
                assert anchor in parsed[target or name].ids, f"{name}: {link}"


def test_every_page_says_at_its_top_in_one_sentence_what_it_shows(site: dict[str, bytes]) -> None:
    for name, text in html(site):
        (first,) = re.findall(r'</h1>\n(?:<p class="warning".*\n)?<p class="lead shows">(.+)</p>', text)
        assert first.endswith((".", "?")), name
        assert not re.search(r"[.?!] [A-Z]", first), f"{name}: {first}"


def test_a_page_that_nests_badly_is_seen() -> None:
    with pytest.raises(AssertionError):
        Links("<table><tr></table></tr>")


def test_data_of_every_figure_is_the_same_as_csv_and_as_parquet(site: dict[str, bytes], found: dict[str, Page]) -> None:
    seen = 0
    for page in found.values():
        for block in page.blocks:
            if block.data:
                path = data_path(page, block)
                parquet = pl.read_parquet(io.BytesIO(site[f"{path}.parquet"]))
                csv = pl.read_csv(io.BytesIO(site[f"{path}.csv"]), schema=parquet.schema)
                assert parquet.equals(csv)
                assert len(parquet) == len(block.data)
                assert parquet.equals(frame_of(block))
                seen += 1
    assert seen > 15
    assert sum(name.startswith("data/") for name in site) == 2 * seen


def test_times_in_the_data_are_those_that_were_recorded(site: dict[str, bytes]) -> None:
    frame = pl.read_csv(io.BytesIO(site["data/scenario-users-1k-main-times.csv"]))
    row = frame.filter((pl.col("codec") == "python/orjson") & (pl.col("operation") == "serialize")).row(0, named=True)
    assert row["median_ns"] == pytest.approx(3e5, rel=0.12), "3e5 ns, and a drift of up to 20 %"
    assert row["min_ns"] <= row["low_ns"] <= row["median_ns"] <= row["high_ns"] <= row["max_ns"]
    assert (row["encoded_bytes"], row["rounds"], row["input"]) == (80_000, 8, "models")


def test_every_chart_is_one_that_vega_lite_draws(found: dict[str, Page]) -> None:
    kinds = set()
    for page, block in blocks_with_charts(found):
        assert block.chart
        spec = block.chart.spec
        kinds.add(block.anchor)
        svg = vl_convert.vegalite_to_svg(
            {**spec, "width": 600, "datasets": {**spec.get("datasets", {}), "rows": chart_data(block)}},
            vl_version=VEGA_LITE,
        )
        marks = len(re.findall(r'aria-roledescription="(?:point|circle|symbol|rule)', svg))
        assert marks or svg.count("<path") > 3, f"{page.name} {block.anchor} is empty"
    assert kinds >= {"scenarios", "main-times", "main-size", "main-throughput"}
    assert any(kind.startswith("user-serialize-") for kind in kinds)


def test_altair_writes_for_the_vega_lite_that_the_site_has() -> None:
    assert altair.SCHEMA_VERSION.removeprefix("v").startswith(f"{VEGA_LITE}.")


def test_charts_get_only_the_fields_that_they_show(found: dict[str, Page]) -> None:
    block = next(block for block in found["scenario-process-created"].blocks if block.anchor == "main-times")
    fields = set(chart_data(block)[0])
    assert fields >= {"codec", "language", "format", "operation", "median_ns", "low_ns", "min_ns"}
    assert "library" not in fields


def test_same_runs_in_another_order_give_the_same_bytes(runs: list[Path], site: dict[str, bytes]) -> None:
    assert dict(files(gather([*reversed(runs), runs[0]]))) == site


def test_first_view_is_small(site: dict[str, bytes]) -> None:
    loaded = ["index.html", *(name for name in site if name.startswith("assets/"))]
    assert sum(len(site[name]) for name in loaded) < FIRST_VIEW_BYTES


def test_a_scenario_of_two_runs_has_a_part_for_each_the_quick_one_last(
    found: dict[str, Page], site: dict[str, bytes]
) -> None:
    anchors = [block.anchor for block in found["scenario-process-created"].blocks]
    assert anchors.index("main-times") < anchors.index("run-2-times")
    quick = next(block for block in found["scenario-process-created"].blocks if block.anchor == "run-2-times")
    assert any("Its numbers mean nothing" in warning for warning in quick.warnings)
    assert b"Its numbers mean nothing" in site["index.html"]


def test_what_lies_beside_a_run_is_shown(site: dict[str, bytes]) -> None:
    fidelity, malformed = site["fidelity.html"].decode(), site["malformed.html"].decode()
    assert "Other binaries" not in fidelity, "they know more types, so they always are"
    assert "Values without a type" in fidelity and "Messages with a type" not in fidelity
    assert "TypeError: no &lt;/script&gt; here &amp; there" in fidelity
    assert "refused with 2 lines" in malformed
    assert "ff" * 60 + "…" in malformed
    assert "ff" * 200 in site["data/malformed-findings.csv"].decode(), "the download has it whole"
    everything = b"".join(site.values())
    assert b"killed by SIGSEGV" not in everything and b"ee" * 20 not in everything, "its authors know nothing of it yet"
    assert "withheld until the library" in malformed
    assert "Not asked, rust/bincode point: no answer" in malformed
    assert (
        "Malformed input: 2 findings in 100 cases, 100 of them random (seed 0): 1 memory, 1 other."
        in site["codec-rust-toml.html"].decode()
    )


def test_a_value_that_a_changed_schema_made_wrong_stands_first(site: dict[str, bytes]) -> None:
    page = site["evolution.html"].decode()
    assert page.index("{&#34;a&#34;:4464}") < page.index("1 of 2")
    assert "missing field &lt;b&gt;" not in page, "what was refused is in the download"
    assert "missing field <b>" in site["data/evolution-changes.csv"].decode()
    words = "Schema evolution: 1 of 2 exchanges came out as they should; silently wrong: widen (forward)."
    assert words in site["codec-rust-postcard.html"].decode()


def test_suites_and_what_codecs_make_of_them(site: dict[str, bytes]) -> None:
    page = site["conformance.html"].decode()
    assert "711" in page and "toml: toml-test, 1.1, 712 cases" in page
    assert "other could not be had: no &lt;folder&gt;" in page
    assert "n_&lt;1&gt;" in page and "wrongly accepted" in page
    assert "Conformance: toml 711 of 712, 1 wrongly accepted." in site["codec-rust-toml.html"].decode()


def test_the_matrix_has_a_figure_for_each_question(site: dict[str, bytes]) -> None:
    page = site["beyond-speed.html"].decode().split('id="footprint"')[0]
    rows = {row.split("</a>")[0].split(">")[-1]: row for row in page.split("<tr id=")[1:]}
    assert "711 of 712" in rows["rust/toml"] and "2 findings" in rows["rust/toml"] and "0 of 1" in rows["rust/toml"]
    assert "1 silently wrong" in rows["rust/postcard"] and "1 of 2" in rows["rust/postcard"]
    assert "not asked" in rows["rust/postcard"], "postcard has no suite"
    assert 'href="evolution.html"' in rows["rust/postcard"]


def test_what_a_codec_costs_before_it_encodes_anything_is_shown(site: dict[str, bytes]) -> None:
    table = site["beyond-speed.html"].decode().split('id="footprint"')[1]
    assert table.index("rust/postcard") < table.index("rust/toml"), "the smaller first"
    assert all(figure in table for figure in ("8,123", "91,234", "9.25 s"))
    own = site["codec-rust-postcard.html"].decode()
    assert "over the control that does nothing: 8,123 bytes and 3 packages; its clean build on Synthetic CPU" in own
    assert "Footprint" not in site["codec-rust-bincode.html"].decode(), "nobody asked for it"


def test_what_does_not_says_how_to_get_it(runs: list[Path]) -> None:
    without = dict(files(gather(runs[1:])))
    assert "<code>./lab fidelity --run RUN</code>" in without["fidelity.html"].decode()
    assert "<code>./lab fuzz --run RUN</code>" in without["malformed.html"].decode()
    assert "<code>./lab evolution --run RUN</code>" in without["evolution.html"].decode()


def test_interop_says_who_reads_whom_and_why_not(site: dict[str, bytes], found: dict[str, Page]) -> None:
    matrix = next(block.table for block in found["interop"].blocks if block.table)
    rows = {row.cells[0][0]: row.cells[1:] for section in matrix.sections for row in section.rows}
    order = ["/".join(column.heading) for column in matrix.grid.columns[1:]]
    assert rows["rust/postcard"][order.index("rust/bincode")] == ("1 of 1",)
    assert rows["rust/bincode"][order.index("rust/postcard")] == ("0 of 1",)
    refused = next(block.table for block in found["interop"].blocks if block.anchor == "refusals")
    (row,) = [row.cells for section in refused.sections for row in section.rows]
    assert row[1:4] == (("rust/postcard",), ("rust/bincode",), ("process-created",))
    assert "no &lt;such&gt; tag" in site["interop.html"].decode()


def test_every_claim_has_a_row_to_link_to(lab: Lab, site: dict[str, bytes]) -> None:
    ids = Links(site["ledger.html"].decode()).ids
    assert {f"claim-{slug(entry.id)}" for entry in lab.ledger} <= set(ids)


def test_rows_of_one_name_have_anchors_of_their_own(found: dict[str, Page]) -> None:
    block = next(block for block in found["codec-rust-postcard"].blocks if block.anchor == "process-created")
    assert block.table
    anchors = [row.anchor for section in block.table.sections for row in section.rows]
    assert len(anchors) == len(set(anchors))
    assert table_of(block.table.grid, "a", {}).sections[0].rows[0].anchor.startswith("a-")


def test_the_formula_of_the_calculator_by_hand() -> None:
    """4 µs, 1,000 bytes: 8 µs at 1 Gbit/s; 50,000 a second keep 0.2 cores and 40 % of the network busy."""
    found = answer(Message("a/b", "", "p", 4_000, 1_000), Needs(50_000, 1_000, 2, 0.04, 0.05))
    assert found.time_ns == pytest.approx(12_000)
    assert found.cores == pytest.approx(0.2)
    assert found.network_share == pytest.approx(0.4)
    assert found.rate == pytest.approx(125_000), "the network's: 1e9 / 8,000; two cores would do 500,000"
    sent = 50_000 * 1_000 * HOURS_A_MONTH * 3_600
    assert found.cost == pytest.approx(0.2 * HOURS_A_MONTH * 0.04 + sent / 1e9 * 0.05)


def test_the_calculator_has_measured_messages_only(found: dict[str, Page]) -> None:
    scenarios = found["calculator"].extra["scenarios"]
    assert set(scenarios) == {"process-created", "users-100", "users-1k"}, "no files, whose times are of many rows"
    messages = {message.name: message for message in scenarios["users-1k"]["messages"]}
    assert set(messages) == {"python/bfast", "python/orjson", "python/orjson + lz4"}
    lz4, plain = messages["python/orjson + lz4"], messages["python/orjson"]
    assert (lz4.size_bytes, plain.size_bytes) == (30_000, 80_000)
    assert lz4.busy_ns / plain.busy_ns == pytest.approx(9 / 5, rel=0.05)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("`a<b` & c", "<code>a&lt;b</code> &amp; c"), ("one ` alone", "one ` alone"), ("<b>", "&lt;b&gt;")],
)
def test_words_are_escaped_and_code_is_code(text: str, expected: str) -> None:
    assert words(text) == expected


def test_embedded_data_cannot_end_its_script() -> None:
    text = str(embedded({"a": "</script><!--\u2028"}))
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!--\\u2028"}, "shown as an escape"


def test_slugs() -> None:
    assert slug("rust/rmp-serde (A)") == "rust-rmp-serde-a"
    assert slug("µs, ×2") == "µs-2"
    assert slug("…") == "row"


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(report, [str(argument) for argument in arguments], catch_exceptions=False)
    return result.exit_code, result.output


def test_the_command_writes_whole_and_replaces_only_its_own(runs: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    code, said = call(runs[1], "-o", folder)
    assert code == 0
    assert str(folder / "index.html") in said
    (folder / "stale.html").write_text("old")
    assert call(runs[1], "-o", folder)[0] == 0
    assert not (folder / "stale.html").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(LabError, match=r"other is not empty and holds no report \(there is no report.json in it\)"):
        call(runs[1], "-o", other)
    assert (other / "thesis.txt").read_text() == "mine"


def test_a_damaged_run_is_named_and_the_old_site_stays(tmp_path: Path) -> None:
    run, folder = usual(rounds=2).write(tmp_path / "run"), tmp_path / "site"
    folder.mkdir()
    (folder / "report.json").write_text("{}")
    samples = run / "samples.jsonl"
    lines = samples.read_bytes().splitlines(keepends=True)
    samples.write_bytes(b"".join([*lines[:4], b'{"cell": 7}\n', *lines[5:]]))
    with pytest.raises(LabError, match=r"samples.jsonl:5: cell: Expected `str`"):
        call(run, "-o", folder)
    assert [path.name for path in tmp_path.glob("site*")] == ["site"]
    assert (folder / "report.json").read_text() == "{}"


def test_damaged_findings_beside_a_run_are_named(tmp_path: Path) -> None:
    run = usual(rounds=2).write(tmp_path / "run")
    (run / "fuzz.json").write_text('{"protocol": 1, "created": 3}')
    with pytest.raises(LabError, match=r"fuzz.json: created: Expected `str`"):
        call(run, "-o", tmp_path / "site")


def test_two_runs_of_one_id_are_refused(tmp_path: Path) -> None:
    runs = [usual(rounds=rounds).write(tmp_path / str(rounds)) for rounds in (2, 3)]
    with pytest.raises(LabError, match="are both run"):
        call(*runs, "-o", tmp_path / "site")


def test_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="holds no run"):
        call(tmp_path, "-o", tmp_path / "site")
