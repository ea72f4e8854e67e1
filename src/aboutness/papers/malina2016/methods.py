"""The seven methods under the paper's names, what is run besides them, and what is trained for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from aboutness.vectors.edges import Edges
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.walks import Walks
from aboutness.vectors.word2vec import Word2Vec


class Kind(StrEnum):
    """What a method makes of a document."""

    SPARSE = "sparse"
    HYBRID = "dense hybrid"
    PURE = "dense pure"
    ENSEMBLE = "ensemble"


@dataclass(frozen=True)
class Method:
    """A way of ranking, by the paper's name for it."""

    name: str
    kind: Kind
    ranker: str
    about: str


TFIDF = Method("TF-IDF", Kind.SPARSE, "tfidf[variant=malina]", "cosine of TF-IDF vectors")
BM25 = Method("BM25", Kind.SPARSE, "bm25-cosine", "cosine of BM25-weighted vectors")
ALGORITHM1 = Method("Algorithm 1", Kind.HYBRID, "ketos", "sum of skip-gram word vectors weighted by TF-IDF")
DOC2VEC = Method("Doc2Vec", Kind.PURE, "ketos-doc2vec", "skip-gram on document-word and word-neighbour edges")
DEEPWALK = Method("DeepWalk", Kind.PURE, "deepwalk[vectors=edges]", "skip-gram on document-word edges")
DOC2VEC_WEIGHTED = Method(
    "Doc2Vec Weighted", Kind.HYBRID, "doc2vec-weighted", "word vectors weighted by w . d of Doc2Vec"
)
DEEPWALK_WEIGHTED = Method(
    "DeepWalk Weighted",
    Kind.HYBRID,
    "deepwalk-weighted[weights=edges]",
    "word vectors weighted by w . d of DeepWalk",
)
SEVEN = (TFIDF, BM25, ALGORITHM1, DOC2VEC, DEEPWALK, DOC2VEC_WEIGHTED, DEEPWALK_WEIGHTED)

WALKS = Method(
    "DeepWalk, random walks", Kind.PURE, "deepwalk[vectors=walks]", "skip-gram on true random walks of the graph"
)
SHIFTED = tuple(
    Method(
        f"{one.name}, shifted",
        one.kind,
        f"{ranker}[{weights}shift=1.6]",
        f"{one.about}, plus ln 5: what five negatives take off",
    )
    for one, ranker, weights in (
        (DOC2VEC_WEIGHTED, "doc2vec-weighted", ""),
        (DEEPWALK_WEIGHTED, "deepwalk-weighted", "weights=edges,"),
    )
)
OTHERS = (WALKS, *SHIFTED)

# All count alike. One of each kind was chosen before anything was measured; all seven, which leaves nothing to
# choose, came after the first two were known.
PARTS = (BM25, ALGORITHM1, DOC2VEC)
_PARTS, _ALL = (", ".join(one.ranker for one in some) for some in (PARTS, SEVEN))
ENSEMBLES = (
    Method(
        "Ensemble, ranks", Kind.ENSEMBLE, f"rrf({_PARTS})", "reciprocal rank fusion of one method of each kind"
    ),
    Method(
        "Ensemble, scores", Kind.ENSEMBLE, f"combsum[norm=zscore]({_PARTS})", "sum of the z-scores of the same"
    ),
    Method("Ensemble of all", Kind.ENSEMBLE, f"combsum[norm=zscore]({_ALL})", "sum of the z-scores of all seven"),
)
EVERY = (*SEVEN, *OTHERS, *ENSEMBLES)


def names(methods: Iterable[Method], *kinds: Kind) -> list[str]:
    """Return the names of methods, or of those of some kinds."""
    return [one.name for one in methods if not kinds or one.kind in kinds]


def trainings(*, dim: int, window: int, epochs: int, seed: int) -> dict[str, Trainer]:
    """Return what is trained, by the names under which the methods' rankers find it."""
    return {
        "word2vec": Word2Vec(dim=dim, window=window, epochs=epochs, seed=seed),
        "ketos-edges": Edges(dim=dim, window=window, epochs=epochs, seed=seed),
        "edges": Edges(dim=dim, epochs=epochs, seed=seed),
        "walks": Walks(dim=dim, window=window, epochs=epochs, seed=seed),
    }
