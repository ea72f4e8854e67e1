"""A model of a disk that honours syncs and nothing else: what can be left on it after a power loss.

What was written to a file is sure to be there after a sync of the file; a name that was made, moved or removed after
a sync of its folder. Whatever was not synced may be there or not, each on its own, and of a write any sectors: new,
old or, behind the old end, zeros. A move within a folder is one step.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reliability.recorded import Call

SECTOR = 512
LIKELY: tuple[list[Any], list[Any]] = ([True, False], [True, False, "zeros", "torn"])  # of names, of bytes

Tree = dict[str, bytes | None]  # path -> content; None for a folder


@dataclass(eq=False)
class Step:
    """A change that is not synced yet: names of a folder, or bytes of a file."""

    number: int


@dataclass(eq=False)
class Naming(Step):
    names: dict[str, Any]  # name -> node, or None where it is removed


@dataclass(eq=False)
class Writing(Step):
    offset: int
    data: bytes


@dataclass(eq=False)
class Cutting(Step):
    size: int


@dataclass(eq=False)
class File:
    kept: bytes = b""
    pending: list[Step] = field(default_factory=list)

    def sync(self) -> None:
        self.kept = content_of(self, everything)
        self.pending = []


@dataclass(eq=False)
class Folder:
    kept: dict[str, Any] = field(default_factory=dict)
    pending: list[Step] = field(default_factory=list)

    def sync(self) -> None:
        self.kept = names_in(self, everything)
        self.pending = []


Fate = Callable[[Step], Any]  # True: kept; False: lost; "zeros": only its place; a Random: torn


def everything(_: Step) -> bool:
    return True


def names_in(folder: Folder, fate: Fate) -> dict[str, Any]:
    names = dict(folder.kept)
    for step in folder.pending:
        assert isinstance(step, Naming)
        if fate(step):
            names.update(step.names)
    return {name: node for name, node in names.items() if node is not None}


def content_of(file: File, fate: Fate) -> bytes:
    if not file.pending:
        return file.kept
    content = bytearray(file.kept)
    for step in file.pending:
        how = fate(step)
        if isinstance(step, Cutting):
            if how:
                del content[step.size :]
                content.extend(bytes(step.size - len(content)))
        elif how:
            assert isinstance(step, Writing)
            _write(content, step, how)
    return bytes(content)


def _write(content: bytearray, step: Writing, how: Any) -> None:
    end = step.offset + len(step.data)
    if isinstance(how, random.Random) and how.random() < 0.5:  # a beginning of it
        end = how.choice([*range(step.offset, end, SECTOR), how.randrange(step.offset, end)])
        content.extend(bytes(max(0, end - len(content))))
        content[step.offset : end] = step.data[: end - step.offset]
        return
    content.extend(bytes(max(0, end - len(content))))
    if how is True:
        content[step.offset : end] = step.data
    elif how != "zeros":
        edges = [step.offset, *range(step.offset // SECTOR * SECTOR + SECTOR, end, SECTOR), end]
        for start, stop in itertools.pairwise(edges):
            if how.random() < 0.5:
                content[start:stop] = step.data[start - step.offset : stop - step.offset]


class Disk:
    """The files below a folder, as calls change them."""

    def __init__(self, root: Path, tree: Tree) -> None:
        self._root = str(root)
        self.top = Folder()
        self.acknowledged = 0
        self._descriptors: dict[int, Any] = {}
        self._nodes: list[Any] = [self.top]
        self._numbers = itertools.count()
        for path, content in sorted(tree.items()):
            folder, name = self._place(path)
            folder.kept[name] = self._new(Folder() if content is None else File(content))

    def _new(self, node: Any) -> Any:
        self._nodes.append(node)
        return node

    def _place(self, path: str) -> tuple[Folder, str]:
        """Return the folder in which a path lies now, and its name there."""
        *above, name = path.removeprefix(self._root).strip("/").split("/")
        folder = self.top
        for part in above:
            folder = names_in(folder, everything)[part]
        return folder, name

    def _find(self, path: str) -> Any:
        folder, name = self._place(path)
        return names_in(folder, everything).get(name) if name else folder

    def _name(self, folder: Folder, names: dict[str, Any]) -> None:
        folder.pending.append(Naming(next(self._numbers), names))

    def apply(self, call: Call) -> None:
        """Do what a call did."""
        getattr(self, f"_{call.kind.name.lower()}")(call)

    def _open(self, call: Call) -> None:
        node = self._find(call.path)
        if node is None:
            assert call.flags & os.O_CREAT, f"{call.path} is not known"
            node = self._new(File())
            folder, name = self._place(call.path)
            self._name(folder, {name: node})
        elif call.flags & os.O_TRUNC:
            node.pending.append(Cutting(next(self._numbers), 0))
        self._descriptors[call.descriptor] = node

    def _close(self, call: Call) -> None:
        del self._descriptors[call.descriptor]

    def _write(self, call: Call) -> None:
        step = Writing(next(self._numbers), call.offset, call.data)
        self._descriptors[call.descriptor].pending.append(step)

    def _truncate(self, call: Call) -> None:
        self._descriptors[call.descriptor].pending.append(Cutting(next(self._numbers), call.offset))

    def _sync(self, call: Call) -> None:
        self._descriptors[call.descriptor].sync()

    def _rename(self, call: Call) -> None:
        node = self._find(call.path)
        (folder, old), (target, new) = self._place(call.path), self._place(call.target)
        assert folder is target, "a move to another folder is two steps, which nothing here makes"
        self._name(folder, {old: None, new: node})

    def _unlink(self, call: Call) -> None:
        folder, name = self._place(call.path)
        self._name(folder, {name: None})

    _rmdir = _unlink

    def _mkdir(self, call: Call) -> None:
        folder, name = self._place(call.path)
        self._name(folder, {name: self._new(Folder())})

    def _mark(self, _: Call) -> None:
        self.acknowledged += 1

    def _passing(self, _: Call) -> None:
        pass

    def pending(self) -> list[Step]:
        """Return everything that is not synced, in order."""
        steps = [step for node in self._nodes for step in node.pending]
        return sorted(steps, key=lambda step: step.number)

    def left(self, fate: Fate = everything) -> Tree:
        """Return what is left when the power is lost now and this is what becomes of what was not synced."""
        found: Tree = {}

        def walk(folder: Folder, path: str) -> None:
            for name, node in names_in(folder, fate).items():
                if isinstance(node, Folder):
                    found[path + name] = None
                    walk(node, f"{path}{name}/")
                else:
                    found[path + name] = content_of(node, fate)

        walk(self.top, "")
        return found

    def fates(self, draw: random.Random, chances: int) -> Iterator[tuple[str, Fate]]:
        """Yield what may become of what is not synced: the plain cases, each of the newest alone, and chances."""
        steps = self.pending()
        yield "all is kept", everything
        if not steps:
            return
        yield "all is lost", lambda _: False
        yield "only names are kept", lambda step: isinstance(step, Naming)
        yield "only bytes are kept", lambda step: not isinstance(step, Naming)
        yield "names and sizes are kept", lambda step: "zeros" if isinstance(step, Writing) else True
        for one in steps[-chances:]:
            torn = draw if isinstance(one, Writing) else False
            yield "one is lost", lambda step, one=one: step is not one
            yield "one is torn", lambda step, one=one, torn=torn: torn if step is one else True
            yield "one is kept", lambda step, one=one: step is one
        for _ in range(chances):
            chosen = {step: draw.choice(LIKELY[type(step) is Writing]) for step in steps}
            chosen = {step: draw if how == "torn" else how for step, how in chosen.items()}
            yield "chance", lambda step, chosen=chosen: chosen[step]


def tree_after(root: Path, tree: Tree, calls: Iterable[Call]) -> Tree:
    """Return what a tree has become after some calls, seen while the power is there."""
    disk = Disk(root, tree)
    for call in calls:
        disk.apply(call)
    return disk.left()


def tree_of(root: Path) -> Tree:
    """Return everything below a folder."""
    return {
        str(path.relative_to(root)): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


def lay_out(tree: Tree, root: Path) -> None:
    """Write a tree to a new folder."""
    root.mkdir(parents=True)
    for path, content in sorted(tree.items()):
        if content is None:
            (root / path).mkdir()
        else:
            (root / path).write_bytes(content)
