from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.app.keeping import prepare
from aboutness.core.errors import UsageError
from aboutness.core.record import Document
from aboutness.index.borrowed import borrowing
from aboutness.models.known import MODELS
from aboutness.models.model import MATCHES
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from models.drawing import (
    SEEDS,
    asked,
    documents_of,
    drafts,
    every,
    folded_in,
    index_of,
    lacking,
    made,
    models,
    ready,
    rows_for,
)

AVAILABLE = [name for name, model in MODELS.items() if not lacking(model)]
few = settings(max_examples=max(5, 60 // len(MODELS)))


def lending(seed):
    """An index in which no document was trained on: each has the row that its text gets, as passages have."""
    return made(seed, folded_in)


@cache
def borrowed(seed):
    """Some living documents of an index, in another order and in two segments, with its statistics."""
    lender, chance = lending(seed), random.Random(seed)
    living = list(lender)
    chosen = chance.sample(living, chance.randint(1, len(living)))
    passages = index_of(chosen[:2], chosen[2:])
    return passages, borrowing(passages.snapshot, lender.snapshot)


def exact(scorer, question, numbers):
    """The score of each document, to the bit, also where numbers do not ascend; None where nothing is known of it.

    What such a document has instead may depend on the other documents: it is below theirs.
    """
    order = np.argsort(numbers)
    scores = np.empty(len(numbers), np.float32)
    scores[order] = scorer.scores(question, np.asarray(numbers)[order])
    lowest = getattr(scorer, "lowest", None)
    return [None if score == lowest else score.tobytes() for score in scores]


@every()
@few
@given(data=st.data())
def test_documents_score_as_they_do_in_the_index_that_lends(name, data):
    seed = data.draw(SEEDS)
    lender, (_, passages) = lending(seed).snapshot, borrowed(seed)
    model, draft = data.draw(models(name)), data.draw(drafts(list(passages)))
    here, there = model.bind(passages), model.bind(lender)
    mine, its = asked(draft, passages), asked(draft, lender)
    ids = list(passages.ids())
    scores = exact(here, mine, passages.numbers(ids))
    assert scores == exact(there, its, lender.numbers(ids))
    assert here.knows(mine) == there.knows(its)
    by_id = dict(zip(ids, scores, strict=True))
    for match in MATCHES:
        found = here.top(mine, 100, match=match)
        among = there.top(its, 100, match=match, allowed=np.sort(lender.numbers(ids)))
        ranked = [by_id[identifier] for identifier in passages.ids_of(found.documents)]
        assert ranked == [by_id[identifier] for identifier in lender.ids_of(among.documents)]
        assert set(passages.ids_of(found.documents)) == set(lender.ids_of(among.documents))


@pytest.mark.parametrize("expression", ["bm25 % 3 >> ql", "bm25 + 2*ql", "2*tfidf + desm-in-out % 5"])
def test_rankers_of_several_models_borrow_too(expression):
    for seed in range(4):
        lender, (_, passages) = lending(seed).snapshot, borrowed(seed)
        ids = list(passages.ids())
        here, there = bind(ranker(expression), passages), bind(ranker(expression), lender)
        assert exact(here, Question("aa bb zz"), passages.numbers(ids)) == exact(
            there, Question("aa bb zz"), lender.numbers(ids)
        )


def test_explanations_use_the_statistics_of_the_index_that_lends():
    lender, (_, passages) = lending(3).snapshot, borrowed(3)
    question = Question("aa bb cc dd ee ff")
    identifier = next(iter(passages.ids()))
    for name in AVAILABLE:
        model = MODELS[name]()
        here = model.bind(passages).explain(question, passages.number(identifier))
        there = model.bind(lender).explain(question, lender.number(identifier))
        assert here.to_json() == there.to_json()


# --- small ones, by hand -----------------------------------------------------------------------------------------

LENDER = [
    {"id": "a", "title": "sea", "text": "the sea and the moon"},
    {"id": "b", "title": "", "text": "the moon"},
    {"id": "c", "title": "sun", "text": ""},
]


def small(records, weights=None, **how):
    return Index.build(records, analyzer="plain", weights=weights, **how).snapshot


@pytest.fixture(scope="module")
def lender():
    return small(LENDER, {"title": 2.0, "text": 1.0}, layers={"pairs": "plain[words=1-2]"})


def passages_for(lender, records):
    return borrowing(small(records, layers={"pairs": "plain[words=1-2]"}), lender)


def test_statistics_are_found_by_the_terms_themselves(lender):
    snapshot = passages_for(lender, [{"id": "p", "text": "new moon new sea", "title": "moon"}])
    view = snapshot.view()
    found = view.statistics
    terms = view.terms()
    df, cf = (dict(zip(terms, counts.tolist(), strict=True)) for counts in (found.df, found.cf))
    assert df == {"new": 0, "moon": 2, "sea": 1, "the": 2, "and": 1, "sun": 1}
    assert cf == {"new": 0.0, "moon": 2.0, "sea": 3.0, "the": 3.0, "and": 1.0, "sun": 2.0}
    assert (found.documents, found.total_length) == (3, 2 + 5 + 2 + 2)
    assert (view.documents, view.size, view.total_length) == (1, 1, 2 + 4)
    assert view.look_up(["moon", "sun", "new", "mars"]) == [(terms.index("moon"), 2), (terms.index("sun"), 1),
                                                            (terms.index("new"), 0), (-1, 0)]  # fmt: skip
    assert [view.term(number) for number in range(len(terms))] == terms


def test_every_layer_and_all_choices_of_fields(lender):
    snapshot = passages_for(lender, [{"id": "p", "text": "the moon", "title": "sun"}])
    pairs = snapshot.view("pairs")
    assert dict(pairs.look_up([term])[0][::-1] for term in ["the moon"]) == {
        2: pairs.term_numbers(["the moon"])[0]
    }
    title = snapshot.view(fields=["title"])
    df = dict(zip(title.terms(), title.statistics.df.tolist(), strict=True))
    assert {term for term, count in df.items() if count} == {"sea", "sun"}
    assert (title.statistics.total_length, title.lengths.tolist()) == (4.0, [2.0])
    heavy = snapshot.view(fields={"text": 3.0})
    assert (heavy.statistics.total_length, heavy.lengths.tolist()) == (21.0, [6.0])
    assert snapshot.view(fields={"text": 3.0}) is heavy


def test_fields_that_no_passage_has_can_be_chosen(lender):
    snapshot = passages_for(lender, [{"id": "p", "text": "the moon"}])
    assert list(snapshot.manifest.fields.items()) == [("text", 1.0), ("title", 2.0)]
    view = snapshot.view(fields=["title"])
    assert (view.lengths.tolist(), view.statistics.total_length) == ([0.0], 4.0)
    scorer = ranker("bm25[fields=title+text]").bind(snapshot)
    assert scorer.scores(Question("moon"), np.array([0]))[0] > 0


def test_what_is_borrowed_is_marked_and_the_rest_is_not(lender):
    snapshot = passages_for(lender, [{"id": "p", "text": "the moon"}])
    assert snapshot.view().lent
    assert snapshot.view().trained is snapshot.trained is lender.trained
    assert not lender.view().lent
    assert snapshot.documents == snapshot.size == 1
    assert [document.id for document in snapshot] == ["p"]
    assert snapshot.document(0).fields == {"text": "the moon"}


def test_kept_rows_of_documents_are_not_taken_for_those_of_passages():
    """The passages have the same arrival numbers as other documents of the index that lends."""
    documents = documents_of(5)
    with_rows = [name for name in AVAILABLE if hasattr(MODELS[name], "kept_rows") or rows_for(MODELS[name])]
    assert with_rows
    wanted = scores_of_passages(documents, folded_in(documents), with_rows)
    lender = ready(documents, trained_on=lambda _: True)
    assert scores_of_passages(documents, lender, with_rows) == wanted
    assert prepare(lender, with_rows)
    assert any(name.startswith("documents ") for name in lender.snapshot.trained.entries)
    assert scores_of_passages(documents, lender, with_rows) == wanted


def scores_of_passages(documents, lender, names):
    """What the documents of an index score as passages, in another order, by some models."""
    passages = borrowing(index_of(documents[::-1]).snapshot, lender.snapshot)
    assert passages.arrivals.tolist() == lender.snapshot.arrivals.tolist()
    numbers = list(range(passages.size))
    return {name: exact(MODELS[name]().bind(passages), Question("aa bb"), numbers) for name in names}


def test_an_empty_lender_lends_nothing(lender):
    empty = Index.build([], analyzer="plain", weights={"text": 1.0}).snapshot
    snapshot = borrowing(small([{"id": "p", "text": "the moon"}]), empty)
    assert snapshot.view().statistics.df.tolist() == [0, 0]
    for name in ("bm25", "ql", "tfidf"):
        assert len(ranker(name).bind(snapshot).top(Question("moon"), 5)) == 0


def test_passages_must_be_made_as_the_documents_are(lender):
    with pytest.raises(UsageError, match="not analysed as the index does in its layer 'pairs'"):
        borrowing(small([{"id": "p", "text": "moon"}]), lender)
    stemmed = Index.build([{"id": "p", "text": "moon"}], layers={"pairs": "plain[words=1-2]"}).snapshot
    with pytest.raises(UsageError, match="not analysed as the index does in its layer 'main'"):
        borrowing(stemmed, lender)
    with pytest.raises(UsageError, match=r"no field 'place'\. It has: title, text"):
        passages_for(lender, [Document("p", {"text": "moon", "place": "sky"})])
