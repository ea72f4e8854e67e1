"""What the tests of the server serve."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from aboutness.app.index import Index
from app.sky import LINES, SMALL

RECORDS = [
    {
        "id": f"d{n}-{turn}",
        "title": title,
        "text": f"{text} in the year {1990 + turn}",
        "year": 1990 + turn,
        "topic": title,
    }
    for turn in range(5)
    for n, (title, text) in enumerate(LINES)
]


def sky_index(path: Path) -> Index:
    """Return an index of documents on sun and moon, with metadata and with word vectors trained on them."""
    index = Index.build(RECORDS, path)
    index.train("word2vec", **SMALL)
    return index


def client_of(app: FastAPI) -> TestClient:
    """Return a client that calls a server by its own name, as a browser would; errors are answered, not raised."""
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
