"""Keeping in an index what rankers derive from its documents: vectors, lists, and rows beside those trained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from aboutness.app.keeping_lists import (
    approximate_in,
    bring_lists_up_to_date,
    keep_lists,
    kept_approximate,
    lists_of,
)
from aboutness.app.naming import with_vectors_named
from aboutness.core.algebra import Ranker
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.snapshot import Snapshot
from aboutness.models.centroids import KIND, CentroidModel
from aboutness.models.model import Model
from aboutness.models.trained import TrainedModel, on_all
from aboutness.models.weighted import Weighted
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import models_in
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.kept import space_of

if TYPE_CHECKING:
    from aboutness.app.index import Index

SHARE = 8  # when one in so many documents has come or gone since vectors were kept, all are made anew


def prepare(
    index: Index, rankers: str | Ranker | Iterable[str | Ranker] | None = None, *, drop: bool = False
) -> list[str]:
    """Keep the documents' vectors of some rankers, or bring up to date those that are kept; return of which.

    With an approximate ranker its lists are kept, too.

    What is kept is found at once when the ranker is used again. Documents that come later are added when the
    ranker is used, and kept with the others when they are many. With `drop` nothing of these is kept any more, but
    for what was trained.
    """
    trained = index.snapshot.trained
    kept = {kept_model(entry): name for name, entry in trained.of_kind(KIND).items()}
    if rankers is None:
        inside: list[Model] = []
        models: list[CentroidModel] = list(kept)
        spaces = list(trained.of_kind(DocumentSpace.kind))
        found = spaces
    else:
        asked = [rankers] if isinstance(rankers, str | Ranker) else list(rankers)
        plain = [model for one in asked for model in models_in(named_ranker(one))]
        inside = [with_vectors_named(model, index.snapshot) for model in plain]
        models = [model for model in inside if isinstance(model, CentroidModel)]
        spaces = [model.entry(trained).name for model in map(_trained, inside) if model is not None]
        found = [str(model) for model in inside if isinstance(model, TrainedModel)]
        if asked and not models and not spaces:
            raise UsageError(f"there is nothing to prepare for {', '.join(map(str, asked))}")
    chosen = list(dict.fromkeys(models))
    if drop:
        chosen = [model for model in chosen if model in kept]
        dropped = lists_of(trained, None if rankers is None else inside)
        _keep(index, [], [*(kept[model] for model in chosen), *dropped])
        return [*map(str, chosen), *dropped.values()]
    for name in dict.fromkeys(spaces):  # first, as vectors may be made of these rows
        fold_in(index, name)
    _keep(index, chosen)
    lists = keep_lists(index, kept_approximate(trained) if rankers is None else approximate_in(asked))
    return [*map(str, chosen), *dict.fromkeys(found), *lists]


def bring_up_to_date(index: Index) -> None:
    """Make anew what is kept where many documents have come or gone, and drop it where it cannot be made."""
    for name in index.snapshot.trained.of_kind(DocumentSpace.kind):
        with suppress(DamagedIndex, UsageError):  # or nobody here knows that way of training
            if _many(outdated(index.snapshot, name), index.snapshot):
                fold_in(index, name)
    snapshot = index.snapshot
    late: list[CentroidModel] = []
    gone: list[str] = []
    for name, entry in snapshot.trained.of_kind(KIND).items():
        model = kept_model(entry)
        try:
            changed = model.outdated(model.view(snapshot), entry)
        except (NotFound, UsageError):  # its word vectors, their OUT space or its layer are gone
            gone.append(name)
        except DamagedIndex:  # of its word vectors: others are not to wait for them
            continue
        else:
            late += [model] if _many(changed, snapshot) else []
    _keep(index, late, gone)
    bring_lists_up_to_date(index)


def _many(changed: int, snapshot: Snapshot) -> bool:
    return changed * SHARE >= max(snapshot.documents, 1)


def kept_model(entry: ArtefactEntry) -> CentroidModel:
    """Return the model whose documents' vectors are kept."""
    model = named_ranker(entry.parameters["ranker"])
    assert isinstance(model, CentroidModel)
    return model


def _trained(model: Model) -> TrainedModel | None:
    """Return the model whose trained rows a model reads: itself, or the one that weighs its words."""
    reader = model.weigher if isinstance(model, Weighted) else model
    return reader if isinstance(reader, TrainedModel) else None


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


# --- beside what was trained --------------------------------------------------------------------------------


def fold_in(index: Index, name: str) -> None:
    """Keep, beside the rows that were trained, those of documents that came since; the dead lose theirs.

    It is still the same training, on the documents that were there then.
    """
    snapshot = index.snapshot
    entry = snapshot.trained.entries[name]
    if not outdated(snapshot, name):
        return
    made = entry.parameters
    view = snapshot.view(made["layer"], made.get("weights") or made["fields"])
    space = on_all(view, space_of(snapshot.trained, name))
    new = view.alive & (view.arrivals >= made["arrivals"])
    kept = space.with_provenance(inferred=int(new.sum()))
    with index.writing() as writer:
        index.refresh()
        if index.snapshot.trained.entries.get(name) == entry:  # else it was trained anew meanwhile, or dropped
            writer.save_artefact(
                name, entry.kind, kept.arrays(), kept.provenance, entry.seed, generation=entry.generation
            )


def outdated(snapshot: Snapshot, name: str) -> int:
    """Return how many documents have come or gone since rows of documents were kept."""
    return len(np.setxor1d(snapshot.trained.artefact(name)["arrivals"], snapshot.arrivals, assume_unique=True))


def without_row(snapshot: Snapshot, name: str) -> int | None:
    """Return how many documents have no row among those kept, and get one when it is needed; None for damage."""
    try:
        kept = snapshot.trained.artefact(name)["arrivals"]
    except DamagedIndex:
        return None
    return len(np.setdiff1d(snapshot.arrivals[snapshot.alive], kept, assume_unique=True))
