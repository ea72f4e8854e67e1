"""Truncated, lengthened and flipped files: found by a deep check, or without any effect; never a crash."""

from __future__ import annotations

import contextlib
import os
import random
import shutil

import pytest

from aboutness import Index
from aboutness.core.errors import AboutnessError, DamagedIndex, IndexProblem
from aboutness.index.check import check
from aboutness.index.writer import IndexWriter
from reliability.harm import JOURNAL, fingerprint

FLIPS = 150  # at random places of each file of arrays
DATABASE_FLIPS = 500
HEADER_BYTES = 100  # of index.db, of which every bit is flipped


def is_found(folder, expected):
    """Tell whether a deep check finds the damage; where it does not, assert that there is no effect."""
    with contextlib.suppress(AboutnessError):
        Index.open(folder)
    try:
        seen = fingerprint(folder)
    except AboutnessError:
        seen = None
    try:
        report = check(folder, deep=True)
    except IndexProblem:
        return True
    assert seen == expected or (seen is None and not report.ok)
    return not report.ok


@pytest.fixture(scope="module")
def expected(original):
    return fingerprint(original)


@contextlib.contextmanager
def changed(path, content):
    """Put other bytes into a file for a while."""
    kept = path.read_bytes()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(kept)
        for other in path.parent.glob(f"{path.name}-*"):
            other.unlink()


def files_of(folder):
    return sorted((folder / "arrays").iterdir())


def test_every_file_cut_or_lengthened(index, expected):
    for path in [*files_of(index), index / "index.db"]:
        content = path.read_bytes()
        lengths = {0, 1, 7, 8, 9, 63, 64, 100, 512, 4096, len(content) // 2, len(content) - 8, len(content) - 1}
        for length in sorted(length for length in lengths if length < len(content)):
            with changed(path, content[:length]):
                assert is_found(index, expected) or (path.name == "index.db" and length > len(content) - 9)
                if path.name != "index.db":
                    assert not check(index).ok
                    with pytest.raises(DamagedIndex):
                        Index.open(index)
        with changed(path, content + b"\0"):
            assert is_found(index, expected) or path.name == "index.db"
    assert fingerprint(index) == expected


def flipped(content, bit):
    other = bytearray(content)
    other[bit // 8] ^= 1 << bit % 8
    return bytes(other)


def test_random_bits_of_the_arrays(index, expected):
    for path in files_of(index):
        content = path.read_bytes()
        draw = random.Random(path.stat().st_size)
        header = int.from_bytes(content[:8], "little") + 8
        places = [draw.randrange(8 * len(content)) for _ in range(FLIPS)]
        places += range(64)
        places += [draw.randrange(64, 8 * header) for _ in range(FLIPS)]
        for bit in places:
            with changed(path, flipped(content, bit)):
                with contextlib.suppress(AboutnessError):
                    Index.open(index)
                report = check(index, deep=True)
                assert len(report.problems) == 1
                assert path.name in report.problems[0]
                with pytest.raises(DamagedIndex, match=path.name):
                    Index.open(index, verify=True)
    assert fingerprint(index) == expected


def test_a_header_that_moves_the_arrays_is_seen_at_opening(index):
    for path in files_of(index):
        content = path.read_bytes()
        for bit in range(64):
            with changed(path, flipped(content, bit)), pytest.raises(DamagedIndex):
                Index.open(index)


def test_random_bits_of_the_database(index, expected):
    path = index / "index.db"
    content = path.read_bytes()
    draw = random.Random(3)
    used = [number for number, byte in enumerate(content) if byte]
    places = [
        *range(8 * HEADER_BYTES),
        *(8 * draw.choice(used) + draw.randrange(8) for _ in range(DATABASE_FLIPS)),
    ]
    found = 0
    for bit in places:
        with changed(path, flipped(content, bit)):
            found += is_found(index, expected)
    assert found > DATABASE_FLIPS // 2
    assert fingerprint(index) == expected


def test_pages_of_the_database_that_are_lost(index, expected):
    path = index / "index.db"
    content = path.read_bytes()
    for start in range(0, len(content), 4096):
        for filler in (b"\0", b"\xff"):
            with changed(path, content[:start] + filler * 4096 + content[start + 4096 :]):
                is_found(index, expected)


@pytest.mark.parametrize("content", [b"", b"\0" * 512, b"nonsense" * 1000, os.urandom(5000)])
def test_a_foreign_journal(index, expected, content):
    (index / JOURNAL).write_bytes(content)
    assert fingerprint(index) == expected
    assert check(index, deep=True).ok


def test_missing_and_exchanged_files(index, expected):
    first, second, *_ = files_of(index)
    for path in files_of(index):
        path.rename(index / "away")
        assert is_found(index, expected)
        with pytest.raises(DamagedIndex, match=path.name):
            Index.open(index, verify=True)
        if not path.name.startswith("artefact"):  # without one of those the documents can still be read
            with pytest.raises(DamagedIndex, match=path.name):
                Index.open(index)
            with pytest.raises(DamagedIndex, match=path.name):
                IndexWriter(index)
        (index / "away").rename(path)
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert is_found(index, expected)
    first.write_bytes(one)
    second.write_bytes(two)
    assert not is_found(index, expected)
    shutil.rmtree(index / "arrays")
    assert is_found(index, expected)
    with pytest.raises(DamagedIndex):
        Index.open(index)


def test_text_that_was_changed_is_not_handed_out(index):
    path = next(path for path in files_of(index) if path.name.endswith("documents.safetensors"))
    content = path.read_bytes()
    document = next(iter(Index.open(index)))
    place = content.index(document.fields["text"].encode())
    path.write_bytes(flipped(content, 8 * place))
    with pytest.raises(DamagedIndex, match=document.id):
        list(Index.open(index))
