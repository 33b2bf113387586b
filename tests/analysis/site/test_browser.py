"""The report site in a browser: opened from a folder, without a server; nothing is asked of anywhere else."""

import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from analysis.commands.report import report
from analysis.site.calculator import Message, Needs, answer
from analysis.site.gather import gather
from analysis.site.write import pages
from tests.support.synthetic_lab import points, write_runs

DESKTOP, PHONE = (1280, 900), (390, 844)
PAGES = (
    "index",
    "scenario-process-created",
    "scenario-log-small",
    "codec-rust-postcard",
    "codecs",
    "ledger",
    "sizes",
    "interop",
    "fidelity",
    "malformed",
    "calculator",
    "environment",
    "conformance",
    "cpus",
    "evolution",
    "replace",
)
FEWER_ROWS = "document.querySelectorAll('tbody tr:nth-child(n + 40)').forEach((row) => row.remove())"
"""Rows are made alike, and axe looks at each of a thousand."""
OPTIONS = {"preload": False}
"""axe would else ask for the style sheet a second time, which a page of a folder may not."""

Open = Callable[..., Page]


LEFT = "net::ERR_ABORTED"
"""A page was left while it loaded, which is no mistake."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    return [*write_runs(folder), points(folder / "points")]


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "a site"
    result = CliRunner().invoke(report, [*map(str, runs), "-o", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0
    return folder


@pytest.fixture
def show(browser: Browser, site: Path) -> Iterator[Open]:
    """Opens a page of the site; at the end nothing may have been said on the console or asked of elsewhere."""
    complaints: list[str] = []
    contexts = []

    def open_page(
        name: str, query: str = "", size: tuple[int, int] = DESKTOP, scheme: str = "light", scripts: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, java_script_enabled=scripts
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{name}: {message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{name}: {error}"))
        page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else complaints.append(r.url))
        page.on("requestfailed", lambda r: None if r.failure == LEFT else complaints.append(f"{name}: failed: {r.url}"))
        page.goto(f"{(site / f'{name}.html').as_uri()}{query}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def drawn(page: Page) -> int:
    """Waits until every chart is drawn, without scrolling to any, and says how many there are."""
    charts = page.locator(".chart")
    for place in range(charts.count()):
        expect(charts.nth(place).locator("svg")).to_be_visible()
    return charts.count()


def shown_rows(page: Page, table: str) -> list[str]:
    """First line of the heads of the rows that a table shows."""
    heads = page.locator(f"#{table}-table tbody tr:not(.section):visible th")
    return [text.splitlines()[0].strip(" #") for text in heads.all_inner_texts()]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_kind_of_page_is_accessible(show: Open, name: str, scheme: str) -> None:
    page = show(name, scheme=scheme)
    drawn(page)
    page.evaluate(FEWER_ROWS)
    found = Axe().run(page, options=OPTIONS).response
    told = [f"{v['id']}: {v['help']}: {node['html'][:200]}" for v in found["violations"] for node in v["nodes"]]
    assert told == []
    assert len(found["passes"]) > 10, "axe looked at something"


def test_axe_sees_what_is_wrong(show: Open) -> None:
    page = show("index")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<input>')")
    assert {violation["id"] for violation in Axe().run(page, options=OPTIONS).response["violations"]} == {"label"}


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone(show: Open, name: str) -> None:
    page = show(name, size=PHONE)
    drawn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_charts_are_drawn_with_a_mark_for_each_value(show: Open) -> None:
    page = show("scenario-process-created")
    assert drawn(page) == 4, "times and sizes, of two runs"
    marks = page.locator("#main-times .chart svg g.mark-symbol.role-mark path")
    assert marks.count() == 5 * 3 + 3 + 3 + 1, "five codecs, three controls"


def test_charts_stand_on_paper_and_in_a_picture_of_the_whole_page(show: Open) -> None:
    page = show("scenario-process-created")
    page.emulate_media(media="print")
    assert drawn(page) == 4
    width, height = struct.unpack(">II", page.screenshot(full_page=True)[16:24])
    assert width == DESKTOP[0] and height > 2 * DESKTOP[1]
    boxes = [page.locator(".chart svg").nth(place).bounding_box() for place in range(4)]
    assert all(box and box["width"] > 200 and box["height"] > 100 for box in boxes)
    assert page.pdf().startswith(b"%PDF")


def test_dark_charts_have_light_text(show: Open) -> None:
    fills = {}
    for scheme in ("light", "dark"):
        page = show("index", scheme=scheme)
        drawn(page)
        fills[scheme] = page.locator(".chart svg .role-axis-label text").first.get_attribute("fill")
    assert fills == {"light": "#1b1f24", "dark": "#e6e9ee"}


def test_filters_choose_rows_and_stand_in_the_address(show: Open) -> None:
    page = show("scenario-process-created")
    everything = shown_rows(page, "main-times")
    assert len(everything) == 8
    page.get_by_label("Search").fill("POST")
    expect(page.locator("output")).to_have_text(re.compile(r"^\d+ of \d+ rows$"))
    assert shown_rows(page, "main-times") == ["rust/postcard"]
    assert page.url.endswith("?q=POST")
    page.get_by_label("Search").fill("")
    page.get_by_role("combobox", name="Format").select_option("control")
    assert shown_rows(page, "main-times") == ["rust/noop", "rust/memcpy", "rust/clone"]
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("output")).to_have_text(re.compile(r"^\d+ rows$"))
    assert shown_rows(page, "main-times") == everything
    assert "?" not in page.url


def test_an_address_with_filters_shows_that_view(show: Open) -> None:
    page = show("ledger", "?verdict=reproduced")
    assert page.get_by_label("Verdict").input_value() == "reproduced"
    rows = page.locator("#ledger-table tbody tr:not(.section):visible")
    assert rows.count() > 0
    assert all("reproduced" in text for text in rows.all_inner_texts())
    assert (
        page.locator("#ledger-table tbody tr.section:visible").count()
        < page.locator("#ledger-table tr.section").count()
    )


def test_filters_choose_what_a_chart_shows(show: Open) -> None:
    page = show("scenario-process-created", "?q=postcard")
    drawn(page)
    assert page.locator("#main-times .chart svg g.mark-symbol.role-mark path").count() == 3
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#main-times .chart svg g.mark-symbol.role-mark path")).to_have_count(22)


def test_columns_sort_by_number_within_their_section_and_stand_in_the_address(show: Open) -> None:
    page = show("scenario-process-created")
    head = page.locator("#main-times-table thead th").nth(2)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert shown_rows(page, "main-times")[:2] == ["rust/postcard", "rust/bincode"], "230 and 234 bytes"
    head.get_by_role("button").click()
    assert shown_rows(page, "main-times")[:2] == ["rust/toml", "rust/cbor4ii"]
    assert shown_rows(page, "main-times")[-3:] == ["rust/noop", "rust/memcpy", "rust/clone"], "controls stay below"
    again = show("scenario-process-created", "?" + page.url.partition("?")[2])
    assert shown_rows(again, "main-times")[:2] == ["rust/toml", "rust/cbor4ii"]
    assert again.locator("#main-times-table thead th").nth(2).get_attribute("aria-sort") == "descending"


def test_units_sort_by_what_they_are(show: Open) -> None:
    page = show("codec-rust-toml")
    page.evaluate(
        "document.querySelector('#process-created-2-table tbody:last-of-type').innerHTML = ['2 ms', '30 µs', '–', '1,000 ns', '4 s']"
        ".map((text) => `<tr><th>x</th><td>${text}</td></tr>`).join('')"
    )
    page.locator("#process-created-2-table thead th").nth(1).get_by_role("button").click()
    cells = page.locator("#process-created-2-table tbody:last-of-type td").all_inner_texts()
    assert cells == ["1,000 ns", "30 µs", "2 ms", "4 s", "–"]


def test_links_lead_from_the_overview_to_a_row(show: Open) -> None:
    page = show("index")
    page.locator("#scenarios-table").get_by_role("link", name="process-created", exact=True).click()
    expect(page).to_have_title("Process Create Event – Wirelab")
    page.locator("#main-times-rust-postcard").get_by_role("link", name="Link to the row").click()
    assert page.url.endswith("#main-times-rust-postcard")
    assert page.locator("tr:target").get_attribute("id") == "main-times-rust-postcard"
    page.locator("tr:target").get_by_role("link", name="rust/postcard", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("rust/postcard")


def test_an_address_of_a_row_is_in_view(show: Open) -> None:
    page = show("ledger", "#claim-bfast-numpy-14-times")
    expect(page.locator("#claim-bfast-numpy-14-times")).to_be_in_viewport()


def test_a_keyboard_is_enough(show: Open) -> None:
    page = show("scenario-process-created")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('thead') !== null"):
            break
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"
    page.keyboard.press("Enter")
    assert page.locator("#main-times-table th[aria-sort=ascending]").count() == 1


def test_tables_and_charts_say_what_they_are(show: Open) -> None:
    page = show("scenario-process-created")
    drawn(page)
    assert page.get_by_role("table", name="Process Create Event (process-created)").count() == 2
    assert page.get_by_role("img", name=re.compile("^Points: median time of one repetition")).count() == 2
    assert page.get_by_role("rowheader", name=re.compile("rust.postcard")).count() >= 2


def test_without_scripts_every_table_is_there(show: Open) -> None:
    page = show("scenario-process-created", scripts=False)
    assert len(shown_rows(page, "main-times")) == 8
    assert not page.locator("form.filters").is_visible()


def test_downloads_lie_beside_their_figure(show: Open, site: Path) -> None:
    page = show("scenario-process-created")
    links = page.locator("#main-times .downloads a")
    for link in links.all():
        assert (site / (link.get_attribute("href") or "")).stat().st_size > 100
    assert links.all_inner_texts() == ["CSV", "Parquet"]


def test_the_calculator_calculates_as_its_formula_does(show: Open, runs: list[Path]) -> None:
    page = show("calculator", "?message=users-1k&rate=2000&network=100&cores=4&goal=cost")
    scenario = next(one for one in pages(gather(runs)) if one.name == "calculator").extra["scenarios"]["users-1k"]
    needs = Needs(2000, 100, 4, 0.04, 0.05)
    expected = sorted((answer(message, needs).cost, message.name) for message in scenario["messages"])
    rows = [row.split("\t") for row in page.locator("#answers tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == [name for _, name in expected]
    assert [float(row[-1]) for row in rows] == pytest.approx([cost for cost, _ in expected], abs=0.01)
    messages: dict[str, Message] = {message.name: message for message in scenario["messages"]}
    for row in rows:
        found = answer(messages[row[0]], needs)
        assert float(row[1].removesuffix(" ms")) == pytest.approx(found.time_ns / 1e6, rel=0.01)
        assert float(row[3].split(",")[0]) == pytest.approx(found.cores, rel=0.01)
        assert float(row[4].split(" ")[0].replace(",", "")) == pytest.approx(found.network_share * 100, rel=0.01)
    assert page.locator("#said").inner_text().startswith("No codec keeps up"), "1,000 users take more than 100 Mbit/s"


def test_the_calculator_says_what_it_cannot_take(show: Open) -> None:
    page = show("calculator")
    page.get_by_label("Messages a second", exact=True).fill("-1")
    expect(page.locator("#said")).to_have_text("Give every field a number of 0 or more; network and cores above 0.")


def test_the_first_view_is_quick_and_small(show: Open) -> None:
    """Bytes are counted; time is not asserted, as the machine is shared."""
    page = show("index")
    drawn(page)
    files = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    loaded = {re.sub(r"[?#].*", "", name).rsplit("/", 1)[-1] for name in files}
    assert loaded <= {"site.css", "site.js", "chooser.js", "vega.js"}


def test_the_address_of_a_claim_opens_its_evidence(show: Open) -> None:
    page = show("ledger", "#claim-size-postcard-linux")
    row = page.locator("#claim-size-postcard-linux")
    expect(row).to_be_in_viewport()
    expect(row.locator("details.evidence")).to_have_attribute("open", "")
    expect(row.get_by_text("./lab bench --profile quick")).to_be_visible()
    row.get_by_role("link", name="rust/postcard process-created").click()
    expect(page.locator("#main-times-rust-postcard")).to_be_in_viewport()


def test_evidence_opens_by_keyboard_and_stays_closed_elsewhere(show: Open) -> None:
    page = show("ledger")
    row = page.locator("#claim-size-postcard-linux")
    assert page.locator("details.evidence[open]").count() == 0
    row.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(row.locator("details.evidence")).to_have_attribute("open", "")
    assert page.locator("details.evidence[open]").count() == 1


# tasks of readers


def choose(page: Page, language: str, matters: str, message: str) -> None:
    page.get_by_role("combobox", name="Language").select_option(language)
    page.get_by_role("combobox", name="What matters").select_option(matters)
    page.get_by_role("combobox", name="Kind of message").select_option(label=message)


SMALL = "small messages: Point, 8 B"


def listed(page: Page) -> list[str]:
    return page.locator("#choose-list li a").all_inner_texts()


def test_task_find_the_fastest_safe_codec_for_small_messages_in_cpp(show: Open) -> None:
    page = show("index")
    choose(page, "C++", "speed", SMALL)
    assert page.locator("#choose-said").inner_text().startswith("JSON, by cpp/zpp-bits: the fastest")
    choose(page, "C++", "safety", SMALL)
    said = page.locator("#choose-said").inner_text()
    assert "by cpp/protobuf" in said, "zpp-bits crashed on malformed input, cereal does not validate"
    assert "1 of 3 measured codecs fit" in said
    assert listed(page) == ["cpp/protobuf"]
    assert "0 findings in 10,000 cases" in page.locator("#choose-list li").first.inner_text()
    assert page.locator("#choose-table tbody tr").count() == 1


def test_task_share_that_view(show: Open) -> None:
    page = show("index")
    choose(page, "C++", "safety", SMALL)
    assert page.url.endswith("#language=cpp&matters=safety&message=point")
    again = show("index", page.url[page.url.index("#") :])
    assert again.get_by_role("combobox", name="What matters").input_value() == "safety"
    for part in ("#choose-said", "#choose-list", "#choose-table"):
        assert again.locator(part).inner_text() == page.locator(part).inner_text()
    expect(again.locator("#choose .chart svg g.mark-symbol.role-mark path")).to_have_count(3)


@pytest.mark.parametrize("fragment", ["#language=<b>&matters=x&message=", "#language=python&message=point"])
def test_a_view_that_does_not_exist_says_so_or_is_the_default(show: Open, fragment: str) -> None:
    page = show("index", fragment)
    said = page.locator("#choose-said").inner_text()
    assert said.startswith("No codec in Python has times" if "python" in fragment else "JSON, by rust/")


def test_the_address_of_a_section_leaves_the_choice_alone(show: Open) -> None:
    page = show("index")
    choose(page, "C++", "safety", SMALL)
    said = page.locator("#choose-said").inner_text()
    page.evaluate("location.hash = 'scenarios'")
    expect(page.get_by_role("combobox", name="What matters")).to_have_value("safety")
    assert page.locator("#choose-said").inner_text() == said


def test_all_codecs_of_the_chart_stand_in_a_table(show: Open) -> None:
    page = show("index")
    choose(page, "C++", "speed", SMALL)
    page.get_by_text("All 3 codecs of the chart").click()
    rows = page.locator("#choose-all tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()] == ["cpp/zpp-bits", "cpp/cereal", "cpp/protobuf"]


def test_task_find_whether_a_claim_held(show: Open) -> None:
    page = show("index")
    page.get_by_role("link", name="Ledger", exact=True).click()
    page.get_by_label("Search").fill("scales linearly")
    row = page.locator("#claim-bfast-scales-linearly-to-1k")
    expect(row).to_be_visible()
    assert "reproduced" in row.inner_text()
    assert page.locator("#ledger-table tbody tr:not(.section):visible").count() < 5


def test_task_read_the_answer_on_a_phone(show: Open) -> None:
    page = show("index", size=PHONE)
    expect(page.locator("#choose-said")).to_be_in_viewport()
    drawn(page)
    choose(page, "C++", "safety", SMALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    page.locator("#choose-list").get_by_role("link", name="cpp/protobuf").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cpp/protobuf")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_task_choose_with_a_keyboard(show: Open) -> None:
    page = show("index")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "matters":
            break
    page.keyboard.type("size")
    expect(page.locator("#choose-said")).to_contain_text("the smallest")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#choose-list') !== null"):
            break
    first = listed(page)[0]
    assert page.evaluate("document.activeElement.textContent") == first
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(first)


def test_task_hear_the_answer(show: Open) -> None:
    """As a screen reader gets it: names of controls, the region that says the answer, headers of the table."""
    page = show("index")
    for name in ("Language", "What matters", "Kind of message"):
        assert page.get_by_role("combobox", name=name).count() == 1
    assert page.get_by_role("status").first.inner_text() == page.locator("#choose-said").inner_text()
    assert page.get_by_role("table", name="The short list in figures").count() == 1
    assert page.locator("#choose-table").get_by_role("columnheader").count() == 8
    assert page.get_by_role("img", name=re.compile(r"^small messages \(.+\), any language\. Points: ")).count() == 1
    assert page.locator("#choose-table").get_by_role("rowheader").count() == len(listed(page))
    choose(page, "C++", "safety", SMALL)
    said = page.locator("#choose-said").inner_text()
    heard = page.locator("#choose").aria_snapshot()
    assert f"status: {said}" in heard.replace('"', "") and "cpp/protobuf" in said


def test_without_scripts_the_default_answer_is_there(show: Open) -> None:
    page = show("index", scripts=False)
    assert page.locator("#choose-said").inner_text()
    assert len(listed(page)) >= 1
    assert not page.locator("form.chooser").is_visible()
