"""The dual embedding space model against mitra2016's equations 5 to 8, cosine by cosine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.models.desm import DESM, DESMInIn, DESMInOut, DESMOutIn, DESMOutOut
from aboutness.models.question import Question
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors
from models.drawing import SEEDS, WORDS, made, word_vectors
from models.embeddings import (
    ASKED,
    REAL_QUERIES,
    assert_same_ranking,
    by_word,
    cosine,
    cranfield,
    explained,
    query_of,
    scored,
    turned,
    vectors_of,
    with_vectors,
)
from models.naive import Counts
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, scores

PAIRS = {"in-in": DESMInIn, "in-out": DESMInOut, "out-out": DESMOutOut, "out-in": DESMOutIn}
every_pair = pytest.mark.parametrize("pair", list(PAIRS))
PIVOTS = st.sampled_from([0.0, 0.0, 0.3, 1.0])


def spaces_of(pair, vectors=None):
    """The vectors of query words, and of document words."""
    return tuple(by_word(vectors or word_vectors(), space) for space in pair.split("-"))


def directed(weights, vectors):
    """The words that have a direction."""
    return {word: weight for word, weight in weights.items() if word in vectors and vectors[word].any()}


def size_of_mean(tf, vectors):
    """The length of D̄, the mean of unit vectors, times |D|: by the cosines of all pairs of words."""
    pairs = math.fsum(a * b * cosine(vectors[v], vectors[w]) for v, a in tf.items() for w, b in tf.items())
    return math.sqrt(max(pairs, 0.0))


def cosines(query, tf, asked, held):
    """1/|Q| sum over q, 1/|D| sum over d of cos(q, d), over the length of D̄; None where nothing is known."""
    query, tf = directed(query, asked), directed(tf, held)
    if not query or not tf:
        return None
    total = sum(times * count * cosine(asked[q], held[d]) for q, times in query.items() for d, count in tf.items())
    return total / sum(query.values()) / size_of_mean(tf, held)


def products(query, tf, asked, held):
    """The mean over query and document words of the product of their raw vectors."""
    tf = {word: count for word, count in tf.items() if word in held}
    if not directed(query, asked) or not directed(tf, held):
        return None
    total = sum(times * count * asked[q] @ held[d] for q, times in query.items() for d, count in tf.items())
    return total / sum(directed(query, asked).values()) / sum(tf.values())


def pivoted(counts, place, pivot):
    return 1 - pivot + pivot * counts.length[place] / (counts.average or 1)


@every_pair
@settings(max_examples=60)
@given(data=st.data())
def test_scores_are_those_of_the_equations(pair, data):
    index, weights, text = made(data.draw(SEEDS)), data.draw(WEIGHTS), data.draw(ASKED)
    similarity, pivot = data.draw(st.sampled_from(["cosine", "dot"])), data.draw(PIVOTS)
    model = DESM(pair, fields=weights, similarity=similarity, pivot=pivot)
    counts, (asked, held) = Counts.of(list(index), weights), spaces_of(pair)
    query = query_of(text, asked)
    formula = cosines if similarity == "cosine" else products
    floor = model.bind(index.snapshot).floor(Question(text))
    for place, score in enumerate(scores(model, index, text)):
        expected = formula(query, counts.tf[place], asked, held)
        if expected is None:
            assert score == floor
        else:
            expected /= pivoted(counts, place, pivot)
            assert score == pytest.approx(expected, rel=1e-6, abs=1e-6)
            assert score >= floor
    if similarity == "cosine" and not pivot:
        assert floor == -1


@every_pair
@settings(max_examples=30)
@given(data=st.data())
def test_every_word_of_a_document_has_its_part(pair, data):
    """What each word adds is the mean of its cosines with the query's words (mitra2016 fig. 3)."""
    index, weights, text = made(data.draw(SEEDS)), data.draw(WEIGHTS), data.draw(ASKED)
    pivot = data.draw(PIVOTS)
    model = DESM(pair, fields=weights, pivot=pivot)
    counts, (asked, held) = Counts.of(list(index), weights), spaces_of(pair)
    query = directed(query_of(text, asked), asked)
    mean = sum((times * asked[q] / np.linalg.norm(asked[q]) for q, times in query.items()), np.zeros(5))
    for place, found in enumerate(explained(model, index.snapshot, text)):
        tf = counts.tf[place]
        if not query or not directed(tf, held):
            assert found.parts == ()
            continue
        assert {part.word for part in found.parts} == {word for word in tf if word in held}
        size = size_of_mean(directed(tf, held), held) * pivoted(counts, place, pivot)
        for part in found.parts:
            similarity = cosine(held[part.word], mean) or 0.0
            each = [times * (cosine(asked[q], held[part.word]) or 0.0) for q, times in query.items()]
            value = tf[part.word] * sum(each) / sum(query.values()) / size
            assert part.name == part.word
            assert part.value == pytest.approx(value, rel=1e-6, abs=1e-6)
            assert part.details["similarity"] == pytest.approx(similarity, abs=1e-6)
            assert part.details["in_document"] == pytest.approx(tf[part.word])
        assert found.total == pytest.approx(found.score, rel=1e-6, abs=1e-6)


@every_pair
@settings(max_examples=20)
@given(data=st.data())
def test_parts_of_raw_products(pair, data):
    index, text = made(data.draw(SEEDS)), data.draw(ASKED)
    counts, (asked, held) = Counts.of(list(index), dict.fromkeys(["title", "text"], 1.0)), spaces_of(pair)
    query = query_of(text, asked)
    for place, found in enumerate(
        explained(DESM(pair, similarity="dot", fields="title+text"), index.snapshot, text)
    ):
        tf = counts.tf[place]
        known = sum(count for word, count in tf.items() if word in held)
        for part in found.parts:
            value = sum(times * asked[q] @ held[part.word] for q, times in query.items()) * tf[part.word] / known
            assert part.value == pytest.approx(value / sum(directed(query, asked).values()), rel=1e-6, abs=1e-6)
        if found.parts:
            assert found.total == pytest.approx(found.score, rel=1e-6, abs=1e-6)


def test_a_document_on_paper():
    """IN of the query with OUT of the documents: two unit vectors, of which one lies along the query."""
    snapshot = with_vectors(
        of_texts("sun moon", "moon moon moon").snapshot,
        words=vectors_of({"in": {"sun": [2, 0], "moon": [0, 3]}, "out": {"sun": [0, 5], "moon": [7, 0]}}),
    )
    assert scored(DESM("in-out"), snapshot, "sun") == pytest.approx([math.sqrt(0.5), 1])
    assert scored(DESM("in-in"), snapshot, "sun") == pytest.approx([math.sqrt(0.5), 0], abs=1e-7)
    assert scored(DESM("out-out"), snapshot, "sun sun moon") == pytest.approx([math.sqrt(0.5), 1 / 3])
    assert scored(DESM("out-in"), snapshot, "sun sun moon") == pytest.approx([math.sqrt(0.5), 2 / 3])
    assert scored(DESM("in-out", similarity="dot"), snapshot, "sun") == pytest.approx([7, 14])
    assert scored(DESM("in-out", pivot=1), snapshot, "sun") == pytest.approx([math.sqrt(0.5) / 0.8, 1 / 1.2])
    sun, moon = explained(DESM("in-out"), snapshot, "sun")[0].parts
    assert (sun.word, sun.value, sun.details["similarity"]) == ("sun", pytest.approx(0), pytest.approx(0))
    assert (moon.word, moon.value, moon.details["similarity"]) == ("moon", pytest.approx(math.sqrt(0.5)), 1)


@every_pair
def test_real_documents_and_vectors(pair, data_folder, vectors_folder):
    """Every score of a real collection, from the cosines of all its words with the query's."""
    real = cranfield(data_folder / "cranfield", vectors_folder / "glove6b_100d")
    unit = {
        space: real.matrix(space) / np.linalg.norm(real.matrix(space), axis=1, keepdims=True)
        for space in ("in", "out")
    }
    asked, held = (unit[space] for space in pair.split("-"))
    for weights in ({"title": 1.0, "text": 1.0}, {"title": 2.5, "text": 0.5}):
        counted = real.counts(weights)
        sizes = np.linalg.norm(counted @ held, axis=1)
        for text in REAL_QUERIES:
            query = real.counts_of(text)
            words = held @ asked.T[:, query > 0]  # cosines: words of documents x words of the query
            means = words @ query[query > 0] / query.sum()
            expected = np.divide(counted @ means, sizes, out=np.full(len(counted), -1.0), where=sizes > 0)
            np.testing.assert_allclose(
                scored(DESM(pair, fields=weights), real.snapshot, text), expected, atol=1e-6
            )


# --- properties ------------------------------------------------------------------------------------------------


@every_pair
@settings(max_examples=25)
@given(seed=SEEDS, text=ASKED, similarity=st.sampled_from(["cosine", "dot"]))
def test_a_pivot_of_nothing_changes_nothing(pair, seed, text, similarity):
    index = made(seed)
    plain = scores(DESM(pair, similarity=similarity), index, text)
    assert scores(DESM(pair, similarity=similarity, pivot=0.0), index, text) == plain


@every_pair
@settings(max_examples=25)
@given(seed=SEEDS, rotation=st.integers(0, 1 << 32), text=ASKED, pivot=PIVOTS)
def test_rotating_the_embedding_changes_no_product(pair, seed, rotation, text, pivot):
    snapshot = with_vectors(made(seed).snapshot, words=word_vectors(), turned=turned(word_vectors(), rotation))
    one, other = (
        scored(DESM(pair, similarity="dot", pivot=pivot, vectors=name), snapshot, text)
        for name in ("words", "turned")
    )
    assert_same_ranking(one, other)


@every_pair
@settings(max_examples=25)
@given(seed=SEEDS, words=st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6), data=st.data())
def test_the_order_of_query_words_does_not_matter(pair, seed, words, data):
    index, other = made(seed), data.draw(st.permutations(words))
    assert_same_ranking(
        scores(DESM(pair), index, " ".join(words)), scores(DESM(pair), index, " ".join(other)), 1e-6
    )


@every_pair
def test_twice_the_query_or_the_document_is_the_same(pair):
    index = of_texts("aa bb", "aa bb aa bb", "cc", "cc cc cc")
    once = scores(DESM(pair), index, "aa dd")
    assert scores(DESM(pair), index, "aa dd dd aa") == pytest.approx(once, abs=1e-6)
    assert once[0] == pytest.approx(once[1], abs=1e-6)
    assert once[2] == pytest.approx(once[3], abs=1e-6)
    assert scores(DESM(pair), index, "aa dd dd") != pytest.approx(once, abs=1e-3)


@every_pair
def test_weights_of_fields_count(pair):
    assert_title_counts_three_times(PAIRS[pair])
    assert_title_counts_three_times(PAIRS[pair], similarity="dot", pivot=0.5)


def test_a_pivot_takes_from_long_documents():
    index = of_texts("aa bb", "aa bb aa bb aa bb", "aa bb zz zz zz zz")
    plain, less = scores(DESM("in-in"), index, "aa"), scores(DESM("in-in", pivot=0.5), index, "aa")
    average = 14 / 3
    expected = [score / (0.5 + 0.5 * length / average) for score, length in zip(plain, [2, 6, 6], strict=True)]
    assert less == pytest.approx(expected, rel=1e-6)
    assert less[0] > less[1] == pytest.approx(less[2], rel=1e-6)


@pytest.mark.parametrize("options", [{"similarity": "dot"}, {"pivot": 1.0}, {"similarity": "dot", "pivot": 1.0}])
@every_pair
def test_nothing_comes_below_a_document_without_known_words(pair, options):
    """Also where scores are no cosines: vectors of different lengths, some opposite, and very short documents."""
    words = {"aa": [3, 4], "bb": [-30, -40], "cc": [1e-3, 0], "dd": [5, -5]}
    vectors = vectors_of({"in": words, "out": words})
    index = of_texts("zz", "bb", "aa", "aa bb cc dd dd dd", "cc", "zz zz zz zz aa", "dd " * 50)
    snapshot, model = with_vectors(index.snapshot, words=vectors), DESM(pair, **options)
    scorer = model.bind(snapshot)
    for text in ("aa", "bb", "cc dd", "aa bb"):
        found = scorer.top(Question(text), 10, match="all")
        score = dict(zip(found.documents.tolist(), found.scores.tolist(), strict=True))
        assert score[0] == min(score.values()) == np.float32(scorer.floor(Question(text)))
        assert list(score.values()).count(score[0]) <= 2  # the shortest document may be just opposite
        assert np.isfinite(found.scores).all()


def test_query_words_without_a_direction_do_not_count():
    """|Q| are the words that have a vector in the query's space: "ff" is 0 in OUT."""
    index = of_texts("aa bb", "cc dd")
    assert scores(DESM("out-in"), index, "aa ff") == scores(DESM("out-in"), index, "aa")
    assert scores(DESM("out-in", similarity="dot"), index, "aa ff") == scores(
        DESM("out-in", similarity="dot"), index, "aa"
    )
    assert scores(DESM("in-in"), index, "aa ff") != scores(DESM("in-in"), index, "aa")
    assert len(index.search("ff", ranker=DESM("out-in"), match="all")) == 0


@pytest.mark.parametrize("pair", ["in-out", "out-out", "out-in"])
def test_vectors_without_out_are_told(pair):
    only = WordVectors(StringTable.of(["aa"]), {"in": np.ones((1, 2), np.float32)})
    index = of_texts("aa bb", "cc dd")
    snapshot = with_vectors(index.snapshot, words=only)
    with pytest.raises(UsageError, match="these vectors have no space 'out', only: in"):
        scored(DESM(pair), snapshot, "aa")
    assert scored(DESM("in-in"), snapshot, "aa") == [1, -1]


def test_a_space_by_its_name():
    for pair, kind in PAIRS.items():
        assert DESM(pair) == kind()
        assert str(DESM(pair, pivot=0.5)) == f"desm-{pair}[pivot=0.5]"
        assert kind.__doc__ == DESMInOut.__doc__
        assert (kind.query_space, kind.document_space) == tuple(pair.split("-"))
    assert DESM() == DESMInOut()
    with pytest.raises(UsageError, match="space must be one of in-in, in-out, out-out, out-in, got 'out'"):
        DESM("out")
