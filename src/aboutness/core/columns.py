"""What others call the columns of rankings, judgements and queries, in tables and in data frames.

Of several names the first that is there counts: PyTerrier's frames have a `docid`, which is a number of its own,
beside the `docno`. Capitals make no difference, and `corpus-id` is `corpus_id`.
"""

from __future__ import annotations

from collections.abc import Sequence

from aboutness.core.errors import BadInput, shown

QUERY = ("qid", "query_id", "q_id", "topic_id", "topic")
DOCUMENT = ("docno", "doc_id", "docid", "corpus_id", "document_id", "passage_id", "pid")
TEXT = ("query", "query_text", "text")
SCORE = ("score",)
RANK = ("rank",)
GRADE = ("label", "relevance", "rel", "grade", "score")


def plain(name: object) -> str:
    """Return the name of a column as it is compared.

    >>> plain("Corpus-ID")
    'corpus_id'
    """
    return str(name).strip().lower().replace("-", "_")


def find(columns: Sequence[object], names: Sequence[str]) -> int:
    """Return the place of the first column that has one of some names, or -1.

    >>> find(["docid", "docno", "score"], DOCUMENT)
    1
    """
    there = [plain(column) for column in columns]
    return next((there.index(name) for name in names if name in there), -1)


def need(columns: Sequence[object], what: str, *names: str) -> int:
    """Return the place of a column, or raise BadInput that says which one is missing, and what there is."""
    place = find(columns, names)
    if place < 0:
        some = ", ".join(shown(column) for column in columns[:12]) or "none"
        more = f", … ({len(columns)})" if len(columns) > 12 else ""
        raise BadInput(f"there is no column of {what} ({' or '.join(names)}); the columns are {some}{more}")
    return place


def is_header(columns: Sequence[object]) -> bool:
    """Tell whether the first line of a table names its columns: that of queries, and that of documents."""
    return find(columns, QUERY) >= 0 and find(columns, DOCUMENT) >= 0
