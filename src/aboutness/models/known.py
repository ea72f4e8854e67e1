"""All models of this room, registered: importing this makes them known."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import aboutness.models
from aboutness.models.model import MODELS

for _module in iter_modules(aboutness.models.__path__):
    if _module.name != "known":
        import_module(f"aboutness.models.{_module.name}")

__all__ = ["MODELS"]
