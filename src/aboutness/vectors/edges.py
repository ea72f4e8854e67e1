"""Skip-gram on the edges of a graph: from documents to their words and, with a window, from words to neighbours.

malina2016, after Perozzi, Al-Rfou, Skiena 2014 and Le, Mikolov 2014. For each edge from a to w it climbs

    log s(OUT_w . IN_a) + k E over n ~ P of log s(-OUT_n . IN_a),   s(x) = 1 / (1 + exp(-x))

A document has an edge to each of its tokens, to a word as often as it stands there. With a window, each token has
edges to those up to `window` places away, how far being drawn for each; both kinds share OUT, as in gensim's
dbow_words. Without, words have OUT vectors only, and it is the same as PV-DBOW.

malina2016 says no more than which edges there are. Here they are read in the order of the text, block by block:
first those from the block's documents, then those from its words. Negatives are drawn for several edges at a time
(see `aboutness.vectors.pv` and `aboutness.vectors.word2vec`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.vectors import word2vec
from aboutness.vectors.documents import Texts
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import Objective, ParagraphTrainer, ParagraphTraining
from aboutness.vectors.trainer import register
from aboutness.vectors.training import empty_rows, enough_epochs
from aboutness.vectors.training_text import Block, TrainingText
from aboutness.vectors.words import IN

F32 = NDArray[np.float32]


@dataclass(frozen=True, repr=False)
class GraphSpace(ParagraphSpace):
    """Rows that were trained on the graph of documents and words; words may have IN vectors, too."""

    def infer_question(self, texts: Texts) -> F32:
        """Return a row for each text; where words have edges of their own, it is read no more than documents are.

        More often was worse then, on three collections, and better where they have none.
        """
        return self.infer(texts, threads=1) if IN in self.words.spaces else super().infer_question(texts)


@dataclass(frozen=True)
class GraphTrainer(ParagraphTrainer):
    """What trainings on the graph of documents and words have in common."""

    space = GraphSpace

    dim: int = parameter(100, Whole(1, 10_000), "numbers in a vector")
    power: float = parameter(0.75, Number(0, 10), "negatives are drawn by count^power; 0: all alike")

    @property
    def objective(self) -> Objective:
        """Return what is climbed for the edges of documents."""
        return Objective(power=self.power)

    @property
    def normalises(self) -> bool:
        """Tell that no normalisers are kept: nobody asks for probabilities of words here."""
        return False


@register
@dataclass(frozen=True)
class Edges(GraphTrainer):
    """Skip-gram with negative sampling on document -> word and word -> neighbour edges.

    >>> space = Edges(dim=8, window=2, min_count=1).train(["the sun and the moon", "a city"], threads=1)
    >>> space.rows.shape, sorted(space.words.spaces)
    ((2, 8), ['in', 'out'])
    """

    name: ClassVar[str] = "edges"
    summary: ClassVar[str] = (
        "skip-gram on edges from documents to words and, with a window, to neighbours of words"
    )
    source: ClassVar[str] = "malina2016"

    epochs: int = parameter(
        0,
        Whole(0, 100_000),
        "how often the text is read; 0: 5 to 40 times (with a window to 20), more often where there is little",
    )
    window: int = parameter(
        0, Whole(0, 1_000), "how far from a word there are edges to its neighbours; 0: documents have edges only"
    )

    def training(self, text: TrainingText, threads: int) -> ParagraphTraining:
        """Return the training of a text, at its start."""
        return _Training(self, text, threads)


class GraphTraining(ParagraphTraining):
    """Words may have vectors with which they predict, too."""

    def made(self) -> GraphSpace:
        """Return what has been trained."""
        made = super().made()
        spaces = {IN: self._narrow(self.inward)} if len(self.inward) else {}
        words = replace(made.words, spaces={**spaces, **made.words.spaces})
        return GraphSpace(words, made.rows, made.arrivals, made.own, made.provenance)


class _Training(GraphTraining):
    """Documents, words as they are predicted, and with a window words as they predict."""

    settings: Edges

    def __init__(self, settings: Edges, text: TrainingText, threads: int) -> None:
        super().__init__(settings, text, threads)
        if settings.window:
            self.epochs = settings.epochs or enough_epochs(self.tokens)

    def _start(self) -> None:
        from aboutness.kernels.chance import fill_evenly

        super()._start()
        dim = self.settings.dim
        if self.settings.window:
            self.inward = empty_rows(len(self.vocabulary), dim)
            unused = self._chance(len(self.blocks) * self.epochs)
            fill_evenly(unused, np.float32(word2vec.START / dim), dim, self.inward)

    def _train(self, block: Block, chance: NDArray[np.uint64], rate: float, slope: float) -> float:
        from aboutness.kernels.word2vec import skip_gram

        total = super()._train(block, chance, rate, slope)
        window = self.settings.window
        if window:
            _, more = skip_gram(
                block.tokens, block.starts, block.ends, self.vocabulary.number_of, self.keep, self.table, chance,
                window, self.settings.negatives, 2 * window, rate, slope, self.inward, self.outward,
            )  # fmt: skip
            total += float(more)
        return total
