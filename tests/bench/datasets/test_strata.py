"""A sample is seeded, small, in the data's order, and has every size as often as the data; what is rare is proved."""

import math
from collections import Counter

import pytest

from bench.datasets import strata
from bench.datasets.strata import Sample, Sampler


def sample(messages, seed=1):
    sampler = Sampler(seed)
    for message in messages:
        sampler.offer(message)
    return sampler.sample()


def numbered(count, size=40):
    return [f"{number:0{size}}".encode() for number in range(count)]


def test_few_messages_are_all_taken_in_their_order():
    messages = [b"x" * (n % 90) for n in range(1000)]
    assert sample(messages) == Sample(messages, list(range(1000)), is_all=True)


def test_many_messages_give_a_thousand_in_their_order():
    messages = numbered(20_000)
    drawn = sample(messages)
    assert (len(drawn.messages), drawn.is_all) == (strata.MOST_MESSAGES, False)
    assert drawn.messages == sorted(set(drawn.messages)) == [messages[place] for place in drawn.places]


def test_the_seed_decides():
    messages = numbered(5_000)
    assert sample(messages, 1) == sample(messages, 1)
    assert sample(messages, 1) != sample(messages, 2)


def test_every_size_has_its_share():
    messages = [b"s" * 20] * 9_000 + [b"m" * 200] * 990 + [b"l" * 2_000] * 10
    counts = Counter(message[:1] for message in sample(messages).messages)
    assert counts == {b"s": 900, b"m": 99, b"l": 1}


def test_what_is_rare_is_drawn_no_more_often_than_it_occurs_and_always_proved():
    """One large message among 10,000 is in a tenth of the samples: 20 of 200, within five deviations."""
    messages = [b"s" * 20] * 9_999 + [b"l" * 2_000]
    drawn = [sample(messages, seed) for seed in range(200)]
    with_it = [one for one in drawn if b"l" * 2_000 in one.messages]
    assert abs(len(with_it) - 20) < 5 * math.sqrt(200 * 0.1 * 0.9)
    for one in drawn:
        expected = [] if one in with_it else [b"l" * 2_000]
        assert (list(one.rare), one.left_out) == (expected, len(expected))


def test_a_sample_has_the_mean_size_of_the_data():
    messages = [b"s" * 100] * 50_000 + [b"m" * 5_000] * 500 + [b"l" * 90_000] * 20
    mean = sum(map(len, messages)) / len(messages)
    drawn = [sample(messages, seed) for seed in range(100)]
    means = [one.total_bytes / len(one.messages) for one in drawn]
    assert abs(sum(means) / len(means) / mean - 1) < 0.15


@pytest.mark.parametrize("size", [10_000, 300_000])
def test_a_sample_of_large_messages_stays_small(size):
    drawn = sample([bytes([n % 256]) * size for n in range(2_000)])
    assert drawn.messages and drawn.total_bytes <= 2 * strata.MOST_BYTES


def test_one_huge_message_is_taken_where_there_is_nothing_else():
    assert len(sample([b"x" * 3_000_000] * 3).messages) == 1


def test_what_is_held_has_a_bound():
    sampler = Sampler(1)
    for size in (100, 10_000, 1_000_000):
        for _ in range(3_000 if size < 1_000_000 else 50):
            sampler.offer(b"x" * size)
    held = sum(len(message) for stratum in sampler._strata.values() for _, message in stratum.held)
    assert held <= len(sampler._strata) * strata.HELD_BYTES


def test_every_message_is_as_likely():
    """Each of 2,000 messages is drawn 1,000 × 40 / 2,000 times in 40 samples: 20, within five deviations."""
    counts = Counter(message for seed in range(40) for message in sample(numbered(2_000), seed).messages)
    deviation = math.sqrt(40 * 0.5 * 0.5)
    assert max(abs(count - 20) for count in counts.values()) < 5 * deviation
