from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import topics as kernels

quick = settings(max_examples=40)
seeds = st.integers(0, 1 << 32)
WORDS = 12


class Case:
    """Some texts over twelve words, one of which no topic has."""

    def __init__(self, seed, texts, topics):
        draw = np.random.default_rng(seed)
        sizes = draw.integers(0, 7, texts)
        self.ends = sizes.cumsum().astype(np.int64)
        self.words = np.concatenate([np.zeros(0, np.int64), *(draw.permutation(WORDS)[:n] for n in sizes)])
        self.words = self.words.astype(np.int64)
        self.counts = draw.choice([0.3, 1.0, 2.0, 5.0, 1e4], len(self.words))
        self.phi = draw.dirichlet(np.full(WORDS, 0.3), topics).T.astype(np.float32)
        self.phi[3] = 0
        self.alpha = float(draw.choice([1e-6, 0.1, 50.0]))

    def arguments(self, most, near, texts=slice(None)):
        ends = self.ends[texts]
        start = 0 if texts.start in (None, 0) else int(self.ends[texts.start - 1])
        end = int(ends[-1]) if len(ends) else start
        room = np.full((len(ends), self.phi.shape[1]), 7, np.float32)
        return (
            self.words[start:end], self.counts[start:end], ends - start, self.phi, self.alpha, most, near, room,
        )  # fmt: skip

    def text(self, number):
        start = self.ends[number - 1] if number else 0
        return self.words[start : self.ends[number]], self.counts[start : self.ends[number]]


def once_more(gamma, words, counts, phi, alpha):
    """What gamma becomes when it is put in again: each word's count goes to topics as gamma and phi say."""
    new = np.full(len(gamma), alpha)
    for word, count in zip(words, counts, strict=True):
        likely = phi[word].astype(np.float64) * gamma
        if likely.sum() > 0:
            new += count * likely / likely.sum()
    return new


@quick
@given(seeds, st.integers(0, 5), st.integers(1, 19), st.integers(0, 6))
def test_fold_in(run, seed, texts, topics, rounds):
    case = Case(seed, texts, topics)
    _, (*_, out) = run(kernels.fold_in, *case.arguments(rounds, 0.0))
    for number in range(texts):
        words, counts = case.text(number)
        gamma = np.full(topics, case.alpha + counts.sum() / topics)
        for _ in range(rounds):
            gamma = once_more(gamma, words, counts, case.phi, case.alpha)
        np.testing.assert_allclose(out[number], gamma / gamma.sum(), rtol=1e-4, atol=1e-6)
        assert out[number].sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("near", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("seed", range(4))
def test_it_ends_when_hardly_anything_changes(run, seed, near):
    case = Case(seed, 8, 6)
    longest = int(np.diff(case.ends, prepend=0).argmax())
    words, counts = case.text(longest)
    gamma, new, rounds = np.zeros(6), np.full(6, case.alpha + counts.sum() / 6), 0
    while rounds == 0 or np.abs(new - gamma).sum() > near * new.sum():
        gamma, new, rounds = new, once_more(new, words, counts, case.phi, case.alpha), rounds + 1

    def folded(most, near):
        return run(kernels.fold_in, *case.arguments(most, near, slice(longest, longest + 1)))[1][-1].tobytes()

    assert rounds > 1
    assert folded(10_000, near) == folded(rounds, 0.0)
    assert folded(10_000, near) != folded(rounds - 1, 0.0)


@quick
@given(seeds, st.integers(1, 9), st.integers(1, 12))
def test_a_text_alone_or_among_others(run, seed, texts, topics):
    case = Case(seed, texts, topics)
    _, (*_, together) = run(kernels.fold_in, *case.arguments(20, 1e-4))
    for number in range(texts):
        *_, alone = arguments = case.arguments(20, 1e-4, slice(number, number + 1))
        kernels.fold_in(*arguments)
        assert alone[0].tobytes() == together[number].tobytes()


def test_where_there_is_one_solution_it_is_found_from_anywhere():
    """Topic 0 has word 0 alone, topic 1 word 1 alone: shares are alpha + counts."""
    phi, room = np.eye(2, dtype=np.float32), np.zeros((1, 2), np.float32)
    kernels.fold_in(np.array([0, 1]), np.array([6.0, 2.0]), np.array([2]), phi, 1.0, 100, 1e-9, room)
    assert room[0].tolist() == pytest.approx([0.7, 0.3])


@pytest.mark.parametrize("words", [[], [3]], ids=["none", "of no topic"])
def test_without_words_all_topics_are_alike(run, words):
    case = Case(0, 0, 5)
    _, (*_, out) = run(
        kernels.fold_in, np.array(words, np.int64), np.ones(len(words)), np.array([len(words)]), case.phi, 0.25, 50,
        1e-5, np.full((1, 5), 7, np.float32),
    )  # fmt: skip
    assert out[0].tolist() == pytest.approx([0.2] * 5)


def test_a_long_text(run):
    draw = np.random.default_rng(1)
    phi = draw.dirichlet(np.full(3000, 0.05), 16).T.astype(np.float32)
    counts = draw.integers(1, 100, 3000).astype(np.float64)
    arguments = np.arange(3000), counts, np.array([3000]), phi, 50 / 16, 3, 0.0, np.zeros((1, 16), np.float32)
    _, (*_, out) = run(kernels.fold_in, *arguments)
    assert np.isfinite(out).all()
    assert out.sum() == pytest.approx(1, abs=1e-6)
