"""The papers by name; each is read when it is asked for."""

from __future__ import annotations

from importlib import import_module

from aboutness.core.errors import UsageError, shown
from aboutness.papers import NAMES
from aboutness.papers.paper import PAPERS, Paper


def paper(name: str) -> Paper:
    """Return a paper by its name, with the sizes that it has."""
    if name not in NAMES:
        raise UsageError(f"unknown paper {shown(name)}; these can be reproduced: {', '.join(NAMES)}")
    import_module(f"aboutness.papers.{name}.protocol")
    return PAPERS[name]()
