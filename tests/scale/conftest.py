"""A Ray cluster of three nodes on this machine, started once; without Ray its tests are skipped."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from scale.raylets import SETTINGS, Raylets


@pytest.fixture(scope="session")
def raylets():
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'aboutness[ray]'")
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("RAY_ADDRESS", raising=False)
        for name, value in SETTINGS.items():
            patched.setenv(name, value)
        with Raylets() as nodes:
            yield nodes


def pytest_collection_modifyitems(items):
    for item in items:
        if "raylets" in getattr(item, "fixturenames", ()) or item.nodeid.endswith("[ray]"):
            item.add_marker("ray")


@pytest.fixture
def cluster(raylets):
    """The nodes, all of them there; what a test kills, the next one finds again. `cluster.address` is theirs."""
    raylets.restore()
    return raylets
