"""Rankings and judgements of others, checked: ids are texts, and numbers are what they should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from aboutness.core.errors import BadInput, shown
from aboutness.core.scores import (
    GRADE_ALLOWED,
    RANK_ALLOWED,
    SCORE_ALLOWED,
    check_ranks_differ,
    is_grade,
    is_rank,
    is_score,
)
from aboutness.frames.frame import id_of, not_an_id, plain

Row: TypeAlias = tuple[Any, Any, Any]
"""A query, a document, and a number."""

Where: TypeAlias = Callable[[int, Row], str]
"""Says where a row stands, by its place among all and by what is in it."""


def checked_scores(rows: Iterable[Row], where: Where, *, by_rank: bool = False) -> dict[str, dict[str, float]]:
    """Return scores by query and document, in the order of the rows; minus the rank stands for a score."""
    allowed, is_allowed = (RANK_ALLOWED, is_rank) if by_rank else (SCORE_ALLOWED, is_score)
    found: dict[str, dict[str, float]] = {}
    for place, row in enumerate(rows):
        query, document, value = _checked(place, row, where, allowed, is_allowed)
        ranking = found.setdefault(query, {})
        if document in ranking:
            raise BadInput(
                f"{where(place, row)}: document {shown(document)} is ranked twice for query {shown(query)}"
            )
        ranking[document] = -float(value) if by_rank else float(value)
    if by_rank:
        check_ranks_differ(found)
    return found


def checked_grades(rows: Iterable[Row], where: Where) -> dict[str, dict[str, int]]:
    """Return grades by query and document; the same one may be there twice."""
    found: dict[str, dict[str, int]] = {}
    for place, row in enumerate(rows):
        query, document, value = _checked(place, row, where, GRADE_ALLOWED, is_grade)
        before = found.setdefault(query, {}).setdefault(document, int(value))
        if before != value:
            raise BadInput(
                f"{where(place, row)}: query {shown(query)}: document {shown(document)} is judged twice, "
                f"with grades {before} and {int(value)}; keep one"
            )
    return found


def _checked(
    place: int, row: Row, where: Where, allowed: str, is_allowed: Callable[[object], bool]
) -> tuple[str, str, Any]:
    query, document, value = id_of(row[0]), id_of(row[1]), plain(row[2])
    if query is None or document is None:
        what, got = ("queries", row[0]) if query is None else ("documents", row[1])
        raise BadInput(f"{where(place, row)}: {not_an_id(what, got)}")
    if not is_allowed(value):
        raise BadInput(f"{where(place, row)}: {allowed}, got {shown(value)}")
    return query, document, value
