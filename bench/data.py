"""The real collections, as records in memory."""

from __future__ import annotations

import gc
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Any

NAMES = {"yso_finna_en": "yso_finna_en", "reuters": "reuters21578_sgml", "cranfield": "cranfield"}


def source(name: str) -> Path:
    folder = os.environ.get("ABOUTNESS_DATA")
    if not folder:
        sys.exit("ABOUTNESS_DATA is not set: it names the folder with the real collections")
    return Path(folder) / NAMES[name]


def records(name: str, most: int | None = None, *, metadata: bool = False) -> list[dict[str, Any]]:
    """Return documents as plain dictionaries: what every side starts from."""
    from aboutness.corpus.read import read

    found = [
        {
            "id": document.id,
            "title": document.fields.get("title", ""),
            "text": document.fields.get("text", ""),
            **(document.metadata if metadata else {}),
        }
        for document in islice(read(source(name)), most)
    ]
    gc.collect()
    gc.freeze()  # the records themselves shall not burden anybody's garbage collections
    return found
