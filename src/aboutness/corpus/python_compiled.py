"""The documented public names of a compiled Python module, which has no source to read.

Such a module has to be imported. Only those that come with Python are, and none that touches the terminal,
the screen or the network when it is.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import inspect
import re
import sys
import warnings
from typing import TYPE_CHECKING

from aboutness.core.record import Document, Origin
from aboutness.corpus.python_source import documented

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

NEVER = re.compile(
    r"readline|nis|_?tkinter|_?curses.*|ossaudiodev|msvcrt|winreg|winsound|_?xx.*|_test.*|_ctypes_test"
    r"|_asyncio|_zoneinfo"  # these import many others
)
BOUND = re.compile(r"\A\(\$\w+(?:, /(?=[,)]))?(?:, )?")
ADDRESS = re.compile(r"\b0x[0-9a-f]+", re.IGNORECASE)
DOCUMENTED: tuple[Callable[[object], bool], ...] = (
    inspect.isclass,
    inspect.ismodule,
    inspect.isroutine,
    inspect.isdatadescriptor,
    lambda member: isinstance(member, classmethod | staticmethod),
)
"""What a docstring belongs to; a constant has only that of its type."""


def compiled(name: str) -> ModuleType | None:
    """Import a compiled module of the standard library; None if it is not one, or not one to import."""
    if name.partition(".")[0] not in sys.stdlib_module_names or NEVER.fullmatch(name) or "." in name:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # modules that will be removed
        try:
            spec = importlib.util.find_spec(name)
            extension = spec and isinstance(spec.loader, importlib.machinery.ExtensionFileLoader)
            return importlib.import_module(name) if extension or name in sys.builtin_module_names else None
        except (ImportError, ValueError):
            return None


def compiled_members(code: ModuleType, module: str, wanted: Callable[[str], bool]) -> Iterator[Document]:
    """Yield the documents of the wanted public classes and functions, and of what is in them."""
    origin = Origin(getattr(code, "__file__", None) or f"{code.__name__} (built in)")
    for name, member in sorted(vars(code).items()):
        if name.startswith("_") or not wanted(name):
            continue
        if inspect.isclass(member):
            yield from _member(f"{module}.{name}", "class", module, member, origin)
            for inner, method in sorted(vars(member).items()):
                if not inner.startswith("_"):
                    yield from _member(f"{module}.{name}.{inner}", "method", module, method, origin)
        elif inspect.isroutine(member):
            yield from _member(f"{module}.{name}", "function", module, member, origin)


def compiled_module(code: ModuleType, module: str) -> Iterator[Document]:
    """Yield the document of the module itself, if it has a docstring."""
    yield from _member(module, "module", module, code, Origin(getattr(code, "__file__", None) or "built in"))


def _member(name: str, kind: str, module: str, member: object, origin: Origin) -> Iterator[Document]:
    text = getattr(member, "__doc__", None)
    if isinstance(text, str) and text.strip() and any(test(member) for test in DOCUMENTED):
        text = inspect.cleandoc(text)
        yield documented(name, kind, module, signature=_signature(member), text=text, origin=origin)


def _signature(member: object) -> str:
    """Return the signature as the interpreter keeps it, a string, without the object it is bound to."""
    written = getattr(getattr(member, "__func__", member), "__text_signature__", None)
    if not isinstance(written, str) or ADDRESS.search(written):
        return ""
    return BOUND.sub("(", written)
