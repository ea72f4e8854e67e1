"""How often terms stand in some documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView

Ints = NDArray[np.int64]


def counts_in(view: LayerView, terms: Ints, documents: Ints) -> NDArray[np.float64]:
    """Return the weighted count of each term (row) in each of some documents (column), which ascend."""
    counts = np.zeros((len(terms), len(documents)))
    for lists in view.lists:
        first, last = np.searchsorted(documents, [lists.first, lists.first + lists.size]).tolist()
        here = documents[first:last] - lists.first
        for t, which in enumerate(lists.find(terms).tolist() if len(here) else ()):
            if which < 0:
                continue
            start, end = int(lists.starts[which]), int(lists.ends[which])
            having = lists.documents[start:end]
            places = np.searchsorted(having, here)
            places[places == len(having)] = 0
            there = having[places] == here
            counts[t, first:last][there] = lists.counts(start + places[there])
    return counts
