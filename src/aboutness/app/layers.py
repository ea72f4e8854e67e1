"""The analyzers of an index by layer: the first one, and further ones that have names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aboutness.core.errors import UsageError
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer

DEFAULT_ANALYZER = "english"
DEFAULT_LAYER = "main"
LAYER_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # a part of file names


def layered_analyzers(
    analyzer: str | Analyzer, layers: Mapping[str, str | Analyzer] | None
) -> dict[str, Analyzer]:
    """Return the analyzers of all layers of an index, by name, the first one first."""
    for name in layers or ():
        check_layer(name)
    further = {name: named_analyzer(value) for name, value in (layers or {}).items()}
    return {DEFAULT_LAYER: named_analyzer(analyzer), **further}


def check_layer(name: str) -> None:
    """Raise where a further layer cannot have a name."""
    if not LAYER_NAME.fullmatch(name):
        raise UsageError(f"a layer's name has up to 64 ASCII letters, digits, - and _, got {name!r}")
    if name == DEFAULT_LAYER:
        raise UsageError(f"the layer {name!r} is the one that analyzer (--analyzer) is for; choose another name")
