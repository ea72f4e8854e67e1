"""The contract of every retrieval model: parameters -> bound to an index -> scores, rankings, explanations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Choice, FieldWeights, OptionalName
from aboutness.core.parameters import Parameters, parameter
from aboutness.core.registry import Registry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.models.bags import bags_of, matching
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking, best
from aboutness.vectors.trainer import Trainer

Match: TypeAlias = Literal["or", "and", "all"]
MATCHES: tuple[Match, ...] = get_args(Match)
NOTHING, MATCHED = "nothing", "matched"  # what a query of unknown words finds
Allowed: TypeAlias = NDArray[np.bool_] | NDArray[np.int64] | None  # a mask over numbers, or ascending numbers


@dataclass(frozen=True)
class Model(Parameters, Ranker):
    """A retrieval model: a frozen record of declared parameters. `layer` and `fields` say what it reads."""

    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""

    layer: str | None = parameter(
        None, OptionalName("a layer of the index"), "which analyzer's terms (the first's)"
    )
    fields: tuple[tuple[str, float | None], ...] | None = parameter(
        None, FieldWeights(), "which text fields, and how much each counts (as the index says)"
    )

    def __str__(self) -> str:
        return Parameters.__str__(self)

    def view(self, snapshot: Snapshot) -> LayerView:
        """Return the matrix that the model reads."""
        if self.fields is None:
            return snapshot.view(self.layer)
        own = snapshot.manifest.fields
        chosen = {name: own.get(name, 1.0) if weight is None else weight for name, weight in self.fields}
        return snapshot.view(self.layer, chosen)

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:  # noqa: ARG002 - for those that need something
        """Return what has to be trained, by name, before the model can be bound where these artefacts are."""
        return []

    def bind(self, snapshot: Snapshot) -> Scorer:
        """Return a scorer for one generation of an index."""
        return self.scorer(self.view(snapshot))

    def scorer(self, view: LayerView) -> Scorer:
        """Return a scorer for a view: documents with statistics, their own or borrowed ones."""
        raise NotImplementedError


def unknown_parameter() -> Any:  # noqa: ANN401 - as `parameter`
    """Declare what a query finds if the model knows none of its words."""
    return parameter(
        NOTHING,
        Choice((NOTHING, MATCHED)),
        "a query without any known word finds nothing, or the documents that match it, in order of arrival",
    )


MODELS: Registry[type[Model]] = Registry("ranker")


def register(model: type[Model]) -> type[Model]:
    """Add a model under its name: it then appears everywhere that models do."""
    return MODELS.register(model.name, model)


class Scorer(ABC):
    """A model bound to an index: read-only, and safe to use from several threads.

    A subclass must define `scores`; the rest follows from it. What it overrides must give the same.
    """

    extremes: tuple[float, ...] = ()  # the greatest of some numbers over all documents, if `floor` depends on such
    unknown: str = NOTHING  # what a question finds that the model does not know

    def __init__(self, view: LayerView) -> None:
        self.view = view

    @property
    def held(self) -> int:
        """Return how many bytes it holds besides what lies in the index, if they are many."""
        return 0

    @abstractmethod
    def scores(self, question: Question, documents: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the score of each of some documents by number, which ascend: the definition."""

    @abstractmethod
    def explain(self, question: Question, document: int) -> Explanation:
        """Return why a document has its score."""

    @abstractmethod
    def floor(self, question: Question) -> float:
        """Return a score that no document is below: what one that was left out counts as in a mixture."""

    def knows(self, question: Question) -> bool:
        """Tell whether any part of a question means anything here: if not, its ranking is empty."""
        return len(bags_of(self.view, [question]).terms) > 0

    def ranks(self, question: Question) -> bool:
        """Tell whether the documents that match a question are ranked, though it may know nothing of it."""
        return self.unknown == MATCHED or self.knows(question)

    def top(self, question: Question, k: int = 10, *, match: Match = "or", allowed: Allowed = None) -> Ranking:
        """Return the k best documents among those that match and are allowed."""
        return self.top_many([question], k, match=match, allowed=allowed, threads=1)[0]

    def top_many(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        match: Match = "or",
        allowed: Allowed = None,
        threads: int | None = None,  # noqa: ARG002 - for those who can use them
    ) -> list[Ranking]:
        """Return the ranking of each question; the same as one by one, whatever the number of threads."""
        k = checked_k(k)
        check_match(match)
        rankings = []
        for question in questions:
            mask = matching(self.view, question, match) & allowed_mask(self.view, allowed)
            documents = np.flatnonzero(mask if self.ranks(question) else mask[:0])
            rankings.append(best(documents, self.scores(question, documents), k))
        return rankings


def listed(view: LayerView, match: Match, allowed: Allowed) -> NDArray[np.int64] | None:
    """Return the living documents that are allowed, where that is said by number and all match; else None."""
    if match != "all" or allowed is None or np.asarray(allowed).dtype == np.bool_:
        return None
    numbers = np.asarray(allowed, np.int64)
    return np.asarray(numbers[view.alive[numbers]])


def allowed_mask(view: LayerView, allowed: Allowed) -> NDArray[np.bool_]:
    """Return for each document number whether it is alive and allowed."""
    if allowed is None:
        return view.alive
    mask = np.zeros(view.size, np.bool_)
    mask[np.asarray(allowed)] = True
    return view.alive & mask


def checked_k(k: object) -> int:
    """Return how many documents are wanted, or raise where it is not a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise UsageError(f"k must be a whole number of at least 1, got {shown(k)}")
    return int(k)


def check_numbers(view: LayerView, documents: NDArray[np.int64]) -> None:
    """Raise where there are no documents with some numbers."""
    if len(documents) and not 0 <= documents.min() <= documents.max() < view.size:
        raise IndexError(
            f"document numbers must be 0 to {view.size - 1}, got {documents.min()} to {documents.max()}"
        )


def check_match(match: str) -> None:
    """Raise where there is no such way to match."""
    if match not in MATCHES:
        raise UsageError(f"match must be one of {', '.join(MATCHES)}, got {shown(match)}")
