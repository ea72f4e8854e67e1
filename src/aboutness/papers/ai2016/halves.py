"""Gains on short and on long queries: by halves of each collection's queries, or by the two forms of a topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.papers.ai2016.cases import AP, DESCRIPTIONS, TITLES, Case
from aboutness.papers.ai2016.compared import Compared, rank_correlation
from aboutness.papers.ai2016.ladder import DRJ, QL

DRAWS = 10_000
NOISE = 1e-12  # of sums in another order


def shares(case: Case, model: str) -> dict[str, float]:
    """Return by how much AP differs from QL's for each query, as a share of QL's mean."""
    ours, base = (case.found[name].values() for name in (model, QL))
    whole = fmean(base.values()) or 1.0
    return {query: (ours[query] - base[query]) / whole for query in ours}


@dataclass(frozen=True)
class Halves:
    """The queries of a collection with at most as many words as the median query has, and all others."""

    case: Case
    short: tuple[str, ...]
    long: tuple[str, ...]

    def gain(self, model: str, queries: tuple[str, ...], baseline: str = QL) -> float:
        """Return how much higher a model's mean AP over some queries is, as a share of the baseline's."""
        means = [fmean(self.case.found[name].values()[query] for query in queries) for name in (model, baseline)]
        return means[0] / means[1] - 1 if means[1] else 0.0

    def differences(self, model: str, queries: tuple[str, ...]) -> list[float]:
        """Return by how much AP differs from QL's for each of some queries, as a share of QL's mean over all."""
        every = shares(self.case, model)
        return [every[query] for query in queries]

    def words(self, queries: tuple[str, ...]) -> float:
        """Return how many words some queries have in the mean."""
        return fmean(self.case.lengths[query] for query in queries)


def halves(case: Case) -> Halves:
    """Split the queries of a case at the median number of words; where none has more, those that have fewer."""
    words = {query: count for query, count in case.lengths.items() if query in case.found[QL].evaluation.per_query}
    middle = median(words.values())
    most = middle if max(words.values()) > middle else middle - 1
    short = tuple(query for query, count in words.items() if count <= most)
    return Halves(case, short, tuple(query for query, count in words.items() if count > most))


def split_cases(compared: Compared) -> list[Halves]:
    """Return the halves of all cases whose queries differ in length."""
    every = [halves(case) for case in compared.cases]
    return [one for one in every if one.short and one.long]


def mean_gains(every: list[Halves], model: str, baseline: str = QL) -> tuple[float, float]:
    """Return the mean over collections of the gains on short and on long queries."""
    return (
        fmean(one.gain(model, one.short, baseline) for one in every),
        fmean(one.gain(model, one.long, baseline) for one in every),
    )


@dataclass(frozen=True)
class HalvesTest:
    """By how much more short queries gain than long ones, as a share of QL's mean; and p, two-sided."""

    difference: float
    p_value: float

    @property
    def favours(self) -> str:
        """Return which half the difference, and with it p, speaks for."""
        return "short" if self.difference > 0 else "long" if self.difference < 0 else "no"


def halves_test(every: list[Halves], model: str, seed: int = 1) -> HalvesTest:
    """Test whether short and long queries gain differently.

    Which queries are short is drawn anew within each collection, and each collection counts the same.
    """
    chance = np.random.default_rng(seed)
    seen, drawn = 0.0, np.zeros(DRAWS)
    for one in every:
        short, long = (np.array(one.differences(model, queries)) for queries in (one.short, one.long))
        values, count = np.concatenate([short, long]), len(short)
        seen += float(short.mean() - long.mean())
        order = chance.random((DRAWS, len(values))).argsort(axis=1)
        sums = values[order[:, :count]].sum(axis=1)
        drawn += sums / count - (values.sum() - sums) / (len(values) - count)
    as_far = int((np.abs(drawn) >= abs(seen) - NOISE).sum())
    return HalvesTest(seen / len(every), (as_far + 1) / (DRAWS + 1))


def across(compared: Compared) -> str:
    """Return in words whether collections with shorter queries gain more."""
    if len(compared.cases) < 3:
        return ""
    words = [case.words for case in compared.cases]
    gains = [case.found[DRJ].mean[AP] / case.found[QL].mean[AP] - 1 for case in compared.cases]
    return (
        f"Over the {len(words)} collections, the rank correlation of the words in a query with the gain of {DRJ} "
        f"over {QL} is {rank_correlation(words, gains):+.2f}; the paper's claim would make it negative."
    )


@dataclass(frozen=True)
class TwoForms:
    """The gains on titles and on descriptions of the same topics, and a test of their difference by topic."""

    collection: str
    titles: float
    descriptions: float
    test: Randomisation


def two_forms(compared: Compared, model: str) -> Iterator[TwoForms]:
    """Yield the gains of collections whose topics have two forms."""
    by_form = {(case.asked.name, case.form): case for case in compared.cases}
    for (name, form), titles in by_form.items():
        descriptions = by_form.get((name, DESCRIPTIONS))
        if form != TITLES or descriptions is None:
            continue
        gains = {case.form: shares(case, model) for case in (titles, descriptions)}
        both = [query for query in gains[TITLES] if query in gains[DESCRIPTIONS]]
        values = [[gains[one][query] for query in both] for one in (TITLES, DESCRIPTIONS)]
        test = fisher(*values, permutations=compared.permutations, seed=compared.seed)
        yield TwoForms(name, fmean(gains[TITLES].values()), fmean(gains[DESCRIPTIONS].values()), test)
