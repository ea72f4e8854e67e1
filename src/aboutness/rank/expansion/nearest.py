"""Expansion by the nearest words of each word of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aboutness.core.kinds import Number
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.question import Question
from aboutness.rank.combination import register
from aboutness.rank.expansion.expansion import Expand, asked_for, strongest
from aboutness.rank.expansion.spaces import ByWordVectors, WordSpace
from aboutness.rank.searching import Searcher


@register
@dataclass(frozen=True)
class Nearest(ByWordVectors):
    """Each word of the query brings the words nearest to it, which count less.

    Paper: galke2017's slides ("related approaches"; they have no formula).

        q'(w) = q(w) + weight * sum over the query's words t that bring w:  q(t) cos(t, w) / C(t)

    `space` says which vectors are compared: in-in and out-out find words of the same kind, in-out (the query's IN
    vectors with OUT vectors) words that stand together (mitra2016, table 1).

    Symbols: q(w) is what w counts in the query. t brings `terms` words: those with the largest cosines, which are
    above 0 and at least `threshold`, among the words of documents that have a vector (words x dim) and are not in
    the query. C(t) is the sum of their cosines. So all that a word brings counts `weight` times what it counts
    itself.

    Differs from the paper: the slides name the idea only; how words are chosen and weighted is ours.

    Unknown words: words of the query without a vector stay as they are, and bring nothing.

    Cost: a product with each word of the index, for each word of the query; then a search for some more words.
    """

    name: ClassVar[str] = "nearest"
    summary: ClassVar[str] = "the query expanded by the words nearest to each of its words"
    source: ClassVar[str] = "galke2017 slides"

    weight: float = parameter(0.3, Number(0, 1000), "how much the words that a word brings count together")
    threshold: float = parameter(0.0, Number(-1, 1), "the least cosine of a word that is brought")

    def expander(self, view: LayerView, first: Searcher) -> Expand:  # noqa: ARG002 - it looks at no documents
        """Return what expands questions."""
        space = self.words_in(view)

        def expand(questions: Sequence[Question], _: int | None) -> list[Question]:
            return [self._expanded(space, question) for question in questions]

        return expand

    def _expanded(self, space: WordSpace, question: Question) -> Question:
        words = words_of(space.view, question)
        there = [number for number, _ in space.view.look_up(list(words)) if number >= 0]
        others = ~np.isin(space.terms, there)
        made = dict(words)
        for _, weight, direction in space.asked(question):
            cosines = space.cosines(direction)
            near = np.flatnonzero(others & (cosines >= self.threshold))
            found = strongest(space.view, space.terms[near], cosines[near], self.terms)
            whole = sum(found.values())
            for word, cosine in found.items():
                made[word] = made.get(word, 0.0) + self.weight * weight * (cosine / whole)
        return asked_for(made) if len(made) > len(words) else question
