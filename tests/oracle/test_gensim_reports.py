"""Neighbours and tests of word vectors against gensim's, which computes in float32."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.text.strings import StringTable
from aboutness.vectors.neighbours import Neighbours, parsed
from aboutness.vectors.word_tests import analogies, similarity
from aboutness.vectors.words import WordVectors

# Only a rank that two cosines nearer to each other than this decide may differ.
NEAR = 1e-5


def both(words, rows):
    keyed = pytest.importorskip("gensim.models.keyedvectors")
    theirs = keyed.KeyedVectors(rows.shape[1])
    theirs.add_vectors(words, rows)
    return WordVectors(StringTable.of(words), {"in": rows}), theirs


@pytest.fixture(scope="module")
def drawn():
    rows = np.random.default_rng(0).normal(size=(2_000, 30)).astype(np.float32)
    return both([f"w{i}" for i in range(len(rows))], rows)


@pytest.fixture(scope="module")
def glove(vectors_folder):
    folder = vectors_folder / "glove6b_100d"
    words = (folder / "vocab.txt").read_text("utf-8").split("\n")[:10_000]
    return both(words, np.load(folder / "vectors.f16.npy", mmap_mode="r")[: len(words)].astype(np.float32))


def assert_alike(ours, theirs):
    """The same words at the same places, but where scores are as good as equal."""
    scores = dict(theirs)
    assert len(ours) == len(theirs)
    for found, (word, score) in zip(ours, theirs, strict=True):
        assert found.score == pytest.approx(score, abs=NEAR)
        assert found.word == word or scores.get(found.word, score) == pytest.approx(score, abs=NEAR)


@pytest.mark.parametrize("word", ["w0", "w77", "w1999"])
def test_neighbours_of_a_word(drawn, word):
    ours, theirs = drawn
    assert_alike(Neighbours(ours).nearest(word, 50), theirs.most_similar(word, topn=50))


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (["w1", "w2"], []),
        (["w1", "w2"], ["w3"]),
        (["w9"], ["w3", "w4", "w5"]),
        ([("w1", 0.3), ("w2", 2.0)], ["w8"]),
    ],
)
def test_neighbours_of_sums(drawn, positive, negative):
    # gensim takes the mean where we take the sum, which has the same direction.
    ours, theirs = drawn
    weights = dict(word if isinstance(word, tuple) else (word, 1.0) for word in positive)
    weights |= dict.fromkeys(negative, -1.0)
    assert_alike(Neighbours(ours).nearest(weights, 20), theirs.most_similar(positive, negative, topn=20))


def test_real_neighbours(glove):
    ours, theirs = glove
    neighbours = Neighbours(ours)
    for word in ("snake", "germany", "the"):
        assert_alike(neighbours.nearest(word), theirs.most_similar(word))
    found = theirs.most_similar(positive=["king", "woman"], negative=["man"])
    assert_alike(neighbours.nearest(parsed("king - man + woman")), found)
    assert_alike(neighbours.analogy("man", "king", "woman"), found)


def test_judged_pairs(drawn, tmp_path):
    ours, theirs = drawn
    chance = np.random.default_rng(1)
    pairs = chance.integers(0, 2_400, size=(300, 2))  # some are unknown
    lines = [f"{'Ww'[i % 2]}{a}\tw{b}\t{chance.integers(1, 11)}\n" for i, (a, b) in enumerate(pairs)]
    (tmp_path / "pairs.tsv").write_text("# a comment\n" + "".join(lines))
    for case in ("any", "exact"):
        found = similarity(ours, tmp_path / "pairs.tsv", case)
        _, spearman, unknown = theirs.evaluate_word_pairs(tmp_path / "pairs.tsv", case_insensitive=case == "any")
        assert found.spearman == pytest.approx(spearman.statistic, abs=1e-4)
        assert 100 * (1 - found.known / found.pairs) == pytest.approx(unknown)


@pytest.mark.parametrize(
    "name", ["wordsim353.tsv", "SimLex-999.tsv", "MTURK-771.tsv", "MEN_dataset_natural_form_full.tsv", "rw.tsv"]
)
def test_published_judgements(glove, data_folder, name):
    # RG_word.tsv is not among them: gensim passes over its lines with two tabs.
    ours, theirs = glove
    path = data_folder / "word_similarity" / name
    found = similarity(ours, path)
    _, spearman, unknown = theirs.evaluate_word_pairs(path)
    assert found.spearman == pytest.approx(spearman.statistic, abs=1e-4)
    assert 100 * (1 - found.known / found.pairs) == pytest.approx(unknown)


def assert_same_accuracy(ours, theirs, path, most):
    # In a vocabulary in one case, gensim's upper-casing of everything finds the words that ours does.
    found = analogies(ours, path, most=most)
    _, sections = theirs.evaluate_word_analogies(path, restrict_vocab=most)
    assert [one.section for one in found[:-1]] == [section["section"] for section in sections[:-1]]
    for one, section in zip(found, sections, strict=True):
        right, wrong = len(section["correct"]), len(section["incorrect"])
        assert one.known == right + wrong
        if one.known:
            assert one.accuracy * one.known == pytest.approx(right)


def test_analogies(drawn, tmp_path):
    ours, theirs = drawn
    chance = np.random.default_rng(2)
    neighbours = Neighbours(ours)
    lines = []
    for section in ("one", "two"):
        lines.append(f": {section}")
        for a, b, c in chance.integers(0, 1_000, size=(40, 3)).tolist():
            best = neighbours.analogy(f"w{a}", f"w{b}", f"w{c}", 2)
            lines.append(f"w{a} W{b} w{c} {best[int(chance.integers(2))].word}")
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(lines))
    for most in (2_000, 1_500):
        assert_same_accuracy(ours, theirs, path, most)
    assert 0.2 < analogies(ours, path)[-1].accuracy < 0.8


def test_published_analogies(glove, data_folder, tmp_path):
    ours, theirs = glove
    text = (data_folder / "word_similarity" / "questions-words.txt").read_text("utf-8").splitlines(keepends=True)
    chosen = [line for i, line in enumerate(text) if line.startswith(":") or i % 25 == 0]
    (tmp_path / "questions.txt").write_text("".join(chosen))
    assert_same_accuracy(ours, theirs, tmp_path / "questions.txt", 10_000)
