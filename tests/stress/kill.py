"""kill -9 at random moments of index, add, update, delete, merge, a new layer, overwrite, train: nothing is lost.

One index lives on from kill to kill. A child that was forked from this process, which runs no parallel kernel, makes
a change and tells when it has returned; it is killed after a random time, or before a random call to the operating
system. What is then on the disk must be sound, and hold all that was told, and at most the one change that was under way.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index
from aboutness.core.errors import AboutnessError
from aboutness.core.record import Document
from aboutness.index.check import check
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter
from aboutness.vectors import threads
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.word2vec import Word2Vec
from reliability.harm import CALLS, JOURNAL, Child, some_documents, watched
from stress.bounded import Rounds, main

LARGEST = 300  # documents; an index with more is overwritten
COMMITS = 8  # of one writer
TRAINING = Word2Vec(dim=8, min_count=1, epochs=30, seed=1)
PARTS = {"arrays", "index.db", "writer.lock", "training"}

Tell = Callable[[str], object]


@dataclass(frozen=True)
class State:
    """What an index holds: documents by id in order of arrival, layers, and names of what was trained."""

    documents: dict[str, Document]
    layers: tuple[str, ...] = ("main",)
    trained: frozenset[str] = frozenset()

    @property
    def plain(self) -> tuple[object, ...]:
        return list(self.documents.items()), self.layers, self.trained


NOTHING = State({}, ())


@dataclass(frozen=True)
class Change:
    """What is done, and what the index holds before it and after each of its commits."""

    act: Callable[[Path, Tell], object]
    states: list[State]


class Unopenable(AssertionError):
    """An index that cannot be opened."""


class Lost(AssertionError):
    """Something that was acknowledged is not there."""


# --- changes -------------------------------------------------------------------------------------------


class Changes:
    """Draws a change of each kind for an index that holds something."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self._next = 0

    def new(self, count: int) -> list[Document]:
        self._next += count
        return some_documents(self._next - count, count)

    def index(self, _state: State) -> Change:
        documents = self.new(60)
        return Change(once(lambda folder: Index.build(documents, folder)), [NOTHING, State(by_id(documents))])

    def overwrite(self, state: State) -> Change:
        documents = self.new(60)
        act = once(lambda folder: Index.build(documents, folder, overwrite=True))
        return Change(act, [state, State(by_id(documents))])

    def add(self, state: State) -> Change:
        documents = self.new(self.draw.randrange(1, 60))
        after = replace(state, documents=state.documents | by_id(documents))
        return Change(once(lambda folder: Index.open(folder).add(documents)), [state, after])

    def update(self, state: State) -> Change:
        old = [replace(state.documents[name], metadata={"updated": 1}) for name in self.some(state)]
        documents = old + self.new(3)
        kept = {name: document for name, document in state.documents.items() if name not in by_id(documents)}
        act = once(lambda folder: Index.open(folder).add(documents, update=True))
        return Change(act, [state, replace(state, documents=kept | by_id(documents))])

    def delete(self, state: State) -> Change:
        gone = self.some(state)
        kept = {name: document for name, document in state.documents.items() if name not in set(gone)}
        return Change(
            once(lambda folder: Index.open(folder).delete(gone)), [state, replace(state, documents=kept)]
        )

    def merge(self, state: State) -> Change:
        return Change(once(lambda folder: Index.open(folder).merge()), [state, state])

    def layer(self, state: State) -> Change:
        name = f"layer{len(state.layers)}"
        after = replace(state, layers=(*state.layers, name))
        return Change(once(lambda folder: Index.open(folder).add_layer(name, "plain")), [state, after])

    def train(self, state: State) -> Change:
        act = once(lambda folder: Index.open(folder).train(TRAINING, threads=1))
        return Change(act, [state, replace(state, trained=state.trained | {TRAINING.name})])

    def commits(self, state: State) -> Change:
        """Return several commits of one writer: documents come one by one, and each second one goes again."""
        states, steps = [state], []
        for number in range(COMMITS):
            (document,) = self.new(1)
            documents = {**states[-1].documents, document.id: document}
            gone = next(iter(documents)) if number % 2 else None
            documents.pop(gone, None)
            states.append(replace(state, documents=documents))
            steps.append((document, gone))

        def act(folder: Path, tell: Tell) -> None:
            with IndexWriter(folder) as writer:
                for document, gone in steps:
                    writer.add([document])
                    if gone:
                        writer.delete([gone])
                    writer.commit()
                    tell("committed")

        return Change(act, states)

    def some(self, state: State) -> list[str]:
        return self.draw.sample(list(state.documents), min(len(state.documents), self.draw.randrange(1, 40)))


KINDS = ("index", "overwrite", "add", "update", "delete", "merge", "layer", "train", "commits")


def by_id(documents: list[Document]) -> dict[str, Document]:
    return {document.id: document for document in documents}


def once(act: Callable[[Path], object]) -> Callable[[Path, Tell], object]:
    def told(folder: Path, tell: Tell) -> None:
        act(folder)
        tell("committed")

    return told


# --- rounds --------------------------------------------------------------------------------------------


class Life:
    """An index from kill to kill."""

    def __init__(self, room: Path, seed: int) -> None:
        self.draw = random.Random(seed)
        self.changes = Changes(self.draw)
        self.folder = room / "x.index"
        self.figures: Counter[str] = Counter()
        self.usual: dict[str, tuple[float, int]] = {}  # seconds and calls that each kind of change takes
        self.renew()
        for kind in KINDS:
            self.measure(kind)

    def renew(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        documents = self.changes.new(90)
        Index.build(documents, self.folder)
        self.state = State(by_id(documents))

    def measure(self, kind: str) -> None:
        """Make a change here, which warms the kernels up, and once more in a child, to see how long it takes."""
        self.run(kind, lambda act: act(lambda _: None))

        def timed(act: Callable[[Tell], object]) -> None:
            with Child(lambda tell: self._timed(act, tell)) as child:
                _, told = child.end()
            assert isinstance(told[-1][1], tuple), told
            self.usual[kind] = told[-1][1]

        self.run(kind, timed)

    @staticmethod
    def _timed(act: Callable[[Tell], object], tell: Tell) -> tuple[float, int]:
        start = time.perf_counter()
        with watched(CALLS, lambda *_: None) as made:
            act(tell)
        return time.perf_counter() - start, len(made)

    def run(self, kind: str, run: Callable[[Callable[[Tell], object]], object]) -> None:
        """Make a change that nothing cuts short."""
        change, folder = self.prepared(kind)
        run(lambda tell: change.act(folder, tell))
        self.looked_at(folder, change.states[-1:])
        self.state = change.states[-1]

    def prepared(self, kind: str) -> tuple[Change, Path]:
        """Return a change of some kind and where to make it."""
        if len(self.state.documents) > LARGEST or len(self.state.layers) > 3:
            self.renew()
        if kind == "index":
            self.figures["folders"] += 1
            self.folder = self.folder.parent / f"x{self.figures['folders']}.index"
        return getattr(self.changes, kind)(self.state), self.folder

    def round(self, kind: str) -> None:
        change, folder = self.prepared(kind)
        expected = TRAINING.train(Index.open(folder).view(), threads=1) if kind == "train" else None
        acknowledged = self.killed(kind, change, folder)
        possible = change.states[acknowledged : acknowledged + 2]
        if kind == "index" and not acknowledged and not folder.exists():
            self.figures["not there yet"] += 1
            change.act(folder, lambda _: None)
            possible = possible[1:]
        reached = self.looked_at(folder, possible, change.states[:acknowledged])
        self.figures["told"] += bool(acknowledged)
        self.figures["under way, and in"] += reached
        self.figures["under way, and not in"] += not reached and len(possible) > 1
        self.state = possible[reached]
        if expected is not None:
            self.trained(folder, expected)

    def killed(self, kind: str, change: Change, folder: Path) -> int:
        """Make a change in a process that is killed; return how many of its commits had been told."""
        seconds, calls = self.usual[kind]
        at = self.draw.randrange(1, calls + 2) if self.draw.random() < 0.5 else 0
        delay = self.draw.uniform(0, 1.1 * seconds)

        def die(_name: str, number: int, _arguments: object) -> None:
            if number == at:
                os.kill(os.getpid(), signal.SIGKILL)

        def act(tell: Tell) -> None:
            with watched(CALLS, die):
                tell("ready")
                change.act(folder, tell)
            if at:  # more calls were made when they were counted
                os.kill(os.getpid(), signal.SIGKILL)
            signal.pause()

        with Child(act) as child:
            assert child.hear() == "ready"
            if not at:
                time.sleep(delay)
                child.stop()
            status, told = child.end()
        for what in told:
            if isinstance(what, tuple) and isinstance(what[1], BaseException):
                raise AssertionError(f"the change failed: {what[1]!r}")
        self.figures["killed"] += status == signal.SIGKILL
        return told.count("committed")

    def looked_at(self, folder: Path, possible: list[State], before: list[State] | None = None) -> int:
        """Look at the index; return which of the possible states it is in, and see that litter is removed."""
        try:
            snapshot = Snapshot.open(folder, verify=True)
        except AboutnessError as error:
            raise Unopenable(str(error)) from error
        report = check(folder, deep=True)
        assert report.ok, report.problems
        manifest = snapshot.manifest
        found = State({one.id: one for one in snapshot}, tuple(manifest.layers), frozenset(manifest.artefacts))
        states = [state.plain for state in possible]
        if found.plain not in states:
            if found.plain in [state.plain for state in before or ()]:
                raise Lost(f"{len(found.documents)} documents: older than what was acknowledged")
            raise AssertionError(f"{len(found.documents)} documents: neither the old nor the new")
        IndexWriter(folder).close()
        assert {path.name for path in (folder / "arrays").iterdir()} == manifest.files()
        assert {path.name for path in folder.iterdir()} - {JOURNAL} <= PARTS
        return states.index(found.plain)

    def trained(self, folder: Path, expected: Any) -> None:
        """Train once more, from the checkpoint where there is one: the same as without the kill."""
        self.figures["checkpoints"] += any((folder / "training").glob("*/*.safetensors"))
        found = Index.open(folder).train(TRAINING, threads=1)
        for space in ("in", "out"):
            assert np.array_equal(found.space(space), expected.space(space)), "not what was trained before"
        self.state = replace(self.state, trained=self.state.trained | {TRAINING.name})


def stress(rounds: Rounds, seed: int) -> dict[str, Any]:
    Checkpoint.__init__.__kwdefaults__["every"] = 0.0  # as often as can be
    threads.TICK = 0.002
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as room:
        life = Life(Path(room), seed)
        for number in rounds:
            kind = KINDS[number % len(KINDS)]
            kinds[kind] += 1
            failed = len(rounds.failures)
            with rounds.attempt(f"round {number}, {kind}"):
                life.round(kind)
            if len(rounds.failures) > failed:
                life.renew()
    del life.figures["folders"]
    lost = sum("Lost(" in failure for failure in rounds.failures)
    unopenable = sum("Unopenable(" in failure for failure in rounds.failures)
    return rounds.figures(**life.figures, lost=lost, unopenable=unopenable, kinds=dict(kinds))


if __name__ == "__main__":
    main(stress, count=2000, seconds=900)
