from __future__ import annotations

import numpy as np

from aboutness.kernels import synthetic

VOWELS, CONSONANTS = "aiou", "bdfghjklmnprstvz"


def spelled(rank):
    """A number above 63 in base 64, its digits as syllables."""
    value, syllables = rank + 64, []
    while value:
        value, digit = divmod(value, 64)
        syllables.append(CONSONANTS[digit // 4] + VOWELS[digit % 4])
    return "".join(reversed(syllables))


def test_words_are_numbers_in_syllables(run):
    seen = set()
    for rank in (0, 1, 63, 64, 4031, 4032, 99_999, 262_080, 2**24, 2**29 - 1):
        out = np.zeros(synthetic.MOST_BYTES, np.uint8)
        end, changed = run(synthetic.spell, np.int64(rank), out, 0)
        word = changed[1][:end].tobytes().decode()
        assert word == spelled(rank) + " "
        seen.add(word)
    assert len(seen) == 10


def test_chance_of_a_number(run):
    _, (_, _, state) = run(synthetic.begin, np.uint64(3), 5, np.zeros(1, np.uint64))
    _, (_, _, other) = run(synthetic.begin, np.uint64(3), 6, np.zeros(1, np.uint64))
    assert state[0] != other[0]
    drawn = []
    for _ in range(200):
        value, (state,) = run(synthetic.even, state)
        drawn.append(value)
    assert 0 <= min(drawn) < 0.1
    assert 0.9 < max(drawn) < 1
    assert len(set(drawn)) == 200


def test_topics_are_drawn_from_all(run):
    drawn = [int(run(synthetic.draw_topic, np.uint64(3), number)[0]) for number in range(300)]
    assert all(0 <= topic < synthetic.TOPICS for topic in drawn)
    assert len(set(drawn)) > 150


def test_ranks_follow_both_laws(run):
    drawn = [run(synthetic.draw_rank, chance)[0] for chance in (0.0, synthetic.HEAD_SHARE / 2, 1 - 2**-53)]
    assert drawn == [0, int(synthetic.HEAD**0.5) - 1, int(synthetic.LARGEST_RANK) - 1]
    middle = synthetic.HEAD_SHARE + (1 - synthetic.HEAD_SHARE) / 2  # half of the tail is left
    assert abs(run(synthetic.draw_rank, middle)[0] / (synthetic.HEAD * 2**1.25) - 1) < 1e-3


def test_a_topic_prefers_one_of_its_neighbours(run):
    for topic in range(5):
        preferred = {int(run(synthetic.of_topic, np.int64(rank), np.uint64(topic))[0]) for rank in range(128, 192)}
        assert len(preferred) == 1
        assert 128 <= preferred.pop() < 192


def test_documents_and_queries(run):
    out, ends = np.zeros(1 << 16, np.uint8), np.zeros(8, np.int64)
    count, (_, _, _, text, stops) = run(synthetic.write_documents, np.uint64(3), 5, 13, out, ends)
    assert count == 8
    assert (np.diff(stops, prepend=0) > 1).all()
    assert (text[stops - 1] == 32).all()
    alone, (_, _, _, again, stop) = run(synthetic.write_documents, np.uint64(3), 6, 7, out, ends[:1])
    assert alone == 1
    assert np.array_equal(again[: stop[0]], text[stops[0] : stops[1]])
    _, (_, _, _, asked, stops) = run(synthetic.write_queries, np.uint64(3), 0, 8, out, ends)
    assert all(1 <= len(asked[a:b].tobytes().split()) <= 5 for a, b in zip([0, *stops], stops, strict=False))


def test_what_finds_no_room_is_not_begun(run):
    out, ends = np.zeros(3000, np.uint8), np.zeros(50, np.int64)
    count, _ = run(synthetic.write_documents, np.uint64(1), 0, 50, out, ends)
    assert 0 < count < 50
