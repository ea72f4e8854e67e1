"""Feedback against a version written from its formula, with dictionaries."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness import BM25, LSA, QL, Feedback, Index, LSARanker
from aboutness.core.errors import UsageError
from aboutness.models.dense import DenseScorer
from aboutness.models.known import MODELS
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.feedback import LENT, LIKE, NEAR
from aboutness.rank.grammar import ranker
from models.drawing import made as drawn
from models.drawing import ready

WORDS = ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"]
some = settings(max_examples=30, deadline=None)
seeds, matches = st.integers(0, 5), st.sampled_from(["or", "and", "all"])


@cache
def made(seed: int) -> Index:
    chance = np.random.default_rng(seed)
    texts = [" ".join(chance.choice(WORDS, chance.integers(0, 9))) for _ in range(14)]
    texts += [texts[3], "zz"]  # equal documents, and one that has nothing in common with others
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(texts)], analyzer="plain")
    index.train(LSA(dim=3), threads=1)
    return index


def by_hand(index, how, question, match="or", allowed=None):
    """Return the score of each document that is found, by number."""
    first, second = (bind(one, index.snapshot) for one in how.rankers)
    (ranking,) = first.top_many([question], index.snapshot.size, match=match, allowed=allowed)
    if not len(ranking):
        return {}
    found = dict(zip(ranking.documents.tolist(), ranking.scores.astype(float).tolist(), strict=True))
    low, high = min(0.0, *found.values()), max(found.values())
    base = {d: (score - low) / (high - low) if high > low else 1.0 for d, score in found.items()}
    rows = second.rows.rows.astype(float)
    candidates = list(found)[: how.candidates]  # the best first
    known = [d for d in candidates if rows[d].any()][: how.docs]
    mean = unit(sum((math.exp(how.sharpness * base[d]) * unit(rows[d]) for d in known), np.zeros(rows.shape[1])))
    every = index.snapshot.live_numbers().tolist() if allowed is None else allowed.tolist()
    alike = sorted(((-float(mean @ rows[d]), d) for d in every), key=lambda pair: (round(pair[0], 6), pair[1]))
    others = [d for value, d in alike[: how.more] if -value >= max(how.alike * -alike[0][0], 1e-6)]
    candidates += [d for d in others if d not in candidates and match != "and"]
    base |= {d: 0.0 for d in candidates if d not in base}
    like = {d: max(0.0, float(mean @ rows[d])) for d in candidates}
    most = max(like.values()) or 1.0
    share = 1 / (1 + (how.short / second.view.statistics.average_length) ** 2)
    scores = dict(base)
    for d in candidates:
        others = sorted((o for o in candidates if o != d), key=lambda o: (-float(rows[o] @ rows[d]), o))
        near = [base[o] for o in others[: how.nearest]]
        scores[d] += share * (how.weight * like[d] / most + how.near * (sum(near) / len(near) if near else 0.0))
    likely = {d: likelihood(second.view, how, question, d, candidates, rows) for d in candidates}
    least, most = min(likely.values()), max(likely.values())
    for d in candidates if most > least else ():
        scores[d] += share * how.words * (likely[d] - least) / (most - least)
    return scores


def likelihood(view, how, question, document, candidates, rows):
    """Return the logarithm of the probability of a question in a document to which its nearest lend words."""
    order = sorted((o for o in candidates if o != document), key=lambda o: (-float(rows[o] @ rows[document]), o))
    near = [(o, max(0.0, float(rows[o] @ rows[document])) ** 4) for o in order[: how.kin]]
    whole, total = sum(weight for _, weight in near), 0.0
    for word in view.analyzer.terms(question.text):
        ((number, df),) = view.look_up([word])
        if not df:
            continue
        own = (count(view, word, document) + how.mu * view.cf[number] / view.total_length) / (
            view.lengths[document] + how.mu
        )
        lent = sum(weight * count(view, word, o) / view.lengths[o] for o, weight in near if view.lengths[o])
        total += math.log(max((1 - how.lent) * own + how.lent * (lent / whole if whole else 0.0), 1e-300))
    return total


def count(view, word, document):
    return [view.term(token) for field in view.stream(document) for token in field.tolist()].count(word)


def unit(row):
    length = np.linalg.norm(row)
    return row / length if length else row


@some
@given(seeds, st.lists(st.sampled_from([*WORDS, "zz", "unheard"]), min_size=1, max_size=4), matches, st.data())
def test_by_hand(seed, words, match, data):
    index = made(seed)
    how = Feedback.of(
        BM25() if data.draw(st.booleans()) else QL(mu=5.0),  # whose scores are below 0
        LSARanker(),
        docs=data.draw(st.integers(1, 5)),
        candidates=data.draw(st.sampled_from([1, 3, 6, 100])),
        nearest=data.draw(st.integers(1, 3)),
        short=data.draw(st.sampled_from([0.0, 12.0])),
        more=data.draw(st.sampled_from([0, 3, 100])),
        alike=data.draw(st.sampled_from([0.0, 0.8])),
        near=data.draw(st.sampled_from([0.0, 0.3])),
        words=data.draw(st.sampled_from([0.0, 0.7])),
        kin=data.draw(st.sampled_from([1, 2, 20])),
        lent=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
        mu=data.draw(st.sampled_from([1.0, 300.0])),
        weight=data.draw(st.sampled_from([0.0, 0.9])),
        sharpness=data.draw(st.sampled_from([0.0, 20.0])),
    )
    allowed = data.draw(st.sampled_from([None, np.arange(1, 12)]))
    question = Question(" ".join(words))
    bound = bind(how, index.snapshot)
    (ranking,) = bound.top_many([question], 100, match=match, allowed=allowed)
    expected = by_hand(index, how, question, match, allowed)
    found = dict(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))
    assert found == pytest.approx(expected, abs=2e-5)
    assert ranking.scores.tolist() == sorted(found.values(), reverse=True)
    for document, score in found.items():
        why = explain(bound, question, document, match, allowed)
        assert why.score == score
        assert why.total == pytest.approx(why.score, abs=1e-5)


def test_batches_and_threads_give_the_same():
    index = made(1)
    bound = bind(ranker("feedback(bm25, lsa)"), index.snapshot)
    questions = [Question(word) for word in WORDS] * 5
    alone = [bound.top_many([question], 5)[0] for question in questions]
    for threads in (1, 2):
        for one, other in zip(bound.top_many(questions, 5, threads=threads), alone, strict=True):
            np.testing.assert_array_equal(one.documents, other.documents)
            np.testing.assert_array_equal(one.scores, other.scores)


def test_every_model_that_compares_vectors_tells_what_is_alike():
    index = drawn(7, ready)
    told = []
    for name in MODELS:
        if isinstance(bind(ranker(name), index.snapshot), DenseScorer):
            searcher = bind(ranker(f"feedback[near=0,words=0,short=0](bm25, {name})"), index.snapshot)
            (ranking,) = searcher.top_many([Question("aa cc")], 1)
            why = explain(searcher, Question("aa cc"), int(ranking.documents[0]))
            told.append((name, LIKE in {part.by for part in why.parts}))
    assert len(told) > 10
    assert [name for name, alike in told if not alike] == []


def test_what_is_not_found_counts_nothing():
    index = made(2)
    bound = bind(ranker("feedback[more=0](bm25, lsa)"), index.snapshot)
    assert not len(bound.top_many([Question("unheard")], 5)[0])
    assert not bound.knows(Question("unheard"))
    assert bound.floor(Question("aa")) == 0
    (ranking,) = bound.top_many([Question("aa")], 100)
    left_out = np.setdiff1d(np.arange(index.snapshot.size), ranking.documents)
    assert len(left_out)
    assert not bound.scores(Question("aa"), left_out).any()
    np.testing.assert_array_equal(
        bound.scores(Question("aa"), np.sort(ranking.documents)), ranking.scores[np.argsort(ranking.documents)]
    )
    why = explain(bound, Question("aa"), int(left_out[0]))
    assert (why.score, why.total) == (0, 0)


def test_parts_are_told_apart():
    index = made(1)
    bound = bind(ranker("feedback[short=0](bm25, lsa)"), index.snapshot)
    (ranking,) = bound.top_many([Question("aa bb")], 1)
    why = explain(bound, Question("aa bb"), int(ranking.documents[0]))
    assert {part.by for part in why.parts} == {"bm25", LIKE, LENT, ""}
    assert {part.name for part in why.parts if part.by == LENT} == {"aa", "bb"}
    assert why.parts[-1].name == NEAR
    assert {part.name for part in why.parts if part.by == "bm25"} == {"aa", "bb"}
    of_words = [part for part in why.parts if part.by == LIKE]
    assert sum(part.value for part in of_words) == pytest.approx(0.9, abs=0.3)


def test_documents_behind_the_candidates_stay_behind():
    index = made(3)
    whole = bind(BM25(), index.snapshot).top_many([Question("aa bb cc")], 100)[0]
    bound = bind(ranker("feedback[candidates=4,more=0](bm25, lsa)"), index.snapshot)
    (ranking,) = bound.top_many([Question("aa bb cc")], 100)
    assert set(ranking.documents[:4].tolist()) == set(whole.documents[:4].tolist())
    assert ranking.documents[4:].tolist() == whole.documents[4:].tolist()


def test_in_an_expression():
    index = made(4)
    text = "feedback[docs=3](0.5*best(bm25) + minmax(ql) % 5, lsa) % 4 >> ql"
    assert str(ranker(text)) == text
    assert len(index.search("aa bb", ranker=text)) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("feedback(bm25, ql)", "must compare vectors, as lsa or iwcs does, got 'ql'"),
        ("feedback(bm25, lsa % 10)", "got 'lsa % 10'"),
        ("feedback(bm25)", "feedback is made of"),
        ("feedback[docs=0](bm25, lsa)", "docs must be a whole number"),
    ],
)
def test_wrong_uses(text, told):
    with pytest.raises(UsageError, match=told):
        bind(ranker(text), made(1).snapshot)
