"""Texts as vectors in scikit-learn: the values are the package's own, and everything there works with them."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import aboutness as ab
from aboutness.core.errors import NotFound, UsageError
from aboutness.models.trained import texts_of
from interop.texts import LABELS, NEW, TEXTS

SMALL = ab.Word2Vec(dim=8, epochs=20, min_count=1, sample=0)
ON_WORDS = ["wcs", "iwcs", "ketos", "desm-in-in", "desm-in-out", "iwcs[idf=malina]"]
RECORDS = [{"id": str(place), "text": text} for place, text in enumerate(TEXTS)]
needs_tomotopy = pytest.mark.skipif(find_spec("tomotopy") is None, reason="tomotopy is not installed")


def index_with(way, name):
    index = ab.Index.build(RECORDS)
    index.train(way, name=name, threads=1)
    return index


# --- values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ON_WORDS)
def test_sums_of_word_vectors_are_those_of_the_ranker(by):
    index = index_with(SMALL, "word2vec")
    made = ab.TextVectorizer(by, vectors=SMALL).fit(TEXTS)
    rows = index.generation.bound(ab.ranker(by)).rows.rows
    assert made.transform(TEXTS).tobytes() == rows.tobytes()
    assert made.fit_transform(TEXTS).tobytes() == rows.tobytes()
    assert made.transform(NEW).shape == (5, 8)
    assert made.transform(NEW)[2:4].any() == 0


def test_new_texts_have_the_formula():
    """iwcs by hand: counts times idf of the texts that were fitted, times vectors, to length 1."""
    made = ab.TextVectorizer("iwcs", vectors=SMALL, analyzer="plain").fit(TEXTS)
    words, n = made.index_.vectors(), len(TEXTS)
    total = np.zeros(8)
    for word in ["comet", "and", "the", "moon", "moon"]:
        df = sum(word in text.split() for text in TEXTS)
        total += np.log((1 + n) / (1 + df)) * words[word].astype(np.float64)
    (row,) = made.transform(["Comet, and the moon: moon unheard-of!"])
    np.testing.assert_allclose(row, total / np.linalg.norm(total), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(ab.LDA(topics=3, iterations=20, min_count=1), marks=needs_tomotopy),
        ab.LSA(dim=4),
        ab.PV(dim=4, epochs=3, min_count=1),
        ab.EPV(dim=4, epochs=3, min_count=1),
        ab.Edges(dim=4, epochs=3, min_count=1),
    ],
    ids=str,
)
def test_texts_are_inferred_as_documents_that_come_later_are(way):
    made = ab.TextVectorizer(way).fit(TEXTS)
    index = index_with(way, way.name)
    view, space = index.view(), index.trained(way.name)
    assert made.transform(TEXTS).tobytes() == space.infer(texts_of(view, view.alive, space)).tobytes()
    index.add([{"id": f"new {place}", "text": text} for place, text in enumerate(NEW)])
    rows = index.document_vectors(vectors=way.name).space()
    assert made.transform(NEW).tobytes() == rows[len(TEXTS) :].tobytes()


@pytest.mark.parametrize(("by", "way"), [("lsa", ab.LSA(dim=4)), ("doc2vec", ab.PV(dim=4))])
def test_rankers_on_what_is_trained_on_documents(by, way):
    made = ab.TextVectorizer(by, dim=4).fit(TEXTS)
    index = index_with(way, way.name)
    index.add([{"id": f"new {place}", "text": text} for place, text in enumerate(NEW)])
    rows = index.generation.bound(ab.ranker(by)).rows.rows
    assert made.transform(NEW).tobytes() == rows[len(TEXTS) :].tobytes()
    lengths = np.linalg.norm(made.transform(TEXTS), axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-6)


@pytest.mark.parametrize("by", ["pv", "epv", "edges", "lsa", pytest.param("lda", marks=needs_tomotopy)])
def test_names_of_trainings(by):
    made = ab.TextVectorizer(by, dim=3, random_state=7).fit(TEXTS)
    assert made.transform(NEW).shape == (5, 3)
    way = made.index_.trained(by)
    assert way.provenance["parameters"]["seed"] == 7
    again = ab.TextVectorizer(by, dim=3, random_state=7).fit(TEXTS)
    assert again.transform(NEW).tobytes() == made.transform(NEW).tobytes()
    if by != "lsa":
        other = ab.TextVectorizer(by, dim=3, random_state=8).fit(TEXTS)
        assert other.transform(NEW).tobytes() != made.transform(NEW).tobytes()


def test_imported_vectors(tmp_path):
    words = SMALL.train(TEXTS, threads=1)
    words.export(tmp_path / "words.vec")
    rows = [
        ab.TextVectorizer("wcs", vectors=vectors, analyzer="plain").fit_transform(TEXTS)
        for vectors in (words, tmp_path / "words.vec", str(tmp_path / "words.vec"))
    ]
    assert rows[0].tobytes() == rows[1].tobytes() == rows[2].tobytes()
    expected = sum(words[word].astype(np.float64) for word in TEXTS[3].split())
    np.testing.assert_allclose(rows[0][3], expected / np.linalg.norm(expected), rtol=1e-5, atol=1e-7)
    # A text that was not fitted on may have any word that has a vector.
    fitted = ab.TextVectorizer("wcs", vectors=words, analyzer="plain").fit(["sun"])
    np.testing.assert_allclose(fitted.transform(TEXTS), rows[0], rtol=1e-6)


# --- in scikit-learn --------------------------------------------------------------------------------------------


def test_a_classifier_in_a_pipeline():
    pipeline = make_pipeline(ab.TextVectorizer("lsa", dim=4), LogisticRegression())
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=3).mean() == 1.0
    assert pipeline.fit(TEXTS, LABELS).predict(["comet and star", "ship and harbour"]).tolist() == ["sky", "sea"]


def test_a_grid_search():
    pipeline = make_pipeline(ab.TextVectorizer(vectors=SMALL), LogisticRegression())
    grid = {"textvectorizer__by": ["wcs", "iwcs"], "logisticregression__C": [0.1, 10]}
    found = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert found.best_score_ == 1.0
    assert found.best_params_["textvectorizer__by"] in ("wcs", "iwcs")
    assert found.predict(["the moon"]).tolist() == ["sky"]
    by_size = GridSearchCV(make_pipeline(ab.TextVectorizer("lsa"), LogisticRegression()), {"textvectorizer__dim": [1, 4]}, cv=2)  # fmt: skip
    by_size.fit(TEXTS, LABELS)
    assert by_size.best_estimator_[:-1].transform(NEW).shape[1] == by_size.best_params_["textvectorizer__dim"]


def test_a_column_of_a_frame():
    frame = pd.DataFrame({"text": TEXTS, "number": range(len(TEXTS))})
    both = ColumnTransformer(
        [("text", ab.TextVectorizer("lsa", dim=2), "text"), ("rest", "passthrough", ["number"])]
    )
    made = both.fit_transform(frame)
    assert made.shape == (40, 3)
    named = both.set_output(transform="pandas").fit_transform(frame)
    assert list(named.columns) == ["text__textvectorizer0", "text__textvectorizer1", "rest__number"]
    np.testing.assert_allclose(named["text__textvectorizer1"], made[:, 1])


def test_names_of_features():
    made = ab.TextVectorizer("lsa", dim=3).fit(TEXTS)
    assert made.get_feature_names_out().tolist() == ["textvectorizer0", "textvectorizer1", "textvectorizer2"]


def test_parameters_and_clones():
    one = ab.TextVectorizer("wcs", vectors=SMALL, dim=None, analyzer="plain", random_state=3)
    assert one.get_params() == {"analyzer": "plain", "by": "wcs", "dim": None, "random_state": 3, "vectors": SMALL}
    other = clone(one.fit(TEXTS))
    assert other.get_params() == one.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(other)
    with pytest.raises(NotFittedError):
        other.transform(NEW)
    other.set_params(by="iwcs", random_state=5)
    assert (other.by, other.random_state) == ("iwcs", 5)
    words = SMALL.train(TEXTS, threads=1)
    assert list(clone(ab.TextVectorizer(vectors=words)).vectors) == list(words)


@pytest.mark.parametrize(
    "copied", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy], ids=["pickle", "copy"]
)
def test_fitted_ones_can_be_kept(copied):
    made = ab.TextVectorizer("iwcs", vectors=SMALL).fit(TEXTS)
    again = copied(made)
    expected = made.transform(NEW).tobytes()
    assert again.index_.path != made.index_.path
    del made
    assert again.transform(NEW).tobytes() == expected


@pytest.mark.parametrize("texts", [tuple(NEW), np.array(NEW), np.array(NEW, object), pd.Series(NEW), iter(NEW)])
def test_texts_may_come_in_any_list(texts):
    made = ab.TextVectorizer("lsa", dim=2).fit(TEXTS)
    assert made.transform(texts).tobytes() == made.transform(NEW).tobytes()


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ("one text", "several texts are needed, got 'one text'; put one in a list"),
        ({"a": "text"}, "several texts are needed, got {'a': 'text'}; put one in a list"),
        (5, "several texts are needed, got 5"),
        ([], "there must be at least one text to fit on, got none"),
        (["a", None], "text 1 must be a string, got None"),
        (["a", float("nan")], "text 1 must be a string, got nan"),
        ([["a", "b"]], r"text 0 must be a string, got \['a', 'b'\]"),
        (np.array([["a"], ["b"]]), "texts must stand in one dimension, got 2"),
        (pd.DataFrame({"text": ["a"]}), r"texts are needed, got a data frame; name the column that has them, such as frame\['text'\]"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_texts(texts, problem):
    with pytest.raises(UsageError, match=problem):
        ab.TextVectorizer("lsa").fit(texts)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"by": "bm25"}, "bm25 has no vectors of documents; use wcs, iwcs"),
        ({"by": "lsb"}, "unknown ranker 'lsb'"),
        ({"by": 5}, "what makes a text a vector must be a ranker or a way of training, got 5"),
        ({"by": "word2vec"}, "word2vec trains word vectors: say how texts are made of them, such as by='iwcs'"),
        ({"by": SMALL}, "word2vec trains word vectors"),
        ({"by": "pv", "vectors": SMALL}, "pv reads no word vectors: leave out `vectors`"),
        ({"by": "lsa", "vectors": SMALL}, "lsa reads no word vectors: leave out `vectors`"),
        ({"by": ab.PV(), "dim": 3}, "pv says itself how many dimensions it has: leave out dim"),
        ({"by": "wcs", "vectors": SMALL, "dim": 3}, "word vectors that are given have as many dimensions as they have"),
        ({"dim": 0}, "dim must be a whole number from 1 to 10000, got 0"),
        ({"random_state": None}, "random_state must be a whole number from 0 to 4294967295, got None"),
        ({"analyzer": "klingon"}, "unknown analyzer 'klingon'"),
    ],
)  # fmt: skip
def test_parameters_that_are_refused_when_fitted(parameters, problem):
    estimator = ab.TextVectorizer(**parameters)
    with pytest.raises(UsageError, match=problem):
        estimator.fit(TEXTS)


def test_vectors_that_are_not_there():
    with pytest.raises(NotFound, match=r"there is no file none\.vec with word vectors"):
        ab.TextVectorizer("wcs", vectors="none.vec").fit(TEXTS)


def test_without_scikit_learn():
    code = """
import sys
sys.modules["sklearn"] = None  # then it cannot be imported
import aboutness as ab
from aboutness import *
for kind in (ab.TextVectorizer, ab.TextSearcher):
    try:
        kind("bm25")
    except ab.AboutnessError as error:
        assert str(error) == "scikit-learn is needed for this; run: pip install 'aboutness[sklearn]'", error
    else:
        raise SystemExit("made without scikit-learn")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
