from __future__ import annotations

import numpy as np
import pytest

import aboutness as ab
from aboutness.app.exporting import export_vectors
from aboutness.core.errors import NotFound, UsageError

RECORDS = [{"id": "a", "text": "sun and moon"}, {"id": "b", "text": "moon and sea"}, {"id": "c", "text": "???"}]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = ab.Index.build(RECORDS, tmp_path_factory.mktemp("exporting") / "x.index", analyzer="plain")
    index.train("word2vec", dim=6, min_count=1, epochs=2, sample=0, threads=1)
    index.train("lsa", dim=2, threads=1)
    index.train("epv", dim=4, min_count=1, epochs=2, threads=1)
    return index


def test_documents_have_vectors_by_their_ids(index):
    vectors = index.document_vectors("iwcs")
    assert list(vectors) == ["a", "b", "c"]
    assert repr(vectors) == "<WordVectors: 3 documents x 6 (in), iwcs>"
    assert np.linalg.norm(vectors["a"]) == pytest.approx(1, abs=1e-6)
    assert not vectors["c"].any()
    assert vectors.nearest("a")[0].word == "b"


def test_the_ranker_or_the_training(index):
    lengths = np.linalg.norm(index.document_vectors("lsa").space()[:2], axis=1)
    np.testing.assert_allclose(lengths, 1, atol=1e-6)
    np.testing.assert_array_equal(index.document_vectors(vectors="lsa").space(), index.trained("lsa").rows)
    np.testing.assert_array_equal(index.document_vectors().space(), index.trained("lsa").rows)
    assert index.document_vectors("wcs[vectors=word2vec]").dim == 6


def test_documents_that_came_and_went(tmp_path):
    index = ab.Index.build(RECORDS, tmp_path / "x.index", analyzer="plain")
    index.train("word2vec", dim=6, min_count=1, epochs=2, threads=1)
    before = index.document_vectors("wcs")
    index.delete("a")
    index.add([{"id": "d", "text": "sun and moon"}])
    after = index.document_vectors("wcs")
    assert list(after) == ["b", "c", "d"]
    np.testing.assert_array_equal(after["d"], before["a"])
    np.testing.assert_array_equal(after["b"], before["b"])


def test_what_there_is_not(index, tmp_path):
    with pytest.raises(
        UsageError, match=r"give a ranker or the name of a training, not both.*'wcs\[vectors=lsa\]'"
    ):
        index.document_vectors("wcs", vectors="lsa")
    with pytest.raises(
        NotFound, match=r"has no rows of documents 'word2vec'\. It has: lsa, epv; for sums of word vectors"
    ):
        index.document_vectors(vectors="word2vec")
    with pytest.raises(UsageError, match="bm25 has no vectors of documents"):
        index.document_vectors("bm25")
    empty = ab.Index.build(RECORDS)
    with pytest.raises(NotFound, match="has no vectors of documents; train some"):
        empty.document_vectors()
    with pytest.raises(UsageError, match="documents have one vector each: leave out the space 'out'"):
        export_vectors(index.path, tmp_path / "v.bin", documents=True, space="out")
    with pytest.raises(UsageError, match="is not an index, and only an index has documents"):
        export_vectors(tmp_path / "v.vec", tmp_path / "v.bin", ranker="wcs")
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_is_told(index, tmp_path):
    told = export_vectors(index.path, tmp_path / "w.bin", name="word2vec", space="out").to_json()
    assert told == {
        "files": [str(tmp_path / "w.bin")], "format": "word2vec-binary", "of": "words", "spaces": ["out"],
        "vectors": 4, "dim": 6, "empty": 0,
    }  # fmt: skip
    told = export_vectors(index.path, tmp_path / "w.safetensors", name="word2vec").to_json()
    assert told["spaces"] == ["in", "out"]
    told = export_vectors(index.path, tmp_path / "d.npy", documents=True, ranker="wcs").to_json()
    assert (told["of"], told["by"], told["vectors"], told["empty"]) == ("documents", "wcs", 3, 1)
    assert told["files"] == [str(tmp_path / "d.npy"), str(tmp_path / "d.vocab")]
    assert export_vectors(tmp_path / "w.bin", tmp_path / "again.vec").count == 4
    np.testing.assert_array_equal(
        ab.load_vectors(tmp_path / "again.vec").space(), index.vectors("word2vec").space("out")
    )
