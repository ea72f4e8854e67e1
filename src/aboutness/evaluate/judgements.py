"""Judgements by query, checked."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aboutness.corpus.qrels import Judgement

Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""For each query id the judged documents with their grades: 0 or less is not relevant, more is better."""

LARGEST_GRADE = 1023
"""The time trec_eval takes grows with the square of the highest grade: with a million it is minutes a query."""

SMALLEST_GRADE = -(2**31)

NONE = "there are no judgements, and without them a ranking cannot be evaluated"


def judgements_by_query(judgements: Iterable[Judgement]) -> dict[str, dict[str, int]]:
    """Group judgements by query; the same judgement may stand there twice, but not two grades for one document.

    >>> from aboutness.corpus.qrels import Judgement
    >>> judgements_by_query([Judgement("q1", "d1", 2), Judgement("q1", "d2", 0)])
    {'q1': {'d1': 2, 'd2': 0}}
    """
    grouped: dict[str, dict[str, int]] = {}
    for judgement in judgements:
        _add(judgement, grouped)
    return grouped


def read_judgements(source: str | Path) -> dict[str, dict[str, int]]:
    """Read the judgements of a file, or of a collection's folder, by query; they are as `evaluate` wants them.

    Raises BadRecord, which says the line, for what cannot be used.

    >>> _ = Path("qrels.txt").write_text("q1 0 d1 2\\nq1 0 d2 0\\n")
    >>> read_judgements("qrels.txt")
    {'q1': {'d1': 2, 'd2': 0}}
    """
    from aboutness.corpus.beir import qrels_file
    from aboutness.corpus.qrels import read_numbered

    file = qrels_file(source)
    grouped: dict[str, dict[str, int]] = {}
    for line, judgement in read_numbered(file):
        try:
            _grade(*judgement)
            _add(judgement, grouped)
        except BadInput as error:
            raise BadRecord(str(error), origin=Origin(str(file), line)) from None
    if not grouped:
        raise BadInput(f"{source}: {NONE}")
    return grouped


def _add(judgement: Judgement, grouped: dict[str, dict[str, int]]) -> None:
    query, document, grade = judgement
    before = grouped.setdefault(query, {}).setdefault(document, grade)
    if before != grade:
        raise BadInput(
            f"query {shown(query)}: document {shown(document)} is judged twice, "
            f"with grades {before} and {grade}; keep one"
        )


def checked(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return the judgements of the queries that have any; raise BadInput for a grade that is not allowed."""
    if not any(qrels.values()):
        raise BadInput(NONE)
    return {query: _checked(query, judged) for query, judged in qrels.items() if judged}


def _checked(query: str, judged: Mapping[str, int]) -> dict[str, int]:
    grades = judged.values()
    if set(map(type, grades)) == {int} and min(grades) >= SMALLEST_GRADE and max(grades) <= LARGEST_GRADE:
        return dict(judged)  # the usual case, and the quick one
    return {document: _grade(query, document, grade) for document, grade in judged.items()}


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
