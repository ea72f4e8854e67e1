from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aboutness.index.check import check
from reliability.harm import AFTER, OPERATIONS, build_original, found_in
from reliability.recorded import Recorder, compiler
from reliability.scenarios import make_start


@pytest.fixture(scope="session")
def original(tmp_path_factory) -> Path:
    """Return an index of `OLD` in two segments, one with dead documents; every operation has run once."""
    folder = tmp_path_factory.mktemp("original") / "old.index"
    build_original(folder)
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
def small_disk(tmp_path) -> Iterator[Path]:
    """Mount a small file system of its own, where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="session")
def quick_folder() -> Iterator[Path]:
    """Return a folder in memory, where there is one: thousands of indexes are laid out and opened in it."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="session")
def recorder(quick_folder) -> Iterator[Recorder]:
    """Return a process whose calls are recorded."""
    if compiler() is None:
        pytest.skip("recording system calls needs Linux and a C compiler")
    with Recorder(quick_folder) as recorder:
        yield recorder


@pytest.fixture(scope="session")
def start(original, quick_folder) -> Path:
    """Return the folder that every scenario starts from."""
    folder = quick_folder / "scenarios" / "start"
    folder.mkdir(parents=True)
    make_start(folder, original)
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a new folder that every user can enter (those of pytest are closed to others)."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
