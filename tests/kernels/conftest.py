"""Each kernel is run three ways: compiled, as its Python source, and against a naive version in the test."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest


@cache
def source_of(kernel: Any) -> Callable[..., Any]:
    """The Python source of a kernel, calling the Python source of the kernels it calls."""
    function = kernel.py_func
    names = dict(vars(sys.modules[function.__module__]))
    for name in function.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = source_of(names[name])
    return types.FunctionType(function.__code__, names, function.__name__)


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def both(kernel: Any, *arguments: Any) -> tuple[Any, list[Any]]:
    """Run a kernel compiled and as Python; return what both returned and left in their arguments.

    Integers that are indices into arrays are the same whatever their type, so results are compared as values.
    """
    compiled_arguments = [copied(value) for value in arguments]
    python_arguments = [copied(value) for value in arguments]
    result = kernel(*compiled_arguments)
    with np.errstate(over="ignore"):
        expected = source_of(kernel)(*python_arguments)
    np.testing.assert_equal(result, expected)
    for one, other in zip(compiled_arguments, python_arguments, strict=True):
        np.testing.assert_array_equal(one, other)
    return result, compiled_arguments


def near(kernel: Any, *arguments: Any, within: float = 1e-5) -> tuple[Any, list[Any]]:
    """Do as `both` with a kernel that sums in any order: floats may differ a little, everything else not at all."""
    compiled_arguments = [copied(value) for value in arguments]
    python_arguments = [copied(value) for value in arguments]
    result = kernel(*compiled_arguments)
    with np.errstate(all="ignore"):
        expected = source_of(kernel)(*python_arguments)
    assert_near(result, expected, within)
    for one, other in zip(compiled_arguments, python_arguments, strict=True):
        assert_near(one, other, within)
    return result, compiled_arguments


def assert_near(one: Any, other: Any, within: float) -> None:
    if isinstance(one, tuple):
        for left, right in zip(one, other, strict=True):
            assert_near(left, right, within)
    elif np.asarray(one).dtype.kind == "f":
        np.testing.assert_allclose(one, other, rtol=within, atol=within)
    else:
        np.testing.assert_array_equal(one, other)


@pytest.fixture(scope="session")
def run() -> Callable[..., tuple[Any, list[Any]]]:
    return both
