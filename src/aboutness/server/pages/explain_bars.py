"""Numbers as bars beside each other, and the parts of a score as such bars, which sum to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aboutness.app.explained import QUERY, ExplainedScore, Part, WordMark, flow_of
from aboutness.report.explained import shown_number
from aboutness.server.pages.explain_text import numbers_of

MOST_BARS = 60  # parts that have a bar of their own
WIDE = 100.0  # what bars are drawn in
MENTIONED = "This score counts the query's own words only: it tells what the document mentions."
OTHER = "No word adds to this score by itself: it is made of other numbers, such as ranks."
ABOUT = "Most of what words add comes from others than the query's: the document is about it."
LOWERED = (
    "Words other than the query's lower this score: by itself it does not say that the document is about the "
    "query. Where all scores are low, the rank tells more."
)


@dataclass(frozen=True)
class Bar:
    """A number with its name, and where its bar lies between 0 and 100, where the axis is the same for all."""

    name: str
    value: str
    start: float
    width: float
    axis: float
    kind: str  # what it is a number of, as its colour tells
    note: str = ""
    part: int | None = None  # the place of the part that it is of

    @property
    def look(self) -> str:
        """Return the classes of its bar."""
        return f"{self.kind} negative" if self.start + self.width <= self.axis and self.width else self.kind


@dataclass(frozen=True)
class Row:
    """What a bar is made of."""

    name: str
    value: float
    kind: str
    note: str = ""
    part: int | None = None


def bars(rows: Sequence[Row]) -> list[Bar]:
    """Return bars on one axis; what is not finite is as long as the longest."""
    finite = [row.value for row in rows if math.isfinite(row.value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    low, high = min(low, 0.0), max(high, 0.0)
    size = high - low or 1.0
    axis = round(-low / size * WIDE, 2)

    def bar(row: Row) -> Bar:
        end = min(max(row.value, low), high) if not math.isnan(row.value) else 0.0
        length = round(abs(end) / size * WIDE, 2)
        start = axis - length if end < 0 else axis
        return Bar(row.name, shown_number(row.value), round(start, 2), length, axis, row.kind, row.note, row.part)

    return [bar(row) for row in rows]


def part_bars(score: ExplainedScore) -> list[Bar]:
    """Return the parts of a score, the largest first, and in one bar each the others and what is left over."""
    words, short = _words(score), score.short_names
    parts = sorted(enumerate(score.explanation.parts), key=lambda one: -abs(one[1].value))
    own = [place for place, _ in parts if words.get(place, ("", ""))[1] == QUERY][:MOST_BARS]
    chosen = {place for place, _ in parts[:MOST_BARS]}.union(own)  # the query's words, however little they add
    rows = []
    for place, part in parts:
        if place in chosen:
            name, kind = words.get(place, (score.asked.get(part.name, part.name), "elsewhere"))
            note = numbers_of(part, short.get(part.by, ""))
            if part.name == part.word and part.name != name.lower():
                note = f"as {part.name} · {note}"
            rows.append(Row(name, part.value, kind, note, place if place in words else None))
    if behind := [part.value for place, part in parts if place not in chosen]:
        rows.append(Row(f"{len(behind):,} other parts", math.fsum(behind), "elsewhere"))
    if score.rest:
        rows.append(Row("what no part explains", score.rest, "elsewhere"))
    return bars(rows)


def about_bars(score: ExplainedScore) -> list[Bar]:
    """Return how much of a score comes from the query's words, from other words and from elsewhere."""
    found = score.mentions
    least = 1e-5 * max(1.0, abs(score.score))
    rows = [
        Row(name, 0.0 if abs(value) < least else value, kind)
        for kind, name, value in (
            ("query", "the query's own words", found.from_query_words),
            ("evidence", "other words of the document", found.from_evidence),
            ("elsewhere", "no word of the text", found.from_elsewhere),
        )
    ]
    if score.score and all(row.value * score.score >= 0 for row in rows):  # else shares mean little
        rows = [replace(row, note=f"{100 * abs(row.value / score.score):.0f} %") for row in rows]
    return bars(rows)


def verdict(score: ExplainedScore) -> str:
    """Return in a sentence what the score says: that the document is about the query, or that it mentions it."""
    found = score.mentions
    if not score.marks:
        return "No word of this document counts for this score."
    if not found.evidence:
        return OTHER if found.from_elsewhere and not found.from_query_words else MENTIONED
    if not found.times:
        return "None of the query's words is mentioned: all that counts is what else the document is about."
    if score.flows:
        return "Words of the query that stand in the document are there at no cost; the others have a way to go."
    if abs(found.from_query_words) >= abs(found.from_evidence):
        return "Most of what words add comes from the query's own words: the document mentions it."
    return LOWERED if found.from_evidence < 0 else ABOUT


def _words(score: ExplainedScore) -> dict[int, tuple[str, str]]:
    """Return for parts that are about words of the text what these are called, and their kind."""
    found: dict[int, tuple[str, str]] = {}
    for mark in score.marks:
        for place in mark.parts:
            if place not in found:
                found[place] = (_written(score, mark, score.explanation.parts[place]), mark.kind)
    return found


def _written(score: ExplainedScore, mark: WordMark, part: Part) -> str:
    """Return the name of a part with its words as they are written, which may have been stemmed."""
    text = score.fields[mark.field][mark.start : mark.end]
    if part.word != mark.term:  # a piece of the word
        return part.name
    if flow := flow_of(part):
        return f"{score.asked.get(flow.word, flow.word)} → {text.lower()}"
    return text if part.name == part.word else part.name
