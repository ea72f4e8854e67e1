"""What every pipeline with a name must keep: as far as they apply, the contracts of models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.algebra import Cut, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Whole
from aboutness.models.bm25 import BM25
from aboutness.models.desm import DESM
from aboutness.models.iwcs import IWCS
from aboutness.models.known import MODELS
from aboutness.models.model import MATCHES
from aboutness.models.question import Question
from aboutness.models.wmd import WMD
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from aboutness.rank.pipelines import BM25DESM, IWCSWMD, PIPELINES, Pipeline
from models.drawing import (
    FIELDS,
    SEEDS,
    UNKNOWN,
    WORDS,
    asked,
    collections,
    drafts,
    histories,
    index_of,
    inside,
    large,
    large_questions,
    made,
    named,
    outside,
    permuted,
    questions,
    texts,
)

every_pipeline = pytest.mark.parametrize("name", list(PIPELINES))
few = settings(max_examples=12)
fewest = settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])  # each makes an index


@inside.register
def _(kind: Whole) -> st.SearchStrategy[Any]:
    return st.sampled_from([kind.least, kind.most]) | st.integers(kind.least, min(kind.most, kind.least + 9))


@outside.register
def _(kind: Whole) -> list[Any]:
    return [kind.least - 1, kind.most + 1, kind.least + 0.5, float("nan"), float("inf"), "1", True, None]


def pipelines(name: str) -> st.SearchStrategy[Pipeline]:
    """Pipelines of a name, with parameters from their declared ranges."""
    kind = PIPELINES[name]
    values = {one.name: st.just(one.default) | inside(one.kind) for one in kind.declared()}
    return st.fixed_dictionaries(values).map(lambda values: kind(**values))


def scores_of(index, pipeline, question):
    """The score of every living document, by number."""
    return bind(pipeline, index.snapshot).scores(question, index.snapshot.live_numbers())


def by_id(index, pipeline, draft):
    """The score of every document, to the bit."""
    scores = scores_of(index, pipeline, asked(draft, index.snapshot))
    return dict(zip(index.snapshot.ids(), (score.tobytes() for score in scores), strict=True))


def ranked(index, pipeline, draft, k=1000, match="or"):
    ranking = bind(pipeline, index.snapshot).top_many([asked(draft, index.snapshot)], k, match=match)[0]
    return [(index.snapshot.id(n), score) for n, score in pairs(ranking)]


def pairs(ranking):
    assert (ranking.documents.dtype, ranking.scores.dtype) == (np.int64, np.float32)
    return list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))


def all_pairs(rankings):
    return [pairs(ranking) for ranking in rankings]


# --- what they stand for ---------------------------------------------------------------------------------------


def test_iwcs_wmd_is_the_first_of_iwcs_ranked_by_wmd():
    assert IWCSWMD().expression == IWCS() % 20 >> WMD()
    made = IWCSWMD(layer="l", fields="2*title", k=7, vectors="v", case="any", cost="cosine", unit="yes").expression
    read = {"layer": "l", "fields": "2*title", "vectors": "v", "case": "any"}
    assert made == Rerank(Cut(IWCS(**read), 7), WMD(**read, cost="cosine", unit="yes"))


def test_bm25_desm_is_equation_9():
    assert str(BM25DESM().expression) == "0.8*desm-in-out + 0.2*bm25[k1=1.7,b=0.95]"
    made = BM25DESM(
        layer="l", fields="2*title", alpha=0.25, space="out-in", k1=2, b=0, vectors="v", case="any"
    ).expression
    desm = DESM("out-in", layer="l", fields="2*title", vectors="v", case="any")
    assert made == Sum((Scaled(0.25, desm), Scaled(0.75, BM25(layer="l", fields="2*title", k1=2, b=0))))


@pytest.mark.parametrize("space", ["in-in", "in-out", "out-out", "out-in"])
def test_all_pairs_of_spaces(space):
    assert BM25DESM(space=space).expression.parts[0].ranker == ranker(f"desm-{space}")


def test_the_ends_of_alpha_are_the_models():
    index, question = made(7), Question("aa bb cc")
    numbers = index.snapshot.live_numbers()
    desm, bm25 = (bind(one, index.snapshot) for one in (DESM(), BM25(k1=1.7, b=0.95)))
    assert desm.knows(question)
    for alpha, model in ((1, desm), (0, bm25)):
        bound = bind(BM25DESM(alpha=alpha), index.snapshot)
        assert bound.scores(question, numbers).tolist() == model.scores(question, numbers).tolist()
        assert pairs(bound.top_many([question], 99)[0]) == pairs(model.top(question, 99))


@every_pipeline
@few
@given(data=st.data())
def test_a_pipeline_ranks_as_its_expression(name, data):
    index = made(data.draw(SEEDS))
    pipeline = data.draw(pipelines(name))
    named_so, written = (
        bind(pipeline, index.snapshot),
        bind(ranker(str(pipeline.for_index(index.snapshot))), index.snapshot),
    )
    question, match = data.draw(questions(index)), data.draw(st.sampled_from(MATCHES))
    assert all_pairs(named_so.top_many([question], 9, match=match)) == all_pairs(
        written.top_many([question], 9, match=match)
    )
    assert named_so.explain(question, 0) == written.explain(question, 0)
    assert pipeline.limited == pipeline.expression.limited
    again = (pipeline if pipeline.limited else pipeline % 5) >> 2 * pipeline + BM25()
    assert ranker(str(again)) == again
    assert len(bind(again, index.snapshot).top_many([question], 9)[0]) <= 9


# --- scores ----------------------------------------------------------------------------------------------------


@every_pipeline
@few
@given(data=st.data())
def test_every_document_has_one_finite_score(name, data):
    index = made(data.draw(SEEDS))
    bound = bind(data.draw(pipelines(name)), index.snapshot)
    question = data.draw(questions(index))
    numbers = index.snapshot.live_numbers()
    scores = bound.scores(question, numbers)
    assert (scores.shape, scores.dtype) == ((len(index),), np.float32)
    assert np.isfinite(scores).all()
    assert (scores >= bound.floor(question)).all()
    some = numbers[data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))]
    assert bound.scores(question, some).tolist() == scores[np.isin(numbers, some)].tolist()


@every_pipeline
@few
@given(data=st.data())
def test_permuting_documents_permutes_scores(name, data):
    one, other = permuted(data.draw(SEEDS))
    pipeline, draft = data.draw(pipelines(name)), data.draw(drafts(list(one)))
    assert by_id(one, pipeline, draft) == by_id(other, pipeline, draft)


@every_pipeline
@few
@given(data=st.data())
def test_rankings_do_not_depend_on_how_the_index_came_about(name, data):
    at_once, *others = histories(data.draw(SEEDS))
    pipeline, draft = data.draw(pipelines(name)), data.draw(drafts(list(at_once)))
    match, k = data.draw(st.sampled_from(MATCHES)), data.draw(st.integers(1, 12))
    scores, ranking = by_id(at_once, pipeline, draft), ranked(at_once, pipeline, draft, match=match)
    for index in others:
        assert by_id(index, pipeline, draft) == scores
        assert ranked(index, pipeline, draft, match=match) == ranking
        assert ranked(index, pipeline, draft, k, match) == ranking[:k]


@every_pipeline
@fewest
@given(data=st.data())
def test_an_index_that_is_closed_and_opened_gives_the_same(name, data, tmp_path_factory):
    documents = data.draw(collections())
    pipeline, draft = data.draw(pipelines(name)), data.draw(drafts(documents))
    path = tmp_path_factory.mktemp("opened") / "here.index"
    built = index_of(documents, path=path)
    scores, ranking = by_id(built, pipeline, draft), ranked(built, pipeline, draft)
    del built
    opened = Index.open(path, verify=True)
    assert by_id(opened, pipeline, draft) == scores
    assert ranked(opened, pipeline, draft) == ranking


@every_pipeline
@few
@given(data=st.data())
def test_the_text_of_a_pipeline_makes_it_again(name, data):
    pipeline = data.draw(pipelines(name))
    again = ranker(str(pipeline))
    assert again == pipeline
    assert (str(again), hash(again)) == (str(pipeline), hash(pipeline))


# --- questions -------------------------------------------------------------------------------------------------


@every_pipeline
@few
@given(data=st.data())
def test_an_unknown_word_changes_nothing(name, data):
    index = made(data.draw(SEEDS))
    bound = bind(data.draw(pipelines(name).filter(lambda one: one.layer != "pairs")), index.snapshot)
    known = data.draw(st.lists(st.sampled_from(WORDS), max_size=5))
    more = list(known)
    more.insert(data.draw(st.integers(0, len(known))), data.draw(st.sampled_from(UNKNOWN)))
    one, other = Question(" ".join(known)), Question(" ".join(more))
    for match in ("or", "all"):
        rankings = bound.top_many([one, other], 5, match=match)
        assert pairs(rankings[1]) == pairs(rankings[0])


@cache
def with_an_empty_document():
    return index_of(named([{"text": "aa bb"}, {"text": ""}, {"title": "aa"}]))


@every_pipeline
@pytest.mark.parametrize(
    "question",
    [
        Question(""),
        Question("zz yy"),
        Question(terms={}),
        Question(terms={"aa": 0.0, "zz": 1.0}),
        Question(fields={"title": "zz"}),
        Question(document=1),
    ],
    ids=str,
)
def test_a_question_without_known_words_finds_nothing(name, question):
    index = with_an_empty_document()
    bound = bind(PIPELINES[name](), index.snapshot)
    for match in MATCHES:
        assert len(bound.top_many([question], 10, match=match, allowed=np.array([0, 1]))[0]) == 0
        batch = bound.top_many([question, Question("aa")] * 9, 10, match=match)
        assert [len(ranking) for ranking in batch] == [0, 3 if match == "all" else 2] * 9
    assert not bound.knows(question)
    assert bound.explain(question, 0).parts == ()


# --- rankings --------------------------------------------------------------------------------------------------


@every_pipeline
@few
@given(data=st.data())
def test_a_ranking_has_the_scores_of_the_documents_the_best_first(name, data):
    index = made(data.draw(SEEDS))
    pipeline = data.draw(pipelines(name))
    bound, question = bind(pipeline, index.snapshot), data.draw(questions(index))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=index.snapshot.size, max_size=index.snapshot.size)))
    allowed = data.draw(st.sampled_from([None, mask, np.flatnonzero(mask)]))
    match, k = data.draw(st.sampled_from(MATCHES)), data.draw(st.integers(1, 15))
    ranking = pairs(bound.top_many([question], k, match=match, allowed=allowed)[0])
    numbers = index.snapshot.live_numbers()
    scores = dict(zip(numbers.tolist(), bound.scores(question, numbers).tolist(), strict=True))
    assert ranking == sorted(((number, scores[number]) for number, _ in ranking), key=lambda p: (-p[1], p[0]))
    assert allowed is None or all(mask[number] for number, _ in ranking)
    everything = pairs(bound.top_many([question], 1000, match=match, allowed=allowed)[0])
    assert ranking == everything[:k]


@every_pipeline
@few
@given(data=st.data())
def test_a_batch_ranks_as_its_questions_do_one_by_one(name, data):
    index = made(data.draw(SEEDS))
    pipeline = data.draw(pipelines(name))
    size = data.draw(st.sampled_from([0, 1, 2, 9, 24]))
    drawn = texts([*WORDS, *UNKNOWN]).map(Question) if data.draw(st.booleans()) else questions(index)
    some = data.draw(st.lists(drawn, min_size=size, max_size=size))
    k, match = data.draw(st.integers(1, 15)), data.draw(st.sampled_from(MATCHES))
    bound = bind(pipeline, index.snapshot)
    one_by_one = [pairs(bound.top_many([question], k, match=match)[0]) for question in some]
    for threads in (1, 3, None):
        fresh = bind(pipeline, index.snapshot)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("aboutness.rank.searching.WORTH", 0)
            assert all_pairs(fresh.top_many(some, k, match=match, threads=threads)) == one_by_one


@every_pipeline
def test_threads_that_search_at_once_find_what_one_finds(name):
    index, some = large(), large_questions()
    expected = all_pairs(bind(PIPELINES[name](), index.snapshot).top_many(some, 10, threads=1))
    assert all_pairs(bind(PIPELINES[name](), index.snapshot).top_many(some, 10, threads=3)) == expected
    bound, barrier = bind(PIPELINES[name](), index.snapshot), Barrier(4)

    def work(_):
        barrier.wait()
        return [pairs(bound.top_many([question], 10)[0]) for question in some]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [expected] * 4


@every_pipeline
@few
@given(data=st.data())
def test_the_parts_of_an_explanation_sum_to_the_score(name, data):
    index = made(data.draw(SEEDS))
    bound = bind(data.draw(pipelines(name)), index.snapshot)
    question = data.draw(questions(index))
    numbers = index.snapshot.live_numbers()
    for number, score in zip(numbers.tolist(), bound.scores(question, numbers).tolist(), strict=True):
        explanation = bound.explain(question, number)
        assert explanation.score == score
        if explanation.parts:
            assert explanation.total == pytest.approx(score, rel=1e-5, abs=1e-5)
        assert explanation.formula in str(explanation)
        assert explanation.to_json()["score"] == score


# --- parameters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        pytest.param(name, one.name, value, id=f"{name}-{one.name}-{value!r}")
        for name, pipeline in PIPELINES.items()
        for one in pipeline.declared()
        for value in outside(one.kind)
    ],
)
def test_a_parameter_out_of_its_range_is_refused_by_name(name, parameter, value):
    with pytest.raises(UsageError, match=rf"^{name}: {parameter} must be .+, got "):
        PIPELINES[name](**{parameter: value})


@every_pipeline
def test_what_is_not_there_is_refused(name):
    with pytest.raises(UsageError, match=rf"^{name} has no parameter 'nope'\. It has: layer, fields"):
        ranker(f"{name}[nope=1]")
    snapshot = with_an_empty_document().snapshot
    with pytest.raises(UsageError, match=r"the index has no layer 'nope'\. It has: main, pairs"):
        bind(PIPELINES[name](layer="nope"), snapshot)
    with pytest.raises(UsageError, match=rf"the index has no field 'nope'\. It has: {', '.join(FIELDS)}"):
        bind(PIPELINES[name](fields="nope"), snapshot)


@every_pipeline
def test_a_pipeline_says_what_it_is(name):
    pipeline = PIPELINES[name]
    assert issubclass(pipeline, Pipeline)
    assert (pipeline.name, str(pipeline())) == (name, name)
    assert pipeline.summary
    assert pipeline.source
    assert len(pipeline.__doc__.splitlines()) > 3
    assert [one.name for one in pipeline.declared()][:2] == ["layer", "fields"]
    assert all(one.help for one in pipeline.declared())


def test_models_and_pipelines_are_known_by_name():
    assert list(known_rankers()) == sorted([*MODELS, *PIPELINES])
    assert {"bm25", "iwcs-wmd", "bm25-desm"} <= set(known_rankers())
    assert known_rankers().kind == "ranker"


# --- hardly any documents --------------------------------------------------------------------------------------


@every_pipeline
@few
@given(data=st.data())
def test_an_index_without_documents_or_words_gives_empty_rankings(name, data):
    pipeline = data.draw(pipelines(name))
    question = Question("aa bb")
    for index in (without_documents(), without_words()):
        bound = bind(pipeline, index.snapshot)
        assert [len(bound.top_many([question], 10, match=match)[0]) for match in ("or", "and")] == [0, 0]
        assert np.isfinite(bound.scores(question, index.snapshot.live_numbers())).all()
    assert len(bind(pipeline, without_documents().snapshot).top_many([question], 10, match="all")[0]) == 0


@cache
def without_documents():
    return index_of(named([{"text": "aa bb"}, {"title": "aa"}]), dead=["d0", "d1"])


@cache
def without_words():
    return index_of(named([{"text": ""}, {}, {"title": ".,"}]))
