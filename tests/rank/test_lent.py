"""How likely a question is in documents to which others lend words; `test_feedback` has the whole formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aboutness import Index
from aboutness.models.question import Question
from aboutness.rank.lent import Lending, Likelihood

TEXTS = ["red apple", "green apple", "blue sky today", ""]


@pytest.fixture(scope="module")
def view():
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(TEXTS)], analyzer="plain")
    return index.snapshot.view()


def lend(view, words, products, lent=0.5, mu=1.0):
    places = np.array([[1], [0], [0], [0]])
    every = np.arange(len(TEXTS))
    return Lending(view, lent, mu).likelihood(Question(words), every, places, np.array(products, float))


def test_a_word_that_the_nearest_has(view):
    found = lend(view, "green", [[0.5], [0.5], [-0.1], [0.0]])
    own = [(count + 1 / 7) / (length + 1) for count, length in ((0, 2), (1, 2), (0, 3), (0, 0))]
    others = [1 / 2, 0, 0, 0]  # the third and the last have none that is like them
    expected = [math.log((one + other) / 2) for one, other in zip(own, others, strict=True)]
    assert found.totals.tolist() == pytest.approx(expected)
    assert found.shares.min() == 0
    assert found.shares.max() == 1


def test_words_make_up_the_share(view):
    found = lend(view, "red sky unheard red", [[0.5], [0.5], [0.3], [0.2]])
    assert sorted(found.words) == ["red", "sky"]
    for document in range(4):
        parts = found.parts(document, 3.0, "somebody")
        assert sum(part.value for part in parts) == pytest.approx(3 * found.shares[document])
        assert {part.by for part in parts} == {"somebody"}
    first, third = ({part.name: part for part in found.parts(document, 1.0, "")} for document in (0, 2))
    assert third["sky"].value > first["sky"].value
    assert (first["red"].word, first["sky"].word, third["sky"].word) == ("red", None, "sky")
    assert first["red"].details == {"in_document": 1.0}


def test_without_lending_it_is_query_likelihood(view):
    from aboutness import QL

    found = lend(view, "apple sky", [[1.0]] * 4, lent=0.0)
    scores = QL(mu=1.0).scorer(view).scores(Question("apple sky"), np.arange(4))
    assert found.totals.tolist() == pytest.approx(scores.tolist(), abs=1e-5)


def test_nothing_to_tell_apart(view):
    assert not lend(view, "unheard", [[1.0]] * 4).shares.any()
    assert lend(view, "unheard", [[1.0]] * 4).parts(1, 1.0, "") == []
    alike = Likelihood(view, [0], np.ones((1, 3)), np.full((1, 3), -2.0))
    assert alike.shares.tolist() == [0, 0, 0]
    assert alike.parts(0, 1.0, "") == []


def test_a_word_that_nothing_makes_likely_is_not_impossible(view):
    found = lend(view, "green", [[0.0]] * 4, lent=1.0)
    assert np.isfinite(found.totals).all()
