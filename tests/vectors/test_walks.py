"""Training on random walks: the graph, where walks start, and what is trained on them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels.walks import walk
from aboutness.kernels.word2vec import skip_gram
from aboutness.text.analyzers import analyzer
from aboutness.vectors import training_text
from aboutness.vectors.documents import Texts
from aboutness.vectors.training import chance_of, enough_epochs
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.walks import Walks, graph_of
from vectors.test_edges import TEXTS
from vectors.test_word2vec import shares_of

PLAIN = analyzer("plain")
SMALL = {"dim": 6, "epochs": 2, "min_count": 1, "walks": 3, "length": 7, "window": 2}


def texts_of(documents):
    words = np.array([word for document in documents for word in document], np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    return Texts(words, np.ones(len(words), np.float32), ends)


def started(texts=TEXTS, **changes):
    return Walks(**{**SMALL, **changes}).training(TrainingText.of_texts(texts, PLAIN), 1)


# --- the graph --------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=6), st.booleans())
def test_a_document_has_an_edge_to_each_of_its_tokens(documents, alike):
    firsts, others = graph_of(texts_of(documents), 5, alike=alike)
    assert (firsts.dtype, others.dtype) == (np.int64, np.int32)
    assert len(firsts) == 5 + len(documents) + 1
    lists = [others[a:b].tolist() for a, b in pairwise(firsts)]
    counts = [Counter(document) for document in documents]
    for number, count in enumerate(counts):
        assert Counter(lists[5 + number]) == (Counter(list(count)) if alike else count)
    for word in range(5):
        of = Counter(
            {5 + number: 1 if alike else count[word] for number, count in enumerate(counts) if count[word]}
        )
        assert Counter(lists[word]) == of


def test_words_that_are_rare_are_no_nodes():
    training = started(["sun sun moon", "moon star"], min_count=2)
    assert training.vocabulary.words == ["moon", "sun"]
    assert np.diff(training.firsts).tolist() == [2, 2, 3, 1]


# --- where walks start ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 20, 50, 20_000])
def test_so_many_walks_start_at_each_document_that_has_words(monkeypatch, block):
    monkeypatch.setattr(training_text, "BLOCK", block)
    training = started(["sun moon", "", "sun", "moon moon moon", ""])
    starts = np.concatenate([one.documents for one in training.blocks])
    assert Counter(starts.tolist()) == {2: 3, 4: 3, 5: 3}  # after the two words
    before = 0
    for one in training.blocks:
        assert one.before == before
        assert (one.ends - one.starts == 7).all()
        assert len(one.documents) == len(one.starts) <= -(-block // 7)
        assert one.starts[0] == 0
        before += int(one.ends[-1])
    assert before == training.tokens == 3 * 3 * 7


def test_walks_are_made_more_often_where_there_are_few():
    assert started(epochs=0).epochs == enough_epochs(40 * 3 * 7) == 20
    assert started(epochs=4).epochs == 4


@pytest.mark.parametrize("power", [0, 0.75, 1])
@pytest.mark.parametrize("step", ["count", "alike"])
def test_negatives_are_drawn_by_degree_to_a_power(power, step):
    training = started(power=power, step=step)
    weights = np.diff(training.firsts).astype(float) ** power
    np.testing.assert_allclose(shares_of(training.table), weights / weights.sum(), atol=1e-9)


def test_subsample_leaves_out_frequent_nodes():
    assert (started(subsample=0).keep == 1 << 32).all()
    keep, degrees = started(subsample=0.01).keep, np.diff(started().firsts)
    assert keep[degrees.argmax()] < keep[degrees.argmin()] <= 1 << 32


# --- what is trained --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["count", "alike"])
def test_the_blocks_one_after_the_other(monkeypatch, step):
    """Walks are made from the chance of their block, and then read as texts are."""
    monkeypatch.setattr(training_text, "BLOCK", 100)
    how = {"step": step, "rate": 0.2, "last_rate": 0.05, "seed": 9, "negatives": 3}
    by_hand, made = started(**how), Walks(**{**SMALL, **how}).train(TEXTS, threads=1)
    nodes, visits = len(by_hand.nodes_in), np.zeros(len(by_hand.nodes_in), np.int64)
    number, rate, slope = 0, 0.2, 0.15 / (2 * by_hand.tokens)
    for _ in range(2):
        for block in by_hand.blocks:
            chance, walked = chance_of(9, number), np.zeros(len(block.documents) * 7, np.int32)
            walk(by_hand.firsts, by_hand.others, block.documents, 7, chance, walked)
            skip_gram(
                walked, block.starts, block.ends, np.arange(nodes, dtype=np.int32),
                np.full(nodes, 1 << 32, np.uint64), by_hand.table, chance, 2, 3, 4, rate, slope, by_hand.nodes_in,
                by_hand.nodes_out,
            )  # fmt: skip
            visits += np.bincount(walked, minlength=nodes)
            rate -= slope * len(walked)
            number += 1
    assert number == 2 * -(-40 * 3 // 15)
    np.testing.assert_array_equal(made.rows, by_hand.nodes_in[18:, :6])
    np.testing.assert_array_equal(made.words.space("in"), by_hand.nodes_in[:18, :6])
    np.testing.assert_array_equal(made.words.space("out"), by_hand.nodes_out[:18, :6])
    assert visits[18:].min() >= 2 * 3


def test_documents_and_words_start_alike():
    training = started()
    assert training.rows.base is training.nodes_in
    assert training.outward.base is training.nodes_out
    assert 0.9 * 4 / 6 < np.abs(training.nodes_in).max() <= 4 / 6
    assert not training.nodes_in[:, 6:].any()
    assert not training.nodes_out.any()
