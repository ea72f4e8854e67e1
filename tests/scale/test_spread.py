"""Rankers over shards give what they give over the whole index: documents, scores to the bit, and explanations."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.known import MODELS
from aboutness.models.model import MATCHES
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import needing
from aboutness.rank.known import known_rankers
from aboutness.scale.engine import Here
from aboutness.scale.spread import Spread
from models.drawing import asked as asked_of
from models.drawing import documents_of, drafts, every, large, large_questions, made, models, named, ready

SHARDS = (1, 2, 3, 7)
QUESTIONS = [
    Question("aa bb"),
    Question("cc"),
    Question("aa zz ff ff über"),
    Question(terms={"bb": 2.0, "ee": 0.5, "zz": 1.0}),
    Question(fields={"title": "dd aa", "see also": "ee"}),
    Question(""),
    Question("zz"),
    Question("über"),
]
EXPRESSIONS = [
    "bm25 + 30*desm-in-out", "0.5*ql", "(bm25 + ql) % 3", "bm25 % 4 >> wmd", "bm25 % 5 >> (ql + 2*iwcs)",
    "bm25 % 3 + lsa % 3", "minmax(bm25) + 0.3*minmax(ql % 4)", "best(ql)", "zscore(wcs)", "softmax(bm25 % 5)",
    "rank(tfidf)", "rrf(bm25, 0.5*ql, wcs % 3)", "combsum[norm=none](bm25, ql)", "combmnz(bm25 % 3, iwcs)",
    "rm3(bm25)", "rm3(ql % 4, bm25)", "rocchio(bm25)", "rocchio(lsa)", "rocchio[gamma=0.5,bottom=2](bm25, wcs)",
    "nearest(bm25)", "eqe1(ql)", "eqe2(bm25)", "feedback(bm25, lsa)", "feedback[docs=2,more=1](best(bm25 % 4), iwcs)",
    "feedback[short=0](bm25 % 6, lsa) % 3", "bm25-desm", "iwcs-wmd", "bm25-desm + ql", "default",
    "default-vectors", "approximate(iwcs)", "approximate(lsa) % 3",
    "rm3(bm25 + ql)", "bm25 % 6 >> minmax(ql) % 3 >> wmd", "pv-lm % 4 + lda-lm % 2",
    "wcs[unknown=matched]", "wmd[unknown=matched]", "bm25 % 6 >> lsa[unknown=matched]", "ql + iwcs[unknown=matched]",
]  # fmt: skip


@cache
def many_segments(seed: int):
    """An index of up to nine segments: equal documents in several, some documents dead, one segment wholly."""
    chance = random.Random(seed)
    bodies = [document.fields for part in (seed, seed + 1, seed + 2) for document in documents_of(part)]
    documents = named(bodies + bodies[:3])
    bounds = sorted({0, len(documents), *(chance.randint(0, len(documents)) for _ in range(8))})
    parts = [documents[a:b] for a, b in pairwise(bounds)]
    dead = {one.id for one in chance.choice(parts)} | {one.id for one in documents if chance.random() < 0.2}
    return ready(*parts, dead=sorted(dead - {documents[-1].id, documents[0].id}))


@cache
def spread(index, shards):
    return Spread(index.snapshot, Here(), shards)


def assert_same(one, other):
    assert one.documents.tolist() == other.documents.tolist()
    assert one.scores.dtype == other.scores.dtype == np.float32
    assert one.scores.tobytes() == other.scores.tobytes()


def some_or_all(index, chance):
    """All documents, or some of them by a mask or by their numbers."""
    mask = np.array([chance.random() < 0.6 for _ in range(index.snapshot.size)], np.bool_)
    return [None, mask, np.flatnonzero(mask), np.zeros(0, np.int64)]


def assert_equal(ranker, index, questions, shards=SHARDS):
    """Compare all that can be asked of a ranker, over so many shards and embedded."""
    chance = random.Random(1)
    whole = bind(ranker, index.snapshot)
    over = [spread(index, count).bind(ranker) for count in shards]
    numbers = index.snapshot.live_numbers()
    for match in MATCHES:
        for allowed in some_or_all(index, chance):
            how = {"k": chance.choice([1, 3, 1000]), "match": match, "allowed": allowed, "threads": 1}
            expected = whole.top_many(questions, **how)
            for parts in over:
                for one, other in zip(parts.top_many(questions, **how), expected, strict=True):
                    assert_same(one, other)
    some = numbers[:: max(1, len(numbers) // 3)]
    for question in questions:
        said = (
            whole.knows(question),
            whole.floor(question),
            *(whole.scores(question, which).tobytes() for which in (numbers, some)),
        )
        why = [explain(whole, question, number) for number in some.tolist()]
        for parts in over:
            assert said == (
                parts.knows(question),
                parts.floor(question),
                *(parts.scores(question, which).tobytes() for which in (numbers, some)),
            )
            assert why == [explain(parts, question, number) for number in some.tolist()]


def with_documents(index):
    return [*QUESTIONS, *(Question(document=int(number)) for number in index.snapshot.live_numbers()[::4])]


def test_the_index_has_what_could_make_a_difference():
    index = many_segments(9)
    assert len(index.snapshot.segments) > max(SHARDS)
    assert [len(spread(index, count).shards) for count in SHARDS] == list(SHARDS)
    texts = [tuple(index.snapshot.document(number).fields.items()) for number in range(index.snapshot.size)]
    assert len(set(texts)) < len(texts)  # ties
    assert any(segment.live == 0 for segment in index.snapshot.segments)


@every()
def test_every_model_is_the_same_over_shards(name):
    index = many_segments(9)
    assert_equal(MODELS[name](), index, with_documents(index))


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_every_way_to_combine_models_is_the_same_over_shards(text):
    index = many_segments(9)
    assert_equal(named_ranker(text), index, with_documents(index))


def test_every_way_to_combine_models_is_tested():
    everything = {part.name for text in EXPRESSIONS for part in needing(named_ranker(text))}
    assert everything >= set(known_rankers(combinations=True)) - set(MODELS)


@every()
@settings(max_examples=max(5, 60 // len(MODELS)))
@given(data=st.data())
def test_models_with_any_parameters_are_the_same_over_shards(name, data):
    index = made(data.draw(st.integers(0, 19)), ready)
    model = data.draw(models(name))
    question = asked_of(data.draw(drafts(list(index))), index.snapshot)
    assert_equal(model, index, [question], [data.draw(st.sampled_from(SHARDS))])


@every(["pv-lm", "epv-d-lm", "epv-dr-lm", "epv-drj-lm", "lda-lm"])
def test_what_was_deleted_after_the_training_leaves_no_trace(name):
    parts = [named([one.fields for one in documents_of(seed)], f"{seed}-") for seed in (9, 10, 11)]
    model, all_trained = MODELS[name](), {"trained_on": lambda _: True}
    whole = ready(*parts, **all_trained).snapshot
    rows = bind(model, whole).space.rows  # what a document that is gone had is not the most that there is
    dead = [whole.document(int(number)).id for number in np.argsort(-(rows**2).sum(axis=1))[:5]]
    index = ready(*parts, dead=dead, **all_trained)
    assert index.snapshot.size == len(index) + len(dead)
    assert_equal(model, index, QUESTIONS)
    before = [bind(model, index.snapshot).floor(question) for question in QUESTIONS]
    index.merge()
    assert index.snapshot.size == len(index)
    assert [bind(model, index.snapshot).floor(question) for question in QUESTIONS] == before


@every(["bm25", "ql", "iwcs", "lsa", "wmd", "pv-lm"])
def test_models_find_the_same_among_thousands(name):
    index = large(make=ready)
    whole, parts = MODELS[name]().bind(index.snapshot), spread(index, 2).bind(MODELS[name]())
    questions = large_questions() if name != "wmd" else large_questions()[:4]
    for match in MATCHES:
        expected = whole.top_many(questions, 10, match=match)
        for one, other in zip(parts.top_many(questions, 10, match=match), expected, strict=True):
            assert_same(one, other)
