from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from aboutness.app.index import Index
from aboutness.server.app import make_app
from server.served import client_of, sky_index


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A small index on disk, with word vectors. It is for reading only."""
    return sky_index(tmp_path_factory.mktemp("served") / "sky.index")


@pytest.fixture
def changing(tmp_path: Path) -> Index:
    """Another like it, which a test may change."""
    return sky_index(tmp_path / "changing.index")


@pytest.fixture
def site_client(index: Index) -> Iterator[TestClient]:
    """A client of a server with the index `sky`."""
    with client_of(make_app({"sky": index})) as client:
        yield client
