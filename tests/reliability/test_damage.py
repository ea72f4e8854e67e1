"""Cut, flipped, exchanged and missing files: found by a deep check, or without any effect; never a crash.

Ten thousand bits, and more of everything else, are flipped by `python -m tests.stress.damage`.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil

import pytest

from aboutness import Index
from aboutness.core.errors import DamagedIndex
from aboutness.index.check import check
from aboutness.index.writer import IndexWriter
from reliability.harm import JOURNAL, fingerprint
from stress.damage import DATABASE, Subject, add_files, bits, cut, exchange, lose_sectors, remove_files

FLIPS = 400
CUTS = 18  # lengths of each file
SECTORS = 80
HEADER_BYTES = 100  # of the database


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return Subject(tmp_path_factory.mktemp("damage") / "x.index")


@pytest.fixture
def subject(whole):
    """Return an index to damage, which a test must leave as it was."""
    yield whole
    whole.restore()
    whole.assert_whole()


def files_of(folder):
    return sorted((folder / "arrays").iterdir())


def flipped(content, bit):
    other = bytearray(content)
    other[bit // 8] ^= 1 << bit % 8
    return bytes(other)


# --- found, or without effect --------------------------------------------------------------------------


def test_random_bits(subject):
    found = 0
    for path, bit in itertools.islice(bits(subject, random.Random(1)), FLIPS):
        with subject.flipped(path, bit):
            if path.name == DATABASE:
                found += subject.is_found()
                continue
            (problem,) = check(subject.folder, deep=True).problems
            assert path.name in problem
            with pytest.raises(DamagedIndex, match=path.name):
                Index.open(subject.folder, verify=True)
    assert FLIPS // 8 < found < FLIPS // 2


def test_the_header_of_the_database(subject):
    for place in range(HEADER_BYTES):
        with subject.flipped(subject.folder / DATABASE, 8 * place + place % 8):
            subject.is_found()


def test_every_file_cut_or_lengthened(subject):
    told = cut(subject, CUTS, random.Random(2))
    assert told["found"] > len(subject.paths) * CUTS * 0.9


def test_what_is_cut_is_seen_at_opening(subject):
    for path in subject.paths[:-1]:
        with subject.changed(path, subject.contents[path][:-1]):
            assert not check(subject.folder).ok
            with pytest.raises(DamagedIndex):
                Index.open(subject.folder).trained("word2vec")


def test_lost_sectors(subject):
    assert lose_sectors(subject, SECTORS, random.Random(3))["found"] > SECTORS // 3


def test_exchanged_files(subject):
    exchange(subject)


def test_missing_files(subject):
    remove_files(subject)


def test_files_too_many(subject):
    add_files(subject)


def test_damage_that_is_not_found_is_a_failure(subject, monkeypatch):
    manifest = Index.open(subject.folder).snapshot.manifest
    entries = [entry for segment in manifest.segments for entry in segment.files.values()]
    entries += [artefact.file for artefact in manifest.artefacts.values()]
    said = {entry.name: entry.checksum for entry in entries}
    monkeypatch.setattr("aboutness.index.disk.checksum_of", lambda path: said[path.name])
    path = next(path for path in subject.paths if path.name.startswith("artefact"))
    with subject.flipped(path, 8 * len(subject.contents[path]) - 1), pytest.raises(AssertionError):
        subject.is_found()


# --- what is said --------------------------------------------------------------------------------------


def test_a_header_that_moves_the_arrays_is_seen_at_opening(index):
    for path in files_of(index):
        content = path.read_bytes()
        for bit in range(64):
            path.write_bytes(flipped(content, bit))
            with pytest.raises(DamagedIndex):
                Index.open(index)
        path.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"\0" * 512, b"nonsense" * 1000, os.urandom(5000)])
def test_a_foreign_journal(index, original, content):
    (index / JOURNAL).write_bytes(content)
    assert fingerprint(index) == fingerprint(original)
    assert check(index, deep=True).ok


def test_missing_and_exchanged_files(index):
    first, second, *_ = files_of(index)
    for path in files_of(index):
        path.rename(index / "away")
        assert not check(index, deep=True).ok
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
    assert not check(index, deep=True).ok
    first.write_bytes(one)
    second.write_bytes(two)
    assert check(index, deep=True).ok
    shutil.rmtree(index / "arrays")
    assert not check(index, deep=True).ok
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
