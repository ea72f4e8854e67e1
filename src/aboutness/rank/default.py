"""The ranker that is taken where none is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from aboutness.core.algebra import Ranker
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained, how_to_train
from aboutness.models.bm25 import BM25
from aboutness.models.embedding import Embedding
from aboutness.models.lsa import LSARanker
from aboutness.rank.expansion.nearest import Nearest
from aboutness.rank.feedback import Feedback
from aboutness.rank.normalised import OfBest
from aboutness.rank.pipelines import Pipeline, like, register
from aboutness.vectors.kept import KIND
from aboutness.vectors.own import LETTERS, PAIRS, WORDS, Own, OwnWithWords
from aboutness.vectors.trainer import Trainer

TITLE, TIMES = "title", 3.0  # how much more words of a title count
DEPTH = 1000  # documents that words, letters and pairs find, each
AS_IT_IS: dict[str, Any] = {"k1": 1.6, "b": 0.6}  # BM25 of words


@register
@dataclass(frozen=True)
class Default(Pipeline):
    """Words, pieces and pairs of words, and what the first documents are about: one recipe for every collection.

    Paper: none; beyond the papers. How it was found, and how good it is: docs/default.md.

        best(bm25) + .3 best(bm25 on pieces of four letters) + .2 best(bm25 on pairs of words),
        each to its first 1,000 documents;
        behind it `feedback` in the latent dimensions of the documents themselves (`lsa`, weights of BM25)

    Nothing is learnt from judgements, nothing is downloaded. What it needs is trained by `aboutness train DIR
    default`; an index that has not got it is searched by `bm25`, and a note says so. Documents that came since are
    folded in. Also where all documents match, it finds no more than these.

    Symbols: BM25 has k1 1.6 and b .6, and words of a field "title" count three times; without it being said,
    fields count as the index says, but for the title. `best` and `feedback` are rankers of their own.

    Differs from the paper: there is none; it is made of parts that have one (`bm25`, `lsa`).

    Unknown words: a word that no document has may have pieces that some have; a query of which no part is known
    finds nothing.

    Empty documents: they match nothing, and cannot be like others.

    Cost: training takes one SVD and two more layers; a query takes three searches by words and one by vectors, and
    products of the first 500 documents with each other.
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
        return self.within(self.way.name)

    def within(self, space: str) -> Ranker:
        """Return the same, with feedback in a space of documents that has a name."""
        return Feedback.of(self.base, LSARanker(vectors=space))

    def for_index(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that it stands for in an index."""
        if self.lacks(snapshot):
            return self.instead(snapshot)
        fields, space = snapshot.manifest.fields, self._trained(snapshot) or self.way.name
        if self.fields is not None or TITLE not in fields:
            return self.within(space)
        chosen = {name: (TIMES if name == TITLE else 1.0) * weight for name, weight in fields.items()}
        return replace(self, fields=tuple(chosen.items())).within(space)

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained."""
        return [] if self.way.name in trained.entries else [(self.way.name, self.way())]

    def lacks(self, snapshot: Snapshot) -> tuple[str, str] | None:
        """Return what is to be said where an index lacks something, and what to do; None where it has all."""
        if self._trained(snapshot) is not None:
            return None
        return "is not trained here", f"run: {how_to_train(snapshot.folder, self.name)}"

    def _trained(self, snapshot: Snapshot) -> str | None:
        """Return the name of what was trained, for it or for one that needs more; None where something lacks."""
        there = set(self.way.layers) <= set(snapshot.manifest.layers)
        names = (way.name for way in (Own, OwnWithWords) if issubclass(way, self.way))
        return next((name for name in names if there and name in snapshot.trained.entries), None)

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

    Paper: none; beyond the papers.

        default, and to what finds documents is added
        .3 best(bm25 on words that are not stemmed, of a query to which each word adds its ten nearest words in the
        vectors, which together count as much as the word itself; cosines of .4 and above)

    The vectors are those of the index: `aboutness vectors import FILE -o DIR`, then `aboutness train DIR
    default-vectors`. Where something is lacking `default` answers, and a note says so. Vectors that were trained
    on stems of the index do not fit.

    Symbols: all as in `default`; `vectors` and `case` say how words are looked up.

    Differs from the paper: there is none; it is made of parts that have one (`default`, `nearest`).

    Unknown words: as in `default`; a word without a vector brings no others.

    Cost: that of `default`, one more layer, a product with each word of the index for each word of the query, and
    a search for some more words.
    """

    needs_all: ClassVar[bool] = True

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

    def for_index(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that it stands for in an index."""
        if self.vectors is None and not self.lacks(snapshot):
            return replace(self, vectors=fitting(snapshot)[0]).for_index(snapshot)
        return super().for_index(snapshot)

    def lacks(self, snapshot: Snapshot) -> tuple[str, str] | None:
        """Return what is to be said where an index lacks something, and what to do; None where it has all."""
        fit = fitting(snapshot)
        if self.vectors is None and len(fit) > 1:
            some = f"{self.name}[vectors={fit[0]}]"
            return "finds several word vectors", f"name some: {some}; there are {', '.join(fit)}"
        if self.vectors not in (None, *fit) or not fit:
            return (
                "needs vectors of whole words",
                f"import some: aboutness vectors import FILE -o {snapshot.folder}",
            )
        return super().lacks(snapshot)

    def instead(self, snapshot: Snapshot) -> Ranker:
        """Return the ranker that answers where something is lacking."""
        return Default(layer=self.layer, fields=self.fields).for_index(snapshot)

    def answers(self, snapshot: Snapshot) -> str:
        """Return the name of the ranker that answers in an index."""
        return Default().answers(snapshot) if self.lacks(snapshot) else self.name


def fitting(snapshot: Snapshot) -> list[str]:
    """Return the names of word vectors of an index that are not of another layer than that of whole words."""
    entries = snapshot.trained.of_kind(KIND)
    return [name for name, entry in entries.items() if entry.parameters.get("layer", WORDS) == WORDS]
