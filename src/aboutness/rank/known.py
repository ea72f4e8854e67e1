"""All rankers with a name: models and pipelines."""

from __future__ import annotations

from aboutness.core.registry import Registry
from aboutness.models.known import MODELS
from aboutness.models.model import Model
from aboutness.rank.pipelines import PIPELINES, Pipeline


def known_rankers() -> Registry[type[Model | Pipeline]]:
    """Return all rankers by name, in alphabetical order."""
    known: Registry[type[Model | Pipeline]] = Registry(MODELS.kind)
    everything: list[type[Model | Pipeline]] = [*MODELS.values(), *PIPELINES.values()]
    for ranker in sorted(everything, key=lambda one: one.name):
        known.register(ranker.name, ranker)
    return known
