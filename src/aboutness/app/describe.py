"""What an index is, in plain values: for `info`, in words or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from aboutness.app.index import Index
from aboutness.app.keeping import without_row
from aboutness.app.training import KINDS, kept
from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.metadata import decode_entry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.centroids import KIND
from aboutness.rank.combination import Combination
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import known_analyzers
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.known import TRAINERS


def describe(index: Index) -> dict[str, Any]:
    """Return what an index holds."""
    snapshot, manifest = index.snapshot, index.snapshot.manifest
    views = {name: snapshot.view(name) for name in manifest.layers}
    first = next(iter(views.values()))
    tokens = first.field_lengths.sum(axis=1)
    entries = [file for segment in manifest.segments for file in segment.files.values()]
    entries += [artefact.file for artefact in manifest.artefacts.values()]
    return {
        "index": str(index.path),
        "generation": manifest.generation,
        "documents": snapshot.documents,
        "deleted": snapshot.size - snapshot.documents,
        "segments": len(snapshot.segments),
        "bytes": sum(entry.bytes for entry in entries),
        "fields": [
            {"name": name, "weight": weight, "tokens": int(count)}
            for (name, weight), count in zip(manifest.fields.items(), tokens, strict=True)
        ],
        "layers": [
            {
                "name": name,
                "analyzer": view.analyzer.name,
                "terms": int((view.df > 0).sum()),
                "tokens": int(view.field_lengths.sum()),
            }
            for name, view in views.items()
        ],
        "metadata": [{"key": key, "values": len(values)} for key, values in sorted(_values(snapshot).items())],
        "artefacts": [
            {
                "name": artefact.name,
                "kind": artefact.kind,
                "made_by": _made_by(artefact.parameters),
                **_size(snapshot.trained, artefact),
                "bytes": artefact.file.bytes,
                "seed": artefact.seed,
                "parameters": dict(artefact.parameters),
                "generation": artefact.generation,
                "created": artefact.created,
                **_since(snapshot, artefact.parameters),
                "inferred": without_row(snapshot, artefact.name) if artefact.kind == DocumentSpace.kind else None,
            }
            for artefact in manifest.artefacts.values()
        ],
        "created": manifest.created,
        "software": manifest.software,
    }


def _made_by(made: Mapping[str, Any]) -> str | None:
    """Return in a few words how something was trained, derived, or from which file it came."""
    way = TRAINERS.get(str(made.get("training")))
    if way is not None:
        with suppress(UsageError, TypeError):  # of another version of this package
            return str(way(**made["parameters"]))
    found = (made[key] for key in ("training", "file", "ranker") if key in made)
    return str(next(found, "")) or None


def _size(trained: Trained, entry: ArtefactEntry) -> dict[str, int | None]:
    """Return of how many words and documents something has vectors, and how many numbers are in each."""
    size: dict[str, int | None] = {"words": None, "documents": None, "dim": None}
    with suppress(DamagedIndex, UsageError):  # its files are gone, or nobody here knows what was trained
        if entry.kind in KINDS:
            made = kept(trained, entry.name)
            space = isinstance(made, DocumentSpace)
            size |= {"words": len(made.words), "documents": len(made) if space else None, "dim": made.dim}
        elif entry.kind == KIND:
            documents, dim = trained.artefact(entry.name)["rows"].shape
            size |= {"documents": documents, "dim": dim}
    return size


def _since(snapshot: Snapshot, trained: Mapping[str, Any]) -> dict[str, int | None]:
    """Return how many documents came and went since something was trained; None where it was not trained here."""
    if "arrivals" not in trained:
        return {"added_since": None, "deleted_since": None}
    added = snapshot.manifest.arrivals - int(trained["arrivals"])
    return {"added_since": added, "deleted_since": int(trained["documents"]) + added - snapshot.documents}


def _values(snapshot: Snapshot) -> dict[str, set[str]]:
    """Return each metadata key of living documents with its distinct values, as they are stored."""
    by_key: dict[str, set[str]] = {}
    for segment in snapshot.segments:
        documents = np.repeat(np.arange(len(segment)), np.diff(segment.entry_ends, prepend=0))
        for number in np.unique(segment.entries[~segment.dead_mask()[documents]]):
            entry = segment.values[int(number)]
            key, value = decode_entry(entry)
            by_key.setdefault(key, set()).update([] if value is None else [entry])
    return by_key


def analyzers() -> list[dict[str, str]]:
    """Return the named analyzers."""
    return [{"name": name, "summary": named.summary} for name, named in known_analyzers().items()]


def models(names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return rankers and what combines rankers, how they are written, and their parameters: all, or some."""
    known = known_rankers(combinations=True)
    some = {name: known[name] for name in names} or known
    return [
        {
            "name": name,
            "written": ranker.written() if issubclass(ranker, Combination) else name,
            "summary": ranker.summary,
            "source": ranker.source,
            "parameters": [declared.to_json() for declared in ranker.declared()],
        }
        for name, ranker in some.items()
    ]
