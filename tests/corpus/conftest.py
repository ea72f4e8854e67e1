from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from aboutness.core.errors import BadRecord


class Collected:
    """An `on_bad` that keeps what it is given."""

    def __init__(self) -> None:
        self.errors: list[BadRecord] = []

    def __call__(self, error: BadRecord) -> None:
        self.errors.append(error)

    @property
    def lines(self) -> list[int]:
        return [error.origin.line for error in self.errors]

    @property
    def problems(self) -> list[str]:
        return [error.problem for error in self.errors]


@pytest.fixture
def collected() -> Collected:
    return Collected()


@pytest.fixture
def write(tmp_path: Path):
    """Write a file under the test's folder; a name that ends in .gz is packed."""

    def _write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return _write
