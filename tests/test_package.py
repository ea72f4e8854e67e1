from __future__ import annotations

import ast
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import aboutness
from aboutness.rank.known import known_rankers
from aboutness.vectors.known import TRAINERS

SOURCE = Path(aboutness.__file__).parent
HEAVY = (
    "numba",
    "numpy",
    "scipy",
    "sklearn",
    "rich",
    "llvmlite",
    "Stemmer",
    "ir_measures",
    "ir_datasets",
    "pandas",
    "tomotopy",
)


def run_python(*arguments: str) -> str:
    env = os.environ | {"PYTHONPATH": str(SOURCE.parent)}
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("module", ["aboutness", "aboutness.cli.main"])
def test_nothing_heavy_is_imported_before_it_is_used(module):
    loaded = run_python("-c", f"import sys, {module}\nprint(*sys.modules)").split()
    assert module in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_help_is_quick():
    used = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = run_python("-m", "aboutness", "--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "aboutness" in text
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(used) <= 0.4


def test_all_is_what_can_be_had():
    for name in aboutness.__all__:
        assert getattr(aboutness, name) is not None
    assert set(aboutness.__all__) == {*aboutness._HOMES, "__version__"}
    assert dir(aboutness) == sorted(aboutness.__all__)
    assert len(set(aboutness.__all__)) == len(aboutness.__all__)


def test_type_checkers_see_the_same_names():
    (block,) = [
        node for node in ast.parse((SOURCE / "__init__.py").read_text("utf-8")).body if isinstance(node, ast.If)
    ]
    seen = {
        name.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names
    }
    assert seen == aboutness._HOMES


def test_each_name_is_the_thing_of_its_home():
    for name, home in aboutness._HOMES.items():
        thing = getattr(aboutness, name)
        assert (thing.__name__, thing.__module__) == (name, home)


@pytest.mark.parametrize("registered", [known_rankers(), TRAINERS], ids=["rankers", "trainers"])
def test_whatever_is_registered_can_be_had_by_the_name_of_its_class(registered):
    assert registered
    for kind in registered.values():
        assert getattr(aboutness, kind.__name__) is kind
        assert kind.__name__ in aboutness.__all__


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match=r"^module 'aboutness' has no attribute 'nothing'$"):
        aboutness.nothing  # noqa: B018


def test_the_version():
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?([.a-z]+\d+)?", aboutness.__version__)
    assert run_python("-m", "aboutness", "--version") == f"aboutness {aboutness.__version__}\n"
