"""Word vectors in a file of their own: written once, mapped into memory from then on."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.index import disk
from aboutness.index.arrays import Array, Blocks, map_arrays, parts_of
from aboutness.vectors.words import WordVectors

SUFFIX = ".safetensors"


def save(vectors: WordVectors, path: str | Path) -> None:
    """Write the vectors to a file; one that is there is replaced when all is on the disk."""
    write(vectors.arrays(), path)


def check_name(path: str | Path) -> Path:
    """Return the path of a file to be written, whose name must end as it should."""
    if Path(path).suffix != SUFFIX:
        raise UsageError(f"the name of a file of vectors must end in {SUFFIX}, got {shown(Path(path).name)}")
    if not Path(path).absolute().parent.is_dir():
        raise NotFound(f"there is no folder {Path(path).parent} to write {Path(path).name} in")
    return Path(path)


def write(arrays: Mapping[str, Array | Blocks], path: str | Path, *, durable: bool = True) -> None:
    """Write the arrays of word vectors to a file; one that is there is replaced when all is on the disk.

    What is not `durable` may be lost, or damaged, by a power cut.
    """
    replace(check_name(path), parts_of(arrays), durable=durable)


def replace(path: Path, parts: Iterable[memoryview | bytes], *, durable: bool = True) -> None:
    """Write a file beside the one that is there, if one is, and put it in its place when all is on the disk."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        disk.write_new(part, parts, durable=durable)
        with disk.reporting("rename to", path):
            part.replace(path)
    except BaseException:
        disk.remove(part)
        raise
    if durable:
        disk.sync_folder(path.absolute().parent)


def open_saved(path: str | Path) -> WordVectors:
    """Map vectors that `save` wrote."""
    path = Path(path)
    if not path.is_file():
        raise NotFound(f"there is no file {path}")
    with disk.reporting("read", path):
        return WordVectors.of_arrays(map_arrays(path))
