"""A codec's page in a browser: does the author of its library see what was measured, how to repeat it, and how to complain?

The tests of the page's data need no browser.
"""

import math
import re
import shlex
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from analysis.commands.report import report
from analysis.render.reproduction import cell_command, expectation, filter_of
from analysis.site.calculator import USUAL, Message, calculator_page, keeps_up, opening
from analysis.site.codecs.codec_pages import codec_pages
from analysis.site.codecs.codec_ratios import reference_of
from analysis.site.gather import gather
from analysis.site.lab import Lab
from analysis.tables.reports import read_report
from bench.base.errors import LabError
from bench.base.paths import RUNNERS
from bench.model.cells import Cell, Conditions, Operation
from bench.scenarios.selection import Selection
from tests.support.synthetic_lab import users, write_runs
from tests.support.synthetic_run import BOTH, DESER, SER, Made

REPOSITORY = "https://example.org/somebody/wirelab"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def lab(runs: list[Path]) -> Lab:
    return gather(runs)


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    words = [*map(str, runs), "-o", str(folder), "--repository", REPOSITORY]
    assert CliRunner().invoke(report, words, catch_exceptions=False).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def window(browser: Browser) -> Page:
    return browser.new_page(viewport={"width": 1280, "height": 900})


@pytest.fixture
def page(window: Page, site: Path) -> Page:
    """The codec's page, opened anew."""
    window.goto((site / "codec-rust-postcard.html").as_uri())
    return window


# what an author does with it


def test_the_author_reads_first_what_was_measured(page: Page) -> None:
    lead = page.locator("p.lead")
    expect(lead).to_have_count(1)
    expect(lead).to_contain_text(
        "What was measured of rust/postcard (postcard 1.2.3; format JSON, not self-describing)"
    )
    expect(lead).to_contain_text("6 cells in 1 scenario, each with the command that measures it again")


def test_the_author_finds_the_code_and_its_commit(page: Page) -> None:
    link = page.locator("#build-table").get_by_role("link", name="runners/rust/codecs/postcard at cccccccccccc").first
    assert link.get_attribute("href") == f"{REPOSITORY}/tree/{'c' * 40}/runners/rust/codecs/postcard"
    shown = page.locator("#source pre").inner_text()
    assert shown.strip() == (RUNNERS / "rust/codecs/postcard/src/main.rs").read_text().strip()


def test_the_author_repeats_a_figure(page: Page, lab: Lab) -> None:
    section = page.locator("#process-created")
    expect(section.get_by_role("heading", level=2)).to_contain_text("Process Create Event (process-created)")
    row = section.locator("tbody tr", has_text="buffer=reused build=baseline").filter(has_text="serialize").last
    text = row.locator("td").last.inner_text()
    command, _, expected = text.partition("\n")
    cell = "rust/postcard process-created serialize api=serde buffer=reused build=baseline"
    assert shlex.split(command) == ["./lab", "cell", "-f", f"^{cell}$"]
    summary = next(one for cells in lab.summaries.values() for one in cells if one.cell == cell)
    assert expected == f"expect {expectation(summary)} on that machine"


def test_the_author_follows_a_claim_to_the_ledger(page: Page) -> None:
    link = page.locator("#claims-table tbody th a:not(.anchor)").first
    name = link.inner_text()
    link.click()
    expect(page).to_have_title(re.compile("Claims ledger"))
    expect(page.locator("tr:target")).to_contain_text(name)


def test_the_author_can_complain(page: Page) -> None:
    words = page.locator("#objections")
    for text in (f"{REPOSITORY}/issues", "./lab verify -f '^rust/postcard '", "./lab compare RUN mine"):
        expect(words).to_contain_text(text)


def test_the_page_is_accessible_with_its_code(page: Page) -> None:
    chart = page.locator(".chart").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator("svg")).to_be_visible()
    found = Axe().run(page, options={"preload": False}).response["violations"]
    assert [f"{v['id']}: {node['html'][:200]}" for v in found for node in v["nodes"]] == []


def test_the_calculator_opens_on_a_message_and_a_rate_at_which_codecs_keep_up(page: Page, site: Path) -> None:
    page.goto((site / "calculator.html").as_uri())
    expect(page.locator("p.lead")).to_have_count(1)
    expect(page.locator("#said")).to_contain_text("First that keeps up:")
    expect(page.get_by_label("Messages a second", exact=True)).to_have_value("10000")


# what stands in it


def test_no_page_links_outside_without_a_repository(lab: Lab) -> None:
    assert not [target for target in lab.links.values() if re.match(r"\w+:|//", target)]


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", "http://example.org/a", "https://example.org", "https://a/b c"]
)
def test_what_is_no_repository_is_refused(runs: list[Path], tmp_path: Path, text: str) -> None:
    words = [str(runs[1]), "-o", str(tmp_path / "site"), "--repository", text]
    with pytest.raises(LabError, match="is not the address of a repository"):
        CliRunner().invoke(report, words, catch_exceptions=False)


def test_a_codec_that_this_checkout_does_not_have_shows_no_source(tmp_path: Path) -> None:
    run = Made(rounds=2).codec("rust/unheard-of", {SER: 100}).write(tmp_path / "run")
    (own,) = [page for page in codec_pages(gather([run])) if page.title == "rust/unheard-of"]
    assert "source" not in [block.anchor for block in own.blocks]


def test_each_build_has_its_flags_or_says_that_none_are_recorded(tmp_path: Path) -> None:
    for number, compilers in enumerate(({"rust/a": "<b>-O3</b>", "rust/b": "-O0"}, {})):
        path = Made(rounds=2).codec("rust/a", {SER: 100}).write(tmp_path / str(number))
        run = msgspec.json.decode((path / "run.json").read_bytes())
        run["provenance"]["compilers"] = compilers
        (path / "run.json").write_bytes(msgspec.json.encode(run))
        (own,) = [page for page in codec_pages(gather([path])) if page.title == "rust/a"]
        assert own.blocks[0].table
        (row,) = own.blocks[0].table.sections[0].rows
        assert row.cells[3] == ("`<b>-O3</b>`" if number == 0 else "not recorded",)


# the command of a cell


def test_the_command_of_each_cell_takes_exactly_it(lab: Lab) -> None:
    every = [one for cells in lab.summaries.values() for one in cells]
    cells = {one.cell: Cell(one.codec, one.scenario, Operation(one.operation), one.conditions) for one in every}
    assert len(cells) > 40
    for one in every:
        words = shlex.split(cell_command(one))
        assert words[:3] == ["./lab", "cell", "-f"]
        assert Selection([words[3]]).cells(cells.values()) == [cells[one.cell]]


def test_the_command_takes_none_whose_name_only_begins_or_ends_so() -> None:
    conditions = Conditions(api="serde", build="x86-64-v3")
    cell = Cell("rust/a.b", "point", Operation.BUILD_SERIALIZE, conditions)
    near = [
        Cell("rust/axb", "point", Operation.BUILD_SERIALIZE, conditions),
        Cell("trust/a.b", "point", Operation.BUILD_SERIALIZE, conditions),
        Cell("rust/a.b", "point", Operation.SERIALIZE, conditions),
        Cell(
            "rust/a.b",
            "point",
            Operation.BUILD_SERIALIZE,
            Conditions(api="serde", build="x86-64-v3", compression="lz4"),
        ),
        Cell("rust/a.b", "point", Operation.BUILD_SERIALIZE, Conditions()),
    ]
    assert Selection([filter_of(str(cell))]).cells([cell, *near]) == [cell]


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({}, "./lab cell -f "),
        ({"compiler": "zig"}, "./lab cell -f "),
        ({"compiler": "system"}, "./lab build --toolchain zig,system -f OWN && ./lab cell -f "),
        ({"build": "x86-64-v3"}, "./lab build --cpu x86-64-v3 -f OWN && ./lab cell -f "),
        ({"build": "as-published"}, "./lab build --as-published -f OWN && ./lab cell -f "),
    ],
)
def test_a_build_that_labs_do_not_have_is_made_first(lab: Lab, changes: dict[str, str], first: str) -> None:
    one = next(one for cells in lab.summaries.values() for one in cells)
    changed = msgspec.structs.replace(one, conditions=msgspec.structs.replace(one.conditions, **changes))
    assert cell_command(changed).startswith(first.replace("OWN", f"'^{one.codec} {one.scenario} '"))
    assert cell_command(changed, point=True).endswith(" --sweep")


@pytest.mark.parametrize(
    ("point", "low", "high", "text"),
    [
        (19_800, 19_400, 21_400, "19.8 µs [19.4–21.4]"),
        (1_001, 980, 1_020, "1.00 µs [0.980–1.02]"),
        (43, 43, 43, "43.0 ns"),
    ],
)
def test_an_expectation_has_its_interval_in_its_own_unit(
    lab: Lab, point: float, low: float, high: float, text: str
) -> None:
    one = next(one for cells in lab.summaries.values() for one in cells)
    assert expectation(msgspec.structs.replace(one, median_ns=point, low_ns=low, high_ns=high)) == text
    assert expectation(msgspec.structs.replace(one, is_figure=False)) == ""


# the reference


def test_the_reference_is_of_the_same_language_and_another_codec(tmp_path: Path) -> None:
    """The scenario's own reference is the fastest in the publication, here a codec of another language."""
    made = Made(rounds=8)
    for codec, ns in (("cpp/a", 10.0), ("rust/b", 100.0), ("rust/c", 50.0), ("python/d", 900.0)):
        made.codec(codec, {SER: ns, DESER: ns, BOTH: 2 * ns})
    made.codec("python/memcpy", {SER: 4, BOTH: 9}, control=True)
    path = made.write(tmp_path / "run")
    table = read_report(path).of("process-created").table
    assert table.overview.reference == "cpp/a"
    found = {codec: reference_of(table, codec, SER) for codec in ("rust/b", "rust/c", "cpp/a", "python/d")}
    assert found == {"rust/b": "rust/c", "rust/c": "rust/b", "cpp/a": None, "python/d": None}
    pages = {page.title: page for page in codec_pages(gather([path]))}
    rows = next(block.data for block in pages["rust/b"].blocks if block.anchor == "ratios")
    assert [(row["operation"], row["reference"]) for row in rows] == [
        (name, "rust/c") for name in ("serialize", "deserialize", "round-trip")
    ]
    assert all(math.isclose(row["ratio"], 2, rel_tol=0.05) for row in rows)
    assert "ratios" not in [block.anchor for block in pages["cpp/a"].blocks]


def test_the_publication_says_what_is_compared_with(lab: Lab) -> None:
    """On Linux postcard is the fastest of these codecs in the publication after the unchecked FlatMessage."""
    table = lab.scenarios["process-created"][0][1].table
    assert reference_of(table, "rust/toml", BOTH) == "rust/flat-message-unchecked"
    assert reference_of(table, "rust/flat-message-unchecked", BOTH) == "rust/postcard"


# what the calculator opens with


def test_the_calculator_opens_on_the_smallest_message_that_says_something(lab: Lab, tmp_path: Path) -> None:
    assert next(iter(calculator_page(lab).extra["scenarios"])) == "process-created"
    assert next(iter(calculator_page(gather([users(tmp_path / "users")])).extra["scenarios"])) == "users-100"


@pytest.mark.parametrize(("size_bytes", "rate"), [(300, 10_000), (40_000, 1_000), (10**9, 1)])
def test_the_calculator_opens_at_a_rate_at_which_most_keep_up(size_bytes: int, rate: float) -> None:
    messages = [Message("a/b", "", "p", 2_000.0, size_bytes), Message("a/c", "", "p", 9e9, size_bytes)]
    needs = opening(messages)
    assert needs == msgspec.structs.replace(USUAL, rate=rate)
    assert keeps_up(messages[0], needs) is (size_bytes < 10**9)
