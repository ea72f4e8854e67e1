"""Models against each other: on one collection, and over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from aboutness.evaluate.intervals import bootstrap
from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.evaluate.values import Floats, average_ranks
from aboutness.papers.ai2016.cases import AP, Case
from aboutness.papers.ai2016.ladder import LDA, QL
from aboutness.report.numbers import LEVEL, MINUS, told_p

NO_BREAK = "\u00a0"
BETTER, WORSE = "*", "°"
MARKS = {QL: "*", LDA: "+"}  # significantly other than


@dataclass(frozen=True)
class Compared:
    """All cases, and tests of differences between models."""

    cases: Sequence[Case]
    permutations: int
    seed: int
    _tests: dict[tuple[str, ...], Randomisation] = field(default_factory=dict, repr=False)

    def mean(self, model: str, measure: str = AP) -> float:
        """Return the mean over the collections of a model's mean over queries."""
        return fmean(case.found[model].mean[measure] for case in self.cases)

    def gain(self, model: str, baseline: str, measure: str = AP) -> float:
        """Return how much higher a model's mean over the collections is than another's, as a share of that."""
        return self.mean(model, measure) / self.mean(baseline, measure) - 1

    def test(self, model: str, baseline: str, measure: str = AP, case: Case | None = None) -> Randomisation:
        """Test the difference of two models on one collection or, without one, of their means over all.

        Over all, a query weighs as much as makes each collection count the same.
        """
        key = (model, baseline, measure, case.name if case else "")
        if key not in self._tests:
            first, second = (self._values(name, measure, case) for name in (model, baseline))
            self._tests[key] = fisher(first, second, permutations=self.permutations, seed=self.seed)
        return self._tests[key]

    def _values(self, model: str, measure: str, case: Case | None) -> Mapping[str, float]:
        if case is not None:
            return case.found[model].values(measure)
        queries = sum(one.found[model].evaluation.queries for one in self.cases)
        return {
            f"{one.name} {query}": value * queries / (len(self.cases) * len(values))
            for one in self.cases
            if (values := one.found[model].values(measure))
            for query, value in values.items()
        }

    def marks(self, model: str, measure: str, case: Case | None = None) -> str:
        """Return the paper's marks: which baselines a model is significantly better than."""
        return "".join(
            mark
            for baseline, mark in MARKS.items()
            if model != baseline and self.is_better(model, baseline, measure, case)
        )

    def is_better(self, model: str, baseline: str, measure: str = AP, case: Case | None = None) -> bool:
        """Tell whether a model is better than another, by more than chance."""
        found = self.test(model, baseline, measure, case)
        return found.difference > 0 and found.p_value < LEVEL

    def interval(self, model: str, baseline: str) -> tuple[float, float]:
        """Return between which shares of the baseline's mean AP the difference of two models lies (95 %)."""
        first, second = (self._values(name, AP, None) for name in (model, baseline))
        found, whole = bootstrap(first, second, seed=self.seed), self.mean(baseline)
        return found.low / whole, found.high / whole

    def worse_or_better(self, model: str, baseline: str) -> str:
        """Return the mark for a model that is better or worse than another, by more than chance."""
        return BETTER * self.is_better(model, baseline) or WORSE * self.is_better(baseline, model)

    def told(self, model: str, baseline: str) -> str:
        """Return in words how two models differ by AP: over all collections, and on how many of them surely."""
        found = self.test(model, baseline)
        here, there = (self.mean(name) for name in (model, baseline))
        better = sum(self.is_better(model, baseline, case=case) for case in self.cases)
        worse = sum(self.is_better(baseline, model, case=case) for case in self.cases)
        count = len(self.cases)
        each = (
            f"; of {count} collections, significantly better on {better} and worse on {worse}" if count > 1 else ""
        )
        return (
            f"mean AP {here:.4f} against {there:.4f} ({percent(here / there - 1)}, p {told(found.p_value)}{each})"
        )


def rank_correlation(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """Return Spearman's correlation; 0 where all of one side is the same.

    >>> round(rank_correlation([1, 2, 3, 4], [10, 30, 20, 40]), 3)
    0.8
    """
    ranks = [average_ranks(np.asarray(one, np.float64))[0] for one in (first, second)]
    if any(np.ptp(one) == 0 for one in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def percent(share: float, digits: int = 1) -> str:
    r"""Return a difference in percent with its sign.

    >>> percent(0.0553), percent(0.0)
    ('+5.5\xa0%', '+0.0\xa0%')
    """
    told_share = f"{100 * abs(share):.{digits}f}"
    return f"{MINUS if share < 0 and float(told_share) else '+'}{told_share}{NO_BREAK}%"


def told(p_value: float) -> str:
    """Return a p-value as a part of a sentence.

    >>> told(0.0004), told(0.042)
    ('< .001', '= .042')
    """
    text = told_p(p_value)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"
