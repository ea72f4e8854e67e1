"""Approximate search: exact scores, exact in what it reads, and a recall that is what it says."""

from __future__ import annotations

import random
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.models import approximate, lists
from aboutness.models.approximate import DEPTHS, ApproximateScorer, Recall, drawn_questions, measured, told
from aboutness.models.dense import DenseScorer
from aboutness.models.dense_rows import DenseRows
from aboutness.models.lists import Lists, lists_for
from aboutness.models.model import Scorer
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation

DIM = 70  # more than one slab
F32 = np.float32
EVERY = 10**6  # lists


class Drawn(DenseScorer):
    """Words have vectors that are drawn, those with an x have none, and a question's is the sum of its words'."""

    def vector(self, question):
        words = list(question.terms) if question.terms is not None else question.text.split()
        vectors = [vector_of(word) for word in words if "x" not in word]
        return np.sum(vectors, axis=0) if vectors else None

    def explain(self, *_):
        return Explanation(7.0, ())


@cache
def vector_of(word):
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIM)


@cache
def index():
    """Documents in two segments, some of them dead."""
    chance = random.Random(3)
    words, weights = [f"w{n}" for n in range(400)], [1 / (n + 1) for n in range(400)]
    texts = [" ".join(chance.choices(words, weights, k=chance.randrange(12))) for _ in range(5000)]
    found = [{"id": f"d{number}", "text": text} for number, text in enumerate(texts)]
    made = Index.build(found[:3500], analyzer="plain")
    made.add(found[3500:])
    made.delete([f"d{number}" for number in range(0, 5000, 60)])
    return made


@cache
def scorer():
    """Each document is the sum of its words; those of one word or two have no row."""
    view = index().view()
    rows = np.zeros((view.size, DIM), F32)
    for number in range(view.size):
        terms, _ = view.forward(number)
        if len(terms) > 2:
            row = np.sum([vector_of(view.term(term)) for term in terms.tolist()], axis=0)
            rows[number] = row / np.linalg.norm(row)
    return Drawn(view, DenseRows(rows), -1.0)


@cache
def made():
    return Lists.of(scorer().rows)


def approximated(*probes):
    return ApproximateScorer(scorer(), made(), probes * 3 if len(probes) == 1 else probes)


QUESTIONS = [Question(text) for text in ("w0", "w1 w20", "w399 w7", "x1", "", "w3 x2 w60", "w12 w13 w14")]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.documents, other.documents)
        np.testing.assert_array_equal(one.scores.view(np.uint32), other.scores.view(np.uint32))
        assert (one.documents.dtype, one.scores.dtype) == (np.int64, np.float32)


def test_each_document_with_a_row_is_in_the_two_nearest_lists():
    here, rows = made(), scorer().rows
    assert here.documents == np.count_nonzero(rows.present)
    assert len(here) == 2 * int(here.documents**0.5)
    assert sorted(here.numbers.tolist()) == np.repeat(np.flatnonzero(rows.present), 2).tolist()
    assert (here.homes[~rows.present] == -1).all()
    starts = [0, *here.ends[:-1].tolist()]
    for number, (start, end) in enumerate(zip(starts, here.ends.tolist(), strict=True)):
        inside = here.numbers[start:end]
        assert (np.diff(inside) > 0).all()
        assert (here.homes[inside] == number).any(axis=1).all()
        nearest = np.argsort(-(rows.rows[inside] @ here.centres.T), axis=1)[:, :2]
        assert (nearest == number).any(axis=1).all()


@pytest.mark.parametrize("match", ["or", "and", "all"])
@pytest.mark.parametrize("k", [1, 10, 300, 1000, 5000])
@pytest.mark.parametrize("share", [None, 0, 0.01, 0.6])
def test_all_lists_are_an_exact_search(match, k, share):
    here = approximated(EVERY)
    allowed = None if share is None else np.random.default_rng(1).random(here.view.size) < share
    expected = Scorer.top_many(scorer(), QUESTIONS, k, match=match, allowed=allowed)
    assert_same(here.top_many(QUESTIONS * 2, k, match=match, allowed=allowed, threads=1), expected * 2)
    assert_same([here.top(one, k, match=match, allowed=allowed) for one in QUESTIONS], expected)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40), st.integers(1, 1200), st.sampled_from(["or", "and", "all"]), st.booleans(),
    st.lists(st.integers(0, 399), min_size=1, max_size=4),
)  # fmt: skip
def test_some_lists(probes, k, match, some, words):
    """What is found is allowed, in order, with exact scores, as many as are wanted; batches change nothing."""
    here, question = approximated(probes), Question(" ".join(f"w{word}" for word in words))
    allowed = np.random.default_rng(k).random(here.view.size) < 0.7 if some else None
    found = here.top(question, k, match=match, allowed=allowed)
    every = Scorer.top_many(scorer(), [question], 10**9, match=match, allowed=allowed)[0]
    assert len(found) == min(k, len(every))
    assert len(set(found.documents.tolist())) == len(found)
    scores = dict(zip(every.documents.tolist(), every.scores.tolist(), strict=True))
    assert [scores[number] for number in found.documents.tolist()] == found.scores.tolist()
    order = np.lexsort((found.documents, -found.scores))
    assert order.tolist() == list(range(len(found)))
    assert_same(here.top_many([question] * 9, k, match=match, allowed=allowed, threads=2), [found] * 9)


def test_of_what_is_read_nothing_is_missed():
    here, vector = made(), scorer().vector(QUESTIONS[1])
    read = here.nearest(vector)[:6]  # one more than is asked for, as some documents are dead
    inside = np.isin(np.arange(scorer().view.size), np.flatnonzero(np.isin(here.homes, read).any(axis=1)))
    expected = Scorer.top_many(scorer(), [QUESTIONS[1]], 10, match="all", allowed=inside)
    assert_same([approximated(5).top(QUESTIONS[1], 10, match="all")], expected)
    assert approximated(5).top(QUESTIONS[1], 10, match="all").documents.tolist()


def test_fewer_lists_are_read(monkeypatch):
    """By default only the lists that were asked for, more of them where few documents are allowed."""
    read = []
    candidates = lists.Codes.candidates

    def counting(self, vector, k, allowed, pieces=None, *more):
        read.append(len(pieces[0]))
        return candidates(self, vector, k, allowed, pieces, *more)

    monkeypatch.setattr(lists.Codes, "candidates", counting)
    half = np.arange(index().view().size) % 2 == 0
    approximated(2, 4, 8).top(QUESTIONS[0], 10, match="all")
    approximated(2, 4, 8).top(QUESTIONS[0], 11, match="all")
    approximated(2, 4, 8).top(QUESTIONS[0], 10, match="all", allowed=half)
    assert read[:2] == [3, 5]  # as some documents are dead
    assert 4 <= read[2] <= 6
    read.clear()
    approximated(1).top(QUESTIONS[0], 500, match="all")
    assert read[0] == 2
    assert len(read) > 1
    assert read == [2 ** (step + 1) for step in range(len(read))]


def test_more_than_was_measured_is_exact(monkeypatch):
    monkeypatch.setattr(Lists, "candidates", None)
    expected = Scorer.top_many(scorer(), QUESTIONS, 1001, match="all")
    assert_same(approximated(1).top_many(QUESTIONS, 1001, match="all"), expected)


def test_scores_and_reasons_are_those_of_the_ranker():
    here, documents = approximated(1), np.arange(0, 900, 7)
    for question in QUESTIONS:
        expected = scorer().scores(question, documents)
        np.testing.assert_array_equal(here.scores(question, documents), expected)
        assert here.knows(question) == scorer().knows(question)
        assert here.floor(question) == scorer().floor(question)
    assert here.explain(QUESTIONS[0], 3).score == 7.0
    assert here.longest == scorer().longest
    assert here.held == made().held >= 2 * DIM * made().documents


# --- recall -----------------------------------------------------------------------------------------------------


def drawn(count):
    return drawn_questions(scorer(), np.flatnonzero(scorer().view.alive & scorer().rows.present), count)


def test_recall_is_what_a_search_finds():
    recall = measured(scorer(), made())
    questions = drawn(approximate.QUESTIONS)
    assert recall.questions == len(questions) == 200
    alive = scorer().view.alive
    share = alive[made().numbers].sum() / len(made().numbers)
    for depth, probes in ((10, 3), (10, 20), (100, 9)):
        here = approximated(max(1, int(probes * share)))  # then so many are read
        found = here.top_many(questions, depth, match="all")
        exact = Scorer.top_many(scorer(), questions, depth, match="all")
        both = [
            len(set(one.documents.tolist()) & set(other.documents.tolist())) / len(other)
            for one, other in zip(found, exact, strict=True)
        ]
        value, error = recall.at(depth, probes)
        assert np.mean(both) == pytest.approx(value, abs=0.005)
        assert np.std(both) / 200**0.5 == pytest.approx(error, abs=0.001)
    assert recall.at(10, 3) < recall.at(10, 20) < (1, 0)
    assert recall.at(1000, EVERY) == (1, 0)


def test_a_filter_takes_little_from_recall():
    recall = measured(scorer(), made())
    questions, probes = drawn(200), 6
    allowed = np.random.default_rng(5).random(scorer().view.size) < 0.7
    found, exact = (
        one.top_many(questions, 10, match="all", allowed=allowed) for one in (approximated(probes), scorer())
    )
    both = [
        len(set(one.documents.tolist()) & set(other.documents.tolist())) / 10
        for one, other in zip(found, exact, strict=True)
    ]
    assert recall.at(10, probes)[0] - 0.03 < np.mean(both) < 1


def test_the_lists_that_a_recall_asks_for():
    values = np.array([[0.5, 0.75, 0.9625, 1], [0.25, 0.5, 0.75, 1], [0.125, 0.25, 0.3, 0.5]], F32)
    recall = Recall(values, (1 - values) / 8, 200)
    assert [recall.probes(0.7, depth) for depth in DEPTHS] == [2, 3, 4]
    assert [recall.probes(wanted, 10) for wanted in (0.1, 0.5, 0.95, 0.96, 1)] == [1, 2, 3, 4, 4]
    assert recall.at(100, 2) == (0.5, 0.0625)
    assert recall.at(100, 99) == (1, 0)
    assert told(recall, (3, 4, 4), 4) == (
        "recall@10 .962 ± .005, recall@100 1 ± .000, recall@1000 .500 ± .062 (measured on 200 sampled questions; "
        "3 and 4 of 4 lists are read)"
    )


def test_drawn_questions_are_words_of_documents_and_always_the_same():
    one, other = drawn(50), drawn(50)
    assert one == other
    assert len(set(map(str, one))) > 40
    assert all(1 <= len(question.terms) <= 4 for question in one)
    assert {len(question.terms) for question in one} == {1, 2, 3, 4}
    assert all(scorer().vector(question) is not None for question in one)


# --- where lists are not made -----------------------------------------------------------------------------------


def test_few_documents_have_no_lists(monkeypatch):
    rows = DenseRows(scorer().rows.rows)
    assert lists_for(scorer().view, rows) is None
    monkeypatch.setattr(lists, "LEAST", 100)
    assert lists_for(scorer().view, rows) is None  # it is known already
    rows = DenseRows(scorer().rows.rows)
    found = lists_for(scorer().view, rows)
    assert found is not None
    assert lists_for(scorer().view, rows) is found
    assert len(found.lists) == len(made())


@pytest.mark.parametrize("factor", [1e-37, 1e30])
def test_rows_that_are_too_long_or_short_have_none(factor, monkeypatch):
    monkeypatch.setattr(lists, "LEAST", 100)
    assert lists_for(scorer().view, DenseRows(scorer().rows.rows * F32(factor))) is None
