"""An index in shards with all that `default` needs, small enough to be made in a moment."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from aboutness.app.index import Index

WORDS = [
    a + b + c for a in ("mon", "ri", "ca", "tel", "sur") for b in ("ver", "da", "lo") for c in ("n", "st", "")
]


def texts(count: int, seed: int = 1) -> list[str]:
    """Texts of some length over few words, frequent and rare ones; some are equal."""
    chance = random.Random(seed)
    weights = [1 / (place + 1) for place in range(len(WORDS))]
    made = [" ".join(chance.choices(WORDS, weights, k=chance.randrange(1, 25))) for _ in range(count)]
    return [chance.choice(made) if chance.random() < 0.1 else text for text in made]


def sharded(path: Path | None, shards: int, documents: int = 300, *, dead: Iterable[str] = ()) -> Index:
    """An index of so many segments, of about equal size, that is trained for `default` and by word2vec."""
    records = [
        {"id": f"d{number}", "title": WORDS[number % len(WORDS)], "text": text, "even": number % 2 == 0}
        for number, text in enumerate(texts(documents))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        patch.setattr("aboutness.index.writer.hollow", lambda _: -1)
        index = Index.build([], path)
        with index.writing() as writer:
            for shard in range(shards):
                writer.add(records[shard * documents // shards : (shard + 1) * documents // shards])
                writer.commit()
        index.train("default", threads=1, dim=8)
        index.train("word2vec", threads=1, dim=8, min_count=1, epochs=2)
        if dead:
            index.delete(dead)
    assert len(index.snapshot.segments) == shards
    return index
