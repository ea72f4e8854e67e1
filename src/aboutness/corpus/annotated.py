"""Collections whose documents librarians have annotated with the concepts of a thesaurus, as such are handed on.

A folder with a thesaurus (`aboutness.corpus.thesaurus`) and documents in one of these forms:

- short texts, as Annif has them: tables (.tsv) with a text, a tab, and `<address> <address>` in each line. The
  text is the field `title`; the id is the file's name and the line.
- full texts, as Annif has them: `doc.txt` with `doc.tsv` (`<address>`, a tab, the label) or `doc.key` (a label in
  each line) beside it. The text is the field `text`; the id is the path without its ending.
- as vec4ir has them: a table with `gold` in its name (an id, then concepts, with tabs between), and one with
  `title` in its name (an id, a tab, the title), or files `id.txt`, or both: fields `title` and `text`.

The preferred label of a concept is a query, and the documents with the concept are relevant (galke2017). Concepts
are told by address, by the last part of it, or by label. Those that the thesaurus does not have are no queries.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, BadRecord, NotFound, shown
from aboutness.core.record import Document, Origin, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import BOM, files_below, lines, opening, suffix, utf8, whole
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.reader import Reader
from aboutness.corpus.thesaurus import SKOS_SUFFIXES, read_thesaurus

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS = re.compile(r"<([^<>\s]+)>")
LISTED = re.compile(rb"<[^<>\s]+>\t")  # a line of a table of concepts
ANNOTATED = re.compile(rb"[^\t\n]*\t\s*<[^<>\s]+>")  # one of short texts
LAST_PART = re.compile(r".*[/#]")
LOOKED_AT = 2_000  # files of a folder, to tell whether it is such a collection


class Parts(NamedTuple):
    """The files that a folder's collection is made of."""

    thesaurus: Path | None
    short: list[Path]  # tables of short texts
    full: dict[Path, Path]  # texts with their annotations
    gold: Path | None
    titles: Path | None
    texts: list[Path]  # without annotations beside them


def read_annotated(folder: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the documents of a folder; their concepts are metadata, as they stand there."""
    parts = _parts(folder)
    forms = {"short texts": parts.short, "full texts": parts.full, "a gold standard": parts.gold}
    given = [name for name, there in forms.items() if there]
    if len(given) != 1:
        what = f"holds both {' and '.join(given)}: keep one of them" if given else "no annotated documents"
        raise BadInput(f"{folder}: {what} in this folder")
    if parts.short:
        return _short(parts.short, on_bad)
    return _full(Path(folder), parts.full, on_bad) if parts.full else _by_gold(parts, on_bad)


def questions(folder: str) -> tuple[Iterator[Query], Iterator[Judgement]]:
    """Return the queries and the judgements of a folder: labels of concepts, and the documents that have them."""
    thesaurus = _parts(folder).thesaurus
    if thesaurus is None:
        wanted = ", ".join(SKOS_SUFFIXES)
        raise NotFound(f"{folder}: no thesaurus in this folder ({wanted}, or a .tsv of <address>, tab, label)")
    labels = read_thesaurus(thesaurus)
    names: dict[str, str] = {label.casefold(): concept for concept, label in labels.items()}
    names |= {LAST_PART.sub("", concept): concept for concept in labels}
    names |= {concept: concept for concept in labels}
    judged: dict[str, list[str]] = {}
    for document in read_annotated(folder):
        there = (names.get(name) or names.get(name.casefold()) for name in _concepts(document))
        for concept in dict.fromkeys(there):
            if concept is not None:
                judged.setdefault(concept, []).append(document.id)
    if not judged:
        raise BadInput(f"{folder}: no document has a concept of {thesaurus.name}")
    queries = (Query(concept, labels[concept]) for concept in labels if concept in judged)
    return queries, (Judgement(concept, one, 1) for concept, found in judged.items() for one in found)


def _concepts(document: Document) -> list[str]:
    found = document.metadata.get("concepts", [])
    return list(map(str, found)) if isinstance(found, list) else []


# --- documents ----------------------------------------------------------------------------------------------


def _short(files: list[Path], on_bad: OnBad) -> Iterator[Document]:
    for file in files:
        stem = file.name.partition(".")[0]
        for number, text, rest in _rows(file, "a text, a tab and the addresses of its concepts", on_bad):
            yield Document(
                f"{stem}:{number}", {"title": text}, _metadata(ADDRESS.findall(rest)), Origin(str(file), number)
            )


def _full(folder: Path, files: dict[Path, Path], on_bad: OnBad) -> Iterator[Document]:
    for file, notes in files.items():
        name = file.relative_to(folder).as_posix().partition(".txt")[0]
        try:
            concepts = _annotations(notes)
            text = _text(file)
        except BadInput as error:
            on_bad(BadRecord(str(error).removeprefix(f"{file}: "), origin=Origin(str(file))))
        else:
            yield Document(name, {"text": text}, _metadata(concepts), Origin(str(file)))


def _annotations(file: Path) -> list[str]:
    """Return the concepts of one document: addresses, or labels."""
    found = [line.strip() for line in _text(file).splitlines() if line.strip()]
    if suffix(file) == ".key":
        return found
    addresses = [match[1] for line in found if (match := ADDRESS.match(line))]
    if len(addresses) < len(found):
        wrong = next(line for line in found if not ADDRESS.match(line))
        raise BadInput(f"{file}: each line must start with the <address> of a concept, got {shown(wrong)}")
    return addresses


def _by_gold(parts: Parts, on_bad: OnBad) -> Iterator[Document]:
    assert parts.gold is not None
    titles = (
        {name: title for _, name, title in _rows(parts.titles, "an id, a tab and the title", on_bad)}
        if parts.titles
        else {}
    )
    texts = {file.name.partition(".txt")[0]: file for file in parts.texts}
    for number, name, rest in _rows(parts.gold, "an id, a tab and concepts", on_bad):
        origin = Origin(str(parts.gold), number)
        fields = {"title": titles[name]} if titles.get(name) else {}
        try:
            if name in texts:
                fields["text"] = _text(texts[name])
            if not fields:
                raise BadInput(f"there is no title and no text of the document {shown(name)}")
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=origin, raw=f"{name}\t{rest}"))
        else:
            concepts = [one.strip().strip("<>") for one in rest.split("\t") if one.strip()]
            yield Document(name, fields, _metadata(concepts), origin)


def _rows(file: Path, wanted: str, on_bad: OnBad) -> Iterator[tuple[int, str, str]]:
    """Yield the lines of a table: their number, the first column, and the others."""
    for number, line in lines(file):
        if line.isspace():
            continue
        try:
            first, tab, rest = utf8(line).strip("\r\n").partition("\t")
            if not tab or not first.strip():
                raise BadInput(f"the line must hold {wanted}")
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(str(file), number), raw=line.rstrip(b"\r\n")))
        else:
            yield number, first.strip(), rest.strip()


def _metadata(concepts: list[str]) -> dict[str, list[str]]:
    return {"concepts": list(dict.fromkeys(concepts))} if concepts else {}


def _text(file: Path) -> str:
    try:
        return utf8(whole(file).removeprefix(BOM))
    except BadInput as error:
        problem = str(error)
        raise BadInput(problem if problem.startswith(str(file)) else f"{file}: {problem}") from None


# --- which files these are ----------------------------------------------------------------------------------


def _parts(folder: str | Path, most: int | None = None) -> Parts:
    root = Path(folder)
    files = list(islice(files_below(root), most))
    there = set(files)
    beside = {file: notes for file in files if suffix(file) == ".txt" and (notes := _notes(file, there))}
    noted = set(beside.values())
    tables = [file for file in files if suffix(file) == ".tsv" and file not in noted and file.parent == root]
    gold = next((file for file in tables if "gold" in file.name.lower()), None)
    titles = next((file for file in tables if "title" in file.name.lower()), None)
    starts = {file: opening(file) for file in tables if file not in (gold, titles)}
    vocabularies = [file for file, start in starts.items() if LISTED.match(start)]
    formal = [file for file in files if suffix(file) in SKOS_SUFFIXES and file.parent == root]
    plain = [file for file in files if suffix(file) == ".json" and "thes" in file.name.lower()]
    return Parts(
        thesaurus=next(iter([*formal, *vocabularies, *plain]), None),
        short=[file for file, start in starts.items() if file not in vocabularies and ANNOTATED.match(start)],
        full=beside,
        gold=gold,
        titles=titles,
        texts=[file for file in files if suffix(file) == ".txt" and file not in beside] if gold else [],
    )


def _notes(file: Path, there: set[Path]) -> Path | None:
    stem = file.name.partition(".txt")[0]
    return next((one for end in (".tsv", ".key") if (one := file.with_name(stem + end)) in there), None)


def _recognises(source: str) -> bool:
    if not Path(source).is_dir():
        return False
    try:
        parts = _parts(source, LOOKED_AT)
    except (BadInput, NotFound):
        return False
    return parts.thesaurus is not None and bool(parts.short or parts.full or parts.gold)


READER = Reader(
    name="annotated",
    about="documents that are annotated with the concepts of a thesaurus",
    sources="folders with a thesaurus (SKOS, or a table of <address>, tab, label) and texts with concepts",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_annotated(source, on_bad=on_bad),
)
