"""Rankings of shards merged into those of the whole index: one total order, by score and then by arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.models.ranking import Ranking

Ints = NDArray[np.int64]
F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Rankings:
    """The rankings of several questions by one shard, end to end: few arrays are sent sooner than many."""

    ends: Ints
    documents: NDArray[np.int32]  # in the shard
    scores: F32

    @classmethod
    def of(cls, rankings: Sequence[Ranking]) -> Rankings:
        """Return rankings end to end."""
        return cls(
            np.cumsum([len(one) for one in rankings], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int32), *(one.documents.astype(np.int32) for one in rankings)]),
            np.concatenate([np.zeros(0, np.float32), *(one.scores for one in rankings)]),
        )

    def place(self, question: int) -> slice:
        """Return where the ranking of a question stands."""
        return slice(int(self.ends[question - 1]) if question else 0, int(self.ends[question]))


def merged(found: Sequence[tuple[int, Rankings]], questions: int, k: int) -> list[Ranking]:
    """Return the k best documents for each question, from the k best of each shard.

    Shards come in the order of their documents, each with the number of its first. As equal scores are in order of
    arrival in each of them, sorting by score alone, and leaving equal ones where they are, gives the one order.
    """
    made = []
    for question in range(questions):
        places = [(first, some, some.place(question)) for first, some in found]
        documents = [some.documents[place].astype(np.int64) + first for first, some, place in places]
        scores = np.concatenate([np.zeros(0, np.float32), *(some.scores[place] for _, some, place in places)])
        order = np.argsort(-scores, kind="stable")[:k]
        made.append(Ranking(np.concatenate([np.zeros(0, np.int64), *documents])[order], scores[order]))
    return made
