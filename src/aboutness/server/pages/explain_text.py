"""A document with its words marked by what they add to a score, and what the page's script reads of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aboutness.app.explained import QUERY, ExplainedScore, Part, WordMark
from aboutness.report.explained import shown_number
from aboutness.report.markup import without_unwanted
from aboutness.report.paragraphs import Piece, paragraphs

SHADES = 9
LONG = 4000  # marked words of a text that is laid out only where it is looked at


@dataclass(frozen=True)
class FieldText:
    """A field in paragraphs; a marked piece has the number of its word's kind."""

    name: str
    paragraphs: Sequence[Sequence[Piece]]


@dataclass(frozen=True)
class MarkedText:
    """A document's fields, and the kinds of words in it: those of one kind are marked alike."""

    title: Sequence[Piece]
    fields: Sequence[FieldText]
    looks: Sequence[str]  # by kind: classes
    kinds: Sequence[WordMark]  # by kind: one of its words
    over: int  # evidence words over the limit
    known: int  # words that have a similarity, besides the query's
    own: int
    long: bool


def marked_text(score: ExplainedScore, limit: float | None) -> MarkedText:
    """Return the document of a score; words whose similarity is over the limit are evidence."""
    strongest = max((abs(one.contribution) for one in score.marks if math.isfinite(one.contribution)), default=0.0)
    numbers: dict[object, int] = {}
    kinds: list[WordMark] = []
    words: dict[str, list[tuple[int, int, int]]] = {name: [] for name in score.fields}
    over = known = own = 0
    for mark in score.marks:
        number = numbers.setdefault((mark.field, mark.kind, mark.parts, mark.contribution), len(kinds))
        if number == len(kinds):
            kinds.append(mark)
        words[mark.field].append((mark.start, mark.end, number))
        if mark.kind == QUERY:
            own += 1
        elif mark.similarity is not None:
            known += 1
            over += is_over(mark, limit)
    texts = {
        name: [[(without_unwanted(piece), kind) for piece, kind in one] for one in paragraphs(text, words[name])]
        for name, text in score.fields.items()
    }
    title = [piece for one in texts.pop("title", []) for piece in (*one, (" ", None))]
    return MarkedText(
        title=title,
        fields=[FieldText(name, text) for name, text in texts.items() if text],
        looks=[_look(mark, strongest, limit) for mark in kinds],
        kinds=kinds,
        over=over,
        known=known,
        own=own,
        long=len(score.marks) > LONG,
    )


def is_over(mark: WordMark, limit: float | None) -> bool:
    """Tell whether a word is evidence, by its similarity."""
    return limit is not None and mark.similarity is not None and mark.kind != QUERY and mark.similarity > limit


def _look(mark: WordMark, strongest: float, limit: float | None) -> str:
    share = mark.contribution / strongest if strongest and math.isfinite(mark.contribution) else 0.0
    if not math.isfinite(mark.contribution):
        share = math.copysign(1.0, mark.contribution)
    shade = math.ceil(abs(share) * SHADES)
    names = ["w", "own" if mark.kind == QUERY else "other"]
    if shade:
        names += [f"s{shade}", *(["negative"] if share < 0 else [])]
    return " ".join(names + (["over"] if is_over(mark, limit) else []))


def script_data(score: ExplainedScore, text: MarkedText) -> dict[str, Any]:
    """Return what the script reads: the kinds of words, and the parts of the score that they come from."""
    parts, short = score.explanation.parts, score.short_names
    used = {place: at for at, place in enumerate(dict.fromkeys(one for mark in text.kinds for one in mark.parts))}
    return {
        "kinds": [
            {
                "own": mark.kind == QUERY,
                "similarity": mark.similarity,
                "adds": shown_number(mark.contribution),
                "parts": [used[place] for place in sorted(mark.parts, key=lambda one: -abs(parts[one].value))],
            }
            for mark in text.kinds
        ],
        "parts": [
            {
                "place": place,
                "name": parts[place].name,
                "adds": shown_number(parts[place].value),
                "note": numbers_of(parts[place], short.get(parts[place].by, "")),
            }
            for place in used
        ],
    }


def numbers_of(part: Part, by: str) -> str:
    """Return the ranker and the numbers that a part comes from."""
    details = [f"{key.replace('_', ' ')} {shown_number(value)}" for key, value in part.details.items()]
    if not part.value and not part.details.get("in_document", 1):
        details = ["not in the document"]
    return " · ".join(filter(None, [by, *details]))
