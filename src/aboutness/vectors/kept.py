"""What was trained and is kept in an index, found by name: word vectors, and rows of documents."""

from __future__ import annotations

from aboutness.core.errors import NotFound, UsageError
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.trained import Trained, how_to_train, is_in_memory
from aboutness.vectors import documents
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.trainer import TRAINERS, DocumentTrainer
from aboutness.vectors.words import WordVectors

KIND = WordVectors.kind


def entry_of(trained: Trained, name: str | None = None) -> ArtefactEntry:
    """Return the entry of word vectors with a name, or of the only ones."""
    entries, folder = trained.of_kind(KIND), trained.folder
    if not entries:
        importing = f"aboutness vectors import FILE -o {folder}"
        if is_in_memory(folder):
            importing = "index.import_vectors(FILE)"
        raise NotFound(
            f"{folder} has no word vectors; train some ({how_to_train(folder, 'word2vec')}), or "
            f"import some ({importing})"
        )
    if name is None and len(entries) > 1:
        raise UsageError(
            f"{folder} has several word vectors; name one: {', '.join(entries)} "
            f"(RANKER[vectors={next(iter(entries))}]; where no ranker is named, --vectors {next(iter(entries))})"
        )
    chosen = next(iter(entries)) if name is None else name
    if chosen not in entries:
        raise NotFound(f"{folder} has no word vectors {chosen!r}. It has: {', '.join(entries)}")
    return entries[chosen]


def vectors_of(trained: Trained, name: str | None = None) -> WordVectors:
    """Return word vectors of an index: those with a name, or the only ones."""
    chosen = entry_of(trained, name).name
    return trained.once((KIND, chosen), lambda: WordVectors.of_arrays(trained.artefact(chosen)))


def space_of(trained: Trained, name: str) -> DocumentSpace:
    """Return the rows of documents with a name, and how further texts get theirs."""
    entry = trained.of_kind(documents.KIND)[name]
    way = TRAINERS[str(entry.parameters["training"])]
    assert issubclass(way, DocumentTrainer)
    return trained.once((documents.KIND, name), lambda: way.space.of_arrays(trained.artefact(name)))
