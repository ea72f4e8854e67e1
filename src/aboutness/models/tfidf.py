"""TF-IDF: documents and query as vectors of counts times rarity, compared by their angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aboutness.core.kinds import Choice
from aboutness.core.parameters import parameter
from aboutness.index.view import LayerView
from aboutness.models.cosine import CosineWeighting
from aboutness.models.model import Model, register
from aboutness.models.rarity import IDF, rarity
from aboutness.models.terms import TermScorer


@register
@dataclass(frozen=True)
class TFIDF(Model):
    """The angle between a query and a document, both as vectors of words weighted by count and rarity.

    Paper: galke2017 (§2, the baseline; idf as in its §3), its slides, and malina2016 (first formula).

        score(q, d) = sum over t of  tfidf(t, q) * tfidf(t, d) / (‖q‖ ‖d‖),   tfidf(t, d) = tf(t, d) * idf(t)

        variant   idf
        galke     ln((1 + n) / (1 + df))
        slides    ln(n / df)
        malina    ln(n / df), and tf divided by the largest count of the document
        sklearn   ln((1 + n) / (1 + df)) + 1

    Symbols: n documents; tf an entry of X (documents x terms), weighted over fields; df and idf (terms,); ‖d‖ the
    length of a row of tfidf. The query is weighted as a document is; both norms run over known words.

    Differs from the paper: malina2016 prints idf below the fraction line, where its text means the inverse of a
    frequency; here it multiplies. Dividing a vector by its largest count does not change its angle, so malina
    ranks as slides does.

    Unknown words: words of a query that no document has change nothing.

    Empty documents: they score 0, as do those whose words all have an idf of 0.

    Cost: binding reads the matrix once, for the norms; a query reads the posting lists of its words, as far as
    they can still change the answer.
    """

    name: ClassVar[str] = "tfidf"
    summary: ClassVar[str] = "cosine of TF-IDF vectors, in four variants"
    source: ClassVar[str] = "galke2017 §2; malina2016"

    variant: str = parameter("galke", Choice(tuple(IDF)), "which idf")

    def scorer(self, view: LayerView) -> TermScorer:
        """Return a scorer for a view."""
        weighting = CosineWeighting(view, rarity(view, self.variant), lambda counts, _length: counts)
        return TermScorer(view, weighting)
