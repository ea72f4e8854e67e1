"""What the paper claims, and what was found here. Each claim says by which rule it is decided."""

from __future__ import annotations

from collections.abc import Callable

from aboutness.papers.galke2017 import claims_iwcs, claims_models, claims_words
from aboutness.papers.galke2017.evidence import Evidence
from aboutness.papers.galke2017.runs import SHARED
from aboutness.papers.galke2017.sets import TITLE
from aboutness.papers.galke2017.tables import LONGER, said_by_paper
from aboutness.report.study import Claim


def claims(evidence: Evidence) -> list[Claim]:
    """Return all claims with their verdicts."""
    return [make(evidence) for make in ORDER]


ORDER: tuple[Callable[[Evidence], Claim], ...] = (
    claims_iwcs.idf_helps,
    claims_iwcs.gain,
    claims_iwcs.competitive,
    claims_iwcs.news(
        TITLE,
        "In the news domain IWCS outperforms TF-IDF, by "
        f"{said_by_paper('IWCS over TF-IDF, Reuters titles'):.0f} % on titles.",
        "abstract, section 5",
    ),
    claims_iwcs.news(LONGER, "In the news domain IWCS outperforms TF-IDF on full texts, too.", "section 5"),
    claims_iwcs.domains,
    claims_models.best_by_words,
    claims_models.reranking,
    claims_models.too_slow,
    claims_words.titles,
    claims_words.short_texts,
    claims_words.word2vec("", "Word2Vec is preferable to GloVe: each with all of its words."),
    claims_words.word2vec(SHARED, "Word2Vec is preferable to GloVe: both with the words that they share."),
    claims_words.without_top,
    claims_words.unknown_words,
    claims_models.query_length,
    claims_models.wikipedia,
)
