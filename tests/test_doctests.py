from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import aboutness

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(aboutness.__path__, "aboutness.")
    if not found.name.endswith("__main__")
)
OPTIONAL = {"ir_datasets", "krovetzstemmer", "sklearn"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{error.name} is not installed")
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    counted = {
        name: sum(len(test.examples) for test in finder.find(importlib.import_module(f"aboutness.{name}")))
        for name in ("core.record", "core.registry", "text.analyzer", "text.analyzers", "text.batch", "app.index")
    }
    assert all(counted.values()), counted
