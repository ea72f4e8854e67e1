"""What the ranker `default` learns from the documents themselves: one SVD, and two further ways to read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aboutness.core.kinds import Choice, Whole
from aboutness.core.parameters import parameter
from aboutness.vectors.lsa import BM25, LSA, WEIGHTINGS
from aboutness.vectors.trainer import register

LETTERS, PAIRS = "default-letters", "default-pairs"


@register
@dataclass(frozen=True)
class Own(LSA):
    """All that `default` needs: a latent space of the documents, and layers of pieces and pairs of words.

    The space is that of `lsa` with the weights of BM25. The layers are added to the index where it has none such:
    pieces of four letters, and pairs of neighbouring words, analysed as the first layer is.
    """

    name: ClassVar[str] = "default"
    summary: ClassVar[str] = "what the ranker default needs: latent dimensions, and layers of letters and pairs"
    source: ClassVar[str] = "beyond the papers"
    layers: ClassVar[dict[str, str]] = {LETTERS: "letters", PAIRS: "[words=2]"}

    dim: int = parameter(150, Whole(1, 10_000), "dimensions, at most")
    weighting: str = parameter(BM25, Choice(WEIGHTINGS), "how much a word counts in a document")
