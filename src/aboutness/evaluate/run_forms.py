"""Which columns the lines of a run have: TREC's six, or what other tools make of them.

    query Q0 document rank score tag      TREC
    query Q0 document rank score          the same without a tag
    query document rank score tag         the same without Q0
    query document rank score             as ColBERT writes it
    query document rank                   as MS MARCO wants it: the ranks of a query are 1, 2, ..., each once

A first line that names its columns says which they are itself, in any order. Where there is no score, minus the
rank stands for it. Three columns with a score and no header are refused: read as ranks, they would turn rankings
round. So are ranks that fall from line to line in all queries: these are scores, too.

A 0 in the second column may be Q0 or a document: where the rank stands, and where the score, tells which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from aboutness.core import columns
from aboutness.core.errors import BadInput, shown
from aboutness.core.scores import DIGITS, check_ranks_differ, score_of

MARKS = (b"Q0", b"q0", b"0")  # what stands between query and document
FIRST_RANKS = (b"0", b"1")
SAID = "(query Q0 document rank score tag)"
SCORES_SAID = "if these are scores, say so in a first line: qid docid score"

Scores: TypeAlias = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Form:
    """How many columns a line has, and the places of those that matter."""

    width: int
    query: int
    document: int
    value: int
    said: str
    by_rank: bool = False  # whether the value is a rank
    rank: int = -1  # the place of a rank that must be one, so that columns are not taken for others
    every: bool = False  # whether each rank must be there, so that they cannot be scores
    marked: bool = False  # whether the second column must be a mark, so that no document is taken for one


TREC = Form(6, 0, 2, 4, SAID)
WITHOUT_TAG = Form(5, 0, 2, 4, "(query Q0 document rank score)")
WITHOUT_TAG_MARKED = replace(WITHOUT_TAG, rank=3, marked=True)
WITHOUT_MARK = Form(5, 0, 1, 3, "(query document rank score tag)", rank=2)
COLBERT = Form(4, 0, 1, 3, "(query document rank score)", rank=2)
MS_MARCO = Form(3, 0, 1, 2, "(query document rank)", by_rank=True, every=True)


def form_of(line: Sequence[bytes]) -> Form:
    """Return the form that a first line shows, which is no header; raise BadInput where it is none of these."""
    if len(line) == 6:
        return TREC
    if len(line) == 5:
        return _form_of_five(line)
    if len(line) == 4 and line[1] in MARKS and not _is_colbert(line):
        raise BadInput(
            f"a line of a run has 6 columns {SAID}, got 4, as judgements have (query 0 document grade); if these "
            "are ranks and scores, say so in a first line: qid docid rank score"
        )
    if len(line) in (3, 4):
        return MS_MARCO if len(line) == 3 else COLBERT
    raise BadInput(f"a line of a run has 6 columns {SAID}, got {len(line)}")


def _form_of_five(line: Sequence[bytes]) -> Form:
    _, mark, third, fourth, fifth = line
    if mark not in MARKS:
        return WITHOUT_MARK
    if mark != b"0":
        return WITHOUT_TAG
    if not is_rank(third):
        return WITHOUT_TAG_MARKED
    if not is_rank(fourth) or not _is_score(fifth):
        return WITHOUT_MARK
    # All may be ranks: the rank of a first line is most often the first one.
    tagged = is_rank(fifth) and third in FIRST_RANKS and fourth not in FIRST_RANKS
    return WITHOUT_MARK if tagged else WITHOUT_TAG_MARKED


def _is_colbert(line: Sequence[bytes]) -> bool:
    """Tell whether a line has a rank and a score that is no grade, so that 0 before them is a document."""
    _, mark, rank, score = line
    return mark == b"0" and is_rank(rank) and _is_score(score) and not is_rank(score.removeprefix(b"-"))


def _is_score(text: bytes) -> bool:
    try:
        score_of(text.decode("ascii", "replace"))
    except ValueError:
        return False
    return True


def form_of_header(names: Sequence[str]) -> Form:
    """Return the form that a header names; raise BadInput where a column is missing."""
    score = columns.find(names, columns.SCORE)
    value = score if score >= 0 else columns.need(names, "scores or ranks", *columns.SCORE, *columns.RANK)
    return Form(
        len(names),
        columns.need(names, "queries", *columns.QUERY),
        columns.need(names, "documents", *columns.DOCUMENT),
        value,
        f"({' '.join(names)})",
        by_rank=score < 0,
    )


def is_rank(text: bytes) -> bool:
    """Tell whether a text is a rank, a whole number of at least 0."""
    return text.isdigit() and len(text) <= DIGITS


def rank_of(text: bytes) -> int:
    """Return a rank; raise ValueError where a text is none."""
    if not is_rank(text):
        raise ValueError(text)
    return int(text)


def check_ranks(form: Form, found: Mapping[str, Mapping[str, float]]) -> None:
    """Raise BadInput where what stands for scores cannot be ranks: two are alike, one is missing, or all fall."""
    if form.by_rank and form.every:
        _check_every_rank(form, found)
    elif form.by_rank:
        check_ranks_differ(found)


def _check_every_rank(form: Form, found: Mapping[str, Mapping[str, float]]) -> None:
    said = f"lines of three columns {form.said} have its ranks 1, 2, …, each once"
    in_file = {query: [int(-score) for score in ranking.values()] for query, ranking in found.items()}
    for query, ranks in in_file.items():
        if sorted(ranks) not in (list(range(1, len(ranks) + 1)), list(range(len(ranks)))):
            raise BadInput(f"query {shown(query)}: {said}, got {shown(sorted(ranks)[:8])}; {SCORES_SAID}")
    several = {query: ranks for query, ranks in in_file.items() if len(ranks) > 1}
    if several and all(one > other for ranks in several.values() for one, other in pairwise(ranks)):
        query, ranks = next(iter(several.items()))
        raise BadInput(
            f"query {shown(query)}: {said}, got {shown(ranks[:8])}, which fall from line to line as scores do, "
            f"here and in all queries; {SCORES_SAID}, or let rank 1 come first"
        )
