"""What an index is, in plain values: for `info`, in words or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aboutness.app.index import Index
from aboutness.index.metadata import decode_entry
from aboutness.index.snapshot import Snapshot
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import known_analyzers


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
                "seed": artefact.seed,
                "parameters": dict(artefact.parameters),
                "generation": artefact.generation,
                "created": artefact.created,
                **_since(snapshot, artefact.parameters),
            }
            for artefact in manifest.artefacts.values()
        ],
        "created": manifest.created,
        "software": manifest.software,
    }


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


def models() -> list[dict[str, Any]]:
    """Return the registered rankers, models and pipelines, with their declared parameters."""
    return [
        {
            "name": name,
            "summary": ranker.summary,
            "source": ranker.source,
            "parameters": [declared.to_json() for declared in ranker.declared()],
        }
        for name, ranker in known_rankers().items()
    ]
