"""What a search found: hits, which read their documents and explain their scores when they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from aboutness.app.generation import Generation
from aboutness.core.algebra import Ranker, inside
from aboutness.core.errors import Unreachable, shown
from aboutness.core.one_line import one_line
from aboutness.core.record import Document
from aboutness.models.embedding import Embedding
from aboutness.models.model import Allowed, Match
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, Ranking
from aboutness.models.trained import TrainedModel
from aboutness.rank.bound import Searcher, explainer
from aboutness.rank.default import Default
from aboutness.rank.inside import models_in, notes_of
from aboutness.scale.missed import Missed, told, with_all_but

if TYPE_CHECKING:
    from aboutness.frames.frame import Frame

TOGETHER = 20_000  # hits of a batch whose ids are looked up together
SHOWN = 200  # characters of a text shown with a hit


class Hit:
    """A document that was found, with its rank (from 1) and its score."""

    __slots__ = ("_document", "_found", "_place", "id", "number", "rank", "score")

    def __init__(self, rank: int, id: str, score: float, number: int, found: Found, place: int) -> None:  # noqa: A002
        self.rank = rank
        self.id = id
        self.score = score
        self.number = number
        self._found = found
        self._place = place
        self._document: Document | None = None

    def __repr__(self) -> str:
        return f"Hit(rank={self.rank}, id={self.id!r}, score={self.score:.6g})"

    @property
    def document(self) -> Document:
        """Return the document."""
        if self._document is None:
            self._document = self._found.generation.snapshot.document(self.number)
        return self._document

    @document.setter
    def document(self, read: Document) -> None:
        self._document = read

    @property
    def title(self) -> str:
        """Return the title, or where there is none the beginning of the text."""
        return self.document.fields.get("title") or self.text

    @property
    def text(self) -> str:
        """Return the beginning of the text: of the first field that is not the title."""
        return beginning(self.document)

    def explain(self) -> Explanation:
        """Return why the document has its score."""
        found = self._found
        return with_all_but(found.missing, lambda: found.explain(self._place, self.number))

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the hit in plain values."""
        plain = _plain(self.rank, self.score, self.document)
        return plain | ({"explanation": self.explain().to_json()} if explain else {})


class Found:
    """What a batch of searches found, for those of its hits that are asked about."""

    def __init__(
        self,
        generation: Generation,
        searcher: Searcher,
        questions: list[Question],
        rankings: list[Ranking],
        match: Match,
        allowed: Allowed,
        missing: Sequence[Missed] = (),
    ) -> None:
        self.generation = generation
        self.searcher = searcher
        self.questions = questions
        self.rankings = rankings
        self.match = match
        self.allowed = allowed
        self.missing = missing

    def explain(self, place: int, document: int) -> Explanation:
        """Return why a document has its score in one of the searches.

        A single search keeps what its scores were made of; one of many may be repeated, at its first explanation.
        """
        ranking = self.rankings[place]
        explain = ranking.explain or explainer(self.searcher, self.questions[place], self.match, self.allowed)
        self.rankings[place] = replace(ranking, explain=explain)
        return explain(document)

    @cached_property
    def few(self) -> bool:
        """Tell whether the hits are so few that their ids are looked up together."""
        return sum(map(len, self.rankings)) <= TOGETHER

    @cached_property
    def ids(self) -> list[list[str]]:
        """Return the ids of all hits, looked up together."""
        if len(self.rankings) == 1:
            return [self.generation.snapshot.ids_of(self.rankings[0].documents)]
        numbers = np.concatenate([ranking.documents for ranking in self.rankings])
        ids = self.generation.snapshot.ids_of(numbers)
        ends = np.cumsum([len(ranking) for ranking in self.rankings]).tolist()
        return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]


class Hits(Sequence[Hit]):
    """The hits of one search, the best first."""

    def __init__(self, query: str, ranker: Ranker, found: Found, place: int, took: float) -> None:
        self.query = query
        self.ranker = ranker
        self.ranking = found.rankings[place]
        self.took_ms = took * 1000
        self._found = found
        self._place = place

    @property
    def without_vectors(self) -> bool:
        """Tell whether the ranker compares vectors, and no word of the query has one."""
        found = self._found
        if any(isinstance(one, Default) for one in inside(self.ranker)):  # words find its documents
            return False
        on_vectors = any(isinstance(model, Embedding | TrainedModel) for model in models_in(self.ranker))
        return on_vectors and not found.searcher.knows(found.questions[self._place])

    @property
    def note(self) -> str | None:
        """Return what one should know of the ranker here, if there is something."""
        notes = list(notes_of([self.ranker], self._found.generation.snapshot))
        if len(self) and self.without_vectors:
            notes.append("no word of the query has a vector: these documents match it, in order of arrival")
        return "; ".join(notes) or None

    @property
    def missing(self) -> Sequence[Missed]:
        """Return the shards that did not answer: none of their documents is among the hits."""
        return self._found.missing

    @property
    def incomplete(self) -> str | None:
        """Return in words what could not be searched, None where all was."""
        return told(self.missing, self._found.generation.snapshot.documents)

    def check_complete(self) -> None:
        """Raise where something could not be searched."""
        if self.incomplete:
            raise Unreachable(f"{self.incomplete}; ask again soon")

    @cached_property
    def _hits(self) -> list[Hit]:
        found, place = self._found, self._place
        ids = found.ids[place] if found.few else found.generation.snapshot.ids_of(self.ranking.documents)
        rows = zip(ids, self.ranking.scores.tolist(), self.ranking.documents.tolist(), strict=True)
        return [Hit(rank, id_, score, number, found, place) for rank, (id_, score, number) in enumerate(rows, 1)]

    def read_documents(self) -> None:
        """Read the documents of all hits together: faster than each when it is looked at."""
        for hit, document in zip(
            self, self._found.generation.snapshot.documents_of(self.ranking.documents), strict=True
        ):
            hit.document = document

    @overload
    def __getitem__(self, which: int) -> Hit: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Hit]: ...
    def __getitem__(self, which: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[which]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __len__(self) -> int:
        return len(self.ranking)

    def __repr__(self) -> str:
        return f"<{self._count}>"

    def __str__(self) -> str:
        self.read_documents()
        named = [(hit, one_line(hit.title, SHOWN), one_line(hit.id, SHOWN)) for hit in self]
        rows = [f"{hit.rank:>3}  {hit.score:8.4f}  {title}  ({identifier})" for hit, title, identifier in named]
        return "\n".join([self._count, *rows, *self._notes])

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        self.read_documents()
        rows = [
            f"<tr><td>{hit.rank}</td><td>{hit.score:.4f}</td>"
            f"<td><b>{escape(hit.title)}</b> <code>{escape(hit.id)}</code><br>{escape(hit.text)}</td></tr>"
            for hit in self
        ]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes)
        return f"<p>{escape(self._count)}</p><table>{''.join(rows)}</table>{notes}"

    @property
    def _count(self) -> str:
        return f"{len(self):,} hit{'' if len(self) == 1 else 's'} for {shown(self.query)} by {self.ranker}"

    @property
    def _notes(self) -> list[str]:
        return [f"note: {note}" for note in (self.note, self.incomplete) if note]

    def to_frame(self) -> Frame:
        """Return a data frame with a row for each hit: `query`, `rank` from 1, `id`, `score`, `title`, `text`."""
        from aboutness.frames.frame import frame_of

        self.read_documents()
        rows = ({"query": self.query, **hit.to_json()} for hit in self)
        return frame_of(rows, ["query", "rank", "id", "score", "title", "text"])

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the hits in plain values."""
        return {
            "query": self.query,
            "ranker": str(self.ranker),
            "took_ms": round(self.took_ms, 3),
            **({"note": note} if (note := "; ".join(filter(None, (self.note, self.incomplete)))) else {}),
            **({"missing": [one.to_json() for one in self.missing]} if self.missing else {}),
            "hits": self._explained() if explain else self._plain_hits(),
        }

    def _explained(self) -> list[dict[str, Any]]:
        self.read_documents()
        return [hit.to_json(explain=True) for hit in self]

    def _plain_hits(self) -> list[dict[str, Any]]:
        """Return the same as each hit says of itself, without making these."""
        documents = self._found.generation.snapshot.documents_of(self.ranking.documents)
        return list(map(_plain, range(1, len(documents) + 1), self.ranking.scores.tolist(), documents))


def beginning(document: Document) -> str:
    """Return the beginning of a document's text in one line: of the first field that is not the title."""
    for name, text in document.fields.items():
        if name != "title":
            line = " ".join(text[: 4 * SHOWN].split())
            return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
    return ""


def _plain(rank: int, score: float, document: Document) -> dict[str, Any]:
    text = beginning(document)
    title = document.fields.get("title") or text
    return {"rank": rank, "id": document.id, "score": score, "title": title, "text": text}
