"""Which indexes lie beside a folder that is none: one of them may be meant."""

from __future__ import annotations

import difflib
from pathlib import Path

from aboutness.index.database import NAME

MOST = 3


def indexes_beside(folder: Path) -> list[str]:
    """Return some indexes in the same folder, those of the most similar names first."""
    try:
        found = sorted(str(path.parent) for path in folder.parent.glob(f"*/{NAME}"))
    except OSError:  # it may not be listed
        return []
    return sorted(found, key=lambda name: -difflib.SequenceMatcher(None, str(folder), name).ratio())[:MOST]
