"""Training on the documents of an index by shards: on a Ray cluster, or here, one shard after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aboutness.app.by_shards import ByShards
from aboutness.app.training import BY_SHARDS, free_name, kept, kind_of, origin, reached_so_far, save
from aboutness.core.errors import Diverged
from aboutness.index import disk
from aboutness.scale.engine import engine_of
from aboutness.vectors.trainer import Made, Tell, Trainer, plain

if TYPE_CHECKING:
    from aboutness.app.index import Index


def train_by_shards(
    index: Index,
    how: Trainer,
    by: ByShards,
    *,
    name: str | None = None,
    layer: str | None = None,
    fields: Mapping[str, float] | Sequence[str] | None = None,
    restart: bool = False,
    tell: Tell | None = None,
) -> Made:
    """Do as `aboutness.app.training.train`; what is trained does not depend on who trains, or how many do.

    All machines must find the index under the same path, and be able to write there: what shards have reached is
    kept in its folder `training`, so that nothing that is done is done again.
    """
    from aboutness.scale.training import train_by_shards as trained
    from aboutness.scale.training_plan import check_way

    check_way(how, by.made, by.rounds)
    kind = kind_of(how)
    name = free_name(index, name or how.name, kind)
    snapshot = index.snapshot
    view = snapshot.view(layer, fields)
    with reached_so_far(index, name) as folder, engine_of(by.ray) as engine:
        so_far = folder / BY_SHARDS
        if restart:
            disk.remove(so_far)
        disk.make_durable_folder(so_far)
        try:
            made = trained(
                snapshot,
                view,
                how,
                so_far,
                engine,
                shards=by.made,
                rounds=by.rounds,
                tell=tell or (lambda _: None),
            )
        except Diverged:
            disk.remove(so_far)
            raise
        provenance = {**made.provenance, **origin(snapshot, view, how)}
        save(index, name, kind, made.arrays(provenance), provenance, plain(how).get("seed"), snapshot.generation)
        disk.remove(so_far)
    return kept(index.snapshot.trained, name)
