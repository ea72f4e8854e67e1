"""Sums of word vectors in which each word counts by how near it is to its document in another training."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number, OptionalName
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.models.centroids import (
    CentroidModel,
    CentroidScorer,
    Recipe,
    Sums,
    for_all_rows,
    to_length_one,
    weighted_vectors,
)
from aboutness.models.deepwalk import DeepWalk
from aboutness.models.dense import DenseScorer
from aboutness.models.ketos_doc2vec import KetosDoc2Vec
from aboutness.models.lexicon import Lexicon
from aboutness.models.model import check_numbers, register
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation
from aboutness.models.trained import TrainedModel, on_all, text_of
from aboutness.vectors.kept import space_of
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.words import IN, OUT

F32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Weighted(CentroidModel):
    """A model whose documents are sums of word vectors, weighted by products in what another model reads.

        score(q, d) = D(q) . D(d),   D(d) = normalise( sum over tokens w of d:  (w . d + shift) skipgram(w) )

    Symbols: skipgram(w) is the IN vector of w (dim,) among the index's word vectors; d is the document's row and w
    the word's OUT vector, both of the training that `weights` names; D (documents x dim) is `rows`. A token counts
    as its field does. A query is made into a vector as a document is, with the row that is inferred for it; a
    document that asks has its own.

    Differs from the paper: in nothing where shift is 0; it does not say which of a word's two vectors w is, and
    OUT is what d is trained with. Weights may be below 0, and most are: negative sampling makes w . d the
    logarithm of how much more often w is in d than drawn by chance, less ln of the number of negatives. shift=1.6
    makes up for 5 of these, and was far better wherever it was tried, for queries and for documents that ask.

    Unknown words: a word that lacks one of both vectors is left out. A query without any other finds nothing; with
    unknown=matched, it finds the documents that match it, all with the lowest score and in order of arrival. The
    paper asks with documents of the collection, so that the choice does not arise there.

    Empty documents: a document without any word that has both vectors has -1, and comes last.

    Cost: two trainings; binding works out a product and adds a vector for every word of every document, or reads
    what is kept (`aboutness prepare`); a query is inferred, and then costs what it does in `wcs`.
    """

    by: ClassVar[type[TrainedModel]]

    layer: str | None = parameter(
        None,
        OptionalName("a layer of the index"),
        "which analyzer's terms (those that the weights were trained on)",
    )
    weights: str | None = parameter(
        None,
        OptionalName("rows of documents in the index"),
        "which training weighs words (the only one that fits)",
    )
    shift: float = parameter(
        0.0, Number(-100, 100), "added to each weight; ln of the negatives (1.6) makes up for what these take off"
    )

    @property
    def weigher(self) -> TrainedModel:
        """Return the model whose training says what a word counts in a document."""
        return self.by(layer=self.layer, fields=self.fields, vectors=self.weights)

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:
        """Return what has to be trained: word vectors, and what weighs them."""
        return super().needs(trained) + self.weigher.needs(trained)

    def view(self, snapshot: Snapshot) -> LayerView:
        """Return the matrix that the model reads: what the weights were trained on."""
        self.weigher.entry(snapshot.trained, self.name, "weights")  # or raise, by this model's name
        return self.weigher.view(snapshot)

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        return Recipe(IN, f"{self.shift!r} + {self.weigher}")

    def scorer_with(self, view: LayerView, lexicon: Lexicon) -> WeightedScorer:
        """Return a scorer for a view whose words have vectors."""
        lexicon.vectors.space(IN)  # or raise where there is none
        return WeightedScorer(self, view, lexicon)


class WeightedSums(Sums):
    """The sums of a view's documents, and what weighs their words."""

    def __init__(self, view: LayerView, lexicon: Lexicon, model: Weighted) -> None:
        super().__init__(view, lexicon, model)
        self.shift = model.shift
        self.entry = model.weigher.entry(view.trained)
        self.space = space_of(view.trained, self.entry.name)

    @property
    def stamp(self) -> str:
        """Return a mark of the training that weighs words."""
        return f"{self.entry.name} in {self.entry.file.name}"

    @cached_property
    def documents(self) -> F32:
        """Return each document's row in the training that weighs its words."""
        return on_all(self.view, self.space).rows

    @cached_property
    def others(self) -> Ints:
        """Return the number that each term of the view has there, or -1."""
        return self.space.words.numbers(self.view.terms())

    def weights(self, row: F32, numbers: Ints) -> Reals:
        """Return the weights of words, by their numbers there, in a text with a row: 0 for -1."""
        from aboutness.kernels.dense import products

        found = np.empty(len(numbers), np.float32)
        products(row.astype(np.float64), self.space.words.space(OUT), np.maximum(numbers, 0), found)
        return np.where(numbers >= 0, found.astype(np.float64) + self.shift, 0.0)

    def _make(self, factors: Reals, wanted: NDArray[np.bool_], rows: F32) -> None:  # noqa: ARG002 - the base's
        """Write the rows of the wanted documents."""
        from aboutness.kernels.weighted import weighted_centroids

        words = self.lexicon.rows, self.lexicon.matrix(IN), self.others, self.space.words.space(OUT), self.shift
        documents = self.documents

        def some(there: slice, ends: Ints, terms: NDArray[np.int32], counts: Reals) -> None:
            weighted_centroids(ends, terms, counts, *words, documents[there], wanted[there], rows[there])

        for_all_rows(self.view, wanted, some)


class WeightedScorer(CentroidScorer):
    """Ranks documents by the product of their vector with the question's, which is made as a document's is."""

    sums: WeightedSums

    def __init__(self, model: Weighted, view: LayerView, lexicon: Lexicon) -> None:
        self.model = model
        self.lexicon = lexicon
        self.sums = WeightedSums(view, lexicon, model)
        self.factors = np.zeros(0)  # each document has its own
        DenseScorer.__init__(self, view, self.sums.rows(self.factors), -1.0)

    def own_vector(self, question: Question) -> Reals | None:
        """Return a question's vector, or None where none of its words has a direction; a document has its own."""
        if question.document is not None:
            made = self.rows.some(np.array([question.document]))[0].astype(np.float64)
        else:
            space = self.sums.space
            asked = self.lexicon.asked(question)
            row = space.infer_question(text_of(self.view, question, space))[0]
            factors = self.sums.weights(row, space.words.numbers(asked.words))
            made = to_length_one(weighted_vectors(asked, IN, asked.weights * factors))
        return made if made.any() else None

    def explain(self, question: Question, document: int) -> Explanation:
        """Return the part of each word of the document that has a vector."""
        check_numbers(self.view, np.array([document], np.int64))
        terms, _ = self.view.forward(document)
        terms = terms[self.lexicon.rows[terms] >= 0]
        of_document = copy(self)
        of_document.factors = np.zeros(len(self.lexicon.matrix(IN)))
        of_document.factors[self.lexicon.rows[terms]] = self.sums.weights(
            self.sums.documents[document], self.sums.others[terms]
        )
        return CentroidScorer.explain(of_document, question, document)


@register
@dataclass(frozen=True)
class Doc2VecWeighted(Weighted):
    """Doc2Vec Weighted: a sum of word vectors, each weighted by its product with the document.

    Paper: malina2016 (fifth formula, with the weights of its Doc2Vec): a training on document -> word and word ->
    neighbour edges.
    """

    name: ClassVar[str] = "doc2vec-weighted"
    summary: ClassVar[str] = (
        "cosine of summed word vectors, weighted by their products with ketos-doc2vec's document"
    )
    source: ClassVar[str] = "malina2016"
    by: ClassVar[type[TrainedModel]] = KetosDoc2Vec


@register
@dataclass(frozen=True)
class DeepWalkWeighted(Weighted):
    """DeepWalk Weighted: a sum of word vectors, each weighted by its product with the document.

    Paper: malina2016 (fourth formula): weights from a training on document -> word edges alone, or on random
    walks.
    """

    name: ClassVar[str] = "deepwalk-weighted"
    summary: ClassVar[str] = "cosine of sums of word vectors, weighted by products of deepwalk"
    source: ClassVar[str] = "malina2016"
    by: ClassVar[type[TrainedModel]] = DeepWalk
