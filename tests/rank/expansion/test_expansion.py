"""What every expansion must keep: it is the ranker behind it, asked another question."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.algebra import Ranker
from aboutness.core.deadline import wanted_until
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, Kind, Number, OptionalName, Whole
from aboutness.index.trained import Trained
from aboutness.models.bags import matching
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.combination import COMBINATIONS
from aboutness.rank.expansion import EQE1, EQE2, RM3, Nearest, Rocchio
from aboutness.rank.expansion.expansion import Expansion
from aboutness.rank.grammar import ranker
from models.drawing import SEEDS, histories, index_of, large, large_questions, made, named, questions, ready
from models.embeddings import ASKED
from rank.expansion.naive import bound, expanded

EXPANSIONS = [
    "nearest[threshold=-1]",
    "eqe1",
    "eqe2[space=in-out]",
    "rm3[docs=3]",
    "rocchio[docs=2,gamma=0.2,bottom=1]",
]
INNER = [
    "bm25",
    "ql[fields=title]",
    "tfidf",
    "wcs",
    "wmd",
    "bm25-desm",
    "bm25 % 3",
    "bm25 + 2*wcs",
    "bm25 % 4 >> ql",
    "bm25[fields=title] + ql[fields=text]",
]
MATCHES = st.sampled_from(["or", "and", "all"])
few = settings(max_examples=10)
fewest = settings(max_examples=4)

every = pytest.mark.parametrize("name", EXPANSIONS)
every_inner = pytest.mark.parametrize("inner", INNER)


def pairs(ranking):
    return list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))


def test_these_are_all():
    known = [kind for kind in COMBINATIONS.values() if issubclass(kind, Expansion)]
    assert sorted(kind.name for kind in known) == sorted(name.partition("[")[0] for name in EXPANSIONS)
    assert {EQE1, EQE2, RM3, Nearest, Rocchio} == set(known)


@every
@every_inner
@fewest
@given(
    data=st.data(), match=MATCHES, k=st.sampled_from([1, 4, 1000]), chosen=st.none() | st.sets(st.integers(0, 12))
)
def test_it_is_the_ranker_asked_the_expanded_question(name, inner, data, match, k, chosen):
    index = made(data.draw(SEEDS))
    question = data.draw(questions(index))
    searcher, behind = bound(index, f"{name}({inner})"), bind(ranker(inner), index.snapshot)
    (asked,) = searcher.expanded([question])
    allowed = None if chosen is None else np.isin(np.arange(index.snapshot.size), list(chosen))
    (ranking,) = searcher.top_many([question], k, match=match, allowed=allowed)
    if match == "and" and asked is not question:
        view = searcher.view
        some = np.flatnonzero(
            matching(view, question, "and") & view.alive & (True if allowed is None else allowed)
        )
        assert pairs(ranking) == pairs(behind.top_many([asked], k, match="all", allowed=some)[0])
    else:
        assert pairs(ranking) == pairs(behind.top_many([asked], k, match=match, allowed=allowed)[0])
    everybody = index.snapshot.live_numbers()
    assert searcher.scores(question, everybody).tolist() == behind.scores(asked, everybody).tolist()
    assert searcher.knows(question) == behind.knows(asked)
    assert searcher.floor(question) == behind.floor(asked)
    assert np.isfinite(ranking.scores).all()


@every
@few
@given(st.data(), MATCHES)
def test_hits_have_their_scores_and_reasons(name, data, match):
    index = made(data.draw(SEEDS))
    question = data.draw(questions(index))
    inner = data.draw(st.sampled_from(INNER))
    searcher = bound(index, f"{name}({inner})")
    (ranking,) = searcher.top_many([question], 1000, match=match)
    for document, score in pairs(ranking)[:3]:
        assert explain(searcher, question, document, match).score == pytest.approx(score, rel=1e-6)


@every
def test_added_words_are_named_as_such(name):
    index = index_of(named([{"text": "aa bb cc dd ee"}, {"text": "bb cc dd"}, {"text": "ff"}]))
    searcher = bound(index, f"{name}(bm25)")
    why = explain(searcher, Question("aa"), 0)
    added = [part.name for part in why.parts if part.name.endswith(" (added)")]
    assert added
    assert [part.name for part in why.parts if part.name not in added] == ["aa"]
    assert {part.word for part in why.parts} <= {"aa", "bb", "cc", "dd", "ee", None}
    assert why.formula.endswith(f"; the query is expanded by {name.partition('[')[0]}")
    assert why.total == pytest.approx(why.score, rel=1e-6)
    by_vectors = explain(bound(index, f"{name}(wcs)"), Question("aa"), 0)
    assert [part.name for part in by_vectors.parts] == ["aa", "bb", "cc", "dd", "ee"]  # words of the document
    unknown = explain(searcher, Question("nowhere"), 0)
    assert "expanded" not in unknown.formula


@every
@every_inner
@fewest
@given(data=st.data(), match=MATCHES, threads=st.sampled_from([1, 3]))
def test_many_questions_are_answered_as_one_by_one(name, inner, data, match, threads):
    index = made(data.draw(SEEDS))
    asked = data.draw(st.lists(questions(index), max_size=5))
    searcher = bound(index, f"{name}({inner})")
    together = searcher.top_many([*asked, *asked], 5, match=match, threads=threads)
    alone = [bound(index, f"{name}({inner})").top_many([one], 5, match=match)[0] for one in asked]
    assert [pairs(ranking) for ranking in together] == [pairs(ranking) for ranking in [*alone, *alone]]


@every
def test_many_questions_to_a_large_index(name):
    index, asked = large(), large_questions()
    searcher = bound(index, f"{name}(bm25)")
    together = searcher.top_many(asked, 20, threads=2)
    assert [pairs(one) for one in together] == [pairs(searcher.top_many([one], 20)[0]) for one in asked]


@every
@pytest.mark.parametrize("inner", ["bm25", "wcs"])
@few
@given(seed=SEEDS, text=ASKED)
def test_unknown_words_change_nothing(name, inner, seed, text):
    index = made(seed)
    searcher, everybody = bound(index, f"{name}({inner})"), index.snapshot.live_numbers()
    plain, more = (searcher.scores(Question(one), everybody) for one in (text, f"zz {text} yy"))
    assert plain.tolist() == pytest.approx(more.tolist(), rel=1e-6)


@every
@few
@given(seed=SEEDS, text=ASKED)
def test_words_of_the_question_stay_and_come_first(name, seed, text):
    got = expanded(made(seed), f"{name}(bm25)", f"{text} zz")
    if got.terms is None:
        assert got.text == f"{text} zz"
    else:
        own = list(dict.fromkeys([*text.split(), "zz"]))
        assert list(got.terms)[: len(own)] == own
        assert all(0 <= weight < 1e15 for weight in got.terms.values())


@every
@pytest.mark.parametrize(
    "question", [Question(""), Question("zz"), Question(terms={}), Question(terms={"aa": 0.0})]
)
def test_questions_of_which_nothing_is_known_are_passed_on(name, question):
    index = made(7)
    assert expanded(index, f"{name}(bm25)", question) is question
    (ranking,) = bound(index, f"{name}(bm25)").top_many([question])
    assert not len(ranking)
    assert not bound(index, f"{name}(bm25)").knows(question)


@every
@pytest.mark.parametrize("weight", [1e15, 1e-300])
def test_very_large_and_small_weights(name, weight):
    index = index_of(named([{"text": "aa bb cc"}, {"text": "bb cc dd"}, {"text": "ee aa"}]))
    got = expanded(index, f"{name}(bm25)", Question(terms={"aa": weight, "bb": weight}))
    assert got.terms is not None
    assert all(0 <= one <= 1e15 for one in got.terms.values())
    assert np.isfinite(bound(index, f"{name}(bm25)").scores(Question(terms={"aa": weight}), np.arange(3))).all()


@every
def test_added_words_match_under_or_and_not_under_and(name):
    index = index_of(
        named([{"text": "aa bb cc dd ee ff"}, {"text": "aa bb"}, {"text": "bb"}, {"text": "cc dd ee ff"}])
    )
    searcher = bound(index, f"{name}(bm25)")
    by_or, by_and, by_all = (
        searcher.top_many([Question("aa bb")], match=match)[0] for match in ("or", "and", "all")
    )
    assert sorted(by_or.documents.tolist()) == sorted(by_all.documents.tolist()) == [0, 1, 2, 3]
    assert sorted(by_and.documents.tolist()) == [0, 1]
    scores = dict(pairs(by_or))
    assert all(scores[document] == score for document, score in pairs(by_and))
    (nothing,) = searcher.top_many([Question("aa zz")], match="and")
    assert not len(nothing)


@every
def test_what_is_added_does_not_depend_on_filters(name):
    index = large()
    searcher, question = bound(index, f"{name}(bm25)"), Question("w5 w20")
    scores = dict(pairs(searcher.top_many([question], 7000)[0]))
    some = np.arange(0, index.snapshot.size, 7)
    filtered = pairs(searcher.top_many([question], 50, allowed=some)[0])
    assert len(filtered) == 50
    assert all(scores[document] == score for document, score in filtered)


@every
@few
@given(st.integers(0, 3), ASKED)
def test_however_the_index_came_about(name, seed, text):
    rankings = []
    for index in histories(seed):
        (ranking,) = bound(index, f"{name}(bm25)").top_many([Question(text)], 100)
        ids = index.snapshot.ids_of(ranking.documents)
        rankings.append(sorted(zip(ids, ranking.scores.tolist(), strict=True)))
    for other in rankings[1:]:
        assert [one for one, _ in other] == [one for one, _ in rankings[0]]
        assert [score for _, score in other] == pytest.approx([score for _, score in rankings[0]], rel=1e-5)


@every
def test_in_mixtures_cuts_and_behind_others(name):
    index, question = made(7), Question("aa cc")
    alone = dict(pairs(bound(index, f"{name}(bm25)").top_many([question], 100)[0]))
    plain = dict(pairs(bind(ranker("bm25"), index.snapshot).top_many([question], 100)[0]))
    both = dict(pairs(bind(ranker(f"{name}(bm25) + 2*bm25"), index.snapshot).top_many([question], 100)[0]))
    assert both == pytest.approx({one: score + 2 * plain.get(one, 0.0) for one, score in alone.items()}, rel=1e-6)
    cut = pairs(bind(ranker(f"{name}(bm25) % 2"), index.snapshot).top_many([question], 100)[0])
    assert cut == list(alone.items())[:2]
    behind = pairs(bind(ranker(f"bm25 % 2 >> {name}(bm25)"), index.snapshot).top_many([question], 100)[0])
    assert {one for one, _ in behind} == set(list(plain)[:2])
    assert all(alone[one] == score for one, score in behind)
    twice = bind(ranker(f"{name}({name}(bm25))"), index.snapshot).top_many([question], 100)[0]
    assert len(twice)


@every
@few
@given(st.data(), MATCHES)
def test_a_mixture_has_the_sum_of_scores_of_what_any_part_finds(name, data, match):
    index = made(data.draw(SEEDS))
    asked = data.draw(st.lists(questions(index), min_size=1, max_size=3))
    parts = bound(index, f"{name}(bm25)"), bind(ranker("ql[fields=title]"), index.snapshot)
    mixture = bind(ranker(f"{name}(bm25) + ql[fields=title]"), index.snapshot)
    for question, ranking in zip(asked, mixture.top_many(asked, 100, match=match), strict=True):
        known = [part for part in parts if part.knows(question)]
        found = {n for part in known for n in part.top_many([question], 100, match=match)[0].documents.tolist()}
        numbers = np.array(sorted(found), np.int64)
        wanted = sum((part.scores(question, numbers).astype(float) for part in known), np.zeros(len(numbers)))
        assert sorted(ranking.documents.tolist()) == numbers.tolist()
        assert dict(pairs(ranking)) == pytest.approx(dict(zip(numbers.tolist(), wanted, strict=True)), rel=1e-5)


@every
def test_questions_that_were_asked_before_and_new_ones_together(name):
    searcher = bound(made(7), f"{name}(bm25)")
    one, other = Question("aa"), Question("cc")
    (first,) = searcher.expanded([one])
    again, new = searcher.expanded([one, other])
    assert again.terms == first.terms
    assert new.terms == expanded(made(7), f"{name}(bm25)", "cc").terms


@every
@few
@given(st.data(), MATCHES)
def test_explanations_of_mixtures_have_its_parts(name, data, match):
    index = made(data.draw(SEEDS))
    question = data.draw(questions(index))
    searcher = bind(ranker(f"{name}(bm25) + 2*ql"), index.snapshot)
    (ranking,) = searcher.top_many([question], 3, match=match)
    for document, score in pairs(ranking):
        assert explain(searcher, question, document, match).score == pytest.approx(score, rel=1e-5)


@pytest.mark.parametrize("name", ["rm3", "rocchio"])
def test_a_cut_of_the_first_documents_is_no_cut_of_the_answer(name):
    assert not ranker(f"{name}(bm25 % 5, ql)").limited
    assert ranker(f"{name}(bm25, ql % 5)").limited
    assert ranker(f"{name}(ql % 5) >> bm25").limited


@every
def test_rankers_that_read_several_layers_are_refused(name):
    index = made(7)
    text = f"{name}(bm25 + ql[layer=pairs])"
    message = r"reads main, pairs; expand the question for each of them, such as '(.*)'$"
    with pytest.raises(UsageError, match=message) as caught:
        bind(ranker(text), index.snapshot)
    apart = str(caught.value).rsplit("'", 2)[1]
    assert len(bind(ranker(apart), index.snapshot).top_many([Question("aa bb")])[0])
    assert bound(index, f"{name}(ql[layer=pairs])").view.layer == "pairs"


def test_the_first_ranker_may_read_another_layer():
    index = made(7)
    got = expanded(index, "rm3(ql[layer=pairs], bm25)", "aa bb")
    assert got.terms is not None
    assert all(" " not in word for word in got.terms)
    assert any(" " in word for word in expanded(index, "rm3(bm25, ql[layer=pairs])", "aa bb").terms)


def test_words_are_those_of_the_fields_that_are_read():
    index = index_of(named([{"title": "aa bb", "text": "cc"}, {"title": "dd", "text": "ee"}]))
    one = expanded(index, "rm3(bm25, bm25[fields=title])", "aa")
    assert set(one.terms) == {"aa", "bb"}
    several = expanded(index, "rm3(bm25, bm25[fields=title] + ql[fields=text])", "aa")
    assert set(several.terms) == {"aa", "bb", "cc"}


def test_by_document():
    index = made(7, ready)
    number = int(index.snapshot.live_numbers()[0])
    for name in EXPANSIONS:
        for inner in ("bm25", "wcs", "doc2vec"):
            (ranking,) = bound(index, f"{name}({inner})").top_many([Question(document=number)])
            assert len(ranking), (name, inner)


@pytest.mark.parametrize("name", ["nearest", "eqe1", "eqe2"])
def test_word_vectors_are_said_to_be_needed(name):
    needed: Any = ranker(f"{name}(bm25)")
    assert [way for way, _ in needed.needs(Trained())] == ["word2vec"]
    assert not needed.needs(made(7).snapshot.trained)
    assert not ranker(f"{name}[vectors=others](bm25)").needs(Trained())  # type: ignore[attr-defined]


def test_an_empty_index():
    index = index_of([])
    for name in EXPANSIONS:
        assert not len(bound(index, f"{name}(bm25)").top_many([Question("aa")])[0])


# --- as text ---------------------------------------------------------------------------------------------------------


def values(kind: Kind) -> st.SearchStrategy[Any]:
    if isinstance(kind, Number):
        return st.floats(kind.least, kind.most)
    if isinstance(kind, Whole):
        return st.integers(kind.least, kind.most)
    if isinstance(kind, Choice):
        return st.sampled_from(kind.words)
    assert isinstance(kind, OptionalName)
    return st.none() | st.sampled_from(["words", "my vectors", "日本"])


@st.composite
def expansions(draw: st.DrawFn) -> Ranker:
    kind = draw(st.sampled_from([EQE1, EQE2, RM3, Nearest, Rocchio]))
    options = {one.name: draw(st.just(one.default) | values(one.kind)) for one in kind.declared()}
    inner = [ranker(text) for text in draw(st.lists(st.sampled_from(INNER), min_size=1, max_size=kind.most))]
    return kind.of(*inner, **options)


@given(expansions())
def test_the_text_makes_it_again(expansion):
    assert ranker(str(expansion)) == expansion
    assert str(ranker(str(expansion))) == str(expansion)


def test_as_text():
    assert str(RM3.of(BM25())) == "rm3(bm25)"
    assert str(ranker("rm3[ docs = 5 ]( bm25%10, ql )")) == "rm3[docs=5](bm25 % 10, ql)"
    for text in (
        "rm3[docs=0](ql)",
        "rm3[weight=1.5](ql)",
        "eqe1[a=-1](ql)",
        "nearest[space=out-in](ql)",
        "nearest(ql, bm25)",
    ):
        with pytest.raises(UsageError):
            ranker(text)


@every
def test_expansions_within_one_another_end_when_nobody_waits_any_more(name):
    index = index_of(named([{"text": "aa bb cc dd ee"}, {"text": "bb cc dd"}, {"text": "ff"}]))
    searcher, asked = bound(index, f"{name}({name}(bm25))"), Question("aa")
    with wanted_until(time.monotonic() + 60):
        in_time = searcher.top_many([asked])
    assert pairs(in_time[0]) == pairs(searcher.top_many([asked])[0])
    with wanted_until(time.monotonic() - 1), pytest.raises(TimeoutError):
        searcher.top_many([Question("bb")])


@pytest.mark.parametrize("name", ["rm3", "rocchio"])
def test_however_deep_they_are_it_ends_in_time(name):
    index = index_of(named([{"text": "aa bb cc dd ee"}, {"text": "bb cc dd"}, {"text": "ff"}]))
    start = time.monotonic()
    with wanted_until(start + 0.5), pytest.raises(TimeoutError):
        index.search("aa", 3, f"{name}(" * 30 + "bm25" + ")" * 30)
    assert time.monotonic() < start + 20
