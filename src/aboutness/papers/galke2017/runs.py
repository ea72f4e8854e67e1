"""Every model on every data set: ranked once, and measured in three ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

from aboutness.evaluate.measures import measures
from aboutness.evaluate.significance import values_of
from aboutness.experiment.compare import Comparison, Row
from aboutness.papers.galke2017.embeddings import Embedding, with_shared_words, without_the_top
from aboutness.papers.galke2017.sets import DataSet, Setting
from aboutness.papers.paper import Work

ANALYZER = "galke2017"
PAPERS, PRINTED, TREC = "galke2017", "galke2017-printed", "trec_eval"
CONVENTIONS = (PAPERS, PRINTED, TREC)
METRICS = {"MAP": "AP", "MRR": "RR", "NDCG": "nDCG"}

TFIDF, WCS, IWCS, RERANKED, WMD, D2V = "TF-IDF", "WCS", "IWCS", "IWCS-WMD", "WMD", "D2V"
MODELS = (TFIDF, WCS, IWCS, RERANKED, WMD, D2V)
BY_WORDS = {WCS: "wcs", IWCS: "iwcs", RERANKED: "iwcs-wmd", WMD: "wmd"}
WITHOUT_TOP = "all-but-the-top"
SHARED = "shared words"
RANDOM = "random vectors"
QUERY_TOO = "query weighted too"
ELSEWHERE = "trained on the others"
RELEASED = "as in the released code"
VARIANTS = {  # of the models on the embeddings as they are
    (WCS, RANDOM): "wcs[oov=random]",
    (IWCS, RANDOM): "iwcs[oov=random]",
    (IWCS, QUERY_TOO): "iwcs[query=idf]",
    (IWCS, RELEASED): "iwcs[idf=sklearn,query=idf]",
}


class Method(NamedTuple):
    """A model, on which embedding, and in which way it differs from the paper's, if it does."""

    model: str
    embedding: str = ""
    variant: str = ""

    @property
    def row(self) -> str:
        """Return the paper's name for it."""
        return f"{self.model} {self.embedding}".strip()

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.row, self.variant)))


def measured(metric: str, k: int, convention: str) -> str:
    """Return the name of a measure in a convention."""
    (found,) = measures(f"{METRICS[metric]}@{k}", convention)
    return str(found)


@dataclass
class Runs:
    """What was found: for each setting the methods with their rankings and values."""

    k: int
    sets: Sequence[DataSet]
    embeddings: Sequence[Embedding]
    shared: int = 0  # words that all embeddings have
    rows: dict[Setting, dict[Method, Row]] = field(default_factory=dict)
    comparisons: dict[Setting, Comparison] = field(default_factory=dict)

    @property
    def settings(self) -> list[Setting]:
        """Return all settings, data set by data set."""
        return list(self.rows)

    @property
    def methods(self) -> list[Method]:
        """Return the methods of the paper's tables, in its order."""
        found = [Method(TFIDF)]
        found += [Method(model, one.key) for model in BY_WORDS for one in self.embeddings]
        return [*found, Method(D2V)]

    def of(self, model: str, variant: str = "", embedding: str | None = None) -> list[Method]:
        """Return a model on each embedding, or on one."""
        if model in (TFIDF, D2V):
            return [Method(model, "", variant)]
        keys = [one.key for one in self.embeddings]
        return [Method(model, key, variant) for key in keys if embedding in (None, key)]

    def there(self, method: Method) -> bool:
        """Tell whether a method was run."""
        return all(method in found for found in self.rows.values())

    def data_set(self, setting: Setting) -> DataSet:
        """Return the data set of a setting."""
        return next(one for one in self.sets if one.name == setting.data)

    def mean(self, setting: Setting, method: Method, metric: str = "MAP", convention: str = PAPERS) -> float:
        """Return the mean of a measure over the queries."""
        return self.rows[setting][method].evaluation.mean[measured(metric, self.k, convention)]

    def deviation(self, setting: Setting, method: Method, metric: str = "MAP", convention: str = PAPERS) -> float:
        """Return its standard deviation over the queries, these being all there are, and no sample."""
        return pstdev(self.values(setting, method, metric, convention).values())

    def values(
        self, setting: Setting, method: Method, metric: str = "MAP", convention: str = PAPERS
    ) -> dict[str, float]:
        """Return a measure of each query."""
        return values_of(self.rows[setting][method].evaluation, measured(metric, self.k, convention))

    def maps(
        self, methods: Iterable[Method], settings: Iterable[Setting] | None = None, convention: str = PAPERS
    ) -> list[float]:
        """Return the MAP of all of some methods in all of some settings: what the paper aggregates."""
        chosen = self.settings if settings is None else list(settings)
        return [self.mean(one, method, "MAP", convention) for method in methods for one in chosen]

    def average(self, methods: Iterable[Method], settings: Iterable[Setting] | None = None) -> float:
        """Return the mean of these, by the paper's convention."""
        return fmean(self.maps(methods, settings))


def all_runs(work: Work, sets: Sequence[DataSet], embeddings: Sequence[Embedding], k: int, folder: Path) -> Runs:
    """Run every model on every data set; embeddings that are made for it are written to a folder."""
    shared = with_shared_words(embeddings, folder)
    found = Runs(k, sets, embeddings, shared[0].words if shared else 0)
    for one in sets:
        _run(work, found, one, None, {Method(TFIDF): "tfidf", Method(D2V): "doc2vec"})
        for embedding in embeddings:
            named = {Method(model, embedding.key): f"{_with_k(ranker, k)}" for model, ranker in BY_WORDS.items()}
            others = {Method(model, embedding.key, how): text for (model, how), text in VARIANTS.items()}
            _run(work, found, one, embedding, named | others)
    for embedding in embeddings:
        changed = without_the_top(embedding, folder)
        for one in sets:
            rankers = {
                Method(model, embedding.key, WITHOUT_TOP): _with_k(ranker, k) for model, ranker in BY_WORDS.items()
            }
            _run(work, found, one, changed, rankers)
    for embedding in shared:
        for one in sets:
            rankers = {Method(model, embedding.key, SHARED): BY_WORDS[model] for model in (WCS, IWCS)}
            _run(work, found, one, embedding, rankers)
    return found


def _with_k(ranker: str, k: int) -> str:
    return f"{ranker}[k={k}]" if ranker == BY_WORDS[RERANKED] else ranker


def _run(
    work: Work, runs: Runs, data: DataSet, embedding: Embedding | None, rankers: Mapping[Method, str]
) -> None:
    """Run some methods in all settings of a data set."""
    results = work.experiment(
        name=f"galke2017, {data.name}",
        collections=[data.source],
        fields=list(data.fields.values()),
        queries=list(data.forms.values()),
        rankers={str(method): text for method, text in rankers.items()},
        measures=measures_of(runs.k),
        analyzer=ANALYZER,
        depth=runs.k,
        vectors=embedding.file if embedding else None,
    )
    for setting, comparison in zip(data.settings, results.comparisons, strict=True):
        runs.rows.setdefault(setting, {}).update(zip(rankers, comparison.rows, strict=True))
        runs.comparisons.setdefault(setting, comparison)


def measures_of(k: int) -> list[str]:
    """Return all measures in all conventions."""
    return list(dict.fromkeys(measured(metric, k, one) for one in CONVENTIONS for metric in METRICS))
