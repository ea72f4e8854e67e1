"""malina2016's weighted sums against the formula, word by word."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import NotFound, UsageError
from aboutness.index.trained import Trained
from aboutness.models import centroids, weighted
from aboutness.models.ketos_doc2vec import KetosDoc2Vec
from aboutness.models.question import Question
from aboutness.models.trained import on_all, text_of
from aboutness.models.weighted import DeepWalkWeighted, Doc2VecWeighted
from aboutness.vectors.edges import Edges
from aboutness.vectors.kept import space_of
from aboutness.vectors.walks import Walks
from aboutness.vectors.word2vec import Word2Vec
from models.drawing import FIELDS, UNKNOWN, WORDS, documents_of, index_of, large, named, texts, word_vectors
from models.embeddings import by_word, cosine, explained, scored

MODELS = {"ketos-edges": Doc2VecWeighted, "edges": DeepWalkWeighted}
every_model = pytest.mark.parametrize("name", list(MODELS))
names = st.sampled_from(list(MODELS))
seeds = st.sampled_from([1, 4, 5, 7, 9, 12])
ASKED = texts([*WORDS, *UNKNOWN, "unheard"])
WEIGHTS = st.none() | st.fixed_dictionaries({name: st.sampled_from([1.0, 3.0, 0.3]) for name in FIELDS})
some = settings(max_examples=40)


def train(index):
    """Train on edges, with vectors long enough that some weights are below 0 and some above."""
    how = {"dim": 5, "min_count": 2, "epochs": 100, "rate": 0.05, "power": 0}
    index.train(Edges(**how), threads=1)
    index.train(Edges(**how, window=2), name="ketos-edges", threads=1)
    return index


@cache
def made(seed):
    """Documents in two segments, one of them dead, trained on; then one more comes."""
    documents = documents_of(seed) + named([{"text": " ".join(WORDS * 2)}], "all")
    cut = len(documents) // 2
    index = train(index_of(documents[:cut], documents[cut:], dead=[documents[0].id]))
    index.add(named([{"title": "aa bb", "text": "cc bb zz"}], "late"))
    return index


def row_and_weights(name, index, question):
    space = space_of(index.snapshot.trained, name)
    return space.infer_question(text_of(index.view(), question, space))[0].astype(np.float64)


def out_vectors(name, index):
    words = space_of(index.snapshot.trained, name).words
    return dict(zip(words, words.space("out").astype(np.float64), strict=True))


def weighed(tf, row, shift, name, index):
    """The weights of words: count x (w . d + shift), where both vectors are there."""
    out, vectors = out_vectors(name, index), by_word(word_vectors())
    return {word: n * (out[word] @ row + shift) for word, n in tf.items() if word in out and word in vectors}


def summed(weights):
    vectors = by_word(word_vectors())
    return sum((weight * vectors[word] for word, weight in weights.items()), np.zeros(5))


def counts_of(fields, weights):
    found = Counter()
    for field, text in fields.items():
        for word in text.split():
            found[word] += weights[field]
    return found


def rows_of(name, index):
    return on_all(index.view(), space_of(index.snapshot.trained, name)).rows[index.snapshot.live_numbers()]


@some
@given(data=st.data())
def test_scores_are_those_of_the_formula(data):
    index, name, chosen = made(data.draw(seeds)), data.draw(names), data.draw(WEIGHTS)
    shift, text = data.draw(st.sampled_from([0.0, 1.6, -0.7])), data.draw(ASKED)
    model = MODELS[name](fields=chosen, shift=shift)
    row = row_and_weights(name, index, Question(text))
    query = summed(weighed(Counter(text.split()), row, shift, name, index))
    expected = []
    for document, own in zip(index, rows_of(name, index).astype(np.float64), strict=True):
        tf = counts_of(document.fields, FIELDS if chosen is None else chosen)
        found = cosine(query, summed(weighed(tf, own, shift, name, index)))
        expected.append(-1.0 if found is None else found)
    assert scored(model, index.snapshot, text) == pytest.approx(expected, abs=2e-5)


@some
@given(data=st.data())
def test_every_word_of_a_document_has_its_part(data):
    index, name, text = made(data.draw(seeds)), data.draw(names), data.draw(ASKED)
    shift = data.draw(st.sampled_from([0.0, 1.6]))
    vectors = by_word(word_vectors())
    query = summed(
        weighed(Counter(text.split()), row_and_weights(name, index, Question(text)), shift, name, index)
    )
    found = explained(MODELS[name](shift=shift), index.snapshot, text)
    for one, document, own in zip(found, index, rows_of(name, index).astype(np.float64), strict=True):
        tf = counts_of(document.fields, FIELDS)
        weights = weighed(tf, own, shift, name, index)
        total = summed(weights)
        if not query.any() or not total.any():
            assert (one.score, one.parts) == (-1, ())
            continue
        assert {part.word for part in one.parts} == {word for word in tf if word in vectors}
        for part in one.parts:
            value = weights.get(part.word, 0.0) * vectors[part.word] @ query
            value /= np.linalg.norm(query) * np.linalg.norm(total)
            assert part.value == pytest.approx(value, rel=1e-4, abs=2e-5)
            assert part.details["in_document"] == pytest.approx(tf[part.word])
        assert one.total == pytest.approx(one.score, rel=1e-6, abs=1e-6)


@every_model
def test_weights_may_be_below_0(name):
    """In what the formula is tested on, there are weights on both sides of 0."""
    index = made(6)
    rows, out = rows_of(name, index).astype(np.float64), out_vectors(name, index)
    products = rows @ np.array(list(out.values())).T
    assert products.min() < -0.1 < 0.1 < products.max()


@every_model
def test_a_document_asks_with_its_own_vector(name):
    index = made(7)
    scorer = MODELS[name]().bind(index.snapshot)
    numbers = index.snapshot.live_numbers()
    for number in numbers.tolist():
        question = Question(document=number)
        if not scorer.rows.rows[number].any():
            assert not scorer.knows(question)
            continue
        expected = scorer.rows.rows[numbers].astype(np.float64) @ scorer.rows.rows[number]
        expected[~scorer.rows.present[numbers]] = -1
        np.testing.assert_allclose(scorer.scores(question, numbers), expected, atol=1e-6)
        assert scorer.scores(question, np.array([number]))[0] == pytest.approx(1, abs=1e-6)


@every_model
def test_new_documents_are_weighed_by_what_is_inferred(name):
    index = made(5)
    text = "aa bb cc bb zz"  # that of the last document
    alike = MODELS[name](fields=dict.fromkeys(FIELDS, 1.0))
    assert scored(alike, index.snapshot, text)[-1] > 0.9  # a query is read more often


@every_model
def test_unit_rows_or_none(name):
    scorer = MODELS[name]().bind(made(9).snapshot)
    lengths = np.linalg.norm(scorer.rows.rows, axis=1)
    assert all(length == 0 or length == pytest.approx(1, abs=1e-6) for length in lengths.tolist())
    assert scorer.rows.present.any()


def test_what_scorers_share():
    """Those with other shifts have rows of their own, however near; one does not change while it explains."""
    snapshot = made(4).snapshot
    one, near, same = (DeepWalkWeighted(shift=shift).bind(snapshot) for shift in (0.5, 0.5000001, 0.5))
    assert one.rows is same.rows
    assert one.rows is not near.rows
    before = dict(vars(one))
    one.explain(Question("aa bb"), int(snapshot.live_numbers()[0]))
    assert all(vars(one)[name] is value for name, value in before.items())


@cache
def large_and_trained():
    index = large()
    index.train(Edges(dim=4, epochs=1), threads=1)
    return index


def test_a_large_index_in_shares(monkeypatch):
    """Whether documents are shared out among threads in large or small shares changes no bit."""
    index = large_and_trained()
    whole = DeepWalkWeighted().bind(index.snapshot).rows.rows.copy()
    assert whole.any(axis=1).sum() > 5000
    monkeypatch.setattr(centroids, "SHARE", 13)
    again = DeepWalkWeighted(weights="edges").bind(index.snapshot).rows.rows
    assert again.tobytes() == whole.tobytes()


# --- which vectors ----------------------------------------------------------------------------------------------


def test_what_is_needed():
    assert Doc2VecWeighted().needs(Trained()) == [("word2vec", Word2Vec()), ("ketos-edges", Edges(window=5))]
    assert DeepWalkWeighted().needs(Trained()) == [("word2vec", Word2Vec()), ("edges", Edges())]
    there = made(4).snapshot.trained
    assert Doc2VecWeighted().needs(there) == DeepWalkWeighted().needs(there) == []


def test_what_is_not_there():
    index = index_of(documents_of(4))
    with pytest.raises(NotFound, match=r"^doc2vec-weighted needs documents to be trained on"):
        Doc2VecWeighted().bind(index.snapshot)
    with pytest.raises(NotFound, match="has no trained rows 'nope'"):
        DeepWalkWeighted(weights="nope").bind(made(4).snapshot)
    with pytest.raises(NotFound, match="has no word vectors 'nope'"):
        DeepWalkWeighted(vectors="nope").bind(made(4).snapshot)


def test_weights_by_name():
    index = train(index_of(documents_of(7)))
    index.train(Walks(dim=5, min_count=1, epochs=5), threads=1)
    two = index_of(documents_of(7))
    for name in ("one", "two"):
        two.train(Walks(dim=5, min_count=1, epochs=5), threads=1, name=name)
    with pytest.raises(UsageError, match=r"one: one, two \(deepwalk-weighted\[weights=one\]\)"):
        DeepWalkWeighted().bind(two.snapshot)
    by_edges, by_walks = (
        scored(DeepWalkWeighted(weights=name), index.snapshot, "aa bb") for name in ("edges", "walks")
    )
    assert by_edges != by_walks
    assert by_edges == scored(DeepWalkWeighted(), train(index_of(documents_of(7))).snapshot, "aa bb")


def test_the_layer_that_was_trained_on():
    index = index_of(documents_of(7))
    index.train(Edges(dim=5, min_count=1, window=2), name="ketos-edges", layer="pairs", threads=1)
    assert Doc2VecWeighted().view(index.snapshot).layer == "pairs"
    assert KetosDoc2Vec().view(index.snapshot).layer == "pairs"
    with pytest.raises(UsageError, match="was trained on the layer 'pairs', not on 'main'"):
        Doc2VecWeighted(layer="main").bind(index.snapshot)


# --- what is kept -----------------------------------------------------------------------------------------------


def test_rows_that_are_kept_in_the_index(monkeypatch):
    """`prepare` keeps them; they are used as long as word vectors and weights are the same."""
    index = train(index_of(documents_of(7)))
    fresh = scored(DeepWalkWeighted(), index.snapshot, "aa bb")
    assert index.prepare("deepwalk-weighted") == ["deepwalk-weighted[vectors=words]"]
    made_rows = []
    make = weighted.WeightedSums._make

    def counted(self, factors, wanted, rows):
        made_rows.append(int(wanted.sum()))
        make(self, factors, wanted, rows)

    monkeypatch.setattr(weighted.WeightedSums, "_make", counted)
    model = DeepWalkWeighted(vectors="words")
    assert scored(model, index.snapshot, "aa bb") == fresh
    assert made_rows == []
    index.add(named([{"text": "aa bb"}], "late"))
    assert scored(model, index.snapshot, "aa bb")[:-1] == fresh
    assert made_rows == [1]
    index.train(Edges(dim=5, min_count=1, seed=5), threads=1)
    again = scored(model, index.snapshot, "aa bb")
    assert made_rows == [1, len(documents_of(7)) + 1]
    assert again[:-1] != fresh
