"""Choosing a ranker's parameters by judged queries."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.app.comparing import results_in, run_tag
from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.app.needed import Training, Vectors, check_vectors, provide
from aboutness.app.search import How
from aboutness.core.algebra import Ranker, Rerank
from aboutness.core.errors import UsageError
from aboutness.evaluate.atomic import write_whole
from aboutness.evaluate.measures import DEFAULT_MEASURES
from aboutness.evaluate.runs import write_run
from aboutness.experiment.collection import Collection, collection
from aboutness.experiment.compare import DEPTH, Progress
from aboutness.experiment.folds import Split, split_queries, training_split
from aboutness.experiment.grid import Grid, plan, settings_of
from aboutness.experiment.kept_values import check_folder
from aboutness.experiment.measuring import measures_of
from aboutness.experiment.sweep import Sweep
from aboutness.experiment.sweep import sweep as sweep_on
from aboutness.experiment.validate import Validation
from aboutness.experiment.validate import cross_validate as cross_validate_on
from aboutness.index.writer import Progress as IndexProgress
from aboutness.models.model import MATCHES, checked_k
from aboutness.rank.inside import notes_of
from aboutness.text.analyzer import Analyzer

if TYPE_CHECKING:
    from ir_measures import Measure

__all__ = ["Sweep", "Validation", "collection", "count_settings", "cross_validate", "save_tuning", "sweep"]


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
    cache: str | Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
) -> Validation:
    """Rank the judged queries of a collection, each with the parameters that are best for other folds' queries.

    `grid` lists the values of parameters to be tried, such as {"k1": [0.9, 1.2], "b": [0.4, 0.75]} or
    ["k1=0.9,1.2", "b=0:1:.05"]; the best are those with the highest mean of `measure`, and of several the first. A
    name stands for the parameter of all parts of the ranker that declare it, `bm25.k1` for that of one, and
    `ql.weight` for how much a part of a mixture counts. With a folder (`cache`), what is measured is kept there: a
    tuning that was interrupted then goes on. `match` and `fields` are as in `Index.search`: with match="ql % 2000"
    the first 2,000 documents of `ql` are ranked anew, and the grid leaves that `ql` as it is. The rest is as in
    `compare`: without an `index`, one is made in memory, and what the ranker needs is trained.
    """
    task = _Task.of(ranker, on, grid, measure, measures, depth, match, fields)
    split_queries(task.queries, folds, seed)
    with _resumable(cache):
        note, held = task.index(index, analyzer, vectors, indexing, training)
        found = cross_validate_on(
            held.snapshot, task.collection, task.ranker, task.grid, task.measures[0], measures=task.measures,
            folds=folds, seed=seed, depth=depth, match=task.how.step, candidates=task.first, threads=threads,
            progress=progress, cache=cache,
        )  # fmt: skip
    return replace(found, note=note)


def sweep(
    ranker: str | Ranker,
    on: Collection | str | Path,
    grid: Grid,
    measure: str | Measure = "AP",
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    split: Split = 0.5,
    seed: int = 1,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    index: Index | None = None,
    vectors: Vectors | None = None,
    depth: int = DEPTH,
    match: str | Ranker = "or",
    fields: str | None = None,
    cache: str | Path | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
) -> Sweep:
    """Choose the parameters that are best for some judged queries of a collection, and report on the others.

    `split` is the share of the queries that parameters are chosen by, their ids, or a file with an id in each
    line. The result has the whole curve (`settings`, `table`), the `best` setting, and its `evaluation` on the
    queries that had no say in it. The rest is as in `cross_validate`.
    """
    task = _Task.of(ranker, on, grid, measure, measures, depth, match, fields)
    train, _ = training_split(task.queries, split, seed)
    with _resumable(cache):
        note, held = task.index(index, analyzer, vectors, indexing, training)
        found = sweep_on(
            held.snapshot, task.collection, task.ranker, task.grid, task.measures[0], measures=task.measures,
            split=train, seed=seed, depth=depth, match=task.how.step, candidates=task.first, threads=threads,
            progress=progress, cache=cache,
        )  # fmt: skip
    return replace(found, note=note)


def count_settings(ranker: str | Ranker, grid: Grid) -> int:
    """Return how many settings a grid makes of a ranker."""
    return len(plan(ranker, grid).settings)


@dataclass(frozen=True)
class _Task:
    """What is to be tuned, checked before the documents are indexed."""

    collection: Collection
    how: How
    ranker: Ranker
    first: Ranker | None  # finds the documents that are ranked
    grid: Grid
    settings: list[Ranker]
    measures: tuple[Measure, ...]

    @classmethod
    def of(
        cls,
        ranker: str | Ranker,
        on: Collection | str | Path,
        grid: Grid,
        measure: str | Measure,
        measures: str | Iterable[str | Measure],
        depth: int,
        match: str | Ranker,
        fields: str | None,
    ) -> _Task:
        """Return the task, or raise where something is wrong with it."""
        opened = on if isinstance(on, Collection) else collection(on)
        how, chosen = How(ranker, checked_k(depth), match, fields=fields), How(ranker, fields=fields).expression
        whole = how.expression
        first = whole.first if isinstance(whole, Rerank) and match not in MATCHES else None
        values = list(grid) if isinstance(grid, Iterator) else grid  # it is read again
        settings = list(settings_of(chosen, values, first))
        return cls(opened, how, chosen, first, values, settings, measures_of(measure, measures))

    @property
    def queries(self) -> list[str]:
        """Return the ids of the queries that have judgements."""
        return [query.id for query in self.collection.judged_queries if self.collection.qrels[query.id]]

    def index(
        self,
        index: Index | None,
        analyzer: str | Analyzer,
        vectors: Vectors | None,
        indexing: IndexProgress | None,
        training: Training | None,
    ) -> tuple[str | None, Index]:
        """Return an index with all that the ranker needs, and what one should know about it."""
        if index is not None and vectors is not None:
            raise UsageError("an index has its own word vectors: give `index` or `vectors`, not both")
        check_vectors(vectors)
        if index is not None:
            return "; ".join(notes_of([self.ranker], index.snapshot)) or None, index
        held = Index.build(self.collection.documents(), analyzer=analyzer, progress=indexing)
        note, _ = provide(held, self.settings, vectors, training)
        return note, held


@contextmanager
def _resumable(cache: str | Path | None) -> Iterator[None]:
    """Look at the folder for measured values first, and say what is kept of a tuning that is interrupted."""
    if cache is not None:
        check_folder(cache)
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "nothing is kept (a cache keeps what is measured)"
            if cache is None
            else f"what is measured is kept in {cache}: the same again goes on from there"
        ) from None


def save_tuning(tuned: Sweep | Validation, folder: str | Path) -> list[Path]:
    """Write a tuning to a folder: all of it (results.json), each setting (settings.csv), and the run."""
    place = Path(folder)
    run = place / "runs" / f"01-{run_tag(tuned.ranker)[:80]}-tuned.trec"
    with results_in(place):
        write_run(run, tuned.run, f"{run_tag(tuned.ranker)}-tuned")
        with write_whole(place / "settings.csv") as file:
            file.write(_settings_table(tuned).encode())
        with write_whole(place / "results.json") as file:
            plain: dict[str, Any] = {**tuned.to_json(per_query=True), "runs": [run.name]}
            file.write((json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode())
    return [place / "results.json", place / "settings.csv", run]


def _settings_table(tuned: Sweep | Validation) -> str:
    """Return one line for each setting: its parameters, its ranker and its means."""
    table = io.StringIO()
    rows = [_flat(setting.to_json()) for setting in tuned.settings]
    lines = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    return table.getvalue()


def _flat(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values without a level below; what stands below has both names, but for parameters."""
    flat: dict[str, Any] = {}
    for name, value in plain.items():
        if isinstance(value, Mapping):
            flat |= {one if name == "parameters" else f"{one} {name}": inner for one, inner in value.items()}
        else:
            flat[name] = value
    return flat
