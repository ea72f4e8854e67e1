"""Rankings in files: TREC's six columns, `query Q0 document rank score tag`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np

from aboutness.core.errors import BadInput, BadRecord, UsageError, shown
from aboutness.core.record import Origin
from aboutness.corpus.files import lines, utf8
from aboutness.evaluate.atomic import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Ranking: TypeAlias = Sequence[tuple[str, float]]
"""Document ids with their scores."""

Run: TypeAlias = dict[str, list[tuple[str, float]]]
"""For each query id its ranking, best first."""

TOO_LARGE = 2.0**128 - 2.0**103
"""The least number that is rounded to an infinite 32-bit float."""


def best_first(query: str, ranking: Ranking) -> list[tuple[str, float]]:
    """Return a ranking in the order in which trec_eval takes it, whatever order it came in.

    Scores are 32-bit floats, as they are there: the higher is the better, and of documents with the same score
    the one with the greater id comes first, compared character by character ('d9' before 'd10').

    >>> best_first("q", [("d10", 0.5), ("d9", 0.5), ("d1", 2.0)])
    [('d1', 2.0), ('d9', 0.5), ('d10', 0.5)]
    """
    scores = _scores(query, ranking)
    ordered = [(document, score) for (document, _), score in zip(ranking, scores.tolist(), strict=True)]
    if not (scores[1:] < scores[:-1]).all():
        ordered.sort(key=lambda entry: (entry[1], entry[0]), reverse=True)
    return ordered


def read_run(path: str | Path) -> Run:
    """Read the rankings of a file, which may be packed (.gz), each in the order of `best_first`.

    Columns are separated by blanks or tabs. Second column, rank and tag are not used, as in trec_eval.
    """
    found: dict[str, dict[str, float]] = {}
    for number, line in lines(path):
        columns = line.split()
        if not columns:
            continue
        try:
            query, document, score = _entry(columns)
            ranking = found.setdefault(query, {})
            if document in ranking:
                raise BadInput(f"document {shown(document)} is ranked twice for query {shown(query)}")
        except BadInput as error:
            raise BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")) from None
        ranking[document] = score
    return {query: best_first(query, list(ranking.items())) for query, ranking in found.items()}


def _entry(columns: list[bytes]) -> tuple[str, str, float]:
    if len(columns) != 6:
        raise BadInput(f"a line of a run has 6 columns (query Q0 document rank score tag), got {len(columns)}")
    text = columns[4]
    try:
        # float() reads 1_000 as a thousand, trec_eval as one.
        score = float(text) if b"_" not in text else None
    except ValueError:
        score = None
    if score is None or not abs(score) < TOO_LARGE:
        got = shown(text.decode("utf-8", "backslashreplace"))
        raise BadInput(f"the score must be a finite number between -3.4e38 and 3.4e38, got {got}")
    return utf8(columns[0]), utf8(columns[2]), score


def write_run(
    target: str | Path | IO[str], rankings: Mapping[str, Ranking] | Iterable[tuple[str, Ranking]], tag: str
) -> None:
    """Write rankings, best first, to a file, to standard output (`-`) or to an open text file.

    A file appears whole or not at all, and is packed if its name ends in .gz. Scores are written as the shortest
    text that is read back as the same 32-bit float. A query with an empty ranking leaves no line.
    """
    pieces = _pieces(rankings, _word("tag of a run", tag))
    if isinstance(target, str | Path) and str(target) != "-":
        with write_whole(target) as file:
            file.writelines(pieces)
    elif isinstance(target, str | Path):
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
    else:
        target.writelines(piece.decode() for piece in pieces)


def _pieces(rankings: Mapping[str, Ranking] | Iterable[tuple[str, Ranking]], tag: str) -> Iterator[bytes]:
    written: set[str] = set()
    for query, ranking in rankings.items() if isinstance(rankings, Mapping) else rankings:
        if _word("query id", query) in written:
            raise UsageError(f"there are two rankings for query {shown(query)}; give one")
        written.add(query)
        try:
            yield "".join(_lines(query, ranking, tag)).encode()
        except UnicodeEncodeError as error:
            odd = error.object[error.start : error.end]
            raise UsageError(f"query {shown(query)}: an id or the tag holds {odd!a}, which is no text") from None


def _lines(query: str, ranking: Ranking, tag: str) -> Iterator[str]:
    scores = _scores(query, ranking)
    if (scores[1:] > scores[:-1]).any():
        rank = int(np.argmax(scores[1:] > scores[:-1])) + 1
        raise UsageError(
            f"the ranking of query {shown(query)} must be best first, "
            f"but at rank {rank + 1} the score rises from {scores[rank - 1]} to {scores[rank]}"
        )
    seen: set[str] = set()
    for rank, ((document, _), score) in enumerate(zip(ranking, scores, strict=True), start=1):
        if _word("document id", document) in seen:
            raise UsageError(f"document {shown(document)} is ranked twice for query {shown(query)}")
        seen.add(document)
        yield f"{query} Q0 {document} {rank} {score!s} {tag}\n"


def _scores(query: str, ranking: Ranking) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        scores = np.array([score for _, score in ranking], np.float32)
    if not np.isfinite(scores).all():
        document, score = ranking[int(np.argmin(np.isfinite(scores)))]
        raise UsageError(
            f"query {shown(query)}: the score of document {shown(document)} must be a finite 32-bit float, "
            f"got {score}"
        )
    return scores


def _word(what: str, text: str) -> str:
    """Return `text` if it can be a column of a run."""
    if text.split() != [text] or text.startswith("\ufeff"):
        raise UsageError(
            f"the {what} must be one word, without blanks, to stand in a run; got {shown(text)}; "
            "give it one without blanks"
        )
    return text
