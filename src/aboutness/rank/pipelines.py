"""Pipelines with a name: expressions of rankers that papers describe, with declared parameters."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Any, ClassVar

from aboutness.core.algebra import Ranker
from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import Parameters, parameter
from aboutness.core.registry import Registry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.bm25 import BM25
from aboutness.models.desm import DESM, DESMInOut
from aboutness.models.iwcs import IWCS
from aboutness.models.model import MODELS, Model
from aboutness.models.wmd import WMD
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.words import SPACES

PAIRS = tuple(f"{query}-{document}" for query in SPACES for document in SPACES)


def like(model: type[Parameters], name: str, default: Any = MISSING) -> Any:  # noqa: ANN401 - a dataclass field
    """Declare a parameter as a model does, perhaps with another default."""
    (one,) = [declared for declared in model.declared() if declared.name == name]
    return parameter(one.default if default is MISSING else default, one.kind, one.help, symbol=one.symbol)


@dataclass(frozen=True)
class Pipeline(Parameters, Ranker):
    """An expression with a name: a frozen record of declared parameters, of which the expression is made."""

    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    needs_all: ClassVar[bool] = False  # `needs` tells all that has to be trained, also for what it is made of

    layer: str | None = like(Model, "layer")
    fields: tuple[tuple[str, float | None], ...] | None = like(Model, "fields")

    @property
    def expression(self) -> Ranker:
        """Return the ranker that it stands for."""
        raise NotImplementedError

    def for_index(self, snapshot: Snapshot) -> Ranker:  # noqa: ARG002 - for those that look at it
        """Return the ranker that it stands for in an index."""
        return self.expression

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:  # noqa: ARG002 - for those that need something
        """Return what has to be trained for it, by name, besides what its rankers need."""
        return []

    def note(self, snapshot: Snapshot) -> str | None:  # noqa: ARG002 - for those that have one
        """Return what to say of its use in an index."""
        return None

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return self.expression.limited

    def __str__(self) -> str:
        return Parameters.__str__(self)


PIPELINES: Registry[type[Pipeline]] = Registry(MODELS.kind)


def register(pipeline: type[Pipeline]) -> type[Pipeline]:
    """Add a pipeline under its name: it then appears everywhere that rankers do."""
    return PIPELINES.register(pipeline.name, pipeline)


@register
@dataclass(frozen=True)
class IWCSWMD(Pipeline):
    """The first k documents of IWCS, ranked anew by Word Mover's Distance.

    Paper: galke2017 (§3, "IWCS-WMD"; it has no formula).

        iwcs % k >> wmd

    Symbols: `k` is how many documents are ranked anew; the score is that of `wmd`, all else as in the two models.

    Differs from the paper: it does not say which k; 20 is how many documents it measures. Otherwise nothing.

    Unknown words: as in the two models: words without a vector are left out, and a query without any other finds
    nothing.

    Empty documents: as in the two models: they come last.

    Cost: a search by `iwcs`, and k exact distances at most.
    """

    name: ClassVar[str] = "iwcs-wmd"
    summary: ClassVar[str] = "the first of IWCS ranked by Word Mover's Distance"
    source: ClassVar[str] = "galke2017 §3"

    k: int = parameter(20, Whole(1, 10**9), "how many documents of IWCS are ranked anew", symbol="k")
    vectors: str | None = like(IWCS, "vectors")
    case: str = like(IWCS, "case")
    oov: str = like(IWCS, "oov")
    idf: str = like(IWCS, "idf")
    query: str = like(IWCS, "query")
    cost: str = like(WMD, "cost")
    unit: str = like(WMD, "unit")

    @property
    def expression(self) -> Ranker:
        """Return the ranker that it stands for."""
        read: dict[str, Any] = {"layer": self.layer, "fields": self.fields}
        read |= {"vectors": self.vectors, "case": self.case, "oov": self.oov}
        iwcs = IWCS(**read, idf=self.idf, query=self.query)
        return iwcs % self.k >> WMD(**read, cost=self.cost, unit=self.unit)


@register
@dataclass(frozen=True)
class BM25DESM(Pipeline):
    """The mixture of BM25 and the dual embedding space model, on raw scores.

    Paper: mitra2016 (§2.3, eq. 9).

        MM(Q, D) = alpha DESM(Q, D) + (1 - alpha) BM25(Q, D)

    Other weights are written `bm25 + 30*desm-in-out`. Every document that matches has both scores.

    Symbols: `alpha` is the paper's; DESM and BM25 are the scores of `desm-in-out` (`space` says otherwise) and
    `bm25`, one for each document that matches.

    Differs from the paper: k1 1.7 and b .95 are its own. It chose alpha by a sweep in steps of .01 and does not
    print it. Ours, .8, makes a cosine count four times as much as a point of BM25: with vectors of the documents'
    own words more did harm on some of the four small collections on which it was tried.

    Unknown words: as in the two models; a query without any word that has a vector is ranked by BM25 alone.

    Empty documents: one that matches, but has no word with a vector, has -1 from DESM.

    Cost: that of both models, each of which scores all documents that match.
    """

    name: ClassVar[str] = "bm25-desm"
    summary: ClassVar[str] = "mixture of BM25 and the dual embedding space model"
    source: ClassVar[str] = "mitra2016 eq. 9"

    alpha: float = parameter(0.8, Number(0, 1), "how much DESM counts; BM25 counts the rest", symbol="alpha")
    space: str = parameter("in-out", Choice(PAIRS), "the spaces of query and documents")
    k1: float = like(BM25, "k1", 1.7)
    b: float = like(BM25, "b", 0.95)
    vectors: str | None = like(IWCS, "vectors")
    case: str = like(IWCS, "case")
    oov: str = like(IWCS, "oov")
    similarity: str = like(DESMInOut, "similarity")
    pivot: float = like(DESMInOut, "pivot")

    @property
    def expression(self) -> Ranker:
        """Return the ranker that it stands for."""
        read: dict[str, Any] = {"layer": self.layer, "fields": self.fields}
        words = {"vectors": self.vectors, "case": self.case, "oov": self.oov}
        desm = DESM(self.space, **read, **words, similarity=self.similarity, pivot=self.pivot)
        rest = round(1 - self.alpha, 12)  # 0.03, not 0.030000000000000027
        return self.alpha * desm + rest * BM25(**read, k1=self.k1, b=self.b)
