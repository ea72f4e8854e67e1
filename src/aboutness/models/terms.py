"""Models whose score is a sum over the query's terms: one scorer for all of them.

score(q, d) = sum over terms t of q:  weight(q, t) * impact(t, d)  +  constant(q, t)  +  scale(q, t) * prior(d)

Impacts are at least 0, and 0 where d has not t. A model says what the four are (a `Weighting`); everything
else (search, batches, threads, explanation) is here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aboutness.core.threads import checked_threads
from aboutness.index.view import LayerView
from aboutness.models.bags import Bags, bags_of, rows_of
from aboutness.models.impacts import LEVELS, ImpactLists
from aboutness.models.model import (
    Allowed,
    Match,
    Scorer,
    allowed_mask,
    check_match,
    check_numbers,
    checked_k,
    listed,
)
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Part, Ranking, best

ROOM = 4  # times as many keys as are wanted are kept while searching
MOST_KEYS = 1 << 21  # hits kept at once while searching: bounds the memory of a batch
FEW_HITS = 1000  # so few hits need no bound
FEWEST = 16  # questions that are worth a thread's while
UNUSED = np.iinfo(np.uint64).max

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class QueryWeights:
    """What each term of bags brings to the sum, whatever the document."""

    weights: Reals
    constants: Reals | None = None
    scales: Reals | None = None


class Weighting(Protocol):
    """The four parts of a model's sum, bound to a view."""

    formula: str
    priors: Reals | None  # by document number; None where there are none

    def impacts(self, terms: Ints, documents: Ints, counts: Reals) -> Reals:
        """Return the impact of postings: term numbers, document numbers and weighted counts."""
        ...

    def query(self, bags: Bags) -> QueryWeights:
        """Return what each term of some questions brings."""
        ...

    def details(self, term: int, document: int, count: float) -> dict[str, float]:
        """Return the numbers that a term's part of a score comes from, for people to read."""
        ...


@dataclass(frozen=True)
class Prepared:
    """Some questions, ready for the kernels: their bags, and what each question adds to all documents."""

    ends: Ints
    terms: Ints
    weights: Reals
    constants: Reals
    scales: Reals

    def some(self, first: int, last: int) -> Prepared:
        """Return the questions from `first` to `last` - 1."""
        begin = int(self.ends[first - 1]) if first else 0
        end = int(self.ends[last - 1]) if last else 0
        return Prepared(
            self.ends[first:last] - begin, self.terms[begin:end], self.weights[begin:end],
            self.constants[first:last], self.scales[first:last],
        )  # fmt: skip


class TermScorer(Scorer):
    """Ranks documents by a sum over terms. See `aboutness.kernels.search` for the order of the sum."""

    def __init__(self, view: LayerView, weighting: Weighting) -> None:
        super().__init__(view)
        self.weighting = weighting
        priors = weighting.priors
        self.parts = [ImpactLists(lists, weighting.impacts, priors) for lists in view.lists]
        self._best_prior = float(priors.max()) if priors is not None and len(priors) else 0.0
        self.extremes = (-float(priors.min()) if priors is not None and len(priors) else 0.0,)

    @property
    def held(self) -> int:
        """Return how many bytes the impacts take that have been asked for."""
        return sum(part.held for part in self.parts)

    def scores(self, question: Question, documents: Ints) -> NDArray[np.float32]:
        """Return the score of each of some documents by number, which ascend."""
        check_numbers(self.view, documents)
        return self._scores(bags_of(self.view, [question]), documents)

    def _scores(self, bag: Bags, documents: Ints) -> NDArray[np.float32]:
        from aboutness.kernels.search import score_documents

        asked = self._prepare(bag)
        scores = np.empty(len(documents), np.float32)
        for part in self.parts:
            lists = part.lists
            here = slice(*np.searchsorted(documents, [lists.first, lists.first + lists.size]))
            which = part.find(asked.terms)
            score_documents(
                part.starts[which], part.ends[which], asked.weights, float(asked.constants[0]),
                float(asked.scales[0]), lists.documents, part.impacts, part.priors, documents[here] - lists.first,
                scores[here],
            )  # fmt: skip
        return scores

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the ranking of each question, searched for by several threads (as many as there are cores)."""
        k = checked_k(k)
        check_match(match)
        if (living := listed(self.view, match, allowed)) is not None:
            return [self._rank(bags_of(self.view, [question]), k, living) for question in questions]
        return self.top_bags(bags_of(self.view, questions), k, match=match, allowed=allowed, threads=threads)

    def _rank(self, bag: Bags, k: int, living: Ints) -> Ranking:
        """Return the ranking of some living documents, which are few, mostly."""
        documents = living if len(bag.terms) else living[:0]
        return best(documents, self._scores(bag, documents), k)

    def top_bags(
        self,
        bags: Bags,
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the ranking of each bag of words."""
        asked = self._prepare(bags)
        if k > FEW_HITS:
            k = min(k, self._most_found(asked, match))
        search = self._search(match, self._masks(allowed))
        known = np.diff(bags.ends, prepend=0) > 0 if len(bags) > 1 else bags.ends > 0
        wanted = known & bags.whole if match == "and" else known
        threads = checked_threads(threads)
        if len(bags) == 1:
            return _ranked(*search(asked, k), wanted)
        share = len(bags) if threads == 1 else max(FEWEST, -(-len(bags) // (4 * threads)))
        step = max(1, min(MOST_KEYS // max(k, 1), share))
        pieces = [slice(first, min(first + step, len(bags))) for first in range(0, len(bags), step)]

        def work(piece: slice) -> list[Ranking]:
            return _ranked(*search(asked.some(piece.start, piece.stop), k), wanted[piece])

        if threads == 1 or len(pieces) <= 1:
            return [ranking for piece in pieces for ranking in work(piece)]
        with ThreadPoolExecutor(min(threads, len(pieces))) as pool:
            return [ranking for found in pool.map(work, pieces) for ranking in found]

    def floor(self, question: Question) -> float:
        """Return the score of a document with no term of the question and the lowest prior."""
        asked = self._prepare(bags_of(self.view, [question]))
        (below,) = self.extremes
        return float(np.float32(asked.constants[0] - asked.scales[0] * below))

    def explain(self, question: Question, document: int) -> Explanation:
        """Return the part of each term of the question."""
        check_numbers(self.view, np.array([document], np.int64))
        bags = bags_of(self.view, [question])
        brought = self.weighting.query(bags)
        score = float(self.scores(question, np.array([document], np.int64))[0])
        part = next(
            part for part in self.parts if part.lists.first <= document < part.lists.first + part.lists.size
        )
        here = document - part.lists.first
        prior = 0.0 if self.weighting.priors is None else float(self.weighting.priors[document])
        parts = []
        for i, which in enumerate(part.lists.find(bags.terms)):
            impact, count = part.impact(int(which), here)
            value = brought.weights[i] * impact
            value += brought.constants[i] if brought.constants is not None else 0.0
            value += brought.scales[i] * prior if brought.scales is not None else 0.0
            details = {"in_query": float(bags.weights[i]), "in_document": count}
            details |= self.weighting.details(int(bags.terms[i]), document, count)
            term = self.view.term(int(bags.terms[i]))
            parts.append(Part(term, float(value), details, term if count else None))
        return Explanation(score, tuple(parts), self.weighting.formula)

    def _prepare(self, bags: Bags) -> Prepared:
        brought = self.weighting.query(bags)
        constants, scales = _sums(bags, brought.constants), _sums(bags, brought.scales)
        return Prepared(bags.ends, bags.terms, brought.weights, constants, scales)

    def _sure(self, asked: Prepared, part: ImpactLists, which: Ints, level: int) -> Reals:
        """Return what so many documents with a term come to at least, but for the constant; -inf where not."""
        reached = part.reached[which, level]
        sure = asked.weights * reached
        if len(part.priors):
            sure += asked.scales[rows_of(asked.ends)] * part.lowest[which, level]
        sure[reached < 0] = -np.inf
        return np.asarray(sure)

    def _most_found(self, asked: Prepared, match: Match) -> int:
        """Return how many documents a question can find at most."""
        if match == "all" or not len(asked.terms):
            return self.view.documents if match == "all" else 0
        found = np.bincount(rows_of(asked.ends), self.view.df[asked.terms])
        return min(self.view.documents, int(found.max()))

    def _masks(self, allowed: Allowed) -> list[NDArray[np.bool_]]:
        """Return for each segment which documents may be found; an empty mask where all may."""
        if allowed is None:
            return [part.living for part in self.parts]
        mask = allowed_mask(self.view, allowed)
        return [mask[part.lists.first :][: part.lists.size] for part in self.parts]

    def _search(
        self, match: Match, masks: list[NDArray[np.bool_]]
    ) -> Callable[[Prepared, int], tuple[NDArray[np.uint64], Ints]]:
        """Return what searches all segments, one after the other, for some questions."""
        from aboutness.kernels import search

        def run(asked: Prepared, k: int) -> tuple[NDArray[np.uint64], Ints]:
            keys = np.full((len(asked.ends), ROOM * k), UNUSED, np.uint64)
            sizes = np.zeros(len(asked.ends), np.int64)
            if k == 0:
                return keys, sizes
            thresholds = np.full(len(asked.ends), -np.inf, np.float32)
            level = int(np.searchsorted(LEVELS, k))
            for part, mask in zip(self.parts, masks, strict=True):
                which = part.find(asked.terms)
                starts, ends = part.starts[which], part.ends[which]
                documents, impacts, first = part.lists.documents, part.impacts, part.lists.first
                if match == "or":
                    sure = np.zeros(0)
                    if level < len(LEVELS) and not len(mask):
                        sure = self._sure(asked, part, which, level)
                    search.search_any(
                        asked.ends, starts, ends, asked.weights, asked.weights * part.most[which], sure,
                        asked.constants, asked.scales, documents, impacts, part.block_most, part.priors,
                        self._best_prior, mask, part.lists.size, first, thresholds, k, keys, sizes,
                    )  # fmt: skip
                elif match == "and":
                    search.search_all(
                        asked.ends, starts, ends, asked.weights, asked.constants, asked.scales, documents, impacts,
                        part.priors, mask, first, k, keys, sizes,
                    )  # fmt: skip
                else:
                    search.search_every(
                        asked.ends, starts, ends, asked.weights, asked.constants, asked.scales, documents, impacts,
                        part.priors, mask, part.lists.size, first, k, keys, sizes,
                    )  # fmt: skip
            return keys[:, :k], sizes

        return run


def _sums(bags: Bags, values: Reals | None) -> Reals:
    """Return the sum of each bag's values, one after the other."""
    if values is None:
        return np.zeros(len(bags), np.float64)
    return np.bincount(bags.questions, values, minlength=len(bags)).astype(np.float64)


def _ranked(keys: NDArray[np.uint64], sizes: Ints, wanted: NDArray[np.bool_]) -> list[Ranking]:
    """Return the rankings that rows of keys stand for; empty ones where they are not wanted."""
    from aboutness.kernels.keys import split

    sizes[~wanted] = 0
    if len(sizes) == 1:
        keys = keys[:, : sizes[0]]
    keys.sort(axis=1)
    documents, scores = np.empty(keys.shape, np.int64), np.empty(keys.shape, np.float32)
    split(keys, documents, scores)
    found = [(d[:size], s[:size]) for d, s, size in zip(documents, scores, sizes.tolist(), strict=True)]
    if 2 * int(sizes.sum()) < documents.size:  # else short rankings would hold the memory of long ones
        return [Ranking(d.copy(), s.copy()) for d, s in found]
    return [Ranking(d, s) for d, s in found]
