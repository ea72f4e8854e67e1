"""A ranker as PyTerrier's transformers are: a data frame of queries in, a data frame of results out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.app.hits import Hits
from aboutness.app.index import Index
from aboutness.app.search import DEFAULT_RANKER, Fields, How, named_ranker, search_among
from aboutness.core import columns
from aboutness.core.errors import BadInput, UsageError, shown
from aboutness.core.record import Document, Query
from aboutness.frames.documents import queries_of
from aboutness.frames.frame import Frame, check_names, frame_of, ids, is_frame, pandas
from aboutness.models.model import checked_k

if TYPE_CHECKING:
    from aboutness.core.algebra import Ranker
    from aboutness.index.filters import Where

RESULTS = ("docno", "score", "rank")  # what a retriever adds to the columns of queries


class Retriever:
    """Searches an index for the queries of a data frame (`qid`, `query`), and returns a data frame of results.

    Results have the columns of the queries, and `docno`, `score` and `rank`, which starts from 0, as in PyTerrier;
    the best come first, and equal scores in the order of arrival. A query that finds nothing has no row. Where the
    frame has a `docno` already, as the results of another retriever have, just these documents are ranked, anew:
    all of them but for those that `where` leaves out. `match` does not count then, since nothing is looked for.
    Other columns go along. `columns` names fields or metadata of documents that become columns, too. The index may
    be named by its folder. The rest is as in `Index.search`.

    It is called as a function, so that frames are piped through several: `queries.pipe(first).pipe(second)`, or in
    PyTerrier by `pt.apply.generic(retriever)`.
    """

    def __init__(
        self,
        index: Index | str | Path,
        ranker: str | Ranker = DEFAULT_RANKER,
        *,
        k: int = 1000,
        match: str | Ranker = "or",
        where: Where | None = None,
        fields: Fields | None = None,
        columns: Sequence[str] = (),
    ) -> None:
        if isinstance(columns, str) or any(name in ("qid", "query", *RESULTS) for name in columns):
            raise UsageError(f"columns are a list of names of fields or metadata, got {shown(columns)}")
        self.index = Index.open(index) if isinstance(index, str | Path) else index
        self.ranker = named_ranker(ranker)
        self.k = checked_k(k)
        self.match = match
        self.where = where
        self.fields = fields
        self.columns = tuple(columns)

    def __repr__(self) -> str:
        return f"<Retriever: {self.ranker}, first {self.k:,}, of {self.index!r}>"

    def __call__(self, queries: Frame) -> Frame:
        """Return the results for a frame of queries, or those that it holds in a new order."""
        return self.transform(queries)

    def transform(self, queries: Frame) -> Frame:
        """Return the results for a frame of queries, or those that it holds in a new order."""
        if not is_frame(queries):
            raise UsageError(f"a data frame of queries (qid, query) is needed, got {shown(queries)}; see `search`")
        check_names(queries)
        columns.need(list(queries.columns), "queries", *columns.QUERY)
        if columns.find(list(queries.columns), columns.DOCUMENT) >= 0:
            return self._ranked_anew(queries)
        return self._found(queries)

    def search(self, query: str, qid: str = "1") -> Frame:
        """Return the results for a text."""
        return self.transform(pandas().DataFrame({"qid": [qid], "query": [query]}))

    def _found(self, frame: Frame) -> Frame:
        asked = queries_of(frame)
        first: dict[str, int] = {}
        for row, query in enumerate(asked):
            if query.id in first:
                raise BadInput(f"row {row} of the data frame: the query {shown(query.id)} is there twice")
            first[query.id] = row
        found = self.index.search_many(
            asked, self.k, self.ranker, match=self.match, where=self.where, fields=self.fields
        )
        rows = [
            {**carried, **self._row(hit.rank, hit.id, hit.score, hit.document if self.columns else None)}
            for carried, hits in zip(_carried(frame), self._read(found), strict=True)
            for hit in hits
        ]
        return self._made(frame, rows)

    def _ranked_anew(self, frame: Frame) -> Frame:
        """Rank for each query the documents that stand beside it."""
        documents = ids(frame, "documents", *columns.DOCUMENT)
        self._check_known(documents)
        groups: dict[str, dict[str, int]] = {}  # by query: rows by document
        asked: dict[str, Query] = {}
        for row, (query, document) in enumerate(zip(queries_of(frame), documents, strict=True)):
            rows_of = groups.setdefault(query.id, {})
            if asked.setdefault(query.id, query).text != query.text:
                raise BadInput(f"row {row} of the data frame: the query {shown(query.id)} has another text before")
            if document in rows_of:
                raise BadInput(
                    f"row {row} of the data frame: document {shown(document)} is there twice for query "
                    f"{shown(query.id)}"
                )
            rows_of[document] = row
        how = How(self.ranker, self.k, where=self.where, fields=self.fields)
        found = search_among(
            self.index.generation, list(asked.values()), [list(one) for one in groups.values()], how
        )
        carried = list(_carried(frame))
        rows = [
            {
                **carried[rows_of[hit.id]],
                **self._row(hit.rank, hit.id, hit.score, hit.document if self.columns else None),
            }
            for rows_of, hits in zip(groups.values(), self._read(found), strict=True)
            for hit in hits
        ]
        return self._made(frame, rows)

    def _check_known(self, documents: Sequence[str]) -> None:
        known = self.index.snapshot.numbers(documents) >= 0
        if not known.all():
            row = int(known.argmin())
            raise BadInput(f"row {row} of the data frame: the index has no document {shown(documents[row])}")

    def _read(self, found: Sequence[Hits]) -> Sequence[Hits]:
        """Return hits whose documents have been read, where these are wanted."""
        for hits in found if self.columns else ():
            hits.read_documents()
        return found

    def _row(self, rank: int, identifier: str, score: float, document: Document | None) -> dict[str, Any]:
        added: dict[str, Any] = {"docno": identifier, "score": score, "rank": rank - 1}
        if document is not None:
            added |= {name: document.fields.get(name, document.metadata.get(name)) for name in self.columns}
        return added

    def _made(self, frame: Frame, rows: Sequence[dict[str, Any]]) -> Frame:
        names = dict.fromkeys([*_names(frame), *RESULTS, *self.columns])
        made = frame_of(rows, list(names))
        return made if len(rows) else made.astype({"score": float, "rank": int})


def _names(frame: Frame) -> list[str]:
    """Return the columns of queries as results have them: `qid` and `query` first, no old results."""
    given = list(frame.columns)
    query, text = columns.find(given, columns.QUERY), columns.find(given, columns.TEXT)
    document = columns.find(given, columns.DOCUMENT)
    gone = {query, text, document, columns.find(given, columns.SCORE), columns.find(given, columns.RANK)}
    return ["qid", "query", *(str(name) for place, name in enumerate(given) if place not in gone)]


def _carried(frame: Frame) -> list[dict[str, Any]]:
    """Return what each row of queries takes along to its results, its values as they are."""
    given = list(frame.columns)
    query, text = columns.find(given, columns.QUERY), columns.find(given, columns.TEXT)
    names = _names(frame)
    places = [query, text, *(place for place, name in enumerate(given) if str(name) in names[2:])]
    values = [frame.iloc[:, place].tolist() for place in places]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
