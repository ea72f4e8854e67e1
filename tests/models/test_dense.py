"""Dense models find what scoring every document would find, bit for bit."""

from __future__ import annotations

import time
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.models import dense_rows
from aboutness.models.dense import DenseScorer
from aboutness.models.dense_rows import DenseRows
from aboutness.models.model import Scorer
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, best
from models.drawing import large, made

DIM = 150  # more than two slabs
F32 = np.float32


class Drawn(DenseScorer):
    """A question's vector is the sum of its words', which are drawn; words with an x are unknown.

    That of "even" tells rows apart by a hair's breadth only, if at all.
    """

    def vector(self, question):
        words = [word for word in question.text.split() if "x" not in word]
        if words == ["even"]:
            return 1 + 6e-5 * np.random.default_rng(7).normal(size=DIM)
        vectors = [np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIM) for word in words]
        return np.sum(vectors, axis=0) if words else None

    def explain(self, *_):
        return Explanation(0.0, ())


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)


def nearly_equal(rows, chance):
    some = chance.random(len(rows)) < 0.3
    rows[some] = rows[0] * (1 + chance.integers(-3, 4, (some.sum(), 1)) * 2.0**-25)
    return rows


KINDS = {  # matrices that are hard in different ways
    "plain": lambda rows, _: rows,
    "falling": lambda rows, _: unit(rows / np.arange(1, DIM + 1)),
    "few different": lambda rows, chance: rows[chance.integers(0, max(1, len(rows) // 500), len(rows))],
    "nearly equal": nearly_equal,
    "of all lengths": lambda rows, chance: rows * 10.0 ** chance.integers(-30, 12, (len(rows), 1)),
    "many absent": lambda rows, chance: rows * (chance.random((len(rows), 1)) < 0.3),
    "all absent": lambda rows, _: rows * 0,
    "whole numbers": lambda rows, chance: chance.integers(-1, 2, rows.shape),
    "equal counts": lambda rows, _: rows >= np.sort(rows, axis=1)[:, [DIM // 2]],
    "opposite": lambda rows, chance: rows * np.where(chance.random((len(rows), 1)) < 0.3, 1, -1000),
    "below none": lambda rows, chance: (  # all products are below 0, but above what those without a row count
        chance.uniform(-4e-3, 2e-3, (len(rows), 1)).clip(max=0) * Drawn.vector(None, Question("w0"))
    ),
    "huge": lambda rows, _: rows * 1e37,
    "tiny": lambda rows, _: rows * 1e-44,
    "rising": lambda rows, _: np.linspace(0.1, 1, len(rows))[:, None] * Drawn.vector(None, Question("w0")),
}


@cache
def rows_of(kind: str, count: int) -> np.ndarray:
    chance = np.random.default_rng(zlib.crc32(kind.encode()))
    return np.ascontiguousarray(KINDS[kind](unit(chance.normal(size=(count, DIM))), chance), F32)


QUESTIONS = [
    Question("w0"),
    Question("w1 w20"),
    Question("w399 w7"),
    Question("x1"),
    Question("w3 x2 w60"),
    Question("even"),
]


@cache
def scorer(kind: str, lowest: float = -1.0, whole: bool = False) -> Drawn:
    view = large(whole).view()
    rows = DenseRows(rows_of(kind, view.size))
    assert rows.codes is not None
    return Drawn(view, rows, lowest)


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.documents, other.documents)
        np.testing.assert_array_equal(one.scores.view(np.uint32), other.scores.view(np.uint32))
        assert (one.documents.dtype, one.scores.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 10, 300, 10**9])
def test_the_best_of_all_documents(kind, k):
    for lowest in (-1.0, 0.5):
        here = scorer(kind, lowest)
        expected = Scorer.top_many(here, QUESTIONS, k, match="all")
        together = here.top_many(QUESTIONS * 3, k, match="all", threads=1)
        assert_same(together, expected * 3)
        assert_same([here.top(question, k, match="all") for question in QUESTIONS], expected)


@pytest.mark.parametrize("kind", ["plain", "many absent", "few different", "whole numbers"])
@pytest.mark.parametrize("match", ["or", "and", "all"])
@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_the_best_of_allowed_documents(kind, match, share):
    here = scorer(kind)
    mask = np.random.default_rng(1).random(here.view.size) < share
    for allowed in (mask, np.flatnonzero(mask)):
        expected = Scorer.top_many(here, QUESTIONS, 20, match=match, allowed=allowed)
        together = here.top_many(QUESTIONS * 3, 20, match=match, allowed=allowed, threads=1)
        assert_same(together, expected * 3)
        assert_same(here.top_many(QUESTIONS, 20, match=match, allowed=allowed, threads=1), expected)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(list(KINDS)), st.integers(1, 900), st.sampled_from(["or", "and", "all"]), st.floats(-2, 2),
    st.lists(st.integers(0, 399), min_size=1, max_size=4), st.booleans(), st.booleans(),
)  # fmt: skip
def test_any_question(kind, k, match, lowest, words, some, whole):
    here = Drawn(large(whole).view(), scorer(kind, whole=whole).rows, lowest)
    question = Question(" ".join(f"w{word}" for word in words))
    allowed = np.random.default_rng(k).random(here.view.size) < 0.7 if some else None
    expected = Scorer.top_many(here, [question], k, match=match, allowed=allowed)
    assert_same([here.top(question, k, match=match, allowed=allowed)], expected)


@pytest.mark.parametrize("threads", [None, 2, 5])
def test_threads_change_nothing(threads):
    here = scorer("falling")
    questions = QUESTIONS * 30
    expected = here.top_many(questions, 10, match="all", threads=1)
    assert_same(here.top_many(questions, 10, match="all", threads=threads), expected)
    assert here.top_many([], 10, threads=threads) == []


def test_few_documents():
    for seed in range(20):
        view = made(seed).view()
        here = Drawn(view, DenseRows(rows_of("many absent", view.size)), -1.0)
        for match in ("or", "and", "all"):
            expected = Scorer.top_many(here, QUESTIONS, 3, match=match)
            assert_same(here.top_many(QUESTIONS, 3, match=match), expected)


def test_equal_rows_keep_the_order_of_arrival():
    here = scorer("few different")
    found = here.top(Question("w0"), 400, match="all")
    steps, same = np.diff(found.documents), np.diff(found.scores) == 0
    assert same.sum() > 300
    assert (steps[same] > 0).all()


def test_documents_without_a_row_come_last_in_order_of_arrival():
    here = scorer("many absent", -100.0)
    present = int((here.rows.present & here.view.alive).sum())
    found = here.top(Question("w0"), 10**6, match="all")
    assert len(found) == here.view.documents
    assert (found.scores[present:] == -100).all()
    assert (np.diff(found.documents[present:]) > 0).all()


def test_a_document_without_a_row_may_be_above_others():
    here = scorer("opposite", 0.5)
    found = here.top(Question("w0"), 10**6, match="all")
    assert found.scores.min() < 0.5


@pytest.mark.parametrize("better", [1, 30])
def test_documents_with_and_without_a_row_may_have_the_same_score(better):
    view, question = large().view(), Question("w0")
    rows = np.zeros((view.size, DIM), F32)
    rows[1::3000, 0] = 1
    vector = Drawn.vector(None, question)
    rows[np.linspace(50, 4000, better).astype(int)] = vector
    here = Drawn(view, DenseRows(rows), float(F32(vector[0])))
    assert here.rows.codes is not None
    for k in (better, better + 1, better + 2, 100):
        assert_same([here.top(question, k, match="all")], Scorer.top_many(here, [question], k, match="all"))


def test_scores():
    here, question = scorer("many absent"), QUESTIONS[1]
    documents = np.arange(0, here.view.size, 7)
    exact = here.rows.rows[documents].astype(np.float64) @ here.vector(question)
    absent = ~here.rows.rows[documents].any(axis=1)
    assert absent.any()
    scores = here.scores(question, documents)
    np.testing.assert_allclose(scores[~absent], exact[~absent], rtol=1e-5)
    assert (scores[absent] == -1).all()
    assert (here.scores(Question("x"), documents) == -1).all()
    assert here.floor(question) == -1
    with pytest.raises(IndexError, match="document numbers must be 0 to"):
        here.scores(question, np.array([here.view.size]))


def test_an_unknown_question_finds_nothing():
    here = scorer("plain")
    assert not here.knows(Question("x"))
    assert here.knows(Question("x w1"))
    assert len(here.top(Question("x w0x"), match="all")) == 0


def test_what_is_refused():
    here = scorer("plain")
    with pytest.raises(UsageError, match="k must be"):
        here.top(QUESTIONS[0], 0)
    with pytest.raises(UsageError, match="match must be"):
        here.top(QUESTIONS[0], match="xor")
    with pytest.raises(UsageError, match="threads must be"):
        here.top_many(QUESTIONS, threads=0)
    for rows in (np.zeros((2, 3)), np.zeros(3, F32), np.zeros((4, 6), F32)[:, ::2]):
        with pytest.raises(ValueError, match="contiguous matrix of float32"):
            DenseRows(rows)


def test_rows_may_be_mapped(tmp_path):
    here = scorer("many absent")
    np.save(tmp_path / "rows.npy", here.rows.rows)
    mapped = Drawn(here.view, DenseRows(np.load(tmp_path / "rows.npy", mmap_mode="r")), -1.0)
    assert mapped.rows.codes is not None
    assert_same(mapped.top_many(QUESTIONS, 10, match="all"), here.top_many(QUESTIONS, 10, match="all"))


def test_rows_are_kept_where_they_lie():
    rows = rows_of("many absent", 50)
    kept = DenseRows(rows).arrays()
    kept["rows"].flags.writeable = False
    again = DenseRows.of_arrays(kept)
    assert again.rows is rows
    assert len(again) == 50
    np.testing.assert_array_equal(again.present, rows.any(axis=1))
    assert again.codes.longest >= 1


@pytest.mark.parametrize("kind", ["plain", "falling", "many absent"])
def test_what_is_kept_ranks_as_what_is_made(kind):
    here = scorer(kind)
    kept = Drawn(here.view, DenseRows.of_arrays(here.rows.arrays()), -1.0)
    for name, array in DenseRows(here.rows.rows).arrays().items():
        np.testing.assert_array_equal(kept.rows.arrays()[name], array)
    assert kept.rows.has_codes()  # from the first question on
    for question in QUESTIONS:
        assert_same(kept.top_many([question], 10, match="all"), here.top_many([question], 10, match="all"))


class Long(Drawn):
    """The same, very long or very short."""

    factor = 1.0

    def vector(self, question):
        drawn = super().vector(question)
        return None if drawn is None else drawn * self.factor


@pytest.mark.parametrize(("rows", "asked"), [(1e20, 1e20), (1e15, 1e24), (1e-24, 1e-24), (1e-44, 1.0), (1, 1e-40)])
def test_what_leaves_float32_is_ranked_as_it_is_scored(rows, asked):
    view = large().view()
    drawn = Long(view, DenseRows((rows_of("plain", view.size) * rows).astype(np.float32)), -np.inf)
    drawn.factor = asked
    everything = np.flatnonzero(view.alive)
    some = [question for question in QUESTIONS if drawn.knows(question)]
    with np.errstate(over="ignore"):
        expected = [best(everything, drawn.scores(question, everything), 10) for question in some]
        assert_same(drawn.top_many(some * 3, 10, match="all", threads=1), expected * 3)
        for _ in range(3):
            assert_same([drawn.top(question, 10, match="all") for question in some], expected)


def test_a_row_that_is_almost_nothing_is_not_lost():
    rows = np.zeros((6000, DIM), np.float32)
    rows[:11] = -1
    rows[11, :] = 1e-45
    view = large().view()
    drawn = Drawn(view, DenseRows(np.concatenate([rows, np.zeros((view.size - 6000, DIM), np.float32)])), -1e9)
    question = Question("even")
    everything = np.flatnonzero(view.alive)
    expected = best(everything, drawn.scores(question, everything), 5)
    for _ in range(12):
        assert_same([drawn.top(question, 5, match="all")], [expected])


# --- what is fast ------------------------------------------------------------------------------------------------


@pytest.fixture
def scored(monkeypatch):
    """How many documents were scored each time."""
    counts = []
    scores = DenseScorer._scores

    def count(self, vector, documents):
        counts.append(len(documents))
        return scores(self, vector, documents)

    monkeypatch.setattr(DenseScorer, "_scores", count)
    return counts


def test_few_of_many_documents_are_scored(scored):
    for kind in ("plain", "falling", "of all lengths"):
        scorer(kind).top_many(QUESTIONS, 10, match="all", threads=1)
        scorer(kind).top_many(QUESTIONS * 3, 10, match="all", threads=1)
    assert len(scored) == 3 * (5 + 15)
    assert min(scored) >= 10
    assert max(scored) < 700
    assert np.median(scored) < 50


def test_rows_are_turned_where_that_helps():
    turn = scorer("falling").rows.codes.turn
    np.testing.assert_allclose(turn @ turn.T, np.eye(DIM), atol=1e-5)
    assert scorer("plain").rows.codes.turn is None


def test_only_allowed_documents_are_scored(scored):
    scorer("plain").top(QUESTIONS[0], 10, match="all", allowed=np.array([3, 4, 90]))
    assert scored == [3]


def test_rows_are_written_in_whole_numbers_beside_the_first_questions():
    view = large().view()
    here = Drawn(view, DenseRows(rows_of("plain", view.size)), -1.0)
    expected = scorer("plain").top_many(QUESTIONS[:1], 10, match="all")
    for _ in range(dense_rows.ASKED - 1):
        assert_same(here.top_many(QUESTIONS[:1], 10, match="all"), expected)
    time.sleep(0.05)
    assert "codes" not in vars(here.rows)
    deadline = time.monotonic() + 60
    while "codes" not in vars(here.rows) and time.monotonic() < deadline:
        assert_same(here.top_many(QUESTIONS[:1], 10, match="all"), expected)
    assert here.rows.has_codes()
    assert_same(here.top_many(QUESTIONS[:1], 10, match="all"), expected)
