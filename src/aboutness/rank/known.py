"""All rankers with a name: models, pipelines, and what combines rankers."""

from __future__ import annotations

from typing import Any, Literal, overload

import aboutness.rank.approximate
import aboutness.rank.default
import aboutness.rank.expansion
import aboutness.rank.fusion
import aboutness.rank.normalised  # noqa: F401 - they add to those known
from aboutness.core.registry import Registry
from aboutness.models.known import MODELS
from aboutness.models.model import Model
from aboutness.rank.combination import COMBINATIONS, Combination
from aboutness.rank.pipelines import PIPELINES, Pipeline


@overload
def known_rankers(*, combinations: Literal[False] = False) -> Registry[type[Model | Pipeline]]: ...


@overload
def known_rankers(*, combinations: bool) -> Registry[type[Model | Pipeline | Combination]]: ...


def known_rankers(*, combinations: bool = False) -> Registry[type[Any]]:
    """Return all rankers by name, in alphabetical order; those that combine others only where asked for."""
    known: Registry[type[Any]] = Registry(MODELS.kind)
    everything = [*MODELS.values(), *PIPELINES.values(), *(COMBINATIONS.values() if combinations else ())]
    for ranker in sorted(everything, key=lambda one: one.name):
        known.register(ranker.name, ranker)
    return known
