"""What pulls rows of words: every matrix that shards share has its updates and moments."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.scale.bending import MOST_ROWS, Moments, bends
from aboutness.text.analyzers import analyzer
from aboutness.vectors.training_text import TrainingText
from scale.test_training import every_way

TEXTS = ["the sun and the moon", "the road to the city and back", ""] * 9


@pytest.fixture
def text():
    return TrainingText.of_texts(TEXTS, analyzer("plain"))


@every_way
def test_every_matrix_of_words_is_bent(text, way):
    training = way.training(text, 1)
    training.run_some(0, len(training.blocks))
    found = bends(training, training.vocabulary.counts)
    shared = {name: of for name, of in training.matrices().items() if name != "rows" and len(of)}
    assert set(found) == set(shared)
    for name, bend in found.items():
        assert bend.updates.shape == (len(training.vocabulary),)
        assert (bend.updates > 0).all()
        assert np.linalg.eigvalsh(bend.moments)[-1] > 0, name


@every_way
def test_updates_grow_with_what_is_read(text, way):
    training = way.training(text, 1)
    once, twice = (bends(training, times * training.vocabulary.counts) for times in (1, 2))
    for name, bend in once.items():
        np.testing.assert_allclose(twice[name].updates, 2 * bend.updates)
        np.testing.assert_allclose(twice[name].moments, bend.moments)


def test_a_word_is_predicted_as_often_as_it_stands_and_is_drawn(text):
    from aboutness.vectors.pv import PV

    training = PV(dim=5, min_count=1, negatives=3).training(text, 1)
    updates = bends(training, training.vocabulary.counts)["out"].updates
    assert updates.sum() == pytest.approx((1 + 3) * text.tokens)
    assert (updates > training.vocabulary.counts).all()


@pytest.mark.parametrize("shards", [1, 3])
def test_moments_of_words_are_the_mean_over_shards(shards):
    draw = np.random.default_rng(1)
    matrix, weights = draw.normal(size=(MOST_ROWS + 5, 3)).astype(np.float32), draw.random(MOST_ROWS + 5)
    found = sum(Moments(shard, shards).words(matrix, weights) for shard in range(shards)) / shards
    first, of = matrix[:MOST_ROWS].astype(np.float64), weights[:MOST_ROWS]
    np.testing.assert_allclose(found, (first * of[:, None]).T @ first / of.sum(), rtol=1e-6)


def test_moments_of_documents_are_those_of_some_that_stand_for_all():
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(3 * MOST_ROWS, 3)).astype(np.float32)
    found = Moments(1, 2).documents(rows, np.ones(len(rows)))
    np.testing.assert_allclose(found, np.eye(3), atol=0.1)
    assert not Moments(0, 1).documents(rows[:0], np.ones(0)).any()
