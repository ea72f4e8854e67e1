"""The examples in docstrings of what makes the site."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import docsite
import pytest

MODULES = [
    found.name
    for found in pkgutil.walk_packages(docsite.__path__, "docsite.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
