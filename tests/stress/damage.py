"""Bits flipped, files cut, lost sectors, files missing, exchanged or too many: found, or without any effect.

Each time a deep check must find the damage, or all documents, postings, trained arrays and rankings must be as before;
and an index that is opened with verification must be refused, or be as before, whatever the check says.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aboutness import BM25, Index
from aboutness.core.errors import AboutnessError, IndexProblem, NotFound
from aboutness.index.check import check
from reliability.harm import WORDS, fingerprint, some_documents
from stress.bounded import Rounds, main

DATABASE = "index.db"
QUERIES = [" ".join(random.Random(number).sample(WORDS, 3)) for number in range(6)]
SECTOR = 512


class Subject:
    """An index with files of every kind, what can be seen of it, and its bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        index = Index.build(some_documents(0, 70), folder, layers={"exact": "plain"})
        index.train(dim=4, min_count=1, epochs=1, threads=1, seed=1)
        index.delete([f"d{number}" for number in range(0, 20, 4)])
        index.add(some_documents(70, 25))
        assert len(index.snapshot.segments) == 2
        self.expected = everything(folder)
        assert check(folder, deep=True).ok
        self.paths = [*sorted((folder / "arrays").iterdir()), folder / DATABASE]
        self.contents = {path: path.read_bytes() for path in self.paths}

    @contextlib.contextmanager
    def changed(self, path: Path, content: bytes) -> Iterator[None]:
        """Put other bytes into a file for a while."""
        path.write_bytes(content)
        try:
            yield
        finally:
            path.write_bytes(self.contents[path])
            self.tidy()

    @contextlib.contextmanager
    def flipped(self, path: Path, bit: int) -> Iterator[None]:
        """Flip one bit of a file for a while."""
        place = bit // 8
        self._put(path, place, self.contents[path][place] ^ 1 << bit % 8)
        try:
            yield
        finally:
            self._put(path, place, self.contents[path][place])
            self.tidy()

    @staticmethod
    def _put(path: Path, place: int, value: int) -> None:
        with path.open("r+b") as file:
            os.pwrite(file.fileno(), bytes([value]), place)

    def restore(self) -> None:
        for path, content in self.contents.items():
            path.write_bytes(content)
        self.tidy()

    def tidy(self) -> None:
        for left in self.folder.glob(f"{DATABASE}-*"):
            left.unlink()

    def is_found(self) -> bool:
        """Tell whether the damage is found; assert that it has no effect where it is not, nor after verification."""
        with contextlib.suppress(AboutnessError):
            Index.open(self.folder)  # anything else that is raised is a failure
        try:
            found = not check(self.folder, deep=True).ok
        except (IndexProblem, NotFound):
            found = True
        try:
            seen = everything(self.folder)
        except AboutnessError:
            assert found, "not found by a check, but it cannot be opened"
        else:
            assert seen == self.expected, "other documents or rankings after verification"
        return found

    def assert_whole(self) -> None:
        """Assert that the index is as it was in the beginning: no test has left anything."""
        assert {path: path.read_bytes() for path in self.paths} == self.contents
        assert not self.is_found()


def everything(folder: Path) -> object:
    """Return all that can be seen of an index that is opened with verification."""
    index = Index.open(folder, verify=True)
    seen = [fingerprint(folder)]
    seen += [
        [(hit.id, hit.score) for hit in index.search(query, 20, BM25(layer=layer))]
        for query in QUERIES
        for layer in index.snapshot.manifest.layers
    ]
    for name in sorted(index.snapshot.manifest.artefacts):
        arrays = index.snapshot.artefact(name)
        seen.append([(key, array.shape, array.tobytes()) for key, array in sorted(arrays.items())])
    return seen


# --- ways to damage an index ---------------------------------------------------------------------------


def bits(subject: Subject, draw: random.Random) -> Iterator[tuple[Path, int]]:
    """Yield bits without end: of the database, of its used bytes, of files of arrays and of their headers."""
    database, arrays = subject.paths[-1], subject.paths[:-1]
    content = subject.contents[database]
    used = [number for number, byte in enumerate(content) if byte]
    while True:
        yield database, draw.randrange(8 * len(content))
        yield database, 8 * draw.choice(used) + draw.randrange(8)
        path = draw.choice(arrays)
        yield path, draw.randrange(8 * len(subject.contents[path]))
        header = 8 + int.from_bytes(subject.contents[path][:8], "little")
        yield path, draw.randrange(8 * header)


def cut_lengths(size: int, count: int, draw: random.Random) -> list[int]:
    """Return lengths to cut a file to: those where something begins or ends, and others."""
    edges = {0, 1, 7, 8, 9, 63, 64, 100, SECTOR, 4096, size // 2, size - 4096, size - 8, size - 1}
    chosen = {length for length in edges if 0 <= length < size}
    chosen.update(draw.randrange(size) for _ in range(count - len(chosen)))
    return sorted(chosen)


def cut(subject: Subject, count: int, draw: random.Random) -> Counter[str]:
    """Cut every file to so many lengths, and lengthen it."""
    told: Counter[str] = Counter()
    for path, content in subject.contents.items():
        others = [content[:length] for length in cut_lengths(len(content), count, draw)]
        for other in [*others, content + b"\0", content + content[-SECTOR:]]:
            with subject.changed(path, other):
                found = subject.is_found()
                assert found or path.name == DATABASE, f"{path.name}, {len(other)} of {len(content)} bytes"
                told["found" if found else "without effect"] += 1
    return told


def lose_sectors(subject: Subject, count: int, draw: random.Random) -> Counter[str]:
    """Put zeros, ones, chance or another sector of the index in the place of a sector."""
    told: Counter[str] = Counter()
    for number in range(count):
        path = subject.paths[-1] if number % 2 else draw.choice(subject.paths)
        content = subject.contents[path]
        start = draw.randrange(0, len(content), SECTOR)
        other = subject.contents[draw.choice(subject.paths)]
        place = draw.randrange(0, len(other), SECTOR)
        fillers = [b"\0" * SECTOR, b"\xff" * SECTOR, draw.randbytes(SECTOR), other[place : place + SECTOR]]
        filler = draw.choice(fillers)[: len(content) - start]
        damaged = content[:start] + filler + content[start + len(filler) :]
        with subject.changed(path, damaged):
            found = subject.is_found()
            assert found or path.name == DATABASE or damaged == content, f"{path.name} at {start}"
            told["found" if found else "without effect"] += 1
    return told


def exchange(subject: Subject) -> Counter[str]:
    """Exchange every two files of arrays, and put each in the place of each other one."""
    told: Counter[str] = Counter()
    for one, two in itertools.permutations(subject.paths[:-1], 2):
        with subject.changed(one, subject.contents[two]):
            assert subject.is_found(), f"{two.name} in the place of {one.name}"
            if one < two:
                with subject.changed(two, subject.contents[one]):
                    assert subject.is_found(), f"{one.name} and {two.name}"
                told["found"] += 1
        told["found"] += 1
    return told


def remove_files(subject: Subject) -> Counter[str]:
    """Remove every file, some files together, and put folders and links that lead nowhere in their place."""
    told: Counter[str] = Counter()
    for some in itertools.chain(*(itertools.combinations(subject.paths, size) for size in (1, 2))):
        for instead in ("nothing", "a folder", "a link") if len(some) == 1 else ("nothing",):
            for path in some:
                path.unlink()
            if instead == "a folder":
                some[0].mkdir()
            elif instead == "a link":
                some[0].symlink_to("nowhere")
            assert subject.is_found(), (some, instead)
            if instead == "a folder":
                some[0].rmdir()
            for path in some:
                path.unlink(missing_ok=True)
            subject.restore()
            told["found"] += 1
    return told


def add_files(subject: Subject) -> Counter[str]:
    """Put files and folders beside those of the index: they are seen, and have no effect."""
    arrays = subject.folder / "arrays"
    extra = [arrays / "x.safetensors", arrays / ".hidden", arrays / "00000001-copy.documents.safetensors"]
    for path, content in zip(extra, (b"", b"nonsense", subject.contents[subject.paths[0]]), strict=True):
        path.write_bytes(content)
        assert not subject.is_found()
        assert check(subject.folder).unnamed == [path.name]
        path.unlink()
    for name, content in (
        (f"{DATABASE}-journal", b"nonsense" * 1000),
        ("other", b"x"),
        ("writer.lock", b"\xff" * 99),
    ):
        (subject.folder / name).write_bytes(content)
        assert not subject.is_found()
        (subject.folder / name).unlink(missing_ok=True)  # SQLite may have removed a journal
    (arrays / "folder").mkdir()
    assert not subject.is_found()
    (arrays / "folder").rmdir()
    return Counter({"without effect": 7})


def stress(rounds: Rounds, seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    found: dict[str, dict[str, int]] = {}
    flips: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as room:
        subject = Subject(Path(room) / "x.index")
        ways = {
            "cuts": lambda: cut(subject, rounds.count // 60, draw),
            "sectors": lambda: lose_sectors(subject, rounds.count // 10, draw),
            "exchanged": lambda: exchange(subject),
            "missing": lambda: remove_files(subject),
            "extra": lambda: add_files(subject),
        }
        for way, damage in ways.items():
            with rounds.attempt(way):
                found[way] = dict(damage())
                subject.assert_whole()
            subject.restore()
        for number, (path, bit) in zip(rounds, bits(subject, draw), strict=False):
            with rounds.attempt(f"bit {bit} of {path.name}"), subject.flipped(path, bit):
                seen = subject.is_found()
                assert seen or path.name == DATABASE
                flips["found" if seen else "without effect"] += 1
            if number % 1000 == 0:
                subject.assert_whole()
        subject.assert_whole()
        files = len(subject.paths)
        shutil.rmtree(subject.folder)
    return rounds.figures(files=files, bits=dict(flips), **found)


if __name__ == "__main__":
    main(stress, count=10_000, seconds=900)
