"""Parts that several rankers share: bound once, asked once, and the answers are those of rankers bound alone."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.experiment import shared
from aboutness.experiment.shared import SharedParts, remembering
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from aboutness.rank.searching import Batch
from experiment.drawn import DRAWN, RECORDS
from experiment.small import documents, with_all

QUESTIONS = [*(Question(query.text) for query in DRAWN.queries), Question("nobody knows"), Question("")]


@pytest.fixture(scope="module")
def index():
    return Index.build(RECORDS)


@pytest.fixture(scope="module")
def small():
    return with_all(Index.build(documents()))


@pytest.fixture
def asked(monkeypatch):
    """Return a list of what was bound, and of what BM25 was asked."""
    calls = []
    real_bind, real_scorer = shared.bind, BM25.scorer

    def counted_bind(one, *rest):
        calls.append(f"bind {one}")
        return real_bind(one, *rest)

    def counted_scorer(self, view):
        scorer = real_scorer(self, view)
        scores, top_many = scorer.scores, scorer.top_many
        scorer.scores = lambda *given: calls.append(f"scores {self}") or scores(*given)
        scorer.top_many = lambda questions, *given, **named: (
            calls.extend([f"top {self}"] * len(questions)) or top_many(questions, *given, **named)
        )
        return scorer

    monkeypatch.setattr(shared, "bind", counted_bind)
    monkeypatch.setattr(BM25, "scorer", counted_scorer)
    return calls


def same(one, other):
    return len(one) == len(other) and all(
        np.array_equal(a.documents, b.documents) and np.array_equal(a.scores, b.scores)
        for a, b in zip(one, other, strict=True)
    )


def answers(index, rankers, named=({},)):
    """Return the rankings of each ranker in turn, with parts shared and without."""
    parts = SharedParts(index.snapshot)
    parts.expect(rankers)
    for one in rankers:
        searcher, alone = parts.bind(one), bind(one, index.snapshot)
        for options in named:
            yield searcher.top_many(QUESTIONS, 9, **options), alone.top_many(QUESTIONS, 9, **options)


TEXTS = {
    "weights": [f"bm25 + {weight}*ql" for weight in (0, 0.5, 20)],
    "nested": [f"(bm25 + ql) % 20 >> tfidf + {weight}*bm25" for weight in (1, 2)],
    "the second": [f"bm25 % 9 >> ql[mu={mu}]" for mu in (1, 50, 1000)],
    "the first": ["bm25 % 9 >> ql", "bm25 % 3 >> ql", "tfidf % 3 >> ql"],
    "cut parts": ["bm25 % 3 + ql", "bm25 % 3 + 2*ql", "bm25 % 4 + ql"],
    "fusion": ["rrf(bm25, ql)", "rrf[k=1](bm25, ql)", "rrf(bm25, 2*ql)", "rrf(bm25, ql[mu=1])"],
    "mixed twice": [f"tfidf + {weight}*(bm25 + 3*ql)" for weight in (1, 2, 3)],
    "normalised": ["minmax(bm25) + ql", "minmax(bm25) + 2*ql", "minmax(bm25 % 3) + ql", "ql + 3*minmax(bm25 % 3)"],
    "a re-ranking": [f"ql + {weight}*(bm25 % 5 >> tfidf)" for weight in (1, 2)],
    "nothing": ["bm25", "ql", "tfidf"],
    "itself": ["bm25", "bm25 + ql", "bm25"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_rankings_are_those_of_rankers_bound_alone(index, name):
    named = [{}, {"match": "and"}, {"match": "all", "threads": 2}, {"allowed": np.arange(0, 40, 3)}, {}]
    found = list(answers(index, [ranker(text) for text in TEXTS[name]], named))
    assert len(found) == len(TEXTS[name]) * len(named)
    for with_shared, alone in found:
        assert same(with_shared, alone)


def test_every_ranker_can_be_a_part(small):
    questions = [Question(text) for text in ("cities of Mexico", "old songs", "what is it about", "", "old songs")]
    for name in known_rankers():
        rankers = [ranker(f"{name} + {weight}*bm25") for weight in (1, 3)]
        parts = SharedParts(small.snapshot)
        parts.expect(rankers)
        for one in rankers:
            wanted = bind(one, small.snapshot).top_many(questions, 5)
            assert same(parts.bind(one).top_many(questions, 5), wanted), one


def test_a_part_that_the_next_one_has_is_bound_and_asked_once(index, asked):
    rankers = [ranker(f"bm25 + {weight}*ql") for weight in (1, 2, 3)]
    list(answers(index, rankers))
    assert asked.count("bind bm25") == asked.count("bind ql") == 1
    assert asked.count("scores bm25") == len(DRAWN.queries) * (1 + 3)  # the other questions mean nothing


def test_the_first_rankings_are_made_once(index, asked):
    list(answers(index, [ranker(f"bm25 % 9 >> ql[mu={mu}]") for mu in (1, 2, 3)]))
    assert asked.count("bind bm25 % 9") == 1
    assert asked.count("top bm25") == len(QUESTIONS) * (1 + 3)
    asked.clear()
    list(answers(index, [ranker(f"ql + {weight}*(bm25 % 9 >> tfidf)") for weight in (1, 2, 3)]))
    assert asked.count("top bm25") == len(QUESTIONS) * (1 + 3)


def test_what_pipelines_stand_for_is_shared(small, asked):
    list(answers(small, [ranker(f"bm25-desm[alpha={alpha}]") for alpha in (0.1, 0.2, 0.3)]))
    assert [call for call in asked if call.startswith("bind bm25[")] == ["bind bm25[k1=1.7,b=0.95]"]


def test_a_part_that_the_next_one_does_not_have_is_forgotten(index, asked):
    texts = ["bm25 + ql", "bm25 + tfidf", "bm25[b=0] + tfidf", "bm25 + ql"]
    parts = SharedParts(index.snapshot)
    parts.expect([ranker(text) for text in texts])
    for text in texts:
        parts.bind(ranker(text))
    assert asked.count("bind bm25") == 2
    assert asked.count("bind tfidf") == 1
    assert set(map(str, parts._kept)) == {"bm25", "ql"}


def test_no_more_is_remembered_than_there_is_room_for(index, asked, monkeypatch):
    monkeypatch.setattr(shared, "MOST_REMEMBERED", 0)
    for with_shared, alone in answers(index, [ranker(text) for text in TEXTS["weights"] + TEXTS["the second"]]):
        assert same(with_shared, alone)
    assert asked.count("scores bm25") == 2 * 3 * len(DRAWN.queries)
    assert asked.count("top bm25") == 2 * 3 * len(QUESTIONS)


def test_answers_can_be_changed_by_who_asked(index):
    scorer = bind(ranker("bm25"), index.snapshot)
    kept = remembering(scorer)
    documents = np.arange(40)
    wanted = scorer.scores(QUESTIONS[0], documents)
    for _ in range(3):
        found = kept.scores(QUESTIONS[0], documents)
        assert np.array_equal(found, wanted)
        found[:] = -1
        documents = documents.copy()


def test_other_documents_are_asked_for_anew(index):
    scorer = bind(ranker("bm25"), index.snapshot)
    kept = remembering(scorer)
    for some in (np.arange(40), np.arange(7), np.arange(3, 10), np.arange(40)):
        assert np.array_equal(kept.scores(QUESTIONS[0], some), scorer.scores(QUESTIONS[0], some))


def test_questions_by_terms_are_asked_each_time(index):
    scorer = bind(ranker("bm25"), index.snapshot)
    kept = remembering(scorer)
    for weight in (1.0, 2.0):
        question = Question(terms={"citi": weight, "river": 1.0})
        assert same(kept.top_many([question], 5), scorer.top_many([question], 5))
        assert np.array_equal(kept.scores(question, np.arange(40)), scorer.scores(question, np.arange(40)))
        assert (kept.knows(question), kept.floor(question)) == (scorer.knows(question), scorer.floor(question))


def test_the_one_that_is_remembered_stays_as_it_was(index):
    scorer = bind(ranker("bm25"), index.snapshot)
    before = dict(vars(scorer))
    assert type(remembering(scorer)) is type(scorer)
    assert vars(scorer) == before


def test_what_a_part_found_says_what_other_documents_count(index):
    searcher = bind(ranker("bm25 % 3"), index.snapshot)
    kept = remembering(searcher)
    batch = Batch(QUESTIONS[:2], "or", None)
    for _ in range(2):
        for place in range(2):
            wanted, found = (one.finder(batch)(batch.asked(place)) for one in (searcher, kept))
            assert np.array_equal(found.documents, wanted.documents)
            assert found.floor() == wanted.floor()
            for some in (wanted.documents, wanted.documents + 1, np.arange(40), np.arange(3)):
                assert np.array_equal(found.scores(some), wanted.scores(some))
