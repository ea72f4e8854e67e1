"""Vectors that we write, as gensim, numpy and safetensors read them."""

from __future__ import annotations

import numpy as np
import pytest

import aboutness as ab
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors

WORDS = ["sun", "New_York", "été", "한국", "a", ",", "1.5"]
DIM = 7
RECORDS = [
    {"id": f"d{n}", "text": text} for n, text in enumerate(["the sun", "sun and moon", "the moon", "a sea", "???"])
]


@pytest.fixture(scope="module")
def vectors():
    """Numbers of all sizes that a float can have."""
    chance = np.random.default_rng(5)
    sizes = 10.0 ** chance.integers(-44, 37, size=(2, len(WORDS), DIM))
    spaces = (chance.normal(size=sizes.shape) * sizes).astype(np.float32)
    return WordVectors(StringTable.of(WORDS), {"in": spaces[0], "out": spaces[1]})


@pytest.fixture(scope="module")
def index():
    index = ab.Index.build(RECORDS, analyzer="plain")
    index.train("word2vec", dim=6, min_count=1, epochs=2, threads=1)
    index.train("pv", dim=5, min_count=1, epochs=2, threads=1)
    index.train("lsa", dim=2, threads=1)
    return index


def read_by_gensim(path):
    models = pytest.importorskip("gensim.models")
    name = path.name
    return models.KeyedVectors.load_word2vec_format(
        str(path), binary=".bin" in name, no_header=".txt" in name, datatype=np.float32
    )


@pytest.mark.parametrize("name", ["v.vec", "v.bin", "v.txt", "v.vec.gz", "v.bin.gz"])
@pytest.mark.parametrize("space", ["in", "out"])
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")  # its open file
def test_gensim(tmp_path, vectors, name, space):
    vectors.export(tmp_path / name, space=space)
    theirs = read_by_gensim(tmp_path / name)
    assert theirs.index_to_key == WORDS
    np.testing.assert_array_equal(theirs.vectors.view(np.uint32), vectors.space(space).view(np.uint32))


@pytest.mark.parametrize("ranker", ["wcs", "iwcs", "ketos", "desm-in-out", "doc2vec", "lsa"])
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
def test_documents_are_what_rankers_compare(tmp_path, index, ranker):
    """The cosines of gensim, or products, of exported vectors are the scores of the ranker."""
    exported = index.document_vectors(ranker)
    exported.export(tmp_path / "docs.bin")
    theirs = read_by_gensim(tmp_path / "docs.bin")
    assert theirs.index_to_key == [one["id"] for one in RECORDS]
    scorer = index.generation.bound(ab.ranker(ranker))
    np.testing.assert_array_equal(theirs.vectors, scorer.rows.rows)
    vector = scorer.vector(ab_question("sun moon"))
    for hit in index.search("sun moon", ranker=ranker, match="all"):
        known = theirs[hit.id].any()
        assert hit.score == pytest.approx(float(theirs[hit.id] @ vector) if known else scorer.lowest, abs=1e-6)
    assert not theirs["d4"].any()


def ab_question(text):
    from aboutness.models.question import Question

    return Question(text)


def test_rows_of_a_training(tmp_path, index):
    index.document_vectors(vectors="pv").export(tmp_path / "docs.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "docs.npy"), index.trained("pv").rows)
    assert (tmp_path / "docs.vocab").read_text().split() == ["d0", "d1", "d2", "d3", "d4"]


def test_safetensors(tmp_path, vectors):
    numpy = pytest.importorskip("safetensors.numpy")
    vectors.export(tmp_path / "v.safetensors")
    theirs = numpy.load_file(tmp_path / "v.safetensors")
    for space in ("in", "out"):
        np.testing.assert_array_equal(theirs[f"space.{space}"], vectors.space(space))
    ends = theirs["words.ends"].tolist()
    text = theirs["words.data"].tobytes()
    assert [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)] == WORDS
