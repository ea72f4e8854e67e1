"""Documents to be judged: what several rankers find best, together, in an order that tells of none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from aboutness.app.hits import Hits
from aboutness.app.query_words import QueryWords
from aboutness.app.search import How, search
from aboutness.core.errors import UsageError
from aboutness.core.finite import finite
from aboutness.evaluate.evaluation import evaluate
from aboutness.models.model import checked_k

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.core.algebra import Ranker
    from aboutness.core.record import Document

DEPTH = 10
LONGEST_TEXT = 5_000  # characters of a field that a judge gets to read


@dataclass(frozen=True)
class Pool:
    """The documents to be judged for one query, and what is told only afterwards: who found them, and where."""

    query: str
    depth: int
    seed: int
    documents: Sequence[Document]
    rankings: Mapping[str, Hits]  # by ranker
    generation: int
    words: QueryWords

    def to_json(self) -> dict[str, Any]:
        """Return what a judge may see, in plain values: neither scores, nor ranks, nor who found a document."""
        return {
            "query": self.query,
            "depth": self.depth,
            "seed": self.seed,
            "rankers": len(self.rankings),
            "generation": self.generation,
            "documents": [_readable(document, self.words) for document in self.documents],
        }

    def revealed(self, grades: Mapping[str, int] | None = None) -> list[dict[str, Any]]:
        """Return which ranker had which documents at which ranks and, with grades, how good that is."""
        return [
            {
                "ranker": name,
                "note": hits.note,
                "hits": [
                    {"id": hit.id, "rank": hit.rank, "score": hit.score, "grade": (grades or {}).get(hit.id)}
                    for hit in hits
                ],
                "measures": self._measured(hits, grades),
            }
            for name, hits in self.rankings.items()
        ]

    def _measured(self, hits: Hits, grades: Mapping[str, int] | None) -> dict[str, float | None] | None:
        """Return measures of a ranking by grades alone; what is not judged counts as not relevant."""
        if not grades:
            return None
        scores = {hit.id: 1.0 / hit.rank for hit in hits}  # the order is the ranker's own, ties or not
        found = evaluate({"q": dict(grades)}, {"q": scores}, (f"nDCG@{self.depth}", f"P@{self.depth}", "RR"))
        return {name: finite(value) for name, value in found.mean.items()}


def pooled(
    index: Index, query: str, rankers: Sequence[str | Ranker], depth: int = DEPTH, *, seed: int = 1
) -> Pool:
    """Put together the `depth` best documents of each ranker, shuffled by `seed`.

    The place of a document depends on the seed, the query and its id alone, so that its neighbours tell nothing,
    and so that judging goes on in the same order when a ranker is added.
    """
    if not rankers:
        raise UsageError("name at least one ranker whose documents are to be judged, for example default")
    generation, k = index.generation, checked_k(depth)
    hows = {str(how.expression): how for how in (How(one, k, threads=1) for one in rankers)}
    rankings = {name: search(generation, [query], how)[0] for name, how in hows.items()}
    for hits in rankings.values():
        hits.check_complete()
    numbers = {hit.id: hit.number for hits in rankings.values() for hit in hits}
    snapshot = generation.snapshot
    order = sorted(numbers, key=lambda one: (_draw(seed, query, one), one))
    documents = [snapshot.document(numbers[one]) for one in order]
    words = QueryWords(snapshot.analyzer(), query)
    return Pool(query, k, seed, documents, rankings, snapshot.generation, words)


def _draw(seed: int, query: str, identifier: str) -> bytes:
    return blake2b(f"{seed}\0{query}\0{identifier}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _readable(document: Document, words: QueryWords) -> dict[str, Any]:
    """Return a document as a judge reads it: long texts are cut, which is told, and the query's words marked."""
    fields = {name: text[:LONGEST_TEXT] for name, text in document.fields.items()}
    cut = [name for name, text in document.fields.items() if len(text) > LONGEST_TEXT]
    marks = {name: words.marks(text) for name, text in fields.items()}
    return {"id": document.id, "fields": fields, "marks": marks, "metadata": dict(document.metadata), "cut": cut}
