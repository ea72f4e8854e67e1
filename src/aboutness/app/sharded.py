"""Building an index in shards, by this process or on a Ray cluster.

A sharded index is an index like any other, whose shards are neighbouring segments that are not merged with others.
All nodes of a cluster must find the sources and the folder of the index under the same paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from aboutness.app.build import Build
from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_ANALYZER, layered_analyzers
from aboutness.app.memory_folder import MemoryFolder
from aboutness.app.sources import Sources
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.keys import Keys
from aboutness.index import disk
from aboutness.index.fields import checked_weights
from aboutness.index.snapshot import ARRAYS, Snapshot
from aboutness.index.writer import Added, IndexWriter
from aboutness.scale.building import ShardedSources, Tell, build_shards
from aboutness.scale.engine import engine_of
from aboutness.scale.workplace import Workplace
from aboutness.text.analyzer import Analyzer


def build_sharded(
    sources: Sources,
    path: str | Path | None,
    shards: int,
    *,
    ray: str | None = None,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    layers: Mapping[str, str | Analyzer] | None = None,
    weights: Mapping[str, float] | None = None,
    overwrite: bool = False,
    on_bad: OnBad = stop,
    tell: Tell | None = None,
) -> Index:
    """Make an index of sources in about `shards` parts, and open it; the rest is as in `Index.build`.

    `ray` is the address of a Ray cluster that does it, or `local`, or None for this process. What is finished is
    kept beside `path` until all is done: the same call goes on from there after a crash, an interrupt or a full
    disk.
    """
    memory = None
    if path is None:
        memory = MemoryFolder()
        path = memory.index
    target = Path(path).absolute()
    divided = ShardedSources(sources.names, shards, sources.format, Keys(sources.id_key, sources.fields))
    analyzers, checked = layered_analyzers(analyzer, layers), checked_weights(weights or {})

    def fill(workplace: Workplace, writer: IndexWriter) -> Added:
        with engine_of(ray) as engine:
            made = build_shards(
                engine, divided, workplace, analyzers, checked, arrived=writer.arrived, on_bad=on_bad, tell=tell
            )
        for file in made.files:
            disk.put_into(writer.folder / ARRAYS, file)
        writer.adopt(made.entries, made.fields, made.used)
        return Added(sum(entry.documents for entry in made.entries))

    try:
        with Workplace(target) as workplace:
            added = Build(analyzers, checked, partial(fill, workplace)).to(target, overwrite=overwrite)
            workplace.remove()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "the index is unchanged, and what is finished is kept: run the same command again to go on"
        ) from None
    index = Index(Snapshot.open(Path(path)), memory)
    index.added = added
    return index
