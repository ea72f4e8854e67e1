"""Test collections: documents, queries, and which documents answer which query."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aboutness.core.errors import BadInput, BadRecord, NotFound, UsageError
from aboutness.core.record import Document, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.beir import corpus_file, read_qrels, read_queries
from aboutness.corpus.ir_datasets_source import PREFIX, read_ir_datasets_qrels, read_ir_datasets_queries
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.read import READERS, read
from aboutness.evaluate.judgements import Qrels, judgements_by_query
from aboutness.experiment.hashes import file_checksum


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

    def documents(self, on_bad: OnBad = stop) -> Iterator[Document]:
        """Stream the documents."""
        every = read(self.source, on_bad=on_bad)
        return every if self.only is None else (one for one in every if one.id in self.only)

    @property
    def checksum(self) -> str:
        """Return a hash of the documents' file or, where they come from elsewhere, of each of them."""
        file = corpus_file(self.source)
        return file_checksum(file) if file else _documents_checksum(read(self.source))

    @property
    def judged_queries(self) -> list[Query]:
        """Return the queries that have judgements; the others cannot be evaluated."""
        return [query for query in self.queries if query.id in self.qrels]


def collection(source: str | Path) -> Collection:
    """Open a test collection: a folder with corpus.jsonl, queries.jsonl and qrels.tsv (each may be packed), as
    BEIR's are, or the name of one of ir_datasets'.
    """
    name = str(source)
    if Path(name).is_dir():
        if not READERS["beir"].recognises(name):
            raise NotFound(
                f"{name}: no corpus.jsonl (or .gz) in this folder; a collection has its documents there"
            )
        queries, judgements = read_queries(name), read_qrels(name)
        label = Path(name).resolve().name
    elif name.startswith(PREFIX) or not Path(name).exists():
        label = name.removeprefix(PREFIX)
        try:
            queries, judgements = read_ir_datasets_queries(label), read_ir_datasets_qrels(label)
            found = tuple(queries)
        except (NotFound, UsageError) as error:
            if name.startswith(PREFIX):
                raise
            raise NotFound(f"{name}: there is no such folder, and {error}") from None
        return _made(label, f"{PREFIX}{label}", found, judgements)
    else:
        raise BadInput(f"{name}: a collection is a folder with documents, queries and judgements; this is a file")
    return _made(label, name, tuple(queries), judgements)


def _made(name: str, source: str, queries: tuple[Query, ...], judgements: Iterable[Judgement]) -> Collection:
    try:
        made = Collection(name, source, queries, judgements_by_query(judgements))
    except BadRecord:
        raise
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None
    seen: set[str] = set()
    for query in made.queries:
        if query.id in seen:
            raise BadInput(f"{made.source}: two queries have the id {query.id!r}")
        seen.add(query.id)
    if not made.judged_queries:
        raise BadInput(f"{made.source}: none of its {len(made.queries):,} queries has a judgement")
    return made


def _documents_checksum(documents: Iterable[Document]) -> str:
    whole = hashlib.sha256()
    for one in documents:
        plain = [one.id, dict(one.fields), dict(one.metadata)]
        whole.update(json.dumps(plain, default=str).encode() + b"\n")
    return whole.hexdigest()
