"""What is on the Pareto front, and what table and paragraph say of it."""

import json
from types import SimpleNamespace

import msgspec
import pytest

from analysis.site.trials.trial_page import trial_page
from analysis.tables.trials.trial_grid import trial_grid
from analysis.tables.trials.trial_rows import Time, Trial, TrialRow, marked, no_floor, read_trial, together
from analysis.tables.trials.trial_words import in_words
from bench.base.files import write_json
from bench.model.cells import Conditions, Operation
from bench.model.findings import DATA_FILE, CodecData, DataReport, Shortcoming, Sizes
from bench.model.plan import Profile
from tests.support.recorded.calm_run import CalmMade
from tests.support.synthetic_run import BOTH, DESER, SER, Made


def sizes(total):
    return Sizes(total, 1, 2, 3, 4)


def row(codec, total, ns, *, spread=0.0, zstd=None, failure=None, cannot=(), **of_time):
    data = CodecData(codec, sizes(total), sizes(zstd or total), proved=10, failure=failure, cannot=list(cannot))
    time = Time(ns, ns * (1 - spread), ns * (1 + spread), None, None, **of_time)
    return TrialRow(data, "F", False, {Operation.ROUND_TRIP: time})


def front(*rows, floor=0.0):
    return [one.codec for one in marked(rows, lambda _, __: floor) if one.on_front]


def trial(*rows, profile=Profile.STANDARD, messages=10, notes=(), floor=0.0, is_uneven=False, **of_report):
    report = DataReport(
        1, "2026-01-01T00:00:00Z", "a.jsonl", "try-a", messages, 10, 10, sizes(1000), 3, list(notes), [], **of_report
    )
    cells = SimpleNamespace(run=SimpleNamespace(plan=SimpleNamespace(profile=profile)))
    return Trial(cells, report, tuple(marked(rows, lambda _, __: floor)), is_uneven)


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([row("a", 100, 50), row("b", 200, 20), row("c", 300, 60)], ["a", "b"]),
        ([row("a", 100, 50), row("b", 100, 60)], ["a"]),
        ([row("a", 100, 50, spread=0.2), row("b", 100, 55, spread=0.2)], ["a", "b"]),  # by no more than chance
        ([row("a", 100, 50), row("b", 101, 50)], ["a"]),
        ([row("a", 100, 50, failure="wrong"), row("b", 200, 60)], ["b"]),
        ([row("a", 100, 50), row("b", 90, 60), row("c", 80, 70)], ["a", "b", "c"]),
        ([row("a", 100, 50, spread=0.2), row("b", 101, 45, spread=0.2)], ["a"]),  # larger, and not clearly faster
        ([row("a", 100, 50), row("b", 200, 20, is_figure=False)], ["a"]),
        ([row("a", 100, 50), row("b", 200, 20, is_bounded=False)], ["a"]),
        ([row("a", 100, 50), row("b", 110, 48, spread=0.2), row("c", 120, 30)], ["a", "c"]),
    ],
)
def test_the_front_has_what_no_other_beats_in_both(rows, wanted):
    assert front(*rows) == wanted


def test_a_difference_below_the_noise_floor_puts_nobody_on_the_front():
    rows = row("a", 100, 50), row("b", 200, 48)
    assert (front(*rows), front(*rows, floor=0.1)) == (["a", "b"], ["a"])
    assert marked(rows, no_floor)[0].is_as_fast is False


def test_the_paragraph_names_the_ends_and_each_step():
    words = in_words(trial(row("small", 100, 200, zstd=90), row("fast", 150, 100, zstd=80), row("worse", 200, 300)))
    assert words == (
        "● 2 of 3 codecs are on the Pareto front: no other is both smaller and faster. The smallest is small, 100 B and "
        "200 ns a round trip; the fastest is fast, 150 B and 100 ns a round trip. fast takes 50 % more bytes and 50 % "
        "less time than small. After zstd the smallest is fast, 80 B."
    )


def test_of_one_size_the_faster_is_named_and_the_other_told_as_alike():
    words = in_words(
        trial(row("slow", 100, 55, spread=0.2), row("fast", 100, 50, spread=0.2), row("large", 120, 52, spread=0.2))
    )
    assert "The smallest is fast, 100 B and 50.0 ns a round trip; the fastest is fast" in words
    assert "Not to be told apart from it by time: slow, large." in words
    assert "slow takes as many bytes as fast, and their times are not to be told apart." in words


def test_codecs_without_figures_are_told_and_never_named_the_fastest():
    words = in_words(trial(row("a", 100, 50), row("b", 50, 20, is_figure=False)))
    assert "a is both the smallest and the fastest" in words and "Without a time that can be judged: b." in words
    assert "No codec has a time that can be judged" in in_words(trial(row("a", 100, 50, is_figure=False)))
    assert "the order is uncertain" in in_words(trial(row("a", 100, 50), is_uneven=True))


def test_messages_of_no_bytes_are_compared_too():
    words = in_words(trial(row("nothing", 0, 90), row("fast", 10, 20)))
    assert "fast takes 10 B instead of none and 78 % less time than nothing." in words


def test_one_codec_may_be_best_in_both():
    assert "best is both the smallest and the fastest" in in_words(trial(row("best", 100, 50), row("b", 200, 60)))


def test_no_codec_is_named_where_none_works():
    assert (
        in_words(trial(row("a", 100, 50, failure="wrong")))
        == "No codec has both a size and a time, so none can be named."
    )


def test_what_a_format_has_no_form_for_is_listed_by_field():
    cannot = [Shortcoming(f"$.f{n}", "map", "it has no maps") for n in range(5)]
    without = TrialRow(CodecData("poor", cannot=cannot), None, False, {})
    grid = trial_grid(trial(row("rich", 100, 50), without))
    assert "poor cannot take $.f0, $.f1, $.f2 and 2 more fields (map: it has no maps)" in grid.notes
    assert grid.sections[0].rows[1][-1] == ("cannot take it",)


def test_quick_names_no_codec():
    grid = trial_grid(trial(row("a", 100, 50), profile=Profile.QUICK))
    assert not any("Pareto" in note for note in grid.notes) and "mean nothing" in grid.title


def test_how_much_was_proved_is_said():
    grid = trial_grid(trial(row("a", 100, 50), messages=5_000))
    assert grid.sections[0].rows[0][-1] == ("10 sampled",)
    assert any("--full does so with all" in note for note in grid.notes)
    assert trial_grid(trial(row("a", 100, 50))).sections[0].rows[0][-1] == ("all",)


def test_another_run_is_refused(tmp_path):
    with pytest.raises(Exception, match="it is no run of `lab try`"):
        read_trial(tmp_path)


def recorded(tmp_path, made):
    """What is read of a run with a report beside it, by codec."""
    path = made.write(tmp_path / "run")
    codecs = [CodecData(name, sizes(10), proved=10) for name in dict.fromkeys(one.cell.codec for one in made.cells)]
    report = DataReport(
        1, "2026-01-01T00:00:00Z", "a.jsonl", made.scenario.name, 10, 10, 10, sizes(1000), 3, [], codecs
    )
    write_json(path / DATA_FILE, report)
    return {row.codec: row for row in read_trial(path).rows}


def test_a_codec_without_the_usual_conditions_is_shown_with_its_own(tmp_path):
    models = Conditions(api="dynamic", output="models", drop="inside", gc="on")
    row = recorded(tmp_path, Made().codec("python/odd", {DESER: 50}, conditions={DESER: models}))["python/odd"]
    assert Operation.DESERIALIZE in row.times and "output=models" in row.conditions


def test_without_a_round_trip_its_halves_together_stand_for_it(tmp_path):
    made = Made().codec("cpp/halves", {SER: 40, DESER: 60}).codec("rust/whole", {SER: 40, DESER: 60, BOTH: 90})
    rows = recorded(tmp_path, made)
    halves, whole = rows["cpp/halves"], rows["rust/whole"]
    assert halves.round_trip.ns == sum(halves.times[one].ns for one in (SER, DESER)) and halves.round_trip.is_sum
    assert not whole.round_trip.is_sum and whole.round_trip.ns < halves.round_trip.ns


def test_the_bounds_of_halves_are_added():
    one, other = Time(10, 9, 12, 1, None), Time(20, 18, 21, 2, 5, is_figure=False)
    assert together(one, other) == Time(30, 27, 33, 3, None, is_figure=False, is_sum=True)


def test_a_codec_that_was_not_measured_says_why(tmp_path):
    made = Made().codec("rust/well", {BOTH: 90}).codec("rust/blocked", {BOTH: 90}, blocked="it does not come back")
    row = recorded(tmp_path, made)["rust/blocked"]
    assert not row.times and row.problem == "it does not come back"
    assert trial_grid(trial(row)).warnings == ("rust/blocked: it does not come back",)


def test_marks_are_explained_where_they_stand():
    time = Time(10, 5, 15, None, None, is_figure=False, is_sum=True)
    data = CodecData("odd", sizes(10), sizes(10), proved=10)
    odd = TrialRow(data, "F", False, {Operation.ROUND_TRIP: time}, conditions="output=models")
    grid = trial_grid(trial(odd))
    assert ("10.0 ns §Σ¤", "[5.00 ns – 15.0 ns]") in grid.sections[0].rows[0]
    assert [note[0] for note in grid.notes if note[0] in "§Σ¤"] == ["Σ", "¤", "§"]
    assert not any(note[0] in "§Σ¤" for note in trial_grid(trial(row("a", 100, 50))).notes)


def test_access_has_a_column_where_a_codec_offers_it():
    time = Time(10, 10, 10, None, None)
    flat = TrialRow(CodecData("flat", sizes(10)), "F", False, {Operation.ACCESS: time})
    assert ("Access", "a message") in [one.heading for one in trial_grid(trial(flat)).columns]
    assert ("Access", "a message") not in [one.heading for one in trial_grid(trial(row("a", 100, 50))).columns]


def test_a_small_difference_tells_nothing_where_codecs_met_unequal_moments(tmp_path):
    def made(**disturbed):
        run = CalmMade(rounds=40)
        run.layout_spread, run.disturbed = 0.001, disturbed
        for name, ns in [("rust/a", 100), ("rust/b", 105), ("rust/c", 150)]:
            run.codec(name, {BOTH: ns})
        return run.twin("rust/a", BOTH)

    assert not recorded(tmp_path / "even", made())["rust/b"].is_as_fast
    assert recorded(tmp_path / "uneven", made(**{"rust/c": 0.3}))["rust/b"].is_as_fast


def test_one_message_has_no_quantiles():
    columns = [one.heading for one in trial_grid(trial(row("a", 100, 50), messages=1)).columns]
    assert ("one message",) not in columns and ("Bytes",) in columns


def test_a_difference_within_the_intervals_is_not_told():
    words = in_words(trial(row("small", 100, 200, spread=0.2), row("fast", 150, 190, spread=0.2)))
    assert words.startswith(
        "small is the smallest, and none is faster beyond chance: 100 B and 200 ns a round trip. Not to be told"
    )
    assert "Not to be told apart from it by time: fast." in words


def test_a_round_trip_that_failed_is_not_told_as_one_that_is_not_offered(tmp_path):
    made = Made().codec("rust/odd", {SER: 40, DESER: 60})
    made = made.codec("rust/odd", {BOTH: 90}, blocked="it does not come back")
    odd = recorded(tmp_path, made)["rust/odd"]
    assert odd.round_trip is None and odd.problem == "it does not come back"


def test_shares_are_of_what_was_given():
    grid = trial_grid(trial(row("a", 100, 50), given_bytes=800))
    assert grid.title.startswith("a.jsonl: 10 messages, 800 B as JSON, 1000 B with every key of their type")
    assert grid.sections[0].rows[0][1] == ("100", "12 % of JSON")
    assert any("a missing key and null become one value" in note for note in grid.notes)
    alike = trial_grid(trial(row("a", 100, 50), given_bytes=1000))
    assert alike.title.startswith("a.jsonl: 10 messages, 1000 B as JSON") and "every key" not in alike.title
    assert not any("a missing key" in note for note in alike.notes)


@pytest.mark.parametrize(("sampled_bytes", "words"), [(10, None), (12, "20 % larger"), (8, "20 % smaller")])
def test_a_sample_unlike_the_data_is_warned_of(sampled_bytes, words):
    """Of 1,000 messages with 1,000 bytes 10 were measured."""
    grid = trial_grid(trial(row("a", 100, 50), messages=1000, sampled_bytes=sampled_bytes))
    assert [words in one for one in grid.warnings] == ([True] if words else [])
    assert any(f"{sampled_bytes / 10:.0f} B in the mean, and all 1 B" in note for note in grid.notes)


def test_sizes_that_the_sample_lacks_are_warned_of():
    grid = trial_grid(trial(row("a", 100, 50), messages=1000, sampled_bytes=10, left_out=1))
    assert grid.warnings[0].startswith("1 message of a size that is too rare for the sample is in no time.")


def test_a_dictionary_says_what_it_was_trained_on():
    with_one = row("a", 100, 50)
    data = msgspec.structs.replace(with_one.data, dictionary=sizes(40), dictionary_bytes=500)
    with_one = msgspec.structs.replace(with_one, data=data)
    assert any(
        "trained on 5 messages, has up to 500 B" in note for note in trial_grid(trial(with_one, trained=5)).notes
    )
    assert any("a dictionary is tried from 200 measured" in note for note in trial_grid(trial(row("a", 1, 1))).notes)


def test_the_chart_of_the_page_keeps_its_points():
    page = trial_page(trial(row("rust/a", 100, 50), row("rust/b", 200, 20, is_figure=False)))
    (block, _) = page.blocks
    assert block.chart is not None
    assert "is_figure" in json.dumps(block.chart.spec)
    assert [one["is_figure"] for one in block.data] == [True, False]
    assert set(block.types) == set(block.data[0])
