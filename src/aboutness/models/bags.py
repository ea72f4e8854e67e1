"""Questions as bags of words: each term once, with its weight, the rarest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    if len(questions) == 1:
        return questions[0].derived(view, "bag", lambda: _bags([_bag(view, questions[0])]))
    if len(questions) > FEW and all(_is_text(question) for question in questions):
        return _bags_of_texts(view, [question.text for question in questions])
    return _bags([_bag(view, question) for question in questions])


def _bags(found: Sequence[tuple[Ints, Reals, bool]]) -> Bags:
    if len(found) == 1:
        terms, weights, whole = found[0]
        return Bags(terms, weights, np.array([len(terms)], np.int64), np.array([whole]))
    return Bags(
        np.concatenate([np.zeros(0, np.int64), *(terms for terms, _, _ in found)]),
        np.concatenate([np.zeros(0, np.float64), *(weights for _, weights, _ in found)]),
        np.array([len(terms) for terms, _, _ in found], np.int64).cumsum(),
        np.array([whole for _, _, whole in found], np.bool_),
    )


def _is_text(question: Question) -> bool:
    return question.document is None and question.terms is None and question.fields is None


def _bag(view: LayerView, question: Question) -> tuple[Ints, Reals, bool]:
    """Return the terms of one question, their weights, and whether all are known."""
    if question.document is not None:
        terms, counts = view.forward(question.document)
        weights = view.weigh(counts)
        df = view.statistics.df[terms]
        order = np.argsort(df, kind="stable")
        order = order[(weights[order] > 0) & (df[order] > 0)]
        return terms[order], weights[order], True
    sums = words_of(view, question)
    names = list(sums)
    known = [
        (df, place, number) for place, (number, df) in enumerate(view.look_up(names)) if df
    ]  # the rarest first, then as they appear
    known.sort()
    return (
        np.array([number for _, _, number in known], np.int64),
        np.array([sums[names[place]] for _, place, _ in known], np.float64),
        len(known) == len(names),
    )


def words_of(view: LayerView, question: Question) -> Mapping[str, float]:
    """Return the terms of a question, also those that no document has, in their order, with weights above 0."""
    return question.derived(view, "words", lambda: _summed(_pairs(view, question)))


def _summed(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for term, weight in pairs:
        if weight:
            sums[term] = sums.get(term, 0.0) + weight
    return sums


def _pairs(view: LayerView, question: Question) -> Iterable[tuple[str, float]]:
    """Return the terms of a question with their weights, in their order."""
    if question.document is not None:
        terms, counts = view.forward(question.document)
        names = [view.term(term) for term in terms.tolist()]
        return zip(names, view.weigh(counts).tolist(), strict=True)
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
    of_text = question.derived(view.analyzer, "terms", lambda: view.analyzer.terms(question.text))
    return [(term, 1.0) for term in of_text]


def _bags_of_texts(view: LayerView, texts: list[str]) -> Bags:
    """Return the same for many texts, by compiled code."""
    from aboutness.text.batch import BatchAnalyzer

    batch = BatchAnalyzer(view.analyzer)
    tokens, ends = batch.analyze(texts)
    df = view.statistics.df
    numbers = view.term_numbers(batch.vocabulary.strings())
    numbers[numbers >= 0] = np.where(df[numbers[numbers >= 0]] > 0, numbers[numbers >= 0], -1)
    terms = numbers[tokens] if len(tokens) else np.zeros(0, np.int64)
    question = rows_of(ends)
    whole = np.ones(len(texts), np.bool_)
    whole[question[terms < 0]] = False
    terms, question = terms[terms >= 0], question[terms >= 0]
    _, first, counts = np.unique(question * max(len(df), 1) + terms, return_index=True, return_counts=True)
    terms, question = terms[first], question[first]
    order = np.lexsort((first, df[terms], question))
    bag_ends = np.bincount(question, minlength=len(texts)).cumsum()
    return Bags(terms[order], counts[order].astype(np.float64), bag_ends, whole)


def matching(view: LayerView, question: Question, match: str) -> NDArray[np.bool_]:
    """Return for each document number whether it has any ("or") or all ("and") terms of a question, or True."""
    if match == "all":
        return np.ones(view.size, np.bool_)
    bags = bags_of(view, [question])
    hits = np.zeros(view.size, np.int32)
    for lists in view.lists:
        here = hits[lists.first : lists.first + lists.size]
        for place in lists.find(bags.terms):
            if place >= 0:
                here[lists.documents[lists.starts[place] : lists.ends[place]]] += 1
    if match == "or":
        return view.alive & (hits > 0)
    return view.alive & (hits == len(bags.terms)) if bags.whole[0] and len(bags.terms) else hits < 0
