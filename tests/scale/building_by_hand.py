"""What a sharded index must have in common with one that was built from the same sources by one process."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

WORDS = [
    "sun",
    "moon",
    "star",
    "tide",
    "river",
    "stone",
    "cloud",
    "rain",
    "snow",
    "wind",
    "fire",
    "ash",
    "oak",
    "elm",
    "pine",
    "fern",
    "moss",
    "lake",
    "hill",
    "dale",
]
QUERIES = [
    "sun moon",
    "new70 star",
    "river",
    "lake hill dale dale",
    "nothing known",
    "first title 3",
    "data class",
]
RANKERS = ["bm25", "ql", "tfidf"]


def write_lines(path: Path, records: list[dict]) -> Path:
    text = "".join(json.dumps(record) + "\n" for record in records)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def differences(whole, parts) -> list[str]:
    """Return in what two indexes differ: documents, numbers, statistics, postings, rankings; not in segments."""
    one, other = whole.snapshot, parts.snapshot
    found = []
    if one.manifest.fields != other.manifest.fields or list(one.manifest.fields) != list(other.manifest.fields):
        return [f"fields: {one.manifest.fields} and {other.manifest.fields}"]
    numbers = np.arange(one.size)
    if one.size != other.size or one.ids_of(numbers) != other.ids_of(numbers):
        return ["ids"]
    found += ["documents"] if one.documents_of(numbers) != other.documents_of(numbers) else []
    for layer in one.manifest.layers:
        found += [f"{layer}: {name}" for name in _of_layer(one.view(layer), other.view(layer))]
    for ranker in RANKERS:
        for query in QUERIES:
            here, there = (
                [(hit.id, hit.score) for hit in index.search(query, 1000, ranker)] for index in (whole, parts)
            )
            found += [f"{ranker} {query!r}"] if here != there else []
    return found


def _of_layer(one, other) -> list[str]:
    if one.terms() != other.terms():
        return ["terms"]
    arrays = ("df", "field_cf", "field_lengths", "arrivals")
    found = [name for name in arrays if not np.array_equal(getattr(one, name), getattr(other, name))]
    for term in range(one.vocabulary_size):
        if not _same(one.postings(term), other.postings(term)):
            return [*found, f"postings of {one.term(term)}"]
    for number in range(one.size):
        if not _same(one.forward(number), other.forward(number)):
            return [*found, f"forward row {number}"]
        # A field that no document had when a segment was written is not stored there.
        streams = ([stream.tolist() for stream in view.stream(number)] for view in (one, other))
        here, there = ([*some, *[[]] * (len(one.weights) - len(some))] for some in streams)
        if here != there:
            return [*found, f"stream {number}"]
    return found


def _same(some, others) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def rejects_of(errors) -> list[tuple]:
    """Return bad records in an order and wording that do not depend on how they came in batches."""
    return sorted(
        (error.origin, error.problem.partition(" is in the")[0].partition(" came")[0], error.raw)
        for error in errors
    )
