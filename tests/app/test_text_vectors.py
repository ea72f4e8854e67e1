"""Texts as vectors, and indexes that go along with what holds them."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

import aboutness as ab
from aboutness.core.errors import NotFound, UsageError

RECORDS = [
    {"id": "a", "title": "sky", "text": "sun and moon"},
    {"id": "b", "title": "sea", "text": "moon and tide"},
    {"id": "c", "title": "", "text": "grass"},
]


@pytest.fixture(scope="module")
def index():
    index = ab.Index.build(RECORDS, analyzer="plain", weights={"title": 3.0})
    index.train("word2vec", dim=6, min_count=1, epochs=2, sample=0, threads=1)
    index.train("lsa", dim=2, threads=1)
    return index


@pytest.mark.parametrize("ranker", ["wcs", "iwcs", "ketos", "desm-in-out", "lsa", "wcs[fields=title]"])
def test_the_texts_of_documents_have_their_vectors(index, ranker):
    texts = [{"title": one["title"], "text": one["text"]} for one in RECORDS]
    assert index.text_vectors(texts, ranker).tobytes() == index.document_vectors(ranker).space().tobytes()
    assert (
        index.text_vectors(texts[::-1], ranker).tobytes() == index.document_vectors(ranker).space()[::-1].tobytes()
    )


def test_a_text_alone_is_that_of_the_usual_field(index):
    np.testing.assert_array_equal(
        index.text_vectors(["grass"], "wcs"), index.text_vectors([{"text": "grass"}], "wcs")
    )
    assert index.text_vectors(["quux", ""], vectors="lsa").any() == 0
    assert index.text_vectors([], "wcs").shape == (0, 6)
    assert index.text_vectors(iter(["sun"]), vectors="lsa").shape == (1, 2)
    assert len(index) == 3


def test_what_is_refused(index):
    with pytest.raises(UsageError, match="several texts are needed, got 'sun'; put one in a list"):
        index.text_vectors("sun", "wcs")
    with pytest.raises(
        UsageError, match=r"the passage 0 has the field 'body', which the index has not\. It has: title, text"
    ):
        index.text_vectors([{"body": "sun"}], "wcs")
    with pytest.raises(UsageError, match="bm25 has no vectors of documents"):
        index.text_vectors(["sun"], "bm25")
    with pytest.raises(NotFound, match="has no rows of documents 'pv'"):
        index.text_vectors(["sun"], vectors="pv")


def test_what_is_needed_is_told_of_the_index_itself(tmp_path):
    index = ab.Index.build(RECORDS, tmp_path / "sky.index")
    for how in ({}, {"ranker": "wcs"}, {"ranker": "lsa"}):
        with pytest.raises(NotFound, match=re.escape(f"aboutness train {index.path}")):
            index.text_vectors(["sun"], **how)
    with pytest.raises(UsageError, match="several texts are needed, got None"):
        index.text_vectors(None)


def test_an_index_in_memory_is_copied_with_its_files(index):
    again = pickle.loads(pickle.dumps(index))
    assert again.in_memory
    assert again.path != index.path
    assert [hit.id for hit in again.search("moon", ranker="wcs")] == [
        hit.id for hit in index.search("moon", ranker="wcs")
    ]
    again.add([{"id": "d", "text": "more"}])
    assert (len(again), len(index)) == (4, 3)
    folder = again.path
    del again
    assert not folder.exists()


def test_an_index_on_disk_is_opened_again(tmp_path):
    index = ab.Index.build(RECORDS, tmp_path / "x.index")
    again = pickle.loads(pickle.dumps(index))
    assert again.path == index.path
    assert not again.in_memory
    assert [one.id for one in again] == ["a", "b", "c"]
