"""Keeping in an index what rankers derive from its documents: the documents' vectors, for now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aboutness.core.algebra import Ranker
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.snapshot import Snapshot
from aboutness.models.centroids import KIND, CentroidModel
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import models_in
from aboutness.vectors.kept import entry_of

if TYPE_CHECKING:
    from aboutness.app.index import Index

SHARE = 8  # when one in so many documents has come or gone since vectors were kept, all are made anew


def prepare(
    index: Index, rankers: str | Ranker | Iterable[str | Ranker] | None = None, *, drop: bool = False
) -> list[str]:
    """Keep the documents' vectors of some rankers, or bring up to date those that are kept; return of which.

    What is kept is found at once when the ranker is used again. Documents that come later are added when the
    ranker is used, and kept with the others when they are many. With `drop` nothing of these is kept any more.
    """
    kept = {kept_model(entry): name for name, entry in index.snapshot.trained.of_kind(KIND).items()}
    if rankers is None:
        models = list(kept)
    else:
        asked = [rankers] if isinstance(rankers, str | Ranker) else list(rankers)
        inside = [model for one in asked for model in models_in(named_ranker(one))]
        models = [_with_vectors(model, index.snapshot) for model in inside if isinstance(model, CentroidModel)]
        if asked and not models:
            raise UsageError(f"there is nothing to prepare for {', '.join(map(str, asked))}")
    chosen = list(dict.fromkeys(models))
    if drop:
        chosen = [model for model in chosen if model in kept]
        _keep(index, [], [kept[model] for model in chosen])
    else:
        _keep(index, chosen)
    return [str(model) for model in chosen]


def bring_up_to_date(index: Index) -> None:
    """Make anew what is kept where many documents have come or gone, and drop it where it cannot be made."""
    snapshot = index.snapshot
    late: list[CentroidModel] = []
    gone: list[str] = []
    for name, entry in snapshot.trained.of_kind(KIND).items():
        model = kept_model(entry)
        try:
            outdated = model.outdated(model.view(snapshot), entry)
        except (NotFound, UsageError):  # its word vectors, their OUT space or its layer are gone
            gone.append(name)
        except DamagedIndex:  # of its word vectors: others are not to wait for them
            continue
        else:
            late += [model] if outdated * SHARE >= max(snapshot.documents, 1) else []
    _keep(index, late, gone)


def kept_model(entry: ArtefactEntry) -> CentroidModel:
    """Return the model whose documents' vectors are kept."""
    model = named_ranker(entry.parameters["ranker"])
    assert isinstance(model, CentroidModel)
    return model


def _with_vectors(model: CentroidModel, snapshot: Snapshot) -> CentroidModel:
    """Return the model with its word vectors named, so that others that come later make no difference."""
    return replace(model, vectors=entry_of(snapshot.trained, model.vectors).name)


def _keep(index: Index, models: Sequence[CentroidModel], gone: Sequence[str] = ()) -> None:
    """Keep the vectors of models, one after the other, and drop others, in one commit."""
    if not models and not gone:
        return
    snapshot = index.snapshot
    with index.writing() as writer:
        for name in gone:
            writer.drop_artefact(name)
        for model in models:
            parameters, arrays = model.kept_rows(model.view(snapshot))
            of = {**parameters, "ranker": str(model)}
            writer.save_artefact(f"documents {model}", KIND, arrays, of, generation=snapshot.generation)
