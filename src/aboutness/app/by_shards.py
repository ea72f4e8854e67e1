"""How work on an index is divided into shards, and who does it."""

from __future__ import annotations

from dataclasses import dataclass

SHARDS = 8  # unless said


@dataclass(frozen=True)
class ByShards:
    """Into how many shards documents are divided, and on which Ray cluster these are worked on.

    `shards` is how many are built and trained by (8 unless said), and at most how many an index is searched by (as
    many as it has segments). `rounds` is how often in an epoch of a training the shards' word vectors become one
    (0: by the text). `ray` is the address of a cluster, HOST:PORT, auto or local; without one this process does
    the same, one shard after the other.
    """

    shards: int | None = None
    rounds: int = 0
    ray: str | None = None

    @property
    def made(self) -> int:
        """Return how many shards are made."""
        return SHARDS if self.shards is None else self.shards
