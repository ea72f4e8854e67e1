"""A copy of an index: one generation, whole, also while somebody writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from aboutness.core.advance import begin
from aboutness.core.errors import DamagedIndex
from aboutness.index import disk
from aboutness.index.database import ManifestStore, read_manifest
from aboutness.index.manifest import FileEntry, Manifest
from aboutness.index.snapshot import ARRAYS, TRIES

Opened = dict[str, BinaryIO]  # files by name


def copy_newest(folder: Path, target: Path) -> Manifest:
    """Copy the newest generation of an index into an empty folder; return what was copied.

    All files are opened before the first is copied: what a writer removes meanwhile can still be read. Each is
    compared with its checksum on the way, so that a copy is never worse than it says.
    """
    with _newest(folder) as (manifest, opened):
        disk.make_folder(target / ARRAYS)
        begin("bytes", sum(entry.bytes for entry in manifest.entries()))
        for entry in manifest.entries():
            _copy(folder / ARRAYS / entry.name, opened[entry.name], target / ARRAYS / entry.name, entry)
        disk.sync_folder(target / ARRAYS)
    store = ManifestStore(target, durable=True, create=True)
    try:
        store.save(manifest)
    finally:
        store.close()
    return manifest


@contextmanager
def _newest(folder: Path) -> Iterator[tuple[Manifest, Opened]]:
    """Open all files of the newest generation."""
    manifest = read_manifest(folder)
    for _ in range(TRIES):
        with ExitStack() as stack:
            try:
                opened = {one.name: _open(folder / ARRAYS / one.name, stack) for one in manifest.entries()}
            except FileNotFoundError as error:
                newer = read_manifest(folder)  # a commit may have replaced the file: look again
                if newer == manifest:
                    raise DamagedIndex(f"a file of the index is missing: {error.filename}") from None
                manifest = newer
            else:
                yield manifest, opened
                return
    raise DamagedIndex(f"{folder} changes faster than it can be copied")


def _open(path: Path, stack: ExitStack) -> BinaryIO:
    with disk.reporting("read", path, passing=(FileNotFoundError,)):
        return stack.enter_context(path.open("rb"))


def _copy(source: Path, opened: BinaryIO, target: Path, entry: FileEntry) -> None:
    if disk.write_new(target, _pieces(source, opened), durable=True) != (entry.bytes, entry.checksum):
        raise DamagedIndex(
            f"{source} is damaged and was not copied; see: aboutness check {source.parents[1]} --deep"
        )


def _pieces(source: Path, opened: BinaryIO) -> Iterator[bytes]:
    while True:
        with disk.reporting("read", source):
            piece = opened.read(disk.PIECE)
        if not piece:
            return
        yield piece
