"""Approximate search by vectors: only the lists nearest to a question are read; what that misses is measured.

Recall at a depth is the share of the first documents of an exact search that are found. It is measured, on
questions of one to four words that are drawn from documents, for every number of lists at once: a document is
found if one of its lists is among those that are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.dense import DenseScorer
from aboutness.models.lists import Lists
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

DEPTHS = (10, 100, 1000)  # at which recall is measured; who wants more documents gets an exact search
QUESTIONS = 200
WORDS = 4  # of a drawn question, at most
SEED = 1


@dataclass(frozen=True, eq=False)
class Recall:
    """Recall by depth (see `DEPTHS`) and number of lists read, from 1, with its standard error."""

    values: F32
    errors: F32
    questions: int

    def probes(self, wanted: float, depth: int) -> int:
        """Return the least number of lists with a recall of so much even if it is a standard error less."""
        place = DEPTHS.index(depth)
        enough = self.values[place] - self.errors[place] >= wanted
        return int(enough.argmax()) + 1 if enough.any() else self.values.shape[1]

    def at(self, depth: int, probes: int) -> tuple[float, float]:
        """Return the recall at a depth that is measured, and its standard error."""
        place = DEPTHS.index(depth), min(probes, self.values.shape[1]) - 1
        return float(self.values[place]), float(self.errors[place])


def measured(scorer: DenseScorer, lists: Lists) -> Recall:
    """Measure the recall of lists, on questions that are drawn."""
    documents = np.flatnonzero(scorer.view.alive & scorer.rows.present)
    questions = drawn_questions(scorer, documents, QUESTIONS)
    rankings = scorer.top_many(questions, DEPTHS[-1], match="all")
    found = np.ones((len(DEPTHS), len(lists), max(1, len(questions))), np.float32)
    for number, (question, ranking) in enumerate(zip(questions, rankings, strict=True)):
        vector = scorer.vector(question)
        assert vector is not None  # as only such are drawn
        ranks = np.empty(len(lists), np.int64)
        ranks[lists.nearest(vector)] = np.arange(len(lists))
        with_rows = ranking.documents[scorer.rows.present[ranking.documents]]
        of_documents = ranks[lists.homes[with_rows]].min(axis=1, initial=len(lists))
        for place, depth in enumerate(DEPTHS):
            first = of_documents[:depth]
            found[place, :, number] = np.bincount(first, minlength=len(lists)).cumsum() / max(1, len(first))
    errors = found.std(axis=2) / max(1, len(questions)) ** 0.5
    return Recall(found.mean(axis=2), np.asarray(errors, np.float32), len(questions))


def measured_over_shards(exact: DenseScorer, approximate: DenseScorer) -> Recall:
    """Measure how much is found where each shard reads lists of its own: as many as it does, not any number.

    Documents with the score of the last that is to be found are as good as that one.
    """
    questions = drawn_questions(exact, np.flatnonzero(exact.view.alive), QUESTIONS)
    found = np.ones((len(DEPTHS), 1, max(1, len(questions))), np.float32)
    for place, depth in enumerate(DEPTHS):  # each by itself: how many lists are read depends on it
        every, some = (one.top_many(questions, depth, match="all") for one in (exact, approximate))
        for number, (wanted, there) in enumerate(zip(every, some, strict=True)):
            if len(wanted):
                found[place, 0, number] = np.count_nonzero(there.scores >= wanted.scores[-1]) / len(wanted)
    errors = found.std(axis=2) / max(1, len(questions)) ** 0.5
    return Recall(found.mean(axis=2), np.asarray(errors, np.float32), len(questions))


def drawn_questions(scorer: DenseScorer, documents: Ints, count: int) -> list[Question]:
    """Return questions of a few words of some documents, each of one; only such as have a vector."""
    view, chance = scorer.view, np.random.default_rng(SEED)
    questions: list[Question] = []
    for number in chance.permutation(len(documents))[: 4 * count].tolist():
        question = _some_words(view, int(documents[number]), chance)
        if question is not None and scorer.vector(question) is not None:
            questions.append(question)
        if len(questions) == count:
            break
    return questions


def _some_words(view: LayerView, document: int, chance: np.random.Generator) -> Question | None:
    """Return a question of one to four words of a document."""
    terms, counts = view.forward(document)
    terms = terms[view.weigh(counts) > 0]
    size = min(len(terms), int(chance.integers(1, WORDS + 1)))
    chosen = chance.permutation(len(terms))[:size]
    return Question(terms={view.term(term): 1.0 for term in terms[chosen].tolist()}) if size else None


class ApproximateScorer(DenseScorer):
    """The scores of another scorer; the best documents are looked for in the lists nearest to a question.

    `probes` are how many lists are read, by depth. Where only some documents are allowed, or match, so many more
    are read that about as many documents are looked at; where these are few, or more documents are wanted than
    recall was measured for, the search is exact.
    """

    def __init__(self, exact: DenseScorer, lists: Lists, probes: Sequence[int]) -> None:
        super().__init__(exact.view, exact.rows, exact.lowest)
        self.exact = exact
        self.longest = exact.longest
        self.unknown = exact.unknown
        self.lists = lists
        self.probes = dict(zip(DEPTHS, probes, strict=True))

    @property
    def held(self) -> int:
        """Return how many bytes the lists take."""
        return self.lists.held

    def vector(self, question: Question) -> F64 | None:
        """Return a question's vector, or None where it has no known word."""
        return self.exact.vector(question)

    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""
        return self.exact.explain(question, document)

    def _rank(self, vector: F64, mask: Mask, k: int) -> Ranking:
        """Return the k best of the documents in a mask, as far as they are in the lists that are read."""
        return self._rank_together([vector], mask, k)[0]

    def _rank_together(self, vectors: Sequence[F64], mask: Mask, k: int) -> list[Ranking]:
        """Return the same for each of some vectors."""
        if k > DEPTHS[-1] or not self._many(mask, k):
            return [self.exact.ranked(vector, mask, k) for vector in vectors]
        allowed = self._with_rows(mask)
        share = np.count_nonzero(allowed) / self.lists.documents if len(allowed) else 1.0
        usual = next(probes for depth, probes in self.probes.items() if k <= depth)
        probes = int(min(len(self.lists), np.ceil(usual / max(share, 1e-9))))
        found = (self.lists.candidates(vector, k, probes, allowed) for vector in vectors)
        return [
            self.exact.ranked(vector, mask, k) if some is None else self._best(vector, some, mask, k)
            for vector, some in zip(vectors, found, strict=True)
        ]


def told(recall: Recall, probes: Sequence[int], lists: int) -> str:
    """Return in words how much is found."""
    read = " and ".join(f"{some:,}" for some in dict.fromkeys(probes))
    return f"{_values(recall, probes)}; {read} of {lists:,} lists are read)"


def told_over_shards(recall: Recall, shards: int) -> str:
    """Return in words how much is found where shards read lists of their own."""
    return f"{_values(recall, [1] * len(DEPTHS))}; {shards} shards read lists of their own)"


def _values(recall: Recall, probes: Sequence[int]) -> str:
    values = ", ".join(
        f"recall@{depth} {' ± '.join(map(_share, recall.at(depth, some)))}"
        for depth, some in zip(DEPTHS, probes, strict=True)
    )
    return f"{values} (measured on {recall.questions} sampled questions"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else f"{value:.0f}"


def kept_recall(parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Recall:
    """Return a recall that was kept with lists."""
    values, errors = arrays["recall"]
    return Recall(np.asarray(values), np.asarray(errors), int(parameters["questions"]))
