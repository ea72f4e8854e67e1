"""All ways of training of this room, registered: importing this makes them known."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import aboutness.vectors
from aboutness.vectors.trainer import TRAINERS
from aboutness.vectors.word2vec import Word2Vec

for _module in iter_modules(aboutness.vectors.__path__):
    if _module.name != "known":
        import_module(f"aboutness.vectors.{_module.name}")

__all__ = ["TRAINERS", "Word2Vec"]
