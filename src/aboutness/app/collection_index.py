"""The index of a test collection: made by this process, or in shards."""

from __future__ import annotations

from pathlib import Path

from aboutness.app.by_shards import ByShards
from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.app.sharded import build_sharded
from aboutness.app.sources import Sources
from aboutness.experiment.collection import Collection
from aboutness.index.writer import Progress
from aboutness.scale.building import Told
from aboutness.text.analyzer import Analyzer


def index_of(
    on: Collection,
    path: Path | None = None,
    *,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    by: ByShards | None = None,
    progress: Progress | None = None,
) -> Index:
    """Make an index of the documents of a collection, in memory without a path: the same one, however it is made.

    Where only some documents of a source belong to the collection, this process makes it.
    """
    if by is None or on.only is not None:
        return Index.build(on.documents(), path, analyzer=analyzer, progress=progress)
    next(on.documents())  # raises where there is none

    def tell(told: Told) -> None:
        if progress is not None:
            progress(told.documents, 0)

    return build_sharded(Sources([on.source]), path, by.made, ray=by.ray, analyzer=analyzer, tell=tell)
