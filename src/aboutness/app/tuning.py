"""Choosing a ranker's parameters by judged queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.app.index import DEFAULT_ANALYZER, Index
from aboutness.app.needed import Training, Vectors, check_vectors, provide
from aboutness.app.search import How
from aboutness.core.algebra import Ranker, Rerank
from aboutness.core.errors import UsageError
from aboutness.evaluate.measures import DEFAULT_MEASURES
from aboutness.experiment.collection import Collection, collection
from aboutness.experiment.compare import DEPTH, Progress
from aboutness.experiment.folds import split_queries
from aboutness.experiment.validate import Grid, Validation, measures_of, settings_of
from aboutness.experiment.validate import cross_validate as cross_validate_on
from aboutness.index.writer import Progress as IndexProgress
from aboutness.models.model import MATCHES, checked_k
from aboutness.text.analyzer import Analyzer

if TYPE_CHECKING:
    from ir_measures import Measure

__all__ = ["Validation", "cross_validate"]


def cross_validate(
    ranker: str | Ranker,
    on: Collection | str | Path,
    grid: Grid,
    measure: str | Measure = "AP",
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    folds: int = 5,
    seed: int = 1,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    index: Index | None = None,
    vectors: Vectors | None = None,
    depth: int = DEPTH,
    match: str | Ranker = "or",
    fields: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
) -> Validation:
    """Rank the judged queries of a collection, each with the parameters that are best for other folds' queries.

    `grid` lists the values of parameters to be tried, such as {"k1": [0.9, 1.2], "b": [0.4, 0.75]}; the best are
    those with the highest mean of `measure`. `match` and `fields` are as in `Index.search`: with match="ql % 2000"
    the first 2,000 documents of `ql` are ranked anew, and the grid leaves that `ql` as it is. The rest is as in
    `compare`: without an `index`, one is made in memory, and what the ranker needs is trained.
    """
    if index is not None and vectors is not None:
        raise UsageError("an index has its own word vectors: give `index` or `vectors`, not both")
    opened = on if isinstance(on, Collection) else collection(on)
    how, chosen = How(ranker, checked_k(depth), match, fields=fields), How(ranker, fields=fields).expression
    whole = how.expression
    first = whole.first if isinstance(whole, Rerank) and match not in MATCHES else None
    # What is wrong is told before the documents are indexed.
    settings = settings_of(chosen, grid, first)
    every = measures_of(measure, measures)
    split_queries([query.id for query in opened.judged_queries], folds, seed)
    check_vectors(vectors)
    note, held = None, index
    if held is None:
        held = Index.build(opened.documents(), analyzer=analyzer, progress=indexing)
        note, _ = provide(held, settings, vectors, training)
    found = cross_validate_on(
        held.snapshot, opened, chosen, grid, every[0], measures=every, folds=folds, seed=seed, depth=depth,
        match=how.step, candidates=first, threads=threads, progress=progress,
    )  # fmt: skip
    return replace(found, note=note)
