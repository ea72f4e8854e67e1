"""Expressions of rankers against doing the same by hand with the scores that models define."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.algebra import Ranker, inside
from aboutness.core.deadline import wanted_until
from aboutness.core.errors import UsageError
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.combination import Combination
from aboutness.rank.grammar import ranker
from rank.by_hand import WORDS, ByHand, expressions, living, matches, pairs, questions, sixty


@pytest.fixture(scope="module")
def index() -> Index:
    return sixty()


@settings(max_examples=100)
@given(expressions(), questions, matches, st.sampled_from([1, 3, 10, 1000]))
def test_any_expression(index, expression, text, match, k):
    bound = bind(expression, index.snapshot)
    hand = ByHand(index, text)
    ranking = bound.top_many([Question(text)], k, match=match)[0]
    assert pairs(ranking) == hand.ranking(expression, match, tuple(living(index)))[:k]
    assert (ranking.documents.dtype, ranking.scores.dtype) == (np.int64, np.float32)
    assert bound.knows(Question(text)) == hand.knows(expression)
    assert bound.floor(Question(text)) == hand.floor(expression)
    assert not len(ranking) or bound.knows(Question(text))


@settings(max_examples=60)
@given(expressions(), questions, matches, st.sets(st.integers(0, 59)), st.booleans())
def test_only_the_allowed_take_part(index, expression, text, match, chosen, as_mask):
    numbers = np.array(sorted(chosen), np.int64)
    allowed = np.isin(np.arange(60), numbers) if as_mask else numbers
    ranking = bind(expression, index.snapshot).top_many([Question(text)], 1000, match=match, allowed=allowed)[0]
    pool = tuple(number for number in living(index) if number in chosen)
    assert pairs(ranking) == ByHand(index, text).ranking(expression, match, pool)


@settings(max_examples=80)
@given(expressions(), questions, matches, st.none() | st.sets(st.integers(0, 59)), st.booleans())
def test_the_explanation_of_a_hit_is_its_score_and_sums_to_it(index, expression, text, match, chosen, as_mask):
    numbers = np.array(sorted(chosen or ()), np.int64)
    allowed = None if chosen is None else np.isin(np.arange(60), numbers) if as_mask else numbers
    question, bound = Question(text), bind(expression, index.snapshot)
    found = bound.top_many([question], 1000, match=match, allowed=allowed)[0]
    for number, score in pairs(found)[:2] + pairs(found)[-2:]:
        why = explain(bound, question, number, match, allowed)
        assert why.score == score
        size = max([1.0, *(abs(part.value) for part in why.parts)])
        # A document without any known word is told in the formula.
        assert not why.parts or math.isclose(why.total, score, rel_tol=1e-5, abs_tol=1e-5 * size)


@settings(max_examples=40)
@given(
    expressions(),
    st.lists(questions, max_size=9),
    matches,
    st.sampled_from([None, 1, 3]),
    st.sampled_from([0, 1e-4, 9]),
)
def test_many_questions_are_answered_as_one_by_one(index, expression, asked, match, threads, worth):
    bound = bind(expression, index.snapshot)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.rank.searching.TOGETHER", 4)
        patch.setattr("aboutness.rank.searching.WORTH", worth)
        together = bound.top_many([Question(text) for text in asked], 7, match=match, threads=threads)
    assert [pairs(ranking) for ranking in together] == [
        pairs(bound.top_many([Question(text)], 7, match=match)[0]) for text in asked
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
    by_text, then_by_title = "bm25[fields=text] % 50", "bm25[fields=text] % 50 >> ql[fields=title]"
    one, other = (
        bind(ranker(text), index.snapshot).top_many([Question("aa ff")], 99)[0]
        for text in (by_text, then_by_title)
    )
    titles = bind(ranker("ql[fields=title]"), index.snapshot).top_many([Question("aa ff")], 99)[0]
    assert set(one.documents) == set(other.documents)
    assert set(one.documents) - set(titles.documents)
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
    bound = bind(ranker("(bm25 + ql % 7 + .5*wcs) % 20 >> ql % 10 + bm25"), index.snapshot)
    asked = [Question(f"{one} {other}") for one in WORDS for other in WORDS] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: pairs(bound.top_many([question], 10)[0]), asked))
    assert found == [pairs(ranking) for ranking in bound.top_many(asked, 10, threads=1)]


# --- mixtures ---------------------------------------------------------------------------------------------------


def test_a_mixture_adds_raw_scores_in_the_order_of_its_parts(index):
    question, numbers = Question("aa dd"), index.snapshot.live_numbers()
    bm25, ql = (bind(ranker(name), index.snapshot).scores(question, numbers) for name in ("bm25", "ql"))
    expected = (bm25.astype(np.float64) + 0.3 * ql.astype(np.float64)).astype(np.float32)
    bound = bind(ranker("bm25 + .3*ql"), index.snapshot)
    assert bound.scores(question, numbers).tobytes() == expected.tobytes()
    found = bound.top_many([question], 1000, match="all")[0]
    assert dict(pairs(found)) == dict(zip(numbers.tolist(), expected.tolist(), strict=True))
    for allowed in (np.arange(60), np.ones(60, np.bool_)):  # the dead are never found
        assert pairs(bound.top_many([question], 1000, match="all", allowed=allowed)[0]) == pairs(found)


@pytest.mark.parametrize("match", ["or", "and", "all"])
def test_a_mixture_looks_among_numbers_as_among_a_mask(index, match):
    question, mask = Question("bb cc"), np.arange(60) % 3 > 0
    bound = bind(ranker("bm25 + 2*ql"), index.snapshot)
    everything = bound.top_many([question], 1000, match=match)[0]
    expected = [pair for pair in pairs(everything) if mask[pair[0]]]
    assert 0 < len(expected) < len(everything)
    for allowed in (mask, np.flatnonzero(mask)):
        assert pairs(bound.top_many([question], 1000, match=match, allowed=allowed)[0]) == expected


def test_a_weight_alone_changes_scores_but_hardly_the_order(index):
    question = Question("aa cc")
    once, twice, never = (
        bind(weight * ranker("bm25"), index.snapshot).top_many([question], 1000)[0] for weight in (1, 2, 0)
    )
    assert pairs(once) == pairs(bind(ranker("bm25"), index.snapshot).top_many([question], 1000)[0])
    assert twice.documents.tolist() == once.documents.tolist()
    assert twice.scores.tolist() == (2 * once.scores).tolist()
    assert pairs(never) == [(number, 0.0) for number in sorted(once.documents.tolist())]
    assert (
        np.signbit(bind(ranker("0*ql"), index.snapshot).top_many([question], 9)[0].scores).tolist() == [False] * 9
    )


def test_what_any_part_finds_is_ranked(index):
    """Each model matches in its own fields, and gives its score also to what others found."""
    question = Question("ee ff")
    parts = {name: bind(ranker(name), index.snapshot) for name in ("bm25[fields=text]", "ql[fields=title]")}
    found = [one.top_many([question], 1000)[0].documents for one in parts.values()]
    ranking = bind(ranker(" + ".join(parts)), index.snapshot).top_many([question], 1000)[0]
    assert set(found[0]) - set(found[1])
    assert set(found[1]) - set(found[0])
    assert set(ranking.documents) == set(found[0]) | set(found[1])
    for number, score in pairs(ranking):
        both = [float(one.scores(question, np.array([number]))[0]) for one in parts.values()]
        assert score == np.float32(sum(both))
        assert both[1] < 0


@pytest.mark.parametrize("text", ["gg", "gg gg unknown"])
def test_a_part_that_does_not_know_the_question_leaves_the_others_unchanged(index, text):
    question = Question(text)
    assert not bind(ranker("wcs"), index.snapshot).knows(question)
    for expression in (
        "ql + 30*wcs",
        "30*wcs + ql",
        "ql + wcs % 5",
        "ql + (bm25 % 9 >> wcs)",
        "ql + 2*(wcs + wcs)",
    ):
        bound = bind(ranker(expression), index.snapshot)
        alone = bind(ranker("ql"), index.snapshot)
        for match in ("or", "and", "all"):
            assert pairs(bound.top_many([question], 1000, match=match)[0]) == pairs(
                alone.top_many([question], 1000, match=match)[0]
            )
        assert bound.knows(question)
        assert bound.floor(question) == alone.floor(question)
        assert {part.by for part in bound.explain(question, 5).parts} == {"ql"}
    for expression in ("(bm25 % 9 >> wcs) >> ql", "(bm25 % 9 >> wcs) % 5 >> ql", "bm25 % 9 >> wcs % 5 >> ql"):
        bound = bind(ranker(expression), index.snapshot)
        assert [len(bound.top_many([question], 9, match=match)[0]) for match in ("or", "and", "all")] == [0, 0, 0]
    nobody = bind(ranker("wcs + ql[fields=text]"), index.snapshot)
    assert [len(nobody.top_many([question], 9, match=match)[0]) for match in ("or", "and", "all")] == [0, 0, 0]
    assert not nobody.knows(question)
    assert nobody.scores(question, np.arange(3)).tolist() == [0, 0, 0]
    assert nobody.explain(question, 0).parts == ()


def test_what_a_cut_left_out_counts_as_its_lowest_score(index):
    question = Question("aa")
    ql, bm25 = bind(ranker("ql"), index.snapshot), bind(ranker("bm25"), index.snapshot)
    ranking = bind(ranker("bm25 + 2*(ql % 4)"), index.snapshot).top_many([question], 1000)[0]
    first = dict(pairs(ql.top_many([question], 4)[0]))
    assert len(first) == 4 < len(ranking)
    for number, score in pairs(ranking):
        own = float(bm25.scores(question, np.array([number]))[0])
        assert score == np.float32(own + 2 * first.get(number, ql.floor(question)))
    assert ql.floor(question) <= ql.scores(question, index.snapshot.live_numbers()).min()
    assert set(ranking.documents[:4]) == set(first)


@settings(max_examples=30)
@given(expressions(1), questions)
def test_no_score_is_below_the_floor_or_without_end(index, expression, text):
    enormous = 1 * expression
    for _ in range(5):
        enormous = 1e9 * (enormous + ranker("ql"))
    for one in (expression, enormous, 2 * (enormous % 50) + enormous):
        bound = bind(one, index.snapshot)
        scores = bound.scores(Question(text), index.snapshot.live_numbers())
        found = bound.top_many([Question(text)], 100, match="all")[0].scores
        assert np.isfinite(scores).all()
        assert np.isfinite(found).all()
        assert bound.floor(Question(text)) <= min(scores)
        if not any(isinstance(part, Combination) for part in inside(one)):
            assert bound.floor(Question(text)) <= min(found, default=0.0)


@pytest.mark.parametrize(
    "text", ["bm25 + .5*ql", "2*(bm25 + tfidf) + ql", "3*ql", "bm25-desm", "wcs + desm-in-out"]
)
def test_the_parts_of_a_mixture_are_those_of_its_parts_times_their_weights(index, text):
    question, bound = Question("aa bb ff"), bind(ranker(text), index.snapshot)
    numbers = index.snapshot.live_numbers()
    for number, score in zip(numbers.tolist(), bound.scores(question, numbers).tolist(), strict=True):
        explanation = bound.explain(question, number)
        assert explanation.score == score
        assert math.isclose(explanation.total, score, rel_tol=1e-5, abs_tol=1e-5)
    assert explanation.formula == str(getattr(ranker(text), "expression", ranker(text)))


def test_an_explanation_tells_which_ranker_a_part_comes_from(index):
    question, number = Question("aa ff"), int(index.snapshot.number("d1"))
    explanation = bind(ranker("bm25 + 2*(.5*ql[mu=9] + 3*tfidf % 70)"), index.snapshot).explain(question, number)
    alone = {name: bind(ranker(name), index.snapshot) for name in ("bm25", "ql[mu=9]", "tfidf")}
    weights = {"bm25": 1, "ql[mu=9]": 2 * 0.5, "tfidf": 2 * 3}
    assert [(part.by, part.name, part.value, part.details) for part in explanation.parts] == [
        (name, part.name, weights[name] * part.value, part.details)
        for name, bound in alone.items()
        for part in bound.explain(question, number).parts
    ]
    shown = str(explanation).splitlines()
    assert shown[0].endswith("= bm25 + 2*(0.5*ql[mu=9] + 3*tfidf % 70)")
    assert sum("(ql)" in line for line in shown) == 2
    assert [part["by"] for part in explanation.to_json()["parts"]] == [part.by for part in explanation.parts]
    plain = bind(ranker("bm25"), index.snapshot).explain(question, number)
    assert "by" not in plain.to_json()["parts"][0]
    assert "(bm25)" not in str(plain)


@pytest.mark.parametrize("match", ["or", "and", "all"])
@pytest.mark.parametrize(
    "text",
    [
        "bm25 % 3 + 30*wcs",
        "bm25 + 2*(ql % 2 + tfidf % 5 >> bm25)",
        "(bm25 % 4 + ql % 9) % 6",
        "bm25 % 20 >> (tfidf % 2 + ql)",
        "bm25 % 20 >> (tfidf % 2 >> bm25 + ql % 5)",
    ],
)
def test_a_hit_is_explained_by_the_score_that_it_has(index, text, match):
    question, bound = Question("aa bb"), bind(ranker(text), index.snapshot)
    allowed = index.snapshot.alive.copy()
    allowed[::3] = False
    cut = 0
    for some in (None, allowed, np.flatnonzero(allowed)):
        (found,) = bound.top_many([question], 50, match=match, allowed=some)
        for number, score in zip(found.documents.tolist(), found.scores.tolist(), strict=True):
            why = explain(bound, question, number, match, some)
            assert why.score == score
            assert math.isclose(why.total, score, rel_tol=1e-5, abs_tol=1e-5)
            cut += any(part.name == "not among the documents that it finds" for part in why.parts)
        assert len(found)
    assert cut or text.startswith("bm25 % 20 >> (tfidf % 2 >>")


def test_a_document_that_does_not_match_is_explained_by_its_words_too(index):
    bound, question = bind(ranker("bm25 + 2*ql"), index.snapshot), Question("dd")
    found = bound.top_many([question], 100)[0].documents
    number = next(number for number in living(index) if number not in found)
    assert [(part.by, part.name) for part in bound.explain(question, number).parts] == [
        ("bm25", "dd"),
        ("ql", "dd"),
    ]


def test_a_document_of_which_a_part_knows_nothing_is_explained_too(index):
    number = int(index.snapshot.number("d7"))
    explanation = bind(ranker("ql + 30*wcs"), index.snapshot).explain(Question("aa gg"), number)
    assert [part.value for part in explanation.parts if part.by == "wcs"] == [-30]
    assert math.isclose(explanation.total, explanation.score, rel_tol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "bm25",
        "bm25 % 5",
        "bm25 % 5 >> ql",
        "bm25 % 5 >> (ql % 3 >> tfidf)",
        "bm25 + ql",
        "2*bm25 + ql % 3 + (ql % 2 >> bm25)",
    ],
)
def test_an_empty_index_gives_nothing(text):
    index = Index.build([])
    for match in ("or", "and", "all"):
        rankings = bind(ranker(text), index.snapshot).top_many([Question("aa"), Question("")], 5, match=match)
        assert [len(ranking) for ranking in rankings] == [0, 0]
        assert bind(ranker(text), index.snapshot).top_many([], 5, match=match) == []


@pytest.mark.parametrize("text", ["bm25", "bm25 % 5", "bm25 % 5 >> ql", "bm25 % 5 >> ql % 3", "bm25 + ql", "2*ql"])
def test_what_is_asked_is_checked(index, text):
    bound = bind(ranker(text), index.snapshot)
    for k in (0, -1, 1.5, "3", None, True):
        with pytest.raises(UsageError, match="k must be a whole number of at least 1, got "):
            bound.top_many([Question("aa")], k)
    for asked in ([Question("aa")], [Question("aa")] * 2):
        with pytest.raises(UsageError, match=r"match must be one of or, and, all, got 'xor'"):
            bound.top_many(asked, 3, match="xor")
    if not text.startswith("bm25 %") and text != "bm25":
        with pytest.raises(UsageError, match="threads must be a whole number from 1 to 1024, got 0"):
            bound.top_many([Question("aa")], 3, threads=0)


@pytest.mark.parametrize(
    "text",
    ["bm25[layer=nope]", "bm25 % 5 >> ql[layer=nope]", "bm25[layer=nope] % 5 >> ql", "bm25 + 2*ql[layer=nope]"],
)
def test_a_ranker_that_wants_what_the_index_lacks_is_refused(index, text):
    with pytest.raises(UsageError, match=r"the index has no layer 'nope'\. It has: main, pairs"):
        bind(ranker(text), index.snapshot)
    with pytest.raises(UsageError, match=r"the index has no field 'nope'\. It has: text, title"):
        bind(ranker(text.replace("layer=", "fields=")), index.snapshot)


def test_only_rankers_can_be_bound(index):
    for other in ("bm25", None, 3, Ranker()):
        with pytest.raises(UsageError, match="not a ranker: "):
            bind(other, index.snapshot)


@pytest.mark.parametrize("text", ["bm25 + ql", "bm25 % 5 >> ql", "combsum(bm25, ql % 3)", "rrf(bm25, ql)"])
def test_rankers_made_of_others_end_when_nobody_waits_any_more(index, text):
    bound, asked = bind(ranker(text), index.snapshot), [Question(WORDS[0])]
    with wanted_until(time.monotonic() + 60):
        in_time = bound.top_many(asked)
    assert pairs(in_time[0]) == pairs(bound.top_many(asked)[0])
    with wanted_until(time.monotonic() - 1), pytest.raises(TimeoutError):
        bound.top_many(asked)
