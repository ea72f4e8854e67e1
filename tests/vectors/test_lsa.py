"""LSA against numpy's SVD, its weightings word by word, and what becomes of odd documents."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.models.trained import texts_of
from aboutness.text.analyzers import analyzer
from aboutness.vectors import lsa
from aboutness.vectors.documents import Texts
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.lsa import LSA, WEIGHTINGS, LatentSpace
from aboutness.vectors.training_text import TrainingText

TEXTS = ["sun sun moon", "moon sea sea sea", "", "city of the sun", "the sea", "über", "the moon the sun"]
FORMS = [(0.5, "unit"), (0.0, "raw"), (-1.0, "raw"), (1.0, "unit"), (0.5, "raw")]
every_weighting = pytest.mark.parametrize("weighting", WEIGHTINGS)
every_form = pytest.mark.parametrize(("scaling", "terms"), FORMS)


def bags(*texts, words=None):
    """Texts of words as bags of numbers."""
    words = words or sorted({word for text in texts for word in text.split()})
    counted = [Counter(text.split()) for text in texts]
    numbers = [words.index(word) for count in counted for word in count]
    counts = [count for bag in counted for count in bag.values()]
    ends = np.cumsum([len(bag) for bag in counted], dtype=np.int64)
    return Texts(np.array(numbers, np.int32), np.array(counts, np.float32), ends)


def counted(texts, words):
    """The matrix of counts, documents x words."""
    return np.array([[text.split().count(word) for word in words] for text in texts], np.float64)


def weighted(counts, weighting):
    """X, cell by cell, as the formulas say."""
    n, df, average = len(counts), np.count_nonzero(counts, axis=0), counts.sum() / len(counts)
    made = np.zeros_like(counts)
    for d, t in np.argwhere(counts):
        tf = counts[d, t]
        if weighting == "tfidf":
            made[d, t] = tf * math.log((1 + n) / (1 + df[t]))
        elif weighting == "bm25":
            length = 1 - 0.75 + 0.75 * counts[d].sum() / average
            made[d, t] = tf / (tf + 1.2 * length) * math.log(1 + (n - df[t] + 0.5) / (df[t] + 0.5))
        elif weighting == "log-entropy":
            shares = [share for share in counts[:, t] / counts[:, t].sum() if share]
            entropy = math.fsum(share * math.log(share) for share in shares) / math.log(n) if n > 1 else 0.0
            made[d, t] = math.log(1 + tf) * (1 + entropy)
        else:
            made[d, t] = tf
    return made


def to_length_one(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)


# --- weights ---------------------------------------------------------------------------------------------------


@every_weighting
@pytest.mark.parametrize("documents", ["unit", "raw"])
@settings(max_examples=20)
@given(data=st.data())
def test_weights_are_those_of_the_formulas(weighting, documents, data):
    """X of documents, that the singular values are those of, and of texts that come later."""
    words = ["aa", "bb", "cc", "dd", "ee"]
    texts = data.draw(st.lists(st.lists(st.sampled_from(words)).map(" ".join), min_size=1, max_size=8))
    texts.append("aa bb")
    space = LSA(dim=9, weighting=weighting, documents=documents).train(texts, threads=1)
    known = list(space.words)
    counts = counted(texts, known)
    expected = weighted(counts, weighting)
    found = np.zeros_like(expected)
    given_bags = bags(*texts, words=known)
    found[lsa._places(given_bags), given_bags.words] = space.weigh(given_bags)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    matrix = to_length_one(expected) if documents == "unit" else expected
    values = np.linalg.svd(matrix, compute_uv=False)
    values = values[values > 1e-6 * values[0]] if values[0] else values[:1]
    np.testing.assert_allclose(space.own["singular_values"], values, rtol=1e-6, atol=1e-9)
    assert space.dim == space.provenance["dim"] == len(values)
    later = bags("aa aa bb", words=known)
    if weighting == "bm25":
        length = 0.25 + 0.75 * 3 / (counts.sum() / len(counts))
        local = {"aa": 2 / (2 + 1.2 * length), "bb": 1 / (1 + 1.2 * length)}
    else:
        local = {"aa": math.log(3), "bb": math.log(2)} if weighting == "log-entropy" else {"aa": 2, "bb": 1}
    again = dict(zip(known, space.own["weights"].tolist(), strict=True))
    assert space.weigh(later) == pytest.approx([local[word] * again[word] for word in ("aa", "bb")])


@pytest.mark.parametrize("size", [3, 7, 1000])
def test_a_word_that_is_spread_evenly_counts_for_nothing(size):
    """Not even by rounding, which rows of length 1 would make as long as all others."""
    space = LSA(dim=9, weighting="log-entropy").train([*["aa"] * (size - 1), "aa bb"], threads=1)
    assert dict(zip(space.words, space.own["weights"].tolist(), strict=True)) == {"aa": 0, "bb": 1}
    assert space.own["singular_values"].tolist() == [1]
    assert not space.rows[:-1].any()


def test_weights_on_paper():
    texts = bags("aa aa bb", "bb", "bb cc")
    assert lsa.word_weights(texts, "tfidf", 3) == pytest.approx([math.log(2), 0, math.log(2)])
    assert lsa.word_weights(texts, "bm25", 3) == pytest.approx([math.log(8 / 3), math.log(8 / 7), math.log(8 / 3)])
    assert lsa.word_weights(texts, "log-entropy", 3) == pytest.approx([1, 0, 1])
    assert lsa.word_weights(texts, "counts", 3).tolist() == [1, 1, 1]
    assert lsa.local_weights(texts, "tfidf", 2.0).tolist() == [2, 1, 1, 1, 1]
    assert lsa.local_weights(texts, "log-entropy", 2.0) == pytest.approx([math.log(3)] + 4 * [math.log(2)])
    saturated = [2 / (2 + 1.65), 1 / (1 + 1.65), 1 / (1 + 0.75), 1 / 2.2, 1 / 2.2]
    assert lsa.local_weights(texts, "bm25", 2.0) == pytest.approx(saturated)


# --- rows ------------------------------------------------------------------------------------------------------


@every_weighting
@every_form
def test_a_row_is_the_direction_of_the_sum_of_its_words(weighting, scaling, terms):
    space = LSA(dim=3, weighting=weighting).train(TEXTS, analyzer="plain").in_form(scaling, terms)
    words = list(space.words)
    values = space.own["singular_values"]
    vectors = space.words.space("in").astype(np.float64) * (values / values[0]) ** scaling
    if terms == "unit":
        vectors = to_length_one(vectors)
    np.testing.assert_allclose(space.vectors, vectors, atol=1e-6)
    expected = to_length_one(weighted(counted(TEXTS, words), weighting) @ vectors)
    rows = space.infer(bags(*TEXTS, words=words))
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, expected, atol=1e-5)
    assert not rows[2].any()  # it has no words


@pytest.mark.parametrize("documents", ["unit", "raw"])
def test_raw_words_give_the_rows_of_u(documents):
    """With scaling 0 documents have the directions of U S, with scaling -1 of U."""
    space = LSA(dim=3, weighting="bm25", documents=documents).train(TEXTS)
    words = list(space.words)
    matrix = weighted(counted(TEXTS, words), "bm25")
    left, values, _ = np.linalg.svd(to_length_one(matrix) if documents == "unit" else matrix)
    for scaling, expected in ((0, left[:, :3] * values[:3]), (-1, left[:, :3])):
        rows = space.in_form(scaling, "raw").infer(bags(*TEXTS, words=words)).astype(np.float64)
        directions = to_length_one(expected)
        np.testing.assert_allclose(rows @ rows.T, directions @ directions.T, atol=1e-5)


def test_another_form_has_no_rows_and_the_same_one_has():
    space = LSA(dim=3).train(TEXTS)
    assert space.in_form(lsa.SCALING, "unit") is space
    other = space.in_form(0, "raw")
    assert (len(other), len(other.arrivals), other.dim, len(space)) == (0, 0, 3, 7)
    assert (other.scaling, other.terms, other.words) == (0, "raw", space.words)


@every_weighting
def test_rows_are_those_that_inference_gives(weighting, monkeypatch):
    """To the bit: of all at once, of each by itself, in other shares, and whatever the threads."""
    texts = [" ".join(f"w{n * n % 11}" for n in range(size % 7)) for size in range(40)]
    space = LSA(dim=4, weighting=weighting).train(texts, threads=1)
    known = list(space.words)
    assert space.infer(bags(*texts, words=known)).tobytes() == space.rows.tobytes()
    for text, row in zip(texts, space.rows, strict=True):
        assert space.infer(bags(text, words=known))[0].tobytes() == row.tobytes()
    monkeypatch.setattr(lsa, "SHARE", 7)
    for threads in (1, 2, None):
        assert space.infer(bags(*texts, words=known), threads).tobytes() == space.rows.tobytes()
        again = LSA(dim=4, weighting=weighting).train(texts, threads=threads)
        assert again.rows.tobytes() == space.rows.tobytes()
    assert space.infer(bags(words=known)).shape == (0, 4)


@pytest.fixture(scope="module")
def index():
    """Three segments, some documents dead, and fields that count more or less."""
    documents = [
        {"id": f"d{n}", "title": f"w{n % 5} w{n % 3}", "text": " ".join(f"w{n * m % 13}" for m in range(n % 9))}
        for n in range(60)
    ]
    index = ab.Index.build([], analyzer="plain", weights={"title": 2.5, "text": 0.7})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        for first in (0, 20, 40):
            index.add(documents[first : first + 20])
        index.delete([f"d{n}" for n in (3, 22, 23, 59)])
    assert len(index.snapshot.segments) == 3
    return index


@every_weighting
@pytest.mark.parametrize("fields", [None, ["title"], {"title": 1.0, "text": 3.0}], ids=str)
def test_rows_of_an_index_are_those_of_its_bags(index, weighting, fields):
    view = index.view(fields=fields)
    space = LSA(dim=5, weighting=weighting).train(view)
    assert space.arrivals.tolist() == view.arrivals[view.alive].tolist()
    assert space.infer(texts_of(view, view.alive, space)).tobytes() == space.rows.tobytes()
    counts = view.matrix().toarray()[:, view.term_numbers(list(space.words))]
    values = np.linalg.svd(to_length_one(weighted(counts, weighting)), compute_uv=False)
    np.testing.assert_allclose(space.own["singular_values"], values[:5], rtol=1e-4)


def test_an_index_and_its_texts_make_the_same(index):
    texts = [" ".join(document.fields.values()) for document in index]
    view = index.view(fields={"title": 1.0, "text": 1.0})
    of_view, of_texts = LSA(dim=5).train(view), LSA(dim=5).train(texts, analyzer="plain")
    of_stream = LSA(dim=5).train(TrainingText.of_view(view))
    for other in (of_texts, of_stream):
        assert list(other.words) == list(of_view.words)
        assert other.rows.tobytes() == of_view.rows.tobytes()


def test_the_words_of_a_text_are_counted_in_order_of_appearance():
    text = TrainingText.of_texts(["cc aa cc bb aa cc", "", "bb aa bb"], analyzer("plain"))
    made = lsa._bags([], text, np.array([2, 1, 0], np.int32), np.ones(3, np.bool_))  # "cc", "aa", "bb" by number
    assert (made.words.tolist(), made.weights.tolist()) == ([2, 1, 0, 0, 1], [3, 2, 1, 2, 1])
    assert made.ends.tolist() == [3, 3, 5]


@pytest.mark.parametrize("fields", [None, {"title": 2.0, "text": 1.0}])
def test_what_a_sample_leaves_is_inferred_in_portions(index, monkeypatch, fields):
    view = index.view(fields=fields)
    whole = LSA(dim=3, sample=5).train(view)
    monkeypatch.setattr("aboutness.vectors.training_text.PORTION", 7)
    portions = LSA(dim=3, sample=5).train(view)
    assert portions.rows.tobytes() == whole.rows.tobytes()
    assert len(portions.rows) == len(index)


# --- chance ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Documents enough for ARPACK."""
    chance = np.random.default_rng(5)
    return [" ".join(f"w{int(n)}" for n in chance.zipf(1.4, 12) if n < 600) for _ in range(500)]


def test_same_seed_same_bytes_and_another_the_same_but_for_rounding(many):
    first, again, other = (LSA(dim=6, seed=seed).train(many) for seed in (4, 4, 5))
    for name, array in first.arrays().items():
        assert array.tobytes() == again.arrays()[name].tobytes()
    np.testing.assert_allclose(other.rows, first.rows, atol=1e-4)
    assert LSA(dim=6, seed=4).train(many, threads=2).rows.tobytes() == first.rows.tobytes()


def test_a_sample_is_trained_on_and_the_others_are_inferred(many):
    space = LSA(dim=6, sample=350, seed=9).train(many)
    chosen = lsa.chosen_documents(500, 350, 9)
    assert chosen.sum() == 350
    alone = LSA(dim=6, seed=9).train([text for text, taken in zip(many, chosen, strict=True) if taken])
    assert list(space.words) == list(alone.words)
    assert space.words.space("in").tobytes() == alone.words.space("in").tobytes()
    assert space.rows[chosen].tobytes() == alone.rows.tobytes()
    known = set(space.words)
    assert len(space) == 500
    later = [" ".join(w for w in text.split() if w in known) for text in many]
    assert space.infer(bags(*later, words=list(space.words))).tobytes() == space.rows.tobytes()
    assert space.provenance["tokens"] == alone.provenance["tokens"]
    assert LSA(dim=6, sample=500).train(many).rows.tobytes() == LSA(dim=6).train(many).rows.tobytes()


def test_the_documents_of_a_sample_depend_on_the_seed(many):
    one, other = (LSA(dim=6, sample=350, seed=seed).train(many) for seed in (1, 2))
    assert not np.allclose(one.rows, other.rows, atol=1e-2)


# --- odd documents ---------------------------------------------------------------------------------------------


@every_weighting
@pytest.mark.parametrize(
    "texts",
    [
        ["aa"],
        ["aa bb", ""],
        ["aa bb bb"] * 5,
        ["aa", "bb", "cc"],
        ["", "", "aa", "aa bb"],
        ["aa " * 100_000 + "bb", "bb cc"],
    ],
    ids=["one", "one and none", "equal", "strangers", "empty", "long"],
)
def test_there_are_as_many_dimensions_as_the_documents_have(weighting, texts):
    space = LSA(weighting=weighting).train(texts)
    assert space.rows.shape == (len(texts), space.dim)
    assert np.isfinite(space.rows).all()
    matrix = to_length_one(weighted(counted(texts, list(space.words)), weighting))
    assert space.dim == space.provenance["dim"] == max(1, np.linalg.matrix_rank(matrix, 1e-6))
    lengths = np.linalg.norm(space.rows.astype(np.float64), axis=1)
    present = [any(space.own["weights"][space.words.numbers(text.split())]) for text in texts]
    np.testing.assert_allclose(lengths, present, atol=1e-6)


def test_where_all_words_are_in_all_documents_tfidf_knows_nothing():
    space = LSA().train(["aa bb", "bb aa"])
    assert (space.dim, space.rows.any(), space.own["singular_values"].tolist()) == (1, False, [0])
    for scaling, terms in FORMS:
        assert not space.in_form(scaling, terms).infer(bags("aa", words=["aa", "bb"])).any()


def test_documents_of_rare_words_alone_have_no_row():
    space = LSA(dim=2, min_count=2, weighting="counts").train(["aa bb", "bb aa aa", "zz yy", "zz"])
    assert list(space.words) == ["aa", "bb", "zz"]
    space = LSA(dim=2, min_count=3, weighting="counts").train(["aa aa bb", "bb aa", "zz yy"])
    assert space.rows.any(axis=1).tolist() == [True, True, False]


@pytest.mark.parametrize(("texts", "least"), [([], 1), (["", ""], 1), (["aa", "bb cc"], 2)], ids=str)
def test_without_words_there_is_nothing_to_train(texts, least):
    with pytest.raises(UsageError, match=f"no word stands at least min_count={least} times"):
        LSA(min_count=least).train(texts)


def test_a_matrix_that_is_too_large_is_told(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(lsa, "largest", full)
    with pytest.raises(
        UsageError, match=r"7 documents and 7 words at dim 200 need about .* a lower dim or a sample"
    ):
        LSA().train(TEXTS, analyzer="plain")


# --- what is kept ----------------------------------------------------------------------------------------------


def test_what_is_kept_infers_as_before():
    space = LSA(dim=3, weighting="bm25").train(TEXTS, analyzer="plain")
    kept = LatentSpace.of_arrays(space.arrays())
    some = bags(*TEXTS, words=list(space.words))
    assert kept.infer(some).tobytes() == space.infer(some).tobytes() == space.rows.tobytes()
    assert kept.rows.tobytes() == space.rows.tobytes()
    assert kept.provenance == json.loads(json.dumps(space.provenance))
    assert kept.words.counts.tolist() == space.words.counts.tolist()
    with pytest.raises(DamagedIndex):
        LatentSpace.of_arrays({})


def test_where_it_comes_from():
    assert TRAINERS["lsa"] is LSA
    made = LSA(dim=3, seed=7).train(TEXTS, analyzer="plain", threads=2).provenance
    assert made["training"] == "lsa"
    assert made["parameters"] == {
        "dim": 3,
        "weighting": "tfidf",
        "documents": "unit",
        "min_count": 1,
        "sample": 0,
        "seed": 7,
    }
    assert (made["threads"], made["tokens"], made["dim"]) == (2, 18, 3)
    assert made["analyzer"] == analyzer("plain").to_json()


def test_how_far_it_is_is_told(many):
    told = []
    space = LSA(dim=6).train(many, tell=told.append)
    total = space.provenance["tokens"] * lsa.LOOKS * 6
    assert all(one.total == total and one.per_second >= 0 for one in told)
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert (told[-1].done, told[-2].done < total, told[-1].seconds_left) == (total, True, 0)


# --- real documents --------------------------------------------------------------------------------------------


def test_real_documents(data_folder):
    """Some of Cranfield's: 50 dimensions against numpy's whole SVD."""
    if not (data_folder / "cranfield").is_dir():
        pytest.skip("cranfield is not there")
    view = ab.Index.build(islice(ab.read(data_folder / "cranfield"), 310)).view()
    space = LSA(dim=50).train(view)
    vectors = space.words.space("in").astype(np.float64)
    counts = view.matrix()[:, view.term_numbers(list(space.words))].toarray()
    df = np.count_nonzero(counts, axis=0)
    matrix = to_length_one(counts * np.log((1 + len(counts)) / (1 + df)))
    _, values, right = np.linalg.svd(matrix, full_matrices=False)
    np.testing.assert_allclose(space.own["singular_values"], values[:50], rtol=1e-9)
    assert np.linalg.svd(vectors.T @ right[:50].T, compute_uv=False).min() > 1 - 1e-6
    lost = np.linalg.norm(matrix - matrix @ vectors @ vectors.T)
    assert lost == pytest.approx(np.linalg.norm(values[50:]), rel=1e-6)
    expected = to_length_one(matrix @ right[:50].T)
    raw = space.in_form(0, "raw").infer(texts_of(view, view.alive, space)).astype(np.float64)
    np.testing.assert_allclose(raw @ raw.T, expected @ expected.T, atol=1e-5)
