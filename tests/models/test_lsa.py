"""LSA as a ranker: cosines of sums worked out word by word, in every form, and documents that came later."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.core.errors import NotFound, UsageError
from aboutness.experiment.collection import collection
from aboutness.experiment.compare import compare_on
from aboutness.index.borrowed import borrowing
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.lsa import LSARanker
from aboutness.models.model import MODELS
from aboutness.models.question import Question
from aboutness.vectors.documents import KIND
from aboutness.vectors.lsa import LSA, WEIGHTINGS, LatentSpace
from aboutness.vectors.pv import PV
from models.drawing import FIELDS, SEEDS, drafts, index_of, made, named
from models.drawing import asked as asked_of
from models.embeddings import ASKED, assert_same_ranking, by_word, changed, cosine, explained, scored
from models.naive import Counts

BODIES = [
    {"title": "aa bb", "text": "aa aa cc"},
    {"text": "bb cc dd dd dd"},
    {},
    {"title": "ff", "text": "ff gg"},
    {"title": "dd", "text": "aa ee", "see also": "cc"},
    {"text": "ee ee bb"},
    {"title": "cc", "text": "aa ee dd"},
]
MODELS_OF_ALL_FORMS = [
    LSARanker(),
    LSARanker(scaling=0, terms="raw"),
    LSARanker(scaling=-1, terms="raw"),
    LSARanker(scaling=2, terms="unit"),
]
every_form = pytest.mark.parametrize("model", MODELS_OF_ALL_FORMS, ids=str)
some = settings(max_examples=40)


def with_space(snapshot, space, name="lsa"):
    """The same documents with what was trained, which is only in memory."""
    view = snapshot.view()
    weights = {view.field_names[field]: float(view.weights[field]) for field in view.chosen.tolist()}
    space = space.with_provenance(layer=view.layer, fields=list(weights), weights=weights)
    entry = ArtefactEntry(name, KIND, dict(space.provenance), None, 1, "", FileEntry(f"{name}.file", 0, 0))
    trained = Trained(snapshot.folder, {name: entry}, {name: space.arrays()})
    return Snapshot(snapshot.folder, snapshot.manifest, snapshot.segments, trained)


def trained(index, **parameters):
    return with_space(index.snapshot, LSA(**parameters).train(index.view()))


@cache
def small():
    return index_of(named(BODIES[:4]), named(BODIES[4:], "e"))


@cache
def elsewhere(weighting="tfidf"):
    """A training on other documents: every word of the drawn ones but "über" is there, and "unheard"."""
    texts = ["aa bb cc", "bb cc dd aa", "dd ee ff", "ff aa unheard", "ee ee bb", "cc dd unheard", "aa"]
    space = LSA(dim=4, weighting=weighting).train(texts, analyzer="plain")
    return space.with_rows(space.rows[:0], space.arrivals[:0])


def vectors_of(space, model):
    """w(t) of each word, as the formula has it."""
    values = space.own["singular_values"]
    scaled = {word: row * (values / values[0]) ** model.scaling for word, row in by_word(space.words).items()}
    if model.terms == "raw":
        return scaled
    return {word: row / (np.linalg.norm(row) or 1.0) for word, row in scaled.items()}


def local(weighting, tf, average):
    if weighting == "log-entropy":
        return {word: np.log1p(count) for word, count in tf.items()}
    if weighting == "bm25":
        length = 0.25 + 0.75 * sum(tf.values()) / average
        return {word: count / (count + 1.2 * length) for word, count in tf.items()}
    return tf


def folded(tf, space, model):
    """The weights of a text's known words, and the sum of their vectors."""
    weighting = space.provenance["parameters"]["weighting"]
    idf = dict(zip(space.words, space.own["weights"].tolist(), strict=True))
    known = {word: count for word, count in tf.items() if word in idf}
    weights = local(weighting, known, float(space.own["average_length"][0]))
    weights = {word: weight * idf[word] for word, weight in weights.items()}
    vectors = vectors_of(space, model)
    return weights, sum((weight * vectors[word] for word, weight in weights.items()), np.zeros(space.dim))


def query_of(text):
    return {word: float(text.split().count(word)) for word in text.split()}


@st.composite
def models(draw):
    scaling = draw(st.sampled_from([0.5, 0.0, -1.0, 1.0, 2.0, -2.0]))
    return LSARanker(scaling=scaling, terms=draw(st.sampled_from(["unit", "raw"])))


# --- the formula -----------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(data=st.data())
def test_scores_are_those_of_the_formula(data):
    index, model, text = made(data.draw(SEEDS)), data.draw(models()), data.draw(ASKED)
    space = elsewhere(data.draw(st.sampled_from(WEIGHTINGS)))
    _, query = folded(query_of(text), space, model)
    found = scored(model, with_space(index.snapshot, space), text)
    for tf, score in zip(Counts.of(list(index), FIELDS).tf, found, strict=True):
        expected = cosine(query, folded(tf, space, model)[1])
        assert score == pytest.approx(-1.0 if expected is None else expected, abs=2e-6)


@some
@given(data=st.data())
def test_every_word_of_a_document_has_its_part(data):
    index, model, text = made(data.draw(SEEDS)), data.draw(models()), data.draw(ASKED)
    space = elsewhere(data.draw(st.sampled_from(WEIGHTINGS)))
    vectors = vectors_of(space, model)
    _, query = folded(query_of(text), space, model)
    counts = Counts.of(list(index), FIELDS)
    for tf, why in zip(counts.tf, explained(model, with_space(index.snapshot, space), text), strict=True):
        weights, row = folded(tf, space, model)
        if not query.any() or not row.any():
            assert (why.score, why.parts) == (-1, ())
            continue
        assert why.total == pytest.approx(why.score, abs=1e-6)
        assert {part.word for part in why.parts} == set(weights)
        for part in why.parts:
            length = np.linalg.norm(vectors[part.word])
            similarity = cosine(vectors[part.word], query) or 0.0
            weight = weights[part.word] * length / np.linalg.norm(row)
            assert part.name == part.word
            assert part.details["in_document"] == pytest.approx(tf[part.word])
            assert part.details["similarity"] == pytest.approx(similarity, abs=1e-5)
            assert part.details["weight"] == pytest.approx(weight, rel=1e-5, abs=1e-6)
            assert part.value == pytest.approx(weight * similarity, rel=1e-5, abs=2e-6)


@every_form
def test_documents_are_as_near_as_numpys_svd_has_them(model):
    """All of X: the training, folding in, the form and the angle together."""
    index = small()
    space = LSA(dim=3).train(index.view())
    counts = index.view().matrix().toarray()[:, index.view().term_numbers(list(space.words))]
    rarity = np.log((1 + len(counts)) / (1 + np.count_nonzero(counts, axis=0)))
    matrix = counts * rarity
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = np.divide(matrix, lengths, out=matrix, where=lengths > 0)
    _, values, right = np.linalg.svd(matrix, full_matrices=False)
    words = right[:3].T * values[:3] ** model.scaling
    if model.terms == "unit":
        words /= np.linalg.norm(words, axis=1, keepdims=True)
    rows = matrix @ words
    snapshot = with_space(index.snapshot, space)
    for number, row in enumerate(rows):
        expected = [-1.0 if (one := cosine(row, other)) is None else one for other in rows]
        assert scored(model, snapshot, Question(document=number)) == pytest.approx(expected, abs=1e-5)


# --- properties ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terms", ["unit", "raw"])
@some
@given(seed=SEEDS, rotation=st.integers(0, 1 << 32), text=ASKED)
def test_rotating_the_dimensions_changes_no_ranking(terms, seed, rotation, text):
    space, snapshot, model = elsewhere(), made(seed).snapshot, LSARanker(scaling=0, terms=terms)
    turn, _ = np.linalg.qr(np.random.default_rng(rotation).normal(size=(space.dim, space.dim)))
    other = replace(space, words=changed(space.words, lambda matrix: matrix @ turn))
    assert_same_ranking(
        scored(model, with_space(snapshot, space), text), scored(model, with_space(snapshot, other), text)
    )


@some
@given(seed=SEEDS, model=models(), text=ASKED, data=st.data())
def test_the_signs_of_dimensions_change_nothing(seed, model, text, data):
    space, snapshot = elsewhere(), made(seed).snapshot
    signs = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=space.dim, max_size=space.dim)))
    other = replace(space, words=changed(space.words, lambda matrix: matrix * signs))
    assert scored(model, with_space(snapshot, other), text) == scored(model, with_space(snapshot, space), text)


@some
@given(seed=SEEDS, model=models(), data=st.data())
def test_a_document_finds_itself(seed, model, data):
    index = made(seed)
    snapshot = with_space(index.snapshot, elsewhere(data.draw(st.sampled_from(WEIGHTINGS))))
    scorer = model.bind(snapshot)
    for number in snapshot.live_numbers().tolist():
        terms, counts = scorer.view.forward(number)
        names = [scorer.view.term(term) for term in terms.tolist()]
        bag = Question(terms=dict(zip(names, scorer.view.weigh(counts).tolist(), strict=True)))
        found = scored(model, snapshot, Question(document=number))
        assert found == pytest.approx(scored(model, snapshot, bag), abs=1e-6)
        if scorer.rows.present[number]:
            assert scorer.scores(Question(document=number), np.array([number]))[0] == pytest.approx(1, abs=1e-6)
            assert max(found) <= 1 + 1e-6


def test_the_forms_rank_differently():
    snapshot = trained(small(), dim=3)
    found = {str(model): scored(model, snapshot, "aa dd dd") for model in MODELS_OF_ALL_FORMS}
    assert list(found) == ["lsa", "lsa[scaling=0,terms=raw]", "lsa[scaling=-1,terms=raw]", "lsa[scaling=2]"]
    assert len(set(map(tuple, found.values()))) == 4


# --- what is known ---------------------------------------------------------------------------------------------


@every_form
def test_unknown_words_and_documents_without_any(model):
    index = index_of(named([{"text": "aa bb"}, {}, {"text": "zz über"}, {"text": "cc dd zz"}]))
    snapshot = with_space(index.snapshot, elsewhere())
    scorer = model.bind(snapshot)
    for text in ("aa", "dd cc aa"):
        found = scored(model, snapshot, text)
        assert scored(model, snapshot, f"zz {text} über") == found
        assert (found[1], found[2], scorer.floor(Question(text))) == (-1, -1, -1)
        ranking = scorer.top(Question(text), 10, match="all")
        assert ranking.documents.tolist()[-2:] == [1, 2]
    for text in ("zz", "", "über zz"):
        assert not scorer.knows(Question(text))
        assert len(scorer.top(Question(text), 10, match="all")) == 0
        assert scored(model, snapshot, text) == [-1] * 4
        assert scorer.explain(Question(text), 0).parts == ()


def test_a_word_that_no_document_has_counts_if_it_was_trained():
    index = index_of(named([{"text": "aa bb"}, {"text": "cc dd"}]))
    snapshot, model = with_space(index.snapshot, elsewhere()), LSARanker()
    assert scored(model, snapshot, "aa unheard") != scored(model, snapshot, "aa")
    assert len(model.bind(snapshot).top(Question("unheard"), 10, match="all")) == 2


def test_where_nothing_tells_documents_apart_nothing_is_found():
    snapshot = trained(index_of(named([{"text": "aa bb"}, {"text": "bb aa"}])))
    assert scored(LSARanker(), snapshot, "aa") == [-1, -1]
    assert not LSARanker().bind(snapshot).knows(Question("aa"))


# --- what was trained ------------------------------------------------------------------------------------------


@pytest.fixture
def inferred(monkeypatch):
    """How many rows were inferred since it was last asked."""
    counts = []
    infer = LatentSpace.infer

    def counting(self, texts, threads=None):
        counts.append(len(texts))
        return infer(self, texts, threads)

    monkeypatch.setattr(LatentSpace, "infer", counting)

    def so_far():
        total = sum(counts)
        counts.clear()
        return total

    return so_far


def test_rows_are_read_as_they_were_kept_and_made_in_other_forms(inferred):
    snapshot = trained(small(), dim=3)
    inferred()
    first = LSARanker().bind(snapshot)
    assert inferred() == 0
    raw = LSARanker(terms="raw").bind(snapshot)
    assert inferred() == 7
    again = LSARanker(terms="raw").bind(snapshot)
    assert inferred() == 0
    assert again.rows is raw.rows
    assert raw.rows is not first.rows


@every_form
def test_documents_that_came_later_rank_as_if_they_had_been_there(model):
    """To the bit: rows are the same whether they were kept, or inferred now."""
    index = small()
    space = LSA(dim=3).train(index.view())
    asked = ["aa dd", "ee", "cc bb unheard"]
    expected = [scored(model, with_space(index.snapshot, space), text) for text in asked]
    for kept in (0, 3, 5):
        later = with_space(index.snapshot, space.with_rows(space.rows[:kept], space.arrivals[:kept]))
        assert [scored(model, later, text) for text in asked] == expected


@every_form
def test_passages_beside_an_index_rank_as_its_documents(model):
    index = small()
    snapshot = trained(index, dim=3)
    passages = index_of(named(BODIES[::-1])).snapshot
    found = scored(model, borrowing(passages, snapshot), "aa dd ee")
    assert found[::-1] == pytest.approx(scored(model, snapshot, "aa dd ee"), abs=1e-6)


def test_weights_of_fields_count():
    bodies = [body for body in BODIES if body]
    once, thrice = (
        ab.Index.build(
            named([{**body, "title": " ".join([body.get("title", "")] * times)} for body in bodies]),
            analyzer="plain",
        )
        for times in (1, 3)
    )
    once.train("lsa", dim=3, fields={"title": 3.0, "text": 1.0, "see also": 1.0})
    thrice.train("lsa", dim=3)
    once.train("lsa", dim=3, name="plain")

    def found(index, ranker):
        return {hit.id: hit.score for hit in index.search("aa cc", ranker=ranker)}

    assert found(once, "lsa[vectors=lsa]") == pytest.approx(found(thrice, "lsa"), abs=1e-5)
    assert found(once, "lsa[vectors=plain]") != pytest.approx(found(thrice, "lsa"), abs=1e-2)


def test_an_index_is_trained_searched_and_added_to():
    index = ab.Index.build(named([body for body in BODIES if body]), analyzer="plain")
    with pytest.raises(NotFound, match=r"lsa needs documents to be trained on.* run: index.train\(\"lsa\"\)$"):
        index.search("aa", ranker="lsa")
    index.train("lsa", dim=3)
    assert {hit.id for hit in index.search("dd", ranker="lsa", match="all", k=2)} <= {"d1", "d3", "d5"}
    index.add(named([{"text": "dd"}], "new"))
    (best, *_) = index.search("dd", ranker="lsa")
    assert (best.id, best.score) == ("new0", pytest.approx(1, abs=1e-6))


def test_what_it_needs():
    assert MODELS["lsa"] is LSARanker
    assert LSARanker().wanted() == ("lsa", LSA())
    index = ab.Index.build(named([body for body in BODIES if body]), analyzer="plain")
    index.train(PV(dim=4, min_count=1, epochs=1), threads=1)
    with pytest.raises(UsageError, match="'pv' was trained by 'pv', and lsa needs something of another kind"):
        index.search("aa", ranker="lsa[vectors=pv]")


@some
@given(seed=SEEDS, model=models(), data=st.data())
def test_questions_of_all_forms_have_finite_scores(seed, model, data):
    index = made(seed)
    snapshot = with_space(index.snapshot, elsewhere())
    question = asked_of(data.draw(drafts(list(index))), index.snapshot)
    found = np.array(scored(model, snapshot, question))
    assert np.isfinite(found).all()
    assert (found >= -1).all()


def test_a_real_collection(data_folder):
    """Cranfield: better than BM25, whose nDCG@10 is .365, and than words as long as they are."""
    if not (data_folder / "cranfield").is_dir():
        pytest.skip("cranfield is not there")
    real = collection(data_folder / "cranfield")
    index = ab.Index.build(real.documents())
    index.train("lsa", dim=100)
    rankers = [LSARanker(), LSARanker(scaling=0, terms="raw")]
    rows = compare_on(index.snapshot, real, rankers, "nDCG@10", match="all").rows
    best, raw = (row.evaluation.mean["nDCG@10"] for row in rows)
    assert best > 0.39
    assert best > raw + 0.01
