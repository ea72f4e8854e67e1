"""Topics by latent Dirichlet allocation (LDA): a document is a mixture of topics, a topic a mixture of words.

Blei, Ng, Jordan: Latent Dirichlet allocation, 2003; for retrieval Wei, Croft: LDA-based document models for ad-hoc
retrieval, 2006, whose priors ai2016 (section 4) takes over.

    P(w | d) = sum over topics k of  P(w | k) P(k | d) = sum over k of  phi_wk theta_dk

    phi_wk = (n_wk + beta) / (n_k + V beta)

n_wk says how many tokens of word w are in topic k, n_k is its sum over all V words. Tokens are put into topics by
collapsed Gibbs sampling, which is tomotopy's work. Both priors, alpha for topics in a document and beta for words
in a topic, stay as they are.

It differs from the papers in two points. phi is the mean over `samples` states of the second half of the
iterations, since a single state is one draw among many. And theta does not come from the sampler: all documents,
those that were trained on and those that come later, are folded in to phi in the same way (`TopicSpace.infer`),
so that a text has the same topics wherever it stands. Both were measured to rank better than the last state's phi
and theta.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness._version import __version__
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Number, Whole
from aboutness.core.parameters import parameter
from aboutness.core.threads import checked_threads
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import DocumentSpace, Texts
from aboutness.vectors.threads import Work
from aboutness.vectors.trainer import DEFAULT_ANALYZER, DocumentTrainer, Progress, Tell, plain, register
from aboutness.vectors.training_text import Source, TrainingText, chosen_documents
from aboutness.vectors.vocabulary import Vocabulary
from aboutness.vectors.words import OUT, WordVectors

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

ALPHA = "alpha"
WEI_CROFT = 50.0  # alpha times the number of topics, unless said
LEAST_ALPHA = 1e-6  # tomotopy ends the process where it is 0 in float32
TICK = 0.5  # seconds of sampling, or one iteration, between two looks at interrupts
NEAR = 1e-5  # share of all that may still change when folding in ends,
MOST = 200  # or so many rounds
SHARE = 1 << 8  # texts that a thread folds in at a time


@dataclass(frozen=True, repr=False)
class TopicSpace(DocumentSpace):
    """The share of each topic in each document, P(k | d); OUT of a word is P(w | k), so P(w | d) is a product.

    Rows sum to 1, and so does each column of OUT. `own` has "alpha", the prior of each topic in a document.

    A text is folded in: its shares are gamma / sum of gamma, where gamma solves

        gamma_k = alpha + sum over words w of  count_w phi_wk gamma_k / sum over topics j of phi_wj gamma_j

    that is, each token is in topics as its word and the text make it likely. It is the most probable theta under
    a prior of alpha + 1, and the only solution, whatever one starts from; how a text's words are ordered makes no
    difference. It lies nearer to the mean of many Gibbs samples than one such sample does. A text without a known
    word has what alpha says, all topics alike, and not zeros: its words' probabilities sum to 1 as well.
    """

    def infer(self, texts: Texts, threads: int | None = None) -> F32:
        """Return the shares of topics in each text (see `DocumentSpace.infer`)."""
        from aboutness.kernels.topics import fold_in

        alpha, phi = float(self.own[ALPHA][0]), self.words.space(OUT).view()
        phi.flags.writeable = False  # as where it is mapped: the kernel is compiled once
        rows = np.empty((len(texts), self.dim), np.float32)

        def fold(share: int) -> None:
            here = slice(share * SHARE, min((share + 1) * SHARE, len(texts)))
            fold_in(*_bags(texts, here, len(phi)), phi, alpha, MOST, NEAR, rows[here])

        shares = -(-len(texts) // SHARE)
        Work(fold, 0, shares, min(checked_threads(threads), max(1, shares))).run(math.inf, lambda: None)
        return rows


def _bags(texts: Texts, here: slice, size: int) -> tuple[I64, F64, I64]:
    """Return the different words of some texts, ascending, how much each counts, and where texts end."""
    ends = texts.ends[here]
    start = int(texts.ends[here.start - 1]) if here.start else 0
    words, weights = texts.words[start : int(ends[-1])], texts.weights[start : int(ends[-1])]
    of = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=start))
    pairs, places = np.unique(of * size + words, return_inverse=True)
    counts = np.bincount(places, weights).astype(np.float64)
    return pairs % size, counts, np.searchsorted(pairs, np.arange(1, len(ends) + 1) * size)


@register
@dataclass(frozen=True)
class LDA(DocumentTrainer):
    """Latent Dirichlet allocation by Gibbs sampling; needs tomotopy (pip install 'aboutness[topics]').

    One thread and one seed always give the same bytes. Each number of threads gives another result, which tomotopy
    does not promise to repeat. A training that was interrupted cannot be gone on with, since tomotopy keeps no
    state of chance: a checkpoint is neither read nor written.
    """

    name: ClassVar[str] = "lda"
    summary: ClassVar[str] = "topics by latent Dirichlet allocation; needs aboutness[topics]"
    source: ClassVar[str] = "Blei et al. 2003; Wei and Croft 2006; ai2016 §4"
    space = TopicSpace

    topics: int = parameter(300, Whole(1, 32_767), "how many topics", symbol="K")
    alpha: float = parameter(
        0.0,
        Number(0, 1e6),
        "prior of each topic in a document; 0: 50/topics",
        symbol="α",  # noqa: RUF001
    )
    beta: float = parameter(0.01, Number(1e-6, 1e6), "prior of each word in a topic", symbol="β")
    iterations: int = parameter(400, Whole(1, 1_000_000), "how often each token is put into a topic anew")
    samples: int = parameter(
        10, Whole(1, 10_000), "states, from the second half of the iterations, whose mean the topics are"
    )
    min_count: int = parameter(2, Whole(1, 1 << 40), "rarer words are in no topic")
    sample: int = parameter(
        0, Whole(0, 1 << 40), "train on so many documents, drawn by chance, and infer the others; 0: on all"
    )
    seed: int = parameter(
        1, Whole(0, (1 << 63) - 1), "where chance starts; with one thread, same seed, same bytes"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.alpha < LEAST_ALPHA:
            raise UsageError(f"lda: alpha must be 0 or at least {LEAST_ALPHA:g}, got {shown(self.alpha)}")

    @property
    def prior(self) -> float:
        """Return alpha: what was said, or 50 over the number of topics."""
        return self.alpha or WEI_CROFT / self.topics

    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,  # noqa: ARG002 - see the class
        tell: Tell | None = None,
    ) -> TopicSpace:
        """Train on the documents of a view, or on texts (see `DocumentTrainer.train`)."""
        threads, tomotopy = checked_threads(threads), _tomotopy()
        text = TrainingText.of(source, named_analyzer(analyzer))
        chosen = chosen_documents(text.documents, self.sample, self.seed)
        sampled = text if chosen.all() else text.some(chosen)
        vocabulary = Vocabulary.of(sampled, self.min_count)
        model = tomotopy.LDAModel(k=self.topics, alpha=self.prior, eta=self.beta, seed=self.seed)
        model.optim_interval = 0  # else alpha would not stay
        _add(model, sampled.texts(vocabulary.number_of), len(vocabulary))
        phi = self._sampled(model, len(vocabulary), threads, tell or (lambda _: None))
        nothing = TopicSpace(
            WordVectors(StringTable.of(vocabulary.words), {OUT: phi}, vocabulary.counts),
            np.empty((0, self.topics), np.float32),
            text.arrivals[:0],
            {ALPHA: np.array([self.prior])},
            {
                "training": self.name,
                "parameters": plain(self),
                "threads": threads,
                "tokens": sampled.tokens,
                **({"analyzer": text.analyzer.to_json()} if text.analyzer else {}),
                "software": f"aboutness {__version__}, tomotopy {tomotopy.__version__}",
            },
        )
        return nothing.with_rows(nothing.infer(text.texts(vocabulary.number_of), threads), text.arrivals)

    def _sampled(self, model: Any, words: int, threads: int, tell: Tell) -> F32:  # noqa: ANN401 - tomotopy's
        """Return phi: the mean over some states of the sampler."""
        total = np.zeros((self.topics, words))
        wanted = states(self.iterations, self.samples)
        done, speed, began = 0, 0.0, time.monotonic()
        for state in wanted:
            while done < state:
                step = min(max(1, int(TICK * speed)), state - done)  # interrupts are only heard between two steps
                _train(model, step, threads)
                done += step
                speed = done / max(time.monotonic() - began, 1e-9)
                tokens = model.num_words
                tell(Progress(tokens * done, tokens * self.iterations, tokens * speed))
            numbers = np.array([int(name) for name in model.used_vocabs])
            for topic in range(self.topics):
                total[topic, numbers] += model.get_topic_word_dist(topic)
        return np.ascontiguousarray(total.T / len(wanted), np.float32)


def states(iterations: int, samples: int) -> list[int]:
    """Return after which iterations the topics are looked at: evenly over the second half, and at the end.

    >>> states(200, 10), states(5, 10), states(7, 1)
    ([110, 120, 130, 140, 150, 160, 170, 180, 190, 200], [4, 5], [7])
    """
    half = iterations // 2
    return sorted({iterations - half * back // samples for back in range(samples)})


def _tomotopy() -> Any:  # noqa: ANN401 - the package has no types
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its loader takes a warning that is an error for a missing library
            import tomotopy
    except ImportError:
        raise UsageError("lda needs tomotopy; install it with: pip install 'aboutness[topics]'") from None
    return tomotopy


def _add(model: Any, texts: Texts, words: int) -> None:  # noqa: ANN401 - tomotopy's
    """Hand over texts; their words are called by number. Empty ones are left out."""
    names = [str(number) for number in range(words)]
    start = 0
    for end in texts.ends.tolist():
        if end > start:
            model.add_doc([names[number] for number in texts.words[start:end].tolist()])
        start = end


def _train(model: Any, iterations: int, threads: int) -> None:  # noqa: ANN401 - tomotopy's
    """Sample so many times; that results may differ with several threads is said elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        model.train(iterations, workers=threads)
