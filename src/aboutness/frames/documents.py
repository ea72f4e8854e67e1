"""Documents and queries in data frames."""

from __future__ import annotations

from collections.abc import Iterator

from aboutness.core import columns
from aboutness.core.errors import BadInput, shown
from aboutness.core.record import Document, Origin, Query
from aboutness.corpus.keys import ID_KEYS, Keys, roles
from aboutness.frames.frame import Frame, check_names, column, id_of, ids, plain_values


def documents_of(frame: Frame) -> Iterator[Document]:
    """Yield the documents of a frame: a row each, with an id (`docno`, `doc_id`, `id`, ...) and text columns.

    Columns of text are those of `aboutness.corpus.keys`; others are metadata. A missing text is empty, and other
    missing values are left out.
    """
    check_names(frame)
    names = [str(name) for name in frame.columns]
    known = next((name for name in ID_KEYS if name in names), None)
    place = -1 if known else columns.find(names, columns.DOCUMENT)
    role = roles(names, Keys(known if place < 0 else names[place]))
    values = [plain_values(frame.iloc[:, i]) for i in range(len(names))]
    for row, cells in enumerate(zip(*values, strict=True)):
        here = dict(zip(names, cells, strict=True))
        identifier = here[role.id_key]
        yield Document(
            id_of(identifier) or identifier,  # what is none is refused as any bad record is
            {name: "" if here[name] is None else here[name] for name in role.text},
            {name: here[name] for name in role.metadata if here[name] is not None},
            Origin(f"data frame, row {row}"),
        )


def queries_of(frame: Frame) -> list[Query]:
    """Return the queries of a frame: `query` is the text of each, and `qid` its id, or else the row's number."""
    texts = column(frame, "queries' texts", *columns.TEXT)
    named = columns.find(list(frame.columns), columns.QUERY) >= 0
    numbers = ids(frame, "queries", *columns.QUERY) if named else [str(row) for row in range(len(texts))]
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise BadInput(f"row {row} of the data frame: a query must be a text, got {shown(text)}")
    return [Query(number, text) for number, text in zip(numbers, texts, strict=True)]
