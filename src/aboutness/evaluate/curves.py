"""Precision over recall, and the best balance of both: for each query, over its whole ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate import formulas
from aboutness.evaluate.judgements import Qrels, checked
from aboutness.evaluate.places import places
from aboutness.evaluate.runs import Ranked

if TYPE_CHECKING:
    from aboutness.evaluate.formulas import Floats

ELEVEN = tuple(tenth / 10 for tenth in range(11))
"""The usual points of recall: 0, 0.1, … 1."""


def precision_at_recall(
    qrels: Qrels, run: Mapping[str, Ranked], points: Iterable[float] = ELEVEN
) -> dict[str, Floats]:
    """Return for each judged query the interpolated precision at each point of recall, any numbers from 0 to 1.

    That is the best precision from there on, as `IPrec@…` and trec_eval have it: a point is reached with
    int(point * relevant + 0.9) of the relevant documents. What a ranking never reaches is 0.

    >>> precision_at_recall({"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "x": 2, "b": 1}}, [0, 0.5, 1])["q"].round(2)
    array([1.  , 1.  , 0.67])
    """
    chosen = list(points)
    if wrong := [point for point in chosen if not 0 <= point <= 1]:
        raise UsageError(f"points of recall must be numbers from 0 to 1, got {shown(wrong[0])}")
    judged = checked(qrels)
    return dict(zip(judged, formulas.precision_at(places(judged, run), chosen, {}), strict=True))


def max_f1(qrels: Qrels, run: Mapping[str, Ranked]) -> dict[str, float]:
    """Return for each judged query the highest F1 at any rank of its whole ranking (malina2016).

    >>> max_f1({"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "x": 2, "b": 1}})
    {'q': 0.8}
    """
    judged = checked(qrels)
    return dict(zip(judged, formulas.max_f1(places(judged, run), {}).tolist(), strict=True))
