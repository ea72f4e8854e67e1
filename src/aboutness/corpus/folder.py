"""Text files: a folder tree of them, or a single one.

A document is a file ending in .txt, .rst, .md, .markdown, .html or .htm (also packed: .txt.gz). Its id is the
path within the folder, with forward slashes; a single file's id is its name. Files of a folder come before
those of its subfolders, each in the order of their names. Hidden files and folders are passed over, linked
folders are not entered, and a linked file counts only if it lies within the folder.

Fields: `text`, and `title` where there is one: that of Markdown's front matter, else its first heading (moved out
of the text), or the `<title>` of HTML. Metadata: `format`, one of text, markdown, html, and what else front matter
has. Files are UTF-8, or UTF-16 or UTF-32 with a BOM; a page that is not may say its charset, as pages do.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin, Value
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.endings import count_endings
from aboutness.corpus.files import BOM, files_below, suffix, utf8, whole
from aboutness.corpus.front_matter import front_matter
from aboutness.corpus.markdown import titled
from aboutness.corpus.reader import Reader
from aboutness.corpus.webpage import charset, page

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

BOMS = {
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
FORMATS = {
    ".txt": "text",
    ".rst": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}


def read_folder(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read every text file of a folder tree, or the one text file that `path` is."""
    root = Path(path)
    if not root.exists():
        raise NotFound(f"{path}: no such file or folder")
    files = text_files(root) if root.is_dir() else iter([root])
    for file in files:
        yield from read_text_file(root, file, on_bad)


def read_text_file(root: Path, file: Path, on_bad: OnBad) -> Iterator[Document]:
    """Read the document that one file of a folder is."""
    name = file.relative_to(root).as_posix() if file != root else file.name
    origin = Origin(_printable(str(file)))
    try:
        name.encode()
        document = _document(name, file, origin)
    except UnicodeEncodeError:
        on_bad(BadRecord("the file's name is not UTF-8", origin=origin))
    except (BadInput, NotFound) as error:
        on_bad(BadRecord(str(error).removeprefix(f"{file}: "), origin=origin))
    else:
        yield document


def text_files(root: Path) -> Iterator[Path]:
    """Return the text files of a folder tree in their order."""
    return (file for file in files_below(root) if suffix(file) in FORMATS)


def left_out(root: Path) -> Counter[str]:
    """Return how many files of a folder tree are no text files, by their endings."""
    return count_endings(file for file in files_below(root) if suffix(file) not in FORMATS)


def has_text(folder: str | Path) -> bool:
    """Tell whether there is a text file somewhere in a folder."""
    return next(text_files(Path(folder)), None) is not None


def _document(name: str, file: Path, origin: Origin) -> Document:
    form = FORMATS.get(suffix(file), "text")
    raw = whole(file)
    title, text = "", _decoded(raw, charset(raw) if form == "html" else None)
    metadata: dict[str, Value] = {}
    if form == "markdown":
        found, text = front_matter(text)
        named = _as_title(found.pop("title", ""))
        metadata.update(found)
        title, without = titled(text)
        title, text = (named, text.strip()) if named and named != title else (title, without)
    elif form == "html":
        title, text = page(text)
    fields = {"title": title, "text": text} if title else {"text": text}
    return Document(name, fields, metadata | {"format": form}, origin)


def _as_title(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _decoded(raw: bytes, charset: str | None) -> str:
    """Return the text of a file; `charset` is what it has where it is not UTF-8 and has no BOM."""
    for name, boms in BOMS.items():  # that of UTF-32 starts as one of UTF-16 does
        if raw.startswith(boms):
            return _in_charset(raw, name, "its BOM says so")
    try:
        text = utf8(raw.removeprefix(BOM))
    except BadInput as error:
        if charset is None:
            raise BadInput(f"{error}; save it as UTF-8 (such as by: iconv -f latin1 -t utf-8 OLD > NEW)") from None
        return _in_charset(raw, charset, "the page says so")
    if text.count("\0") * 3 > len(text):
        raise BadInput("it has a NUL beside most letters, as UTF-16 without a BOM has; save it as UTF-8")
    return text


def _in_charset(raw: bytes, charset: str, why: str) -> str:
    try:
        return raw.decode(charset)
    except UnicodeDecodeError as error:
        name = charset.upper() if charset in BOMS else charset
        raise BadInput(f"not {name} at byte {error.start + 1}, though {why}; save it as UTF-8") from None


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _recognises(source: str) -> bool:
    return has_text(source) if Path(source).is_dir() else suffix(source) in FORMATS


READER = Reader(
    name="folder",
    about="text, Markdown and HTML files, a document each",
    sources="folders with such files in them or in their subfolders; files ending in " + ", ".join(FORMATS),
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_folder(source, on_bad=on_bad),
    files=lambda source: text_files(Path(source)),
    read_file=lambda source, file, _keys, on_bad: read_text_file(Path(source), file, on_bad),
)
