"""Models on documents that were trained on: which artefact they read, and the rows of all documents of a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import NotFound, UsageError
from aboutness.core.kinds import FieldWeights, OptionalName
from aboutness.core.parameters import parameter
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained, how_to_train
from aboutness.index.view import LayerView
from aboutness.models.bags import words_of
from aboutness.models.model import Model, Scorer
from aboutness.models.question import Question
from aboutness.vectors.documents import KIND, DocumentSpace, Texts
from aboutness.vectors.kept import space_of
from aboutness.vectors.trainer import DocumentTrainer, Trainer
from aboutness.vectors.training_text import TrainingText

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class TrainedModel(Model):
    """A model on rows that were trained for the documents of the index.

    A subclass says in `wanted` which training it needs. It reads the layer and the fields that were trained on.
    Documents that came later get their rows when the model is bound, by what was trained; a text always gets the
    same one.
    """

    layer: str | None = parameter(
        None, OptionalName("a layer of the index"), "which analyzer's terms (those that were trained on)"
    )
    vectors: str | None = parameter(
        None,
        OptionalName("rows of documents in the index"),
        "which training (the only one that fits, or that of the usual name)",
    )

    def wanted(self) -> tuple[str, DocumentTrainer]:
        """Return what has to be trained, and the name under which it is kept unless said."""
        raise NotImplementedError

    def fits(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something that was trained so will do, where none is named."""
        return bool(made["training"] == self.wanted()[1].name)

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained: what is wanted, where nothing fits and nothing else is named."""
        name, way = self.wanted()
        entries = trained.of_kind(KIND)
        if self.vectors is None:
            there = any(self.fits(entry.parameters) for entry in entries.values())
        else:
            there = self.vectors in entries or self.vectors != name
        return [] if there else [(name, way)]

    def accepts(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something that was trained so will do where it is named."""
        return self.fits(made)  # else tables would have false labels

    def entry(self, trained: Trained, asked_as: str = "", parameter: str = "vectors") -> ArtefactEntry:
        """Return which artefact is read; errors name the ranker that was asked for, and its parameter."""
        entries, name = trained.of_kind(KIND), asked_as or self.name
        if self.vectors is not None:
            if self.vectors not in entries:
                known = ", ".join(entries) or "none"
                raise NotFound(f"{trained.folder} has no trained rows {self.vectors!r}. It has: {known}")
            if not self.accepts(entries[self.vectors].parameters):
                by = entries[self.vectors].parameters["training"]
                raise UsageError(
                    f"{self.vectors!r} was trained by {by!r}, and {name} needs something of another kind; run: "
                    f"{self._command(trained)}"
                )
            return entries[self.vectors]
        fitting = [entry for entry in entries.values() if self.fits(entry.parameters)]
        if not fitting:
            raise NotFound(
                f"{name} needs documents to be trained on, which {trained.folder} has not been for it; run: "
                f"{self._command(trained)}"
            )
        usual = [entry for entry in fitting if entry.name == self.wanted()[0]]
        if len(fitting) > 1 and not usual:
            names = ", ".join(entry.name for entry in fitting)
            raise UsageError(
                f"{trained.folder} has several trainings for {name}; name one: {names} "
                f"({name}[{parameter}={fitting[0].name}])"
            )
        return (usual or fitting)[0]

    def _command(self, trained: Trained) -> str:
        """Return what trains what is needed."""
        name, way = self.wanted()
        named = {"name": name} if name != way.name else {}
        return how_to_train(trained.folder, way.name, way.changed() | named)

    def view(self, snapshot: Snapshot) -> LayerView:
        """Return the matrix that the model reads: the layer and the fields that were trained on, unless said."""
        made = self.entry(snapshot.trained).parameters
        Model.view(self, snapshot)  # or raise where the index has no such layer or field
        layer = str(made["layer"]) if self.layer is None else self.layer
        if layer != made["layer"] or layer not in snapshot.manifest.layers:
            raise UsageError(
                f"{self.name} was trained on the layer {made['layer']!r}, not on {layer!r}; train on that one "
                "under another name (--layer, --name)"
            )
        weights: Mapping[str, float | None] = made.get("weights") or dict.fromkeys(made["fields"])
        if self.fields is not None and not _same(dict(self.fields), weights):
            said = FieldWeights().show(tuple(weights.items()))
            raise UsageError(
                f"{self.name} was trained on the fields {said}; to use others, train on them under another name "
                "(--field, --name)"
            )
        asked = dict(self.fields or ())
        fields = tuple((name, asked.get(name) if weight is None else weight) for name, weight in weights.items())
        return Model.view(replace(self, layer=layer, fields=fields), snapshot)

    def scorer(self, view: LayerView) -> Scorer:
        """Return a scorer for a view."""
        return self.scorer_with(view, space_of(view.trained, self.entry(view.trained).name))

    def scorer_with(self, view: LayerView, space: DocumentSpace) -> Scorer:
        """Return a scorer for a view and what was trained."""
        raise NotImplementedError


def _same(asked: Mapping[str, float | None], trained: Mapping[str, float | None]) -> bool:
    """Tell whether the same fields are asked for, and with the same weights where these were trained with."""
    return asked.keys() == trained.keys() and all(
        trained[name] in (None, weight) or weight is None for name, weight in asked.items()
    )


def on_all(view: LayerView, space: DocumentSpace) -> DocumentSpace:
    """Return a space with a row for every document number: as trained, or else by inference."""
    if not view.lent and np.array_equal(space.arrivals, view.arrivals):
        return space
    return view.shared((on_all, space.token), lambda: _on_all(view, space))


def _on_all(view: LayerView, space: DocumentSpace) -> DocumentSpace:
    places = np.full(view.size, -1, np.int64)
    rows = np.zeros((view.size, space.dim), np.float32)
    if len(space) and not view.lent:
        found = np.searchsorted(space.arrivals, view.arrivals)
        found[found == len(space)] = 0
        there = view.alive & (space.arrivals[found] == view.arrivals)
        places[there] = found[there]
        np.take(space.rows, found, axis=0, out=rows, mode="clip")  # so that nothing is copied besides
        rows[~there] = 0
    new = view.alive & (places < 0)
    if new.any():
        rows[new] = space.infer(texts_of(view, new, space))
    return space.with_rows(rows, view.arrivals, places)


def texts_of(view: LayerView, documents: NDArray[np.bool_], space: DocumentSpace) -> Texts:
    """Return the living documents in a mask as the words that a space knows: in their order, or as bags."""
    number_of = space.words.numbers(view.terms()).astype(np.int32)
    if not space.weighted:
        return TrainingText.of_view(view).some(documents[view.alive]).texts(number_of)
    words, weights, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)], [np.zeros(0, np.int64)]
    first = 0
    for ends, terms, counts in view.rows():
        here = documents[first : first + len(ends)]
        numbers, inside = number_of[terms], np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        kept = here[inside] & (numbers >= 0) & (counts > 0)
        words.append(numbers[kept])
        weights.append(counts[kept].astype(np.float32))
        lengths.append(np.bincount(inside[kept], minlength=len(ends))[here])
        first += len(ends)
    return Texts(np.concatenate(words), np.concatenate(weights), np.concatenate(lengths).cumsum())


def text_of(view: LayerView, question: Question, space: DocumentSpace) -> Texts:
    """Return a question as the words that a space knows: in their order, or, where they have weights, as a bag."""
    if question.document is not None:
        only = np.zeros(view.size, np.bool_)
        only[question.document] = True
        return texts_of(view, only, space)
    if space.weighted or question.terms is not None:
        bag = words_of(view, question)
        words, counts = list(bag), list(bag.values())
    else:
        texts = (
            [question.text]
            if question.fields is None
            else [
                question.fields.get(name, "")
                for name, weight in zip(view.field_names, view.weights, strict=True)
                if weight
            ]
        )
        words = [term for text in texts for term in view.analyzer.terms(text)]
        counts = [1.0] * len(words)
    numbers = space.words.numbers(words)
    known = numbers >= 0
    return Texts(
        numbers[known].astype(np.int32), np.array(counts, np.float32)[known], np.array([known.sum()], np.int64)
    )
