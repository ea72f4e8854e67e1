"""Rankings and judgements as data frames, with the columns that PyTerrier, ir_measures and ranx give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from aboutness.core import columns
from aboutness.core.errors import UsageError, shown
from aboutness.core.record import Query
from aboutness.frames.checked import Row, checked_grades, checked_scores
from aboutness.frames.documents import queries_of
from aboutness.frames.frame import Frame, check_names, column, id_of, is_frame, pandas

Ranked: TypeAlias = Sequence[tuple[str, float]] | Mapping[str, float]

FORMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # the columns of a run, and of judgements
    "pyterrier": (("qid", "docno", "score", "rank"), ("qid", "docno", "label")),
    "ir-measures": (("query_id", "doc_id", "score"), ("query_id", "doc_id", "relevance")),
    "ranx": (("q_id", "doc_id", "score"), ("q_id", "doc_id", "score")),
}


def run_to_frame(
    run: Mapping[str, Ranked],
    form: str = "pyterrier",
    *,
    queries: Mapping[str, str] | Iterable[Query] | Frame | None = None,
) -> Frame:
    """Return rankings by query as a data frame with the columns of "pyterrier", "ir-measures" or "ranx".

    Each ranking stands best first; equal scores keep their order. PyTerrier's ranks start from 0. With `queries`,
    their texts are a column `query`.

    >>> print(run_to_frame({"q1": {"d1": 0.5, "d2": 2.0}}))
      qid docno  score  rank
    0  q1    d2    2.0     0
    1  q1    d1    0.5     1
    """
    names, _ = _form(form)
    scores = checked_scores(_pairs(run, "rankings"), _named)
    rows: list[tuple[Any, ...]] = []
    for query, ranking in scores.items():
        best = sorted(ranking.items(), key=lambda pair: -pair[1])
        rows += [(query, document, score, rank) for rank, (document, score) in enumerate(best)]
    frame = pandas().DataFrame(rows, columns=["query", "document", "score", "rank"])
    frame = frame.astype({**_ids(form), "score": float, "rank": int})
    frame = frame.iloc[:, : len(names)].set_axis(list(names), axis=1)
    if queries is not None:
        texts = _texts(queries)
        frame.insert(1, "query", [texts.get(query, "") for query in frame[names[0]]])
    return frame


def run_from_frame(frame: Frame) -> dict[str, dict[str, float]]:
    """Return the scores of a data frame by query and document; columns may be any of those that tools give them.

    Where there is a `rank` and no `score`, minus the rank stands for it.

    >>> run_from_frame(run_to_frame({"q1": {"d1": 0.5, "d2": 2.0}}, "ranx"))
    {'q1': {'d2': 2.0, 'd1': 0.5}}
    """
    rows = _rows(frame, "scores or ranks", *columns.SCORE, *columns.RANK)
    by_rank = columns.find(list(frame.columns), columns.SCORE) < 0
    return checked_scores(rows, _numbered, by_rank=by_rank)


def judgements_to_frame(qrels: Mapping[str, Mapping[str, int]], form: str = "pyterrier") -> Frame:
    """Return judgements by query as a data frame with the columns of "pyterrier", "ir-measures" or "ranx".

    >>> print(judgements_to_frame({"q1": {"d1": 1}}, "ir-measures"))
      query_id doc_id  relevance
    0       q1     d1          1
    """
    _, names = _form(form)
    grades = checked_grades(_pairs(qrels, "judgements"), _named)
    rows = [(query, document, grade) for query, judged in grades.items() for document, grade in judged.items()]
    frame = pandas().DataFrame(rows, columns=["query", "document", "grade"])
    return frame.astype({**_ids(form), "grade": int}).set_axis(list(names), axis=1)


def judgements_from_frame(frame: Frame) -> dict[str, dict[str, int]]:
    """Return the judgements of a data frame by query; columns may be any of those that tools give them.

    >>> judgements_from_frame(judgements_to_frame({"q1": {"d1": 1}}, "ranx"))
    {'q1': {'d1': 1}}
    """
    return checked_grades(_rows(frame, "grades", *columns.GRADE), _numbered)


def _rows(frame: Frame, what: str, *names: str) -> Iterable[Row]:
    """Return queries, documents and numbers of a frame."""
    if not is_frame(frame):
        raise UsageError(f"a data frame is needed, got {shown(frame)}")
    check_names(frame)
    values = column(frame, what, *names)
    queries = column(frame, "queries", *columns.QUERY)
    documents = column(frame, "documents", *columns.DOCUMENT)
    return zip(queries, documents, values, strict=True)


def _numbered(place: int, _row: Row) -> str:
    return f"row {place} of the data frame"


def _pairs(given: object, what: str) -> Iterator[Row]:
    """Yield queries, documents and numbers of what is given by query."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} by query are needed, {{query: {{document: number}}}}, got {shown(given)}")
    for query, of_query in given.items():
        try:
            for document, value in of_query.items() if isinstance(of_query, Mapping) else of_query:
                yield query, document, value
        except (TypeError, ValueError):
            raise UsageError(
                f"query {shown(query)}: numbers by document, or pairs of these, are needed, got {shown(of_query)}"
            ) from None


def _named(_place: int, row: Row) -> str:
    return f"query {shown(row[0])}, document {shown(row[1])}"


def _form(name: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not isinstance(name, str) or name not in FORMS:
        raise UsageError(f"form must be one of {', '.join(FORMS)}, got {shown(name)}")
    return FORMS[name]


def _ids(form: str) -> dict[str, type]:
    """Return the type of columns of ids: ranx takes texts only in a column of objects."""
    return dict.fromkeys(("query", "document"), object if form == "ranx" else str)


def _texts(queries: Mapping[str, str] | Iterable[Query] | Frame) -> dict[str, str]:
    if is_frame(queries):
        return {query.id: query.text for query in queries_of(queries)}
    if isinstance(queries, Mapping):
        return {id_of(name) or name: text for name, text in queries.items()}
    texts = {}
    for one in queries if isinstance(queries, Iterable) else [queries]:
        if not isinstance(one, Query):
            raise UsageError(f"queries must be a data frame, texts by id, or Query objects, got {shown(one)}")
        texts[one.id] = one.text
    return texts
