"""The likelihood of a question's words in documents: a language model mixed with one that was trained."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.dense import dot
from aboutness.kernels.keys import Real

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Numbers = NDArray[np.int64]


@compiled
def share(word: F64, row: F32, normaliser: Real, exponential: bool) -> Real:
    """Return the probability of a word by a document's row: exp(word . row - normaliser), or word . row."""
    total = dot(word, row)
    return np.exp(total - normaliser) if exponential else max(total, 0.0)


@compiled
def likelihoods(
    words: F64,
    weights: F64,
    known: NDArray[np.bool_],
    seen: F64,
    lam: Real,
    rows: F32,
    normalisers: F64,
    documents: Numbers,
    out: F64,
) -> None:
    """Write ln P of each word (row of `out`) in each of some documents (column), times its weight.

    P = (1 - lam) seen + lam share, where `seen` is by the language model; a word that is not `known` has share 0.
    Without normalisers a share is a product, else the exponential of one.
    """
    exponential = len(normalisers) > 0
    for i in range(len(documents)):
        row = rows[documents[i]]
        normaliser = normalisers[documents[i]] if exponential else 0.0
        for t in range(len(words)):
            probability = (1.0 - lam) * seen[t, i]
            if known[t]:
                probability += lam * share(words[t], row, normaliser, exponential)
            out[t, i] = weights[t] * np.log(probability)
