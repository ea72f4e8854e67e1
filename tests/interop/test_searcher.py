"""A searcher in scikit-learn: the hits are those of the index."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import aboutness as ab
from aboutness.core.errors import BadInput, UsageError
from interop.texts import LABELS, NEW, TEXTS

RECORDS = [{"id": f"d{place}", "text": text, "year": place} for place, text in enumerate(TEXTS)]
SMALL = ab.Word2Vec(dim=8, epochs=20, min_count=1, sample=0)


@pytest.mark.parametrize("ranker", ["default", "bm25", "lsa", "wcs", "bm25 % 10 >> lsa", ab.QL(mu=100)], ids=str)
def test_hits_are_those_of_the_index(ranker):
    vectors = SMALL if ranker == "wcs" else None
    searcher = ab.TextSearcher(ranker, n_neighbors=7, vectors=vectors).fit(TEXTS)
    index = ab.Index.build([{"id": str(place), "text": text} for place, text in enumerate(TEXTS)])
    for name in ("default", "lsa"):
        index.train(name, threads=1)
    index.train(SMALL, threads=1)
    for text, hits in zip(NEW, searcher.search(NEW), strict=True):
        expected = index.search(text, 7, ranker)
        assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in expected]
    distances, places = searcher.kneighbors(NEW)
    assert distances.shape == places.shape == (5, 7)
    for text, row, near in zip(NEW, distances, places, strict=True):
        hits = index.search(text, 7, ranker)
        assert [str(place) for place in near if place >= 0] == [hit.id for hit in hits]
        assert row[: len(hits)].tolist() == [-hit.score for hit in hits]
        assert (row[len(hits) :] == np.inf).all()
    assert (places[2:4] == -1).all()
    assert (np.diff(distances[:2]) >= 0).all()


def test_neighbours_of_the_fitted_texts():
    searcher = ab.TextSearcher("bm25", n_neighbors=3).fit(TEXTS)
    places = searcher.kneighbors(return_distance=False)
    assert places.shape == (40, 3)
    assert not (places == np.arange(40)[:, None]).any()
    assert (np.array(LABELS)[places] == np.array(LABELS)[:, None]).mean() > 0.95
    assert searcher.kneighbors(n_neighbors=1000, return_distance=False).shape == (40, 39)
    assert searcher.kneighbors(NEW, 1000, return_distance=False).shape == (5, 40)


@pytest.mark.parametrize(
    "given", [RECORDS, pd.DataFrame(RECORDS), iter(RECORDS)], ids=["records", "frame", "stream"]
)
def test_records_keep_their_ids(given):
    searcher = ab.TextSearcher("bm25", n_neighbors=2).fit(given)
    (hits,) = searcher.search(["comet"])
    assert [hit.id for hit in hits] == [hit.id for hit in ab.Index.build(RECORDS).search("comet", 2, "bm25")]
    assert hits[0].document.metadata["year"] == int(hits[0].id[1:])


def test_choosing_a_ranker_by_a_grid():
    searcher = GridSearchCV(
        ab.TextSearcher(n_neighbors=3), {"ranker": ["bm25", "bm25[k1=0]", "lsa"], "n_neighbors": [1, 3]}, cv=2,
        error_score="raise",
    )  # fmt: skip
    searcher.fit(TEXTS, LABELS)
    assert searcher.best_score_ > 0.9
    assert searcher.best_params_["ranker"] in ("bm25", "bm25[k1=0]", "lsa")


def test_the_score_by_hand():
    searcher = ab.TextSearcher("bm25", n_neighbors=4).fit(
        ["sun", "sun moon", "sea", "sea sun"], ["a", "b", "c", "a"]
    )
    places = searcher.kneighbors(["sun"], return_distance=False)
    assert sorted(places[0]) == [-1, 0, 1, 3]
    assert searcher.score(["sun"], ["a"]) == 2 / 4
    assert searcher.score(["sun", "sea"], ["b", "c"]) == (1 + 1) / 8


def test_in_a_pipeline():
    lower = FunctionTransformer(lambda texts: [text.replace("COMET", "comet") for text in texts])
    pipeline = make_pipeline(lower, ab.TextSearcher("bm25", analyzer="plain", n_neighbors=2))
    assert pipeline.fit(TEXTS, LABELS).score(["COMET"], ["sky"]) == 1.0


def test_clones_and_copies():
    searcher = ab.TextSearcher("ql", n_neighbors=2).fit(TEXTS, LABELS)
    with pytest.raises(NotFittedError):
        clone(searcher).search(NEW)
    again = pickle.loads(pickle.dumps(searcher))
    np.testing.assert_array_equal(again.kneighbors(NEW)[0], searcher.kneighbors(NEW)[0])
    assert again.score(TEXTS, LABELS) == searcher.score(TEXTS, LABELS)


@pytest.mark.parametrize("changed", [{"ranker": "lsa"}, {"ranker": "default"}, {"match": "lsa % 3"}], ids=str)
def test_what_another_ranker_needs_is_trained_by_fitting_again(changed):
    searcher = ab.TextSearcher("bm25", n_neighbors=2).fit(TEXTS, LABELS).set_params(**changed)
    for ask in (lambda: searcher.search(NEW), searcher.kneighbors, lambda: searcher.score(TEXTS, LABELS)):
        with pytest.raises(UsageError, match=r"needs \w+, which was not trained: fit again$"):
            ask()
    assert len(searcher.fit(TEXTS).search(NEW)) == 5


def test_what_is_refused():
    with pytest.raises(UsageError, match="there must be at least one text to score"):
        ab.TextSearcher("bm25").fit(TEXTS, LABELS).score([], [])
    with pytest.raises(UsageError, match="unknown ranker 'nothing'"):
        ab.TextSearcher("nothing").fit(TEXTS)
    with pytest.raises(UsageError, match=r"there must be a label for each of 40 texts, got the shape \(1,\)"):
        ab.TextSearcher("bm25").fit(TEXTS, ["sky"])
    searcher = ab.TextSearcher("bm25").fit(TEXTS)
    with pytest.raises(UsageError, match="the texts were fitted without labels"):
        searcher.score(NEW, ["sky"] * 5)
    with pytest.raises(UsageError, match="k must be a whole number of at least 1, got 0"):
        searcher.search(NEW, 0)
    with pytest.raises(UsageError, match="several texts are needed, got 'comet'"):
        searcher.search("comet")
    with pytest.raises(UsageError, match="text 1 must be a string, got"):
        ab.TextSearcher("bm25").fit(["a", {"id": "b", "text": "mixed"}])
    with pytest.raises(BadInput, match="no text"):
        ab.TextSearcher("bm25").fit([{"id": "a"}])
