"""All ways of training of this room, registered: importing this makes them known."""

from __future__ import annotations

from aboutness.vectors.trainer import TRAINERS
from aboutness.vectors.word2vec import Word2Vec

__all__ = ["TRAINERS", "Word2Vec"]
