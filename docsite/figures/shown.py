"""What a ranker does on the small corpus, in numbers: scores, ranks, the reasons, and how scores move."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from aboutness.app.index import Index
from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError
from aboutness.core.parameters import Parameter, Parameters
from aboutness.models.model import Model
from aboutness.models.ranking import Part
from aboutness.rank.combination import Combination
from aboutness.rank.grammar import ranker as named_ranker
from docsite.figures.small_corpus import ABOUT, ELSEWHERE, PASSAGES, QUERY, passages, train_for
from docsite.figures.sweep import shown_parameters, values_of

MADE_OF = (
    ("bm25", "lsa"),
    ("lsa", "lsa"),
)  # combinations: of words and vectors, or where that cannot be, of vectors
TIMES = (0, 1, 2, 3, 4, 6, 8, 12)

Found: TypeAlias = dict[str, tuple[float, int]]  # score and rank by passage, of those that are found


@dataclass(frozen=True)
class Sweep:
    """The scores of the passages for each value of a parameter; None where one is not found."""

    parameter: Parameter
    values: Sequence[Any]
    scores: dict[str, list[float | None]]

    @property
    def is_flat(self) -> bool:
        """Tell whether no score depends on the parameter."""
        return all(len(set(scores)) == 1 for scores in self.scores.values())


@dataclass(frozen=True)
class Shown:
    """What a ranker finds for the query, why, and what its scores depend on."""

    ranker: Ranker
    documents: int
    found: Found
    parts: list[Part]  # of the passage about London, the largest first
    by_count: list[float]  # the score of a passage that says the word so many times (TIMES); of models
    sweep: Sweep | None
    notes: list[str]


def shown_by(index: Index, ranker: type[Parameters]) -> Shown:
    """Let a ranker search the small corpus."""
    example = example_of(index, ranker)
    parts = sorted(index.explain(QUERY, ABOUT, example).parts, key=lambda part: -abs(part.value))
    return Shown(
        example,
        len(index),
        _found(index, example),
        parts,
        _by_count(index, example) if isinstance(example, Model) else [],
        _sweep(index, example),
        [note.replace(str(index.path), "notes.index") for note in index.notes([example])],
    )


def example_of(index: Index, ranker: type[Parameters]) -> Ranker:
    """Return a ranker as it is by default, one that is made of others with some; what it needs is trained."""
    if not issubclass(ranker, Combination):
        made = ranker()
        assert isinstance(made, Ranker)
        train_for(index, made)
        return made
    refused: UsageError | None = None
    for names in MADE_OF:
        combined = ranker.of(*map(named_ranker, names[: ranker.least]))
        train_for(index, combined)
        try:
            index.search(QUERY, ranker=combined)
        except UsageError as error:
            refused = error
        else:
            return combined
    raise UsageError(f"{ranker.name} can be made of none of {MADE_OF}: {refused}")


def _found(index: Index, ranker: Ranker) -> Found:
    hits = index.search(QUERY, k=len(index), ranker=ranker, match="all")
    places = {hit.id: (hit.score, rank) for rank, hit in enumerate(hits, 1)}
    return {name: places[name] for name in PASSAGES if name in places}


def _by_count(index: Index, model: Model) -> list[float]:
    """Return the score of the passage about elephants with so many of its words replaced by that of the query."""
    words = re.findall(r"\S+", passages()[ELSEWHERE])
    step = len(words) // max(TIMES)
    said = {
        f"{times}": " ".join(
            QUERY if place % step == step // 2 and place // step < times else word
            for place, word in enumerate(words)
        )
        for times in TIMES
    }
    scored = index.perturb(QUERY, said, rankers=model)
    return [float(row.scores[str(model)] or 0.0) for row in scored.rows]


def _sweep(index: Index, ranker: Ranker) -> Sweep | None:
    """Return how scores move with the first parameter that they depend on here."""
    assert isinstance(ranker, Parameters)
    for parameter in shown_parameters(type(ranker)):
        values = values_of(parameter)
        every = [_found(index, replace(ranker, **{parameter.name: value})) for value in values]
        scores = {name: [found[name][0] if name in found else None for found in every] for name in PASSAGES}
        sweep = Sweep(parameter, values, scores)
        if not sweep.is_flat:
            return sweep
    return None
