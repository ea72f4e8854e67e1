"""Figures 1, 4 and 5: where relevant, irrelevant and random documents lie, and how well scores separate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.experiment.asking import Asking
from aboutness.experiment.samples import JUDGED_IRRELEVANT, RANDOM, RELEVANT, SampledScores, sampled_scores
from aboutness.papers.mitra2016.stand_ins import StandIn
from aboutness.report.figures import distributions, points
from aboutness.report.spaces import around_query, dense_scorer
from aboutness.report.study import Cell, Drawing, Sheet, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Sampled:
    """Scores of three kinds of documents by several rankers, which have names."""

    stand_in: StandIn
    names: tuple[str, ...]
    found: SampledScores

    @property
    def irrelevant(self) -> str:
        """Return the name of the second kind: judged irrelevant, or only not relevant."""
        return self.found.sets[1]

    @property
    def shown(self) -> dict[str, str]:
        """Return the kinds of documents with their names in words."""
        named = self.irrelevant if self.irrelevant == JUDGED_IRRELEVANT else "not relevant"
        return dict(zip(self.found.sets, (RELEVANT, named, RANDOM), strict=True))

    @property
    def irrelevant_in_words(self) -> str:
        """Return in words which documents are irrelevant."""
        if self.irrelevant == JUDGED_IRRELEVANT:
            return "those that are judged so"
        return f"{self.stand_in.telescoping} that are not relevant"

    def areas(self, name: str, other: str) -> dict[str, float]:
        """Return for each query the share of pairs in which a relevant document is above one of another kind."""
        scores = self.found.scores[self.names.index(name)]
        kinds, queries = np.array(self.found.kinds), np.array(self.found.queries)
        found = {}
        for query in dict.fromkeys(self.found.queries):
            own = queries == query
            above, below = scores[own & (kinds == RELEVANT)], scores[own & (kinds == other)]
            if len(above) and len(below):
                found[query] = area(above, below)
        return found

    def has(self, other: str) -> bool:
        """Tell whether a query has relevant documents and some of another kind."""
        return bool(self.areas(self.names[0], other))

    def mean_area(self, name: str, other: str) -> float:
        """Return the mean of these shares over the queries."""
        return fmean(self.areas(name, other).values())

    def pooled(self, name: str, other: str) -> float:
        """Return the same for the documents of all queries together, as the figure shows them."""
        place = self.names.index(name)
        return area(self.found.of(RELEVANT)[place], self.found.of(other)[place])

    def against(self, name: str, rival: str, other: str) -> Randomisation:
        """Test whether one ranker separates relevant documents from others better than another does."""
        return fisher(self.areas(name, other), self.areas(rival, other))

    def zero(self, name: str, kind: str) -> float:
        """Return the share of a kind's documents whose score is 0."""
        return float(np.mean(self.found.of(kind)[self.names.index(name)] == 0))


def area(above: NDArray[np.floating], below: NDArray[np.floating]) -> float:
    """Return the area under the ROC curve: how often a score of the first is higher; ties count a half.

    >>> area(np.array([3.0, 1.0]), np.array([1.0, 0.0]))
    0.875
    """
    below = np.sort(below)
    wins = np.searchsorted(below, above, "left").sum() + np.searchsorted(below, above, "right").sum()
    return float(wins / (2 * len(above) * len(below)))


def sampled(stand_in: StandIn, rankers: Mapping[str, Ranker], random: int, seed: int) -> Sampled:
    """Score relevant, irrelevant and random documents of the test queries.

    Relevant are those among the candidates: as the paper's, they were retrieved.
    """
    found = sampled_scores(
        stand_in.index.snapshot, stand_in.test, list(rankers.values()), random=random, first=stand_in.first_stage,
        seed=seed,
    )  # fmt: skip
    if not stand_in.by_judgements:
        listed = stand_in.listed()
        found = _some(
            found,
            [
                kind != RELEVANT or document in listed[query]
                for query, document, kind in zip(found.queries, found.documents, found.kinds, strict=True)
            ],
        )
    return Sampled(stand_in, tuple(rankers), found)


def _some(found: SampledScores, wanted: Sequence[bool]) -> SampledScores:
    """Return some rows of what was sampled."""
    return replace(
        found,
        queries=list(compress(found.queries, wanted)),
        documents=list(compress(found.documents, wanted)),
        kinds=list(compress(found.kinds, wanted)),
        scores=found.scores[:, list(wanted)],
    )


def areas_sheet(every: Sequence[Sampled]) -> Sheet:
    """Return how well each ranker separates relevant documents from the two other kinds."""
    columns: dict[str, list[Cell]] = {}
    for one in every:
        for other, shown in ((one.irrelevant, "irrelevant"), (RANDOM, "random")):
            if one.has(other):
                means = [one.mean_area(name, other) for name in one.names]
                columns[f"{one.stand_in.name}: {shown}"] = [Value(mean, best=mean == max(means)) for mean in means]
                columns[f"{one.stand_in.name}: {shown}, pooled"] = [
                    Value(one.pooled(name, other)) for name in one.names
                ]
    rows: dict[str, list[Cell]] = {
        name: [cells[place] for cells in columns.values()] for place, name in enumerate(every[0].names)
    }
    return Sheet(
        "Separation", list(columns), rows, corner="ranker", tolerance=0.03,
        caption="How often a relevant document has a higher score than an irrelevant or a random one of the same "
        "query (area under the ROC curve, mean over the queries), and with the documents of all queries pooled. "
        "Irrelevant documents, "
        + "; ".join(f"{one.stand_in.name}: {one.irrelevant_in_words}" for one in every)
        + ". Relevant documents are those among the candidates; random ones are neither judged nor candidates.",
    )  # fmt: skip


def drawings(one: Sampled, spaces: Mapping[str, Ranker], rivals: Sequence[str]) -> list[Drawing]:
    """Return figures 1, 4 and 5 of a stand-in."""
    name = one.stand_in.name
    sets = {
        shown: dict(zip(one.names, one.found.of(kind).tolist(), strict=True)) for kind, shown in one.shown.items()
    }
    first, *others = rivals
    return [
        Drawing(
            f"figure-1-{name}", _around(one, spaces),
            f"Figure 1 on {name}: candidates as they lie to their query, which is the origin (principal "
            "components of the differences of vectors of length 1).",
            wide=True,
        ),
        Drawing(
            f"figure-4-{name}", lambda: distributions.score_distributions(sets, list(one.names)),
            f"Figure 4 on {name}: how the scores of three kinds of documents are spread.",
            wide=True,
        ),
        Drawing(
            f"figure-5-{name}", lambda: points.score_pairs(first, others, sets),
            f"Figure 5 on {name}: scores of {first} against those of {' and '.join(others)}, a point a document.",
            wide=True,
        ),
    ]  # fmt: skip


def _around(one: Sampled, spaces: Mapping[str, Ranker]) -> Callable[[], Figure]:
    def draw() -> Figure:
        snapshot, asking = one.stand_in.index.snapshot, Asking(one.stand_in.index.snapshot, one.stand_in.test)
        questions = {query.id: asking.question(query) for query in one.stand_in.test.judged_queries}
        kept = [place for place, kind in enumerate(one.found.kinds) if kind != RANDOM]
        asked = [questions[one.found.queries[place]] for place in kept]
        documents = snapshot.numbers([one.found.documents[place] for place in kept])
        relevant = np.array([one.found.kinds[place] == RELEVANT for place in kept])
        return points.around_queries(
            {
                name: around_query(dense_scorer(snapshot, ranker), asked, documents, relevant)
                for name, ranker in spaces.items()
            }
        )

    return draw
