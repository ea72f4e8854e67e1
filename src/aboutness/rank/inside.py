"""What a ranker is made of."""

from __future__ import annotations

from collections.abc import Iterator

from aboutness.core.algebra import Ranker, inside
from aboutness.models.model import Model
from aboutness.rank.pipelines import Pipeline


def models_in(ranker: Ranker) -> Iterator[Model]:
    """Yield the models of a ranker, from left to right."""
    for one in inside(ranker):
        if isinstance(one, Model):
            yield one
        elif isinstance(one, Pipeline):
            yield from models_in(one.expression)
