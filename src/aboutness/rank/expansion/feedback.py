"""The first documents that a ranker finds for a question, and the words of documents added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.searching import Searcher

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Weigh: TypeAlias = Callable[[int, Ints, Reals], Reals]  # what each term of a document adds, from their counts


def first_documents(
    first: Searcher, questions: Sequence[Question], count: int, threads: int | None
) -> list[Ranking]:
    """Return the first documents of a ranker for each question; a document that asks is not among them."""
    rankings = first.top_many(questions, count + 1, threads=threads)
    kept = [ranking.documents != one.document for one, ranking in zip(questions, rankings, strict=True)]
    return [
        Ranking(ranking.documents[keep][:count], ranking.scores[keep][:count])
        for ranking, keep in zip(rankings, kept, strict=True)
    ]


def added_up(view: LayerView, documents: Iterable[int], weigh: Weigh) -> tuple[Ints, Reals]:
    """Return all terms of some documents by number, and the sum of what each document adds, in their order."""
    terms, values = [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
    for document in documents:
        here, counts = view.forward(document)
        weights = view.weigh(counts)
        here, weights = here[weights > 0], weights[weights > 0]
        terms.append(here)
        values.append(weigh(document, here, weights))
    found, places = np.unique(np.concatenate(terms), return_inverse=True)
    return found, np.bincount(places, np.concatenate(values), minlength=len(found)).astype(np.float64)
