from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.models.question import Question
from aboutness.report.projection import principal_axes
from aboutness.report.spaces import around_query, dense_scorer, document_vectors, labels_of

LINES = [
    "the sun rises over the sea",
    "the moon rises over the harbour",
    "a city by the sea",
    "songs of the moon and the sun",
]
RECORDS = [
    {"id": f"d{number}", "text": LINES[number % 4], "kind": ["sky", "town"][number % 2], "topics": topics}
    for number, topics in enumerate([["a"], ["a", "b"], ["b", "a"], ["c"], [], ["c"], ["a"], ["d"]])
]
SMALL = {"dim": 6, "min_count": 1, "epochs": 2, "threads": 1}


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    made = Index.build([*RECORDS, {"id": "empty", "text": ""}])
    made.train("word2vec", sample=0, **SMALL)
    made.train("pv", **SMALL)
    yield made


def test_rows_of_a_training(index):
    found = document_vectors(index.snapshot, "pv")
    assert (found.name, found.numbers.tolist()) == ("pv", list(range(8)))
    assert np.array_equal(found.rows, index.trained("pv").rows[:8])
    assert document_vectors(index.snapshot).name == "pv"


def test_documents_that_came_later_have_rows(index):
    later = Index.build(RECORDS[:6])
    later.train("pv", **SMALL)
    later.add(RECORDS[6:])
    found = document_vectors(later.snapshot, "pv")
    assert len(found.numbers) == 8
    assert np.array_equal(found.rows[:6], later.trained("pv").rows[:6])


def test_the_vectors_that_a_ranker_compares(index):
    found = document_vectors(index.snapshot, "wcs")
    assert found.numbers.tolist() == list(range(8))  # the empty document has none
    assert np.array_equal(found.rows, dense_scorer(index.snapshot, "wcs").rows.rows[:8])
    words = Index.build(RECORDS)
    words.train("word2vec", sample=0, **SMALL)
    assert document_vectors(words.snapshot).name == "wcs"


def test_some_by_a_seed(index):
    found = document_vectors(index.snapshot, "pv")
    some = found.some(3, seed=1)
    assert len(some.numbers) == 3
    assert some.numbers.tolist() == sorted(some.numbers)
    assert np.array_equal(some.rows, found.rows[some.numbers])
    assert some.numbers.tolist() == found.some(3, seed=1).numbers.tolist()
    assert {tuple(found.some(3, seed=seed).numbers) for seed in range(9)} != {tuple(some.numbers)}
    assert found.some(8, seed=1) is found


def test_refusals(index):
    with pytest.raises(UsageError, match=r"bm25 has no vectors of documents; use wcs.*\(here: pv\)"):
        document_vectors(index.snapshot, "bm25")
    with pytest.raises(NotFound, match="has no vectors of documents; train some: aboutness train"):
        document_vectors(Index.build(RECORDS).snapshot)
    with pytest.raises(UsageError, match="unknown ranker 'nothing'"):
        document_vectors(index.snapshot, "nothing")


def test_labels(index):
    numbers = range(9)
    assert labels_of(index.snapshot, numbers, "kind") == ["sky", "town"] * 4 + [None]
    # a 4 times, b and c twice, d once: the most frequent of several
    assert labels_of(index.snapshot, numbers, "topics") == ["a", "a", "a", "c", None, "c", "a", "d", None]
    groups = {"a": "first", "b": "first", "c": "second"}
    assert labels_of(index.snapshot, numbers, "topics", groups)[:5] == ["first", "first", "first", "second", None]
    with pytest.raises(UsageError, match="no document has the metadata 'nothing'; they have: kind, topics"):
        labels_of(index.snapshot, numbers, "nothing")


def test_documents_as_seen_from_their_query(index):
    scorer = dense_scorer(index.snapshot, "desm-in-out")
    asked = [Question("sun and moon")] * 3 + [Question("city")] * 3 + [Question("unknown")]
    documents = np.array([0, 1, 8, 2, 3, 4, 5])
    relevant = np.array([True, False, True, False, True, False, True])
    points, kept, shares = around_query(scorer, asked, documents, relevant)
    # neither the empty document nor the unknown question
    assert kept.tolist() == [True, False, False, True, False]
    unit = lambda vector: vector / np.linalg.norm(vector)  # noqa: E731
    rows = scorer.rows.rows.astype(np.float64)
    wanted = np.array(
        [
            unit(rows[number]) - unit(scorer.vector(question))
            for question, number in zip(asked, documents, strict=True)
            if number != 8 and question.text != "unknown"
        ]
    )
    axes, same = principal_axes(wanted)
    assert points == pytest.approx(wanted @ axes)
    assert shares == pytest.approx(same)
    with pytest.raises(UsageError, match="no query and document have vectors"):
        around_query(scorer, asked[-1:], documents[-1:], relevant[-1:])
