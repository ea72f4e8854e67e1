"""The models of ai2016, from query likelihood to paragraph vectors with all changes, and how each is trained.

The paper does not print the learning rate. Whether a change helps depends on it, so that the ladder is climbed
twice, each time with one rate for all its rungs: with the rate that `epv` declares, and with that of `pv`, with
which the joint objective is as printed in eq. 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from aboutness.core.algebra import Ranker
from aboutness.experiment.hashes import digest
from aboutness.models.pv_lm import EPVDLM, EPVDRJLM, EPVDRLM, PVLM, ParagraphLM
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.vectors import lda, pv
from aboutness.vectors.pv import EPV
from aboutness.vectors.trainer import DocumentTrainer

if TYPE_CHECKING:
    from aboutness.papers.ai2016.protocol import Ai2016

QL, LDA, PV, D, DR, DRJ = "QL", "LDA-LM", "PV-LM", "EPV-D-LM", "EPV-DR-LM", "EPV-DRJ-LM"
PAPERS_OWN = (QL, LDA, PV, D, DR, DRJ)
SLOW, FAST = pv.PV().rate, EPV().rate
PRINTED_JOINT = 1.0  # of eq. 9
D_SLOW, DR_SLOW = (f"{name}, rate {SLOW:g}" for name in (D, DR))
PRINTED = f"{DRJ}, rate {SLOW:g}, eq. 9 as printed"
PV_FAST = f"{PV}, rate {FAST:g}"
QL_TUNED = "QL, mu by folds"
OTHERS = (QL_TUNED, PV_FAST, D_SLOW, DR_SLOW, PRINTED)
STEPS: Mapping[float, tuple[str, ...]] = {FAST: (PV_FAST, D, DR, DRJ), SLOW: (PV, D_SLOW, DR_SLOW, PRINTED)}
CHANGES = ("D", "R", "J")  # from one step to the next


@dataclass(frozen=True)
class Rung:
    """A model: what it is called in reports and in rankers, how it is trained, and what the folds choose from."""

    name: str
    model: str
    way: DocumentTrainer | None = None
    grid: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def kept_as(self) -> str:
        """Return the name of its training in an index."""
        return f"{self.model}-{digest([str(self.way)])[:12]}"

    def ranker(self, mu: float) -> Ranker:
        """Return the ranker, which reads its own training."""
        named = f",vectors={self.kept_as}" if self.way else ""
        return named_ranker(f"{self.model}[mu={mu:g}{named}]")


def rungs(sizes: Ai2016, seed: int) -> list[Rung]:
    """Return all models: the paper's, and those of the second ladder."""
    lambdas = {"lam": sizes.lambdas}

    def trained(name: str, model: type[ParagraphLM], **changed: Any) -> Rung:  # noqa: ANN401 - of any trainer
        return Rung(name, model.name, paragraphs(sizes, seed, model, **changed), lambdas)

    topics = lda.LDA(topics=sizes.topics, iterations=sizes.iterations, sample=sizes.sample, seed=seed)
    return [
        Rung(QL, "ql", None, {"mu": (sizes.mu,)}),
        Rung(LDA, "lda-lm", topics, lambdas),
        trained(PV, PVLM),
        trained(D, EPVDLM),
        trained(DR, EPVDRLM),
        trained(DRJ, EPVDRJLM),
        Rung(QL_TUNED, "ql", None, {"mu": sizes.mus}),
        trained(PV_FAST, PVLM, rate=FAST),
        trained(D_SLOW, EPVDLM, rate=SLOW),
        trained(DR_SLOW, EPVDRLM, rate=SLOW),
        trained(PRINTED, EPVDRJLM, rate=SLOW, joint=PRINTED_JOINT),
    ]


def paragraphs(sizes: Ai2016, seed: int, model: type[ParagraphLM], **changed: Any) -> DocumentTrainer:  # noqa: ANN401
    """Return how the vectors of a model are trained: as it declares, with the sizes of the study and changes."""
    way = model.trained
    values: dict[str, Any] = {"dim": sizes.dim, "epochs": sizes.epochs, "sample": sizes.sample, "seed": seed}
    if isinstance(way, EPV):
        values |= {"eta": sizes.eta, **({"gamma": sizes.gamma} if way.gamma else {})}
    return replace(way, **{**values, **changed})


def grid_rungs(sizes: Ai2016, seed: int) -> Iterator[tuple[str, str, float, Rung]]:
    """Yield the models of the grids: the parameter, the model's name, the parameter's value, and the model."""
    for model, name in ((EPVDRLM, DR), (EPVDRJLM, DRJ)):
        for parameter, values in (("gamma", sizes.gammas), ("eta", sizes.etas)):
            for value in values:
                way = paragraphs(sizes, seed, model, **{parameter: value})
                called = f"{name}, {parameter} {value:g}"
                yield parameter, name, value, Rung(called, model.name, way, {"lam": sizes.lambdas})
