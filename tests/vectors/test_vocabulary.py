from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.text.analyzers import analyzer
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.vocabulary import Vocabulary

PLAIN = analyzer("plain")
TEXTS = st.lists(st.lists(st.sampled_from(["sun", "moon", "sea", "été", "a b"]), max_size=8), max_size=6)


@settings(max_examples=60)
@given(TEXTS, st.integers(1, 4))
def test_the_frequent_terms_by_count_and_spelling(texts, least):
    text = TrainingText.of_texts(texts, PLAIN)
    counts = Counter(term for one in texts for term in one)
    expected = sorted((term for term in counts if counts[term] >= least), key=lambda term: (-counts[term], term))
    if not expected:
        with pytest.raises(UsageError) as caught:
            Vocabulary.of(text, least)
        advice = (
            "train on more text, or lower min_count (--min-count)" if text.tokens else "add documents with words"
        )
        assert str(caught.value) == (
            f"no word stands at least min_count={least} times in the {text.tokens} tokens of the text: {advice}"
        )
        return
    found = Vocabulary.of(text, least)
    assert len(found) == len(expected)
    assert found.words == expected
    assert found.counts.tolist() == [counts[word] for word in expected]
    assert found.number_of.dtype == np.int32
    numbers = dict(zip(text.terms(), found.number_of.tolist(), strict=True))
    assert numbers == {term: expected.index(term) if term in expected else -1 for term in counts}


def test_a_term_that_no_document_has_any_more_is_no_word():
    text = TrainingText.of_texts([["sun", "moon"], ["sun"]], PLAIN).some(np.array([False, True]))
    assert Vocabulary.of(text, 1).words == Vocabulary.of(text, 0).words == ["sun"]
    assert Vocabulary.of(text, 1).number_of.tolist() == [0, -1]
