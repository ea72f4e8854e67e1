from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aboutness.cli.main import app
from cli.running import THREE, Ran, environment


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command in this process, in the test's folder; an error that is no exit is raised."""
    monkeypatch.chdir(tmp_path)

    def _call(*arguments: str | Path, stdin: str | None = None) -> Ran:
        result = CliRunner().invoke(app, list(map(str, arguments)), input=stdin, catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return _call


@pytest.fixture
def run(tmp_path):
    """Run a command in a process of its own, in the test's folder."""

    def _run(
        *arguments: str | bytes | Path,
        python: Sequence[str] = ("-m", "aboutness"),
        env: dict[str, str] | None = None,
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, *python, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path, env=environment(**env or {}), timeout=60, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return _run


@pytest.fixture
def write(tmp_path):
    """Write a JSON lines file of records, or any file of text or bytes."""

    def _write(name: str, content: list[dict[str, Any]] | str | bytes) -> Path:
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(json.dumps(record) + "\n" for record in content)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


@pytest.fixture
def three(write, call, tmp_path):
    """Return the folder of an index of three documents."""
    write("three.jsonl", THREE)
    assert call("index", "three.jsonl", "-o", "three.index").code == 0
    return tmp_path / "three.index"


@pytest.fixture
def nothing_left(tmp_path):
    """Return a check that the test's folder holds exactly these names."""

    def _nothing_left(*names: str) -> bool:
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
        return True

    return _nothing_left
