"""The figures of an index: its documents in the plane, and the scores that rankers give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.experiment.asking import Asking
from aboutness.experiment.collection import Collection
from aboutness.experiment.samples import RANDOM, RELEVANT, sampled_scores
from aboutness.index.snapshot import Snapshot
from aboutness.report.figures import distributions, points
from aboutness.report.kinds import figure_kind
from aboutness.report.projection import neighbour_map, principal_axes
from aboutness.report.spaces import around_query, dense_scorer, document_vectors, labels_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DOCUMENTS = 3000  # of a map
METHODS = ("pca", "tsne")
LEXICAL, DUAL = "bm25", ("desm-in-in", "desm-in-out")


@figure_kind("map", "documents of an index in the plane, by label", "index")
def draw_map(
    snapshot: Snapshot,
    *,
    by: str | Ranker | None = None,
    label: str | None = None,
    groups: Mapping[str, str] | None = None,
    method: str = "pca",
    most: int = MOST_DOCUMENTS,
    seed: int = 1,
) -> Figure:
    """Draw documents by their vectors (`document_vectors`); `label` is a key of their metadata."""
    if method not in METHODS:
        raise UsageError(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
    if isinstance(most, bool) or most < 2:
        raise UsageError(f"most must be a whole number of at least 2, got {shown(most)}")
    vectors = document_vectors(snapshot, by).some(most, seed)
    labels = (
        [None] * len(vectors.numbers)
        if label is None
        else labels_of(snapshot, vectors.numbers.tolist(), label, groups)
    )
    if method == "tsne":
        return points.document_map(
            neighbour_map(vectors.rows, seed=seed), labels, (f"t-SNE of {vectors.name}", "")
        )
    axes, shares = principal_axes(vectors.rows)
    where = (vectors.rows - vectors.rows.mean(axis=0, dtype=np.float64)) @ axes
    names = (f"first component of {vectors.name} ({shares[0]:.0%})", f"second component ({shares[1]:.0%})")
    return points.document_map(where, labels, names)


@figure_kind("query-pca", "documents about their queries, relevant or not (mitra2016, fig. 1)", "index")
def draw_around_queries(
    snapshot: Snapshot, collection: Collection, *, rankers: Sequence[str | Ranker] | None = None, seed: int = 1
) -> Figure:
    """Draw, for each ranker with vectors, relevant and irrelevant documents as they lie to their query."""
    scorers = {str(one): dense_scorer(snapshot, one) for one in rankers or DUAL}
    sampled = sampled_scores(snapshot, collection, [next(iter(scorers))], random=1, seed=seed)
    asking = Asking(snapshot, collection)
    questions = {query.id: asking.question(query) for query in collection.judged_queries}
    kept = [place for place, kind in enumerate(sampled.kinds) if kind != RANDOM]
    asked = [questions[sampled.queries[place]] for place in kept]
    documents = snapshot.numbers([sampled.documents[place] for place in kept])
    relevant = np.array([sampled.kinds[place] == RELEVANT for place in kept])
    return points.around_queries(
        {name: around_query(scorer, asked, documents, relevant) for name, scorer in scorers.items()}
    )


@figure_kind("features", "scores of relevant, irrelevant and random documents (mitra2016, fig. 4)", "index")
def draw_features(
    snapshot: Snapshot,
    collection: Collection,
    *,
    rankers: Sequence[str | Ranker] | None = None,
    random: int = 100,
    seed: int = 1,
) -> Figure:
    """Draw, for each ranker, how its scores are spread over three sets of documents; `random` for each query."""
    names, sets = _sampled(snapshot, collection, rankers or (LEXICAL, *DUAL, "bm25-desm"), random, seed)
    return distributions.score_distributions(sets, names)


@figure_kind("scores", "one ranker's scores against others' (mitra2016, fig. 5)", "index")
def draw_scores(
    snapshot: Snapshot,
    collection: Collection,
    *,
    rankers: Sequence[str | Ranker] | None = None,
    random: int = 100,
    seed: int = 1,
) -> Figure:
    """Draw the scores of the first ranker against those of each other, for three sets of documents."""
    names, sets = _sampled(snapshot, collection, rankers or (LEXICAL, *DUAL), random, seed)
    if len(names) < 2:
        raise UsageError(f"scores are drawn of one ranker against others: name at least two, got {len(names)}")
    return points.score_pairs(names[0], names[1:], sets)


def _sampled(
    snapshot: Snapshot, collection: Collection, rankers: Sequence[str | Ranker], random: int, seed: int
) -> tuple[list[str], dict[str, dict[str, Sequence[float]]]]:
    """Return the rankers by name, and for each set of documents their scores by ranker."""
    found = sampled_scores(snapshot, collection, list(rankers), random=random, seed=seed)
    names = list(found.rankers)
    return names, {kind: dict(zip(names, found.of(kind).tolist(), strict=True)) for kind in found.sets}
