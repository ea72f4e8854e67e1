"""Runs that are no lines of TREC's: tables whose header names the columns, and JSON."""

from __future__ import annotations

from pathlib import Path

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.core.rejects import stop
from aboutness.core.scores import RANK_ALLOWED, SCORE_ALLOWED, is_score, score_of
from aboutness.corpus.by_query import read_by_query
from aboutness.corpus.delimited import TableRows, read_header, sound_rows
from aboutness.evaluate.run_forms import Scores, check_ranks, form_of_header, rank_of


def read_table(path: str | Path, delimiter: str) -> Scores:
    """Read a run from a table with a header; raise BadRecord, which says the line, for what cannot be used."""
    file = str(path)
    table = TableRows(path, delimiter)
    header = [name.strip() for name in read_header(file, table, numbered=True)]
    try:
        form = form_of_header(header)
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    found: Scores = {}
    for line, row in sound_rows(file, table, header, stop):
        query, document, text = (row[place].strip() for place in (form.query, form.document, form.value))
        try:
            ranking, number = found.setdefault(query, {}), _number(text, by_rank=form.by_rank)
            if not query or not document:
                raise BadInput("the query or document id is empty")
            if document in ranking:
                raise BadInput(f"document {shown(document)} is ranked twice for query {shown(query)}")
        except BadInput as error:
            raise BadRecord(str(error), origin=Origin(file, line), raw=table.latest) from None
        ranking[document] = number
    try:
        check_ranks(form, found)
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    return found


def _number(text: str, *, by_rank: bool) -> float:
    """Return a score, or the rank below 0; a rank such as 1.0, as a data frame may write it, is whole, too."""
    try:
        return -float(rank_of(text.removesuffix(".0").encode())) if by_rank else score_of(text)
    except ValueError:
        raise BadInput(f"{RANK_ALLOWED if by_rank else SCORE_ALLOWED}, got {shown(text)}") from None


def read_json_run(path: str | Path) -> Scores:
    """Read a run of the form {query: {document: score}}; raise BadInput for a score that is none."""
    found = read_by_query(path)
    for query, ranking in found.items():
        for document, score in ranking.items():
            if not is_score(score):
                where = f"query {shown(query)}, document {shown(document)}"
                raise BadInput(f"{path}: {where}: {SCORE_ALLOWED}, got {shown(score)}")
    return {query: {one: float(score) for one, score in ranking.items()} for query, ranking in found.items()}
