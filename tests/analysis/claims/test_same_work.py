"""A verdict that turns on what the lab's program does more than the publication's is none."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from analysis.claims.definitions import ClaimSet, load_claims
from analysis.claims.identity.same_work import MOST_TURNED, counted_of, held_to_the_work
from analysis.claims.ledger import ledger
from analysis.claims.measurements import measure
from analysis.claims.verdicts import Verdict
from analysis.data.cells import RunCells, Series
from analysis.sources.own_program import Work
from analysis.sources.publications import Kind
from bench.base.errors import LabError
from bench.model.counts import Counted
from tests.analysis.claims.test_claims import CLAIM, CSV, HEAD, cells, two
from tests.support.recorded.committed import recorded_cells
from tests.support.scenarios.committed import committed_claims, committed_scenarios

COUNTED = "scenario,row,operation,instructions\nprocess-created,A,serialize,{a}\nprocess-created,B,serialize,{b}\n"


@pytest.fixture
def book(tmp_path: Path) -> Callable[[str], ClaimSet]:
    """The claim that A serializes faster than B, with what the publication's own program takes."""

    def make(instructions: str) -> ClaimSet:
        (tmp_path / "t.csv").write_text(CSV, encoding="utf-8")
        (tmp_path / "t.toml").write_text(HEAD + CLAIM, encoding="utf-8")
        (tmp_path / "t-instructions.csv").write_text(instructions, encoding="utf-8")
        return load_claims(committed_scenarios(), tmp_path)

    return make


def counted(run: RunCells, **instructions: int) -> RunCells:
    """The run with as many instructions a repetition of codecs rust/a and rust/b."""

    def of(series: Series) -> Series:
        each = instructions[series.cell.codec.removeprefix("rust/")]
        one = Counted(cell=series.cell.codec, base=1, repetitions=1, instructions=[each])
        assert one.instructions_each == each
        return msgspec.structs.replace(series, counted=one)

    return msgspec.structs.replace(
        run,
        scenarios=tuple(
            msgspec.structs.replace(one, series={name: of(series) for name, series in one.series.items()})
            for one in run.scenarios
        ),
    )


@pytest.mark.parametrize(
    ("times", "here", "published", "verdict"),
    [
        ((200, 100), (1000, 1000), (1000, 1000), Verdict.REFUTED),  # the same work: the library is slow
        ((200, 100), (3000, 1000), (1000, 1000), Verdict.NOT_MEASURABLE),  # three times the work, twice as long
        ((200, 100), (1500, 1000), (1000, 1000), Verdict.REFUTED),  # 1.5 times the work does not explain it
        ((200, 100), (1000, 1000), (3000, 3000), Verdict.REFUTED),  # the same share of both
        ((100, 200), (1000, 3000), (1000, 1000), Verdict.NOT_MEASURABLE),  # holds only since B has more to do
        ((100, 200), (1000, 1000), (1000, 1000), Verdict.REPRODUCED),
    ],
)
def test_a_verdict_holds_only_if_equal_work_gives_it_too(
    book: Callable[[str], ClaimSet],
    tmp_path: Path,
    times: tuple[int, int],
    here: tuple[int, int],
    published: tuple[int, int],
    verdict: Verdict,
) -> None:
    run = counted(cells(tmp_path / "run", two(*times)), a=here[0], b=here[1])
    (entry,) = ledger(book(COUNTED.format(a=published[0], b=published[1])), [run])
    assert entry.verdict is verdict, entry.sentence
    if verdict is Verdict.NOT_MEASURABLE:
        assert "the programs differ: the lab's take the instructions of the publication's" in entry.sentence
        assert entry.need is None


def test_a_verdict_stays_where_the_publication_s_program_was_counted_for_one_row_alone(
    book: Callable[[str], ClaimSet], tmp_path: Path
) -> None:
    run = counted(cells(tmp_path / "run", two(200, 100)), a=3000, b=1000)
    (entry,) = ledger(book("\n".join(COUNTED.format(a=1000, b=1000).splitlines()[:2])), [run])
    assert entry.verdict is Verdict.REFUTED


@pytest.mark.parametrize(("times", "verdict"), [((200, 100), Verdict.UNDECIDED), ((100, 2500), Verdict.SAME_DIRECTION)])
def test_without_counts_of_the_lab_s_programs_only_what_other_work_does_not_explain_is_decided(
    book: Callable[[str], ClaimSet], tmp_path: Path, times: tuple[int, int], verdict: Verdict
) -> None:
    (entry,) = ledger(book(COUNTED.format(a=1000, b=1000)), [cells(tmp_path / "run", two(*times))])
    assert entry.verdict is verdict
    assert ("`./lab count --into RUN`" in entry.sentence) is (verdict is Verdict.UNDECIDED)


def test_no_number_of_rounds_is_said_to_decide_what_the_uncounted_work_would_leave_open(
    book: Callable[[str], ClaimSet], tmp_path: Path
) -> None:
    close = cells(tmp_path / "run", two(100.0, 100.2))
    (usual,) = ledger(book("scenario,row,operation,instructions\n"), [close])
    assert usual.verdict is Verdict.UNDECIDED and "lab count" not in usual.why
    (entry,) = ledger(book(COUNTED.format(a=1000, b=1000)), [close])
    assert entry.verdict is Verdict.UNDECIDED and entry.need is None
    assert "`./lab count --into RUN`" in entry.why


def test_a_run_without_times_can_lend_its_counts(book: Callable[[str], ClaimSet], tmp_path: Path) -> None:
    timed, other = cells(tmp_path / "timed", two(200, 100)), cells(tmp_path / "untimed", two(200, 100))
    nothing = np.array([], dtype=np.int64)
    only_counts = msgspec.structs.replace(
        other,
        scenarios=tuple(
            msgspec.structs.replace(
                one, series={name: msgspec.structs.replace(s, rounds=nothing) for name, s in one.series.items()}
            )
            for one in other.scenarios
        ),
    )
    (entry,) = ledger(book(COUNTED.format(a=1000, b=1000)), [timed], [counted(only_counts, a=1000, b=1000)])
    assert entry.verdict is Verdict.REFUTED


@pytest.mark.parametrize(("more", "verdict"), [(1000, Verdict.REFUTED), (3000, Verdict.NOT_MEASURABLE)])
def test_a_rate_is_held_to_the_work_as_its_time_is(
    book: Callable[[str], ClaimSet], tmp_path: Path, more: int, verdict: Verdict
) -> None:
    run = counted(cells(tmp_path / "run", two(200, 100, size_b=100)), a=more, b=1000)
    claims = book(COUNTED.format(a=1000, b=1000))
    (entry,) = claims.entries
    for kind, direction in ((Kind.TIME, "less"), (Kind.THROUGHPUT, "greater")):
        of_kind = msgspec.structs.replace(
            entry, kind=kind, claim=msgspec.structs.replace(entry.claim, direction=direction)
        )
        held = held_to_the_work(measure(entry, run), of_kind, [run], claims.own_instructions[entry.source])
        assert held.verdict is verdict


def test_no_counted_rows_turn_a_factor_by_more_than_is_said() -> None:
    claims = committed_claims()
    own = claims.own_instructions["rsb"]
    times = [
        count / own[work]
        for run in recorded_cells()
        for table in claims.tables.values()
        for value in table.rows.values
        if (work := Work(table.definition.scenario, value.codec, value.operation)) in own
        for count in counted_of([table.side(value)], [run]) or ()
    ]
    assert len(times) > 50
    assert max(times) / min(times) < MOST_TURNED


@pytest.mark.parametrize(("here", "verdict"), [(1000, Verdict.REFUTED), (3000, Verdict.NOT_MEASURABLE)])
def test_the_counts_of_another_run_tell_too(
    book: Callable[[str], ClaimSet], tmp_path: Path, here: int, verdict: Verdict
) -> None:
    timed = cells(tmp_path / "timed", two(200, 100))
    other = counted(cells(tmp_path / "other", two(200, 100)), a=here, b=1000)
    claims = book(COUNTED.format(a=1000, b=1000))
    for runs in ([timed, other], [other, timed]):
        (entry,) = ledger(claims, runs)
        assert [one.verdict for one in entry.measurements] == [verdict, verdict]


def test_a_line_that_is_no_count_is_an_error_with_its_line(book: Callable[[str], ClaimSet]) -> None:
    with pytest.raises(LabError, match=r"t-instructions\.csv:3"):
        book(COUNTED.format(a=1000, b="many"))


def test_every_counted_row_is_one_that_was_published() -> None:
    claims = committed_claims()
    rows = {
        (source, table.definition.scenario, value.codec, value.operation)
        for source in claims.own_instructions
        for table in claims.tables.values()
        if table.rows.path.stem == source
        for value in table.rows.values
    }
    found = {(source, *work) for source, works in claims.own_instructions.items() for work in works}
    assert found
    assert found <= rows


@pytest.mark.parametrize("number", ["0", "-1", "nan", "inf", "many"])
def test_a_number_that_no_program_takes_is_refused_with_its_line(book: Callable[[str], ClaimSet], number: str) -> None:
    with pytest.raises(LabError, match=r"t-instructions\.csv:4\b"):
        book("# counted by hand\n" + COUNTED.format(a=1000, b=number))
