"""Language models on paragraph vectors: PV-LM, and the enhanced ones of ai2016 with one change after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from aboutness.models.language import LanguageModel
from aboutness.models.model import register
from aboutness.vectors.pv import EPV, PV, ParagraphTrainer


@dataclass(frozen=True)
class ParagraphLM(LanguageModel):
    """Query likelihood mixed with paragraph vectors (ai2016 §3.2).

        score(q, d) = sum over t of q:  c(t, q) * ln( (1 - lam) P_QL(t | d) + lam P_PV(t | d) )
        P_PV(t | d) = exp(t . d) / sum over words w of exp(w . d)

    Symbols: d is the document's row (documents x dim), t and w the words' OUT vectors (words x dim); the sum below
    the line is `normalisers` (documents,), worked out once for each document, when it is trained or folded in.
    `lam` is the paper's lambda, `mu` that of `ql`; c(t, q) is how often the query has t.

    Differs from the paper: it re-ranks the first 2,000 documents of `ql` (`ql % 2000 >> pv-lm`); here every
    document that matches is scored. mu and lam, which it leaves open (lam by cross-validation), are parameters.
    """

    trained: ClassVar[ParagraphTrainer]
    kept_as: ClassVar[str]

    def wanted(self) -> tuple[str, ParagraphTrainer]:
        """Return what has to be trained."""
        return self.kept_as, self.trained

    def fits(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something was trained with the same switches, whatever its other parameters are."""
        same = list(self.trained.objective.switches)
        return made["training"] in (PV.name, EPV.name) and made.get("switches") == same


@register
@dataclass(frozen=True)
class PVLM(ParagraphLM):
    """PV-LM: query likelihood mixed with the words that a document's paragraph vector predicts.

    Paper: ai2016 (§3.1 and §3.2, eq. 1 to 4), with plain PV-DBOW; its vectors are those of `train DIR pv`.
    """

    name: ClassVar[str] = "pv-lm"
    summary: ClassVar[str] = "query likelihood mixed with paragraph vectors (PV-DBOW)"
    source: ClassVar[str] = "ai2016 eq. 1-4"
    trained: ClassVar[ParagraphTrainer] = PV()
    kept_as: ClassVar[str] = "pv"


@register
@dataclass(frozen=True)
class EPVDLM(ParagraphLM):
    """EPV-D-LM: PV-LM whose vectors were trained with negatives drawn by document frequency^eta (D).

    Paper: ai2016 (§3.3, eq. 6 and 7). P_PV is that of `pv-lm`, in vectors of `train DIR epv --gamma 0 --joint 0`:
    w . d is then about the logarithm of tf * idf, not of tf over the collection's counts. The learning rate of
    `epv`, .05, suits R and J; with D alone it ranks worse than `pv-lm`, and with --rate .025 as well as that one
    (docs/papers.md).
    """

    name: ClassVar[str] = "epv-d-lm"
    summary: ClassVar[str] = "query likelihood mixed with paragraph vectors, negatives by document frequency"
    source: ClassVar[str] = "ai2016 eq. 6-7"
    trained: ClassVar[ParagraphTrainer] = EPV(gamma=0, joint=0)
    kept_as: ClassVar[str] = "epv-d"


@register
@dataclass(frozen=True)
class EPVDRLM(ParagraphLM):
    """EPV-DR-LM: EPV-D-LM whose documents were drawn towards 0 in training (R).

    Paper: ai2016 (§3.3, eq. 8). P_PV is that of `pv-lm`, in vectors of `train DIR epv --joint 0`: R keeps the
    vectors of short documents from growing, by which all probability would go to the words they have.
    """

    name: ClassVar[str] = "epv-dr-lm"
    summary: ClassVar[str] = "query likelihood mixed with paragraph vectors as in epv-d-lm, but kept short"
    source: ClassVar[str] = "ai2016 eq. 8"
    trained: ClassVar[ParagraphTrainer] = EPV(joint=0)
    kept_as: ClassVar[str] = "epv-dr"


@register
@dataclass(frozen=True)
class EPVDRJLM(ParagraphLM):
    """EPV-DRJ-LM: EPV-DR-LM whose words predicted their neighbours, too, in training (J).

    Paper: ai2016 (§3.3, eq. 9). P_PV is that of `pv-lm`, in vectors of `train DIR epv`.

    Differs from the paper: neighbours count a quarter of what documents do, which ranks better; `train DIR epv
    --joint 1 --rate 0.025` is eq. 9 as it is printed. It re-ranks the first 2,000 documents of `ql` (`ql % 2000 >>
    epv-drj-lm`); here every document that matches is scored. mu and lam, which it leaves open (lam by
    cross-validation), are parameters.
    """

    name: ClassVar[str] = "epv-drj-lm"
    summary: ClassVar[str] = "query likelihood mixed with enhanced paragraph vectors: ai2016 with D, R and J"
    source: ClassVar[str] = "ai2016 eq. 9"
    trained: ClassVar[ParagraphTrainer] = EPV()
    kept_as: ClassVar[str] = "epv"
