"""The documented public names of a Python module, read from its source: nothing is imported or run."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from aboutness.core.record import Document, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
VALUES = frozenset(("property", "cached_property", "setter", "DynamicClassAttribute"))


class Import(NamedTuple):
    """A name that a module takes from another; `*` stands for all of its public names."""

    module: str
    name: str
    alias: str


def documented(name: str, kind: str, module: str, *, signature: str, text: str, origin: Origin) -> Document:
    """Return the document of one name: qualified name and signature as title, its docstring as text.

    Where it holds halves of surrogate pairs, which no text has, these are question marks.
    """
    fields = {"title": name + signature, "text": text.strip()}
    sound = {key: value.encode("utf-8", "replace").decode() for key, value in fields.items()}
    return Document(name, sound, {"kind": kind, "module": module}, origin)


class Source:
    """A parsed module; `name` is what it is imported as."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old escapes in string literals
            self.tree = ast.parse(path.read_bytes())
        self.exported = _exported(self.tree)

    def module(self) -> Iterator[Document]:
        """Yield the document of the module itself, if it has a docstring."""
        text = ast.get_docstring(self.tree)
        if text:
            yield documented(
                self.name, "module", self.name, signature="", text=text, origin=Origin(str(self.path), 1)
            )

    def members(self, module: str, wanted: Callable[[str], bool]) -> Iterator[Document]:
        """Yield the documents of the wanted public classes and functions, and of what is in them."""
        for node in _definitions(self.tree.body):
            if wanted(node.name):
                yield from self._members(node, module, module, in_class=False)

    def _members(self, node: Definition, inside: str, module: str, *, in_class: bool) -> Iterator[Document]:
        if node.name.startswith("_"):
            return
        name = f"{inside}.{node.name}"
        text = ast.get_docstring(node)
        if text:
            kind = "class" if isinstance(node, ast.ClassDef) else "method" if in_class else "function"
            origin = Origin(str(self.path), node.lineno)
            signature = _signature(node, in_class=in_class)
            yield documented(name, kind, module, signature=signature, text=text, origin=origin)
        if isinstance(node, ast.ClassDef):
            for member in _definitions(node.body):
                yield from self._members(member, name, module, in_class=True)

    def imports(self) -> Iterator[Import]:
        """Yield the names that the module imports from others and hands on as its own.

        With an `__all__` these are the names in it, otherwise only those that `import *` brings.
        """
        package = self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]
        for node in _statements(self.tree.body):
            if isinstance(node, ast.ImportFrom):
                above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                source = ".".join([*above, *([node.module] if node.module else [])])
                for name in node.names:
                    alias = name.asname or name.name
                    if name.name == "*" or (self.exported is not None and alias in self.exported):
                        yield Import(source, name.name, alias)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _statements(node.body)
            if isinstance(node, ast.Try):
                for handler in node.handlers:
                    yield from _statements(handler.body)
            if not isinstance(node, ast.With):
                yield from _statements(node.orelse)


def _definitions(body: Sequence[ast.stmt]) -> Iterator[Definition]:
    for node in _statements(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _exported(tree: ast.Module) -> frozenset[str] | None:
    names: list[str] = []
    found = False
    for node in _statements(tree.body):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            found = True
            names += [
                leaf.value
                for leaf in ast.walk(node)
                if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
            ]
    return frozenset(names) if found else None


def _signature(node: Definition, *, in_class: bool) -> str:
    if isinstance(node, ast.ClassDef):
        makers = (one for one in _definitions(node.body) if one.name in {"__init__", "__new__"})
        maker = next(makers, None)
        return _signature(maker, in_class=True) if maker is not None else ""
    marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
    if marks & VALUES:
        return ""
    arguments = node.args
    if in_class and "staticmethod" not in marks:
        first = [*arguments.posonlyargs, *arguments.args][:1]
        arguments = ast.arguments(
            posonlyargs=[one for one in arguments.posonlyargs if one not in first],
            args=[one for one in arguments.args if one not in first],
            vararg=arguments.vararg,
            kwonlyargs=arguments.kwonlyargs,
            kw_defaults=arguments.kw_defaults,
            kwarg=arguments.kwarg,
            defaults=arguments.defaults,
        )
    return f"({ast.unparse(arguments)})"
