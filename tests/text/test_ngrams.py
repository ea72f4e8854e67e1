from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.text.analyzer import word_ngrams
from aboutness.text.ngrams import WordNgrams
from aboutness.text.strings import GrowingTable, pack

WORDS = ["new", "york", "é", "", "times", "中文"]
spans = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: (min(pair), max(pair)))
cells_of = st.lists(st.lists(st.sampled_from(WORDS), max_size=14), max_size=4)


def joined(ngrams: WordNgrams, cells: list[list[str]], stems: GrowingTable, vocabulary: GrowingTable):
    tokens = stems.add(*pack([word for cell in cells for word in cell])).astype(np.int32)
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    numbers = ngrams.join(tokens, ends, stems, vocabulary)
    names = vocabulary.strings()
    return [[names[number] for number in numbers[a:b]] for a, b in zip([0, *ends], ends, strict=False)]


@settings(max_examples=80, deadline=None)
@given(st.lists(cells_of, max_size=3), spans)
def test_as_defined_batch_after_batch(batches, span):
    ngrams, stems, vocabulary = WordNgrams(*span), GrowingTable(), GrowingTable()
    names: list[str] = []
    for cells in batches:
        assert joined(ngrams, cells, stems, vocabulary) == [word_ngrams(cell, *span) for cell in cells]
        assert vocabulary.strings()[: len(names)] == names
        names = vocabulary.strings()
    expected = {ngram for cells in batches for cell in cells for ngram in word_ngrams(cell, *span)}
    assert sorted(names) == sorted(expected)  # no n-gram that is too short gets a number


@pytest.mark.parametrize("span", [(1, 2), (2, 2), (3, 4)])
def test_growth(span):
    ngrams, stems, vocabulary = WordNgrams(*span), GrowingTable(), GrowingTable()
    distinct: set[str] = set()
    for step in range(30):
        cell = [f"w{i * i * (step + 1) % 9973}" for i in range(600)]
        cells = [cell, cell[::-1], cell[:50]]
        assert joined(ngrams, cells, stems, vocabulary) == [word_ngrams(one, *span) for one in cells]
        distinct.update(ngram for one in cells for ngram in word_ngrams(one, 2, span[1]))
    assert ngrams.count == len(distinct) > 10_000  # known ones are found again after the keys have grown
