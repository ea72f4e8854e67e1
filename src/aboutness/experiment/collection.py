"""Test collections: documents, queries, and which documents answer which query."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.core.record import Document, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus import annotated, ntcir, rcv1
from aboutness.corpus.beir import corpus_file, read_queries
from aboutness.corpus.ir_datasets_source import PREFIX, read_ir_datasets_qrels, read_ir_datasets_queries
from aboutness.corpus.read import READERS, read
from aboutness.corpus.stdlib_docs import SOURCE
from aboutness.corpus.topics import once_each
from aboutness.evaluate.judgements import Qrels, judgements_by_query, read_judgements
from aboutness.experiment.hashes import digest, file_checksum, qrels_checksum

if TYPE_CHECKING:
    from aboutness.experiment.parts import Documents, Judged, Queries


@dataclass(frozen=True)
class Collection:
    """Queries with their judgements, and where the documents are read."""

    name: str
    source: str
    queries: tuple[Query, ...] = field(repr=False)
    qrels: Qrels = field(repr=False)
    only: frozenset[str] | None = field(default=None, repr=False)  # documents that belong to it, if not all do
    hidden: frozenset[str] = field(default=frozenset(), repr=False)  # documents that are never found
    by_document: bool = field(default=False, repr=False)  # a query is a document, with the same id
    chosen_by: tuple[str, ...] = field(default=(), repr=False)  # queries by which parameters were chosen

    def documents(self, on_bad: OnBad = stop) -> Iterator[Document]:
        """Stream the documents."""
        every = _at_least_one(read(self.source, on_bad=on_bad), self.source)
        return every if self.only is None else (one for one in every if one.id in self.only)

    @property
    def checksum(self) -> str:
        """Return a hash of the documents' file or, where they come from elsewhere, of each of them."""
        file = corpus_file(self.source)
        return file_checksum(file) if file else documents_checksum(read(self.source))

    @property
    def judged_queries(self) -> list[Query]:
        """Return the queries that have judgements; the others cannot be evaluated."""
        return [query for query in self.queries if query.id in self.qrels]

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Return the ids of the queries that have no judgements."""
        judged = {query for query, grades in self.qrels.items() if grades}.union(self.chosen_by)
        return tuple(query.id for query in self.queries if query.id not in judged)

    @property
    def unasked(self) -> tuple[str, ...]:
        """Return the ids of judged queries that are not there to be asked."""
        known = {query.id for query in self.queries}
        return tuple(query for query, grades in self.qrels.items() if grades and query not in known)


def collection(
    source: Documents, queries: Queries | None = None, qrels: Judged | None = None, *, name: str | None = None
) -> Collection:
    """Open a test collection: a folder with corpus.jsonl, queries.jsonl and qrels.tsv (each may be packed), as
    BEIR's are; NTCIR, RCV1 or documents with the concepts of a thesaurus, as these are handed out; or the name of
    one of ir_datasets'. "stdlib" is the documentation of Python's standard library, with questions of our own.

    Or put one together: with `queries` and `qrels`, `source` is just the documents. Each part is a file of any
    form that can be read, a data frame, or plain Python: records, texts by id, grades by query and document.
    """
    if queries is not None and qrels is not None:
        from aboutness.experiment.parts import collection_of

        return _with_judged(collection_of(source, queries, qrels, name))
    if queries is not None or qrels is not None or not isinstance(source, str | Path):
        raise UsageError("a collection of parts has three: give documents, `queries` and `qrels`")
    opened = _opened(str(source))
    return opened if name is None else replace(opened, name=name)


def _opened(name: str) -> Collection:
    if name == SOURCE:
        from aboutness.experiment.stdlib_questions import stdlib_collection

        return stdlib_collection()
    if Path(name).is_dir():
        for form in (ntcir, rcv1, annotated):
            if not READERS["beir"].recognises(name) and form.READER.recognises(name):
                asked, judged = form.questions(name)
                return _made(
                    Path(name).resolve().name, name, tuple(once_each(asked, name)), judgements_by_query(judged)
                )
        if not READERS["beir"].recognises(name):
            raise NotFound(
                f"{name}: no corpus.jsonl (or .gz) in this folder; a collection has its documents there"
            )
        queries, qrels = tuple(once_each(read_queries(name), name)), read_judgements(name)
        return _made(Path(name).resolve().name, name, queries, qrels)
    if Path(name).exists() and not name.startswith(PREFIX):
        raise BadInput(f"{name}: a collection is a folder with documents, queries and judgements; this is a file")
    label = name.removeprefix(PREFIX)
    try:
        queries = tuple(once_each(read_ir_datasets_queries(label), label))
        qrels = judgements_by_query(read_ir_datasets_qrels(label))
    except BadInput as error:
        raise BadInput(f"{PREFIX}{label}: {error}") from None
    except (NotFound, UsageError) as error:
        if name.startswith(PREFIX):
            raise
        raise NotFound(f"{Path(name).absolute()}: there is no such folder, and {error}") from None
    return _made(label, f"{PREFIX}{label}", queries, qrels)


def data_of(one: Collection, checksum: str | None) -> dict[str, Any]:
    """Return what results say of a collection; `checksum` is that of its documents, where they were read."""
    asked = one.judged_queries
    return {
        "source": one.source,
        "queries": len(asked),
        "judgements": sum(map(len, one.qrels.values())),
        **({"checksum": checksum} if checksum else {}),
        "queries_checksum": digest([[query.id, query.text] for query in asked]),
        "judgements_checksum": qrels_checksum(one.qrels),
    }


def _made(name: str, source: str, queries: tuple[Query, ...], qrels: Qrels) -> Collection:
    return _with_judged(Collection(name, source, queries, qrels))


def _with_judged(made: Collection) -> Collection:
    """Return a collection, or raise where no query of it can be evaluated."""
    if not made.judged_queries:
        raise BadInput(f"{made.source}: none of its {len(made.queries):,} queries has a judgement")
    return made


def _at_least_one(documents: Iterable[Document], source: str) -> Iterator[Document]:
    none = True
    for one in documents:
        none = False
        yield one
    if none:
        raise BadInput(f"{corpus_file(source) or source}: there are no documents, so nothing can be ranked")


def documents_checksum(documents: Iterable[Document]) -> str:
    """Return a hash of each of some documents."""
    whole = hashlib.sha256()
    for one in documents:
        plain = [one.id, dict(one.fields), dict(one.metadata)]
        whole.update(json.dumps(plain, default=str).encode() + b"\n")
    return whole.hexdigest()
