"""Test collections laid out as BEIR's: a folder with documents, queries and judgements.

Documents: corpus.jsonl. Queries: queries.jsonl. Judgements: qrels/test.tsv, or qrels.tsv. Each may be packed
(.gz).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import NotFound
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.jsonl import read_jsonl
from aboutness.corpus.reader import Reader
from aboutness.corpus.topics import read_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aboutness.core.record import Document, Query


def read_beir(
    folder: str | Path,
    *,
    fields: Sequence[str] | None = None,
    id_key: str | None = None,
    on_bad: OnBad = stop,
) -> Iterator[Document]:
    """Read the documents of a folder."""
    return read_jsonl(_file(folder, "corpus.jsonl"), fields=fields, id_key=id_key, on_bad=on_bad)


def read_queries(folder: str | Path) -> Iterator[Query]:
    """Read the queries of a folder, or of the one file that `folder` is."""
    path = Path(folder)
    return read_topics(_file(path, "queries.jsonl") if path.is_dir() else path)


def qrels_file(source: str | Path) -> Path:
    """Return the file of a folder's judgements, or the one file that `source` is."""
    path = Path(source)
    if not path.is_dir():
        return path
    try:
        return _file(path, "qrels/test.tsv", "qrels.tsv")
    except NotFound as error:
        others = sorted(file.name for file in path.glob("qrels/*.tsv*"))
        there = f"; there is qrels/{', qrels/'.join(others)}: copy one to qrels.tsv to use it" if others else ""
        raise NotFound(f"{error}{there}") from None


def corpus_file(folder: str | Path) -> Path | None:
    """Return the file of a folder's documents, if it is such a folder."""
    return _file(folder, "corpus.jsonl") if _recognises(str(folder)) else None


def _file(folder: str | Path, *names: str) -> Path:
    wanted = [Path(folder, name + end) for name in names for end in ("", ".gz")]
    found = next((path for path in wanted if path.is_file()), None)
    if found is None:
        raise NotFound(f"{folder}: no {' or '.join(names)} (or .gz) in this folder")
    return found


def _recognises(source: str) -> bool:
    return any(Path(source, name).is_file() for name in ("corpus.jsonl", "corpus.jsonl.gz"))


READER = Reader(
    name="beir",
    about="a test collection laid out as BEIR's",
    sources="folders with corpus.jsonl",
    recognises=_recognises,
    read=lambda source, keys, on_bad: read_beir(source, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad),
    takes_keys=True,
)
