from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from models.drawing import SEEDS, large, made
from models.embeddings import ASKED, in_vectors, vectors_of, with_vectors
from models.scoring import of_texts
from rank.expansion.naive import PAIRS, Documents, added, assert_words, delta, expanded, first, mixed, words

SHAPES = [(10.0, 0.8), (5.0, 0.0), (5.0, 0.3), (0.0, 0.5), (100.0, -1.0), (100.0, 1.0)]


def spread(documents, own, space, a, c):
    """delta of each word of the question with each of the vocabulary, and what P(w) is proportional to."""
    vocabulary = documents.vocabulary(space)
    near = {
        asked: {word: delta(documents.cosine(space, asked, word), a, c) for word in vocabulary}
        for asked in documents.asked(own, space)
    }
    sums = {
        word: math.fsum(delta(documents.cosine(space, other, word), a, c) for other in vocabulary)
        for word in vocabulary
    }
    return near, sums


def first_model(own, near, sums):
    """EQE1."""
    logs = {word: math.log(sums[word]) for word in sums}
    for asked, values in near.items():
        for word in logs:
            logs[word] += own[asked] * (math.log(values[word]) - math.log(sums[word]))
    largest = max(logs.values(), default=0.0)
    return {word: math.exp(value - largest) for word, value in logs.items()}


def second_model(own, near, sums):
    """EQE2."""
    size = sum(own[asked] for asked in near)
    return {
        word: sum(own[asked] / size * values[word] / math.fsum(values.values()) for asked, values in near.items())
        for word in sums
    }


both = pytest.mark.parametrize(("name", "model"), [("eqe1", first_model), ("eqe2", second_model)])


@both
@example(1, "cc ee", "in-in", 1, (100.0, 1.0))  # words of the question as near as each other
@settings(max_examples=30)
@given(SEEDS, ASKED, st.sampled_from(list(PAIRS)), st.integers(1, 7), st.sampled_from(SHAPES))
def test_against_the_formula(name, model, seed, text, space, count, shape):
    check(name, model, seed, text, space, count, shape)


@both
def test_what_is_kept_for_one_setting_is_not_used_for_another(name, model):
    for space in PAIRS:
        for shape in SHAPES:
            check(name, model, 7, "aa cc cc", space, 3, shape)


def check(name, model, seed, text, space, count, shape):
    index, own, (a, c) = made(seed), words(text), shape
    documents = Documents(index)
    got = expanded(index, f"{name}[terms={count},weight=.4,space={space},a={a},c={c}](ql)", text)
    near, sums = spread(documents, own, space, a, c)
    if not near or not sums:
        assert got.terms is None
        return
    kept = first(model(own, near, sums), count, added(got, own, 0.4))
    known = sum(weight for word, weight in own.items() if documents.df[word] or word in near)
    assert_words(got, mixed(own, kept, 0.4, known))


def sky():
    vectors = in_vectors(sun=(1, 0), moon=(4, 3), star=(3, 4), sea=(0, 1), harbour=(-1, 1))
    return with_vectors(of_texts("sun moon", "moon star", "star sea sea", "sea").snapshot, words=vectors)


def asked(expression, question):
    (made_of_it,) = bind(ranker(expression), sky()).expanded([question])
    return made_of_it.terms


def test_the_first_wants_words_near_all_and_the_second_near_any():
    both, any_of_them = (
        asked(f"{name}[terms=1,weight=1,c=.9](ql)", Question("sun sea")) for name in ("eqe1", "eqe2")
    )
    assert [word for word, weight in both.items() if weight] in (["moon"], ["star"])
    assert [word for word, weight in any_of_them.items() if weight] in (["sun"], ["sea"])


def test_a_word_that_no_document_has_brings_its_neighbours():
    assert asked("eqe2[terms=1](ql)", Question("harbour")) == pytest.approx({"harbour": 0.7, "sea": 0.3})
    assert asked("eqe2[terms=1](ql)", Question("harbour comet")) == pytest.approx(
        {"harbour": 0.7, "comet": 0.7, "sea": 0.3}
    )


def test_only_the_most_frequent_words_are_added():
    assert asked("eqe2[terms=9,weight=1,vocabulary=1](ql)", Question("sun")) == {"sun": 0.0, "sea": 1.0}


@pytest.mark.parametrize("name", ["eqe1", "eqe2"])
def test_words_without_a_direction_in_one_of_the_spaces_are_not_added(name):
    spaces = {
        "in": {"sun": (1, 0), "moon": (1, 1), "star": (0, 0), "sea": (1, 2)},
        "out": {"sun": (1, 0), "moon": (0, 1), "star": (1, 1), "sea": (0, 0)},
    }
    snapshot = with_vectors(of_texts("sun moon star sea").snapshot, words=vectors_of(spaces))
    searcher = bind(ranker(f"{name}[space=in-out](ql)"), snapshot)
    (found,) = searcher.expanded([Question("sun")])
    assert set(found.terms) == {"sun", "moon"}


def test_sums_over_a_larger_vocabulary_in_blocks(monkeypatch):
    index, question = large(), Question("w1 w2 w5")
    whole = expanded(index, "eqe1(ql)", question).terms
    monkeypatch.setattr("aboutness.vectors.products.ROWS", 7)
    in_blocks = expanded(index, "eqe1[vocabulary=19999](ql)", question).terms
    assert whole == pytest.approx(in_blocks, rel=1e-6)


@pytest.mark.parametrize(("size", "dim"), [(777, 100), (1500, 20)])
@pytest.mark.parametrize("name", ["eqe1", "eqe2"])
def test_words_with_the_same_vector_are_equally_probable(name, size, dim):
    """To the bit, wherever they stand among others."""
    chance = np.random.default_rng(dim)
    names = [f"w{number:04}" for number in range(size)]
    rows = chance.normal(size=(size, dim)).astype(np.float32)
    rows[::3] = rows[0]
    vectors = in_vectors(**dict(zip(names, rows.tolist(), strict=True)))
    snapshot = with_vectors(of_texts(*names).snapshot, words=vectors)
    asked = bind(ranker(f"{name}[terms={size}](bm25)"), snapshot).expanded([Question("w0001 w0002 w0004")])[0]
    assert len({asked.terms[word] for word in names[::3]}) == 1
