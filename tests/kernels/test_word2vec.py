"""The kernels of word2vec, and their steps against the gradient of the objective by finite differences.

    log s(OUT_w . h) + sum over negatives n of log s(-OUT_n . h)

Which words, neighbours and negatives there are is worked out here anew, from the same random numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import word2vec
from aboutness.kernels.chance import below, draw, fill_alias, next_random
from kernels.conftest import near

quick = settings(max_examples=40, deadline=None)
few = settings(max_examples=40, deadline=None)
seeds = st.integers(0, (1 << 64) - 1)
ALWAYS = 1 << 32


@pytest.fixture(scope="module")
def run():
    """Whole blocks sum in any order: compiled and as Python they differ by rounding."""
    return near


def state_of(seed: int) -> np.ndarray:
    return np.array([seed], np.uint64)


def table_of(weights) -> np.ndarray:
    table = np.zeros(len(weights), np.uint64)
    fill_alias(np.array(weights, np.float64), np.zeros(len(weights), np.int64), np.zeros(len(weights)), table)
    return table


def random_bits(state: np.ndarray) -> np.uint64:
    return np.uint64(next_random(state))


# --- the parts --------------------------------------------------------------------------------------------------


def kept_words(tokens, number_of, keep, window, state):
    """The words of a piece that stay, and how far each looks."""
    words, reach = [], []
    for token in tokens:
        word = number_of[token]
        if word < 0:
            continue
        bits = random_bits(state)
        if int(bits) % (1 << 32) < int(keep[word]):
            words.append(int(word))
            reach.append(1 + int(below(bits, np.uint64(window))))
    return words, reach


@quick
@given(seeds, st.lists(st.integers(0, 4), max_size=30), st.integers(1, 9), st.data())
def test_collect(run, seed, tokens, window, data):
    start = data.draw(st.integers(0, len(tokens)))
    end = data.draw(st.integers(start, len(tokens)))
    number_of = np.array(data.draw(st.permutations([0, 1, 2, -1, -1])), np.int32)
    keep = np.array(data.draw(st.permutations([0, ALWAYS // 3, ALWAYS])), np.uint64)
    room = np.full(end - start + 1, -7), np.full(end - start + 1, -7)
    count, (*_, state, words, reach) = run(
        word2vec.collect, np.array(tokens, np.int32), start, end, number_of, keep, window, state_of(seed), *room
    )
    own = state_of(seed)
    expected = kept_words(tokens[start:end], number_of, keep, window, own)
    assert (words[:count].tolist(), reach[:count].tolist()) == expected
    assert (words[count:] == -7).all()
    assert state == own
    assert all(1 <= far <= window for far in expected[1])
    assert all(int(keep[word]) > 0 for word in expected[0])


def test_words_stay_as_often_as_they_should():
    tokens, share = np.repeat(np.arange(3, dtype=np.int32), 30_000), np.array([0.05, 0.5, 1.0])
    room = np.zeros(len(tokens), np.int64), np.zeros(len(tokens), np.int64)
    keep = (share * ALWAYS).astype(np.uint64)
    count = word2vec.collect(
        tokens, 0, len(tokens), np.arange(3, dtype=np.int32), keep, 4, state_of(1), room[0], room[1]
    )
    found = np.bincount(room[0][:count], minlength=3)
    assert (np.abs(found - 30_000 * share) <= 4 * np.sqrt(30_000 * share * (1 - share))).all()
    far = np.bincount(room[1][:count], minlength=5)[1:]
    assert np.abs(far - count / 4).max() < 4 * np.sqrt(count * 3 / 16)


@quick
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 15), st.data())
def test_around(run, words, reach, data):
    count = data.draw(st.integers(1, len(words)))
    at = data.draw(st.integers(0, count - 1))
    found, (*_, out) = run(word2vec.around, np.array(words), count, at, reach, np.full(2 * reach, -7))
    expected = [words[other] for other in range(count) if other != at and abs(other - at) <= reach]
    assert out[:found].tolist() == expected
    assert (out[found:] == -7).all()


@quick
@given(seeds, st.lists(st.integers(0, 4), max_size=6))
def test_take_rows(run, seed, places):
    matrix = np.random.default_rng(seed).normal(size=(5, 3)).astype(np.float32)
    room = np.full((len(places) + 1, 3), 7, np.float32)
    _, (*_, out) = run(word2vec.take_rows, matrix, np.array([*places, 0]), len(places), room)
    np.testing.assert_array_equal(out[:-1], matrix[np.array(places, int)])
    assert (out[-1] == 7).all()


@quick
@given(st.lists(st.integers(0, 9), max_size=6))
def test_longest(run, lengths):
    starts = np.arange(len(lengths)) * 10
    assert run(word2vec.longest, starts, starts + np.array(lengths, np.int64))[0] == max(lengths, default=0)


# --- whole blocks -----------------------------------------------------------------------------------------------


class Case:
    """A tiny block: six terms, five of them with vectors, in pieces, and all that a training of it needs."""

    def __init__(
        self, seed, *, keep=ALWAYS, pieces=1, length=9, size=3, window=2, negatives=2, shared=4, slope=0.0
    ):
        draw_ = np.random.default_rng(seed)
        self.tokens = draw_.integers(0, 6, 2 + pieces * length).astype(np.int32)
        self.starts = 2 + np.arange(pieces, dtype=np.int64) * length
        self.ends = self.starts + length - (np.arange(pieces) % 2)  # the last token of each second is in no piece
        self.number_of = np.array([3, 0, -1, 1, 4, 2], np.int32)
        self.keep = np.full(5, keep, np.uint64)
        self.table = table_of([5, 4, 3, 2, 1])
        self.state = state_of(seed)
        self.window, self.negatives, self.shared = window, negatives, shared
        self.rate, self.slope = 0.2, slope
        self.size = size
        self.inward, self.outward = draw_.normal(size=(2, 5, size)).astype(np.float32)

    def arguments(self):
        return (
            self.tokens, self.starts, self.ends, self.number_of, self.keep, self.table, self.state, self.window,
            self.negatives, self.shared, self.rate, self.slope, self.inward, self.outward,
        )  # fmt: skip

    def pieces(self, state):
        """Yield the words and reaches of each piece, and the rate with which it is trained."""
        rate = self.rate
        for start, end in zip(self.starts, self.ends, strict=True):
            yield *kept_words(self.tokens[start:end], self.number_of, self.keep, self.window, state), rate
            rate -= self.slope * (end - start)
        yield [], [], rate


def log_s(x):
    return -np.logaddexp(0, -x)


def gradient(objective, at):
    """Central differences of a function of an array of float64."""
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        ahead, behind = at.copy(), at.copy()
        ahead[place] += 1e-5
        behind[place] -= 1e-5
        found[place] = (objective(ahead) - objective(behind)) / 2e-5
    return found


def around(words, reach, at):
    return [words[i] for i in range(max(0, at - reach), min(len(words), at + reach + 1)) if i != at]


def by_the_book_skip_gram(case):
    """All steps of a group at once, by the gradient of the sum of the objective over its pairs."""
    inward, outward = case.inward.astype(np.float64), case.outward.astype(np.float64)
    state, trained = case.state.copy(), 0
    for words, reach, rate in case.pieces(state):
        trained += len(words)
        for at, word in enumerate(words):
            neighbours = around(words, reach[at], at)
            for first in range(0, len(neighbours), case.shared):
                group = neighbours[first : first + case.shared]
                drawn = [draw(case.table, random_bits(state)) for _ in range(case.negatives)]
                others = [other for other in drawn if other != word]

                def objective(inward, outward, group=group, word=word, others=others):
                    positive = log_s(inward[group] @ outward[word]).sum()
                    return positive + log_s(-inward[group] @ outward[others].T).sum()

                old = inward.copy(), outward.copy()
                inward += rate * gradient(lambda some, old=old, f=objective: f(some, old[1]), old[0])
                outward += rate * gradient(lambda some, old=old, f=objective: f(old[0], some), old[1])
    return trained, inward, outward, state


def steps_of_cbow(inward, outward, waiting, drawn, rate):
    """The steps of the negatives of a group at once; then those of its words, one after the other."""
    moves = np.zeros_like(inward)

    def against(inward, outward, word, neighbours):
        others = [other for other in drawn if other != word]
        return log_s(-outward[others] @ inward[neighbours].mean(axis=0)).sum()

    def towards(inward, outward, word, neighbours):
        return log_s(outward[word] @ inward[neighbours].mean(axis=0))

    for pair in waiting:
        moves += len(pair[1]) * gradient(lambda some, pair=pair: against(some, outward, *pair), inward)
    now = outward + rate * gradient(lambda some: sum(against(inward, some, *pair) for pair in waiting), outward)
    for pair in waiting:
        moves += len(pair[1]) * gradient(lambda some, pair=pair, now=now: towards(some, now, *pair), inward)
        now = now + rate * gradient(lambda some, pair=pair: towards(inward, some, *pair), now)
    return inward + rate * moves, now


def by_the_book_cbow(case):
    """Groups of successive words, also over the ends of pieces; a neighbour makes the gradient x their number."""
    inward, outward = case.inward.astype(np.float64), case.outward.astype(np.float64)
    state, trained, waiting = case.state.copy(), 0, []
    for words, reach, rate in case.pieces(state):
        trained += len(words)
        for at, word in enumerate(words):
            if neighbours := around(words, reach[at], at):
                waiting.append((word, neighbours))
            if len(waiting) == case.shared:
                drawn = [draw(case.table, random_bits(state)) for _ in range(case.negatives)]
                inward, outward = steps_of_cbow(inward, outward, waiting, drawn, rate)
                waiting = []
        last = rate
    if waiting:
        drawn = [draw(case.table, random_bits(state)) for _ in range(case.negatives)]
        inward, outward = steps_of_cbow(inward, outward, waiting, drawn, last)
    return trained, inward, outward, state


def assert_by_the_book(case, found, expected):
    (trained, total), (*_, inward, outward) = found
    assert trained == expected[0]
    assert math.isfinite(total)
    np.testing.assert_allclose(inward, expected[1], atol=3e-5)
    np.testing.assert_allclose(outward, expected[2], atol=3e-5)
    assert found[1][6] == expected[3]


cases = st.builds(
    Case,
    seeds,
    keep=st.sampled_from([ALWAYS, ALWAYS, ALWAYS // 2]),
    pieces=st.integers(1, 3),
    length=st.integers(1, 8),
    size=st.integers(1, 4),
    window=st.integers(1, 3),
    negatives=st.integers(1, 8),
    shared=st.sampled_from([1, 2, 3, 6]),
    slope=st.sampled_from([0.0, 0.004]),
)


@few
@given(cases)
def test_skip_gram(run, case):
    assert_by_the_book(case, run(word2vec.skip_gram, *case.arguments()), by_the_book_skip_gram(case))


@few
@given(cases)
def test_cbow(run, case):
    assert_by_the_book(case, run(word2vec.cbow, *case.arguments()), by_the_book_cbow(case))


@pytest.mark.parametrize("shared", [1, 4])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kernel", "book"),
    [(word2vec.skip_gram, by_the_book_skip_gram), (word2vec.cbow, by_the_book_cbow)],
    ids=["skip-gram", "cbow"],
)
def test_one_piece_of_text(kernel, book, seed, shared):
    """All words known, none left out, a fixed rate; the step is large enough to be wrong."""
    case = Case(seed, shared=shared, length=12)
    arguments = [np.copy(value) if isinstance(value, np.ndarray) else value for value in case.arguments()]
    found = kernel(*arguments), arguments
    assert_by_the_book(case, found, book(case))
    assert np.abs(arguments[-2] - case.inward).max() > 0.05
    assert np.abs(arguments[-1] - case.outward).max() > 0.05


@quick
@given(seeds, st.integers(1, 4), st.integers(1, 8))
def test_cbow_step(run, seed, count, negatives):
    """The products and steps of some words with the same negatives, in numpy."""
    draw_ = np.random.default_rng(seed)
    inward, outward = draw_.normal(size=(2, 7, 5)).astype(np.float32)
    width = -(-negatives // 6) * 6
    targets, outs = draw_.integers(0, 7, 4), draw_.integers(0, 7, width)
    neighbours, found = draw_.integers(0, 7, (4, 6)), draw_.integers(1, 7, 4)
    means = np.array([inward[row[:many]].mean(axis=0) for row, many in zip(neighbours, found, strict=True)])
    room = np.full((4, 5), 7, np.float32), np.zeros((width, 5), np.float32), np.zeros((4, width), np.float32)
    total, arguments = run(
        word2vec.cbow_step, count, targets, neighbours, found, outs, negatives, np.float32(0.1), inward, outward,
        means, *room,
    )  # fmt: skip
    into, out, h = inward.astype(np.float64), outward.astype(np.float64), means.astype(np.float64)
    products = h[:count] @ out[outs[:negatives]].T
    step = np.where(targets[:count, None] == outs[None, :negatives], 0, -0.1 / (1 + np.exp(-products)))
    moves = step @ out[outs[:negatives]]
    np.add.at(out, outs[:negatives], step.T @ h[:count])
    everything = products.sum()
    for i in range(count):
        product = out[targets[i]] @ h[i]
        everything += product
        factor = 0.1 / (1 + np.exp(product))
        moves[i] += factor * out[targets[i]]
        out[targets[i]] += factor * h[i]
        np.add.at(into, neighbours[i, : found[i]], moves[i])
    np.testing.assert_allclose(arguments[7], into, atol=2e-5)
    np.testing.assert_allclose(arguments[8], out, atol=2e-5)
    assert total == pytest.approx(everything, abs=1e-3)


KERNELS = [word2vec.skip_gram, word2vec.cbow]
names = pytest.mark.parametrize("kernel", KERNELS, ids=["skip-gram", "cbow"])


@names
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("space", [-2, -1], ids=["in", "out"])
@pytest.mark.parametrize("word", range(5))
def test_what_is_not_finite_shows_in_the_sum(kernel, bad, space, word):
    case = Case(3, length=60, negatives=7)
    arguments = list(case.arguments())
    arguments[space][word] = bad
    assert not math.isfinite(kernel(*arguments)[1])


@names
def test_rows_longer_than_vectors_keep_their_zeros(kernel):
    case, longer = Case(4, length=40), Case(4, length=40)
    longer.inward, longer.outward = (np.pad(space, ((0, 0), (0, 5))) for space in (case.inward, case.outward))
    trained, total = kernel(*case.arguments())
    assert (trained, pytest.approx(total, rel=1e-4)) == kernel(*longer.arguments())
    for short, long in ((case.inward, longer.inward), (case.outward, longer.outward)):
        np.testing.assert_allclose(long[:, :3], short, atol=3e-5)
        assert not long[:, 3:].any()


@names
def test_the_same_random_numbers_make_the_same_bytes(kernel):
    one, other, third = Case(5, length=200), Case(5, length=200), Case(5, length=200)
    third.state = state_of(6)
    assert kernel(*one.arguments()) == kernel(*other.arguments())
    kernel(*third.arguments())
    assert one.inward.tobytes() == other.inward.tobytes()
    assert one.outward.tobytes() == other.outward.tobytes()
    assert one.inward.tobytes() != third.inward.tobytes()


@names
@pytest.mark.parametrize("tokens", [[], [1], [2, 2, 2], [1, 2, 2]])
def test_pieces_in_which_nothing_has_neighbours(kernel, tokens):
    case = Case(7)
    before = case.inward.copy(), case.outward.copy()
    case.tokens = np.array([0, 0, *tokens], np.int32)
    case.ends = case.starts + len(tokens)
    assert kernel(*case.arguments()) == (tokens.count(1), 0.0)
    np.testing.assert_array_equal((case.inward, case.outward), before)
