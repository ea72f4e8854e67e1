"""What a ranker is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aboutness.core.algebra import Ranker, inside
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Model
from aboutness.rank.combination import Combination
from aboutness.rank.pipelines import Pipeline


def needing(ranker: Ranker) -> Iterator[Model | Pipeline | Combination]:
    """Yield the parts of a ranker that may need something to be trained, from left to right."""
    for one in inside(ranker):
        if isinstance(one, Model | Pipeline | Combination):
            yield one
        if isinstance(one, Pipeline) and not one.needs_all:
            yield from needing(one.expression)


def notes_of(rankers: Iterable[Ranker], snapshot: Snapshot) -> list[str]:
    """Return what is to be said of the use of rankers in an index, each thing once."""
    named = [one for ranker in rankers for one in inside(ranker) if isinstance(one, Pipeline | Combination)]
    return list(dict.fromkeys(note for one in named if (note := one.note(snapshot)) is not None))


def models_in(ranker: Ranker) -> Iterator[Model]:
    """Yield the models of a ranker, from left to right."""
    for one in inside(ranker):
        if isinstance(one, Model):
            yield one
        elif isinstance(one, Pipeline):
            yield from models_in(one.expression)
