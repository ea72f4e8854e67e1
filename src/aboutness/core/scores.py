"""What may stand for a score (numbers that are finite as 32-bit floats), for a rank, and for a grade."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from aboutness.core.errors import BadInput, shown

TOO_LARGE = 2.0**128 - 2.0**103
"""The least number that is rounded to an infinite 32-bit float."""

DIGITS = 9  # of a rank or a grade, at most

SCORE_ALLOWED = "the score must be a finite number between -3.4e38 and 3.4e38"
RANK_ALLOWED = "the rank must be a whole number of at least 0"
GRADE_ALLOWED = "the grade must be a whole number"


def is_score(value: object) -> bool:
    """Tell whether something is a number that can be a score."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < TOO_LARGE


def is_rank(value: object) -> bool:
    """Tell whether something is a number that can be a rank; 1.0, as a data frame may have it, is whole, too."""
    return is_grade(value) and value >= 0  # type: ignore[operator]


def is_grade(value: object) -> bool:
    """Tell whether something is a number that can be a grade; 1.0, as a data frame may have it, is whole, too."""
    return is_score(value) and value == value // 1 and abs(value) < 10**DIGITS  # type: ignore[operator]


def score_of(text: str) -> float:
    """Return the score that a text is; raise ValueError where it is none.

    float() reads 1_000 as a thousand, and digits of other scripts, which nobody means.
    """
    score = float(text)
    if "_" in text or not text.isascii() or not is_score(score):
        raise ValueError(text)
    return score


def check_ranks_differ(found: Mapping[str, Mapping[str, float]]) -> None:
    """Raise BadInput where two documents of a query have the same rank; minus the rank stands for a score."""
    for query, ranking in found.items():
        ranks = sorted(-score for score in ranking.values())
        twice = next((one for one, other in pairwise(ranks) if one == other), None)
        if twice is not None:
            raise BadInput(f"query {shown(query)}: two documents have the rank {twice:g}")
