"""Where the tests that need real data find it; without it they are skipped."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A script that starts the tests in the background has them, and all processes that they start, ignore interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A shared machine has no deadlines, and a gate must not fail by chance: new examples are for developers' runs.
settings.register_profile("suite", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("suite")


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: it names the folder with the real data this test needs")
    folder = Path(value)
    if not folder.is_dir():
        pytest.skip(f"{variable} names {folder}, which is no folder")
    return folder


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return _folder("ABOUTNESS_DATA")


@pytest.fixture(scope="session")
def vectors_folder() -> Path:
    return _folder("ABOUTNESS_VECTORS")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The docs site, built strictly, once for all tests."""
    from docsite.building import build

    folder = tmp_path_factory.mktemp("docs") / "site"
    assert build(folder) == len(list(folder.rglob("*.html")))
    return folder
