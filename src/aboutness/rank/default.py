"""The ranker that is taken where none is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from aboutness.core.algebra import Ranker
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.bm25 import BM25
from aboutness.models.lsa import LSARanker
from aboutness.rank.feedback import Feedback
from aboutness.rank.normalised import OfBest
from aboutness.rank.pipelines import Pipeline, register
from aboutness.vectors.own import LETTERS, PAIRS, Own
from aboutness.vectors.trainer import Trainer

TITLE, TIMES = "title", 3.0  # how much more words of a title count
DEPTH = 1000  # documents that words, letters and pairs find, each


@register
@dataclass(frozen=True)
class Default(Pipeline):
    """Words, pieces and pairs of words, and what the first documents are about: one recipe for every collection.

    best(bm25) + .3 best(bm25 on pieces of four letters) + .2 best(bm25 on pairs of words), each to its first 1,000
    documents; behind it `feedback` in the latent dimensions of the documents themselves (`lsa`, weights of BM25)

    BM25 has k1 1.6 and b .6, and words of a field "title" count three times. Nothing is learnt from judgements,
    nothing is downloaded. What it needs is trained by `aboutness train DIR default`; an index that has not got it
    is searched by `bm25`, and a note says so. Documents that came since are folded in.

    Without it being said, fields count as the index says, but for the title.
    """

    name: ClassVar[str] = "default"
    summary: ClassVar[str] = "words, letters, pairs, and feedback in latent dimensions: what is taken unless said"
    source: ClassVar[str] = "beyond the papers"

    @property
    def expression(self) -> Ranker:
        """Return the ranker that it stands for, where fields count as they do for it."""
        read: dict[str, Any] = {"fields": self.fields}
        words = BM25(**read, layer=self.layer, k1=1.6, b=0.6) % DEPTH
        letters, pairs = (BM25(**read, layer=layer) % DEPTH for layer in (LETTERS, PAIRS))
        base = OfBest.of(words) + 0.3 * OfBest.of(letters) + 0.2 * OfBest.of(pairs)
        return Feedback.of(base, LSARanker(vectors=Own.name))

    def for_index(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that it stands for in an index."""
        if lacking(snapshot):
            return BM25(layer=self.layer, fields=self.fields)
        fields = snapshot.manifest.fields
        if self.fields is not None or TITLE not in fields:
            return self.expression
        chosen = {name: (TIMES if name == TITLE else 1.0) * weight for name, weight in fields.items()}
        return replace(self, fields=tuple(chosen.items())).expression

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained."""
        return [] if Own.name in trained.entries else [(Own.name, Own())]

    def note(self, snapshot: Snapshot) -> str | None:
        """Return what to say of its use in an index."""
        if not lacking(snapshot):
            return None
        return f"default is not trained here, so bm25 answers; run: aboutness train {snapshot.folder} default"


def lacking(snapshot: Snapshot) -> bool:
    """Tell whether an index has not got all that the ranker needs."""
    there = snapshot.trained.entries, snapshot.manifest.layers
    return Own.name not in there[0] or not {LETTERS, PAIRS} <= set(there[1])
