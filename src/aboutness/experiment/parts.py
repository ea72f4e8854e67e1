"""A test collection put together from its three parts: files, data frames, or plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from aboutness.core.errors import UsageError, shown
from aboutness.core.record import Document, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.topics import once_each, read_topics
from aboutness.evaluate.judgements import Qrels, read_judgements
from aboutness.experiment.collection import Collection, documents_checksum
from aboutness.frames.documents import documents_of, queries_of
from aboutness.frames.frame import Frame, is_frame
from aboutness.frames.runs import judgements_from_frame
from aboutness.index.intake import Record, as_document

Documents: TypeAlias = str | Path | Iterable[Record] | Frame
Queries: TypeAlias = str | Path | Iterable[Query] | Mapping[str, str] | Frame
Judged: TypeAlias = str | Path | Qrels | Frame

HELD = "in memory"


@dataclass(frozen=True)
class HeldCollection(Collection):
    """A collection whose documents are held in memory."""

    held: tuple[Document, ...] = field(default=(), repr=False)

    def documents(self, on_bad: OnBad = stop) -> Iterator[Document]:  # noqa: ARG002 - none of them is bad
        """Stream the documents."""
        return (one for one in self.held if self.only is None or one.id in self.only)

    @property
    def checksum(self) -> str:
        """Return a hash of all documents."""
        return documents_checksum(self.held)


def collection_of(documents: Documents, queries: Queries, qrels: Judged, name: str | None = None) -> Collection:
    """Return the collection that three parts make up."""
    asked, judged = tuple(once_each(_queries(queries), "queries")), judgements_of(qrels)
    if isinstance(documents, str | Path):
        return Collection(name or Path(documents).name, str(documents), asked, judged)
    held = documents_of(documents) if is_frame(documents) else _documents(documents)
    return HeldCollection(name or "documents", HELD, asked, judged, held=tuple(held))


def judgements_of(qrels: Judged) -> Qrels:
    """Return judgements by query, from a file, a data frame, or as they are."""
    if is_frame(qrels):
        return judgements_from_frame(qrels)
    if isinstance(qrels, str | Path):
        return read_judgements(qrels)
    if not isinstance(qrels, Mapping):
        raise UsageError(f"judgements must be a file, a data frame or grades by query, got {shown(qrels)}")
    return qrels


def _documents(records: object) -> Iterator[Document]:
    if not isinstance(records, Iterable) or isinstance(records, Mapping):
        raise UsageError(f"documents must be a path, a data frame or several records, got {shown(records)}")
    for record in records:
        document = as_document(record, stop)
        assert document is not None
        yield document


def _queries(queries: Queries) -> Iterable[Query]:
    if is_frame(queries):
        return queries_of(queries)
    if isinstance(queries, str | Path):
        return read_topics(queries)
    if isinstance(queries, Mapping):
        return [Query(name, text) for name, text in queries.items()]
    given = list(queries)
    if wrong := [one for one in given if not isinstance(one, Query)]:
        raise UsageError(
            f"queries must be a path, a data frame, texts by id, or Query objects, got {shown(wrong[0])}"
        )
    return given
