"""A collection whose queries, documents and judgements are drawn by chance, but always the same."""

from __future__ import annotations

import numpy as np

from aboutness.core.record import Query
from aboutness.experiment.collection import Collection

WORDS = ["city", "river", "song", "old", "sea", "cat", "dog", "pet", "mexico", "albuquerque", "music", "place"]


def drawn_collection() -> tuple[list[dict], Collection]:
    """Return documents of a few words, and queries whose judgements are by chance."""
    chance = np.random.default_rng(3)
    made = [
        {"id": f"d{n}", "text": " ".join(chance.choice(WORDS, chance.integers(1, 30)))} for n in range(40)
    ]  # fmt: skip
    queries = [Query(f"q{n}", " ".join(chance.choice(WORDS, 2, replace=False))) for n in range(17)]
    qrels = {query.id: {f"d{n}": int(chance.integers(0, 3)) for n in chance.choice(40, 8)} for query in queries}
    return made, Collection("drawn", "nowhere", tuple(queries), qrels)


RECORDS, DRAWN = drawn_collection()
