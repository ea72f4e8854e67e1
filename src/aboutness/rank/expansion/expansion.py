"""Rankers that are asked more than the question: what all ways to expand questions have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.deadline import still_wanted
from aboutness.core.errors import UsageError
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.models.bags import matching, words_of
from aboutness.models.model import Allowed, Match, Model, allowed_mask, check_match
from aboutness.models.question import MOST_WEIGHT, Question
from aboutness.models.ranking import Explanation, Part, Ranking
from aboutness.rank.combination import Combination
from aboutness.rank.inside import models_in
from aboutness.rank.searching import (
    Asked,
    Batch,
    Candidates,
    Composed,
    Explainer,
    Find,
    Searcher,
    explainer,
    finder_of,
)

Words: TypeAlias = Mapping[str, float]  # terms with weights
EXPANDED = "expanded"
Expand: TypeAlias = Callable[[Sequence[Question], "int | None"], Sequence[Question]]  # by so many threads


@dataclass(frozen=True)
class Expansion(Combination):
    """A ranker that is asked an expanded question: the last of its rankers.

    Words are added in the terms of the layer that the ranker reads; where its models read several layers, there is
    no such question. What is added depends on the question and on the index alone, not on filters, nor on how
    documents match.

    Under match "or" documents that have an added word match, too; under "and" those match that have all words of
    the question as it was asked.

    Unknown words: a question of which nothing is known is passed on as it is.

    Empty documents: as in the ranker.
    """

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return self.rankers[-1].limited

    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> BoundExpansion:
        """Return it bound to an index, to which its rankers are bound already."""
        view = self._view(snapshot)
        return BoundExpansion(self.name, searchers[-1], view, self.expander(view, searchers[0]))

    def expander(self, view: LayerView, first: Searcher) -> Expand:
        """Return what expands questions to a ranker that reads a view; `first` is the first ranker."""
        raise NotImplementedError

    def _view(self, snapshot: Snapshot) -> LayerView:
        """Return what the ranker reads: its fields, or where its models read several, those of the index."""
        *before, ranker = self.rankers
        read = {model.view(snapshot): model for model in models_in(ranker)}
        layers: dict[str, Model] = {}
        for view, model in read.items():
            layers.setdefault(view.layer, model)
        if len(layers) > 1:
            apart = " + ".join(str(self.made_of([*before, model])) for model in layers.values())
            raise UsageError(
                f"{self.name} adds words of one layer, and '{ranker}' reads {', '.join(layers)}; expand the "
                f"question for each of them, such as '{apart}'"
            )
        return next(iter(read)) if len(read) == 1 else snapshot.view(next(iter(layers)))


class BoundExpansion(Composed):
    """A ranker bound to an index, and what expands the questions to it."""

    def __init__(self, name: str, inner: Searcher, view: LayerView, expand: Expand) -> None:
        self.name = name
        self.inner = inner
        self.view = view
        self._expand = expand

    def expanded(self, questions: Sequence[Question], threads: int | None = 1) -> list[Question]:
        """Return questions expanded, in their order; each is expanded once."""
        new = [question for question in questions if EXPANDED not in question.memo(self)]
        if new:
            still_wanted()  # of expansions within one another, each doubles what there is to do
            for question, made in zip(new, self._expand(new, threads), strict=True):
                question.memo(self)[EXPANDED] = None if made is question else made
        return [question.memo(self)[EXPANDED] or question for question in questions]

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here, when expanded."""
        return self.inner.knows(*self.expanded([question]))

    def floor(self, question: Question) -> float:
        """Return a score that no document is below."""
        return self.inner.floor(*self.expanded([question]))

    def scores(self, question: Question, documents: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the score of each of some documents by number, which ascend."""
        return self.inner.scores(self.expanded([question])[0], documents)

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question, among those that match and are allowed."""
        check_match(match)
        made = self.expanded(questions, threads)
        if match != "and":
            rankings = self.inner.top_many(made, k, match=match, allowed=allowed, threads=threads)
        else:
            rankings = []
            for question, asked in zip(questions, made, strict=True):
                how, among = self._among(question, asked, match, allowed)
                rankings += self.inner.top_many([asked], k, match=how, allowed=among, threads=threads)
        return [
            replace(found, explain=self._marking(question, asked, found.explain)) if found.explain else found
            for question, asked, found in zip(questions, made, rankings, strict=True)
        ]

    def finder(self, batch: Batch) -> Find:
        """Return what finds documents for one question of a batch."""
        made = self.expanded(batch.questions, batch.threads)
        if batch.match != "and":
            expanded = replace(batch, questions=made)
            find = finder_of(self.inner, expanded, self.view.size)
            return lambda asked: self._marked(asked, expanded.asked(asked.place), find)

        def find_one(asked: Asked) -> Candidates:
            one = made[asked.place]
            alone = Batch([one], *self._among(asked.question, one, asked.match, asked.allowed))
            return self._marked(asked, alone.asked(0), finder_of(self.inner, alone, self.view.size))

        return find_one

    def _marked(self, asked: Asked, expanded: Asked, find: Find) -> Candidates:
        found = find(expanded)
        return replace(found, explain=self._marking(asked.question, expanded.question, found.explain))

    def _marking(self, question: Question, expanded: Question, explain: Explainer) -> Explainer:
        """Return what explains scores of an expanded question, with added words named as such."""

        def explained(document: int) -> Explanation:
            why = explain(document)
            if expanded is question:
                return why
            own = words_of(self.view, question)
            parts = tuple(_as_added(part) if part.name not in own else part for part in why.parts)
            return replace(why, parts=parts, formula=f"{why.formula}; the query is expanded by {self.name}")

        return explained

    def explainer(self, question: Question, match: Match = "or", allowed: Allowed = None) -> Explainer:
        """Return what explains scores of the expanded question, with added words named as such."""
        (asked,) = self.expanded([question])
        among = self._among(question, asked, match, allowed)
        return self._marking(question, asked, explainer(self.inner, asked, *among))

    def _among(self, question: Question, asked: Question, match: Match, allowed: Allowed) -> tuple[Match, Allowed]:
        """Return how an expanded question matches, and among which documents: all words are those of the first."""
        if match != "and" or asked is question:
            return match, allowed
        found = matching(self.view, question, match) & allowed_mask(self.view, allowed)
        return "all", np.flatnonzero(found)


def _as_added(part: Part) -> Part:
    """Return the part of a word that was added with a name that says so; parts of other things as they are."""
    return replace(part, name=f"{part.name} (added)") if "in_query" in part.details else part


def interpolated(own: Words, model: Words, weight: float, known: Collection[str]) -> Question:
    """Return the question (1 - weight) own + weight model, where the model has the sum of its own known words.

    The question's words come first, in their order.
    """
    total = math.fsum(own[word] for word in known) / math.fsum(model.values())
    words = {word: (1 - weight) * value for word, value in own.items()}
    for word, value in model.items():
        words[word] = words.get(word, 0.0) + weight * total * value
    return asked_for(words)


def known_in(view: LayerView, words: Iterable[str]) -> list[str]:
    """Return the words that any document has."""
    names = list(words)
    return [word for word, (_, df) in zip(names, view.look_up(names), strict=True) if df]


def asked_for(words: Words) -> Question:
    """Return the question for words with weights, of which none is beyond what a weight may be."""
    return Question(terms={word: min(weight, MOST_WEIGHT) for word, weight in words.items()})


def strongest(view: LayerView, terms: NDArray[np.int64], weights: NDArray[np.float64], count: int) -> Words:
    """Return the terms, by number, with the largest weights above 0; of equal ones the first by the alphabet."""
    if 0 < count < len(terms):
        least = np.partition(weights, len(terms) - count)[len(terms) - count]
        terms, weights = terms[weights >= least], weights[weights >= least]
    named = [(-weight, view.term(term)) for term, weight in zip(terms.tolist(), weights.tolist(), strict=True)]
    return {word: -weight for weight, word in sorted(named)[:count] if weight < 0}
