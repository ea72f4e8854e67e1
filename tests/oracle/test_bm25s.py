"""BM25 against bm25s and rank_bm25, on the same tokens."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from aboutness.corpus.beir import read_queries
from aboutness.models.bm25 import BM25, IDF
from oracle.texts import cranfield, random_index, random_queries, scores, tokens_of

PARAMETERS = [
    {"k1": 1.2, "b": 0.75, "delta": 0.5},
    {"k1": 1.7, "b": 0.95, "delta": 1.0},
    {"k1": 0.4, "b": 0.0, "delta": 2.0},
    {"k1": 3.0, "b": 1.0, "delta": 0.1},
]
every_variant = pytest.mark.parametrize("variant", list(IDF))
some_parameters = pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
# Where b is 1, rank_bm25 divides by the length of documents without words.
parameters_of_rank_bm25 = pytest.mark.parametrize("parameters", PARAMETERS[:-1], ids=str)
seeds = pytest.mark.parametrize("seed", range(4))


@pytest.fixture
def rank_bm25():
    return pytest.importorskip("rank_bm25")


def theirs(variant, tokens, parameters):
    bm25s = pytest.importorskip("bm25s")
    retriever = bm25s.BM25(method=variant, backend="numpy", **parameters)
    retriever.index(tokens, show_progress=False)
    return retriever.get_scores


@seeds
@some_parameters
@every_variant
def test_random_collections_score_as_in_bm25s(variant, parameters, seed):
    index = random_index(seed)
    get_scores = theirs(variant, tokens_of(index), parameters)
    model = BM25(variant=variant, **parameters)
    for query in random_queries(seed):
        np.testing.assert_allclose(scores(model, index, query), get_scores(query), rtol=1e-5, atol=1e-5)


@every_variant
def test_cranfield_scores_as_in_bm25s(variant, data_folder):
    index = cranfield(str(data_folder / "cranfield"))
    parameters = {"k1": 1.2, "b": 0.75, "delta": 0.5}
    get_scores = theirs(variant, cranfield_tokens(str(data_folder / "cranfield")), parameters)
    model = BM25(variant=variant, **parameters)
    analyzer = index.view().analyzer
    for query in list(read_queries(data_folder / "cranfield"))[:40]:
        terms = analyzer.terms(query.text)
        np.testing.assert_allclose(scores(model, index, terms), get_scores(terms), rtol=1e-5, atol=1e-5)


@cache
def cranfield_tokens(folder):
    return tokens_of(cranfield(folder))


@seeds
@parameters_of_rank_bm25
def test_okapi_of_rank_bm25_is_robertson_times_a_constant(rank_bm25, parameters, seed):
    index = random_index(seed)
    tokens, k1, b = tokens_of(index), parameters["k1"], parameters["b"]
    okapi = rank_bm25.BM25Okapi(tokens, k1=k1, b=b)
    rare = {word for word in okapi.idf if 2 * sum(word in document for document in tokens) <= len(tokens)}
    asked = 0
    for query in random_queries(seed):
        kept = [word for word in query if word in rare]  # it raises the idf of other words
        found = scores(BM25(variant="robertson", k1=k1, b=b), index, kept)
        np.testing.assert_allclose(found * (k1 + 1), okapi.get_scores(kept), rtol=1e-5, atol=1e-5)
        asked += len(kept)
    assert asked > 5


@seeds
@parameters_of_rank_bm25
def test_bm25_plus_scores_as_in_rank_bm25(rank_bm25, parameters, seed):
    index = random_index(seed)
    plus = rank_bm25.BM25Plus(tokens_of(index), **parameters)
    for query in random_queries(seed):
        found = scores(BM25(variant="bm25+", **parameters), index, query)
        np.testing.assert_allclose(found, plus.get_scores(query), rtol=1e-5, atol=1e-5)


@seeds
@parameters_of_rank_bm25
def test_bm25l_scores_as_in_rank_bm25_but_for_a_factor_there(rank_bm25, parameters, seed):
    """rank_bm25 multiplies by the count once more, so that absent words earn nothing."""
    index = random_index(seed)
    tokens = tokens_of(index)
    bm25l = rank_bm25.BM25L(tokens, **parameters)
    model = BM25(variant="bm25l", absent="nothing", **parameters)
    for query in random_queries(seed):
        expected = np.zeros(len(tokens))
        for word in query:
            counts = np.array([document.count(word) for document in tokens])
            expected += np.divide(bm25l.get_scores([word]), counts, out=np.zeros(len(tokens)), where=counts > 0)
        np.testing.assert_allclose(scores(model, index, query), expected, rtol=1e-5, atol=1e-5)
