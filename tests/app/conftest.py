from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aboutness.app.index import Index
from app.sky import MATRIX, RECORDS, WORDS
from vectors import writing
from vectors.writing import put


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an index with stems (the first layer) and words (another), which is only read."""
    folder = tmp_path_factory.mktemp("original") / "x.index"
    Index.build(RECORDS, folder, layers={"words": "plain"})
    return folder


@pytest.fixture
def index(original: Path, tmp_path: Path) -> Index:
    """Return a copy of that index."""
    return Index.open(shutil.copytree(original, tmp_path / "x.index"))


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    """Return a file of published vectors."""
    return put(tmp_path, "glove.txt", writing.glove(WORDS, MATRIX))
