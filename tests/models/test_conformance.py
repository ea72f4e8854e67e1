"""What every model must keep, whoever wrote it: a model is tested here as soon as it is registered."""

from __future__ import annotations

import math
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.models.bags import FEW, bags_of
from aboutness.models.known import MODELS
from aboutness.models.language import LanguageModel
from aboutness.models.model import MATCHES, Model, Scorer
from aboutness.models.question import Question
from aboutness.rank.grammar import ranker
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.paragraphs import ParagraphSpace
from models.drawing import (
    FEW_SEEDS,
    FIELDS,
    ROWS,
    SEEDS,
    UNKNOWN,
    WORDS,
    asked,
    changed,
    collections,
    documents_of,
    drafts,
    every,
    histories,
    index_of,
    large,
    large_questions,
    made,
    models,
    named,
    outside,
    permuted,
    questions,
    ready,
    ready_for,
    rows_for,
    texts,
    trained_spaces,
)

QUESTIONS = [
    Question("aa bb"),
    Question("cc"),
    Question("aa zz ff ff"),
    Question(terms={"bb": 2.0, "ee": 0.5}),
    Question(fields={"title": "dd aa", "see also": "ee"}),
    Question(""),
]

every_model = every()
every_name = pytest.mark.parametrize("name", list(MODELS))
TRAINED = [name for name, model in MODELS.items() if rows_for(model)]  # on rows of documents
BY_ROWS = [name for name in TRAINED if not issubclass(MODELS[name], LanguageModel)]  # by which documents ask, too
WITHOUT_VECTORS = [name for name, model in MODELS.items() if "unknown" in {one.name for one in model.declared()}]
# The more models there are, the fewer examples each is tested on, so that the suite stays quick.
few = settings(max_examples=max(10, 120 // len(MODELS)))
fewer = settings(max_examples=max(5, 60 // len(MODELS)))
fewest = settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])  # each makes an index


def scores_of(scorer, question):
    """The score of every living document, by number."""
    return scorer.scores(question, np.flatnonzero(scorer.view.alive))


class Bound:
    """A model bound to an index: documents by their ids."""

    def __init__(self, model, index):
        self.snapshot = index.snapshot
        self.scorer = model.bind(self.snapshot)

    def scores(self, draft):
        """The score of every document, to the bit."""
        scores = scores_of(self.scorer, asked(draft, self.snapshot))
        return dict(zip(self.snapshot.ids(), (score.tobytes() for score in scores), strict=True))

    def top(self, draft, k=1000, match="or"):
        ranking = self.scorer.top(asked(draft, self.snapshot), k, match=match)
        return [self.snapshot.id(int(number)) for number in ranking.documents]


def assert_same(one, other):
    assert one.documents.tolist() == other.documents.tolist()
    assert (one.scores.dtype, other.scores.dtype) == (np.float32, np.float32)
    assert one.scores.tolist() == other.scores.tolist()


def assert_all_same(ones, others):
    for one, other in zip(ones, others, strict=True):
        assert_same(one, other)


# --- scores ----------------------------------------------------------------------------------------------------


@every_model
@few
@given(data=st.data())
def test_every_document_has_one_finite_score(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    question = data.draw(questions(index))
    scores = scores_of(scorer, question)
    assert (scores.shape, scores.dtype) == ((len(index),), np.float32)
    assert np.isfinite(scores).all()
    numbers = index.snapshot.live_numbers()
    some = numbers[data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))]
    assert scorer.scores(question, some).tolist() == scores[np.isin(numbers, some)].tolist()


@every_model
@few
@given(data=st.data())
def test_permuting_documents_permutes_scores(name, data):
    one, other = permuted(data.draw(FEW_SEEDS), ready)
    model, draft = data.draw(models(name)), data.draw(drafts(list(one)))
    here, there = Bound(model, one), Bound(model, other)
    scores = here.scores(draft)
    assert there.scores(draft) == scores
    value = {identifier: np.frombuffer(score, np.float32)[0] for identifier, score in scores.items()}
    for match in MATCHES:
        found = set(here.top(draft, match=match))
        arrival = [identifier for identifier in other.snapshot.ids() if identifier in found]
        assert there.top(draft, match=match) == sorted(arrival, key=lambda i: -value[i])


@every_model
@few
@given(data=st.data())
def test_scores_do_not_depend_on_how_the_index_came_about(name, data):
    at_once, *others = histories(data.draw(FEW_SEEDS), ready)
    model, draft = data.draw(models(name)), data.draw(drafts(list(at_once)))
    match, k = data.draw(st.sampled_from(MATCHES)), data.draw(st.integers(1, 12))
    whole = Bound(model, at_once)
    scores, ranking = whole.scores(draft), whole.top(draft, match=match)
    for index in others:
        bound = Bound(model, index)
        assert bound.scores(draft) == scores
        assert bound.top(draft, match=match) == ranking
        assert bound.top(draft, k, match) == ranking[:k]


@every_model
@few
@given(data=st.data())
def test_an_index_that_changed_scores_as_one_made_anew(name, data):
    """With what was trained before: new and updated documents get their rows by inference in both."""
    index, anew = changed(data.draw(FEW_SEEDS))
    model, draft = data.draw(models(name)), data.draw(drafts(list(index)))
    match = data.draw(st.sampled_from(MATCHES))
    here, there = Bound(model, index), Bound(model, anew)
    assert here.scores(draft) == there.scores(draft)
    assert here.top(draft, match=match) == there.top(draft, match=match)


@every_model
@fewest
@given(data=st.data())
def test_new_collections_are_ranked_as_scores_say(name, data):
    documents = data.draw(collections())
    cut = data.draw(st.integers(0, len(documents)))
    dead = data.draw(st.sets(st.sampled_from([document.id for document in documents]), max_size=3))
    index = ready_for(name, documents[:cut], documents[cut:], dead=sorted(dead))
    for _ in range(4):
        scorer = data.draw(models(name)).bind(index.snapshot)
        question, match = data.draw(questions(index)), data.draw(st.sampled_from(MATCHES))
        assert np.isfinite(scores_of(scorer, question)).all()
        k = data.draw(st.integers(1, 14))
        assert_all_same(
            scorer.top_many([question], k, match=match), Scorer.top_many(scorer, [question], k, match=match)
        )


@every_model
@fewest
@given(data=st.data())
def test_an_index_that_is_closed_and_opened_gives_the_same(name, data, tmp_path_factory):
    documents = data.draw(collections())
    model, draft = data.draw(models(name)), data.draw(drafts(documents))
    path = tmp_path_factory.mktemp("opened") / "here.index"
    built = Bound(model, ready_for(name, documents, path=path))
    scores, ranking = built.scores(draft), built.top(draft)
    del built
    opened = Bound(model, Index.open(path, verify=True))
    assert opened.scores(draft) == scores
    assert opened.top(draft) == ranking


@every_name
@few
@given(data=st.data())
def test_the_text_of_a_model_makes_it_again(name, data):
    model = data.draw(models(name))
    again = ranker(str(model))
    assert again == model
    assert str(again) == str(model)
    assert hash(again) == hash(model)


# --- questions -------------------------------------------------------------------------------------------------


@every_model
@few
@given(data=st.data())
def test_an_unknown_word_changes_nothing(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    words = data.draw(st.lists(st.sampled_from(WORDS), max_size=5))
    known = [word for word in words if word in scorer.view.terms()]
    if scorer.view.layer == "pairs":
        known = known[:1]  # an unknown word between two others also parts them
    more = list(known)
    more.insert(data.draw(st.integers(0, len(known))), data.draw(st.sampled_from(UNKNOWN)))
    one, other = Question(" ".join(known)), Question(" ".join(more))
    assert scores_of(scorer, other).tobytes() == scores_of(scorer, one).tobytes()
    for match in ("or", "all"):
        assert_same(scorer.top(other, 5, match=match), scorer.top(one, 5, match=match))
    weighted = dict.fromkeys(known, 1.5)
    one, other = Question(terms=weighted), Question(terms={"zz": 3.0, **weighted})
    assert scores_of(scorer, other).tobytes() == scores_of(scorer, one).tobytes()


@cache
def with_an_empty_document():
    return ready(named([{"text": "aa bb"}, {"text": ""}, {"title": "aa"}]))


@every_model
@pytest.mark.parametrize(
    "question",
    [
        Question(""),
        Question("zz yy"),
        Question(".,;"),
        Question(terms={}),
        Question(terms={"aa": 0.0, "zz": 1.0}),
        Question(fields={}),
        Question(fields={"title": "zz"}),
        Question(document=1),
    ],
    ids=str,
)
def test_a_question_without_known_words_finds_nothing(name, question):
    index = with_an_empty_document()
    scorer = MODELS[name]().bind(index.snapshot)
    for match in MATCHES:
        assert len(scorer.top(question, 10, match=match)) == 0
        assert len(scorer.top(question, 10, match=match, allowed=np.array([0, 1]))) == 0
        batch = scorer.top_many([question, Question("aa")] * FEW, 10, match=match)
        assert [len(ranking) for ranking in batch] == [0, 3 if match == "all" else 2] * FEW
    assert np.isfinite(scores_of(scorer, question)).all()
    assert scorer.explain(question, 0).parts == ()


@every(WITHOUT_VECTORS)
def test_a_query_of_unknown_words_ranks_what_it_matches_if_asked_to(name):
    texts = ["aa über", "bb", "über", "bb über über", "über"]
    index = ready(
        named([{"text": text} for text in texts[:2]]), named([{"text": text} for text in texts[2:]], "e")
    )
    index.delete(["e2"])
    plain, matching = MODELS[name]().bind(index.snapshot), MODELS[name](unknown="matched").bind(index.snapshot)
    question = Question("über")
    for match, matched in {"or": [0, 2, 3], "and": [0, 2, 3], "all": [0, 1, 2, 3]}.items():
        assert len(plain.top(question, 10, match=match)) == 0
        found = matching.top(question, 10, match=match)
        assert found.documents.tolist() == matched
        assert found.scores.tolist() == [np.float32(matching.floor(question))] * len(matched)
        some = matching.top_many([Question("aa"), question], 2, match=match, allowed=np.array([0, 1, 3]))
        assert some[1].documents.tolist() == [number for number in matched if number != 2][:2]
        assert_same(matching.top(Question("aa"), 10, match=match), plain.top(Question("aa"), 10, match=match))
    assert not matching.knows(question)  # so that it adds nothing to a mixture
    mixed, alone = (index.search("über", ranker=text) for text in (f"bm25 + 3*{name}[unknown=matched]", "bm25"))
    assert [(hit.id, hit.score) for hit in mixed] == [(hit.id, hit.score) for hit in alone]


@every_model
@few
@given(data=st.data())
def test_the_order_of_words_does_not_matter(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    assume(scorer.view.layer == "main")
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    permuted = data.draw(st.permutations(words))
    one, other = Question(" ".join(words)), Question(" ".join(permuted))
    np.testing.assert_allclose(scores_of(scorer, other), scores_of(scorer, one), rtol=1e-6, atol=1e-6)
    found = {match: scorer.top(one, 100, match=match).documents for match in MATCHES}
    for match, numbers in found.items():
        assert sorted(scorer.top(other, 100, match=match).documents) == sorted(numbers)


@every(name for name in MODELS if name not in BY_ROWS)
@few
@given(data=st.data())
def test_a_document_asks_what_its_weighted_terms_ask(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    number = int(data.draw(st.sampled_from(index.snapshot.live_numbers().tolist())))
    one, other = Question(document=number), Question(terms=weighted_terms(scorer.view, number))
    assert scores_of(scorer, other).tobytes() == scores_of(scorer, one).tobytes()
    assert_same(scorer.top(other, 5), scorer.top(one, 5))
    fields = Question(fields=index.snapshot.document(number).fields)
    np.testing.assert_allclose(scores_of(scorer, fields), scores_of(scorer, one), rtol=1e-6, atol=1e-6)


def weighted_terms(view, number):
    terms, counts = view.forward(number)
    return {view.term(int(t)): float(w) for t, w in zip(terms, view.weigh(counts), strict=True)}


@every(BY_ROWS)
@few
@given(data=st.data())
def test_a_document_that_asks_by_its_row_is_nearest_to_itself(name, data):
    """A row that was trained says more than the words do; one that was made of them says the same."""
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    number = int(data.draw(st.sampled_from(index.snapshot.live_numbers().tolist())))
    question = Question(document=number)
    scores = scores_of(scorer, question)
    assert scorer.knows(question) == bool(weighted_terms(scorer.view, number).keys() & set(WORDS[:-1]))
    own = scorer.scores(question, np.array([number]))[0]
    assert own == pytest.approx(1, abs=1e-6) if scorer.knows(question) else (scores == -1).all()
    assert scores.max() <= own + 1e-6
    if all(way.space.weighted for _, way in rows_for(MODELS[name])):
        for same in (
            Question(terms=weighted_terms(scorer.view, number)),
            Question(fields=index.snapshot.document(number).fields),
        ):
            np.testing.assert_allclose(scores_of(scorer, same), scores, rtol=1e-6, atol=1e-6)


# --- rankings --------------------------------------------------------------------------------------------------


@every_model
@few
@given(data=st.data())
def test_a_ranking_is_a_selection_from_the_scores(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    some = data.draw(st.lists(questions(index), min_size=1, max_size=3))
    k = data.draw(st.integers(1, index.snapshot.size + 3))
    match = data.draw(st.sampled_from(MATCHES))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=index.snapshot.size, max_size=index.snapshot.size)))
    allowed = data.draw(st.sampled_from([None, mask, np.flatnonzero(mask)]))
    found = scorer.top_many(some, k, match=match, allowed=allowed)
    assert_all_same(found, Scorer.top_many(scorer, some, k, match=match, allowed=allowed))
    assert_same(scorer.top(some[0], k, match=match, allowed=allowed), found[0])
    for question, ranking in zip(some, found, strict=True):
        expected = selected(scorer, question, k, match, np.ones(len(mask), bool) if allowed is None else mask)
        assert list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True)) == expected


def selected(scorer, question, k, match, mask):
    """The ranking from the scores of all documents, matched term by term."""
    view = scorer.view
    bags = bags_of(view, [question])
    wanted = set(bags.terms.tolist())
    numbers = np.flatnonzero(view.alive) if scorer.ranks(question) else np.zeros(0, np.int64)
    rows = []
    for number, score in zip(numbers.tolist(), scorer.scores(question, numbers).tolist(), strict=True):
        terms, counts = view.forward(number)
        has = {int(term) for term, weight in zip(terms, view.weigh(counts), strict=True) if weight}
        whole = bool(bags.whole[0]) and bool(wanted)
        matches = {"or": bool(wanted & has), "and": whole and wanted <= has, "all": True}
        if matches[match] and mask[number]:
            rows.append((-score, number, score))
    return [(number, score) for _, number, score in sorted(rows)[:k]]


@every_model
@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("whole", [False, True], ids=["segments", "whole"])
def test_long_lists_are_searched_as_scores_say(name, match, whole):
    index = large(whole, ready)
    scorer = MODELS[name]().bind(index.snapshot)
    some = large_questions()
    chance = np.random.default_rng(5)
    mask = chance.random(index.snapshot.size) < 0.02
    expected = Scorer.top_many(scorer, some, 1200, match=match)
    for k in (1, 10, 11, 100, 999, 1200):
        for ranking, reference in zip(scorer.top_many(some, k, match=match), expected, strict=True):
            assert ranking.documents.tolist() == reference.documents[:k].tolist()
            assert ranking.scores.tobytes() == reference.scores[:k].tobytes()
    for allowed in (mask, np.flatnonzero(mask)):
        masked = Scorer.top_many(scorer, some, 20, match=match, allowed=allowed)
        assert_all_same(scorer.top_many(some, 20, match=match, allowed=allowed), masked)


@every_model
@fewer
@given(data=st.data())
def test_long_lists_are_searched_as_scores_say_whatever_the_parameters(name, data):
    index = large(data.draw(st.booleans()), ready)
    model = data.draw(models(name))
    scorer = model.bind(index.snapshot)
    k = data.draw(st.sampled_from([1, 3, 10, 50]))
    some = data.draw(st.lists(st.sampled_from(large_questions()), min_size=1, max_size=4))
    assert_all_same(scorer.top_many(some, k), Scorer.top_many(scorer, some, k))


@every_model
@fewer
@given(data=st.data())
def test_a_batch_ranks_as_its_questions_do_one_by_one(name, data):
    index = made(data.draw(SEEDS), ready)
    model = data.draw(models(name))
    size = data.draw(st.sampled_from([0, 1, 2, FEW - 1, FEW, FEW + 1, 3 * FEW]))
    drawn = texts([*WORDS, *UNKNOWN]).map(Question) if data.draw(st.booleans()) else questions(index)
    some = data.draw(st.lists(drawn, min_size=size, max_size=size))
    k, match = data.draw(st.integers(1, 15)), data.draw(st.sampled_from(MATCHES))
    scorer = model.bind(index.snapshot)
    one_by_one = [scorer.top(question, k, match=match) for question in some]
    for threads in (1, 2, 3, None):
        fresh = model.bind(index.snapshot)
        assert_all_same(fresh.top_many(some, k, match=match, threads=threads), one_by_one)
    assert_all_same(Scorer.top_many(scorer, some, k, match=match), one_by_one)


@every_model
def test_threads_that_search_at_once_find_what_one_finds(name):
    index = large(make=ready)
    some = large_questions()
    expected = MODELS[name]().bind(index.snapshot).top_many(some, 10, threads=1)
    for _ in range(3):
        scorer = MODELS[name]().bind(index.snapshot)
        barrier = Barrier(8)

        def work(turn, scorer=scorer, barrier=barrier):
            barrier.wait()
            order = some[turn:] + some[:turn]
            found = [scorer.top(question, 10) for question in order]
            return found[len(some) - turn :] + found[: len(some) - turn]

        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(work, range(8)):
                assert_all_same(found, expected)


@every_model
@few
@given(data=st.data())
def test_the_parts_of_an_explanation_sum_to_the_score(name, data):
    index = made(data.draw(SEEDS), ready)
    scorer = data.draw(models(name)).bind(index.snapshot)
    assert_explained(scorer, data.draw(questions(index)))


def assert_explained(scorer, question):
    """Of every document: its score is finite, the sum of its parts, and not below the floor."""
    numbers = np.flatnonzero(scorer.view.alive)
    for number, score in zip(numbers.tolist(), scorer.scores(question, numbers).tolist(), strict=True):
        explanation = scorer.explain(question, number)
        assert math.isfinite(score)
        assert explanation.score == score
        if explanation.parts:
            assert explanation.total == pytest.approx(score, rel=1e-6, abs=1e-6)
        assert explanation.formula in str(explanation)
        assert score >= scorer.floor(question)
        assert explanation.to_json()["score"] == score


# --- parameters ------------------------------------------------------------------------------------------------


def wrong_parameters():
    return [
        pytest.param(name, one.name, value, id=f"{name}-{one.name}-{value!r}")
        for name, model in MODELS.items()
        for one in model.declared()
        for value in outside(one.kind)
    ]


@pytest.mark.parametrize(("name", "parameter", "value"), wrong_parameters())
def test_a_parameter_out_of_its_range_is_refused_by_name(name, parameter, value):
    with pytest.raises(UsageError, match=rf"^{name}: {parameter} must be .+, got "):
        MODELS[name](**{parameter: value})


@every_name
def test_a_parameter_that_is_not_declared_is_refused(name):
    with pytest.raises(UsageError, match=rf"^{name} has no parameter 'nope'\. It has: .*layer, fields"):
        ranker(f"{name}[nope=1]")


@every_model
def test_layers_and_fields_that_the_index_lacks_are_refused(name):
    snapshot = ready_for(name, named([{"text": "aa"}])).snapshot
    with pytest.raises(UsageError, match=r"the index has no layer 'nope'\. It has: main, pairs"):
        MODELS[name](layer="nope").bind(snapshot)
    with pytest.raises(UsageError, match=rf"the index has no field 'nope'\. It has: {', '.join(FIELDS)}"):
        MODELS[name](fields="nope").bind(snapshot)


@every(TRAINED)
def test_documents_have_the_rows_that_were_trained(name):
    """Where training and inference differ; otherwise it does not matter when a document came."""
    documents = documents_of(3)
    by_training = Bound(MODELS[name](), ready_for(name, documents))
    by_inference = Bound(MODELS[name](), ready_for(name, documents, trained_on=lambda _: False))
    ((own, _),) = rows_for(MODELS[name])
    differ = isinstance(trained_spaces()[own], ParagraphSpace)
    assert (by_training.scores(QUESTIONS[0]) != by_inference.scores(QUESTIONS[0])) == differ


@every(TRAINED)
def test_a_model_reads_the_layer_and_the_fields_it_was_trained_on(name):
    snapshot, model = made(3, ready).snapshot, MODELS[name]
    question, numbers = Question("aa bb"), made(3, ready).snapshot.live_numbers()
    with pytest.raises(UsageError, match=r"was trained on the layer 'main', not on 'pairs'; train on that one"):
        model(layer="pairs").bind(snapshot)
    for fields in ("title", ["title", "text"]):
        with pytest.raises(UsageError, match=r"was trained on the fields .*title.*text.*see also; to use others"):
            model(fields=fields).bind(snapshot)
    plain = model().bind(snapshot)
    for same in (model(layer="main"), model(fields=list(FIELDS)), model(fields=FIELDS)):
        assert same.bind(snapshot).scores(question, numbers).tobytes() == plain.scores(question, numbers).tobytes()
    heavy = model(fields={**FIELDS, "title": 5})
    if rows_for(model)[0][1].space.weighted:
        with pytest.raises(
            UsageError, match=r"was trained on the fields 1\*title\+1\*text\+0\.7\*see also; to use"
        ):
            heavy.bind(snapshot)
    else:
        assert heavy.bind(snapshot).view.weights.tolist() == [5, 1, 0.7]


@cache
def with_every_training():
    return index_of(documents_of(3), names=trained_spaces())


@every(TRAINED)
def test_a_model_takes_what_was_trained_for_others_or_refuses_it(name):
    """Whatever is named: it ranks, and is explained, as what a model looks for by itself, or nothing is bound."""
    index, model = with_every_training(), MODELS[name]
    (named_by,) = [one.name for one in model.declared() if one.kind == ROWS]
    ((own, _),) = rows_for(model)
    taken = set()
    for trained_as in trained_spaces():
        try:
            scorer = model(**{named_by: trained_as}).bind(index.snapshot)
        except UsageError as error:
            assert re.match(
                rf"'{trained_as}' was trained by '\w+', and {name} needs .*; run: index.train\(", str(error)
            )
            continue
        taken.add(trained_as)
        for question in QUESTIONS:
            assert_explained(scorer, question)
            assert_all_same(scorer.top_many([question], 5), Scorer.top_many(scorer, [question], 5))
    assert own in taken
    with pytest.raises(NotFound, match=rf"has no trained rows 'nope'\. It has: {', '.join(trained_spaces())}"):
        model(**{named_by: "nope"}).bind(index.snapshot)


@pytest.mark.parametrize("name", TRAINED)
def test_a_model_that_was_not_trained_says_how_to(name, tmp_path):
    index = Index.build(named([{"text": "aa"}]), tmp_path / "a.index")
    ((own, way),) = rows_for(MODELS[name])
    with pytest.raises(NotFound, match=rf"^{name} needs documents to be trained on") as raised:
        MODELS[name]().bind(index.snapshot)
    kind, *said = str(raised.value).partition(f"; run: aboutness train {index.path} ")[2].split()
    options = {option[2:].replace("-", "_"): value for option, value in zip(said[::2], said[1::2], strict=True)}
    assert (kind, options.pop("name", kind)) == (way.name, own)
    assert TRAINERS[kind].from_options(options) == way


@every_name
def test_a_model_says_what_it_is(name):
    model = MODELS[name]
    assert issubclass(model, Model)
    assert model.name == name
    assert model.summary
    assert model.source
    assert len(model.__doc__.splitlines()) > 3
    assert [one.name for one in model.declared()][:2] == ["layer", "fields"]
    assert all(one.help for one in model.declared())
    assert str(model()) == name


@every_name
def test_a_model_says_which_layer_it_reads_unless_one_is_named(name):
    told = {one.name: one.help for one in MODELS[name].declared()}["layer"]
    its_own = MODELS[name].view is not Model.view
    assert ("(the first's)" in told) == (not its_own)


# --- hardly any documents --------------------------------------------------------------------------------------


@cache
def without_documents():
    """An index that never had any, one whose documents are all dead, and one from which they are gone."""
    parts = named([{"text": "aa bb aa aa"}, {"title": "aa"}]), named([{"see also": "bb"}], "e")
    emptied, merged = (ready(*parts, dead=["d0", "d1", "e0"]) for _ in "12")
    merged.merge()
    return [ready(), emptied, merged]


@every_model
@fewer
@given(data=st.data())
def test_an_index_without_documents_gives_empty_rankings(name, data):
    model = data.draw(models(name))
    for index in without_documents():
        scorer = model.bind(index.snapshot)
        for match in MATCHES:
            for some in (QUESTIONS[:1], QUESTIONS * 2):
                assert [len(found) for found in scorer.top_many(some, 10, match=match)] == [0] * len(some)
        assert len(scores_of(scorer, QUESTIONS[0])) == 0


@cache
def without_words():
    return ready(named([{"text": ""}, {}, {"title": ".,"}]))


@every_model
@few
@given(data=st.data())
def test_documents_without_words_are_no_trouble(name, data):
    model = data.draw(models(name))
    index = without_words()
    scorer = model.bind(index.snapshot)
    question = data.draw(questions(index))
    assert np.isfinite(scores_of(scorer, question)).all()
    ranked_all = len(index) if scorer.ranks(question) else 0  # a word may have a vector and be in no document
    found = {match: len(scorer.top(question, 10, match=match)) for match in MATCHES}
    assert found == {"or": 0, "and": 0, "all": ranked_all}
