from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.text.strings import StringTable
from aboutness.vectors.spelling import LONGEST, spelt_alike


def distance(a: str, b: str) -> int:
    """The definition, one pair at a time."""
    rows = [[i + j if not i * j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.lists(st.text("abC", max_size=9), unique=True, max_size=40), st.text("abc", min_size=1, max_size=9))
def test_those_within_the_limit_in_order_of_distance(words: list[str], asked: str) -> None:
    limit = 1 if len(asked) < 6 else 2
    wanted = [
        (distance(asked, word.lower()), word[0].lower() != asked[0], number)
        for number, word in enumerate(words)
        if word and distance(asked, word.lower()) <= limit
    ]
    assert spelt_alike(StringTable.of(words), asked, 5) == [words[number] for _, _, number in sorted(wanted)[:5]]


@pytest.mark.parametrize("asked", ["", "x" * (LONGEST + 1), "\ud800", "日本"])
def test_odd_words_have_none(asked: str) -> None:
    assert spelt_alike(StringTable.of(["", "moon", "x" * (LONGEST + 1)]), asked) == []


def test_there_may_be_no_words() -> None:
    assert spelt_alike(StringTable.of([]), "moon") == []


def test_of_letters_with_several_bytes_one_may_differ() -> None:
    assert spelt_alike(StringTable.of(["über", "мир"]), "ÜBER") == ["über"]
    assert spelt_alike(StringTable.of(["über", "мир"]), "мим") == ["мир"]


def test_two_hundred_thousand_words_are_compared_at_once() -> None:
    chance = np.random.default_rng(1)
    words = {"".join(map(chr, row)) for row in chance.integers(97, 123, (200_000, 9)).tolist()}
    table = StringTable.of([*words, "university"])
    start = time.process_time()
    assert spelt_alike(table, "univresity")[:1] == ["university"]
    assert time.process_time() - start < 1.0
