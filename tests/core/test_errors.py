from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from aboutness.core import errors
from aboutness.core.errors import RAW_SHOWN, AboutnessError, BadRecord, shown
from aboutness.core.record import Origin

BRANCH = re.compile(r"^(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w+)(  +(?P<about>\S.*))?$")


def drawn_parents() -> dict[str, str]:
    """The tree of the module's docstring, as child: parent."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in errors.__doc__.splitlines():
        match = BRANCH.match(line)
        if match and (match["indent"] or match["name"] == "AboutnessError"):
            depth = len(match["indent"]) // 4
            path[depth:] = [match["name"]]
            parents[match["name"]] = path[depth - 1] if depth else "Exception"
    return parents


def defined() -> list[type]:
    return [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


def test_the_drawn_tree_is_the_tree():
    assert drawn_parents() == {kind.__name__: kind.__base__.__name__ for kind in defined()}
    assert len(defined()) == 14


@pytest.mark.parametrize("kind", defined())
def test_each_class_says_what_it_is(kind):
    assert issubclass(kind, AboutnessError)
    assert kind.__doc__


def test_no_other_module_adds_to_the_tree():
    todo, found = [AboutnessError], set()
    while todo:
        found.add(kind := todo.pop())
        todo += kind.__subclasses__()
    assert found == set(defined())


def test_a_bad_record_says_where():
    error = BadRecord("no id", origin=Origin("a.jsonl", 3), raw=b"{}")
    assert str(error) == "a.jsonl:3: no id"
    assert (error.problem, error.origin, error.raw) == ("no id", Origin("a.jsonl", 3), b"{}")


def test_a_bad_record_without_a_place():
    error = BadRecord("no id")
    assert (str(error), error.problem, error.origin, error.raw) == ("no id", "no id", None, "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\nb", r"'a\nb'"),
        (7, "7"),
        (b"\xff", r"b'\xff'"),
        ("x" * 58, "'" + "x" * 58 + "'"),
        ("x" * 59, "'" + "x" * 58 + "… (61 characters)"),
        ("x" * 9_998, "'" + "x" * 58 + "… (10,000 characters)"),
    ],
)
def test_shown(value, expected):
    assert shown(value) == expected
    assert len(shown(value).partition(" (")[0]) <= RAW_SHOWN


def test_what_takes_several_lines_is_shown_on_one():
    assert shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
