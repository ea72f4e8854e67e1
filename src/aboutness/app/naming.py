"""Models with their vectors named, so that others that come later make no difference."""

from __future__ import annotations

from dataclasses import replace

from aboutness.index.snapshot import Snapshot
from aboutness.models.centroids import CentroidModel
from aboutness.models.model import Model
from aboutness.models.trained import TrainedModel
from aboutness.vectors.kept import entry_of


def with_vectors_named(model: Model, snapshot: Snapshot) -> Model:
    """Return the model with its vectors named, so that others that come later make no difference."""
    if isinstance(model, CentroidModel):
        return replace(model, vectors=entry_of(snapshot.trained, model.vectors).name)
    if isinstance(model, TrainedModel):
        return replace(model, vectors=model.entry(snapshot.trained).name)
    return model
