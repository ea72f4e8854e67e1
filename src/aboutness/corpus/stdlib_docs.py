"""The documentation of Python's own standard library, as installed here: a collection every machine has.

A document is a public module, class, function or method that has a docstring: its id is the qualified name
(`json.dumps`), its title the name with the signature, its text the docstring; metadata are `kind` (module,
class, function, method) and `module`. Sources are parsed, not imported; compiled modules such as math, which
have none, are imported and looked into. A name defined in a private module counts where a public one hands
it on (`pathlib.Path`). Which documents there are depends on the version of Python.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import NotFound
from aboutness.corpus.python_compiled import compiled, compiled_members, compiled_module
from aboutness.corpus.python_source import Import, Source
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aboutness.core.record import Document

SOURCE = "stdlib"
LEFT_OUT = frozenset(
    ("test", "tests", "idlelib", "turtledemo", "site-packages", "dist-packages", "__pycache__", "lib-dynload")
)
"""Folders with tests, applications, or things that are not part of Python."""

SYSTEM = frozenset(("posix", "nt"))
"""Public by name, but documented as `os`."""

PRIVATE_HOMES = {"collections.abc": "_collections_abc"}
"""Public modules whose own file, if they have one, only points to a private one."""


def read_stdlib() -> Iterator[Document]:
    """Read the documentation of the standard library, in the order of the ids."""
    files = dict(_files(Path(sysconfig.get_path("stdlib"))))
    if not files:
        raise NotFound(f"no sources of the standard library in {sysconfig.get_path('stdlib')}")
    found: dict[str, Document] = {}
    for document in chain(_from_source(files), _from_compiled(files)):
        found.setdefault(document.id, document)
    for name in sorted(found):
        yield found[name]


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name not in LEFT_OUT and name.isidentifier())
        inside = Path(folder).relative_to(root).parts
        if inside and "__init__.py" not in names:
            subfolders.clear()
            continue
        for name in sorted(names):
            stem, end = os.path.splitext(name)  # noqa: PTH122 - a bare name, not a path
            if end == ".py" and stem.isidentifier():
                yield ".".join(inside if stem == "__init__" else (*inside, stem)), Path(folder, name)


def _from_source(files: dict[str, Path]) -> Iterator[Document]:
    files = files | {name: files[home] for name, home in PRIVATE_HOMES.items() if home in files}
    for name in sorted(name for name in files if _is_public(name)):
        source = _parsed(name, files[name])
        if source:
            yield from source.module()
            yield from source.members(name, _all)
            for taken in source.imports():
                yield from _handed_on(name, taken, files)


def _handed_on(module: str, taken: Import, files: dict[str, Path]) -> Iterator[Document]:
    if _is_public(taken.module) and taken.module not in SYSTEM:
        return
    wanted: Callable[[str], bool] = _all if taken.name == "*" else taken.name.__eq__
    source = _parsed(taken.module, files[taken.module]) if taken.module in files else None
    if source:
        yield from source.members(module, wanted)
    elif (code := compiled(taken.module)) is not None:
        yield from compiled_members(code, module, wanted)


def _from_compiled(files: dict[str, Path]) -> Iterator[Document]:
    for name in sorted(sys.stdlib_module_names):
        if _is_public(name) and name not in files and name not in SYSTEM:
            code = compiled(name)
            if code is not None:
                yield from compiled_module(code, name)
                yield from compiled_members(code, name, _all)


def _parsed(name: str, path: Path) -> Source | None:
    try:
        return Source(name, path)
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):  # nested too deeply, in two ways
        return None


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def _all(_name: str) -> bool:
    return True


READER = Reader(
    name=SOURCE,
    about="the documentation of Python's standard library on this machine",
    sources=f"the name {SOURCE}",
    recognises=lambda source: source == SOURCE,
    read=lambda _source, _keys, _on_bad: read_stdlib(),
)
