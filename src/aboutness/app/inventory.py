"""What an index holds and how it is, without where it lies: for those who only know its name."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aboutness.app.describe import describe
from aboutness.index.database import NAME as DATABASE

if TYPE_CHECKING:
    from aboutness.app.index import Index

FREQUENT = 20  # terms of a layer that are shown


def inventory(index: Index, name: str) -> dict[str, Any]:
    """Return what `describe` does, but with the name of the index in the place of its folder.

    It is found out once for each generation: where documents have many different metadata, that takes seconds.
    """
    found = index.snapshot.view().once("inventory", lambda: describe(index))
    return {**found, "index": name}


def vocabulary(index: Index, most: int = FREQUENT) -> list[dict[str, Any]]:
    """Return of each layer the number of terms, and the terms that most documents have."""
    found = []
    snapshot = index.snapshot
    for layer in snapshot.manifest.layers:
        view = snapshot.view(layer)
        df, cf = view.df, view.field_cf.sum(axis=0)
        best = np.lexsort((-cf, -df))[:most]
        terms = [
            {"term": view.term(number), "documents": int(df[number]), "tokens": int(cf[number])}
            for number in best.tolist()
            if df[number]
        ]
        found.append({"layer": layer, "terms": int((df > 0).sum()), "frequent": terms})
    return found


def health(index: Index, name: str) -> dict[str, Any]:
    """Return whether an index is what was written, the problems in words, and when it was last changed."""
    report = index.check()
    changed = datetime.fromtimestamp((index.path / DATABASE).stat().st_mtime, UTC)
    return {
        "index": name,
        "ok": report.ok,
        "deep": report.deep,
        "generation": report.generation,
        "files": report.files,
        "bytes": report.bytes,
        "documents": report.documents,
        "problems": [without_folder(problem, index, name) for problem in report.problems],
        "unnamed": len(report.unnamed),
        "changed": changed.isoformat(timespec="seconds"),
    }


def without_folder(text: str, index: Index, name: str) -> str:
    """Return a message with the name of the index in the place of its folder."""
    for written in folder_forms(index.path):
        text = text.replace(written, name)
    return text


def folder_forms(path: Path) -> list[str]:
    """Return how messages may write a path that has folders in it, the longest form first.

    >>> folder_forms(Path("/a/b.index")), folder_forms(Path(".")) == [str(Path.cwd())]
    (['/a/b.index'], True)
    """
    forms = {str(one) for one in (path, path.absolute(), path.resolve()) if len(one.parts) > 1}
    return sorted(forms, key=len, reverse=True)
