from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import NotFound, UsageError
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from models.drawing import SEEDS, made
from models.embeddings import ASKED, in_vectors, vectors_of, with_vectors
from models.scoring import of_texts
from rank.expansion.naive import PAIRS, Documents, assert_words, expanded, first, words


@settings(max_examples=50)
@given(SEEDS, ASKED, st.sampled_from(list(PAIRS)), st.integers(1, 4), st.sampled_from([-1, 0, 0.3]))
def test_against_the_formula(seed, text, space, count, threshold):
    index, own = made(seed), words(text)
    documents = Documents(index)
    got = expanded(index, f"nearest[terms={count},weight=.4,space={space},threshold={threshold}](bm25)", text)
    wanted = dict(own)
    for word in documents.asked(own, space):
        there = documents.vectors[PAIRS[space][1]]
        others = [other for other in documents.df if other in there and other not in own]
        cosines = {other: documents.cosine(space, word, other) for other in others}
        near = first({one: value for one, value in cosines.items() if value >= threshold}, count, got.terms or {})
        for other, cosine in near.items():
            wanted[other] = wanted.get(other, 0.0) + 0.4 * own[word] * cosine / sum(near.values())
    if wanted == own:
        assert got.terms is None  # as it was asked
        assert got.text == text
    else:
        assert_words(got, wanted)


def test_by_hand():
    index = of_texts("sun moon", "moon star", "star sea", "sea")
    vectors = in_vectors(sun=(1, 0), moon=(3, 3), star=(1, 1), sea=(0, 1), harbour=(1, 0.1))
    snapshot = with_vectors(index.snapshot, words=vectors)
    bound = bind(ranker("nearest[terms=2,weight=.5](ql)"), snapshot)
    (made_of_sun,) = bound.expanded([Question("sun")])
    assert made_of_sun.terms == {"sun": 1.0, "moon": 0.25, "star": 0.25}  # and neither sea nor harbour
    assert list(bound.expanded([Question(terms={"sun": 2.0, "star": 0.0})])[0].terms) == ["sun", "moon", "star"]
    only = bind(ranker("nearest[terms=1,weight=.5](ql)"), snapshot)
    assert only.expanded([Question("sun")])[0].terms == {"sun": 1.0, "moon": 0.5}  # as near as star, but before it
    (nothing,) = bound.expanded([Question("comet")])
    assert nothing.terms is None


def test_words_that_stand_together_are_those_of_the_other_space():
    spaces = {
        "in": {"sun": (1, 0), "moon": (1, 0.1), "star": (0, 1), "shine": (0, -1)},
        "out": {"sun": (0, 1), "moon": (0, -1), "star": (0.1, 1), "shine": (1, 0)},
    }
    snapshot = with_vectors(of_texts("sun moon star shine").snapshot, words=vectors_of(spaces))
    found = {}
    for space in PAIRS:
        (asked,) = bind(ranker(f"nearest[terms=1,weight=.3,space={space}](bm25)"), snapshot).expanded(
            [Question("sun")]
        )
        found[space] = asked.terms
    assert found == {
        "in-in": {"sun": 1.0, "moon": 0.3},
        "out-out": {"sun": 1.0, "star": 0.3},
        "in-out": {"sun": 1.0, "shine": 0.3},
    }


def test_a_space_that_is_not_there():
    snapshot = with_vectors(of_texts("sun").snapshot, words=in_vectors(sun=(1, 0)))
    with pytest.raises(UsageError, match="these vectors have no space 'out', only: in"):
        bind(ranker("nearest[space=in-out](bm25)"), snapshot)


def test_it_says_which_vectors_are_lacking():
    snapshot = with_vectors(of_texts("sun").snapshot)
    with pytest.raises(NotFound, match="has no word vectors; train some"):
        bind(ranker("nearest(bm25)"), snapshot)
    with pytest.raises(NotFound, match="has no word vectors 'others'"):
        bind(ranker("nearest[vectors=others](bm25)"), made(3).snapshot)
