"""Below which p a difference counts as more than chance, and what p is corrected for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aboutness.report.numbers import LEVEL

if TYPE_CHECKING:
    from aboutness.evaluate.pairs import Pairs

ONE_SIDED = frozenset({"dunn-one-sided"})  # the side is taken from the data, so that p is half of that for both
TOGETHER = frozenset({"nemenyi"})  # tests whose p is for all pairs together


def level_of(test: str) -> float:
    """Return the level of a test: half the usual one where p is for one side, as R's dunn.test has it.

    >>> level_of("fisher"), level_of("dunn-one-sided")
    (0.05, 0.025)
    """
    return LEVEL / 2 if test in ONE_SIDED else LEVEL


def by_test(pairs: Pairs, plain: Callable[[str], str] = str) -> str:
    """Return in short by which test p is, and what it is corrected for; `plain` makes the names fit to stand."""
    if pairs.test in TOGETHER:
        return f"{plain(pairs.test)}, for all pairs together"
    corrected = "not corrected" if pairs.correction == "none" else f"{plain(pairs.correction)}-corrected"
    return f"{plain(pairs.test)}, {corrected}"
