"""The centroid family against the formulas of galke2017 §3 and malina2016, worked out word by word."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.core.errors import NotFound, UsageError
from aboutness.models import centroids
from aboutness.models.iwcs import IWCS
from aboutness.models.ketos import Ketos
from aboutness.models.model import MODELS
from aboutness.models.question import Question
from aboutness.models.rarity import IDF
from aboutness.models.wcs import WCS
from aboutness.vectors.words import WordVectors
from models.drawing import FIELDS, SEEDS, WORDS, index_of, large, large_questions, made, named, word_vectors
from models.embeddings import (
    ASKED,
    REAL_QUERIES,
    assert_same_ranking,
    by_word,
    centroid,
    changed,
    cosine,
    cranfield,
    explained,
    idf,
    in_vectors,
    query_of,
    scored,
    seeds_of_rotation,
    turned,
    with_vectors,
)
from models.naive import Counts
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, scores

CENTROIDS = ["wcs", "iwcs", "ketos"]
FAMILY = [*CENTROIDS, "desm-in-in", "desm-in-out", "desm-out-out", "desm-out-in"]
every_model = pytest.mark.parametrize("name", FAMILY)
every_centroid = pytest.mark.parametrize("name", CENTROIDS)
some = settings(max_examples=40)

SUN = [1.0, 0.0, 0.0]
MOON = [0.6, 0.8, 0.0]
SEA = [0.0, 1.0, 2.0]


def weighted(model, tf, counts):
    """The weights of words by name as the formula of a model has them: of a document, or of a query."""
    if isinstance(model, WCS):
        return dict(tf)
    variant = model.idf if isinstance(model, IWCS) else "malina"
    return {word: count * idf(variant, counts.n, counts.df, word) for word, count in tf.items()}


def question_of(model, text, counts, vectors):
    asked = query_of(text, vectors)
    return asked if isinstance(model, IWCS) and model.query == "count" else weighted(model, asked, counts)


def expected_scores(model, documents, weights, text, vectors=None):
    """The cosine of the query's centroid with each document's; -1 without either, as where nothing is known."""
    vectors = vectors or by_word(word_vectors())
    counts = Counts.of(documents, weights)
    query = centroid(question_of(model, text, counts, vectors), vectors)
    found = (cosine(query, centroid(weighted(model, tf, counts), vectors)) for tf in counts.tf)
    return [-1.0 if one is None else one for one in found]


@st.composite
def centroid_models(draw, fields=None):
    kind = draw(st.sampled_from([WCS, IWCS, Ketos]))
    more = {}
    if kind is IWCS:
        more = {"idf": draw(st.sampled_from(list(IDF))), "query": draw(st.sampled_from(["count", "idf"]))}
    return kind(fields=fields, **more)


# --- the formulas ----------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(data=st.data())
def test_scores_are_those_of_the_formula(data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    model, text = data.draw(centroid_models(weights)), data.draw(ASKED)
    expected = expected_scores(model, list(index), weights, text)
    assert scores(model, index, text) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@some
@given(data=st.data())
def test_every_word_of_a_document_has_its_part(data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    model, text = data.draw(centroid_models(weights)), data.draw(ASKED)
    vectors, counts = by_word(word_vectors()), Counts.of(list(index), weights)
    query = centroid(question_of(model, text, counts, vectors), vectors)
    for found, tf in zip(explained(model, index.snapshot, text), counts.tf, strict=True):
        summed = centroid(weighted(model, tf, counts), vectors)
        if not query.any() or not summed.any():
            assert (found.score, found.parts) == (-1, ())
            continue
        row = weighted(model, tf, counts)
        size = np.linalg.norm(sum(row[word] * vectors[word] for word in row if word in vectors))
        assert [part.name for part in found.parts] == [part.word for part in found.parts]
        assert {part.word for part in found.parts} == {word for word in tf if word in vectors}
        for part in found.parts:
            value = row[part.word] * vectors[part.word] @ query / np.linalg.norm(query) / size
            assert part.value == pytest.approx(value, rel=1e-6, abs=1e-6)
            assert part.details["similarity"] == pytest.approx(cosine(vectors[part.word], query), abs=1e-6)
            assert part.details["in_document"] == pytest.approx(tf[part.word])
            length = np.linalg.norm(vectors[part.word])
            assert part.details["weight"] == pytest.approx(row[part.word] * length / size, rel=1e-6)
        assert found.total == pytest.approx(found.score, rel=1e-6, abs=1e-6)


def test_a_document_on_paper():
    """Three documents of two words, and every number by hand."""
    index = of_texts("sun sun moon", "moon sea", "sea sea")
    snapshot = with_vectors(index.snapshot, words=in_vectors(sun=SUN, moon=MOON, sea=SEA))
    sums = [(2.6, 0.8, 0), (0.6, 1.8, 2), (0, 2, 4)]
    expected = [x / math.sqrt(x * x + y * y + z * z) for x, y, z in sums]
    assert scored(WCS(), snapshot, "sun") == pytest.approx(expected, abs=1e-6)
    sun, moon, sea = (math.log(4 / (1 + df)) for df in (1, 2, 2))
    sums = [(2 * sun + 0.6 * moon, 0.8 * moon, 0), (0.6 * moon, 0.8 * moon + sea, 2 * sea), (0, sea, 2 * sea)]
    expected = [x / math.sqrt(x * x + y * y + z * z) for x, y, z in sums]
    assert scored(IWCS(), snapshot, "sun") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("model", [WCS(), IWCS(), IWCS(query="idf"), Ketos()], ids=str)
def test_a_word_counts_as_often_as_it_is_asked(model):
    index = of_texts("aa bb bb", "bb cc", "cc aa dd", "ee")
    found = {text: scores(model, index, text) for text in ("aa cc", "aa aa aa cc")}
    for text, values in found.items():
        assert values == pytest.approx(expected_scores(model, list(index), {"text": 1.0}, text), abs=1e-6)
    assert found["aa cc"] != pytest.approx(found["aa aa aa cc"], abs=1e-3)


@every_centroid
def test_weights_of_fields_count(name):
    assert_title_counts_three_times(MODELS[name])


@every_centroid
def test_a_large_index_in_shares(name, monkeypatch):
    """Whether documents are shared out among threads in large or small shares changes no bit."""
    index, model = large(), MODELS[name]()
    asked = large_questions()[:3]
    whole = [scored(model, index.snapshot, one) for one in asked]
    monkeypatch.setattr(centroids, "SHARE", 13)
    fresh = with_vectors(index.snapshot, words=word_vectors())
    assert [scored(model, fresh, one) for one in asked] == whole


@pytest.fixture(scope="module")
def real(data_folder, vectors_folder):
    return cranfield(data_folder / "cranfield", vectors_folder / "glove6b_100d")


@pytest.mark.parametrize("weights", [{"title": 3.5, "text": 0.25}, {"title": 1.0}])
def test_real_documents_and_vectors(real, weights):
    """Every score of a real collection, by dense matrices."""
    counted = real.counts(weights)
    df, n = np.count_nonzero(counted, axis=0), len(counted)
    rare = {"galke": np.log((1 + n) / (1 + df)), "malina": np.log(n / np.maximum(df, 1))}
    for model, document_weights, query_weights in [
        (WCS(fields=weights), 1.0, 1.0),
        (IWCS(fields=weights), rare["galke"], 1.0),
        (IWCS(fields=weights, query="idf"), rare["galke"], rare["galke"]),
        (Ketos(fields=weights), rare["malina"], rare["malina"]),
    ]:
        rows = counted * document_weights
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        sums = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0) @ real.matrix("in")
        for text in REAL_QUERIES:
            asked = (real.counts_of(text) * query_weights) @ real.matrix("in")
            sizes = np.linalg.norm(sums, axis=1) * np.linalg.norm(asked)
            expected = np.divide(sums @ asked, sizes, out=np.full(n, -1.0), where=sizes > 0)
            np.testing.assert_allclose(scored(model, real.snapshot, text), expected, atol=1e-6)


# --- properties ------------------------------------------------------------------------------------------------


@every_model
@some
@given(seed=SEEDS, rotation=seeds_of_rotation, text=ASKED)
def test_rotating_the_embedding_changes_no_ranking(name, seed, rotation, text):
    snapshot = with_vectors(made(seed).snapshot, words=word_vectors(), turned=turned(word_vectors(), rotation))
    model = MODELS[name]
    assert_same_ranking(
        scored(model(vectors="words"), snapshot, text), scored(model(vectors="turned"), snapshot, text)
    )


@every_model
@some
@given(seed=SEEDS, factor=st.sampled_from([1e-6, 1e6]) | st.floats(1e-3, 1e3), text=ASKED)
def test_scaling_the_embedding_changes_no_angle(name, seed, factor, text):
    scaled = changed(word_vectors(), lambda matrix: matrix * factor)
    snapshot = with_vectors(made(seed).snapshot, words=word_vectors(), scaled=scaled)
    model = MODELS[name]
    assert_same_ranking(
        scored(model(vectors="words"), snapshot, text), scored(model(vectors="scaled"), snapshot, text)
    )


@cache
def each_word_as_often(seed):
    """Documents in which each word is in as many documents as each other; texts go over two fields."""
    chance = random.Random(seed)
    words = WORDS[:-1]
    chance.shuffle(words)
    cut = chance.randrange(1, len(words))
    bodies = []
    for part in (words[:cut], words[cut:]):
        drawn = part + chance.choices(part, k=3)
        half = chance.randrange(len(drawn) + 1)
        bodies.append({"title": " ".join(drawn[:half]), "text": " ".join(drawn[half:])})
    return index_of(named(bodies * chance.choice([1, 2])), named([{}], "empty"))


@pytest.mark.parametrize("variant", list(IDF))
@settings(max_examples=25)
@given(seed=st.integers(0, 5), text=ASKED, weights=st.sampled_from([None, {"title": 3.0, "text": 0.5}]))
def test_iwcs_with_equal_idf_is_wcs(variant, seed, text, weights):
    index = each_word_as_often(seed)
    df = {df for df in index.view().statistics.df.tolist() if df}
    assert len(df) == 1
    plain = scores(WCS(fields=weights), index, text)
    assert scores(IWCS(idf=variant, fields=weights), index, text) == pytest.approx(plain, abs=1e-6)


@some
@given(data=st.data())
def test_ketos_is_iwcs_with_its_idf_on_both_sides(data):
    index, text, weights = made(data.draw(SEEDS)), data.draw(ASKED), data.draw(WEIGHTS)
    ketos = scores(Ketos(fields=weights), index, text)
    assert scores(IWCS(idf="malina", query="idf", fields=weights), index, text) == ketos


@every_centroid
@some
@given(seed=SEEDS, words=st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=6), data=st.data())
def test_the_order_of_query_words_does_not_matter(name, seed, words, data):
    index, model = made(seed), MODELS[name]()
    other = data.draw(st.permutations(words))
    assert_same_ranking(scores(model, index, " ".join(words)), scores(model, index, " ".join(other)), 1e-6)


@some
@given(seed=SEEDS, weights=WEIGHTS)
def test_a_document_finds_itself(seed, weights):
    index, model = made(seed), WCS(fields=weights)
    scorer = model.bind(index.snapshot)
    for number in index.snapshot.live_numbers().tolist():
        question = Question(document=number)
        ranking = scorer.top(question, 100, match="all")
        if scorer.rows.present[number]:
            score = dict(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))[number]
            assert score == pytest.approx(1.0, abs=1e-6)
            assert score == pytest.approx(ranking.scores[0], abs=2e-7)
        else:
            assert len(ranking) == 0


def test_a_text_finds_the_document_that_it_is():
    index = of_texts("aa bb", "bb cc cc", "aa cc dd ee", "ee")
    for number, text in enumerate(["aa bb", "cc bb cc", "ee dd cc aa", "ee"]):
        (hit, *_) = index.search(text, ranker="wcs", match="all")
        assert hit.id == f"d{number}"
        assert hit.score == pytest.approx(1.0, abs=1e-6)


def test_a_model_says_what_its_parameters_do():
    index = of_texts("aa bb bb", "bb cc", "cc aa dd", "bb")
    views = {
        str(model): scores(model, index, "aa bb cc") for model in (IWCS(), IWCS(query="idf"), IWCS(idf="slides"))
    }
    assert list(views) == ["iwcs", "iwcs[query=idf]", "iwcs[idf=slides]"]
    assert len(set(map(tuple, views.values()))) == 3


# --- what is not known -----------------------------------------------------------------------------------------


@every_model
def test_words_without_a_vector_are_left_out(name):
    """Of documents and of questions: "über" is not among the vectors."""
    bodies = ["aa bb", "cc dd dd", "ee aa"]
    known, more = of_texts(*bodies), of_texts(*(f"über {body} über" for body in bodies))
    model = MODELS[name]()
    if name in ("iwcs", "ketos"):  # df is the same
        assert known.view().statistics.documents == more.view().statistics.documents
    expected = scores(model, known, "aa cc")
    assert scores(model, more, "aa cc") == expected
    assert scores(model, more, "über aa zz cc") == expected
    assert "über" not in {
        part.word for found in explained(model, more.snapshot, "aa über") for part in found.parts
    }


@every_model
def test_a_query_word_that_no_document_has_counts(name):
    index, model = of_texts("aa bb", "cc", "dd ee"), MODELS[name]()
    assert scores(model, index, "aa unheard") != scores(model, index, "aa")
    hits = index.search("unheard", ranker=model, match="all")
    assert len(hits) == 3
    assert len(index.search("unheard", ranker=model)) == 0  # no document has it


@every_model
def test_a_document_without_known_words_comes_last(name):
    index = of_texts("über", "", "aa bb", "bb cc", "dd ee", "ff", "über über")
    model = MODELS[name]()
    scorer = model.bind(index.snapshot)
    for text in ("aa", "unheard", "bb cc cc", "ee"):
        found = scorer.top(Question(text), 10, match="all")
        unknown = [0, 1, *([5] if name.endswith("-out") else []), 6]  # "ff" has no OUT vector
        assert found.documents.tolist()[-len(unknown) :] == unknown
        assert set(found.scores.tolist()[-len(unknown) :]) == {-1.0}
        assert scorer.floor(Question(text)) == -1.0
        assert (found.scores[: -len(unknown)] > -1).all()


@every_model
def test_a_query_without_known_words_finds_nothing(name):
    index, model = of_texts("aa bb", "über"), MODELS[name]()
    for text in ("über", "zz", "", "über zz"):
        for match in ("or", "and", "all"):
            assert len(index.search(text, ranker=model, match=match)) == 0
        assert not model.bind(index.snapshot).knows(Question(text))
        assert scores(model, index, text) == [-1.0, -1.0]
    mixed = index.search("über", ranker=f"bm25 + 30*{name}")
    assert [(hit.id, hit.score) for hit in mixed] == [
        (hit.id, hit.score) for hit in index.search("über", ranker="bm25")
    ]


@every_model
def test_vectors_of_zeros_and_such_as_cancel(name):
    matrix = {"aa": [1, 2], "bb": [-1, -2], "cc": [0, 0], "dd": [2, 1]}
    vectors = WordVectors(
        word_vectors().words.of(list(matrix)),
        dict.fromkeys(("in", "out"), np.array(list(matrix.values()), np.float32)),
    )
    index = of_texts("aa bb", "cc", "cc cc dd", "aa", "bb", "dd zz")
    snapshot = with_vectors(index.snapshot, words=vectors)
    model = MODELS[name]()
    found = scored(model, snapshot, "dd")
    assert np.isfinite(found).all()
    assert found[:2] == [-1, -1]
    assert found[2:] == pytest.approx([1, 0.8, -0.8, 1], abs=1e-6)
    for text in ("cc", "aa bb", "cc aa bb cc"):
        assert scored(model, snapshot, text) == [-1] * 6
        assert not model.bind(snapshot).knows(Question(text))
        assert len(model.bind(snapshot).top(Question(text), 10, match="all")) == 0
    assert scored(model, snapshot, "cc dd") == pytest.approx(found, abs=1e-6)
    found = [part.word for part in explained(model, snapshot, "dd")[2].parts]
    assert found == ["cc", "dd"]


@every_model
def test_words_with_opposite_vectors_are_furthest(name):
    vectors = WordVectors(
        word_vectors().words.of(["aa", "bb"]),
        dict.fromkeys(("in", "out"), np.array([[0.1, 0.7], [-0.1, -0.7]], np.float32)),
    )
    snapshot = with_vectors(of_texts("aa", "bb", "dd").snapshot, words=vectors)
    assert scored(MODELS[name](), snapshot, "aa") == pytest.approx([1, -1, -1], abs=1e-6)


@every_model
def test_an_index_without_fields(name):
    index = ab.Index.build([], analyzer="plain")
    index.keep_vectors(word_vectors(), "words")
    assert index.snapshot.fields == []
    assert len(index.search("aa", ranker=name, match="all")) == 0
    assert index.prepare(name) == [f"{name}[vectors=words]"]


# --- which vectors, which layer --------------------------------------------------------------------------------


def trained_on(layer):
    words = ["aa", "bb", "aa bb", "bb cc"]
    matrix = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    provenance = {} if layer is None else {"layer": layer}
    return WordVectors(word_vectors().words.of(words), {"in": matrix, "out": matrix}, provenance=provenance)


@every_model
@pytest.mark.parametrize(
    ("layer", "read"), [("pairs", "pairs"), ("main", "main"), (None, "pairs"), ("gone", "pairs")]
)
def test_the_layer_is_the_one_that_the_vectors_were_trained_on_or_fit_best(name, layer, read):
    index, model = of_texts("aa bb", "bb cc"), MODELS[name]
    snapshot = with_vectors(index.snapshot, words=trained_on(layer))
    assert model().bind(snapshot).view.layer == read
    assert scored(model(), snapshot, "aa bb") == scored(model(layer=read), snapshot, "aa bb")
    assert model(layer="main").bind(snapshot).view.layer == "main"
    assert model(layer="pairs").bind(snapshot).view.layer == "pairs"
    fields = model(fields="3*text").bind(snapshot).view
    assert (fields.layer, fields.weights[list(FIELDS).index("text")]) == (read, 3.0)


@every_model
def test_vectors_of_words_read_the_layer_of_words(name):
    snapshot = of_texts("aa bb", "bb cc").snapshot
    matrix = np.eye(2, 3, dtype=np.float32)
    words = WordVectors(word_vectors().words.of(["aa", "bb"]), {"in": matrix, "out": matrix})
    assert MODELS[name]().bind(with_vectors(snapshot, words=words)).view.layer == "main"


@every_model
def test_of_several_vectors_one_must_be_named(name):
    index, model = of_texts("aa bb", "bb cc"), MODELS[name]
    snapshot = with_vectors(index.snapshot, one=word_vectors(), two=turned(word_vectors(), 1))
    for layer in (None, "main"):
        with pytest.raises(UsageError, match=r"has several word vectors; name one: one, two"):
            model(layer=layer).bind(snapshot)
        with pytest.raises(NotFound, match=r"has no word vectors 'three'\. It has: one, two"):
            model(vectors="three", layer=layer).bind(snapshot)
        assert len(model(vectors="two", layer=layer).bind(snapshot).top(Question("aa"), 5)) == 1


@every_model
def test_without_vectors_both_ways_to_get_some_are_told(name, tmp_path):
    index = ab.Index.build([{"id": "a", "text": "aa"}], tmp_path / "x.index")
    with pytest.raises(
        NotFound,
        match=r"x\.index has no word vectors; train some \(aboutness train \S*x\.index word2vec\), or import some \(aboutness vectors import FILE -o \S*x\.index\)",
    ):
        index.search("aa", ranker=name)
