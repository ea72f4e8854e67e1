"""An index that is searched where its shards are: with an engine, such as a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from aboutness.app.by_shards import ByShards
from aboutness.app.generation import Generation
from aboutness.app.index import Index
from aboutness.core.algebra import Ranker
from aboutness.index.shard import cut
from aboutness.index.snapshot import Snapshot
from aboutness.rank.bound import Searcher
from aboutness.scale.engine import Engine, engine_of
from aboutness.scale.missed import Missed
from aboutness.scale.shards import Service
from aboutness.scale.spread import Spread


class GenerationOverShards(Generation):
    """One generation of an index whose shards an engine holds."""

    def __init__(self, spread: Spread) -> None:
        super().__init__(spread.snapshot, spread.bind)
        self.shards = spread.shards

    @property
    def down(self) -> Sequence[Missed]:
        """Return the shards that do not answer, as far as is known."""
        return self.shards.down

    @cached_property
    def here(self) -> Generation:
        """Return what binds rankers to the snapshot itself; they then hold all documents, here."""
        return Generation(self.snapshot)


class IndexOverShards(Index):
    """An index whose shards an engine holds: `search` and all else as in any index, with the same answers.

    Every node of the engine must see the folder under the same path. A shard that is lost is opened again where
    there is room, and waited for. With a `service` nobody waits: hits tell which shards did not answer
    (`Hits.missing`), and what cannot be answered without such a one is `Unreachable`.
    """

    elsewhere = True
    generation: GenerationOverShards

    def __init__(
        self, snapshot: Snapshot, engine: Engine, shards: int | None = None, service: Service | None = None
    ) -> None:
        self.engine = engine
        self._at_most = shards
        self._service = service
        super().__init__(snapshot)

    def _generation_of(self, snapshot: Snapshot) -> GenerationOverShards:
        made = GenerationOverShards(Spread(snapshot, self.engine, self._at_most, self._service))
        if self._service:
            made.shards.opened()  # nobody has to wait later; and where one cannot be opened, that is told now
        return made

    def refresh(self, *, ready: bool = False) -> bool:
        """Go over to the newest generation, if there is a newer one; return whether there was."""
        return super().refresh(ready=ready or self._service is not None)

    def look(self) -> None:
        """Ask the shards whether they answer."""
        self.generation.shards.look()


@contextmanager
def opened(folder: str | Path, ray: str | None = None, shards: int | None = None) -> Iterator[Index]:
    """Open an index; over the shards of it that the Ray cluster at an address holds, if there is one."""
    snapshot = Snapshot.open(folder)
    with engine_at(ray) as engine:
        yield IndexOverShards(snapshot, engine, shards) if engine else Index(snapshot)


def opened_to_serve(
    indexes: Mapping[str, Index], engine: Engine, shards: int | None = None, replicas: int = 1
) -> dict[str, Index]:
    """Return opened indexes by name, over the shards of them that an engine holds for those who will ask."""
    how = Service(replicas=replicas)
    return {name: IndexOverShards(index.snapshot, engine, shards, how) for name, index in indexes.items()}


def shards_of(index: Index) -> int:
    """Return how many shards of an index an engine holds; 0 where it is searched here."""
    return len(index.generation.shards) if isinstance(index, IndexOverShards) else 0


@contextmanager
def engine_at(ray: str | None) -> Iterator[Engine | None]:
    """Connect to the Ray cluster at an address, if one is given."""
    if ray is None:
        yield None
        return
    with engine_of(ray) as engine:
        yield engine


@contextmanager
def binding_by(by: ByShards | None, index: Index) -> Iterator[Callable[[Ranker], Searcher] | None]:
    """Return what binds rankers to the shards of an index, where a Ray cluster is to search these; else None."""
    if by is None or by.ray is None:
        yield None
        return
    with engine_of(by.ray) as engine:
        yield Spread(index.snapshot, engine, by.shards).bind


def shards_note(index: Index) -> str | None:
    """Return what to say of an index that cannot be searched by several machines, None where it can."""
    if len(cut(index.snapshot)) > 1:
        return None
    return "the index has one segment, so one worker searches it; built with --shards N, N workers can"
