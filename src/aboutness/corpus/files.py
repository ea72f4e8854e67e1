"""Open files, packed or not, and read their lines without trusting their size."""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import os
import re
import stat
import sys
import zlib
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from aboutness.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 64 * 1024 * 1024
"""Bytes that one line, or one record, may have once unpacked; more is taken for a damaged or hostile file.

What is made of them takes some 20 times as much memory at worst, such as a line of JSON with nothing but brackets.
"""

LARGEST = 4 * LONGEST
"""Bytes that a file of many records may have once unpacked where it must be read as a whole."""

MOST_UNPACKED = 200
"""Times its size that a packed file may have once unpacked, if that is more than `LARGEST`. Text has about 4."""

GZIP = b"\x1f\x8b"
OTHERS_PACKED = {
    re.compile(rb"BZh[1-9]1AY&SY"): "by bzip2",
    re.compile(rb"\xfd7zXZ\x00"): "by xz",
    re.compile(rb"\x28\xb5\x2f\xfd"): "by zstd",
    re.compile(rb"7z\xbc\xaf\x27\x1c"): "by 7z",
    re.compile(rb"PK\x03\x04"): "into a zip archive",
}
INDEX = ("index.db", "arrays")  # a file and a folder that the folder of an index has in it
LONGEST_MARK = 10  # bytes that tell how a file is packed
BOM = b"\xef\xbb\xbf"
BUFFER = 1 << 20
LEADS_NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # errors of links, and of files that have just gone
SNIFFED = 4096

meter: ContextVar[Callable[[int], None] | None] = ContextVar("meter", default=None)
"""What is told, where something is, how many bytes have been read from disk: set it to show progress."""


def suffix(path: str | Path) -> str:
    """Return the file's suffix in lower case, that of the packed file where it ends in `.gz`.

    >>> suffix("corpus.JSONL.gz")
    '.jsonl'
    """
    name = Path(path)
    return (Path(name.stem) if name.suffix.lower() == ".gz" else name).suffix.lower()


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading; a gzip file, known by its first bytes, is unpacked as it is read.

    A missing file is NotFound; a folder, a file that may not be read and a damaged gzip are BadInput.
    """
    try:
        with _Metered(path) as raw, io.BufferedReader(raw, BUFFER) as file:
            packed = file.peek(2)[:2] == GZIP
            if not packed and Path(path).suffix.lower() == ".gz":
                raise BadInput(f"{path}: the name ends in .gz but this is not a gzip file")
            _refuse_packed(path, file.peek(LONGEST_MARK)[:LONGEST_MARK])
            if packed:
                with _Unpacked(file, raw) as unpacked, io.BufferedReader(unpacked, BUFFER) as buffered:
                    yield buffered
            else:
                yield file
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder, where a file is needed") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(f"{path}: damaged or truncated gzip file ({error})") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror or error})") from None


def _refuse_packed(path: str | Path, start: bytes) -> None:
    for mark, how in OTHERS_PACKED.items():
        if mark.match(start):
            raise BadInput(f"{path}: is packed {how}; unpack it first (only gzip is read as it is)")


class _Metered(io.FileIO):
    """A file that tells the meter what is read from it, and counts it."""

    taken = 0

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - collections.abc.Buffer came with Python 3.12
        count = super().readinto(buffer)
        self.taken += count
        if (told := meter.get()) is not None:
            told(count)
        return count


class _Unpacked(gzip.GzipFile):
    """A gzip file that is unpacked only as far as one can believe that it is no bomb."""

    def __init__(self, file: io.BufferedReader[_Metered], raw: _Metered) -> None:
        super().__init__(fileobj=file)
        self.source = raw
        self.given = 0

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401
        count = super().readinto(buffer)
        self.given += count
        refuse_bomb(self.source.name, self.source.taken, self.given)
        return count


def refuse_bomb(name: object, packed: int, unpacked: int) -> None:
    """Raise BadInput where a packed file has so much in it that it was made to fill a memory or a disk."""
    if unpacked > max(LARGEST, MOST_UNPACKED * packed):
        raise BadInput(
            f"{name}: unpacks to more than {MOST_UNPACKED} times its size, as no collection does; if it is sound, "
            "unpack it first"
        )


def source_size(source: str | Path) -> int:
    """Return the bytes of a file, or of all files of a folder; 0 for what is neither.

    Of a test collection only the documents count: its queries and judgements are not read with them. What cannot
    be looked at counts as nothing: whoever reads it will say so.
    """
    path = Path(source)
    if not _is_folder(path):
        return _bytes_of(path)
    if corpus := list(path.glob("corpus.jsonl*")):
        return sum(map(_bytes_of, corpus))
    return sum(_bytes_of(Path(parent, name)) for parent, _, names in os.walk(path) for name in names)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _bytes_of(file: Path) -> int:
    try:
        found = file.stat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def files_below(folder: str | Path) -> Iterator[Path]:
    """Yield the files of a folder, then those of its subfolders, each in the order of their names.

    Hidden files and folders are passed over, linked folders are not entered, and a linked file counts only if
    it lies within the folder. A folder that cannot be read is BadInput: it is not as if it were empty. An index
    that was made within the folder is passed over.
    """
    for parent, subfolders, names in os.walk(folder, onerror=_refuse_unread):
        if INDEX[0] in names and INDEX[1] in subfolders and not Path(parent).samefile(folder):
            subfolders.clear()
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            file = Path(parent, name)
            if name.startswith(".") or not _is_file(file):
                continue
            if lies_within(file, folder):
                yield file


def _refuse_unread(error: OSError) -> None:
    raise BadInput(f"{error.filename}: cannot be read: {error.strerror or error}") from None


def _is_file(path: Path) -> bool:
    """Tell whether a listed name is a file; raise where that cannot be known, as its folder may not be entered."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        if error.errno in LEADS_NOWHERE:
            return False
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None


def lies_within(file: Path, folder: str | Path) -> bool:
    """Tell whether a file that is listed in a folder lies there, rather than being a link to one elsewhere."""
    return not file.is_symlink() or file.resolve().is_relative_to(Path(folder).resolve())


def lines(path: str | Path, span: tuple[int, int] | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield every line of a file, line end included, with its number from 1; a UTF-8 BOM is dropped.

    Of a file that is not packed `span` chooses some bytes, from the start of a line to the end of one; the first
    of these lines has number 1.
    """
    number = 0
    start, left = (span[0], span[1] - span[0]) if span else (0, sys.maxsize)
    with open_bytes(path) as file:
        if start:
            file.seek(start)
        try:
            for line in iter(partial(file.readline, LONGEST + 1), b""):
                if left <= 0:
                    return
                left -= len(line)
                number += 1
                if len(line) > LONGEST:
                    raise BadInput(f"{path}:{number}: line longer than {LONGEST:,} bytes")
                yield number, line[len(BOM) :] if number == 1 and not start and line.startswith(BOM) else line
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            problem = f"damaged or truncated gzip file ({error})"
            if not number:
                raise BadInput(f"{path}: {problem}; nothing was read of it") from None
            raise BadInput(f"{path}:{number}: {problem}; the last whole line is {number}") from None


def whole(path: str | Path, *, is_record: bool = True) -> bytes:
    """Return the content of a file, of at most `LONGEST` bytes, or `LARGEST` where it has many records."""
    most = LONGEST if is_record else LARGEST
    with open_bytes(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise BadInput(f"{path}: longer than {most:,} bytes")
    return content


def opening(path: str | Path) -> bytes:
    """Return the first bytes of a file, without a BOM and leading blanks, to tell its format by."""
    with open_bytes(path) as file:
        return file.read(SNIFFED).removeprefix(BOM).lstrip()


def utf8(raw: bytes) -> str:
    """Decode UTF-8 or raise BadInput that says which byte (from 1) is wrong."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput(f"not UTF-8 but UTF-16 (save the file as UTF-8): byte 0x{raw[0]:02x} at position 1")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"not UTF-8: byte 0x{raw[error.start]:02x} at position {error.start + 1}") from None


def utf8_or_latin1(raw: bytes) -> str:
    """Decode UTF-8 or, where it is not, Latin-1: what collections older than UTF-8 need."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
