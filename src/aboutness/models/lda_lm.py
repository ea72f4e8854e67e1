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
    """LDA-LM: query likelihood mixed with the words that a document's topics make probable.

    Paper: Wei and Croft (2006); a baseline of ai2016 (§4), mixed as in its eq. 4.

        score(q, d) = sum over t of q:  c(t, q) * ln( (1 - lam) P_QL(t | d) + lam P_LDA(t | d) )
        P_LDA(t | d) = sum over topics k of P(t | k) P(k | d)

    Symbols: P(t | k) is OUT of a word (words x topics), P(k | d) the row of a document (documents x topics);
    `vectors/lda.py` says how both are made. `lam` weighs the topics, `mu` is that of `ql`; c(t, q) is how often
    the query has t.

    Differs from the paper: Wei and Croft's lambda weighs the other part. Topics are averaged over samples, and
    every document is folded in (docs/decisions/0015-topics-and-latent-semantics.md).
    """

    name: ClassVar[str] = "lda-lm"
    summary: ClassVar[str] = "query likelihood mixed with topics (LDA)"
    source: ClassVar[str] = "Wei and Croft 2006; ai2016 §4"

    def wanted(self) -> tuple[str, LDA]:
        """Return what has to be trained."""
        return LDA.name, LDA()
