"""The shards of an index that an engine holds: asked together, with what to do where one does not answer."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import Ranker
from aboutness.core.errors import Unreachable
from aboutness.index.shard import Assembled, Shard, ViewKey, cut, key_of
from aboutness.index.snapshot import Snapshot
from aboutness.index.statistics import Counts, Statistics
from aboutness.index.view import LayerView
from aboutness.models.model import Allowed
from aboutness.scale.engine import Actor, Answer, Engine
from aboutness.scale.missed import Missed, Noted, names, noted_here
from aboutness.scale.replicas import PATIENCE_S, Copy, Ready, Replicas
from aboutness.scale.work import ShardFiles, ShardWork, Unbound, counts_of

Ints = NDArray[np.int64]

AGAIN = 10  # times that a ranker is bound for one question, as its shard is lost meanwhile
BINDING_S = 60.0  # that binding a ranker may take, where answers are wanted soon


@dataclass(frozen=True)
class Service:
    """How shards are held for those who want answers soon: whichever does not answer in time is passed over."""

    seconds: float = 10.0  # that a shard may take
    replicas: int = 1  # of each shard
    threads: int = 4  # of each of them: how many questions it works on at once


class Shards:
    """The opened shards of one generation of an index.

    Where one is lost, it is waited for until the engine has opened it again. With a `service`, nobody waits: where
    no replica of a shard answers in time, that is `Unreachable` or, where `noting_missed` tells of it, the others
    answer without it. When nobody needs them any more, the engine lets go of them.
    """

    def __init__(
        self, whole: Snapshot, engine: Engine, count: int | None = None, service: Service | None = None
    ) -> None:
        self._groups = cut(whole, count)
        folder = str(whole.folder.resolve())
        files = [ShardFiles(folder, whole.manifest, group) for group in self._groups]
        parts = [whole.segments[group.start : group.stop] for group in self._groups]
        self.firsts = [some[0].first for some in parts]
        self.ends = [some[-1].first + len(some[-1]) for some in parts]
        self.documents = [sum(one.live for one in some) for some in parts]  # that live
        self.service = service
        self._whole = whole
        self._engine = engine
        self._statistics: dict[ViewKey, Statistics] = {}  # as the engine takes them
        self._asked: weakref.WeakSet[AskedShards] = weakref.WeakSet()
        own = weakref.ref(self)  # as it is to go when nobody asks any more, nothing that it holds may hold it
        self.snapshot = Assembled(whole, lambda layer, weights: _gathered(own, whole, layer, weights))
        self.actors: list[Actor[ShardWork]]
        if service is None:
            self._made = self.actors = engine.actors(ShardWork, files)
        else:
            times = [one for one in files for _ in range(service.replicas)]  # as neighbours are on different nodes
            self._made = engine.actors(ShardWork, times, patient=False, threads=service.threads)
            self.actors = list(_replicas(self._made, service.replicas, _ready_again(own)))
        weakref.finalize(self, _let_go, engine, self._made, self.actors).atexit = False

    def __len__(self) -> int:
        return len(self.actors)

    @property
    def down(self) -> list[Missed]:
        """Return the shards of which no replica answers, as far as is known."""
        return [self.missed(place) for place, one in enumerate(self.actors) if not getattr(one, "up", True)]

    def missed(self, place: int) -> Missed:
        """Return a shard as one that did not answer."""
        return Missed(place + 1, self.documents[place], range(self.firsts[place], self.ends[place]))

    def passes_over(self, document: int) -> bool:
        """Tell whether the shard of a document is passed over in what is being asked."""
        noted = noted_here() or {}
        return any(document in one.numbers for one in noted.values())

    def look(self) -> None:
        """Ask all replicas that answered up to now whether they still do; note those that do not."""
        seconds = self.service.seconds if self.service else None
        for answer in [answer for one in self.actors if isinstance(one, Replicas) for answer in one.look()]:
            with contextlib.suppress(Unreachable):
                answer.result(seconds)

    def opened(self) -> list[int]:
        """Wait until all are opened, every replica; return by which processes. Raise where one cannot be."""
        return [answer.result(PATIENCE_S) for answer in [actor.ask("ready") for actor in self._made]]

    def counts(self, layer: str, weights: NDArray[np.float64]) -> list[Counts]:
        """Return the counts of each shard; of one that does not answer they are made here."""
        answers = [actor.ask("counts", layer, weights.tolist()) for actor in self.actors]
        made: list[Counts] = []
        for answer, group in zip(answers, self._groups, strict=True):
            try:
                made.append(answer.result(BINDING_S if self.service else None))
            except Unreachable:
                if not self.service:
                    raise
                made.append(counts_of(Shard(self._whole, group), layer, weights.tolist()))
        return made

    def shared(self, view: LayerView) -> Statistics:
        """Return the statistics of a view as the engine takes them: sent once, however often they are given."""
        key = key_of(view)
        if key not in self._statistics:
            self._statistics[key] = self._engine.share(view.statistics)
        return self._statistics[key]

    def asked(self, ranker: Ranker, views: Sequence[LayerView]) -> AskedShards:
        """Return the shards as they are asked about one ranker, which reads some views."""
        made = AskedShards(self, ranker, views)
        self._asked.add(made)
        return made

    def in_use(self) -> list[AskedShards]:
        """Return what is asked about the rankers that are bound now."""
        return list(self._asked)

    def split(self, documents: Ints) -> list[slice]:
        """Return which of some documents, which ascend, each shard has."""
        starts, ends = (np.searchsorted(documents, some).tolist() for some in (self.firsts, self.ends))
        return [slice(start, end) for start, end in zip(starts, ends, strict=True)]

    def split_allowed(self, allowed: Allowed) -> list[Allowed]:
        """Return which documents of each shard are allowed, by their numbers there."""
        if allowed is None:
            return [None] * len(self)
        if np.asarray(allowed).dtype == np.bool_:
            mask = np.asarray(allowed, np.bool_)
            parts = [mask[first:end] for first, end in zip(self.firsts, self.ends, strict=True)]
            return [None if part.all() else part for part in parts]
        numbers = np.asarray(allowed, np.int64)
        places = self.split(numbers)
        return [numbers[place] - first for place, first in zip(places, self.firsts, strict=True)]


class AskedShards:
    """The shards as they are asked about one ranker; it is bound to those that do not know it."""

    def __init__(self, shards: Shards, ranker: Ranker, views: Sequence[LayerView]) -> None:
        self.shards = shards
        self.ranker = ranker
        self.views = {key_of(view): view for view in views}

    def ask(self, method: str, arguments: Sequence[tuple[Any, ...] | None]) -> list[Any]:
        """Return what each shard answers to its arguments; None where it has none, or where it was passed over."""
        given = {place: some for place, some in enumerate(arguments) if some is not None}
        if (noted := noted_here()) is not None:
            given = {place: some for place, some in given.items() if place + 1 not in noted}
            self._check_some(noted)
        seconds = self.shards.service.seconds if self.shards.service else None
        answers: dict[int, Any] = {}
        for _ in range(AGAIN):
            sent = {place: self._call(place, method, some) for place, some in given.items()}
            answers |= self._got(sent, seconds)
            given = {place: some for place, some in given.items() if isinstance(answers[place], Unbound)}
            if not given:
                return [answers.get(place) for place in range(len(arguments))]
            lost = [place for place, bound in self._bind(given).items() if not bound]
            answers |= dict.fromkeys(lost)
            given = {place: some for place, some in given.items() if place not in lost}
        raise Unreachable(f"shards of {self.shards.snapshot.folder} are lost again and again: {sorted(given)}")

    def about(self, method: str, documents: Ints, *before: object) -> tuple[list[slice], list[Any]]:
        """Return which of some documents, which ascend, each shard has, and what it answers about these."""
        places = self.shards.split(documents)
        pairs = zip(places, self.shards.firsts, strict=True)
        arguments = [
            (*before, documents[place] - first) if place.stop > place.start else None for place, first in pairs
        ]
        return places, self.ask(method, arguments)

    def with_firsts(self, answers: Sequence[Any]) -> list[tuple[int, Any]]:
        """Return the answers that are there, each with the number of its shard's first document."""
        pairs = zip(self.shards.firsts, answers, strict=True)
        return [(first, answer) for first, answer in pairs if answer is not None]

    def _call(self, place: int, method: str, arguments: tuple[Any, ...]) -> Answer[Any]:
        return self.shards.actors[place].ask("call", self.ranker, method, *arguments)

    def bind_to(self, actor: Actor[Any]) -> Answer[Any]:
        """Bind the ranker to a shard; return at once."""
        statistics = [self.shards.shared(view) for view in self.views.values()]
        return actor.ask("bind", self.ranker, list(self.views), *statistics)

    def _bind(self, places: Iterable[int]) -> dict[int, Any]:
        sent = {place: self.bind_to(self.shards.actors[place]) for place in places}
        return self._got(sent, BINDING_S if self.shards.service else None)

    def _got(self, sent: Mapping[int, Answer[Any]], seconds: float | None) -> dict[int, Any]:
        """Return what shards answer; None for those that are passed over."""
        found: dict[int, Any] = {}
        for place, answer in sent.items():
            try:
                found[place] = answer.result(seconds)
            except Unreachable as error:
                self._miss(place, error)
                found[place] = None
        return found

    def _miss(self, place: int, error: Unreachable) -> None:
        """Note that a shard is passed over; raise where that must not be, and where none is left."""
        shards, noted = self.shards, noted_here()
        if shards.service is None:
            raise error
        if noted is None:
            which = names([place + 1])
            raise Unreachable(
                f"this cannot be answered now: of {len(shards)} shards, {which}; ask again soon"
            ) from error
        noted[place + 1] = shards.missed(place)
        self._check_some(noted)

    def _check_some(self, noted: Noted) -> None:
        """Raise where no shard is left that answers."""
        if noted and len(noted) >= len(self.shards):
            raise Unreachable(f"of {len(self.shards)} shards, {names(sorted(noted))}; ask again soon")


def _gathered(
    shards: weakref.ref[Shards], whole: Snapshot, layer: str, weights: NDArray[np.float64]
) -> Statistics:
    """Return the statistics of a view: the sum of the shards' own counts."""
    if (held := shards()) is None:
        return whole.view(layer, dict(zip(whole.fields, weights.tolist(), strict=True))).statistics
    return sum(held.counts(layer, weights), Counts.none(len(weights))).statistics(weights)


def _ready_again(shards: weakref.ref[Shards]) -> Ready:
    """Return what waits until an actor is there, and has all rankers that are in use."""

    def ready(actor: Actor[Any]) -> None:
        actor.ask("ready").result(PATIENCE_S)
        if (held := shards()) is not None:
            for answer in [asked.bind_to(actor) for asked in held.in_use()]:
                answer.result(PATIENCE_S)

    return ready


def _replicas(actors: Sequence[Actor[ShardWork]], each: int, ready: Ready) -> Iterator[Replicas]:
    for place, first in enumerate(range(0, len(actors), each), 1):
        copies = enumerate(actors[first : first + each], 1)
        yield Replicas([Copy(f"shard {place}, replica {one}", actor, ready) for one, actor in copies], ("bind",))


def _let_go(engine: Engine, made: Sequence[Actor[Any]], actors: Sequence[Actor[Any]]) -> None:
    """Let go of actors: by a thread, as it is not known where this is called."""
    for one in actors:
        if isinstance(one, Replicas):
            one.close()
    threading.Thread(target=engine.release, args=(made,), daemon=True).start()
