"""Judgements by query, checked."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from aboutness.core.errors import BadInput, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aboutness.corpus.qrels import Judgement

Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""For each query id the judged documents with their grades: 0 or less is not relevant, more is better."""

LARGEST_GRADE = 1023
"""The time trec_eval takes grows with the square of the highest grade: with a million it is minutes a query."""

SMALLEST_GRADE = -(2**31)


def judgements_by_query(judgements: Iterable[Judgement]) -> dict[str, dict[str, int]]:
    """Group judgements by query; the same judgement may stand there twice, but not two grades for one document.

    >>> from aboutness.corpus.qrels import Judgement
    >>> judgements_by_query([Judgement("q1", "d1", 2), Judgement("q1", "d2", 0)])
    {'q1': {'d1': 2, 'd2': 0}}
    """
    grouped: dict[str, dict[str, int]] = {}
    for query, document, grade in judgements:
        before = grouped.setdefault(query, {}).setdefault(document, grade)
        if before != grade:
            raise BadInput(
                f"query {shown(query)}: document {shown(document)} is judged twice, "
                f"with grades {before} and {grade}; keep one"
            )
    return grouped


def checked(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return the judgements of the queries that have any; raise BadInput for a grade that is not allowed."""
    if not any(qrels.values()):
        raise BadInput("there are no judgements, and without them a ranking cannot be evaluated")
    return {
        query: {document: _grade(query, document, grade) for document, grade in judged.items()}
        for query, judged in qrels.items()
        if judged
    }


def _grade(query: str, document: str, grade: int) -> int:
    try:
        whole = operator.index(grade)
    except TypeError:
        whole = LARGEST_GRADE + 1
    if not SMALLEST_GRADE <= whole <= LARGEST_GRADE:
        raise BadInput(
            f"query {shown(query)}: the grade of document {shown(document)} must be a whole number "
            f"of at most {LARGEST_GRADE}, got {shown(grade)}"
        )
    return whole
