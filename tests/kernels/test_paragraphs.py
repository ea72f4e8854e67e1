"""The kernels of paragraph vectors, and their steps against gradients by finite differences.

For each word w of document d, with negatives n and n' drawn by chance and c the vectors of its neighbours:

    log s(w . d) + k log s(-n . d) - gamma / #(d) |d|^2 + joint * sum over c of (log s(w . c) + k log s(-w . c_n'))

PV-DM: log s(w . h) + sum over negatives of log s(-n . h), where h is the mean of d and of the neighbours.

Which words, neighbours and negatives there are is worked out here anew, from the same random numbers.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import paragraphs
from aboutness.kernels.chance import draw, scramble
from aboutness.kernels.paragraphs import DRAWN, FOLDED, TOGETHER
from kernels.conftest import both, near
from kernels.test_word2vec import (
    ALWAYS,
    around,
    gradient,
    kept_words,
    log_s,
    random_bits,
    seeds,
    state_of,
    table_of,
)

few = settings(max_examples=25, deadline=None)
quick = settings(max_examples=40, deadline=None)


@pytest.fixture(scope="module")
def run():
    """Whole blocks sum in any order: compiled and as Python they differ by rounding."""
    return near


def drawn_from(table, state, count):
    return [int(draw(table, random_bits(state))) for _ in range(count)]


def scrambled(value: int) -> int:
    return int(scramble(np.uint64(value)))


# --- the parts --------------------------------------------------------------------------------------------------


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 5), max_size=6)), max_size=8))
def test_count_known(pieces):
    """Pieces of the same document are next to each other, and some documents have none."""
    pieces = sorted(pieces, key=lambda piece: piece[0])
    number_of = np.array([2, -1, 0, 3, -1, 1], np.int32)
    ends = np.cumsum([len(tokens) for _, tokens in pieces], dtype=np.int64)
    tokens = np.array([token for _, tokens in pieces for token in tokens], np.int32)
    starts, documents = (
        np.array(some, np.int64) for some in ([0, *ends[:-1]][: len(ends)], [d for d, _ in pieces])
    )
    room = np.full(4, -1), np.full(4, 10), np.full(4, 20)
    _, (*_, lengths, df) = both(paragraphs.count_known, tokens, starts, ends, documents, number_of, *room)
    texts = [
        [number_of[t] for d, some in pieces for t in some if d == of and number_of[t] >= 0] for of in range(4)
    ]
    assert lengths.tolist() == [10 + len(text) for text in texts]
    having = Counter(word for text in texts for word in set(text))
    assert df.tolist() == [20 + having[word] for word in range(4)]


@quick
@given(seeds, st.integers(0, 9), st.integers(0, 9), st.booleans(), st.integers(1, 9))
def test_tell_apart(run, seed, count, drawn, trains, size):
    chance = np.random.default_rng(seed)
    matrix = chance.normal(scale=0.6, size=(6, size)).astype(np.float32)
    vector = chance.normal(scale=0.6, size=size).astype(np.float32)
    chosen, weights = chance.integers(0, 6, 20), chance.uniform(0, 3, 20).astype(np.float32)
    room = np.full(20, 7, np.float32), np.full(size, 7, np.float32)
    total, (*_, after, _, same, _, move) = run(
        paragraphs.tell_apart, chosen, weights, count, drawn, np.float32(0.1), matrix, trains, vector, *room
    )
    signs = np.repeat([1.0, -1.0], [count, drawn])
    used, times = chosen[: count + drawn], weights[: count + drawn].astype(np.float64)

    def objective(vector, matrix):
        return (times * log_s(signs * (matrix[used] @ vector))).sum()

    v, m = vector.astype(np.float64), matrix.astype(np.float64)
    np.testing.assert_allclose(move, 0.1 * gradient(lambda some: objective(some, m), v), atol=2e-5)
    expected = m + (0.1 * gradient(lambda some: objective(v, some), m) if trains else 0)
    np.testing.assert_allclose(after, expected, atol=2e-5)
    np.testing.assert_array_equal(same, vector)
    assert total == pytest.approx((m[used] @ v).sum(), abs=1e-4)


@quick
@given(seeds, st.integers(0, 6), st.integers(1, 9))
def test_mean_with(run, seed, count, size):
    chance = np.random.default_rng(seed)
    inward = chance.normal(size=(5, size)).astype(np.float32)
    row, neighbours = chance.normal(size=size).astype(np.float32), chance.integers(0, 5, 7)
    _, (*_, out) = run(paragraphs.mean_with, row, inward, neighbours, count, np.full(size, 7, np.float32))
    expected = np.vstack([row, inward[neighbours[:count]]]).astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(out, expected, atol=2e-6)


@quick
@given(st.lists(st.lists(st.integers(0, 4), max_size=9), max_size=4))
def test_mix(texts):
    texts = [sorted(text) for text in texts]
    words = np.array([word for text in texts for word in text], np.int32)
    of = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    _, (*_, out) = both(paragraphs.mix, words, of, np.zeros(len(words), np.uint64))
    found = iter(out.tolist())
    for text in texts:
        before = Counter()
        for word in text:
            assert next(found) == scrambled(scrambled(word) ^ before[word])
            before[word] += 1


def test_mixed_numbers_are_all_different():
    words = np.repeat(np.arange(300, dtype=np.int32), 40)
    out = np.zeros(len(words), np.uint64)
    paragraphs.mix(words, np.zeros(len(words), np.int64), out)
    assert len(set(out.tolist())) == len(words)


# --- whole blocks -----------------------------------------------------------------------------------------------


class Case:
    """A tiny block: six terms, five of them with vectors, in pieces of three documents, and all that is needed."""

    def __init__(
        self, seed, *, keep=ALWAYS, pieces=1, length=9, size=3, window=2, negatives=2, balance=0.5, gamma=1.5,
        rate=0.1, slope=0.0,
    ):  # fmt: skip
        chance = np.random.default_rng(seed)
        self.tokens = chance.integers(0, 6, 2 + pieces * length).astype(np.int32)
        self.starts = 2 + np.arange(pieces, dtype=np.int64) * length
        self.ends = self.starts + length - (np.arange(pieces) % 2)  # the last token of each second is in no piece
        self.documents = np.sort(chance.integers(0, 3, pieces))
        self.number_of = np.array([3, 0, -1, 1, 4, 2], np.int32)
        self.keep = np.full(5, keep, np.uint64)
        self.table = table_of([5, 4, 3, 2, 1])
        self.state = state_of(seed)
        self.window, self.negatives, self.balance = window, negatives, balance
        self.pulls = 2 * gamma / np.array([4.0, 9.0, 30.0])
        self.rate, self.slope = rate, slope
        self.rows = chance.normal(scale=0.5, size=(3, size)).astype(np.float32)
        self.inward, self.outward, self.context = chance.normal(scale=0.5, size=(3, 5, size)).astype(np.float32)

    def block(self):
        return (
            self.tokens, self.starts, self.ends, self.documents, self.number_of, self.keep, self.table, self.state,
            self.window, self.negatives,
        )  # fmt: skip

    def dbow(self):
        rates = self.balance, self.pulls, self.rate, self.slope
        return *self.block(), *rates, self.rows, self.outward, self.context

    def dm(self):
        return *self.block(), self.rate, self.slope, self.rows, self.inward, self.outward

    def matrices(self, *names):
        return [getattr(self, name).astype(np.float64) for name in names]

    def pieces(self, state, window):
        """Yield the document, the words and the reaches of each piece, and the rate with which it is trained."""
        rate = self.rate
        for start, end, document in zip(self.starts, self.ends, self.documents, strict=True):
            words, reach = kept_words(self.tokens[start:end], self.number_of, self.keep, window, state)
            yield document, words, reach, rate
            rate -= self.slope * (end - start)


def climbed(objective, rate, *matrices):
    """Matrices after a step by the gradient of a function of them, all at once."""
    slopes = [
        gradient(lambda some, i=i: objective(*matrices[:i], some, *matrices[i + 1 :]), matrix)
        for i, matrix in enumerate(matrices)
    ]
    return [matrix + rate * slope for matrix, slope in zip(matrices, slopes, strict=True)]


def predicted(vector, matrix, chosen, drawn, negatives):
    """The objective of a vector that predicts chosen rows, with as many negatives that count k times."""
    return log_s(matrix[chosen] @ vector).sum() + negatives * log_s(-matrix[drawn] @ vector).sum()


def by_the_book_dbow(case):
    """Words in groups of 8: the document and the words' vectors at once; then each word with its neighbours."""
    rows, outward, context = case.matrices("rows", "outward", "context")
    state, trained, k = case.state.copy(), 0, case.negatives
    for document, words, _, rate in case.pieces(state, 1):
        trained += len(words)
        for first in range(0, len(words), TOGETHER):
            some = words[first : first + TOGETHER]
            drawn = drawn_from(case.table, state, DRAWN * len(some))

            def of_document(d, w, some=some, drawn=drawn):
                return predicted(d, w, some, drawn, k / DRAWN)

            rows[document], outward = climbed(of_document, rate, rows[document], outward)
            rows[document] /= 1 + rate * len(some) * case.pulls[document]
            for at in range(first, first + len(some) if case.window else first):
                found = around(words, case.window, at)
                others = drawn_from(case.table, state, len(found))

                def of_word(w, c, found=found, others=others):
                    return case.balance * predicted(w, c, found, others, k)

                outward[words[at]], context = climbed(of_word, rate, outward[words[at]], context)
    return trained, state, rows, outward, context


def by_the_book_dm(case):
    """Word by word; a document and each neighbour make the gradient x the number of all that are averaged."""
    rows, inward, outward = case.matrices("rows", "inward", "outward")
    state, trained = case.state.copy(), 0
    for document, words, reach, rate in case.pieces(state, case.window):
        trained += len(words)
        for at, word in enumerate(words):
            found = around(words, reach[at], at)
            drawn = drawn_from(case.table, state, case.negatives)
            share = 1 / (1 + len(found))

            def objective(d, v, w, word=word, found=found, drawn=drawn, share=share):
                mean = (d + v[found].sum(axis=0)) * share
                return log_s(w[word] @ mean) + log_s(-w[drawn] @ mean).sum()

            d, v, w = climbed(objective, rate, rows[document], inward, outward)
            rows[document] += (d - rows[document]) / share
            inward, outward = inward + (v - inward) / share, w
    return trained, state, rows, inward, outward


def assert_by_the_book(found, expected):
    (trained, total), arguments = found
    assert trained == expected[0]
    assert math.isfinite(total)
    assert arguments[7] == expected[1]
    for one, other in zip(arguments[-3:], expected[2:], strict=True):
        np.testing.assert_allclose(one, other, atol=5e-5)


cases = st.builds(
    Case,
    seeds,
    keep=st.sampled_from([ALWAYS, ALWAYS, ALWAYS // 2]),
    pieces=st.integers(1, 3),
    length=st.integers(1, 8),
    size=st.integers(1, 4),
    window=st.integers(1, 3),
    negatives=st.integers(1, 8),
    balance=st.sampled_from([1.0, 0.25]),
    gamma=st.sampled_from([0.0, 1.5, 100.0]),
    slope=st.sampled_from([0.0, 0.002]),
)


@few
@given(cases, st.booleans())
def test_dbow(run, case, joint):
    case.window = case.window if joint else 0
    assert_by_the_book(run(paragraphs.dbow, *case.dbow()), by_the_book_dbow(case))


@few
@given(cases)
def test_dm(run, case):
    assert_by_the_book(run(paragraphs.dm, *case.dm()), by_the_book_dm(case))


@pytest.mark.parametrize("window", [0, 3])
@pytest.mark.parametrize("length", [16, 17, 40])
def test_more_words_than_go_together(run, window, length):
    """The step is large enough to be wrong, and every matrix makes one; without a window, contexts are not read."""
    case = Case(length, length=length, window=window)
    case.number_of[2] = 2
    found = run(paragraphs.dbow, *case.dbow())
    assert_by_the_book(found, by_the_book_dbow(case))
    *_, rows, outward, context = found[1]
    document = case.documents[0]
    assert np.abs(rows - case.rows).max(axis=1)[document] > 0.05
    assert not np.delete(rows - case.rows, document, axis=0).any()
    assert (np.abs(outward - case.outward).max(axis=1) > 0.005).all()
    moved = np.abs(context - case.context).max(axis=1)
    assert (moved > 0.005).all() if window else not moved.any()


def test_without_a_window_contexts_may_be_empty():
    one, other = Case(8, window=0, length=30), Case(8, window=0, length=30)
    other.context = other.context[:0]
    assert paragraphs.dbow(*one.dbow()) == paragraphs.dbow(*other.dbow())
    np.testing.assert_array_equal(one.rows, other.rows)


# --- one small step is the gradient of the whole ----------------------------------------------------------------

RATE = 1e-4


def told_before(case, together):
    """Which words, neighbours and negatives a block has, as (document, words, negatives, neighbourhoods)."""
    state, found = case.state.copy(), []
    for document, words, _, _ in case.pieces(state, 1):
        for first in range(0, len(words), together):
            some = words[first : first + together]
            drawn = drawn_from(case.table, state, DRAWN * len(some))
            near_each = []
            for at in range(first, first + len(some) if case.window else first):
                neighbours = around(words, case.window, at)
                near_each.append((words[at], neighbours, drawn_from(case.table, state, len(neighbours))))
            found.append((document, some, drawn, near_each))
    return found


@pytest.mark.parametrize("window", [0, 2], ids=["", "J"])
@pytest.mark.parametrize("gamma", [0.0, 10.0], ids=["", "R"])
@pytest.mark.parametrize("seed", range(2))
def test_a_small_step_is_the_gradient_of_the_objective(window, gamma, seed):
    """Equation 2, with 8 (pulls are 2 gamma / #(d)) and with 9, written down for a whole block at once."""
    case = Case(seed, pieces=3, length=21, window=window, balance=0.3, gamma=gamma, negatives=3, rate=RATE)
    before, parts, k = case.matrices("rows", "outward", "context"), told_before(case, TOGETHER), case.negatives

    def objective(rows, outward, context):
        total = 0.0
        for document, words, drawn, neighbourhoods in parts:
            d = rows[document]
            total += log_s(outward[words] @ d).sum() + k / DRAWN * log_s(-outward[drawn] @ d).sum()
            total -= len(words) * case.pulls[document] / 2 * (d @ d)
            for word, neighbours, others in neighbourhoods:
                w = outward[word]
                total += 0.3 * (log_s(context[neighbours] @ w).sum() + k * log_s(-context[others] @ w).sum())
        return total

    after = climbed(objective, 1.0, *before)
    paragraphs.dbow(*case.dbow())
    for new, old, expected in zip(case.matrices("rows", "outward", "context"), before, after, strict=True):
        np.testing.assert_allclose((new - old) / RATE, expected - old, rtol=0.01, atol=0.03)
    sizes = [np.abs(expected - old).max() for old, expected in zip(before, after, strict=True)]
    assert min(sizes[: 3 if window else 2]) > 1


@pytest.mark.parametrize("seed", range(2))
def test_a_small_step_of_dm_is_the_gradient_of_the_objective(seed):
    """But for the number of vectors that are averaged, by which the steps of these are longer."""
    case = Case(seed, pieces=3, length=12, window=2, negatives=3, rate=RATE)
    before, state, parts = case.matrices("rows", "inward", "outward"), case.state.copy(), []
    for document, words, reach, _ in case.pieces(state, 2):
        for at, word in enumerate(words):
            drawn = drawn_from(case.table, state, 3)
            parts.append((document, word, around(words, reach[at], at), drawn))

    def objective(rows, inward, outward, weigh):
        total = 0.0
        for document, word, found, drawn in parts:
            mean = (rows[document] + inward[found].sum(axis=0)) / (1 + len(found))
            one = log_s(outward[word] @ mean) + log_s(-outward[drawn] @ mean).sum()
            total += one * (1 + len(found) if weigh else 1)
        return total

    of_vectors = climbed(lambda *matrices: objective(*matrices, True), 1.0, *before)[:2]
    of_words = climbed(lambda *matrices: objective(*matrices, False), 1.0, *before)[2]
    paragraphs.dm(*case.dm())
    after = case.matrices("rows", "inward", "outward")
    for new, old, expected in zip(after, before, [*of_vectors, of_words], strict=True):
        assert np.abs(expected - old).max() > 1
        np.testing.assert_allclose((new - old) / RATE, expected - old, rtol=0.01, atol=0.03)


def test_a_pull_is_a_proximal_step():
    """d / (1 + 2 rate gamma n / #(d)) where no word says otherwise: it never goes beyond 0, whatever gamma is."""
    for gamma in (0.0, 1.0, 1e6):
        case = Case(3, length=20, window=0, gamma=gamma, negatives=1)
        case.number_of[2] = 2
        case.outward[:] = 0  # so that documents are moved by nothing else, in a group
        before, document = case.rows.copy(), case.documents[0]
        case.ends = case.starts + TOGETHER
        paragraphs.dbow(*case.dbow())
        expected = before[document] / (1 + case.rate * TOGETHER * case.pulls[document])
        np.testing.assert_allclose(case.rows[document], expected, rtol=1e-6)


# --- new texts --------------------------------------------------------------------------------------------------


class Folded:
    """Some texts with weighted words, and words' vectors that stay as they are."""

    def __init__(self, seed, *, lengths=(3, 0, 5), size=3, epochs=2, negatives=2, gamma=1.5, window=2):
        chance = np.random.default_rng(seed)
        self.ends = np.cumsum(lengths, dtype=np.int64)
        self.words = chance.integers(0, 5, self.ends[-1]).astype(np.int32)
        self.counts = chance.choice([0.5, 1.0, 2.0], self.ends[-1]).astype(np.float32)
        self.table, self.seed = table_of([5, 4, 3, 2, 1]), np.uint64(seed)
        self.epochs, self.negatives, self.gamma, self.window = epochs, negatives, gamma, window
        self.rate, self.last = 0.1, 0.02
        self.inward, self.outward = chance.normal(scale=0.5, size=(2, 5, size)).astype(np.float32)
        self.rows = np.full((len(lengths), size), 7, np.float32)

    def fold(self):
        return (
            self.words, self.counts, self.ends, self.table, self.seed, self.epochs, self.negatives, self.gamma,
            self.rate, self.last, self.outward, self.rows,
        )  # fmt: skip

    def fold_in_context(self):
        return (
            self.words, self.counts, self.ends, self.table, self.seed, self.epochs, self.negatives, self.window,
            self.rate, self.last, self.inward, self.outward, self.rows,
        )  # fmt: skip

    def texts(self):
        """Yield the words and weights of each text, and its chance."""
        for start, end in zip([0, *self.ends[:-1]], self.ends, strict=True):
            words, value = self.words[start:end].tolist(), int(self.seed)
            for word in words:
                value = scrambled(value ^ word)
            yield words, self.counts[start:end].astype(np.float64), state_of(value)


def by_the_book_fold(case):
    outward, rows = case.outward.astype(np.float64), []
    for words, counts, state in case.texts():
        row, steps, done = np.zeros(outward.shape[1]), max(1, case.epochs * len(words)), 0
        for _ in range(case.epochs):
            for first in range(0, len(words), FOLDED):
                some, weights = words[first : first + FOLDED], counts[first : first + FOLDED]
                drawn = drawn_from(case.table, state, FOLDED)
                rate = case.rate - (case.rate - case.last) * done / steps
                each = case.negatives * weights.sum() / FOLDED

                def objective(d, some=some, weights=weights, drawn=drawn, each=each):
                    return (weights * log_s(outward[some] @ d)).sum() + each * log_s(-outward[drawn] @ d).sum()

                row = row + rate * gradient(objective, row)
                row /= 1 + rate * 2 * case.gamma * weights.sum() / counts.sum()
                done += len(some)
        rows.append(row)
    return np.array(rows)


def by_the_book_fold_in_context(case):
    inward, outward, rows = case.inward.astype(np.float64), case.outward.astype(np.float64), []
    for words, counts, state in case.texts():
        row, steps, done = np.zeros(outward.shape[1]), max(1, case.epochs * len(words)), 0
        for _ in range(case.epochs):
            for at, word in enumerate(words):
                found = around(words, case.window, at)
                drawn = drawn_from(case.table, state, case.negatives)
                rate = case.rate - (case.rate - case.last) * done / steps

                def objective(mean, word=word, drawn=drawn):
                    return log_s(outward[word] @ mean) + log_s(-outward[drawn] @ mean).sum()

                mean = (row + inward[found].sum(axis=0)) / (1 + len(found))
                row = row + rate * counts[at] * gradient(objective, mean)
                done += 1
        rows.append(row)
    return np.array(rows)


folded = st.builds(
    Folded,
    seeds,
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    size=st.integers(1, 4),
    epochs=st.integers(0, 3),
    negatives=st.integers(1, 6),
    gamma=st.sampled_from([0.0, 1.5, 100.0]),
    window=st.integers(1, 3),
)
FOLDS = [("fold", by_the_book_fold), ("fold_in_context", by_the_book_fold_in_context)]
both_folds = pytest.mark.parametrize(("name", "book"), FOLDS)


@few
@given(case=folded)
def test_fold(run, case):
    before = case.inward.copy(), case.outward.copy()
    _, (*_, rows) = run(paragraphs.fold, *case.fold())
    np.testing.assert_allclose(rows, by_the_book_fold(case), atol=5e-5)
    np.testing.assert_array_equal((case.inward, case.outward), before)


@few
@given(case=folded)
def test_fold_in_context(run, case):
    before = case.inward.copy(), case.outward.copy()
    _, (*_, rows) = run(paragraphs.fold_in_context, *case.fold_in_context())
    np.testing.assert_allclose(rows, by_the_book_fold_in_context(case), atol=5e-5)
    np.testing.assert_array_equal((case.inward, case.outward), before)


@both_folds
@pytest.mark.parametrize("length", [16, 17, 40])
def test_long_texts_are_folded_in(run, name, book, length):
    case = Folded(length, lengths=(length, 1), epochs=3)
    _, (*_, rows) = run(getattr(paragraphs, name), *getattr(case, name)())
    np.testing.assert_allclose(rows, book(case), atol=1e-4)
    assert np.abs(rows).min() > 0.001


@both_folds
def test_a_text_without_words_or_weights_is_0(name, book):
    case = Folded(1, lengths=(0, 4, 0))
    case.counts[:] = 0
    getattr(paragraphs, name)(*getattr(case, name)())
    assert not case.rows.any()


@both_folds
def test_a_text_is_folded_in_as_if_it_were_alone(name, book):
    case = Folded(2, lengths=(5, 0, 20, 3))
    getattr(paragraphs, name)(*getattr(case, name)())
    for text, (start, end) in enumerate(zip([0, *case.ends[:-1]], case.ends, strict=True)):
        alone = Folded(2, lengths=(5, 0, 20, 3))
        alone.words, alone.counts = alone.words[start:end], alone.counts[start:end]
        alone.ends, alone.rows = np.array([end - start]), alone.rows[:1]
        getattr(paragraphs, name)(*getattr(alone, name)())
        assert alone.rows[0].tobytes() == case.rows[text].tobytes()


# --- all of them ------------------------------------------------------------------------------------------------

TRAININGS = [("dbow", ("rows", "outward", "context")), ("dm", ("rows", "inward", "outward"))]
both_trainings = pytest.mark.parametrize(("name", "matrices"), TRAININGS)


def trained(case, name):
    return getattr(paragraphs, name)(*getattr(case, name)())


@both_trainings
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(3))
def test_what_is_not_finite_shows_in_the_sum(name, matrices, bad, place):
    case = Case(3, length=60, negatives=7)
    getattr(case, matrices[place])[case.documents[0]] = bad
    assert not math.isfinite(trained(case, name)[1])


@both_trainings
def test_rows_longer_than_vectors_keep_their_zeros(name, matrices):
    case, longer = Case(4, length=40), Case(4, length=40)
    for matrix in matrices:
        setattr(longer, matrix, np.pad(getattr(case, matrix), ((0, 0), (0, 5))))
    count, total = trained(case, name)
    assert (count, pytest.approx(total, rel=1e-4)) == trained(longer, name)
    for matrix in matrices:
        short, long = getattr(case, matrix), getattr(longer, matrix)
        np.testing.assert_allclose(long[:, :3], short, atol=5e-5)
        assert not long[:, 3:].any()


@both_trainings
def test_the_same_random_numbers_make_the_same_bytes(name, matrices):
    one, other, third = Case(5, length=200), Case(5, length=200), Case(5, length=200)
    third.state = state_of(6)
    assert trained(one, name) == trained(other, name)
    trained(third, name)
    for matrix in matrices:
        assert getattr(one, matrix).tobytes() == getattr(other, matrix).tobytes()
        assert getattr(one, matrix).tobytes() != getattr(third, matrix).tobytes()


@both_trainings
@pytest.mark.parametrize("tokens", [[], [2, 2, 2]])
def test_pieces_without_known_words(name, matrices, tokens):
    case, before = Case(7, length=1), Case(7, length=1)
    case.tokens = np.array([0, 0, *tokens], np.int32)
    case.ends = case.starts + len(tokens)
    assert trained(case, name) == (0, 0.0)
    for matrix in matrices:
        np.testing.assert_array_equal(getattr(case, matrix), getattr(before, matrix))


@both_trainings
def test_a_word_alone_is_predicted_by_its_document(name, matrices):
    case, before = Case(7, length=1), Case(7, length=1)
    case.tokens[:] = 1
    assert trained(case, name)[0] == 1
    assert (case.rows[case.documents[0]] != before.rows[case.documents[0]]).all()
    assert (case.outward[0] != before.outward[0]).all()
    np.testing.assert_array_equal((case.context, case.inward), (before.context, before.inward))
