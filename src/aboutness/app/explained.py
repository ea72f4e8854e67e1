"""What a front end shows of a document's score: its parts, and the words of the text that they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from aboutness.core.finite import finite
from aboutness.models.ranking import Explanation, Part, short_names

__all__ = ["EVIDENCE", "QUERY", "ExplainedScore", "Flow", "Mentions", "Part", "WordMark", "flow_of"]

QUERY, EVIDENCE = "query", "evidence"  # kinds of words: the query's own, and others that count
FLOW, DISTANCE = "flow", "distance"  # details of a part that is a word's way to another
ROUNDING = 1e-5  # of a score: less is no difference


@dataclass(frozen=True, slots=True)
class WordMark:
    """A word where it stands in a field, in characters (code points), and what it adds to the score there."""

    field: str
    start: int
    end: int
    term: str
    contribution: float
    kind: str
    similarity: float | None
    parts: tuple[int, ...]  # the places of the explanation's parts that are about it

    def to_json(self) -> dict[str, Any]:
        """Return the mark in plain values."""
        return {
            "field": self.field,
            "start": self.start,
            "end": self.end,
            "term": self.term,
            "contribution": finite(self.contribution),
            "kind": self.kind,
            "similarity": self.similarity,
        }


@dataclass(frozen=True)
class Mentions:
    """Is the document about the query, or does it only mention it? Where its words stand, and where the score is.

    The three sums are the score: of the query's own words, of the document's other words, and of what stands
    nowhere in the text, such as query words that are not there.
    """

    query_words: Sequence[str]
    mentioned: Sequence[str]
    times: int  # that words of the query stand in the document
    evidence: int  # other words of the document that count, however often
    from_query_words: float
    from_evidence: float
    from_elsewhere: float

    def to_json(self) -> dict[str, Any]:
        """Return the numbers in plain values."""
        return {name: finite(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Flow:
    """How much of a query's word goes to a word of the document, how far, and what that costs."""

    word: str
    to: str
    amount: float
    distance: float

    @property
    def cost(self) -> float:
        """Return what it costs."""
        return self.amount * self.distance

    def to_json(self) -> dict[str, Any]:
        """Return the flow in plain values."""
        return {**asdict(self), "cost": self.cost}


@dataclass(frozen=True)
class ExplainedScore:
    """Why a document has its score with one ranker, and which words of its text that comes from."""

    query: str
    id: str
    title: str
    fields: Mapping[str, str]
    ranker: str
    explanation: Explanation
    marks: Sequence[WordMark]
    mentions: Mentions
    threshold: tuple[float, float, float] | None  # of similarity; the least and the greatest there is
    asked: Mapping[str, str] = field(default_factory=dict)  # the query's terms, as they are written there
    rank: int | None = None  # where it is asked for and among the first
    note: str | None = None  # what one should know of the ranker here

    @property
    def score(self) -> float:
        """Return the score."""
        return self.explanation.score

    @property
    def rest(self) -> float:
        """Return what the parts leave of the score: nothing, where they sum to it but for rounding."""
        rest = self.score - self.explanation.total
        return 0.0 if abs(rest) <= ROUNDING * max(1.0, abs(self.score)) else rest

    @property
    def additive(self) -> bool:
        """Tell whether the parts sum to the score."""
        return self.rest == 0.0

    @property
    def short_names(self) -> dict[str, str]:
        """Return the names for people of the rankers that parts come from, by `Part.by`, in a mixture."""
        return short_names({part.by: None for part in self.explanation.parts if part.by})

    @property
    def flows(self) -> list[Flow]:
        """Return which words went to which, the greatest amounts first, where the score is such a distance."""
        found = [flow for part in self.explanation.parts if (flow := flow_of(part))]
        return sorted(found, key=lambda flow: (-flow.amount, flow.cost))

    @property
    def written(self) -> dict[str, str]:
        """Return the terms of the marks, each as its word is written in the document first."""
        return {mark.term: self.fields[mark.field][mark.start : mark.end] for mark in reversed(self.marks)}

    @property
    def written_flows(self) -> list[Flow]:
        """Return the flows in words as they are written, which are not always terms: those may be stems."""
        there = self.written
        return [
            replace(flow, word=self.asked.get(flow.word, flow.word), to=there.get(flow.to, flow.to).lower())
            for flow in self.flows
        ]

    def to_json(self) -> dict[str, Any]:
        """Return what `explain --json` prints, and beside it the marks and what is made of them."""
        why = self.explanation.to_json()
        return {
            "query": self.query,
            "id": self.id,
            "ranker": self.ranker,
            "score": why["score"],
            "formula": why["formula"],
            "parts": [{name: finite(value) for name, value in part.items()} for part in why["parts"]],
            "additive": self.additive,
            "rest": finite(self.rest),
            "rank": self.rank,
            "note": self.note,
            "marks": [mark.to_json() for mark in self.marks],
            "mentions": self.mentions.to_json(),
            "threshold": None if self.threshold is None else list(self.threshold),
            "flows": [flow.to_json() for flow in self.flows],
        }


def flow_of(part: Part) -> Flow | None:
    """Return the way of a word that a part is about, or None where it is about something else."""
    if part.word is None or not {FLOW, DISTANCE} <= part.details.keys():
        return None
    word = part.name.removesuffix(part.word).removesuffix(" → ")
    return Flow(word, part.word, part.details[FLOW], part.details[DISTANCE])
