"""Bags of words against counting in plain Python; many texts at once as one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.index import view as view_module
from aboutness.models.bags import FEW, bags_of, matching, rows_of
from aboutness.models.question import Question
from models.drawing import FIELDS, LAYERS, SEEDS, UNKNOWN, WORDS, index_of, made, named, questions, texts
from models.scoring import WEIGHTS, of_texts

ALL_WORDS = [*WORDS, *UNKNOWN]
TEXTS = texts(ALL_WORDS, longest=8).map(Question)


def plain(view, bags):
    """Each bag as pairs of terms and weights, with whether it is whole."""
    rows = zip(bags.questions.tolist(), bags.terms.tolist(), bags.weights.tolist(), strict=True)
    found = [[] for _ in range(len(bags))]
    for question, term, weight in rows:
        found[question].append((view.term(term), weight))
    return list(zip(found, bags.whole.tolist(), strict=True))


def expected(view, pairs):
    df = dict(zip(view.terms(), view.df.tolist(), strict=True))
    sums = Counter()
    for term, weight in pairs:
        if weight:
            sums[term] += weight
    known = sorted((term for term in sums if df.get(term)), key=df.get)  # stable: as they appear
    return [(term, sums[term]) for term in known], len(known) == len(sums)


@settings(max_examples=60)
@given(data=st.data())
def test_a_bag_holds_each_known_term_once_the_rarest_first(data):
    layer, weights = data.draw(st.sampled_from(list(LAYERS))), data.draw(WEIGHTS)
    view = made(data.draw(SEEDS)).view(layer, weights)
    text = data.draw(texts(ALL_WORDS, longest=8))
    pairs = [(term, 1.0) for term in view.analyzer.terms(text)]
    assert plain(view, bags_of(view, [Question(text)])) == [expected(view, pairs)]
    terms = data.draw(st.dictionaries(st.sampled_from(ALL_WORDS), st.sampled_from([0.0, 0.5, 2.0])))
    assert plain(view, bags_of(view, [Question(terms=terms)])) == [expected(view, terms.items())]
    fields = data.draw(st.dictionaries(st.sampled_from(list(FIELDS)), texts(ALL_WORDS)))
    pairs = [
        (term, weights[name])
        for name in FIELDS
        if name in weights
        for term in view.analyzer.terms(fields.get(name, ""))
    ]
    assert plain(view, bags_of(view, [Question(fields=fields)])) == [expected(view, pairs)]


@settings(max_examples=40)
@given(data=st.data())
def test_the_bag_of_a_document_is_its_row_of_the_matrix(data):
    index = made(data.draw(SEEDS))
    view = index.view(fields=data.draw(WEIGHTS))
    number = data.draw(st.sampled_from(index.snapshot.live_numbers().tolist()))
    terms, counts = view.forward(number)
    row = [(view.term(int(t)), float(w)) for t, w in zip(terms, view.weigh(counts), strict=True)]
    assert plain(view, bags_of(view, [Question(document=number)])) == [expected(view, row)]


@settings(max_examples=60)
@given(data=st.data())
def test_many_questions_have_the_bags_that_each_has_alone(data):
    index = made(data.draw(SEEDS))
    view = index.view(data.draw(st.sampled_from(list(LAYERS))), data.draw(WEIGHTS))
    size = data.draw(st.sampled_from([0, 1, 2, FEW, FEW + 1, 3 * FEW]))
    drawn = TEXTS if data.draw(st.booleans()) else questions(index)
    some = data.draw(st.lists(drawn, min_size=size, max_size=size))
    bags = bags_of(view, some)
    assert len(bags) == size
    assert (bags.terms.dtype, bags.weights.dtype, bags.ends.dtype) == (np.int64, np.float64, np.int64)
    assert plain(view, bags) == [one for question in some for one in plain(view, bags_of(view, [question]))]


def test_a_term_of_dead_documents_is_unknown():
    index = index_of(named([{"text": "aa"}, {"text": "bb"}]), dead=["d0"])
    bags = bags_of(index.view(), [Question("aa bb"), Question("bb"), Question("aa")])
    assert plain(index.view(), bags) == [([("bb", 1.0)], False), ([("bb", 1.0)], True), ([], False)]
    many = bags_of(index.view(), [Question("aa bb")] * (FEW + 1))
    assert plain(index.view(), many) == [([("bb", 1.0)], False)] * (FEW + 1)


def test_a_dead_document_can_still_be_asked():
    index = index_of(named([{"text": "aa bb bb"}, {"text": "bb cc"}]), dead=["d0"])
    bags = bags_of(index.view(), [Question(document=0)])
    assert plain(index.view(), bags)[0][0] == [("bb", 2.0)]


@given(st.lists(st.integers(0, 4), max_size=8))
def test_rows_are_numbered_by_their_ends(sizes):
    expected = [row for row, size in enumerate(sizes) for _ in range(size)]
    assert rows_of(np.array(sizes, np.int64).cumsum()).tolist() == expected


def test_more_words_than_are_remembered_are_looked_up_all_the_same(monkeypatch):
    monkeypatch.setattr(view_module, "MOST_KNOWN", 3)
    index = index_of(named([{"text": "aa bb cc dd"}, {"text": "aa"}]))
    view = index.view()
    for text in ("aa bb", "cc dd zz", "aa bb cc dd zz yy", "aa aa", ""):
        pairs = [(term, 1.0) for term in view.analyzer.terms(text)]
        assert plain(view, bags_of(view, [Question(text)])) == [expected(view, pairs)]


@settings(max_examples=60)
@given(data=st.data())
def test_matching_documents_have_any_or_all_of_the_terms(data):
    index = made(data.draw(SEEDS))
    view = index.view(fields=data.draw(WEIGHTS))
    question = data.draw(questions(index))
    bags = bags_of(view, [question])
    wanted = set(bags.terms.tolist())
    for number in index.snapshot.live_numbers().tolist():
        terms, counts = view.forward(number)
        has = {int(term) for term, weight in zip(terms, view.weigh(counts), strict=True) if weight}
        assert matching(view, question, "or")[number] == bool(wanted & has)
        assert matching(view, question, "and")[number] == (bool(bags.whole[0] and wanted) and wanted <= has)
        assert matching(view, question, "all")[number]


@pytest.mark.parametrize(
    ("text", "any_of", "all_of"),
    [
        ("aa", [0, 1], [0, 1]),
        ("aa bb", [0, 1, 2], [0]),
        ("aa aa", [0, 1], [0, 1]),
        ("aa zz", [0, 1], []),
        ("zz", [], []),
        ("", [], []),
    ],
)
def test_a_few_matches_written_out(text, any_of, all_of):
    view = of_texts("aa bb", "aa", "bb cc", "").view()
    assert np.flatnonzero(matching(view, Question(text), "or")).tolist() == any_of
    assert np.flatnonzero(matching(view, Question(text), "and")).tolist() == all_of
