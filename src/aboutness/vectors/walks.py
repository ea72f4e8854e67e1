"""Skip-gram on random walks between documents and words (DeepWalk).

Perozzi, Al-Rfou, Skiena: DeepWalk: online learning of social representations, 2014, on malina2016's graph: nodes
are documents and words, and a document has an edge to each of its tokens. A walk starts at a document and goes to
one of its words, from there to one of the word's documents, and so on, each edge being as likely as any other.
Walks are made when they are needed, in each epoch anew, and read as texts whose words are nodes, by skip-gram:

    log s(OUT_m . IN_n) + k E over o ~ P of log s(-OUT_o . IN_n)

for nodes m and n that are up to `window` steps apart. P(o) is in proportion to degree^power, the degree being how
often a long walk visits a node.

It differs from the paper in these points: walks start at documents only, which are not shuffled; and negatives
are drawn, where the paper has a tree of all nodes (hierarchical softmax). A further text has no place in the
graph: its row learns to predict the OUT vectors of its words, which are one step away from it, as in PV-DBOW.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.kinds import Choice, Whole
from aboutness.core.parameters import parameter
from aboutness.vectors import training_text, word2vec
from aboutness.vectors.documents import Texts
from aboutness.vectors.edges import GraphTrainer, GraphTraining
from aboutness.vectors.pv import ParagraphTraining
from aboutness.vectors.trainer import register
from aboutness.vectors.training import alias_table, empty_rows, enough_epochs, kept_share
from aboutness.vectors.training_text import Block, TrainingText
from aboutness.vectors.words import IN, OUT

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

COUNT, ALIKE = "count", "alike"


@register
@dataclass(frozen=True)
class Walks(GraphTrainer):
    """Skip-gram with negative sampling on random walks.

    >>> space = Walks(dim=8, min_count=1).train(["the sun and the moon", "a city"], threads=1)
    >>> space.rows.shape, sorted(space.words.spaces)
    ((2, 8), ['in', 'out'])
    """

    name: ClassVar[str] = "walks"
    summary: ClassVar[str] = "skip-gram on random walks from documents to words and back (DeepWalk)"
    source: ClassVar[str] = "Perozzi et al. 2014; malina2016"

    epochs: int = parameter(
        0, Whole(0, 100_000), "how often all walks are made, each time others; 0: 5 to 20 times, as for texts"
    )
    walks: int = parameter(10, Whole(1, 100_000), "how many walks start at each document", symbol="γ")  # noqa: RUF001
    length: int = parameter(40, Whole(2, 10_000), "how many nodes a walk has", symbol="t")
    step: str = parameter(
        COUNT, Choice((COUNT, ALIKE)), "a word is gone to as often as it is in a document, or all its words alike"
    )

    def training(self, text: TrainingText, threads: int) -> ParagraphTraining:
        """Return the training of a text, at its start."""
        return _Training(self, text, threads)


def graph_of(texts: Texts, words: int, *, alike: bool = False) -> tuple[I64, I32]:
    """Return the graph of documents and words: neighbours of node n are others[firsts[n]:firsts[n + 1]].

    The nodes are the words, then the documents. An edge is there as often as a word is in a document, or once.
    """
    lengths = np.diff(texts.ends, prepend=0)
    documents = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
    of = texts.words
    if alike:
        pairs = np.unique(documents * np.int64(words) + of)
        documents, of = (pairs // words).astype(np.int32), (pairs % words).astype(np.int32)
    degrees = np.concatenate([np.bincount(of, minlength=words), np.bincount(documents, minlength=len(texts))])
    by_word = np.argsort(of, kind="stable")
    others = np.concatenate([documents[by_word] + np.int32(words), of])
    return np.concatenate([[0], degrees.cumsum()]), others


class _Training(GraphTraining):
    """Nodes, as they predict and as they are predicted: words, then documents."""

    settings: Walks

    def __init__(self, settings: Walks, text: TrainingText, threads: int) -> None:
        super().__init__(settings, text, threads)
        words = len(self.vocabulary)
        self.firsts, self.others = graph_of(
            text.texts(self.vocabulary.number_of), words, alike=settings.step == ALIKE
        )
        degrees = np.diff(self.firsts)
        self.keep = kept_share(degrees, settings.subsample)
        self.table = alias_table(degrees.astype(np.float64) ** settings.power)
        starts = words + np.flatnonzero(degrees[words:])
        self.tokens = len(starts) * settings.walks * settings.length
        self.epochs = settings.epochs or enough_epochs(self.tokens)
        self.blocks = self._blocks(np.tile(starts, settings.walks))
        self.threads = min(threads, len(self.blocks))
        self.number_of = np.arange(len(degrees), dtype=np.int32)  # a node is its own number

    def _blocks(self, nodes: I64) -> list[Block]:
        """Return the nodes at which walks start in blocks; the walks are made when a block is trained."""
        length = self.settings.length
        size = -(-training_text.BLOCK // length)
        nothing = np.zeros(0, np.int32)
        ends = np.arange(1, size + 1) * length
        return [
            Block(nothing, ends[: len(some)] - length, ends[: len(some)], some, first * length)
            for first in range(0, len(nodes), size)
            if len(some := nodes[first : first + size])
        ]

    def _start(self) -> None:
        from aboutness.kernels.chance import fill_evenly

        dim, words = self.settings.dim, len(self.vocabulary)
        self.nodes_in, self.nodes_out = (empty_rows(words + self.text.documents, dim) for _ in (IN, OUT))
        fill_evenly(self._chance(-1), np.float32(word2vec.START / dim), dim, self.nodes_in)
        self.inward, self.rows, self.outward = self.nodes_in[:words], self.nodes_in[words:], self.nodes_out[:words]
        self.rows[self.lengths == 0] = 0

    def matrices(self) -> dict[str, F32]:
        """Return all that is trained."""
        return {IN: self.nodes_in, OUT: self.nodes_out}

    def _train(self, block: Block, chance: NDArray[np.uint64], rate: float, slope: float) -> float:
        from aboutness.kernels.walks import walk
        from aboutness.kernels.word2vec import skip_gram

        settings = self.settings
        nodes = np.empty(len(block.documents) * settings.length, np.int32)
        walk(self.firsts, self.others, block.documents, settings.length, chance, nodes)
        nodes.flags.writeable = False  # as texts are: kernels need to be compiled for no other kind
        _, total = skip_gram(
            nodes, block.starts, block.ends, self.number_of, self.keep, self.table, chance, settings.window,
            settings.negatives, 2 * settings.window, rate, slope, self.nodes_in, self.nodes_out,
        )  # fmt: skip
        return float(total)
