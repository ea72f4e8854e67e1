"""Approximate search as a ranker: `approximate[recall=.95](iwcs)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.models.approximate import (
    DEPTHS,
    ApproximateScorer,
    Recall,
    kept_recall,
    measured,
    measured_over_shards,
    told,
    told_over_shards,
)
from aboutness.models.dense import DenseScorer
from aboutness.models.lists import LEAST, Kept, lists_for
from aboutness.rank.combination import Combination, register
from aboutness.rank.searching import Searcher


@register
@dataclass(frozen=True)
class Approximate(Combination):
    """A ranker that compares vectors, such as `iwcs` or `lsa`, but looks only into the nearest lists of documents.

    Paper: Jégou et al. (2011): an inverted file. Documents are put into lists of like vectors, each into two
    (spherical k-means, about as many lists as a list has documents), and a question reads the lists whose centres
    are nearest. Within these the search is exact, and so is every score: only documents of other lists can be
    missing.

        score(q, d) = that of the ranker, for the documents of the lists whose centres c have the largest q . c

    Symbols: `recall` is the share of the first documents that must be found. It is measured for the index, at 10,
    100 and 1,000 documents, on 200 questions of a few words that are drawn from it, and a note with every answer
    says what was measured, with its standard error; as many lists are read as that asks for. `probes` is how many
    lists are read, whatever is found. c are the centres (lists x dim).

    Differs from the paper: documents are in two lists, and rows are not compressed by product quantisation but
    kept as they are, with whole numbers of 8 bits for bounds. Where few documents are allowed or match, where more
    than 1,000 are wanted, or where the index has fewer than 10,000 documents with a vector, the search is exact.
    In a mixture every document that is found by any part has its exact score.

    Unknown words: as in the ranker: a question without a known word finds nothing.

    Empty documents: a document without a vector is in no list.

    Cost: lists take seconds for a hundred thousand documents, when the ranker is first used or when `prepare`
    keeps them in the index; two bytes for each number of a document's vector.

    >>> from aboutness import IWCS, Approximate
    >>> print(Approximate.of(IWCS(), recall=0.9) % 100)
    approximate[recall=0.9](iwcs) % 100
    """

    name: ClassVar[str] = "approximate"
    summary: ClassVar[str] = "a ranker on vectors that reads only the nearest lists, with a recall that is told"
    source: ClassVar[str] = "Jégou et al. 2011"

    recall: float = parameter(0.95, Number(0.1, 1), "the share of the first documents that must be found")
    probes: int = parameter(0, Whole(0, 10**6), "how many lists are read; 0: as many as the recall asks for")

    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> Searcher:
        """Return it bound to an index, to which its ranker is bound already."""
        exact = self._exact(searchers)
        said = {} if exact.view.lent else self._said(snapshot)
        if exact.together > 1:
            said["note"] = f"{self} is exact here: shards have no lists"
            return exact
        found = lists_for(exact.view, exact.rows)
        if found is None:
            said["note"] = f"{self} is exact here: it takes {LEAST:,} documents with a vector to make lists"
            return exact
        recall = exact.view.once((Recall, self.rankers), lambda: self._recall(exact, found))
        probes = [self.probes or recall.probes(self.recall, depth) for depth in DEPTHS]
        said["note"] = f"{self} is approximate: {told(recall, probes, len(found.lists))}"
        return ApproximateScorer(exact, found.lists, probes)

    def _exact(self, searchers: Sequence[Searcher]) -> DenseScorer:
        (exact,) = searchers
        if not isinstance(exact, DenseScorer) or isinstance(exact, ApproximateScorer):
            raise UsageError(
                f"the ranker of {self.name} must be one that compares vectors, as iwcs or lsa, got "
                f"'{self.rankers[0]}'"
            )
        return exact

    def _recall(self, exact: DenseScorer, found: Kept) -> Recall:
        """Return what was measured when the lists were kept for this ranker; else measure it."""
        entry = found.entry
        if entry is not None and str(self.rankers[0]) in (entry.parameters["ranker"], entry.parameters["asked"]):
            return kept_recall(entry.parameters, exact.view.trained.artefact(entry.name))
        return measured(exact, found.lists)

    def note(self, snapshot: Snapshot) -> str:
        """Return how much is found, as far as that is known: it is measured when the ranker is first used."""
        return self._said(snapshot).get("note", f"{self} is approximate: recall is measured when it is first used")

    def over_shards(self, exact: DenseScorer, found: DenseScorer, snapshot: Snapshot, shards: int) -> None:
        """Let notes say how much is found where shards of an index look into lists of their own."""
        recall = snapshot.trained.once(
            (Recall, "over shards", str(self), shards), lambda: measured_over_shards(exact, found)
        )
        self._said(snapshot)["note"] = f"{self} is approximate: {told_over_shards(recall, shards)}"

    def _said(self, snapshot: Snapshot) -> dict[str, str]:
        """Return where what is to be said of it in an index is kept."""
        return snapshot.trained.once((Approximate, str(self)), dict[str, str])

    def kept(self, exact: Searcher, named: Ranker) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """Return how lists are made, and these with what was measured as arrays to be kept; None where none are.

        `named` is its ranker with its vectors named, so that others that come later make no difference.
        """
        scorer = self._exact([exact])
        found = lists_for(scorer.view, scorer.rows)
        if found is None:
            return None
        recall = self._recall(scorer, found)
        made = {
            "ranker": str(named),
            "asked": str(self.rankers[0]),
            "questions": recall.questions,
            "lists": len(found.lists),
            "documents": found.lists.documents,
        }
        arrays = found.lists.arrays(scorer.rows, scorer.view.arrivals)
        return made, {**arrays, "recall": np.stack([recall.values, recall.errors])}
