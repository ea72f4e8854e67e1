"""NTCIR-1 and NTCIR-2, English ad hoc retrieval, as the National Institute of Informatics hands them out.

A folder holds, itself or in subfolders, the documents (`ntc2-e1g`, `ntc2-e1k`, `ntc1-e1`), the topics
(`topic-e0101-0149`) and the judgements (`rel2_ntc2-e2_0101-0149`, `rel1_…`); each may be packed (.gz). All files
of documents that are there belong to the collection: galke2017 has `ntc2-e1g` and `ntc2-e1k`.

The id of a document is its ACCN. Fields: `title` (TITE, or PJNE of research projects) and `abstract` (ABSE), where
there are such. Metadata: `keywords` (KYWE). A topic's text is its title; its forms are title, desc and narr. Of
the judgements rel2, where partly relevant documents count, goes before rel1; a grade is 1 or 0, as in the last
column.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import files_below, opening
from aboutness.corpus.qrels import Judgement, read_qrels_file
from aboutness.corpus.reader import Reader
from aboutness.corpus.sgml import elements, first

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = re.compile(r"ntc\d-e\w*(?:\.mod)?(?:\.gz)?", re.IGNORECASE)
TOPICS = re.compile(r"topic-e[\d-]+(?:\.gz)?", re.IGNORECASE)
JUDGEMENTS = re.compile(r"rel([12])_ntc\d-e[\w-]*(?:\.nc)?(?:\.gz)?", re.IGNORECASE)
RECORD = re.compile(rb"<REC[\s>]", re.IGNORECASE)
NUMBER = re.compile(r"""\bq\s*=\s*["']?\s*(\d+)""", re.IGNORECASE)
TITLES = ("TITE", "PJNE")
FORMS = {"title": "TITLE", "desc": "DESCRIPTION", "narr": "NARRATIVE"}
REMARKS = (b"#", b";", b"%")
EXAMPLES = {
    "documents": "such as ntc2-e1g",
    "topics": "such as topic-e0101-0149",
    "judgements": "such as rel2_ntc2-e2_0101-0149",
}
LOOKED_AT = 2_000  # files of a folder, to tell whether it is such a collection


def read_ntcir(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the documents of a folder, or of one file."""
    for file in _named(path, DOCUMENTS, "documents") if Path(path).is_dir() else [Path(path)]:
        for element in elements(file, "REC", on_bad):
            origin = Origin(str(file), element.line)
            name = first(element.inside, "ACCN")
            if not name:
                on_bad(BadRecord("<REC> without an <ACCN>", origin=origin, raw=element.inside))
                continue
            title = next((found for tag in TITLES if (found := first(element.inside, tag))), "")
            fields = {"title": title, "abstract": first(element.inside, "ABSE")}
            keywords = first(element.inside, "KYWE")
            metadata = {"keywords": keywords} if keywords else {}
            yield Document(name, {key: text for key, text in fields.items() if text}, metadata, origin)


def read_ntcir_topics(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Query]:
    """Read the topics of a folder, or of one file; leading zeros of their numbers are taken off."""
    for file in _named(path, TOPICS, "topics") if Path(path).is_dir() else [Path(path)]:
        for element in elements(file, "TOPIC", on_bad):
            origin = Origin(str(file), element.line)
            number = NUMBER.search(element.attributes)
            forms = {form: text for form, tag in FORMS.items() if (text := first(element.inside, tag))}
            if number and "title" in forms:
                yield Query(_number(number[1]), forms["title"], forms, origin)
            else:
                lacking = "<TITLE>" if number else "number (q=0101)"
                on_bad(BadRecord(f"the topic has no {lacking}", origin=origin, raw=element.inside))


def read_ntcir_judgements(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Judgement]:
    """Read the judgements of a folder (those of rel2, if it has them), or of one file.

    A line has the topic, a letter (S, A, B or C), the document, and 1 or 0. Remarks (#, ;, %) are passed over.
    """
    files = _named(path, JUDGEMENTS, "judgements") if Path(path).is_dir() else [Path(path)]
    chosen = max(map(_which, files))

    def unless_remark(error: BadRecord) -> None:
        raw = error.raw.encode() if isinstance(error.raw, str) else error.raw
        if not raw.lstrip().startswith(REMARKS):
            on_bad(error)

    for file in files:
        if _which(file) == chosen:
            for one in read_qrels_file(file, on_bad=unless_remark):
                yield one._replace(query=_number(one.query))


def questions(folder: str) -> tuple[Iterator[Query], Iterator[Judgement]]:
    """Return the queries and the judgements of a folder."""
    return read_ntcir_topics(folder), read_ntcir_judgements(folder)


def _named(folder: str | Path, names: re.Pattern[str], what: str) -> list[Path]:
    found = [file for file in files_below(folder) if names.fullmatch(file.name)]
    if not found:
        raise NotFound(f"{folder}: no {what} of NTCIR in this folder ({EXAMPLES[what]})")
    return found


def _which(file: Path) -> int:
    found = JUDGEMENTS.fullmatch(file.name)
    return int(found[1]) if found else 0


def _number(text: str) -> str:
    return text.lstrip("0") or "0"


def _recognises(source: str) -> bool:
    path = Path(source)
    if path.is_dir():
        return any(DOCUMENTS.fullmatch(file.name) for file in islice(files_below(path), LOOKED_AT))
    try:
        return path.is_file() and DOCUMENTS.fullmatch(path.name) is not None and _starts(path)
    except (BadInput, NotFound):
        return False


def _starts(path: Path) -> bool:
    return RECORD.search(opening(path)) is not None


READER = Reader(
    name="ntcir",
    about="NTCIR-1 and NTCIR-2 in English, as they are handed out",
    sources="folders with files such as ntc2-e1g and ntc2-e1k, and such files",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_ntcir(source, on_bad=on_bad),
)
