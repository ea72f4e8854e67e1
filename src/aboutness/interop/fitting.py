"""What is fitted: an index of texts in memory, with all that a ranker or a way of training needs trained in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from aboutness.app.index import Index
from aboutness.app.needed import Vectors, check_vectors, give_vectors, needs, read_words
from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Whole, checked
from aboutness.core.record import Document
from aboutness.frames.documents import documents_of
from aboutness.frames.frame import is_frame
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.known import known_rankers
from aboutness.text.analyzer import Analyzer
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import DocumentTrainer, Trainer

By: TypeAlias = str | Ranker | DocumentTrainer

SIZES = ("dim", "topics")  # what ways of training call the number of dimensions
SEED, SIZE = Whole(0, (1 << 32) - 1), Whole(1, 10_000)


@dataclass(frozen=True)
class Chance:
    """How large what is trained is, where that is said, and where chance starts."""

    dim: int | None
    seed: int

    def of(self, way: Trainer) -> Trainer:
        """Return a way of training with these."""
        names = {one.name for one in way.declared()}
        size = next((name for name in SIZES if name in names), None)
        changed: dict[str, Any] = {"seed": self.seed} if "seed" in names else {}
        if self.dim is not None and size is not None:
            changed[size] = self.dim
        return replace(way, **changed)


def chance_of(dim: object, random_state: object) -> Chance:
    """Return what was said, checked."""
    seed = checked(SEED, "random_state", random_state)
    return Chance(None if dim is None else checked(SIZE, "dim", dim), seed)


def texts_in(texts: Any) -> list[str]:  # noqa: ANN401 - anything may come
    """Return texts, or raise where they are none: also where one would iterate over something else."""
    if isinstance(texts, str | bytes | Mapping):
        raise UsageError(f"several texts are needed, got {shown(texts)}; put one in a list")
    if is_frame(texts):
        raise UsageError(
            "texts are needed, got a data frame; name the column that has them, such as frame['text']"
        )
    if getattr(texts, "ndim", 1) != 1:
        raise UsageError(f"texts must stand in one dimension, got {texts.ndim}")
    if not isinstance(texts, Iterable):
        raise UsageError(f"several texts are needed, got {shown(texts)}")
    found = list(texts)
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise UsageError(f"text {place} must be a string, got {shown(text)}")
    return [str(text) for text in found]  # numpy's strings, too


def indexed(records: Any, analyzer: str | Analyzer) -> Index:  # noqa: ANN401 - anything may come
    """Return an index in memory of texts, which have their place for an id, or of records that have one."""
    if is_frame(records):
        given: list[Any] = list(documents_of(records))
    else:
        given = list(records) if isinstance(records, Iterable) and not isinstance(records, str | Mapping) else []
        if not given or not all(isinstance(one, Document | Mapping) for one in given):
            given = [{"id": str(place), "text": text} for place, text in enumerate(texts_in(records))]
    if not given:
        raise UsageError("there must be at least one text to fit on, got none")
    return Index.build(given, analyzer=analyzer)


def train_for(index: Index, ranker: Ranker, vectors: Vectors | None, chance: Chance) -> None:
    """Train what a ranker needs, by one thread, so that it is the same every time; word vectors may be given."""
    check_vectors(vectors)
    if vectors is not None:
        if not read_words(ranker):
            raise UsageError(f"{ranker} reads no word vectors: leave out `vectors`")
        by_name = isinstance(vectors, str) and vectors in TRAINERS
        if chance.dim is not None and not by_name:
            raise UsageError("word vectors that are given have as many dimensions as they have: leave out dim")
        give_vectors(index, chance.of(TRAINERS[str(vectors)]()) if by_name else vectors)
    for name, way in needs([ranker], index.snapshot.trained).items():
        index.train(chance.of(way), name=name, threads=1)


def train_by(index: Index, way: DocumentTrainer, vectors: Vectors | None) -> str:
    """Train in a given way, which takes no word vectors; return the name of what was trained."""
    if vectors is not None:
        raise UsageError(f"{way.name} reads no word vectors: leave out `vectors`")
    index.train(way, threads=1)
    return way.name


def ranker_or_training(by: object, chance: Chance) -> Ranker | DocumentTrainer:
    """Return a ranker by its name, or a way of training documents: where a name is both, the ranker."""
    if isinstance(by, str) and by in TRAINERS and by not in known_rankers():
        by = chance.of(TRAINERS[by]())
    elif isinstance(by, DocumentTrainer) and chance.dim is not None:
        raise UsageError(f"{by.name} says itself how many dimensions it has: leave out dim, or give its name")
    if isinstance(by, DocumentTrainer):
        return by
    if isinstance(by, Trainer):
        raise UsageError(
            f"{by.name} trains word vectors: say how texts are made of them, such as by='iwcs', and give it as "
            "`vectors`"
        )
    if not isinstance(by, str | Ranker):
        raise UsageError(f"what makes a text a vector must be a ranker or a way of training, got {shown(by)}")
    return named_ranker(by)
