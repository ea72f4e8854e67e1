from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aboutness import Index
from aboutness.index.check import check
from reliability.harm import AFTER, OLD, OPERATIONS, found_in, some_documents


@pytest.fixture(scope="session")
def original(tmp_path_factory) -> Path:
    """Return an index of `OLD` in two segments, one with dead documents; every operation has run once."""
    folder = tmp_path_factory.mktemp("original") / "old.index"
    Index.build(OLD[:65] + some_documents(1000, 5), folder)
    index = Index.open(folder)
    index.delete([f"d{number}" for number in range(1000, 1005)])
    index.add(OLD[65:])
    assert len(index.snapshot.segments) == 2
    for name, operation in OPERATIONS.items():
        copy = folder.parent / name
        shutil.copytree(folder, copy)
        operation(copy)
        assert found_in(copy) == AFTER[name]
    assert check(folder, deep=True).ok
    return folder


@pytest.fixture
def index(original, tmp_path) -> Path:
    """Return a copy of the index to harm."""
    return Path(shutil.copytree(original, tmp_path / "x.index"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a new folder that every user can enter (those of pytest are closed to others)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
