"""The ranker that is taken where none is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.bm25 import BM25
from aboutness.models.embedding import Embedding
from aboutness.models.lsa import LSARanker
from aboutness.rank.expansion.nearest import Nearest
from aboutness.rank.feedback import Feedback
from aboutness.rank.normalised import OfBest
from aboutness.rank.pipelines import Pipeline, like, register
from aboutness.vectors.kept import vectors_of
from aboutness.vectors.own import LETTERS, PAIRS, WORDS, Own, OwnWithWords
from aboutness.vectors.trainer import Trainer

TITLE, TIMES = "title", 3.0  # how much more words of a title count
DEPTH = 1000  # documents that words, letters and pairs find, each
AS_IT_IS: dict[str, Any] = {"k1": 1.6, "b": 0.6}  # BM25 of words


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
    way: ClassVar[type[Own]] = Own  # of training what it needs

    @property
    def base(self) -> Ranker:
        """Return the ranker that finds documents, to which feedback is given."""
        words = BM25(fields=self.fields, layer=self.layer, **AS_IT_IS) % DEPTH
        letters, pairs = (BM25(fields=self.fields, layer=layer) % DEPTH for layer in (LETTERS, PAIRS))
        return OfBest.of(words) + 0.3 * OfBest.of(letters) + 0.2 * OfBest.of(pairs)

    @property
    def expression(self) -> Ranker:
        """Return the ranker that it stands for, where fields count as they do for it."""
        return Feedback.of(self.base, LSARanker(vectors=self.way.name))

    def for_index(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that it stands for in an index."""
        if self.lacks(snapshot):
            return self.instead(snapshot)
        fields = snapshot.manifest.fields
        if self.fields is not None or TITLE not in fields:
            return self.expression
        chosen = {name: (TIMES if name == TITLE else 1.0) * weight for name, weight in fields.items()}
        return replace(self, fields=tuple(chosen.items())).expression

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained."""
        return [] if self.way.name in trained.entries else [(self.way.name, self.way())]

    def lacks(self, snapshot: Snapshot) -> tuple[str, str] | None:
        """Return what is to be said where an index lacks something, and what to do; None where it has all."""
        there = self.way.name in snapshot.trained.entries and set(self.way.layers) <= set(snapshot.manifest.layers)
        return None if there else ("is not trained here", f"run: aboutness train {snapshot.folder} {self.name}")

    def instead(self, snapshot: Snapshot) -> Ranker:  # noqa: ARG002 - for those that look at it
        """Return the ranker that answers where something is lacking."""
        return BM25(layer=self.layer, fields=self.fields)

    def note(self, snapshot: Snapshot) -> str | None:
        """Return what to say of its use in an index."""
        if (lack := self.lacks(snapshot)) is None:
            return None
        return f"{self.name} {lack[0]}, so {self.answers(snapshot)} answers; {lack[1]}"

    def answers(self, snapshot: Snapshot) -> str:
        """Return the name of the ranker that answers in an index."""
        return BM25.name if self.lacks(snapshot) else self.name


@register
@dataclass(frozen=True)
class DefaultVectors(Default):
    """`default`, and word vectors that somebody else trained on much more text.

    To what finds documents it adds .3 best(bm25 on words that are not stemmed, of a query to which each word adds
    its ten nearest words in the vectors, which together count as much as the word itself; cosines of .4 and above)

    The vectors are those of the index: `aboutness vectors import FILE -o DIR`, then `aboutness train DIR
    default-vectors`. Where something is lacking `default` answers, and a note says so. Vectors that were trained
    on stems of the index do not fit.
    """

    name: ClassVar[str] = "default-vectors"
    summary: ClassVar[str] = "default, and nearest words in word vectors that are imported"
    way: ClassVar[type[Own]] = OwnWithWords

    vectors: str | None = like(Embedding, "vectors")
    case: str = like(Embedding, "case")

    @property
    def base(self) -> Ranker:
        """Return the ranker that finds documents, to which feedback is given."""
        whole = BM25(fields=self.fields, layer=WORDS, **AS_IT_IS)
        expanded = Nearest.of(whole, weight=1.0, threshold=0.4, vectors=self.vectors, case=self.case)
        return super().base + 0.3 * OfBest.of(expanded % DEPTH)

    def lacks(self, snapshot: Snapshot) -> tuple[str, str] | None:
        """Return what is to be said where an index lacks something, and what to do; None where it has all."""
        try:
            made_of = vectors_of(snapshot.trained, self.vectors).provenance
        except (NotFound, UsageError) as error:
            return "needs word vectors", str(error)
        if made_of.get("layer", WORDS) != WORDS:
            get_some = f"import some: aboutness vectors import FILE -o {snapshot.folder}"
            return f"needs vectors of whole words, and these are of the layer {made_of['layer']}", get_some
        return super().lacks(snapshot)

    def instead(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that answers where something is lacking."""
        return Default(layer=self.layer, fields=self.fields).for_index(snapshot)

    def answers(self, snapshot: Snapshot) -> str:
        """Return the name of the ranker that answers in an index."""
        return Default().answers(snapshot) if self.lacks(snapshot) else self.name
