"""Rankings in files: TREC's six columns, `query Q0 document rank score tag`, and what other tools have instead."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np

from aboutness.core.errors import UsageError, shown
from aboutness.core.scores import is_score
from aboutness.evaluate.atomic import write_whole
from aboutness.frames.frame import Frame, is_frame
from aboutness.frames.runs import run_from_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Ranking: TypeAlias = Sequence[tuple[str, float]]
"""Document ids with their scores."""

Ranked: TypeAlias = Ranking | Mapping[str, float]
"""A ranking, or scores by document."""

Run: TypeAlias = dict[str, list[tuple[str, float]]]
"""For each query id its ranking, best first."""


def best_first(query: str, ranking: Ranked) -> list[tuple[str, float]]:
    """Return a ranking in the order in which trec_eval takes it, whatever order it came in.

    Scores are 32-bit floats, as they are there: the higher is the better, and of documents with the same score
    the one with the greater id comes first, compared character by character ('d9' before 'd10').

    >>> best_first("q", [("d10", 0.5), ("d9", 0.5), ("d1", 2.0)])
    [('d1', 2.0), ('d9', 0.5), ('d10', 0.5)]
    """
    scores = finite_scores(query, ranking)
    documents = list(ranking) if isinstance(ranking, Mapping) else [document for document, _ in ranking]
    if (scores[1:] < scores[:-1]).all():
        return list(zip(documents, scores.tolist(), strict=True))
    return [(one, score) for score, one in sorted(zip(scores.tolist(), documents, strict=True), reverse=True)]


def finite_scores(query: str, ranking: Ranked) -> NDArray[np.float32]:
    """Return the scores of a ranking as 32-bit floats, or raise UsageError where one is none."""
    entries = ranking.items() if isinstance(ranking, Mapping) else ranking
    values: Collection[Any] = ranking.values() if isinstance(ranking, Mapping) else [score for _, score in ranking]
    with np.errstate(over="ignore", under="ignore"):
        try:
            scores = np.fromiter(values, np.float32, len(values))
        except (TypeError, ValueError, OverflowError):
            scores = np.array([score if is_score(score) else np.nan for score in values], np.float32)
    if not np.isfinite(scores).all():
        document, score = next(islice(entries, int(np.argmin(np.isfinite(scores))), None))
        raise UsageError(
            f"query {shown(query)}: the score of document {shown(document)} must be a finite 32-bit float, "
            f"got {shown(score)}"
        )
    return scores


def read_run(path: str | Path) -> Run:
    """Read the rankings of a file, which may be packed (.gz), each in the order of `best_first`.

    Columns are separated by blanks or tabs. Second column, rank and tag are not used, as in trec_eval. The last
    may be missing, or the second; three columns are MS MARCO's, `query document rank`. A table with a header
    (.csv, .tsv) and JSON, {query: {document: score}}, are read, too: see `aboutness.evaluate.run_forms`.

    >>> _ = Path("run.trec").write_text("q1 Q0 d2 1 0.5 x\\nq1 Q0 d1 2 1.5 x\\n")
    >>> read_run("run.trec")
    {'q1': [('d1', 1.5), ('d2', 0.5)]}
    """
    from aboutness.evaluate.run_lines import read_scores

    return {query: best_first(query, scores) for query, scores in read_scores(path).items()}


def write_run(
    target: str | Path | IO[str], rankings: Mapping[str, Ranked] | Iterable[tuple[str, Ranked]] | Frame, tag: str
) -> None:
    """Write rankings, best first, to a file, to standard output (`-`) or to an open text file.

    They may be a data frame, whose rows may stand in any order, and so may scores by document.
    A file appears whole or not at all, and is packed if its name ends in .gz. Scores are written as the shortest
    text that is read back as the same 32-bit float. A query with an empty ranking leaves no line.

    >>> write_run("bm25.trec", {"q1": {"d2": 1.0, "d1": 2.5}}, "bm25")
    >>> print(Path("bm25.trec").read_text().strip())
    q1 Q0 d1 1 2.5 bm25
    q1 Q0 d2 2 1.0 bm25
    """
    if is_frame(rankings):
        rankings = run_from_frame(rankings)
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


def _pieces(rankings: Mapping[str, Ranked] | Iterable[tuple[str, Ranked]], tag: str) -> Iterator[bytes]:
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


def _lines(query: str, ranked: Ranked, tag: str) -> Iterator[str]:
    for document in ranked if isinstance(ranked, Mapping) else ():
        _word("document id", document)  # before ids are compared
    ranking = best_first(query, ranked) if isinstance(ranked, Mapping) else ranked
    scores = finite_scores(query, ranking)
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


def _word(what: str, text: object) -> str:
    """Return `text` if it can be a column of a run."""
    if not isinstance(text, str) or text.split() != [text] or text.startswith("\ufeff"):
        raise UsageError(
            f"the {what} must be one word, without blanks, to stand in a run; got {shown(text)}; "
            "give it one without blanks"
        )
    return text
