"""What a ranker is made of."""

from __future__ import annotations

from collections.abc import Iterator

from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.models.model import Model
from aboutness.rank.pipelines import Pipeline


def models_in(ranker: Ranker) -> Iterator[Model]:
    """Yield the models of a ranker, from left to right."""
    if isinstance(ranker, Model):
        yield ranker
    elif isinstance(ranker, Pipeline):
        yield from models_in(ranker.expression)
    elif isinstance(ranker, Cut | Scaled):
        yield from models_in(ranker.ranker)
    elif isinstance(ranker, Sum):
        for part in ranker.parts:
            yield from models_in(part)
    elif isinstance(ranker, Rerank):
        yield from models_in(ranker.first)
        yield from models_in(ranker.second)
