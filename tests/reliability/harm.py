"""What the tests of this folder share: an index to harm, what it must still hold, and ways to harm it."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import random
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from aboutness import Index
from aboutness.app.training import CHECKPOINTS
from aboutness.core.record import Document
from aboutness.index.check import check
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
State = dict[str, Document]
JOURNAL = "index.db-journal"  # may stay, without meaning, until the next commit
PARTS = {"arrays", "index.db", "writer.lock"}
PATIENCE_S = 300  # no forked process has this much to do


def some_documents(first: int, count: int, seed: int = 0) -> list[Document]:
    draw = random.Random(f"{first} {seed}")
    return [
        Document(
            f"d{number}",
            {"title": " ".join(draw.choices(WORDS, k=3)), "text": " ".join(draw.choices(WORDS, k=20))},
            {"year": draw.randrange(1980, 1990), "topics": draw.choices(WORDS, k=2)},
        )
        for number in range(first, first + count)
    ]


def state_of(documents: list[Document]) -> State:
    return {document.id: document for document in documents}


OLD = some_documents(0, 90)
MORE = some_documents(90, 60)
CHANGED = [*some_documents(20, 30, seed=1), *some_documents(150, 10)]
GONE = [f"d{number}" for number in range(0, 90, 2)]

SYNCED = [one for one in OLD if one.id not in {*GONE, *(other.id for other in CHANGED)}] + CHANGED + MORE
OPERATIONS: dict[str, Callable[[Path], object]] = {
    "add": lambda folder: Index.open(folder).add(MORE),
    "update": lambda folder: Index.open(folder).add(CHANGED, update=True),
    "delete": lambda folder: Index.open(folder).delete(GONE),
    "merge": lambda folder: Index.open(folder).merge(),
    "layer": lambda folder: Index.open(folder).add_layer("exact", "plain"),
    "overwrite": lambda folder: Index.build(MORE, folder, overwrite=True),
    "sync": lambda folder: Index.open(folder).sync(SYNCED),
}
AFTER: dict[str, State] = {
    "add": state_of(OLD + MORE),
    "update": {**state_of(OLD), **state_of(CHANGED)},
    "delete": state_of([document for document in OLD if document.id not in GONE]),
    "merge": state_of(OLD),
    "layer": state_of(OLD),
    "overwrite": state_of(MORE),
    "sync": state_of(SYNCED),
}


def build_original(folder: Path) -> None:
    """Make an index of `OLD` in two segments, one with dead documents."""
    Index.build(OLD[:65] + some_documents(1000, 5), folder)
    index = Index.open(folder)
    index.delete([f"d{number}" for number in range(1000, 1005)])
    index.add(OLD[65:])
    assert len(index.snapshot.segments) == 2


def renewed(original: Path, copy: Path) -> Path:
    shutil.rmtree(copy, ignore_errors=True)
    return Path(shutil.copytree(original, copy))


def found_in(folder: Path) -> State:
    return {document.id: document for document in Index.open(folder, verify=True)}


def assert_sound(folder: Path, *states: State) -> int:
    """Assert that the index is sound and in one of these states, and that the next writer leaves no litter."""
    report = check(folder, deep=True)
    assert report.problems == []
    found = found_in(folder)
    assert found in states
    IndexWriter(folder).close()
    snapshot = Snapshot.open(folder)
    assert {path.name for path in (folder / "arrays").iterdir()} == snapshot.manifest.files()
    assert {path.name for path in folder.iterdir()} - {JOURNAL, CHECKPOINTS} == PARTS
    assert found_in(folder) == found
    return states.index(found)


def assert_goes_on(folder: Path) -> None:
    """Assert that the index takes a further commit, after which nothing is left of those cut short."""
    found = found_in(folder)
    further = some_documents(5000, 1)
    Index.open(folder).add(further)
    assert found_in(folder) == {**found, **state_of(further)}
    assert {path.name for path in folder.iterdir()} - {CHECKPOINTS} == PARTS
    assert check(folder, deep=True).problems == []


def fingerprint(folder: Path) -> object:
    """Return everything one can see of an index, from the files themselves."""
    index = Index.open(folder, verify=True)
    seen: list[object] = [index.snapshot.manifest, [repr(document) for document in index]]
    for layer in index.snapshot.manifest.layers:
        view = index.view(layer)
        postings = [[part.tolist() for part in view.postings(term)] for term in range(view.vocabulary_size)]
        seen.append(
            (view.terms(), view.df.tolist(), view.field_cf.tolist(), view.field_lengths.tolist(), postings)
        )
    return seen


# --- processes -----------------------------------------------------------------------------------------


class Child:
    """A forked process that runs a function, which may tell things; what it raises is told at the end."""

    def __init__(self, function: Callable[[Callable[[str], None]], Any]) -> None:
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads: those that xdist has only wait
            self.pid = os.fork()
        if self.pid == 0:
            self._live(function, read, write)
        os.close(write)
        self._pipe = os.fdopen(read, "rb")

    @staticmethod
    def _live(function: Callable[[Callable[[str], None]], Any], read: int, write: int) -> None:
        send = os.write
        try:
            os.close(read)
            for number in (signal.SIGHUP, signal.SIGTERM):  # ignored in what nohup started, and inherited
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            faulthandler.register(signal.SIGALRM, file=sys.__stderr__, chain=True)
            signal.alarm(PATIENCE_S)  # it says where it stands, and ends
            try:
                result: Any = function(lambda word: send(write, pickle.dumps(word)))
            except KeyboardInterrupt:
                result = "interrupted"
            except BaseException as error:  # the parent looks at it
                result = error
            send(write, pickle.dumps(("end", result)))
        finally:
            os._exit(0)

    def hear(self) -> Any:
        """Return the next thing told; None where nothing comes any more."""
        try:
            return pickle.load(self._pipe)
        except (EOFError, pickle.UnpicklingError):
            return None

    def stop(self, number: int = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if not self._pipe.closed:  # a test has failed: leave no process behind
            self.stop()
            self.end()

    def end(self) -> tuple[int, list[Any]]:
        """Wait for the end; return the exit status and what was told meanwhile."""
        told = list(iter(self.hear, None))
        self._pipe.close()
        return os.waitpid(self.pid, 0)[1], told


def result_of(function: Callable[[], Any]) -> Any:
    """Return what a function returns, or the error it raises, in a forked process."""
    _, told = Child(lambda _tell: function()).end()
    assert told, "the process died"
    return told[-1][1]


def duration_of(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


# --- faults --------------------------------------------------------------------------------------------

CALLS = ("open", "write", "fsync", "rename", "mkdir", "unlink")


@contextlib.contextmanager
def watched(calls: tuple[str, ...], before: Callable[[str, int, tuple[Any, ...]], Any]) -> Iterator[list[str]]:
    """Call `before(name, number, arguments)` ahead of each of these calls of `os`; yield the names so far.

    Where it returns something other than None that is returned instead.
    """
    made: list[str] = []
    kept = {name: getattr(os, name) for name in calls}

    def put_before(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            made.append(name)
            answer = before(name, len(made), arguments)
            return kept[name](*arguments, **options) if answer is None else answer

        return call

    for name in calls:
        setattr(os, name, put_before(name))
    try:
        yield made
    finally:
        for name, function in kept.items():
            setattr(os, name, function)


def fill(path: Path, spare: int) -> None:
    """Fill a disk up to `spare` bytes."""
    path.unlink(missing_ok=True)
    status = os.statvfs(path.parent)
    with path.open("wb") as file:
        file.write(b"x" * max(0, status.f_bavail * status.f_frsize - spare))
