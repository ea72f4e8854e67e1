"""What rankers need to have trained before they can be used, and training it for an index that has none of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from aboutness.app.by_shards import ByShards
from aboutness.app.index import Index
from aboutness.app.training import trainer, weights_of
from aboutness.app.vectors import misfit
from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.index.trained import Trained
from aboutness.models.embedding import Embedding
from aboutness.models.model import Model
from aboutness.rank.default import DefaultVectors
from aboutness.rank.expansion.spaces import ByWordVectors
from aboutness.rank.inside import needing
from aboutness.scale.training_plan import is_sharded
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import DocumentTrainer, Progress, Trainer
from aboutness.vectors.words import WordVectors

Vectors: TypeAlias = str | Path | WordVectors | Trainer
Training: TypeAlias = Callable[[str, Progress], None]  # the name of what is being trained, and how far it is


def needs(rankers: Iterable[Ranker], trained: Trained | None = None) -> dict[str, Trainer]:
    """Return by name what has to be trained for rankers, where an index has nothing, or has these artefacts."""
    there = Trained() if trained is None else trained
    parts = [part for ranker in rankers for part in needing(ranker)]
    return {name: way for part in parts for name, way in part.needs(there)}


def read_words(ranker: Ranker) -> bool:
    """Tell whether a ranker reads word vectors."""
    return any(isinstance(part, Embedding | ByWordVectors | DefaultVectors) for part in needing(ranker))


def _brings_words(ranker: Ranker) -> bool:
    """Tell whether all that reads word vectors in a ranker has a layer of whole words for them."""
    return not any(isinstance(part, Embedding | ByWordVectors) for part in needing(ranker))


def check_vectors(vectors: object) -> None:
    """Raise where something is neither word vectors, nor a file that may hold some, nor a way of training them."""
    if vectors is None or isinstance(vectors, WordVectors):
        return
    if not isinstance(vectors, str | Path | Trainer):
        raise UsageError(f"vectors must be a file, WordVectors or a way of training, got {shown(vectors)}")
    ways = [name for name, way in TRAINERS.items() if not issubclass(way, DocumentTrainer)]
    named = vectors.name if isinstance(vectors, Trainer) else vectors
    if named in TRAINERS and named not in ways:
        raise UsageError(
            f"{named} trains rows of documents, not word vectors ({', '.join(ways)}); where a ranker needs them, "
            "they are trained without being named"
        )
    if not isinstance(vectors, Trainer) and named not in ways and not Path(named).is_file():
        known = ", ".join(ways)
        raise NotFound(f"there is no file {vectors} with word vectors, and no such way of training ({known})")


def provide(
    index: Index,
    rankers: Iterable[Ranker],
    vectors: Vectors | None = None,
    tell: Training | None = None,
    *,
    as_far_as_possible: bool = False,
    by: ByShards | None = None,
) -> tuple[str | None, dict[str, str]]:
    """Train for an index what rankers need, each once and by one thread: the same every time.

    Word vectors are those given, if some are. What can be trained by shards is trained so, if they are said.
    Return what to say where word vectors do not fit the index's words; and, where it is done as far as possible,
    the rankers for which something cannot be trained, with the reason.
    """
    asked = list(rankers)
    note = None
    if vectors is not None and any(map(read_words, asked)):
        note = give_vectors(index, vectors, tell, by)
        if all(_brings_words(ranker) for ranker in asked if read_words(ranker)):
            note = None
    failed: dict[tuple[str, Trainer], str] = {}
    lacking: dict[str, str] = {}
    for ranker in asked:
        for part in needing(ranker):
            for need in part.needs(index.snapshot.trained):
                if need not in failed:
                    try:
                        _train_for(part, index, *need, tell, by)
                    except UsageError as error:  # such as too little text, or a library that is not installed
                        if not as_far_as_possible:
                            raise
                        failed[need] = str(error)
                if need in failed:
                    lacking[str(ranker)] = f"{need[0]} cannot be trained: {failed[need]}"
    return note, lacking


def give_vectors(
    index: Index, vectors: Vectors, tell: Training | None = None, by: ByShards | None = None
) -> str | None:
    """Keep word vectors in an index: from a file, some that are loaded, or trained on its documents.

    Return what to say where they do not fit its words.
    """
    if isinstance(vectors, Trainer):
        _train(index, vectors.name, vectors, tell, by=by)
    elif isinstance(vectors, WordVectors):
        return misfit(index, index.keep_vectors(vectors, "given"))
    elif vectors in TRAINERS:
        _train(index, str(vectors), trainer(str(vectors), {}), tell, by=by)
    else:
        return misfit(index, index.import_vectors(vectors))
    return None


def _train_for(
    part: Ranker, index: Index, name: str, way: Trainer, tell: Training | None, by: ByShards | None
) -> None:
    """Train what a part of a ranker needs: rows of documents on the layer and the fields that it reads."""
    if isinstance(way, DocumentTrainer):
        view = Model.view(part, index.snapshot) if isinstance(part, Model) else index.snapshot.view()
        _train(index, name, way, tell, view.layer, weights_of(view), by=by)
    else:
        _train(index, name, way, tell, by=by)


def _train(
    index: Index,
    name: str,
    way: Trainer,
    tell: Training | None,
    layer: str | None = None,
    fields: dict[str, float] | None = None,
    *,
    by: ByShards | None = None,
) -> None:
    if tell is not None:
        tell(name, Progress(0, 1, 0.0))  # not all ways of training tell how far they are
    progress = None if tell is None else partial(tell, name)
    chosen = by if by is not None and is_sharded(way) else None
    index.train(way, name=name, layer=layer, fields=fields, threads=1, progress=progress, by=chosen)
