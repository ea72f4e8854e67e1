"""TF-IDF against scikit-learn's, whose own idf is one variant; for the others it is replaced."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from aboutness.corpus.beir import read_queries
from aboutness.models.tfidf import IDF, TFIDF
from oracle.texts import cranfield, random_index, random_queries, scores, tokens_of


def fitted(tokens, variant):
    """A vectorizer of tokens with the idf of a variant."""
    vectorizer = TfidfVectorizer(analyzer=lambda some: some, norm="l2")
    vectorizer.fit(tokens)
    df = np.zeros(len(vectorizer.vocabulary_))
    for document in tokens:
        for word in set(document):
            df[vectorizer.vocabulary_[word]] += 1
    n = len(tokens)
    if variant == "galke":
        vectorizer.idf_ = np.log((1 + n) / (1 + df))
    elif variant in ("slides", "malina"):
        vectorizer.idf_ = np.log(n / df)
    return vectorizer


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("variant", list(IDF))
def test_random_collections_score_as_in_sklearn(variant, seed):
    index = random_index(seed)
    tokens = tokens_of(index)
    vectorizer = fitted(tokens, variant)
    rows = vectorizer.transform(tokens)
    for query in random_queries(seed):
        expected = (rows @ vectorizer.transform([query]).T).toarray()[:, 0]
        np.testing.assert_allclose(scores(TFIDF(variant=variant), index, query), expected, rtol=1e-5, atol=1e-6)


def test_the_matrix_of_an_index_can_be_given_to_sklearn():
    index = random_index(1)
    counts = index.view().matrix()
    transformer = TfidfTransformer().fit(counts)
    rows = transformer.transform(counts)
    query = np.zeros((1, counts.shape[1]))
    terms = random_queries(1)[-1]
    for number in index.view().term_numbers(terms):
        if number >= 0:
            query[0, number] += 1
    expected = (rows @ transformer.transform(query).T).toarray()[:, 0]
    np.testing.assert_allclose(scores(TFIDF(variant="sklearn"), index, terms), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("variant", list(IDF))
def test_cranfield_scores_as_in_sklearn(variant, data_folder):
    index = cranfield(str(data_folder / "cranfield"))
    tokens = tokens_of(index)
    vectorizer = fitted(tokens, variant)
    rows = vectorizer.transform(tokens)
    analyzer = index.view().analyzer
    for query in list(read_queries(data_folder / "cranfield"))[:30]:
        terms = analyzer.terms(query.text)
        expected = (rows @ vectorizer.transform([terms]).T).toarray()[:, 0]
        np.testing.assert_allclose(scores(TFIDF(variant=variant), index, terms), expected, rtol=1e-5, atol=1e-6)
