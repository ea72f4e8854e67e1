"""Search that knows what a document is about: word-embedding retrieval, trained, explained and compared.

Everything public is reachable from here; nothing heavy is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aboutness._version import __version__

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.core.errors import AboutnessError
    from aboutness.core.record import Document, Query
    from aboutness.corpus.read import read
    from aboutness.index.matrix import count_matrix
    from aboutness.text.analyzer import Analyzer
    from aboutness.text.analyzers import analyzer

_HOMES = {
    "AboutnessError": "aboutness.core.errors",
    "Analyzer": "aboutness.text.analyzer",
    "Document": "aboutness.core.record",
    "Index": "aboutness.app.index",
    "Query": "aboutness.core.record",
    "analyzer": "aboutness.text.analyzers",
    "count_matrix": "aboutness.index.matrix",
    "read": "aboutness.corpus.read",
}

__all__ = [
    "AboutnessError",
    "Analyzer",
    "Document",
    "Index",
    "Query",
    "__version__",
    "analyzer",
    "count_matrix",
    "read",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever stands there
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'aboutness' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
