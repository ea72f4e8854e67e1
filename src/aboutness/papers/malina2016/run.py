"""One setting: the queries that are drawn, what is trained, and every method measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.experiment.collection import Collection
from aboutness.papers.malina2016.measured import Measured, measured
from aboutness.papers.malina2016.methods import ENSEMBLES, EVERY, SEVEN, Method, trainings
from aboutness.papers.malina2016.modapte import ModApte, both_missions, groups_of
from aboutness.papers.malina2016.rankings import ranked, trained_index
from aboutness.papers.paper import Work


@dataclass(frozen=True)
class Sizes:
    """What a run depends on besides the corpus; `seed` is that of drawing queries and of training."""

    queries: int
    dim: int
    window: int
    epochs: int
    analyzer: str
    seed: int


@dataclass(frozen=True)
class Run:
    """All methods measured in one setting."""

    on: Collection
    index: Index
    measured: Measured

    @property
    def found(self) -> int:
        """Return how many documents can be found."""
        return len((self.on.only or frozenset()) - self.on.hidden)


def best_of(found: Measured, methods: Sequence[Method]) -> Method:
    """Return the method with the highest mean max F1 on the first mission."""
    return max(methods, key=lambda one: float(found.same_label.f1[one.name].mean()))


def on_other_queries(
    work: Work, corpus: ModApte, folder: str, groups: Mapping[str, str], sizes: Sizes, first: Run
) -> Measured:
    """Measure the best single method and the best ensemble of a run by queries that were not in it.

    What was chosen by some queries, of several that were tried, looks better there than it is.
    """
    on = both_missions(folder, groups, queries=sizes.queries, seed=sizes.seed + 1)
    others = {query: grades for query, grades in on.qrels.items() if query not in first.on.hidden and grades}
    if not others:
        raise UsageError(f"{sizes.queries:,} queries leave no documents that could be others; choose fewer")
    on = replace(on, qrels=others)
    chosen = [best_of(first.measured, some) for some in (SEVEN, ENSEMBLES)]
    places = ranked(work, first.index, on, chosen)
    return measured(list(others), places, groups_of(others, corpus, groups))


def run_of(work: Work, corpus: ModApte, folder: str, groups: Mapping[str, str], sizes: Sizes) -> Run:
    """Draw the queries, train, rank by every method, and measure; `folder` is where the corpus was written."""
    on = both_missions(folder, groups, queries=sizes.queries, seed=sizes.seed)
    ways = trainings(dim=sizes.dim, window=sizes.window, epochs=sizes.epochs, seed=sizes.seed)
    index = trained_index(work, on, sizes.analyzer, ways)
    places = ranked(work, index, on, EVERY)
    queries = [query for query, grades in on.qrels.items() if grades]
    return Run(on, index, measured(queries, places, groups_of(queries, corpus, groups)))
