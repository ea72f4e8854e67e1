"""Paragraph vectors: PV-DBOW and PV-DM, and PV-DBOW made for retrieval (EPV).

Le, Mikolov: Distributed representations of sentences and documents, 2014; Ai, Yang, Guo, Croft: Improving language
estimation with the paragraph vector model for ad-hoc retrieval, 2016 (ai2016). For each word w of each document d,
PV-DBOW climbs

    log s(w . d) + k E over n ~ P of log s(-n . d),   s(x) = 1 / (1 + exp(-x))            (ai2016 eq. 2)

where P(n) is in proportion to count^power (eq. 3). EPV changes it in three ways, each of which can be left out:

    D   P(n) is in proportion to df^eta, not to count^power                                 (eq. 6, 7)
    R   - gamma / #(d) |d|^2 is added for each word, #(d) being the words of d              (eq. 8)
    J   each word predicts the words up to `window` places away, too, by vectors c          (eq. 9)
        + joint * (sum over these of log s(w . c) + k E over n ~ P of log s(-w . c_n))

In eq. 9 `joint` is 1; less lets documents learn faster beside their words, and ranks better. In J one vector w is
predicted by d and predicts c; gensim's dbow_words shares the other matrix, which is another objective. R is a
proximal step, d / (1 + 2 rate gamma / #(d)), so that large gamma and short documents are stable.

It differs from the papers in these points. Negatives are drawn for 8 successive words at a time, 2 for each (in J:
one for each neighbour of a word), and count as much as k for each would: the expected step is the same. A negative
may be the word itself, as eq. 2 has it. PV-DM predicts a word from the mean of its neighbours' and the document's
vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.paragraphs import NOISE, ParagraphSpace
from aboutness.vectors.trainer import DEFAULT_ANALYZER, DocumentTrainer, Tell, plain, register
from aboutness.vectors.training import Training, alias_table, empty_rows, enough_epochs, kept_share
from aboutness.vectors.training_text import Block, Source, TrainingText, chosen_documents
from aboutness.vectors.vocabulary import Vocabulary
from aboutness.vectors.words import IN, OUT, WordVectors

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

DBOW, DM = "dbow", "dm"
ON, OFF = "on", "off"
SWITCH = Choice((ON, OFF))
MOST_EPOCHS = 40  # tried on six collections: with R, more than word vectors want
START = 1.25  # documents start evenly between -START/dim and START/dim, words at 0


@dataclass(frozen=True)
class ParagraphTrainer(DocumentTrainer):
    """What PV and EPV have in common."""

    space = ParagraphSpace

    dim: int = parameter(300, Whole(1, 10_000), "numbers in a vector")
    epochs: int = parameter(
        0, Whole(0, 100_000), "how often the text is read; 0: 5 to 40 times, more often where there is little"
    )
    negatives: int = parameter(5, Whole(1, 1_000), "words drawn by chance to tell a word from", symbol="k")
    window: int = parameter(5, Whole(1, 1_000), "how far away the neighbours of a word are, at most", symbol="L")
    min_count: int = parameter(2, Whole(1, 1 << 40), "rarer words get no vector")
    subsample: float = parameter(0.0, Number(0, 1), "frequent words are left out by chance; 0: never", symbol="t")
    sample: int = parameter(
        0, Whole(0, 1 << 40), "train on so many documents, drawn by chance, and infer the others; 0: on all"
    )
    rate: float = parameter(0.025, Number(1e-6, 10), "learning rate at the beginning")
    last_rate: float = parameter(1e-4, Number(0, 10), "learning rate at the end, to which it falls evenly")
    seed: int = parameter(
        1, Whole(0, (1 << 63) - 1), "where chance starts; with one thread, same seed, same bytes"
    )

    @property
    def objective(self) -> Objective:
        """Return what is climbed."""
        raise NotImplementedError

    @property
    def normalises(self) -> bool:
        """Tell whether documents are language models, and their normalisers are worked out."""
        return not self.objective.in_context

    def training(self, text: TrainingText, threads: int) -> ParagraphTraining:
        """Return the training of a text, at its start."""
        return ParagraphTraining(self, text, threads)

    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
        tell: Tell | None = None,
    ) -> ParagraphSpace:
        """Train on the documents of a view, or on texts (see `DocumentTrainer.train`)."""
        if isinstance(checkpoint, str | Path):
            checkpoint = Checkpoint(checkpoint)
        text = TrainingText.of(source, named_analyzer(analyzer))
        chosen = chosen_documents(text.documents, self.sample, self.seed)
        sampled = text if chosen.all() else text.some(chosen)
        training = self.training(sampled, checked_threads(threads))
        try:
            training.run(checkpoint, tell or (lambda _: None))
            made = training.made()
            if not chosen.all():
                rows = np.empty((text.documents, self.dim), np.float32)
                rows[chosen] = made.rows
                for some in text.in_portions(~chosen):
                    rows[some] = made.infer(text.some(some).texts(training.vocabulary.number_of), threads)
                made = made.with_rows(rows, text.arrivals)
            return made.normalised() if self.normalises else made
        except MemoryError:
            raise training.too_large() from None


@dataclass(frozen=True)
class Objective:
    """What is climbed: `power` is of counts, or of document frequencies where `by_documents` is set."""

    by_documents: bool = False
    power: float = 0.75
    gamma: float = 0.0
    joint: float = 0.0
    in_context: bool = False  # PV-DM

    @property
    def switches(self) -> tuple[bool, ...]:
        """Return which of D, R and J are on, and whether it is PV-DM."""
        return self.by_documents, self.gamma > 0, self.joint > 0, self.in_context


@register
@dataclass(frozen=True)
class PV(ParagraphTrainer):
    """PV-DBOW or PV-DM with negative sampling.

    >>> space = PV(dim=8, min_count=1).train(["the sun and the moon", "a city"], threads=1)
    >>> space.rows.shape, list(space.words)[:1]
    ((2, 8), ['the'])
    """

    name: ClassVar[str] = "pv"
    summary: ClassVar[str] = (
        "paragraph vectors: a document's vector predicts its words (PV-DBOW), or helps to (PV-DM)"
    )
    source: ClassVar[str] = "Le and Mikolov 2014; ai2016 eq. 1-3; galke2017"

    architecture: str = parameter(
        DBOW, Choice((DBOW, DM)), "predict words from the document alone, or together with their neighbours"
    )
    power: float = parameter(0.75, Number(0, 10), "negatives are drawn by count^power; 0: all words alike")

    @property
    def objective(self) -> Objective:
        """Return what is climbed."""
        return Objective(power=self.power, in_context=self.architecture == DM)


@register
@dataclass(frozen=True)
class EPV(ParagraphTrainer):
    """PV-DBOW with ai2016's changes D, R and J, each of which can be left out.

    >>> off = EPV(dim=8, min_count=1, by_documents="off", gamma=0, joint=0, rate=0.025)
    >>> text = ["the sun and the moon", "a city"]
    >>> bool((off.train(text, threads=1).rows == PV(dim=8, min_count=1).train(text, threads=1).rows).all())
    True
    """

    name: ClassVar[str] = "epv"
    summary: ClassVar[str] = "paragraph vectors made for retrieval: PV-DBOW with ai2016's changes D, R and J"
    source: ClassVar[str] = "ai2016 eq. 6-9"

    by_documents: str = parameter(
        ON, SWITCH, "D: negatives are drawn by document frequency^eta; off: by count^power"
    )
    eta: float = parameter(0.1, Number(0, 1), "power of document frequencies in D", symbol="η")
    power: float = parameter(0.75, Number(0, 10), "power of counts without D")
    gamma: float = parameter(10.0, Number(0, 1e6), "R: how much documents are drawn towards 0; 0: off", symbol="γ")  # noqa: RUF001
    joint: float = parameter(
        0.25, Number(0, 100), "J: how much it counts that words predict their neighbours, 1 in eq. 9; 0: off"
    )
    rate: float = parameter(0.05, Number(1e-6, 10), "learning rate at the beginning")

    @property
    def objective(self) -> Objective:
        """Return what is climbed."""
        by_documents = self.by_documents == ON
        return Objective(by_documents, self.eta if by_documents else self.power, self.gamma, self.joint)


class ParagraphTraining(Training):
    """Documents, words, and words as the context of others."""

    settings: ParagraphTrainer

    def __init__(self, settings: ParagraphTrainer, text: TrainingText, threads: int) -> None:
        self.vocabulary = Vocabulary.of(text, settings.min_count)
        super().__init__(settings, text, settings.epochs or enough_epochs(text.tokens, MOST_EPOCHS), threads)
        self.objective = settings.objective
        counts = self.vocabulary.counts
        self.keep = kept_share(counts, settings.subsample)
        self.lengths, df = text.known(self.vocabulary.number_of)
        of = df if self.objective.by_documents else counts
        self.noise = of.astype(np.float64) ** self.objective.power
        self.table = alias_table(self.noise)
        self.pulls = 2 * self.objective.gamma / np.maximum(self.lengths, 1.0)
        self._start()

    def _start(self) -> None:
        from aboutness.kernels.chance import fill_evenly

        dim, words, documents = self.settings.dim, len(self.vocabulary), self.text.documents
        try:
            self.rows, self.outward = empty_rows(documents, dim), empty_rows(words, dim)
            self.context = empty_rows(words if self.objective.joint else 0, dim)
            self.inward = empty_rows(words if self.objective.in_context else 0, dim)
        except MemoryError:
            raise self.too_large() from None
        chance = self._chance(-1)
        for matrix in (self.rows, self.inward) if self.text.begins else ():
            fill_evenly(chance, np.float32(START / dim), dim, matrix)
        self.rows[self.lengths == 0] = 0

    def too_large(self) -> UsageError:
        """Return what to say where there is not enough memory."""
        documents, words, dim = self.text.documents, len(self.vocabulary), self.settings.dim
        size = 4 * (documents + 2 * words) * dim / 1e9
        return UsageError(
            f"{documents:,} documents and {words:,} words x {dim} need {size:,.1f} GB, which is more memory "
            "than there is; choose a lower dim or a higher min_count"
        )

    def matrices(self) -> dict[str, F32]:
        """Return all that is trained."""
        return {"rows": self.rows, OUT: self.outward, "context": self.context, IN: self.inward}

    def _train(self, block: Block, chance: NDArray[np.uint64], rate: float, slope: float) -> float:
        from aboutness.kernels import paragraphs

        settings = self.settings
        if self.objective.in_context:
            _, total = paragraphs.dm(
                block.tokens, block.starts, block.ends, block.documents, self.vocabulary.number_of, self.keep,
                self.table, chance, settings.window, settings.negatives, rate, slope, self.rows, self.inward,
                self.outward,
            )  # fmt: skip
            return float(total)
        _, total = paragraphs.dbow(
            block.tokens, block.starts, block.ends, block.documents, self.vocabulary.number_of, self.keep,
            self.table, chance, settings.window if self.objective.joint else 0, settings.negatives,
            self.objective.joint, self.pulls, rate, slope, self.rows, self.outward, self.context,
        )  # fmt: skip
        return float(total)

    def made(self) -> ParagraphSpace:
        """Return what has been trained."""
        settings, text = self.settings, self.text
        spaces = {OUT: self._narrow(self.outward)}
        how: dict[str, Any] = {
            "epochs": self.epochs,
            "negatives": settings.negatives,
            "gamma": self.objective.gamma,
            "rate": settings.rate,
            "last_rate": self.last_rate,
            "seed": settings.seed,
        }
        if self.objective.in_context:
            spaces, how = {IN: self._narrow(self.inward), **spaces}, {**how, "window": settings.window}
        return ParagraphSpace(
            WordVectors(StringTable.of(self.vocabulary.words), spaces, self.vocabulary.counts),
            self._narrow(self.rows),
            text.arrivals,
            {NOISE: self.noise},
            {
                "training": settings.name,
                "parameters": plain(settings),
                "threads": self.threads,
                "tokens": self.tokens,
                "epochs": self.epochs,
                "switches": list(self.objective.switches),
                "inference": how,
                **({"analyzer": text.analyzer.to_json()} if text.analyzer else {}),
                "software": f"aboutness {__version__}",
            },
        )

    def _narrow(self, padded: F32) -> F32:
        """Return a matrix without the zeros at the end of its rows."""
        return np.ascontiguousarray(padded[:, : self.settings.dim])
