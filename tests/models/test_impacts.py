"""Impacts are worked out once, list by list, and summed up as the search needs them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels.search import BLOCK
from aboutness.models import impacts as module
from aboutness.models.impacts import LEVELS, ImpactLists
from models.drawing import SEEDS, index_of, large, made, named
from models.scoring import WEIGHTS, of_texts


class Weighing:
    """A simple weighing that counts how often each term was asked for."""

    def __init__(self):
        self.asked = []
        self.most = 0

    def __call__(self, terms, documents, counts):
        self.asked += sorted(set(terms.tolist()))
        self.most = max(self.most, len(terms))
        return value(terms, documents, counts)


def value(term, document, count):
    return count / (1 + term) + document % 7


@settings(max_examples=40)
@given(data=st.data())
def test_every_posting_has_the_impact_of_its_term_document_and_count(data):
    view = made(data.draw(SEEDS)).view(fields=data.draw(WEIGHTS))
    for lists in view.lists:
        weigh = Weighing()
        ready = ImpactLists(lists, weigh)
        terms = np.arange(view.vocabulary_size)
        which = ready.find(data.draw(st.permutations(terms.tolist()).map(lambda some: np.array(some, np.int64))))
        assert sorted(which[which >= 0].tolist()) == list(range(len(lists.terms)))
        assert weigh.asked == lists.terms.tolist()
        for place, term in enumerate(lists.terms.tolist()):
            start, end = lists.starts[place], lists.ends[place]
            documents = lists.documents[start:end]
            counts = lists.counts(slice(start, end))
            expected = value(term, documents + lists.first, counts).astype(np.float32)
            expected[lists.dead[documents]] = 0
            assert ready.impacts[start:end].tolist() == expected.tolist()
            assert ready.most[place] == expected.max()
            for document, impact, count in zip(
                documents.tolist(), expected.tolist(), counts.tolist(), strict=True
            ):
                assert ready.impact(place, document) == (impact, count)
            for document in set(range(lists.size)) - set(documents.tolist()):
                assert ready.impact(place, document) == (0.0, 0.0)


def test_a_list_is_worked_out_only_once_and_only_when_asked_for():
    view = of_texts("aa bb", "bb cc").view()
    weigh = Weighing()
    ready = ImpactLists(view.lists[0], weigh)
    assert weigh.asked == []
    for terms in ([1], [1, 0], [0, 1], [], [-1], [0, -1, 99]):
        ready.find(np.array(terms, np.int64))
    assert weigh.asked == [1, 0]
    assert ready.impact(2, 1)[0] == pytest.approx(value(2, 1, 1))
    assert weigh.asked == [1, 0, 2]


def test_a_term_without_a_list_has_an_empty_one():
    ready = ImpactLists(of_texts("aa", "bb").view().lists[0], Weighing())
    which = ready.find(np.array([0, 7, -1], np.int64))
    assert which.tolist() == [0, -1, -1]
    assert (ready.ends - ready.starts)[which].tolist() == [1, 0, 0]
    assert ready.most[which].tolist()[1:] == [0, 0]
    assert (ready.reached[-1] == -1).all()
    assert ready.impact(-1, 0) == (0.0, 0.0)


def test_a_segment_without_words_has_no_lists():
    ready = ImpactLists(index_of(named([{"text": ""}])).view().lists[0], Weighing())
    assert ready.find(np.array([0, 3], np.int64)).tolist() == [-1, -1]


def test_the_memory_of_many_lists_is_bounded(monkeypatch):
    view = large().view()
    lists = view.lists[0]
    whole = ImpactLists(lists, Weighing())
    terms = lists.terms.astype(np.int64)
    whole.find(terms)
    monkeypatch.setattr(module, "AT_ONCE", 500)
    weigh = Weighing()
    bounded = ImpactLists(lists, weigh)
    bounded.find(terms)
    assert weigh.most <= 500 + int((lists.ends - lists.starts).max())
    assert weigh.asked == lists.terms.tolist()
    np.testing.assert_array_equal(bounded.impacts, whole.impacts)
    np.testing.assert_array_equal(bounded.most, whole.most)
    np.testing.assert_array_equal(bounded.reached, whole.reached)


def test_what_is_known_of_long_lists():
    view = large(True).view()
    lists = view.lists[0]
    ready = ImpactLists(lists, Weighing())
    ready.find(lists.terms.astype(np.int64))
    blocks = 0
    for place in range(len(lists.terms)):
        start, end = int(lists.starts[place]), int(lists.ends[place])
        descending = -np.sort(-ready.impacts[start:end])
        for level, count in enumerate(LEVELS):
            expected = descending[count - 1] if count <= len(descending) else -1
            assert ready.reached[place, level] == expected
        for block in range(-(-start // BLOCK), end // BLOCK):
            assert ready.block_most[block] == ready.impacts[block * BLOCK : (block + 1) * BLOCK].max()
            blocks += 1
    assert blocks > 100
    assert (ready.reached >= 0).any(axis=0).all()
