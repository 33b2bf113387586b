"""All messages are sized and proved, through runners that misbehave."""

import re
import statistics

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from bench.building.runner import Runner
from bench.datasets import dataset, sizing
from bench.datasets.dataset import fitted, inferred_types
from bench.datasets.reading.sources import open_source
from bench.datasets.sizing import Distribution, difference, sized
from bench.types.definitions import Definitions, StructDefinition, define
from bench.types.expressions import Named
from tests.support.datasets.data_sets import data_entry, events, json_lines

SCENARIO = "try-a"


@pytest.fixture
def data_of(tmp_path, monkeypatch):
    monkeypatch.setenv("DATA_SCENARIOS", SCENARIO)
    monkeypatch.setattr(dataset, "STATE", tmp_path)
    made = []

    def make(messages):
        source = open_source(json_lines(tmp_path / "a.jsonl", messages))
        made.append(fitted(source, inferred_types(source, lambda _: None), 1, lambda _: None))
        return made[-1]

    yield make
    for one in made:
        one.close()


def results(data, *mischief, full=False):
    runners = [Runner(data_entry(f"c{number}", one)) for number, one in enumerate(mischief)]
    return sized(runners, SCENARIO, data, lambda _: None, full=full)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=300))
def test_quantiles_are_those_of_the_sorted_sizes(sizes):
    distribution = Distribution()
    distribution.add(sizes[:3])
    distribution.add(sizes[3:])
    summary, ordered = distribution.summary(), sorted(sizes)
    assert (summary.total_bytes, summary.largest_bytes) == (sum(sizes), max(sizes))
    assert summary.median_bytes == statistics.median_low(sizes)
    assert summary.p95_bytes == ordered[-(-len(sizes) * 95 // 100) - 1]
    assert summary.p99_bytes == ordered[-(-len(sizes) * 99 // 100) - 1]


def test_every_message_is_sized_and_proved(data_of, monkeypatch):
    monkeypatch.setattr(dataset, "CHUNK_BYTES", 1000)
    data = data_of(events(300))
    [plain, fat], to_prove = results(data, "none", "fat")
    encoded = [b"\0" + line for chunk in data.chunks() for line in chunk]
    compressor = zstandard.ZstdCompressor(level=3)
    assert (plain.sizes.total_bytes, to_prove) == (sum(map(len, encoded)), 300)
    assert fat.sizes.total_bytes == plain.sizes.total_bytes + 300 * 40
    assert plain.zstd.total_bytes == sum(len(compressor.compress(one)) for one in encoded)
    assert plain.dictionary.total_bytes < plain.zstd.total_bytes
    assert plain.dictionary_bytes <= plain.sizes.total_bytes // 10
    assert [(one.proved, one.failure) for one in (plain, fat)] == [(300, None)] * 2


def test_a_dictionary_is_tried_on_what_it_was_not_trained_on(data_of):
    data = data_of(events(300))
    [one], _ = results(data, "none")
    encoded = [b"\0" + line for chunk in data.chunks() for line in chunk]
    others = encoded[1::2]
    dictionary = sizing.dictionary_of(encoded[::2])
    compressor = zstandard.ZstdCompressor(level=3, dict_data=dictionary)
    total = sum(len(compressor.compress(message)) for message in others)
    assert one.dictionary.total_bytes == round(total * sum(map(len, encoded)) / sum(map(len, others)))
    assert sizing.trained_places(data.sample) == list(range(0, 300, 2))


@pytest.mark.parametrize(("count", "has_one"), [(199, False), (200, True)])
def test_few_messages_have_no_dictionary(data_of, count, has_one):
    [one], _ = results(data_of(events(count)), "none")
    assert (one.dictionary is not None, one.dictionary_bytes > 0) == (has_one, has_one)


def test_messages_of_no_bytes_are_compressed_too():
    compressor, messages = zstandard.ZstdCompressor(level=3), [b"", b"a" * 100, b""]
    assert sorted(sizing.compressed_sizes(compressor, messages)) == sorted(
        len(compressor.compress(one)) for one in messages
    )
    assert len(list(sizing.compressed_sizes(compressor, [b"", b""]))) == 2
    assert list(sizing.compressed_sizes(compressor, [])) == []


def test_a_size_that_the_sample_lacks_is_proved_all_the_same(data_of, monkeypatch):
    monkeypatch.setattr(sizing, "ALL_PROVED_BYTES", 1000)
    data = data_of([{"x": f"{n:04}"} for n in range(9_999)] + [{"x": "change me" * 200}])
    monkeypatch.setattr(data, "sample", data.sample._replace(rare=[b'{"x":"change me"}']))
    [one], to_prove = results(data, "changes")
    assert to_prove == len(data.sample.messages) + 1
    assert one.failure.startswith(f"message {to_prove:,} of those proved comes back as another")


def test_what_was_given_is_counted_without_the_keys_that_are_missing(data_of):
    data = data_of([{"a": 1, "b": "x"}, {"a": 1}])
    assert data.given_bytes == len('{"a":1,"b":"x"}') + len('{"a":1}')
    assert data.total_bytes == data.given_bytes + len(',"b":null')


def test_a_value_that_changes_is_found_and_the_sizes_stay(data_of):
    data = data_of([{"x": f"{n}"} for n in range(30)] + [{"x": "change me"}, {"x": "z"}])
    [one], _ = results(data, "changes")
    assert one.failure == "message 31 of those proved comes back as another: $.x: 'change me' against 'changed'"
    assert (one.proved, one.sizes is not None) == (30, True)


@pytest.mark.parametrize(
    ("mischief", "words"), [("refuses", "encode: exit code 65: fake: this is refused"), ("loses-one", "29 came out")]
)
def test_a_codec_that_cannot_encode_has_no_sizes(data_of, mischief, words):
    [one], _ = results(data_of([{"x": f"{n}"} for n in range(29)] + [{"x": "refuse me"}]), mischief)
    assert words in one.failure
    assert (one.sizes, one.zstd, one.dictionary, one.proved) == (None, None, None, 0)


def test_beyond_a_limit_only_the_sample_is_proved_unless_all_must(data_of, monkeypatch):
    monkeypatch.setattr(sizing, "ALL_PROVED_BYTES", 1000)
    data = data_of([{"x": f"{n}"} for n in range(3000)])
    [one], to_prove = results(data, "none")
    assert (one.proved, to_prove, one.failure) == (1000, 1000, None)
    [one], to_prove = results(data, "none", full=True)
    assert (one.proved, to_prove) == (3000, 3000)


def test_one_message_has_no_frame_and_no_dictionary(data_of, monkeypatch):
    monkeypatch.setenv("DATA_SINGLE", SCENARIO)
    data = data_of([{"x": 5}])
    [one], _ = results(data, "none")
    assert (one.sizes.total_bytes, one.dictionary, one.proved, one.failure) == (len('_{"x":5}'), None, 1, None)
    scenario = data.scenario(["fake/a"])
    assert (scenario.rows, scenario.input.file) == (None, "try-a.json")


DEFINED = define(Definitions({"M": StructDefinition({"x": "f64", "y": "f32"})}))


@pytest.mark.parametrize(
    ("back", "differs"),
    [
        (b'{"x":10.0,"y":0.1}', False),
        (b'{"x":1e1,"y":0.1}', False),
        (b'{"y":0.10000000149011612,"x":10}', False),
        (b'{"x":10.000000000000002,"y":0.1}', True),
        (b'{"x":10.0,"y":0.2}', True),
        (b'{"x":10.0}', True),
        (b'{"x":10.0,"y":0.1', True),
        (b"", True),
    ],
)
def test_messages_are_compared_as_their_type_says(back, differs):
    assert (difference(Named("M"), DEFINED, b'{"x":10.0,"y":0.1}', back) is not None) == differs


def test_two_texts_that_are_no_json_are_not_equal():
    assert difference(Named("M"), DEFINED, b"{", b"[") is not None


def test_a_saved_scenario_reads_back_as_it_was_tried(data_of, tmp_path, monkeypatch):
    from bench.datasets.saving import save_scenario
    from bench.scenarios import inputs
    from bench.scenarios.load import load_scenario

    data = data_of(events(50))
    (folder := tmp_path / "scenarios").mkdir()
    file, samples = save_scenario(data, ["fake/a", "fake/b"], "own-events", folder)
    scenario = load_scenario(file)
    assert msgspec.to_builtins(scenario) == msgspec.to_builtins(data.scenario(["fake/a", "fake/b"], "own-events"))
    monkeypatch.setattr(inputs, "SCENARIOS", folder)
    monkeypatch.setattr(inputs, "STATE", tmp_path / "state")
    assert inputs.canonical_input(scenario) == data.text() == samples.read_bytes()
    samples.write_bytes(b"{}\n")
    with pytest.raises(Exception, match="the canonical input has SHA-256"):
        inputs.canonical_input(scenario)
    with pytest.raises(Exception, match="is there already"):
        save_scenario(data, ["fake/a"], "own-events", folder)
    with pytest.raises(Exception, match="small letters"):
        save_scenario(data, ["fake/a"], "../x", folder)


def test_a_hostile_data_set_can_be_saved(data_of, tmp_path):
    from bench.datasets.saving import save_scenario
    from bench.scenarios.load import load_scenario
    from tests.support.datasets.data_sets import HOSTILE_KEYS

    data = data_of([{key: {key: n} for key in HOSTILE_KEYS} for n in range(3)])
    (folder := tmp_path / "scenarios").mkdir()
    file, _ = save_scenario(data, ["fake/a"], "hostile", folder)
    assert load_scenario(file).types == data.scenario(["fake/a"], "hostile").types


@pytest.mark.parametrize(
    ("line", "instead", "words"),
    [
        ("file_rows = 3\n", "", "input.file_rows: a file NAME.jsonl has file_rows"),
        ('file = "own.jsonl"\n', "", "input: give one of these: value, draws, generator, items_of, file"),
        ('file = "own.jsonl"', 'file = "../own.jsonl"', "own.toml:"),
    ],
)
def test_a_file_of_data_is_named_rightly(data_of, tmp_path, line, instead, words):
    from bench.datasets.saving import save_scenario
    from bench.scenarios.load import load_scenario

    file, _ = save_scenario(data_of([{"x": n} for n in range(3)]), ["fake/a"], "own", tmp_path)
    text = file.read_text()
    assert line in text
    file.write_text(text.replace(line, instead))
    with pytest.raises(Exception, match=re.escape(words)):
        load_scenario(file)
