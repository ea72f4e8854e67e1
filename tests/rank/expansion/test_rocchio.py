from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.dense import DenseScorer
from aboutness.models.question import Moved, Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.grammar import ranker
from models.drawing import SEEDS, UNKNOWN, WORDS, folded_in, made, ready, texts
from models.embeddings import in_vectors, with_vectors
from models.scoring import of_texts
from rank.expansion.naive import Documents, assert_words, expanded, first, found, words

ASKED = texts([*WORDS, *UNKNOWN])
FIRST = st.sampled_from(["ql", "bm25 % 3", "wcs", "bm25 + 3*tfidf"])
SHARES = st.sampled_from([(1.0, 0.75, 0.0, 0), (0.5, 1.0, 0.4, 2), (1.0, 0.0, 0.0, 3), (0.0, 2.0, 5.0, 1)])
ON_VECTORS = [
    "wcs",
    "iwcs",
    "iwcs[query=idf]",
    "desm-in-out",
    "desm-in-in[similarity=dot,pivot=0.5]",
    "ketos",
    "lsa",
    "lsa[terms=raw,scaling=0]",
    "doc2vec",
    "deepwalk",
    "ketos-doc2vec",
    "doc2vec-weighted",
    "deepwalk-weighted[shift=1.6]",
]


def moves(ranking, docs, beta, gamma, bottom):
    """What each document counts: the first, and the last that are not among these."""
    numbers = [number for number, _ in ranking]
    top, rest = numbers[:docs], numbers[docs:]
    last = rest[-bottom:] if gamma and bottom else []
    return {n: beta / len(top) for n in top} | {n: -gamma / len(last) for n in last}


@settings(max_examples=50)
@given(SEEDS, ASKED, FIRST, st.integers(1, 4), st.integers(0, 4), SHARES)
def test_against_the_formula_in_words(seed, text, before, docs, count, shares):
    index, own, (alpha, beta, gamma, bottom) = made(seed), words(text), shares
    documents = Documents(index)
    options = f"docs={docs},terms={count},alpha={alpha},beta={beta},gamma={gamma},bottom={bottom}"
    got = expanded(index, f"rocchio[{options}]({before}, tfidf)", text)
    ranking = found(index, before, text, 1000)
    if not ranking:
        assert got.terms is None
        assert got.moved is None
        return

    def vector(counts):
        weights = {word: count * documents.idf(word) for word, count in counts.items() if documents.df[word]}
        return weights, math.sqrt(sum(weight**2 for weight in weights.values()))

    asked, length = vector(own)
    total = {word: alpha * weight / length for word, weight in asked.items()}
    for number, share in moves(ranking, docs, beta, gamma, bottom).items():
        there, size = vector(documents.tf(number))
        for word, weight in there.items():
            total[word] = total.get(word, 0.0) + share * weight / size
    new = first({word: weight for word, weight in total.items() if word not in own}, count, got.terms or {})
    wanted = {word: max(0.0, total[word]) * length / documents.idf(word) for word in {**asked, **new}}
    wanted |= {word: alpha * weight for word, weight in own.items() if word not in asked}
    assert_words(got, wanted)


def unit(vector):
    length = np.linalg.norm(vector)
    return vector / length if length else vector


@pytest.mark.parametrize("model", ON_VECTORS)
@settings(max_examples=10)
@given(st.integers(0, 3), ASKED, st.integers(1, 4), SHARES)
def test_against_the_formula_in_vectors(model, seed, text, docs, shares):
    index, (alpha, beta, gamma, bottom) = made(seed, ready), shares
    options = f"docs={docs},alpha={alpha},beta={beta},gamma={gamma},bottom={bottom}"
    scorer = bind(ranker(model), index.snapshot)
    assert isinstance(scorer, DenseScorer)
    question, everybody = Question(text), index.snapshot.live_numbers()
    got = bind(ranker(f"rocchio[{options}]({model})"), index.snapshot).scores(question, everybody)
    own, rows = scorer.vector(question), scorer.rows.rows.astype(float)
    ranking = found(index, model, text, 1000)
    if own is None or not ranking:
        assert got.tolist() == scorer.scores(question, everybody).tolist()
        return
    total = alpha * unit(own)
    for number, share in moves(ranking, docs, beta, gamma, bottom).items():
        total = total + share * unit(rows[number])
    stays = own if alpha else rows[0] * 0
    moved = (
        unit(total) * (np.linalg.norm(own) if alpha else min(1, scorer.longest))
        if np.linalg.norm(total) > 1e-6
        else stays
    )
    known = [rows[n].any() and moved.any() for n in everybody.tolist()]
    wanted = [rows[n] @ moved if there else scorer.lowest for n, there in zip(everybody, known, strict=True)]
    assert got.tolist() == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    assert (got >= scorer.floor(question) - 1e-6).all()


def test_the_vector_moves_to_the_mean_of_the_first():
    vectors = in_vectors(sun=(1, 0), sea=(0, 1), moon=(0, 1), rain=(1, 3))
    snapshot = with_vectors(of_texts("sun sea", "sea moon", "sun", "rain").snapshot, words=vectors)
    scorer = bind(ranker("wcs"), snapshot)
    asked = Question("sun", moved=Moved(Question("sun"), 0.0, {1: 2.0}))
    assert scorer.vector(asked).tolist() == [0, 1]
    assert scorer.vector(Question(moved=Moved(Question("sun"), 1.0, {0: 0.0}))).tolist() == [1, 0]
    for word, number in (("sun", 2), ("rain", 3)):  # nothing is left, or what rounding leaves
        away = Question(moved=Moved(Question(word), 1.0, {number: -1.0}))
        assert scorer.vector(away).tolist() == scorer.vector(Question(word)).tolist()
    assert scorer.vector(Question(moved=Moved(Question("comet"), 1.0, {2: 1.0}))) is None
    assert scorer.vector(Question(moved=Moved(Question("comet"), 0.0, {2: 1.0}))).tolist() == [1, 0]
    assert scorer.vector(Question(moved=Moved(Question("comet"), 0.0, {2: 1.0, 0: 0.0}))).tolist() == [1, 0]
    assert scorer.vector(Question(moved=Moved(Question("sun"), 0.0, {2: 0.0}))) is None
    twice = Question(moved=Moved(asked, 1.0, {2: 1.0}))
    assert scorer.vector(twice) == pytest.approx([math.sqrt(0.5)] * 2)


def test_no_score_is_below_the_lowest_where_vectors_are_short():
    vectors = in_vectors(sun=(0.1, 0), sea=(-0.2, 0.1))
    snapshot = with_vectors(of_texts("sun", "sea", "nothing").snapshot, words=vectors)
    scorer = bind(ranker("desm-in-in[similarity=dot]"), snapshot)
    asked = Question(moved=Moved(Question("sun"), 0.0, {0: 1.0}))
    scores = scorer.scores(asked, np.arange(3))
    assert np.linalg.norm(scorer.vector(asked)) == pytest.approx(math.hypot(0.2, 0.1))
    assert scores[2] == scorer.lowest
    assert scores[1] > scores[2]


def test_without_feedback_the_question_is_as_it_was():
    index = made(7)
    for text in ("aa", "bb cc bb", "dd aa zz"):
        got = expanded(index, "rocchio[beta=0](bm25)", text)
        assert got.terms == words(text)


def test_a_mixture_of_words_and_vectors_is_moved_in_both():
    index, question = made(7, ready), Question("aa cc")
    everybody = index.snapshot.live_numbers()
    mixture = bind(ranker("rocchio(ql, bm25 + 2*wcs)"), index.snapshot).scores(question, everybody)
    by_words, by_vectors = (
        bind(ranker(f"rocchio(ql, {one})"), index.snapshot).scores(question, everybody) for one in ("bm25", "wcs")
    )
    assert mixture.tolist() == pytest.approx((by_words + 2 * by_vectors).tolist(), rel=1e-5)
    plain = bind(ranker("bm25 + 2*wcs"), index.snapshot).scores(question, everybody)
    assert mixture.tolist() != plain.tolist()


@pytest.mark.parametrize("model", ON_VECTORS)
def test_the_explanation_is_that_of_the_moved_vector(model):
    index, question = made(7, ready), Question("aa cc")
    searcher = bind(ranker(f"rocchio(ql, {model})"), index.snapshot)
    (ranking,) = searcher.top_many([question], 20)
    for document, score in zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True):
        why = explain(searcher, question, document)
        assert why.score == score
        assert not why.parts or why.total == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("model", ["doc2vec", "lsa", "wcs"])
def test_documents_that_came_later_are_moved_to_as_well(model):
    index, question = made(7, folded_in), Question("aa cc")
    moved = bind(ranker(f"rocchio({model})"), index.snapshot).top_many([question])[0]
    plain = bind(ranker(model), index.snapshot).top_many([question])[0]
    assert len(plain)
    assert moved.scores.tolist() != plain.scores.tolist()
