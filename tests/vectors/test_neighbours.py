"""Neighbours against every cosine computed one by one in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aboutness.core.errors import NotFound, UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors import postprocess
from aboutness.vectors.neighbours import Neighbour, Neighbours, analogy, nearest, parsed, side_by_side
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

sizes = st.tuples(st.integers(1, 30), st.integers(1, 5))
tied = arrays(np.float32, sizes, elements=st.integers(-1, 1).map(float), fill=st.just(0.0))
scaled = st.tuples(sizes, st.integers(0, 2**32 - 1)).map(
    lambda drawn: rows_of_many_lengths(*drawn[0], seed=drawn[1])
)


def rows_of_many_lengths(count, dim, seed):
    """Few directions at many lengths, from the least a float32 can hold to the largest, with some zeros."""
    chance = np.random.default_rng(seed)
    directions = chance.normal(size=(max(1, count // 2), dim))
    lengths = 10.0 ** chance.choice([-44, -40, -20, -10, 0, 1, 10, 20, 37], size=(count, 1))
    rows = directions[chance.integers(len(directions), size=count)] * lengths
    rows[chance.random(count) < 0.1] = 0
    return rows.astype(np.float32)


def of(rows, words=None, **others):
    rows = np.asarray(rows, np.float32)
    return WordVectors(StringTable.of(words or [f"w{i}" for i in range(len(rows))]), {"in": rows, **others})


def length(row):
    return np.sqrt(np.square(row).sum())


def naive(vectors, weights, k, query_space="in", space="in", without=()):
    """The definition, a row at a time."""
    direction = np.zeros(vectors.dim)
    for word, weight in weights.items():
        row = vectors.space(query_space)[vectors.words.find(word)].astype(np.float64)
        if row.any():
            direction += row * (weight / length(row))
    if length(direction) <= 1e-12 * sum(map(abs, weights.values())):
        return []
    found = []
    for number, word in enumerate(vectors.words):
        row = vectors.space(space)[number].astype(np.float64)
        if row.any() and word not in weights and word not in without:
            cosine = (row * direction).sum() / (length(row) * length(direction))
            found.append((-np.float32(cosine), number, word))
    return [Neighbour(word, -float(score)) for score, _, word in sorted(found)[:k]]


@st.composite
def questions(draw, matrices):
    rows = draw(matrices)
    names = [f"w{i}" for i in range(len(rows))]
    weights = draw(st.dictionaries(st.sampled_from(names), st.sampled_from([1.0, -1.0, 0.5, 2.0]), min_size=1))
    without = draw(st.lists(st.sampled_from([*names, "nobody"]), max_size=3))
    return of(rows), weights, draw(st.integers(1, len(rows) + 2)), without


@given(questions(tied | scaled))
def test_the_same_as_one_by_one(question):
    vectors, weights, k, without = question
    assert nearest(vectors, weights, k, without=without) == naive(vectors, weights, k, without=without)


@pytest.mark.parametrize("dim", [1, 50, 300, 1000])
def test_many_near_ties_in_many_dimensions(dim):
    chance = np.random.default_rng(dim)
    rows = chance.normal(size=dim) + chance.choice([0, 1e-7, 1e-6, 1e-3], size=(400, 1)) * chance.normal(
        size=(400, dim)
    )
    vectors = of(rows)
    for word in ("w0", "w17"):
        assert nearest(vectors, word, 25) == naive(vectors, {word: 1.0}, 25)


def test_blocks_change_nothing(monkeypatch):
    chance = np.random.default_rng(1)
    vectors = of(chance.integers(-2, 3, size=(500, 7)))
    expected = nearest(vectors, "w3", 40)
    assert expected == naive(vectors, {"w3": 1.0}, 40)
    monkeypatch.setattr(postprocess, "BLOCK", 3 * 8 * 7)
    assert nearest(vectors, "w3", 40) == expected


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_rotating_the_space_changes_no_score(seed, dim):
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(60, dim)).astype(np.float32)
    rotation = np.linalg.qr(chance.normal(size=(dim, dim)))[0]
    before = {found.word: found.score for found in nearest(of(rows), "w0", 60)}
    after = nearest(of(rows @ rotation), "w0", 10)
    for found, best in zip(after, sorted(before.values(), reverse=True), strict=False):
        assert found.score == pytest.approx(before[found.word], abs=1e-5)
        assert found.score == pytest.approx(best, abs=1e-5)


def test_scaling_words_changes_nothing():
    chance = np.random.default_rng(2)
    rows = chance.normal(size=(50, 10)).astype(np.float32)
    scales = 2.0 ** chance.integers(-30, 30, size=(50, 1))
    weights = {"w1": 1.0, "w2": -1.0, "w3": 0.5}
    assert nearest(of(rows * scales), weights) == nearest(of(rows), weights)


def test_a_word_some_words_and_weighted_words():
    vectors = of(np.random.default_rng(3).normal(size=(30, 6)))
    assert nearest(vectors, "w1") == nearest(vectors, ["w1"]) == nearest(vectors, {"w1": 2.0})
    assert nearest(vectors, ["w1", "w2", "w1"]) == nearest(vectors, {"w1": 2.0, "w2": 1.0})
    assert nearest(vectors, ["w1", "w2"]) == naive(vectors, {"w1": 1.0, "w2": 1.0}, 10)


def test_asked_words_are_left_out_in_the_form_that_was_found():
    vectors = of([[1, 0], [1, 0.1], [1, 0.2]], ["paris", "Paris", "London"])
    assert [found.word for found in nearest(vectors, "PARIS", case="any")] == ["Paris", "London"]
    assert [found.word for found in nearest(vectors, "london", case="any", without=["paris"])] == ["Paris"]


def test_equal_scores_come_in_the_order_of_the_words():
    vectors = of([[1, 0], [0, 2], [0, 3], [0, 0], [0, 1], [0, -1]])
    found = nearest(vectors, {"w0": 1.0}, 4)
    assert [(one.word, one.score) for one in found] == [("w1", 0.0), ("w2", 0.0), ("w4", 0.0), ("w5", 0.0)]


def test_words_without_a_direction_have_no_neighbours_and_are_nobodys():
    vectors = of([[0, 0], [1, 2], [2, 4], [3, 6.5]])
    assert nearest(vectors, "w0") == []
    assert nearest(vectors, {"w1": 1.0, "w2": -1.0}) == []
    assert nearest(vectors, {"w1": 0.0}) == []
    # What is left of rows and their multiples is the rounding of their lengths.
    multiples = of([[n, 2 * n, 5 * n] for n in range(1, 30)])
    assert all(nearest(multiples, {"w0": 1.0, f"w{n}": -1.0}) == [] for n in range(1, 29))
    assert [found.word for found in nearest(vectors, ["w0", "w1"])] == ["w2", "w3"]


def test_across_spaces():
    chance = np.random.default_rng(4)
    vectors = of(chance.normal(size=(40, 5)), out=chance.normal(size=(40, 5)).astype(np.float32))
    for query_space, space in [("in", "out"), ("out", "in"), ("out", "out")]:
        found = nearest(vectors, "w7", 5, query_space=query_space, space=space)
        assert found == naive(vectors, {"w7": 1.0}, 5, query_space, space)
    with pytest.raises(UsageError, match="no space 'out'"):
        nearest(of([[1, 2]]), "w0", space="out")


def test_side_by_side_as_in_the_paper():
    chance = np.random.default_rng(5)
    vectors = of(chance.normal(size=(40, 5)), out=chance.normal(size=(40, 5)).astype(np.float32))
    columns = side_by_side(vectors, "w7", 6)
    assert list(columns) == ["in-in", "out-out", "in-out"]
    for name in ("in-in", "out-out"):
        space = name.split("-")[0]
        assert columns[name][0] == Neighbour("w7", 1.0)
        assert columns[name][1:] == nearest(vectors, "w7", 5, query_space=space, space=space)
    own = vectors.space("in")[7] @ vectors.space("out")[7]
    own /= length(vectors.space("in")[7]) * length(vectors.space("out")[7])
    everything = side_by_side(vectors, "w7", 40)["in-out"]
    assert {found.word: found.score for found in everything}["w7"] == pytest.approx(own, abs=1e-6)
    assert columns["in-out"] == everything[:6]
    assert list(side_by_side(of(np.eye(3)), "w1")) == ["in-in"]
    with pytest.raises(NotFound, match="no word 'nobody'"):
        side_by_side(vectors, "nobody")


def test_words_made_of_subwords_have_neighbours():
    chance = np.random.default_rng(6)
    rows = chance.normal(size=(5, 4)).astype(np.float32)
    vectors = WordVectors(StringTable.of("abcde"), {"in": rows, "out": rows}, subwords=Subwords(rows.copy(), 3, 6))
    made = vectors.look_up(["unseen"])[0][0]
    assert made.any()
    found = Neighbours(vectors).nearest_to(made.astype(np.float64))
    assert nearest(vectors, "unseen") == found
    assert len(found) == 5
    # An unseen word has no OUT vector.
    assert list(side_by_side(vectors, "unseen")) == ["in-in", "in-out"]
    with pytest.raises(NotFound, match="no word 'unseen'"):
        nearest(vectors, "unseen", query_space="out")


def test_analogies():
    # Royal x human: a man is to a king as a woman is to a queen.
    rows = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 3], [-1, -1, 0]]
    vectors = of(rows, ["man", "king", "woman", "queen", "crown", "stone"])
    assert [found.word for found in analogy(vectors, "man", "king", "woman", 2)] == ["queen", "crown"]
    assert analogy(vectors, "man", "king", "woman") == nearest(vectors, parsed("king - man + woman"))
    # b - a + a is b.
    assert analogy(vectors, "man", "king", "man") == nearest(vectors, "king", without=["man"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("king", {"king": 1.0}),
        ("king - man + woman", {"king": 1.0, "man": -1.0, "woman": 1.0}),
        (" german  +\tairlines ", {"german": 1.0, "airlines": 1.0}),
        ("well-known + c++", {"well-known": 1.0, "c++": 1.0}),
        ("-1 - +2", {"-1": 1.0, "+2": -1.0}),
        ("- man + woman", {"man": -1.0, "woman": 1.0}),
        ("a + a - b", {"a": 2.0, "b": -1.0}),
        ("a - a", {"a": 0.0}),
        ("new york - city", {"new york": 1.0, "city": -1.0}),
        ("-", {"-": 1.0}),
        ("+", {"+": 1.0}),
        ("", {}),
    ],
)
def test_sums_as_they_are_written(text, expected):
    assert parsed(text) == expected


@pytest.mark.parametrize("text", ["king -", "king - + man", "- -", "+ + a", "a + - "])
def test_a_sum_with_a_word_missing(text):
    with pytest.raises(UsageError, match="a word is missing"):
        parsed(text)


@given(
    st.dictionaries(st.from_regex(r"[a-z]+(-[a-z]+)?", fullmatch=True), st.sampled_from([1.0, -1.0]), min_size=1)
)
def test_sums_are_read_as_they_were_meant(weights):
    text = " ".join(f"{'-' if weight < 0 else '+'} {word}" for word, weight in weights.items())
    assert parsed(text) == weights
    assert list(parsed(text)) == list(weights)


def test_an_unknown_word_and_what_is_spelt_nearly_so():
    vectors = of(np.eye(6), ["search", "Serach", "searching", "arch", "", "über"])
    with pytest.raises(
        NotFound, match=r"^there is no word 'serch' among these 6; spelt nearly so: 'search', 'Serach'$"
    ):
        nearest(vectors, ["arch", "serch"])
    for odd_case in ("ÜBER", "Über"):
        with pytest.raises(NotFound, match=rf"'{odd_case}' among these 6; spelt nearly so: 'über'$"):
            nearest(vectors, odd_case)
    with pytest.raises(NotFound, match=r"write: 'search \+ engine'$"):
        nearest(vectors, "search engine")
    for odd in ("日", "zzz"):
        with pytest.raises(NotFound, match=r"among these 6$"):
            nearest(vectors, odd)
    for word in ("word", ""):
        with pytest.raises(NotFound, match=r"among these 0$"):
            nearest(of(np.zeros((0, 2))), word)


@pytest.mark.parametrize("words", [[], {}, {"w0": float("nan")}, {"w0": float("inf")}])
def test_questions_that_are_refused(words):
    with pytest.raises(UsageError, match="at least one word, with a finite weight"):
        nearest(of(np.eye(2)), words)


@pytest.mark.parametrize("k", [0, -3])
def test_at_least_one_neighbour_must_be_wanted(k):
    with pytest.raises(UsageError, match=f"at least 1, got {k}"):
        nearest(of(np.eye(2)), "w0", k)


def test_lengths_are_worked_out_once():
    neighbours = Neighbours(of(np.eye(3)))
    neighbours.nearest("w0")
    assert neighbours.lengths() is neighbours.lengths()


def test_real_neighbours(vectors_folder):
    folder = vectors_folder / "glove6b_100d"
    count = 20_000
    words = (folder / "vocab.txt").read_text("utf-8").split("\n")[:count]
    vectors = of(np.load(folder / "vectors.f16.npy", mmap_mode="r")[:count], words)
    neighbours = Neighbours(vectors)
    for word in ("the", "frog", "albuquerque"):
        assert neighbours.nearest(word, 15) == naive(vectors, {word: 1.0}, 15)
    assert {"snake", "monkey", "turtle"} <= {found.word for found in neighbours.nearest("frog")}
    assert neighbours.analogy("man", "king", "woman")[0].word == "queen"
    assert neighbours.nearest(parsed("paris - france + germany"))[0].word == "berlin"
