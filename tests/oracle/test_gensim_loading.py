"""The same vectors as gensim reads, from files that gensim writes and from a published one."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.vectors.load import load_vectors

gensim_models = pytest.importorskip("gensim.models")

WORDS = ["sun", "New_York", "été", "한국", "a", ",", "1.5"]
DIM = 7
LETTERS = "abcdeéß한"


@pytest.fixture(scope="module")
def keyed():
    """Vectors of all sizes that a float can have, but for the very least."""
    chance = np.random.default_rng(3)
    vectors = gensim_models.KeyedVectors(DIM)
    exponents = chance.integers(-30, 30, size=(len(WORDS), DIM))
    vectors.add_vectors(WORDS, (chance.normal(size=(len(WORDS), DIM)) * 10.0**exponents).astype(np.float32))
    return vectors


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")  # its open file
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(("binary", "sizes"), [(True, True), (False, True), (False, False)])
def test_word2vec_format(tmp_path, keyed, binary, suffix, sizes):
    path = str(tmp_path / f"vectors{suffix}")
    keyed.save_word2vec_format(path, binary=binary, write_header=sizes)
    again = gensim_models.KeyedVectors.load_word2vec_format(path, binary=binary, no_header=not sizes)
    vectors = load_vectors(path)
    assert list(vectors.words) == again.index_to_key == WORDS
    np.testing.assert_array_equal(vectors.space().view(np.uint32), again.vectors.view(np.uint32))


@pytest.fixture(scope="module")
def sentences():
    chance = np.random.default_rng(5)
    known = ["".join(chance.choice(list(LETTERS), size=chance.integers(1, 8))) for _ in range(60)]
    return [[str(word) for word in chance.choice(known, size=8)] for _ in range(100)]


@pytest.mark.parametrize("settings", [{"sg": 1}, {"sg": 0, "min_n": 1, "max_n": 4}, {"sg": 1, "max_n": 0}])
def test_fasttext_models(tmp_path, sentences, settings):
    model = gensim_models.FastText(
        sentences, vector_size=DIM, bucket=100, min_count=1, epochs=1, seed=1, workers=1, **settings
    )
    path = str(tmp_path / "model.bin")
    gensim_models.fasttext.save_facebook_model(model, path)
    again = gensim_models.fasttext.load_facebook_model(path)
    vectors = load_vectors(path)
    assert list(vectors.words) == again.wv.index_to_key
    np.testing.assert_allclose(vectors.space(), again.wv.vectors, atol=1e-6)
    np.testing.assert_array_equal(vectors.space("out"), again.syn1neg)
    assert vectors.counts.tolist() == [again.wv.get_vecattr(word, "count") for word in again.wv.index_to_key]
    if settings.get("max_n") != 0:
        unknown = ["moon", "été한", "zzzzzzzzzz"]
        found, known = vectors.look_up(unknown)
        assert known.all()
        np.testing.assert_allclose(found, [again.wv[word] for word in unknown], atol=1e-6)


def test_google_news(vectors_folder):
    paths = sorted(vectors_folder.glob("googlenews*/*.bin"))
    if not paths:
        pytest.skip(f"there are no GoogleNews vectors in {vectors_folder}")
    again = gensim_models.KeyedVectors.load_word2vec_format(str(paths[0]), binary=True)
    vectors = load_vectors(paths[0])
    assert list(vectors.words) == again.index_to_key
    np.testing.assert_array_equal(vectors.space().view(np.uint32), again.vectors.view(np.uint32))
