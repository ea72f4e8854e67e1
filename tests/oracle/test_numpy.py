"""Cosines of BM25 weights and query likelihood against dense matrices of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.models.bm25_cosine import BM25Cosine
from aboutness.models.ql import QL
from oracle.texts import random_index, random_queries, scores, tokens_of

seeds = pytest.mark.parametrize("seed", range(6))


def count_matrix(tokens):
    words = sorted({word for document in tokens for word in document})
    counts = np.array([[document.count(word) for word in words] for document in tokens], float)
    return counts, {word: place for place, word in enumerate(words)}


def query_counts(query, places):
    counts = np.zeros(len(places))
    for word in query:
        if word in places:
            counts[places[word]] += 1
    return counts


@seeds
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.0, 0.5), (2.0, 0.0), (5.0, 1.0)])
def test_cosines_of_bm25_weights(seed, k1, b):
    index = random_index(seed)
    counts, places = count_matrix(tokens_of(index))
    df = (counts > 0).sum(axis=0)
    idf = np.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
    average = counts.sum() / len(counts)

    def unit(rows):
        held_back = k1 * (1 - b + b * rows.sum(axis=1, keepdims=True) / average)
        weighted = idf * np.where(rows > 0, rows / np.where(rows > 0, rows + held_back, 1), 0)
        norms = np.linalg.norm(weighted, axis=1, keepdims=True)
        return weighted / np.where(norms > 0, norms, 1)

    for query in random_queries(seed):
        expected = unit(counts) @ unit(query_counts(query, places)[None])[0]
        np.testing.assert_allclose(scores(BM25Cosine(k1=k1, b=b), index, query), expected, rtol=1e-5, atol=1e-6)


MODELS = [
    QL(smoothing="dirichlet", mu=1000.0),
    QL(smoothing="dirichlet", mu=3.5),
    QL(smoothing="jm", lam=0.5),
    QL(smoothing="jm", lam=0.05),
    QL(smoothing="absolute", delta=0.7),
    QL(smoothing="absolute", delta=1.0),
]


@seeds
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_query_likelihoods(seed, model):
    index = random_index(seed)
    counts, places = count_matrix(tokens_of(index))
    lengths = counts.sum(axis=1, keepdims=True)
    own = counts / np.maximum(lengths, 1)
    collection = counts.sum(axis=0) / counts.sum()
    if model.smoothing == "dirichlet":
        share = lengths / (lengths + model.mu)
        probabilities = share * own + (1 - share) * collection
    elif model.smoothing == "jm":
        probabilities = (1 - model.lam) * own + model.lam * collection
    else:
        distinct = (counts > 0).sum(axis=1, keepdims=True)
        left = np.where(lengths > 0, model.delta * distinct / np.maximum(lengths, 1), 1.0)
        probabilities = np.maximum(counts - model.delta, 0) / np.maximum(lengths, 1) + left * collection
    for query in random_queries(seed):
        expected = np.log(probabilities) @ query_counts(query, places)
        np.testing.assert_allclose(scores(model, index, query), expected, rtol=1e-5, atol=1e-6)
