"""What the ranker `default` learns from the documents themselves: one SVD, and further ways to read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aboutness.core.kinds import Choice, Whole
from aboutness.core.parameters import parameter
from aboutness.vectors.lsa import BM25, LSA, WEIGHTINGS
from aboutness.vectors.trainer import register

EACH, MOST = 3, 150
LETTERS, PAIRS, WORDS = "default-letters", "default-pairs", "default-words"


@register
@dataclass(frozen=True)
class Own(LSA):
    """All that `default` needs: a latent space of the documents, and layers of pieces and pairs of words.

    The space is that of `lsa` with the weights of BM25, and with few dimensions where documents are few. The
    layers are added to the index where it has none such: pieces of four letters, and pairs of neighbouring words,
    analysed as the first layer is, but that words are not stemmed before they are cut into pieces.
    """

    name: ClassVar[str] = "default"
    summary: ClassVar[str] = "what the ranker default needs: latent dimensions, and layers of letters and pairs"
    source: ClassVar[str] = "beyond the papers"
    layers: ClassVar[dict[str, str]] = {LETTERS: "[stem=none,words=1,letters=4]", PAIRS: "[words=2]"}

    dim: int = parameter(
        0, Whole(0, 10_000), f"dimensions, at most; 0: one for every {EACH} documents, up to {MOST}"
    )
    weighting: str = parameter(BM25, Choice(WEIGHTINGS), "how much a word counts in a document")

    def dimensions(self, documents: int) -> int:
        """Return how many dimensions so many documents get: with as many as documents, none would be like another.

        >>> Own().dimensions(16), Own().dimensions(100_000), Own(dim=10).dimensions(16)
        (6, 150, 10)
        """
        return self.dim or min(MOST, -(-documents // EACH))


@register
@dataclass(frozen=True)
class OwnWithWords(Own):
    """All that `default-vectors` needs but the word vectors: the same, and a layer of words that are not stemmed.

    Word vectors are imported: `aboutness vectors import FILE -o DIR`.
    """

    name: ClassVar[str] = "default-vectors"
    summary: ClassVar[str] = (
        "what the ranker default-vectors needs besides word vectors: the same, and whole words"
    )
    layers: ClassVar[dict[str, str]] = {**Own.layers, WORDS: "[stem=none]"}
