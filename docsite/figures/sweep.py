"""Which values of a ranker's parameters a figure shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import Parameter, Parameters

POINTS = 13
NARROW = 4.0  # bounds that are no farther apart are shown in full
FACTOR = 8.0  # by which values are smaller or larger than the default, where bounds are wide
AROUND_ZERO = 3.0


def shown_parameters(ranker: type[Parameters]) -> list[Parameter]:
    """Return the parameters that a figure may show, the best first: numbers, then choices, as declared."""
    declared = ranker.declared()
    numbers = [one for one in declared if isinstance(one.kind, Number | Whole) and one.default is not None]
    return [*numbers, *(one for one in declared if isinstance(one.kind, Choice))]


def values_of(parameter: Parameter) -> Sequence[Any]:
    """Return the values that are shown, ascending, the default among them; of a choice, all."""
    kind, default = parameter.kind, parameter.default
    if isinstance(kind, Choice):
        return kind.words
    assert isinstance(kind, Number | Whole)
    if kind.most - kind.least <= NARROW:
        found = np.linspace(kind.least, kind.most, POINTS)
    elif default == 0:
        found = np.linspace(max(kind.least, -AROUND_ZERO), min(kind.most, AROUND_ZERO), POINTS)
    else:
        low, high = sorted((default / FACTOR, default * FACTOR))
        found = np.geomspace(max(kind.least, low), min(kind.most, high), POINTS)
    every = {*found.tolist(), default}
    if isinstance(kind, Whole):
        return sorted({round(value) for value in every})
    return sorted(float(f"{value:.3g}") for value in every if not (kind.open and value <= kind.least))


def another_value(parameter: Parameter) -> float | str:
    """Return a value that somebody might try instead of the default, and that is easily read.

    >>> from aboutness.models.bm25 import BM25
    >>> [another_value(one) for one in shown_parameters(BM25) if one.name in ("k1", "b")]
    [2.4, 0.5]
    """
    kind, default = parameter.kind, parameter.default
    if isinstance(kind, Choice):
        return next(word for word in kind.words if word != default)
    assert isinstance(kind, Number | Whole)
    if kind.most - kind.least <= NARROW:
        quarters = (kind.least + (kind.most - kind.least) * step / 4 for step in (2, 3, 1))
        return min((one for one in quarters if one != default), key=lambda one: abs(one - default))
    twice: float = 2 * default if 0 < default <= kind.most / 2 else 1
    return twice
