"""Rankers over the shards of an index: models are asked where the documents are, and the rest is done here.

What depends on other documents than the one that is scored (cuts, scales, fusion, feedback, expansions) comes
after the merge and is the code of `rank`, unchanged. A sum of models does not: it is sent to the shards whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from aboutness.core.algebra import Ranker, Scaled, Sum
from aboutness.index.shard import Shard
from aboutness.index.snapshot import Snapshot
from aboutness.models.dense import DenseScorer, Ints
from aboutness.models.model import Allowed, Match, Model, check_match, checked_k
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.approximate import Approximate
from aboutness.rank.bound import Searcher, bind
from aboutness.rank.combined import Combined
from aboutness.rank.pipelines import Pipeline
from aboutness.rank.searching import Composed
from aboutness.scale.engine import Engine
from aboutness.scale.scorers import LANES, SpreadScorer, SpreadVectors, top_of_each, top_of_shards
from aboutness.scale.shards import AskedShards, Service, Shards


class Spread:
    """An index whose shards an engine holds: binds rankers so that they search all of them.

    `snapshot` is the index as it is read here: a little of it, where documents are looked up by their numbers.
    """

    def __init__(
        self, whole: Snapshot, engine: Engine, shards: int | None = None, service: Service | None = None
    ) -> None:
        self.shards = Shards(whole, engine, shards, service)
        self.snapshot: Snapshot = self.shards.snapshot
        self._nobody = Shard(self.snapshot, range(0))

    def bind(self, ranker: Ranker, part: Callable[[Ranker], Searcher] | None = None) -> Searcher:
        """Return a ranker that searches all shards; `part` binds the rankers that it is made of."""
        if isinstance(ranker, Model):
            return self._scorer(ranker)
        if isinstance(ranker, Approximate) and isinstance(inner := ranker.rankers[0], Model):
            return self._approximate(ranker, inner)
        made = bind(ranker, self.snapshot, part or self.bind)
        if isinstance(ranker, (Scaled, Sum)) and isinstance(made, Combined) and separable(ranker, self.snapshot):
            views = [model.view(self.snapshot) for model in _models(ranker, self.snapshot)]
            return SpreadSum(made, self.shards.asked(ranker, views))
        if isinstance(made, Composed):
            made.lanes = LANES
        return made

    def _approximate(self, ranker: Approximate, inner: Model) -> SpreadScorer:
        exact, found = self._scorer(inner), self._scorer(inner, ranker)
        if isinstance(exact, DenseScorer) and isinstance(
            found, DenseScorer
        ):  # else a shard says that it cannot be
            ranker.over_shards(exact, found, self.snapshot, len(self.shards))
        return found

    def _scorer(self, model: Model, around: Approximate | None = None) -> SpreadScorer:
        """Return a model over all shards; each searches approximately where that is `around` it."""
        view = model.view(self.snapshot)
        weights = dict(zip(view.field_names, view.weights.tolist(), strict=True))
        asks = model.scorer(self._nobody.view(view.layer, weights))  # of no documents, to make sense of questions
        read: Ranker = replace(model, layer=view.layer)
        shards = self.shards.asked(read if around is None else around.made_of([read]), [view])
        if isinstance(asks, DenseScorer):
            return SpreadVectors(shards, view, asks)
        return SpreadScorer(shards, view, asks)


def separable(ranker: Ranker, snapshot: Snapshot) -> bool:
    """Tell whether a document's score, and whether it is found, depend on no other document."""
    if isinstance(ranker, Pipeline):
        return separable(ranker.for_index(snapshot), snapshot)
    return isinstance(ranker, Model) or (
        isinstance(ranker, (Scaled, Sum)) and all(separable(one, snapshot) for one in ranker.rankers)
    )


def _models(ranker: Ranker, snapshot: Snapshot) -> Iterator[Model]:
    if isinstance(ranker, Model):
        yield ranker
    for one in (ranker.for_index(snapshot),) if isinstance(ranker, Pipeline) else ranker.rankers:
        yield from _models(one, snapshot)


class SpreadSum(Combined):
    """A sum of models: every shard adds up for its own documents, and sends only its best."""

    quick = True

    def __init__(self, here: Combined, shards: AskedShards) -> None:
        super().__init__(here.text, here.members, here.size)
        self.shards = shards

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,
    ) -> list[Ranking]:
        """Return the k best documents for each question."""
        k = checked_k(k)
        check_match(match)
        if not _are_complete(questions):
            return super().top_many(questions, k, match=match, allowed=allowed, threads=threads)
        return top_of_shards(self.shards, questions, k, match, allowed)

    def top_each(self, questions: Sequence[Question], allowed: Sequence[Ints], k: int) -> list[Ranking]:
        """Return for each question the k best of documents of its own."""
        if not _are_complete(questions):
            pairs = zip(questions, allowed, strict=True)
            return [self.top_many([one], k, match="all", allowed=among)[0] for one, among in pairs]
        return top_of_each(self.shards, questions, allowed, k)


def _are_complete(questions: Sequence[Question]) -> bool:
    """Tell whether no question refers to documents: what such a one is differs from model to model."""
    return all(one.document is None and one.moved is None for one in questions)
