"""Perturbing passages (mitra2016, table 2): replace a word in them and watch every ranker's score."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from aboutness.app.generation import Generation
from aboutness.app.index import Index
from aboutness.app.passages import passage_fields, passages_of
from aboutness.core.algebra import Ranker
from aboutness.core.deadline import still_wanted
from aboutness.core.errors import BadInput, NotFound, UsageError, shown
from aboutness.core.record import Document
from aboutness.corpus.files import BOM, suffix, utf8, whole
from aboutness.corpus.jsonl import SUFFIXES, read_jsonl
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import DEFAULT_FIELD
from aboutness.models.bags import words_of
from aboutness.models.question import Question
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.known import known_rankers

Passage: TypeAlias = "str | Mapping[str, str]"  # a text, or the texts of fields
Replacement: TypeAlias = tuple[str, str]

RANKERS = ("tfidf", "bm25", "bm25-cosine", "ql", "desm-in-in", "desm-in-out")  # unless others are named
COUNT = "count"
STDIN = "-"


@dataclass(frozen=True)
class PassageRow:
    """A passage, as it is or with a word replaced, and its score and rank (from 1) in every column, if any."""

    name: str
    passage: str  # the name of the passage as it was
    replaced: Replacement | None
    fields: Mapping[str, str]
    scores: Mapping[str, float | None]
    ranks: Mapping[str, int | None]

    @property
    def text(self) -> str:
        """Return the text that was scored."""
        return "\n".join(text for text in self.fields.values() if text)

    def to_json(self) -> dict[str, Any]:
        """Return the row in plain values."""
        return {
            "name": self.name,
            "passage": self.passage,
            "replaced": None if self.replaced is None else list(self.replaced),
            "text": self.text,
            "scores": dict(self.scores),
            "ranks": dict(self.ranks),
        }


@dataclass(frozen=True)
class Perturbation:
    """Passages, and what they become when words are replaced, with raw scores; `str` is a table."""

    query: str
    columns: tuple[str, ...]  # the count of the query's words, then the rankers
    rows: tuple[PassageRow, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)  # rankers that the index has nothing for, and why

    def __getitem__(self, name: str) -> PassageRow:
        """Return the row with a name."""
        return next(row for row in self.rows if row.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return everything in plain values."""
        return {
            "query": self.query,
            "columns": list(self.columns),
            "rows": [row.to_json() for row in self.rows],
            "left_out": dict(self.left_out),
        }

    def __str__(self) -> str:
        cells = [["", *self.columns]]
        for row in self.rows:
            values = [_cell(row, column) for column in self.columns]
            cells.append([_printable(row.name), *values])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in cells
        ]
        return "\n".join(lines)


def _cell(row: PassageRow, column: str) -> str:
    score = row.scores[column]
    return "-" if score is None else f"{score:.{0 if column == COUNT else 4}f} ({row.ranks[column]})"


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def perturb(
    index: Index,
    query: str,
    passages: Mapping[str, Passage],
    replace: Sequence[Replacement] = (),
    rankers: str | Ranker | Iterable[str | Ranker] | None = None,
    *,
    leave_out: bool = False,
) -> Perturbation:
    """Score passages by name as if they were documents of an index, as they are and with words replaced.

    `replace` are pairs of a word and what stands in its place: whole words only, in any case; a capital first
    letter stays one. Scores are raw, by the statistics and the word vectors of the index, in which nothing is
    written; a text is the field "text", or where the index has none its first. Rankers are term models and, where
    the index has word vectors, the dual embedding space model, unless they are named. One that the index has
    nothing for is refused where it was named, unless with `leave_out`; then the answer says why it is left out.

    >>> index = Index.build([{"id": "a", "text": "a city in New Mexico"}, {"id": "b", "text": "a song"}])
    >>> found = perturb(index, "city", {"p": "A city by the sea."}, [("city", "song")], "bm25")
    >>> [(row.name, row.scores["count"], row.ranks["bm25"]) for row in found.rows]
    [('p', 1, 1), ('p, with city → song', 0, 2)]
    """
    lender = index.snapshot
    checked = {name: _fields_of(name, passage, lender) for name, passage in passages.items()}
    if not checked:
        raise UsageError("there is no passage to be scored")
    drafts = list(_rows(checked, list(dict.fromkeys(map(_checked_pair, replace)))))
    with passages_of([draft.fields for draft in drafts], lender) as scored:
        columns, left_out = _columns(scored, query, rankers, leave_out=leave_out or rankers is None)
    ranks = {name: _ranks(scores) for name, scores in columns.items()}
    rows = [
        PassageRow(
            draft.name,
            draft.passage,
            draft.replaced,
            {name: text for name, text in draft.fields.items() if text},
            {name: scores[number] for name, scores in columns.items()},
            {name: of_column[number] for name, of_column in ranks.items()},
        )
        for number, draft in enumerate(drafts)
    ]
    return Perturbation(query, tuple(columns), tuple(rows), left_out)


def every_ranker() -> list[str]:
    """Return the names of all rankers, those first that score passages unless others are named."""
    return list(dict.fromkeys([*RANKERS, *known_rankers()]))


# --- passages ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Draft:
    """A row before it is scored."""

    name: str
    passage: str
    replaced: Replacement | None
    fields: Mapping[str, str]


def read_passages(names: Iterable[str | Path]) -> dict[str, Passage]:
    """Return the passages of files: of a text file one by its stem, of JSON lines all by their ids; - is stdin."""
    found: list[tuple[str, Passage]] = []
    for name in map(str, names):
        if name == STDIN:
            found.append(("stdin", _text(sys.stdin.buffer.read(), "stdin")))
        elif suffix(name) in SUFFIXES:
            found += [(document.id, _passage(document)) for document in read_jsonl(name)]
        else:
            found.append((Path(name).name.removesuffix(".gz").rsplit(".", 1)[0], _text(whole(name), name)))
    twice = [name for name, count in Counter(name for name, _ in found).items() if count > 1]
    if twice:
        raise BadInput(f"two passages have the name {shown(twice[0])}; names (of files, or ids) must differ")
    return dict(found)


def _text(raw: bytes, name: str) -> str:
    try:
        return utf8(raw.removeprefix(BOM))
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None


def _passage(document: Document) -> Passage:
    """Return a document's text, which may be any field of the index, or else its fields."""
    return document.fields[DEFAULT_FIELD] if list(document.fields) == [DEFAULT_FIELD] else document.fields


def _fields_of(name: str, passage: Passage, lender: Snapshot) -> dict[str, str]:
    """Return the texts of all fields of the index that a passage has."""
    texts = passage_fields(name, passage, lender)
    if not any(text.strip() for text in texts.values()):
        raise BadInput(f"the passage {shown(name)} is empty")
    return texts


def _checked_pair(pair: Any) -> Replacement:  # noqa: ANN401 - it is checked
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(word, str) for word in pair):
        raise UsageError(f"a replacement is a pair of a word and another, got {shown(pair)}")
    if not pair[0].strip():
        raise UsageError(f"the word to be replaced is missing in {shown('='.join(pair))}")
    return pair[0], pair[1]


def _rows(passages: Mapping[str, Mapping[str, str]], replace: Sequence[Replacement]) -> Iterator[_Draft]:
    """Yield each passage, and then what it becomes by each replacement that changes it."""
    unused = set(replace)
    for name, fields in passages.items():
        yield _Draft(name, name, None, fields)
        for old, new in replace:
            changed = {key: replaced(text, old, new) for key, text in fields.items()}
            if changed != fields:
                unused.discard((old, new))
                yield _Draft(f"{name}, with {old} → {new}", name, (old, new), changed)
    for old, new in replace:
        if (old, new) in unused:
            raise UsageError(f"no passage has the word {shown(old)}, so that {shown(new)} replaces nothing")


def replaced(text: str, old: str, new: str) -> str:
    """Return a text with one word, or several, replaced wherever they stand as whole words, in any case.

    >>> replaced("Giraffes? A giraffe. Giraffe!", "giraffe", "cambridge")
    'Giraffes? A cambridge. Cambridge!'
    """
    words = r"\s+".join(map(re.escape, old.split()))

    def swap(found: re.Match[str]) -> str:
        around = text[max(found.start() - 1, 0) : found.start()] + text[found.end() : found.end() + 1]
        if any(unicodedata.category(letter).startswith("M") for letter in around):
            return found[0]  # an accent: it belongs to a longer word
        return new[:1].title() + new[1:] if found[0][0].isupper() else new

    return re.sub(rf"(?<!\w){words}(?!\w)", swap, text, flags=re.IGNORECASE)


# --- scores -----------------------------------------------------------------------------------------------------


def _columns(
    passages: Snapshot, query: str, rankers: str | Ranker | Iterable[str | Ranker] | None, *, leave_out: bool
) -> tuple[dict[str, list[float | None]], dict[str, str]]:
    """Return the columns of scores by name, and the rankers that are left out, with why."""
    generation, asked = Generation(passages), Question(query)
    left_out: dict[str, str] = {}
    columns: dict[str, list[float | None]] = {COUNT: [*_counts(passages, asked)]}
    given = [rankers] if isinstance(rankers, str | Ranker) else RANKERS if rankers is None else rankers
    for expression in map(named_ranker, given):
        still_wanted()
        try:
            bound = generation.bound(expression)
        except (NotFound, UsageError) as error:
            if not leave_out:
                raise
            left_out[str(expression)] = str(error)
            continue
        if bound.knows(asked):
            columns[str(expression)] = bound.scores(asked, np.arange(passages.size)).tolist()
        else:
            columns[str(expression)] = [None] * passages.size
    return columns, left_out


def _counts(passages: Snapshot, asked: Question) -> Iterator[int]:
    """Yield for each passage how often words of the query stand in it."""
    view = passages.view()
    wanted = view.term_numbers(list(words_of(view, asked)))
    for number in range(passages.size):
        terms, counts = view.forward(number)
        yield sum(int(counts[:, terms == term].sum()) for term in wanted.tolist())


def _ranks(scores: Sequence[float | None]) -> list[int | None]:
    """Return the rank of each score among all, from 1; equal ones share the best."""
    there = [score for score in scores if score is not None]
    return [None if score is None else 1 + sum(other > score for other in there) for score in scores]
