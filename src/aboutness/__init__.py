"""Search that knows what a document is about: word-embedding retrieval, trained, explained and compared.

Everything public is reachable from here; nothing heavy is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aboutness._version import __version__

if TYPE_CHECKING:
    from aboutness.app.by_shards import ByShards
    from aboutness.app.comparing import compare
    from aboutness.app.evaluating import evaluate_run, evaluate_runs
    from aboutness.app.experimenting import run_experiment, sample_scores
    from aboutness.app.hits import Hit, Hits
    from aboutness.app.index import Index
    from aboutness.app.picturing import figure
    from aboutness.app.reporting import write_report
    from aboutness.app.tuning import cross_validate, sweep
    from aboutness.core.errors import AboutnessError
    from aboutness.core.kinds import Choice, Number
    from aboutness.core.parameters import parameter
    from aboutness.core.record import Document, Query
    from aboutness.corpus.read import read
    from aboutness.evaluate.corrections import adjusted
    from aboutness.evaluate.curves import max_f1, precision_at_recall
    from aboutness.evaluate.effects import cliffs_delta, cohens_dz, rank_biserial
    from aboutness.evaluate.evaluation import Evaluation
    from aboutness.evaluate.intervals import bootstrap
    from aboutness.evaluate.judgements import read_judgements
    from aboutness.evaluate.paired_tests import paired_t, sign_test, wilcoxon
    from aboutness.evaluate.pairs import Pairs, all_pairs
    from aboutness.evaluate.rank_tests import critical_difference, friedman, kruskal_wallis
    from aboutness.evaluate.runs import read_run, write_run
    from aboutness.evaluate.significance import fisher
    from aboutness.experiment.collection import collection
    from aboutness.experiment.declared import Experiment
    from aboutness.experiment.labels import by_label
    from aboutness.experiment.results_folder import read_results
    from aboutness.frames.runs import judgements_from_frame, judgements_to_frame, run_from_frame, run_to_frame
    from aboutness.index.matrix import count_matrix
    from aboutness.interop.retriever import Retriever
    from aboutness.interop.searcher import TextSearcher
    from aboutness.interop.vectorizer import TextVectorizer
    from aboutness.models.bm25 import BM25
    from aboutness.models.bm25_cosine import BM25Cosine
    from aboutness.models.deepwalk import DeepWalk
    from aboutness.models.desm import DESM, DESMInIn, DESMInOut, DESMOutIn, DESMOutOut
    from aboutness.models.doc2vec import Doc2Vec
    from aboutness.models.iwcs import IWCS
    from aboutness.models.ketos import Ketos
    from aboutness.models.ketos_doc2vec import KetosDoc2Vec
    from aboutness.models.lda_lm import LDALM
    from aboutness.models.lsa import LSARanker
    from aboutness.models.model import Model, register
    from aboutness.models.pv_lm import EPVDLM, EPVDRJLM, EPVDRLM, PVLM
    from aboutness.models.ql import QL
    from aboutness.models.terms import QueryWeights, TermScorer
    from aboutness.models.tfidf import TFIDF
    from aboutness.models.wcs import WCS
    from aboutness.models.weighted import DeepWalkWeighted, Doc2VecWeighted
    from aboutness.models.wmd import WMD
    from aboutness.papers.reproducing import reproduce
    from aboutness.rank.approximate import Approximate
    from aboutness.rank.default import Default, DefaultVectors
    from aboutness.rank.expansion.eqe1 import EQE1
    from aboutness.rank.expansion.eqe2 import EQE2
    from aboutness.rank.expansion.nearest import Nearest
    from aboutness.rank.expansion.rm3 import RM3
    from aboutness.rank.expansion.rocchio import Rocchio
    from aboutness.rank.feedback import Feedback
    from aboutness.rank.fusion import RRF, CombMNZ, CombSUM
    from aboutness.rank.grammar import ranker
    from aboutness.rank.normalised import MinMax, OfBest, Rank, Softmax, ZScore
    from aboutness.rank.pipelines import BM25DESM, IWCSWMD
    from aboutness.text.analyzer import Analyzer
    from aboutness.text.analyzers import analyzer
    from aboutness.vectors.documents import DocumentSpace
    from aboutness.vectors.edges import Edges
    from aboutness.vectors.lda import LDA
    from aboutness.vectors.load import load_vectors
    from aboutness.vectors.lsa import LSA
    from aboutness.vectors.own import Own, OwnWithWords
    from aboutness.vectors.pv import EPV, PV
    from aboutness.vectors.walks import Walks
    from aboutness.vectors.word2vec import Word2Vec
    from aboutness.vectors.words import WordVectors

_HOMES = {
    "AboutnessError": "aboutness.core.errors",
    "Analyzer": "aboutness.text.analyzer",
    "Approximate": "aboutness.rank.approximate",
    "BM25": "aboutness.models.bm25",
    "BM25Cosine": "aboutness.models.bm25_cosine",
    "BM25DESM": "aboutness.rank.pipelines",
    "ByShards": "aboutness.app.by_shards",
    "Choice": "aboutness.core.kinds",
    "CombMNZ": "aboutness.rank.fusion",
    "CombSUM": "aboutness.rank.fusion",
    "DESM": "aboutness.models.desm",
    "DESMInIn": "aboutness.models.desm",
    "DESMInOut": "aboutness.models.desm",
    "DESMOutIn": "aboutness.models.desm",
    "DESMOutOut": "aboutness.models.desm",
    "DeepWalk": "aboutness.models.deepwalk",
    "DeepWalkWeighted": "aboutness.models.weighted",
    "Default": "aboutness.rank.default",
    "DefaultVectors": "aboutness.rank.default",
    "Doc2Vec": "aboutness.models.doc2vec",
    "Doc2VecWeighted": "aboutness.models.weighted",
    "Document": "aboutness.core.record",
    "DocumentSpace": "aboutness.vectors.documents",
    "EPV": "aboutness.vectors.pv",
    "EPVDLM": "aboutness.models.pv_lm",
    "EPVDRJLM": "aboutness.models.pv_lm",
    "EPVDRLM": "aboutness.models.pv_lm",
    "EQE1": "aboutness.rank.expansion.eqe1",
    "EQE2": "aboutness.rank.expansion.eqe2",
    "Edges": "aboutness.vectors.edges",
    "Evaluation": "aboutness.evaluate.evaluation",
    "Experiment": "aboutness.experiment.declared",
    "Feedback": "aboutness.rank.feedback",
    "Hit": "aboutness.app.hits",
    "Hits": "aboutness.app.hits",
    "IWCS": "aboutness.models.iwcs",
    "IWCSWMD": "aboutness.rank.pipelines",
    "Index": "aboutness.app.index",
    "Ketos": "aboutness.models.ketos",
    "KetosDoc2Vec": "aboutness.models.ketos_doc2vec",
    "LDA": "aboutness.vectors.lda",
    "LDALM": "aboutness.models.lda_lm",
    "LSA": "aboutness.vectors.lsa",
    "LSARanker": "aboutness.models.lsa",
    "MinMax": "aboutness.rank.normalised",
    "Model": "aboutness.models.model",
    "Nearest": "aboutness.rank.expansion.nearest",
    "Number": "aboutness.core.kinds",
    "OfBest": "aboutness.rank.normalised",
    "Own": "aboutness.vectors.own",
    "OwnWithWords": "aboutness.vectors.own",
    "PV": "aboutness.vectors.pv",
    "PVLM": "aboutness.models.pv_lm",
    "Pairs": "aboutness.evaluate.pairs",
    "QL": "aboutness.models.ql",
    "Query": "aboutness.core.record",
    "QueryWeights": "aboutness.models.terms",
    "RM3": "aboutness.rank.expansion.rm3",
    "RRF": "aboutness.rank.fusion",
    "Rank": "aboutness.rank.normalised",
    "Retriever": "aboutness.interop.retriever",
    "Rocchio": "aboutness.rank.expansion.rocchio",
    "Softmax": "aboutness.rank.normalised",
    "TFIDF": "aboutness.models.tfidf",
    "TermScorer": "aboutness.models.terms",
    "TextSearcher": "aboutness.interop.searcher",
    "TextVectorizer": "aboutness.interop.vectorizer",
    "WCS": "aboutness.models.wcs",
    "WMD": "aboutness.models.wmd",
    "Walks": "aboutness.vectors.walks",
    "Word2Vec": "aboutness.vectors.word2vec",
    "WordVectors": "aboutness.vectors.words",
    "ZScore": "aboutness.rank.normalised",
    "adjusted": "aboutness.evaluate.corrections",
    "all_pairs": "aboutness.evaluate.pairs",
    "analyzer": "aboutness.text.analyzers",
    "bootstrap": "aboutness.evaluate.intervals",
    "by_label": "aboutness.experiment.labels",
    "cliffs_delta": "aboutness.evaluate.effects",
    "cohens_dz": "aboutness.evaluate.effects",
    "collection": "aboutness.experiment.collection",
    "compare": "aboutness.app.comparing",
    "count_matrix": "aboutness.index.matrix",
    "critical_difference": "aboutness.evaluate.rank_tests",
    "cross_validate": "aboutness.app.tuning",
    "evaluate_run": "aboutness.app.evaluating",
    "evaluate_runs": "aboutness.app.evaluating",
    "figure": "aboutness.app.picturing",
    "fisher": "aboutness.evaluate.significance",
    "friedman": "aboutness.evaluate.rank_tests",
    "judgements_from_frame": "aboutness.frames.runs",
    "judgements_to_frame": "aboutness.frames.runs",
    "kruskal_wallis": "aboutness.evaluate.rank_tests",
    "load_vectors": "aboutness.vectors.load",
    "max_f1": "aboutness.evaluate.curves",
    "paired_t": "aboutness.evaluate.paired_tests",
    "parameter": "aboutness.core.parameters",
    "precision_at_recall": "aboutness.evaluate.curves",
    "rank_biserial": "aboutness.evaluate.effects",
    "ranker": "aboutness.rank.grammar",
    "read": "aboutness.corpus.read",
    "read_judgements": "aboutness.evaluate.judgements",
    "read_results": "aboutness.experiment.results_folder",
    "read_run": "aboutness.evaluate.runs",
    "register": "aboutness.models.model",
    "reproduce": "aboutness.papers.reproducing",
    "run_experiment": "aboutness.app.experimenting",
    "run_from_frame": "aboutness.frames.runs",
    "run_to_frame": "aboutness.frames.runs",
    "sample_scores": "aboutness.app.experimenting",
    "sign_test": "aboutness.evaluate.paired_tests",
    "sweep": "aboutness.app.tuning",
    "wilcoxon": "aboutness.evaluate.paired_tests",
    "write_report": "aboutness.app.reporting",
    "write_run": "aboutness.evaluate.runs",
}

__all__ = [
    "BM25",
    "BM25DESM",
    "DESM",
    "EPV",
    "EPVDLM",
    "EPVDRJLM",
    "EPVDRLM",
    "EQE1",
    "EQE2",
    "IWCS",
    "IWCSWMD",
    "LDA",
    "LDALM",
    "LSA",
    "PV",
    "PVLM",
    "QL",
    "RM3",
    "RRF",
    "TFIDF",
    "WCS",
    "WMD",
    "AboutnessError",
    "Analyzer",
    "Approximate",
    "BM25Cosine",
    "ByShards",
    "Choice",
    "CombMNZ",
    "CombSUM",
    "DESMInIn",
    "DESMInOut",
    "DESMOutIn",
    "DESMOutOut",
    "DeepWalk",
    "DeepWalkWeighted",
    "Default",
    "DefaultVectors",
    "Doc2Vec",
    "Doc2VecWeighted",
    "Document",
    "DocumentSpace",
    "Edges",
    "Evaluation",
    "Experiment",
    "Feedback",
    "Hit",
    "Hits",
    "Index",
    "Ketos",
    "KetosDoc2Vec",
    "LSARanker",
    "MinMax",
    "Model",
    "Nearest",
    "Number",
    "OfBest",
    "Own",
    "OwnWithWords",
    "Pairs",
    "Query",
    "QueryWeights",
    "Rank",
    "Retriever",
    "Rocchio",
    "Softmax",
    "TermScorer",
    "TextSearcher",
    "TextVectorizer",
    "Walks",
    "Word2Vec",
    "WordVectors",
    "ZScore",
    "__version__",
    "adjusted",
    "all_pairs",
    "analyzer",
    "bootstrap",
    "by_label",
    "cliffs_delta",
    "cohens_dz",
    "collection",
    "compare",
    "count_matrix",
    "critical_difference",
    "cross_validate",
    "evaluate_run",
    "evaluate_runs",
    "figure",
    "fisher",
    "friedman",
    "judgements_from_frame",
    "judgements_to_frame",
    "kruskal_wallis",
    "load_vectors",
    "max_f1",
    "paired_t",
    "parameter",
    "precision_at_recall",
    "rank_biserial",
    "ranker",
    "read",
    "read_judgements",
    "read_results",
    "read_run",
    "register",
    "reproduce",
    "run_experiment",
    "run_from_frame",
    "run_to_frame",
    "sample_scores",
    "sign_test",
    "sweep",
    "wilcoxon",
    "write_report",
    "write_run",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever stands there
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'aboutness' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
