"""Models on word vectors: what all of them have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aboutness.core.kinds import Choice, OptionalName
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.models.lexicon import OOV, Lexicon, lexicon_of
from aboutness.models.model import Model, Scorer, unknown_parameter
from aboutness.vectors.coverage import known_share
from aboutness.vectors.kept import KIND, vectors_of
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.word2vec import Word2Vec
from aboutness.vectors.words import CASES


@dataclass(frozen=True)
class Embedding(Model):
    """A model on word vectors of the index.

    Unless `layer` is said, it is the one on which the vectors were trained, else the one of whose words most have
    a vector.

    Unknown words: words without a vector are left out (galke2017 §4 found that best), or each has a random one
    (`oov`). A query without any known word finds nothing; with unknown=matched, it finds the documents that match
    it, all with the lowest score and in order of arrival. In a mixture it then adds nothing, either way.

    Empty documents: a document without any known word has the lowest score, and comes last.
    """

    layer: str | None = parameter(
        None,
        OptionalName("a layer of the index"),
        "which analyzer's terms (those that the vectors are of, else those that most often have a vector)",
    )
    vectors: str | None = parameter(
        None, OptionalName("word vectors of the index"), "which word vectors (the only ones)"
    )
    case: str = parameter(
        "exact", Choice(CASES), "words are looked up as they are, or in any case (as is, lower, capitalised)"
    )
    oov: str = parameter(
        "ignore", Choice(OOV), "words out of vocabulary are left out, or each has a random vector"
    )
    unknown: str = unknown_parameter()

    def view(self, snapshot: Snapshot) -> LayerView:
        """Return the matrix that the model reads."""
        layers = list(snapshot.manifest.layers)
        if self.layer is None and len(layers) > 1:
            vectors = vectors_of(snapshot.trained, self.vectors)
            trained_on = vectors.provenance.get("layer")
            if trained_on not in layers:
                trained_on = max(
                    layers, key=lambda name: known_share(snapshot.lender.view(name), vectors, self.case)
                )
            return replace(self, layer=trained_on).view(snapshot)
        return super().view(snapshot)

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained: word vectors, where there are none and no others are named."""
        there = trained.of_kind(KIND) or self.vectors not in (None, Word2Vec.name)
        return [] if there else [(Word2Vec.name, Word2Vec())]

    def scorer(self, view: LayerView) -> Scorer:
        """Return a scorer for a view."""
        scorer = self.scorer_with(view, lexicon_of(view, self.vectors, self.case, self.oov))
        scorer.unknown = self.unknown
        return scorer

    def scorer_with(self, view: LayerView, lexicon: Lexicon) -> Scorer:
        """Return a scorer for a view whose words have vectors."""
        raise NotImplementedError
