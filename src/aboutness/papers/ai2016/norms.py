"""How long the vectors of short and of long documents are, and how they grow in training (section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aboutness.index.view import LayerView
from aboutness.models.pv_lm import EPVDLM, EPVDRLM
from aboutness.papers.ai2016.cases import FIFTHS
from aboutness.papers.ai2016.compared import rank_correlation
from aboutness.papers.ai2016.ladder import DR, D, paragraphs
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.postprocess import norms

if TYPE_CHECKING:
    from aboutness.papers.ai2016.protocol import Ai2016


@dataclass(frozen=True)
class Growth:
    """Mean lengths of vectors by fifths of documents, after so many epochs, by model."""

    collection: str
    epochs: Sequence[int]
    by_model: Mapping[str, Sequence[tuple[float, ...]]]

    def factor(self, model: str, fifth: int, since: int = 0) -> float:
        """Return how many times longer vectors are after the most epochs than after fewer of them."""
        return self.by_model[model][-1][fifth] / self.by_model[model][since][fifth]


def by_length(space: DocumentSpace, view: LayerView) -> tuple[tuple[float, ...], float]:
    """Return the mean length of vectors in each fifth of the documents, from the shortest on; and a correlation.

    That is Spearman's, of a document's words and the length of its vector. Empty documents do not count.
    """
    lengths = view.lengths[view.alive]
    there = lengths > 0
    words, sizes = lengths[there].astype(np.float64), norms(space.rows)[there].astype(np.float64)
    order = np.argsort(words, kind="stable")
    fifths = tuple(float(sizes[some].mean()) if len(some) else 0.0 for some in np.array_split(order, FIFTHS))
    return fifths, rank_correlation(words, sizes)


def growth(sizes: Ai2016, seed: int, collection: str, view: LayerView) -> Growth:
    """Train with and without R for few and for many epochs, and look at the lengths of vectors."""
    found = {}
    for name, model in ((D, EPVDLM), (DR, EPVDRLM)):
        ways = [paragraphs(sizes, seed, model, epochs=epochs) for epochs in sizes.growth]
        found[name] = [by_length(way.train(view, threads=1), view)[0] for way in ways]
    return Growth(collection, sizes.growth, found)
