"""Where the tests that need real data find it; without it they are skipped. And how long each room took."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A script that starts the tests in the background has them, and all processes that they start, ignore interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A shared machine has no deadlines, and tests must not fail by chance: new examples are for those who ask for them.
settings.register_profile("suite", deadline=None, derandomize=not os.environ.get("ABOUTNESS_NEW_EXAMPLES"))
settings.load_profile("suite")


LONG = 60  # seconds of tests that are worth a word on where they went
# Rooms that start something large, a Ray cluster or a browser: each for one process.
WHOLE = ("scale", "browser")
# Rooms that come before all others, in this order. First those with tests that fork: a cluster and a browser leave threads
# behind, and a process with threads must not. Then the two that take longest, not both at once.
FIRST = ("reliability", "vectors", "scale", "models", "browser")


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where several processes share the tests by files (`--dist loadfile`): some rooms are not taken apart."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return room_of(nodeid) if room_of(nodeid) in WHOLE else super()._split_scope(nodeid)

    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {room: place for place, room in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(room_of(item.nodeid), len(FIRST)))


def room_of(nodeid: str) -> str:
    """The folder of a test, or its file where it is in none."""
    return nodeid.partition("::")[0].removeprefix("tests/").split("/")[0]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many seconds each folder of tests took, those with a Ray cluster apart."""
    took: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for one in reports:
            if isinstance(one, pytest.TestReport):
                took["with Ray" if "ray" in one.keywords else room_of(one.nodeid)] += one.duration
    if took.total() > LONG:
        terminalreporter.write_line(", ".join(f"{room} {seconds:.0f} s" for room, seconds in took.most_common()))
