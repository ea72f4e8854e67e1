"""What the models are compared on: collections, each with its queries in one form or, if it has them, in two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from aboutness.core.errors import NotFound, UsageError
from aboutness.evaluate.evaluation import Evaluation
from aboutness.experiment.asking import forms_of, with_form
from aboutness.experiment.collection import Collection, collection
from aboutness.papers.paper import Work

ROBUST, GOV2 = "Robust04", "GOV2"
SOURCES = {
    "irds:disks45/nocr/trec-robust-2004": ROBUST,
    **{f"irds:gov2/trec-tb-{year}": GOV2 for year in (2004, 2005, 2006)},
}  # the paper's collections, by their names in ir_datasets
TITLES, DESCRIPTIONS = "titles", "descriptions"
AP, MEASURES = "AP", ("AP", "nDCG@20", "P@20")
FIFTHS = 5


@dataclass(frozen=True)
class Measured:
    """What was measured of a model: values by query, the mean AP of each setting, and what the folds chose."""

    evaluation: Evaluation
    curve: Mapping[float, float]
    chosen: Mapping[float, int]
    seconds: float | None = None  # of its training, where that is known
    norms: tuple[float, ...] = ()  # mean length of documents' vectors, from the fifth with the fewest words on
    correlation: float | None = None  # of ranks: number of words and length of the vector

    @property
    def mean(self) -> dict[str, float]:
        """Return the mean of each measure."""
        return self.evaluation.mean

    def values(self, measure: str = AP) -> dict[str, float]:
        """Return the value of each query."""
        return {query: row[measure] for query, row in self.evaluation.per_query.items()}


@dataclass(frozen=True)
class Case:
    """A collection with its queries in one form, and all models on it by name."""

    asked: Collection
    form: str  # titles, descriptions; empty where there is one form only
    facts: Mapping[str, Any]
    found: Mapping[str, Measured]

    @property
    def name(self) -> str:
        """Return what it is called."""
        return f"{self.asked.name}, {self.form}" if self.form else self.asked.name

    @property
    def papers_own(self) -> str:
        """Return which of the paper's collections this is, with its form; empty where it is another."""
        own = papers_own(self.asked.source)
        return f"{own} {self.form or TITLES}" if own else ""

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Return how many words each query has, without stop words."""
        return dict(self.facts["query_words"])

    @property
    def words(self) -> float:
        """Return how many words a query has in the mean."""
        return fmean(self.lengths.values())


def papers_own(source: str) -> str:
    """Return which of the paper's collections a source is, if any: by its exact name in ir_datasets.

    >>> [papers_own(one) for one in ("irds:disks45/nocr/trec-robust-2004", "irds:gov2/trec-tb-2005", "my/robust")]
    ['Robust04', 'GOV2', '']
    """
    return SOURCES.get(source, "")


def opened(work: Work, name: str) -> Collection:
    """Open a collection: a folder of the data, any other folder, or one of ir_datasets."""
    try:
        return collection(work.collection(name))
    except NotFound:
        if name not in work.on:
            raise
        return collection(name)


def all_opened(work: Work, names: Sequence[str]) -> list[Collection]:
    """Open collections; sets of topics of one of the paper's, such as those of GOV2 by year, become one."""
    found: dict[str, Collection] = {}
    for name in names:
        one = opened(work, name)
        own = papers_own(one.source) or one.name
        first = found.get(own)
        if first is None:
            found[own] = one
        elif papers_own(one.source):
            queries = (*first.queries, *(query for query in one.queries if query.id not in first.qrels))
            found[own] = replace(first, name=own, queries=queries, qrels={**one.qrels, **first.qrels})
        else:
            raise UsageError(f"{one.name} is named twice")
    return list(found.values())


def in_forms(whole: Collection) -> list[tuple[str, Collection]]:
    """Return a collection once for each form of its queries: titles and descriptions, or their text alone."""
    there = forms_of(whole)
    if "title" in there and ("desc" in there or "description" in there):
        long = "desc" if "desc" in there else "description"
        return [(TITLES, with_form(whole, "title")), (DESCRIPTIONS, with_form(_with(whole, long), long))]
    return [("", whole)]


def _with(whole: Collection, form: str) -> Collection:
    """Return a collection without the judgements of queries that lack a form."""
    lacking = {query.id for query in whole.queries if not query.forms.get(form)}
    return replace(whole, qrels={query: one for query, one in whole.qrels.items() if query not in lacking})
