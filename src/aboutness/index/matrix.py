"""Texts to a term-document matrix in memory, without an index: counting, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from aboutness.core.errors import BadInput
from aboutness.index.builder import joined
from aboutness.index.layer import Arrays, layer_arrays
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import StringTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BATCH = 8192


def count_terms(texts: Iterable[str], analyzer: str | Analyzer = "plain") -> Arrays:
    """Return vocabulary, token stream, forward view and postings of some texts, as an index would hold them."""
    batch = BatchAnalyzer(named_analyzer(analyzer))
    parts = [(np.zeros(0, np.int32), np.zeros(0, np.int64))]
    incoming = iter(texts)
    try:
        while cells := list(islice(incoming, BATCH)):
            parts.append(batch.analyze(cells))
    except (TypeError, UnicodeEncodeError) as error:
        raise BadInput(f"every text must be a string without lone surrogates: {error}") from None
    vocabulary = StringTable.of_packed(*batch.vocabulary.packed())
    return layer_arrays(vocabulary, len(vocabulary), *joined(parts), 1)


def count_matrix(texts: Iterable[str], analyzer: str | Analyzer = "plain") -> tuple[csr_array, list[str]]:
    """Return how often each term stands in each text (texts x terms), and the terms.

    >>> matrix, terms = count_matrix(["to be or not to be", "not now"])
    >>> terms, matrix.toarray().tolist()
    (['to', 'be', 'or', 'not', 'now'], [[2, 2, 1, 1, 0], [0, 0, 0, 1, 1]])
    """
    from scipy.sparse import csr_array

    arrays = count_terms(texts, analyzer)
    terms = list(StringTable(arrays["terms.data"], arrays["terms.ends"], arrays["terms.slots"]))
    ends = np.concatenate([[0], arrays["forward.ends"]])
    counts = arrays["forward.counts"][0].astype(np.int64)
    return csr_array((counts, arrays["forward.terms"], ends), shape=(len(ends) - 1, len(terms))), terms
