"""Eight readers and a writer, as threads and as processes: every answer is that of one generation. And many writers.

What each generation holds follows from its number, so that readers need only note the generation that answered, and
their answers are compared with scores by hand afterwards. Then processes that all want to write, of which some are
killed while they do: one at a time gets in, the others are told who that is, and what was acknowledged is there.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from aboutness import Index
from aboutness.core.errors import IndexBusy
from aboutness.core.record import Document
from aboutness.index.check import check
from aboutness.index.writer import IndexWriter
from reliability.by_hand import assert_ranked, bm25
from reliability.harm import WORDS, Child, some_documents
from stress.bounded import Rounds, main

READERS = 8
WRITERS = 4
FIRST = 40  # documents of the first generation
K = 10
QUERIES = [" ".join(random.Random(number).sample(WORDS, 3)) for number in range(20)]

Answer = tuple[int, str, list[tuple[str, float, Document]]]
Change = tuple[list[Document], list[str]]


# --- what generations hold -----------------------------------------------------------------------------


@cache
def change_to(generation: int) -> Change:
    """Return the documents that come, or come again, and the ids that go, with a commit."""
    draw = random.Random(generation)
    before = list(held_by(generation - 1))
    gone, again = before[:3], draw.sample(before[3:], 2)
    changed = [some_documents(int(name[1:]), 1, seed=generation)[0] for name in again]
    return some_documents(FIRST + 3 * generation, 3) + changed, gone


@cache
def held_by(generation: int) -> dict[str, Document]:
    """Return the documents of a generation by id, in order of arrival."""
    if generation == 1:
        return {document.id: document for document in some_documents(0, FIRST)}
    documents, gone = change_to(generation)
    left = {document.id for document in documents}.union(gone)
    kept = {name: document for name, document in held_by(generation - 1).items() if name not in left}
    return kept | {document.id: document for document in documents}


@cache
def scores_of(generation: int, query: str) -> dict[str, float]:
    scores = bm25(held_by(generation).values(), query)
    return {name: score for name, score in scores.items() if score > 0}


def assert_of_one_generation(answer: Answer) -> None:
    generation, query, hits = answer
    if query:
        assert_ranked([(name, score) for name, score, _ in hits], scores_of(generation, query), K)
    else:
        assert [name for name, _, _ in hits] == list(held_by(generation))
    for name, _, document in hits:
        assert document == held_by(generation)[name], (generation, name)


# --- a writer and readers ------------------------------------------------------------------------------


def write(folder: Path, end: float) -> int:
    """Commit one generation after the other; return the last."""
    index = Index.open(folder)
    while time.monotonic() < end:
        generation = index.snapshot.generation + 1
        documents, gone = change_to(generation)
        with index.changes() as writer:
            writer.add(documents, update=True)
            writer.delete(gone)
            if generation % 5 == 0:
                writer.merge()
        assert index.snapshot.generation == generation
        time.sleep(0.01)
    return index.snapshot.generation


def read(folder: Path, end: float, number: int, shared: Index | None = None) -> list[Answer]:
    """Search and read until the time is over; return all answers with the generations that gave them."""
    draw = random.Random(number)
    index = shared or Index.open(folder)
    answers: list[Answer] = []
    while time.monotonic() < end:
        if shared is None and draw.random() < 0.2:
            index = Index.open(folder, verify=draw.random() < 0.5)
        elif draw.random() < 0.5:
            index.refresh(ready=draw.random() < 0.5)
        if draw.random() < 0.1:
            snapshot = index.snapshot
            answers.append((snapshot.generation, "", [(one.id, 0.0, one) for one in snapshot]))
        else:
            query = draw.choice(QUERIES)
            hits = index.search(query, K, "bm25")
            generation = hits._found.generation.snapshot.generation
            answers.append((generation, query, [(hit.id, hit.score, hit.document) for hit in hits]))
        time.sleep(0.001)
    return answers


def by_threads(folder: Path, end: float) -> tuple[int, list[list[Answer]]]:
    """Let threads that share one `Index` read while another one writes."""
    shared = Index.open(folder)
    answers: list[list[Answer]] = []
    last: list[int] = []
    errors: list[BaseException] = []

    def guarded(act: Callable[[], None]) -> threading.Thread:
        def run() -> None:
            try:
                act()
            except BaseException as error:  # told by the main thread
                errors.append(error)

        return threading.Thread(target=run)

    workers = [guarded(lambda: last.append(write(folder, end)))]
    workers += [guarded(lambda n=n: answers.append(read(folder, end, n, shared))) for n in range(READERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if errors:
        raise errors[0]
    return last[0], answers


def by_processes(folder: Path, end: float) -> tuple[int, list[list[Answer]]]:
    """Let processes read while another one writes."""

    def noted(number: int) -> None:
        (folder.parent / f"{number}.answers").write_bytes(pickle.dumps(read(folder, end, number)))

    readers = [Child(lambda _tell, n=n: noted(n)) for n in range(READERS)]
    with Child(lambda _tell: write(folder, end)) as writer:
        _, told = writer.end()
    for reader in readers:
        with reader:
            assert reader.end()[1] == [("end", None)]
    assert isinstance(told[-1][1], int), told
    notes = [folder.parent / f"{number}.answers" for number in range(READERS)]
    return told[-1][1], [pickle.loads(path.read_bytes()) for path in notes]


WAYS = {"threads": by_threads, "processes": by_processes}


def checked(way: str, folder: Path, seconds: float) -> dict[str, Any]:
    """Run a writer and readers for some time, and check all answers."""
    Index.build(held_by(1).values(), folder, analyzer="plain").search("warm", K, "bm25")
    last, all_answers = WAYS[way](folder, time.monotonic() + seconds)
    assert len(all_answers) == READERS
    for answers in all_answers:
        seen = [generation for generation, _, _ in answers]
        assert way == "threads" or seen == sorted(seen), "back to an older generation"
        for answer in answers:
            assert_of_one_generation(answer)
    assert check(folder, deep=True).problems == []
    assert [*Index.open(folder, verify=True)] == [*held_by(last).values()]
    generations = {generation for answers in all_answers for generation, _, _ in answers}
    return {"answers": sum(map(len, all_answers)), "commits": last - 1, "generations_seen": len(generations)}


# --- many writers --------------------------------------------------------------------------------------


def contend(folder: Path, end: float, tell: Callable[[Any], None]) -> None:
    """Write whenever nobody else does; tell each document that was acknowledged, and each refusal."""
    number = 0
    while time.monotonic() < end:
        name = f"{os.getpid()}-{number}"
        try:
            with IndexWriter(folder) as writer:
                writer.add([{"id": name, "text": "sun and moon"}])
                time.sleep(0.005)
                writer.commit()
            tell(("in", name))
            number += 1
        except IndexBusy as error:
            tell(("refused", re.search(r"process (\w+) is writing", str(error))[1]))
        time.sleep(0.002)


def contended(folder: Path, seconds: float) -> dict[str, Any]:
    """Let processes contend for an index, and kill one now and then."""
    Index.build([{"id": "first", "text": "moon"}], folder, analyzer="plain")
    end = time.monotonic() + seconds
    living = [Child(lambda tell: contend(folder, end, tell)) for _ in range(WRITERS)]
    told: list[Any] = []
    pids = {os.getpid(), *(child.pid for child in living)}
    kills = 0

    def reap(child: Child) -> None:
        with child:
            told.extend(child.end()[1])

    while time.monotonic() < end - 0.5:
        time.sleep(0.2)
        child = living.pop(0)
        child.stop()
        kills += 1
        reap(child)
        living.append(Child(lambda tell: contend(folder, end, tell)))
        pids.add(living[-1].pid)
    for child in living:
        reap(child)
    ends = [what for kind, what in told if kind == "end"]
    assert set(ends) <= {None}, ends
    acknowledged = {what for kind, what in told if kind == "in"}
    refused = [what for kind, what in told if kind == "refused"]
    assert {int(pid) for pid in refused if pid != "unknown"} <= pids
    index = Index.open(folder, verify=True)
    found = {document.id for document in index} - {"first"}
    assert acknowledged <= found, "lost"
    assert len(found - acknowledged) <= kills
    assert index.snapshot.generation == len(found) + 1
    assert check(folder, deep=True).problems == []
    named = sum(pid != "unknown" for pid in refused)
    return {"commits": len(found), "refusals": len(refused), "refusals_naming_a_holder": named, "kills": kills}


def stress(rounds: Rounds, _seed: int) -> dict[str, Any]:
    """Spend the time on the three ways, one after the other, in as many turns as there are rounds."""
    seconds = rounds.seconds / rounds.count / 3
    found: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as room:
        for number in rounds:
            for way in (*WAYS, "writers"):
                folder = Path(room) / f"{number}-{way}.index"
                with rounds.attempt(f"{way}, turn {number}"):
                    made = contended(folder, seconds) if way == "writers" else checked(way, folder, seconds)
                    sums = found.setdefault(way, {})
                    for name, value in made.items():
                        sums[name] = sums.get(name, 0) + value
    return rounds.figures(**found)


if __name__ == "__main__":
    main(stress, count=6, seconds=300)
