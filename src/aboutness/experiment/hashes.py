"""Hashes of plain values, of files, and of this package's own code: what kept results depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from aboutness._version import __version__
from aboutness.core.errors import NotFound, StorageError
from aboutness.evaluate.judgements import Qrels

ROOMS = (
    "core", "kernels", "corpus", "text", "frames", "index", "vectors", "models", "rank", "evaluate", "experiment",
    "scale", "app",
)  # fmt: skip
LIBRARIES = ("numpy", "scipy", "numba", "PyStemmer", "KrovetzStemmer", "tomotopy", "scikit-learn")


def digest(plain: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a hash of plain values; the order of names, but not that of lists, makes no difference."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def file_checksum(path: str | Path) -> str:
    """Return a hash of a file."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def qrels_checksum(qrels: Qrels) -> str:
    """Return a hash of judgements; those that queries share are read once."""
    shared: dict[int, str] = {}
    for grades in qrels.values():
        if id(grades) not in shared:
            shared[id(grades)] = digest({one: int(grade) for one, grade in grades.items()})
    return digest({query: shared[id(grades)] for query, grades in qrels.items()})


@cache
def code_version() -> str:
    """Return this package's version, and a hash of the code and the libraries that rankings depend on."""
    whole = hashlib.sha256("".join(f"{name} {_version(name)}\0" for name in LIBRARIES).encode())
    root = Path(__file__).parents[1]
    for path in sorted(path for room in ROOMS for path in (root / room).rglob("*.py")):
        whole.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return f"{__version__} {whole.hexdigest()[:32]}"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # it need not be there
        return "none"


def is_ours(parts: Iterable[object]) -> bool:
    """Tell whether rankers and ways of training are of this package: nobody tells when other code changes."""
    package = __name__.partition(".")[0]
    return all(type(part).__module__.partition(".")[0] == package for part in parts)
