"""A language model on topics: LDA-LM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aboutness.models.language import LanguageModel
from aboutness.models.model import register
from aboutness.vectors.lda import LDA


@register
@dataclass(frozen=True)
class LDALM(LanguageModel):
    """LDA-LM: query likelihood mixed with topics (Wei and Croft 2006; a baseline of ai2016, section 4).

    P(t | d) = (1 - lam) P_QL(t | d) + lam P_LDA(t | d),   P_LDA(t | d) = sum over topics k of P(t | k) P(k | d)

    P(t | k) is OUT of a word, P(k | d) the row of a document (`vectors/lda.py` says how both are made, and what
    differs from the papers). A document without a known word has all topics alike. Wei and Croft's lam weighs
    the other part. See `LanguageModel` for the rest.
    """

    name: ClassVar[str] = "lda-lm"
    summary: ClassVar[str] = "query likelihood mixed with topics (LDA)"
    source: ClassVar[str] = "Wei and Croft 2006; ai2016 §4"

    def wanted(self) -> tuple[str, LDA]:
        """Return what has to be trained."""
        return LDA.name, LDA()
