"""Questions as bags of words: each term once, with its weight, the rarest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aboutness.index.view import LayerView
from aboutness.models.question import Question

FEW = 8  # texts that are analysed one by one

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Bags:
    """The terms of several questions, end to end: question q has those from ends[q - 1] to ends[q] - 1.

    Only terms that some living document has, in order of df and then of first appearance: the same order however
    the index came about. `whole` tells of which questions no term was left out.
    """

    terms: Ints
    weights: Reals
    ends: Ints
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def questions(self) -> Ints:
        """Return for each term the number of its question."""
        return rows_of(self.ends)


def rows_of(ends: Ints) -> Ints:
    """Return for each item the number of its row, where row r ends at ends[r]."""
    sizes = ends.copy()
    sizes[1:] -= ends[:-1]
    return np.repeat(np.arange(len(ends)), sizes)


def bags_of(view: LayerView, questions: Sequence[Question]) -> Bags:
    """Return the bags of questions, analysed as the view's layer is."""
    terms, weights, ends = tokens_of(view, questions)
    count = len(questions)
    df = view.statistics.df
    known = terms >= 0
    known[known] = df[terms[known]] > 0
    question = rows_of(ends)
    whole = np.ones(count, np.bool_)
    if not known.all() or not weights.all():
        whole[question[~known & (weights > 0)]] = False
        known &= weights > 0
        terms, weights, question = terms[known], weights[known], question[known]
    pairs, first, which = np.unique(question * max(len(df), 1) + terms, return_index=True, return_inverse=True)
    if len(pairs) < len(terms):
        weights = np.bincount(which, weights, minlength=len(pairs)).astype(np.float64)
    else:
        weights = weights[first]
    terms, question = terms[first], question[first]
    order = np.lexsort((first, df[terms], question))
    bag_ends = np.bincount(question, minlength=count).cumsum()
    return Bags(terms[order], weights[order], bag_ends, whole)


def tokens_of(view: LayerView, questions: Sequence[Question]) -> tuple[Ints, Reals, Ints]:
    """Return the tokens of all questions as term numbers (-1 where unknown), their weights, and the ends."""
    if len(questions) > FEW and all(_is_text(question) for question in questions):
        return _texts(view, questions)
    names: list[str] = []
    places: list[int] = []
    numbers: list[Ints] = []
    weights: list[Reals] = []
    for question in questions:
        if question.document is not None:
            terms, counts = view.forward(question.document)
            numbers.append(terms)
            weights.append(view.weigh(counts))
            continue
        pairs = _pairs(view, question)
        places.append(len(numbers))
        names += [name for name, _ in pairs]
        numbers.append(np.zeros(len(pairs), np.int64))
        weights.append(np.array([weight for _, weight in pairs], np.float64))
    found = view.term_numbers(names)
    at = 0
    for place in places:
        size = len(numbers[place])
        numbers[place] = found[at : at + size]
        at += size
    ends = np.array([len(part) for part in numbers], np.int64).cumsum()
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *numbers]), np.concatenate([none.astype(np.float64), *weights]), ends


def _is_text(question: Question) -> bool:
    return question.document is None and question.terms is None and question.fields is None


def _pairs(view: LayerView, question: Question) -> list[tuple[str, float]]:
    """Return the terms of a question with their weights, in their order."""
    if question.terms is not None:
        return [(term, float(weight)) for term, weight in question.terms.items()]
    if question.fields is not None:
        weights = dict(zip(view.field_names, view.weights.tolist(), strict=True))
        return [
            (term, weights[name])
            for name in view.field_names
            if weights[name]
            for term in view.analyzer.terms(question.fields.get(name, ""))
        ]
    return [(term, 1.0) for term in view.analyzer.terms(question.text)]


def _texts(view: LayerView, questions: Sequence[Question]) -> tuple[Ints, Reals, Ints]:
    from aboutness.text.batch import BatchAnalyzer

    batch = BatchAnalyzer(view.analyzer)
    tokens, ends = batch.analyze([question.text for question in questions])
    numbers = view.term_numbers(batch.vocabulary.strings())
    return numbers[tokens] if len(tokens) else np.zeros(0, np.int64), np.ones(len(tokens)), ends


def matching(view: LayerView, question: Question, match: str) -> NDArray[np.bool_]:
    """Return for each document number whether it has any ("or") or all ("and") terms of a question, or True."""
    if match == "all":
        return np.ones(view.size, np.bool_)
    bags = bags_of(view, [question])
    mask = np.zeros(view.size, np.bool_)
    if match == "and" and (not bags.whole[0] or not len(bags.terms)):
        return mask
    hits = np.zeros(view.size, np.int64)
    for term in bags.terms:
        hits[view.postings(int(term))[0]] += 1
    return hits == len(bags.terms) if match == "and" else hits > 0
