from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from aboutness.core.errors import StorageError, UsageError
from aboutness.index.arrays import write_arrays
from aboutness.vectors.checkpoint import EVERY, Checkpoint
from reliability.harm import watched

ABOUT = {"training": "word2vec[dim=3]", "tokens": 12, "text": 4_000_000_000, "format": 1}
ARRAYS = {"in": np.arange(6, dtype=np.float32).reshape(2, 3), "next": np.array([7])}
OTHER = {"in": -ARRAYS["in"], "next": np.array([8])}
WRITING = ("open", "write", "fsync", "replace")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.safetensors"


def assert_holds(checkpoint, arrays):
    found = checkpoint.load(ABOUT)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def names(path):
    return sorted(one.name for one in path.parent.iterdir())


def test_round_trip(path):
    checkpoint = Checkpoint(str(path))
    assert checkpoint.every == EVERY
    assert checkpoint.load(ABOUT) is None
    checkpoint.save(ABOUT, ARRAYS)
    assert_holds(checkpoint, ARRAYS)
    assert_holds(Checkpoint(path, every=0.5), ARRAYS)
    checkpoint.save(ABOUT, OTHER)
    assert_holds(checkpoint, OTHER)
    assert names(path) == [path.name]


def test_matrices_without_rows(path):
    checkpoint, arrays = Checkpoint(path), {**ARRAYS, "context": np.zeros((0, 8), np.float32)}
    checkpoint.save(ABOUT, arrays)
    assert_holds(checkpoint, arrays)
    assert checkpoint.load(ABOUT)["context"].shape == (0, 8)


def test_what_was_loaded_stays_while_another_is_written(path):
    checkpoint = Checkpoint(path)
    checkpoint.save(ABOUT, ARRAYS)
    loaded = checkpoint.load(ABOUT)
    checkpoint.save(ABOUT, OTHER)
    np.testing.assert_array_equal(loaded["in"], ARRAYS["in"])


def test_clear(path):
    checkpoint = Checkpoint(path)
    checkpoint.save(ABOUT, ARRAYS)
    checkpoint.clear()
    assert checkpoint.load(ABOUT) is None
    checkpoint.clear()
    assert names(path) == []


def test_about_is_compared_as_it_is_read(path):
    """What is written as JSON comes back a little different: tuples as lists, 1.0 as 1.0."""
    checkpoint = Checkpoint(path)
    about = {"a": (1, 2), "b": 0.1 + 0.2, "c": "été", "d": None}
    checkpoint.save(about, ARRAYS)
    assert checkpoint.load(about) is not None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"training": "word2vec[dim=4]"}, r"with training word2vec\[dim=3\];"),
        ({"tokens": 13}, "with tokens 12;"),
        ({"text": 1, "format": 2}, "with text 4000000000, format 1;"),
        ({"more": "things"}, "with more None;"),
    ],
)
def test_what_another_training_reached_is_refused(path, changes, words):
    checkpoint = Checkpoint(path)
    checkpoint.save(ABOUT, ARRAYS)
    with pytest.raises(UsageError, match=words) as caught:
        checkpoint.load({**ABOUT, **changes})
    message = str(caught.value)
    assert message.startswith(f"{path} is the checkpoint of another training")
    assert message.endswith("go on with the same settings and documents, or start anew with restart (--restart)")
    assert_holds(checkpoint, ARRAYS)


def damaged(path):
    """Yield ways in which the bytes of a checkpoint may be damaged so that it cannot be read."""
    whole = path.read_bytes()
    for size in (0, 1, 7, 8, 20, len(whole) // 2, len(whole) - 1):
        yield whole[:size]
    yield whole + b"x"
    yield b"\xff" * len(whole)
    yield bytes(len(whole))
    yield whole.replace(b'"about"', b'"abort"')
    yield whole.replace(b'{"training"', b'["training"')
    yield whole.replace(b'"word2vec', b"\xff\xfeord2vec")
    yield b"a text\n" * 20


def test_a_damaged_file_is_refused(path):
    checkpoint = Checkpoint(path)
    checkpoint.save(ABOUT, ARRAYS)
    for content in list(damaged(path)):
        path.write_bytes(content)
        with pytest.raises(UsageError) as caught:
            checkpoint.load(ABOUT)
        message = str(caught.value)
        assert message.startswith(f"the checkpoint {path} cannot be read (")
        assert message.endswith("); start anew with restart (--restart)")
        assert path.read_bytes() == content
    checkpoint.clear()
    assert checkpoint.load(ABOUT) is None


def test_a_file_of_something_else_is_refused(path):
    write_arrays(path, {"space.in": ARRAYS["in"]}, durable=False)
    with pytest.raises(UsageError, match=r"cannot be read \('about'\)"):
        Checkpoint(path).load(ABOUT)


def test_a_folder_in_its_place(path):
    path.mkdir()
    with pytest.raises(StorageError, match=r"cannot read .*c\.safetensors"):
        Checkpoint(path).load(ABOUT)


def test_a_name_with_another_ending(tmp_path):
    with pytest.raises(UsageError, match=r"must end in \.safetensors"):
        Checkpoint(tmp_path / "c.bin").save(ABOUT, ARRAYS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EIO, "input/output error")],
    ids=["full", "broken"],
)
def test_a_write_that_fails_leaves_the_old_one(path, code, words):
    """A fault at every step: the old checkpoint, or after the renaming the new one, whole, and no litter."""
    checkpoint = Checkpoint(path)
    at, met = 0, 0
    while True:
        at += 1
        checkpoint.save(ABOUT, ARRAYS)

        def fail(_name, number, _arguments, last=at):
            if number >= last:
                raise OSError(code, os.strerror(code))

        try:
            with watched(WRITING, fail) as made:
                checkpoint.save(ABOUT, OTHER)
        except StorageError as error:
            met += 1
            assert words in str(error)
            renamed = "replace" in made[:-1]
            assert_holds(checkpoint, OTHER if renamed else ARRAYS)
            assert names(path) == [path.name]
        else:
            break
    assert made[0] == "open"
    assert made.index("fsync") < made.index("replace")  # on the disk before it takes the place of the old one
    assert met == len(made) > 5
    assert_holds(checkpoint, OTHER)


@pytest.mark.parametrize("at", range(1, 6))
def test_an_interrupt_while_it_is_written_leaves_the_old_one(path, at):
    checkpoint = Checkpoint(path)
    checkpoint.save(ABOUT, ARRAYS)

    def interrupt(_name, number, _arguments):
        if number == at:
            raise KeyboardInterrupt

    with watched(WRITING, interrupt), pytest.raises(KeyboardInterrupt):
        checkpoint.save(ABOUT, OTHER)
    assert_holds(checkpoint, ARRAYS)
    assert names(path) == [path.name]
