"""Vectors out of an index, or out of a file: those of words, and those of documents, for other tools to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aboutness.app.generation import Generation
from aboutness.app.vectors import is_index, open_vectors
from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.index.snapshot import Snapshot
from aboutness.rank.bound import Searcher
from aboutness.report.spaces import chosen_vectors, dense_scorer, trained_rows
from aboutness.text.strings import StringTable
from aboutness.vectors.documents import KIND
from aboutness.vectors.export import as_written, export, format_of_name
from aboutness.vectors.words import IN, WordVectors

if TYPE_CHECKING:
    from aboutness.app.index import Index

F32 = NDArray[np.float32]

DOCUMENTS = "documents"
SUBWORDS = "pieces of words, by which unknown words have vectors"


@dataclass(frozen=True)
class Exported:
    """What was written, and where."""

    files: tuple[Path, ...]
    format: str
    of: str  # words or documents
    made_by: str  # the ranker or the training whose vectors of documents these are
    spaces: tuple[str, ...]
    count: int
    dim: int
    empty: int  # how many vectors are 0
    left_out: str  # what the format has no place for

    def to_json(self) -> dict[str, Any]:
        """Return all in plain values."""
        return {
            "files": [str(file) for file in self.files],
            "format": self.format,
            "of": self.of,
            **({"by": self.made_by} if self.made_by else {}),
            "spaces": list(self.spaces),
            "vectors": self.count,
            "dim": self.dim,
            "empty": self.empty,
            **({"left_out": self.left_out} if self.left_out else {}),
        }


def document_vectors(
    generation: Generation, ranker: str | Ranker | None = None, vectors: str | None = None
) -> WordVectors:
    """Return the vectors of all documents by their ids: those that a ranker compares, or a training's by its name.

    Unless said, they are the first training's of documents, or else those of `wcs`. A document without a known
    word has zeros.
    """
    snapshot = generation.snapshot
    by, rows = rows_by(generation.here.bound, snapshot, ranker, vectors)
    numbers = snapshot.live_numbers()
    table = StringTable.of(snapshot.ids_of(numbers))
    return WordVectors(table, {IN: rows[numbers]}, provenance={"training": str(by), "of": DOCUMENTS})


def rows_by(
    bound: Callable[[Ranker], Searcher], snapshot: Snapshot, ranker: str | Ranker | None, vectors: str | None
) -> tuple[str | Ranker, F32]:
    """Return the rows of all documents by number, and what they are: a ranker's, or a training's."""
    if ranker is not None and vectors is not None:
        raise UsageError(
            f"give a ranker or the name of a training, not both; a ranker says itself which vectors it takes: "
            f"'{ranker}[vectors={vectors}]'"
        )
    trained = snapshot.trained.of_kind(KIND)
    if vectors is not None and vectors not in trained:
        known = ", ".join(trained) or "none"
        raise NotFound(
            f"{snapshot.trained.folder} has no rows of documents {shown(vectors)}. It has: {known}; for sums of "
            f"word vectors name a ranker, such as wcs or iwcs"
        )
    by = vectors if vectors is not None else chosen_vectors(snapshot, ranker)
    if ranker is None and by in trained:
        return by, trained_rows(snapshot, str(by))[1].rows
    return by, dense_scorer(snapshot, by, bound).rows.rows


def export_vectors(
    source: str | Path,
    target: str | Path,
    *,
    name: str | None = None,
    documents: bool = False,
    ranker: str | Ranker | None = None,
    space: str | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    overwrite: bool = False,
) -> Exported:
    """Write word vectors of an index or a file, or the vectors of an index's documents, to a file."""
    chosen = format_of_name(Path(target), format)  # or raise before the work
    if not documents and ranker is None:
        found = open_vectors(source, name)
    elif space is not None:
        raise UsageError(f"documents have one vector each: leave out the space {shown(space)}")
    elif not is_index(source):
        raise UsageError(f"{source} is not an index, and only an index has documents")
    else:
        found = opened(source).document_vectors(ranker, vectors=name)
    written = as_written(found, chosen, space)
    files = export(written, target, format=format, overwrite=overwrite)
    first = next(iter(written.spaces.values()))
    return Exported(
        files=tuple(files),
        format=chosen,
        of=str(found.provenance.get("of", "words")),
        made_by=str(found.provenance["training"]) if found.provenance.get("of") == DOCUMENTS else "",
        spaces=(str(written.provenance["space"]),) if written is not found else tuple(found.spaces),
        count=len(written),
        dim=written.dim,
        empty=int(np.count_nonzero(~np.any(first, axis=1))),
        left_out="" if found.subwords is None or chosen == "safetensors" else SUBWORDS,
    )


def opened(source: str | Path) -> Index:
    """Open an index."""
    from aboutness.app.index import Index

    return Index.open(source)
