"""Documents on sun and moon, and a few published vectors: what is trained and imported in the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from aboutness.app.index import Index
from aboutness.index.manifest import ArtefactEntry

LINES = [
    ("The sun", "the sun rises over the cities and the sea"),
    ("The moon", "the moon rises over the new harbour of York"),
    ("Cities", "a city by the sea has a harbour and new songs"),
    ("Songs", "songs of the moon and the sun and the sea"),
]
RECORDS = [
    {"id": f"d{n}-{turn}", "title": title, "text": text}
    for turn in range(5)
    for n, (title, text) in enumerate(LINES)
]
SMALL = {"dim": 8, "min_count": 1, "epochs": 2, "sample": 0, "threads": 1}
NEW = [{"id": "new", "text": "a comet"}]

WORDS = [b"sun", b"Moon", b"sea", b"harbour"]
MATRIX = np.array([[1, 0, 0.5], [0.75, 0.25, 0.5], [0, 1, 0], [0, 0.5, -1]], np.float32)


def entry(index: Index, name: str = "word2vec") -> ArtefactEntry:
    """Return what the index says of something trained."""
    return index.snapshot.manifest.artefacts[name]


def same(one: Any, other: Any) -> bool:
    """Tell whether two things that were trained have the same arrays."""
    a, b = one.arrays(), other.arrays()
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def stored(index: Index) -> dict[str, bytes]:
    """Return the files of an index."""
    return {path.name: path.read_bytes() for path in (index.path / "arrays").iterdir()}
