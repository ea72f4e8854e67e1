"""Cutting and ranking anew, against doing so by hand with the scores that models define."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.algebra import Cut, Ranker, Rerank
from aboutness.core.errors import UsageError
from aboutness.core.record import Document
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker

WORDS = ["aa", "bb", "cc", "dd", "ee"]
MODELS = ["bm25", "bm25[k1=0]", "ql", "ql[smoothing=jm]", "tfidf", "bm25-cosine"]


def texts(count, seed):
    chance = np.random.default_rng(seed)
    for n in range(count):
        words = chance.choice(WORDS, int(chance.integers(0, 9)), p=[0.4, 0.3, 0.15, 0.1, 0.05])
        yield Document(f"d{n}", {"text": " ".join(words)}, {"even": n % 2 == 0})


@pytest.fixture(scope="module")
def index() -> Index:
    """Sixty documents in three segments, some of them dead."""
    documents = list(texts(60, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        index = Index.build(documents[:20], analyzer="plain")
        index.add(documents[20:45])
        index.add(documents[45:])
        index.delete(["d3", "d21", "d22", "d59"])
    assert len(index.snapshot.segments) == 3
    return index


def matching(index: Index, text: str, match: str) -> list[int]:
    """The numbers of living documents that have any or all words of a text, or of all documents.

    A text without a word that any document has means nothing, and finds nothing.
    """
    wanted = set(text.split())
    if not wanted & set(WORDS):
        return []
    found = []
    for number in index.snapshot.live_numbers().tolist():
        words = set(index.snapshot.document(number).fields.get("text", "").split())
        if {"or": wanted & words, "and": wanted <= words, "all": True}[match]:
            found.append(number)
    return found


def by_hand(expression: Ranker, index: Index, text: str, among: list[int]) -> list[tuple[int, float]]:
    """Rank all of some documents: numbers and scores, the best first."""
    if isinstance(expression, Cut):
        return by_hand(expression.ranker, index, text, among)[: expression.depth]
    if isinstance(expression, Rerank):
        first = by_hand(expression.first, index, text, among)
        return by_hand(expression.second, index, text, sorted(number for number, _ in first))
    scores = bind(expression, index.snapshot).scores(Question(text), np.array(among, np.int64)).tolist()
    return sorted(zip(among, scores, strict=True), key=lambda pair: (-pair[1], pair[0]))


def pairs(ranking):
    return list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))


@st.composite
def expressions(draw: st.DrawFn, steps: int = 3) -> Ranker:
    form = draw(st.sampled_from(["model", "cut", "rerank"])) if steps else "model"
    if form == "model":
        return ranker(draw(st.sampled_from(MODELS)))
    depth = draw(st.integers(1, 20) | st.just(1000))
    if form == "cut":
        return draw(expressions(steps - 1)) % depth
    first = draw(expressions(steps - 1))
    return (first if isinstance(first, Rerank) else first % depth) >> draw(expressions(steps - 1))


questions = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=4, unique=True).map(" ".join)
matches = st.sampled_from(["or", "and", "all"])


@settings(max_examples=100)
@given(expressions(), questions, matches, st.sampled_from([1, 3, 10, 1000]))
def test_any_expression(index, expression, text, match, k):
    ranking = bind(expression, index.snapshot).top_many([Question(text)], k, match=match)[0]
    assert pairs(ranking) == by_hand(expression, index, text, matching(index, text, match))[:k]


@settings(max_examples=50)
@given(expressions(), questions, matches, st.sets(st.integers(0, 59)), st.booleans())
def test_only_the_allowed_take_part(index, expression, text, match, chosen, as_mask):
    numbers = np.array(sorted(chosen), np.int64)
    allowed = np.isin(np.arange(60), numbers) if as_mask else numbers
    ranking = bind(expression, index.snapshot).top_many([Question(text)], 1000, match=match, allowed=allowed)[0]
    among = [number for number in matching(index, text, match) if number in chosen]
    assert pairs(ranking) == by_hand(expression, index, text, among)


@settings(max_examples=30)
@given(expressions(), st.lists(questions, max_size=5), st.sampled_from([None, 1, 3]))
def test_many_questions_are_answered_as_one_by_one(index, expression, asked, threads):
    bound = bind(expression, index.snapshot)
    together = bound.top_many([Question(text) for text in asked], 7, threads=threads)
    assert [pairs(ranking) for ranking in together] == [
        pairs(bound.top_many([Question(text)], 7)[0]) for text in asked
    ]


def test_a_cut_keeps_the_first(index):
    question = Question("aa cc")
    whole = pairs(bind(ranker("bm25"), index.snapshot).top_many([question], 1000)[0])
    assert len(whole) > 12
    for depth, k, kept in ((5, 10, 5), (10, 5, 5), (12, 12, 12), (1000, 1000, len(whole)), (1, 1, 1)):
        bound = bind(ranker("bm25") % depth, index.snapshot)
        assert pairs(bound.top_many([question], k)[0]) == whole[:kept]
    assert pairs(bind(ranker("bm25 % 9 % 4"), index.snapshot).top_many([question], 10)[0]) == whole[:4]


def test_ranking_anew_changes_scores_and_order_but_adds_nothing(index):
    question = Question("aa dd")
    first = bind(ranker("bm25 % 8"), index.snapshot).top_many([question], 100)[0]
    anew = bind(ranker("bm25 % 8 >> ql"), index.snapshot).top_many([question], 100)[0]
    assert sorted(anew.documents) == sorted(first.documents)
    assert anew.documents.tolist() != first.documents.tolist()
    assert (anew.scores < 0).all()
    assert (np.diff(anew.scores) <= 0).all()
    again = bind(ranker("bm25 % 8 >> bm25"), index.snapshot).top_many([question], 100)[0]
    assert pairs(again) == pairs(first)


def test_what_the_first_finds_is_ranked_also_without_the_words_of_the_second(index):
    """The match step is the first ranker's: the second ranks all that came through."""
    bound = bind(ranker("bm25 % 50 >> tfidf"), index.snapshot)
    found = bound.top_many([Question("dd")], 100, match="all")[0]
    assert len(found) == 50
    assert found.scores[-1] == 0
    for match in ("or", "and", "all"):
        assert len(bound.top_many([Question("unknown")], 100, match=match)[0]) == 0
        assert len(bound.top_many([Question("")], 100, match=match)[0]) == 0


def test_a_filter_is_applied_before_the_cut(index):
    allowed = index.snapshot.where("even=true")
    ranking = bind(ranker("bm25 % 6 >> ql"), index.snapshot).top_many([Question("aa")], 10, allowed=allowed)[0]
    assert len(ranking) == 6
    assert allowed[ranking.documents].all()


def test_the_explanation_is_that_of_the_last_ranker(index):
    question, number = Question("aa bb"), int(index.snapshot.number("d1"))
    for text, last in (("bm25 % 9", "bm25"), ("bm25 % 9 >> ql", "ql"), ("bm25 % 9 >> ql % 4 >> tfidf", "tfidf")):
        explanation = bind(ranker(text), index.snapshot).explain(question, number)
        assert explanation == bind(ranker(last), index.snapshot).explain(question, number)
        assert math.isclose(explanation.total, explanation.score, rel_tol=1e-5, abs_tol=1e-6)


def test_one_bound_ranker_serves_several_threads(index):
    bound = bind(ranker("bm25 % 20 >> ql % 10"), index.snapshot)
    asked = [Question(f"{one} {other}") for one in WORDS for other in WORDS] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: pairs(bound.top_many([question], 10)[0]), asked))
    assert found == [pairs(ranking) for ranking in bound.top_many(asked, 10, threads=1)]


@pytest.mark.parametrize("text", ["bm25", "bm25 % 5", "bm25 % 5 >> ql", "bm25 % 5 >> (ql % 3 >> tfidf)"])
def test_an_empty_index_gives_nothing(text):
    index = Index.build([])
    for match in ("or", "and", "all"):
        rankings = bind(ranker(text), index.snapshot).top_many([Question("aa"), Question("")], 5, match=match)
        assert [len(ranking) for ranking in rankings] == [0, 0]
        assert bind(ranker(text), index.snapshot).top_many([], 5, match=match) == []


@pytest.mark.parametrize("text", ["bm25", "bm25 % 5", "bm25 % 5 >> ql", "bm25 % 5 >> ql % 3"])
def test_what_is_asked_is_checked(index, text):
    bound = bind(ranker(text), index.snapshot)
    for k in (0, -1, 1.5, "3", None, True):
        with pytest.raises(UsageError, match="k must be a whole number of at least 1, got "):
            bound.top_many([Question("aa")], k)
    with pytest.raises(UsageError, match=r"match must be one of or, and, all, got 'xor'"):
        bound.top_many([Question("aa")], 3, match="xor")


@pytest.mark.parametrize("text", ["bm25[layer=nope]", "bm25 % 5 >> ql[layer=nope]", "bm25[layer=nope] % 5 >> ql"])
def test_a_ranker_that_wants_what_the_index_lacks_is_refused(index, text):
    with pytest.raises(UsageError, match=r"the index has no layer 'nope'\. It has: main"):
        bind(ranker(text), index.snapshot)
    with pytest.raises(UsageError, match=r"the index has no field 'nope'\. It has: text"):
        bind(ranker(text.replace("layer=", "fields=")), index.snapshot)


def test_only_rankers_can_be_bound(index):
    for other in ("bm25", None, 3, Ranker()):
        with pytest.raises(UsageError, match="not a ranker: "):
            bind(other, index.snapshot)
