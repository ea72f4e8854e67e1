"""TREC documents: `<DOC>` elements with a `<DOCNO>`, any number in a file; one file or a folder tree of them.

Fields: `title`, the first there is of TITLE_TAGS, and `text`, the `<LP>`, `<LEADPARA>` and `<TEXT>` elements.
A document without these, as in collections of plain text, is text but for its other header elements; what
follows a `<DOCHDR>` is a web page. Markup is taken out, references such as `&amp;` are replaced. Documents
that are not UTF-8 (the TREC disks are not) are read as Latin-1.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadRecord
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import files_below, opening, suffix
from aboutness.corpus.reader import Reader
from aboutness.corpus.sgml import elements, inner, plain, without
from aboutness.corpus.tree import is_tree_of, read_in_tree, read_tree
from aboutness.corpus.webpage import page

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE_TAGS = ("TITLE", "HEADLINE", "HL", "HEAD", "TTL", "TI", "DOCTITLE")
TEXT_TAGS = ("LP", "LEADPARA", "TEXT")
START = re.compile(rb"(?:<![^>]*>\s*)*<DOC>", re.IGNORECASE)
SUFFIXES = (".trec", ".trectext", ".trecweb")


def read_trec(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the documents of a TREC file, or of all files below a folder."""
    return read_tree(path, _documents, on_bad)


def _documents(path: str | Path, on_bad: OnBad) -> Iterator[Document]:
    for element in elements(path, "DOC", on_bad):
        origin = Origin(str(path), element.line)
        name = " ".join(map(plain, inner(element.inside, "DOCNO")[:1]))
        if name:
            yield Document(name, _fields(element.inside), {}, origin)
        else:
            on_bad(BadRecord("the document has no <DOCNO>", origin=origin, raw=element.inside))


def _fields(inside: str) -> dict[str, str]:
    web = re.split(r"</DOCHDR\s*>", inside, maxsplit=1, flags=re.IGNORECASE)
    if len(web) == 2:
        title, text = page(web[1])
        return {"title": title, "text": text} if title else {"text": text}
    found = ((tag, inner(inside, tag)) for tag in TITLE_TAGS)
    tag, titles = next(((tag, titles) for tag, titles in found if titles), ("", []))
    rest = without(inside, tag) if tag else inside
    texts = [text for name in TEXT_TAGS for text in inner(rest, name)]
    text = plain(" ".join(texts)) if texts else plain(without(without(rest, "DOCNO"), "DOCID"))
    title = plain(" ".join(titles))
    return {"title": title, "text": text} if title else {"text": text}


def _recognises(source: str) -> bool:
    path = Path(source)
    if path.is_dir():
        return is_tree_of(path, SUFFIXES)
    return suffix(source) in SUFFIXES or (path.is_file() and START.match(opening(source)) is not None)


READER = Reader(
    name="trec",
    about="TREC documents in <DOC> elements",
    sources="files ending in "
    + ", ".join(SUFFIXES)
    + ", files that start with <DOC>, folders with files of these endings and no text or table files",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_trec(source, on_bad=on_bad),
    files=files_below,
    read_file=lambda _source, file, _keys, on_bad: read_in_tree(file, _documents, on_bad),
)
