"""The collections that stand in for the paper's two test sets: indexed, split, and with all that rankers need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import Any

from aboutness.app.index import Index
from aboutness.app.needed import Training, provide
from aboutness.core.algebra import Ranker
from aboutness.experiment.asking import JUDGED, Asking, Step, without
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import run_of
from aboutness.experiment.folds import training_split
from aboutness.experiment.grid import Grid
from aboutness.experiment.kept_values import Values
from aboutness.experiment.measuring import Measuring, measures_of
from aboutness.experiment.sweep import Sweep, sweep
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.text.stopwords import STOP_LISTS
from aboutness.vectors.lsa import LSA
from aboutness.vectors.word2vec import Word2Vec
from aboutness.vectors.words import WordVectors

EXPLICIT, IMPLICIT = "explicit", "implicit"  # the paper's test sets
ANALYZER = "plain"  # whole words, and nothing left out: the paper tells of no stop words and of no stems
FIRST_STAGE = "default"  # a strong ranker, as the paper's first stage was, and not BM25 itself
CUTS = (1, 3, 10)
MEASURES = tuple(f"nDCG@{cut}" for cut in CUTS)
DEEPEST = f"nDCG@{CUTS[-1]}"  # by which parameters are chosen
FEW_STOP_WORDS = 1.0  # different ones in a document, in the mean: fewer, and they were removed
BODY = "body"  # the name of the vectors that are trained on the documents


@dataclass(frozen=True)
class StandIn:
    """A collection in place of one of the paper's test sets.

    Parameters are chosen by the queries of `train`; all others are reported on. `sources` says what word vectors
    were trained on, and how they are called in the index.
    """

    name: str
    collection: Collection
    index: Index
    train: tuple[str, ...]
    candidates: int
    sources: Mapping[str, str]

    @cached_property
    def kind(self) -> str:
        """Return which of the paper's test sets it stands in for: one with several grades, or with one."""
        grades = {grade for judged in self.collection.qrels.values() for grade in judged.values()}
        return EXPLICIT if max(grades) > 1 else IMPLICIT

    @cached_property
    def test(self) -> Collection:
        """Return the collection with the queries that it is reported on."""
        return without(self.collection, self.train)

    @property
    def first_stage(self) -> Ranker:
        """Return the ranker whose first documents are ranked anew."""
        return named_ranker(FIRST_STAGE) % self.candidates

    @cached_property
    def by_judgements(self) -> bool:
        """Tell whether the judged documents are the candidates: where half of them or more are not relevant."""
        grades = [grade for judged in self.collection.qrels.values() for grade in judged.values()]
        return 2 * sum(grade <= 0 for grade in grades) >= len(grades)

    @property
    def telescoping(self) -> str:
        """Return in words which documents are candidates in the telescoping setting."""
        return "all judged documents" if self.by_judgements else f"the first {self.candidates} of {FIRST_STAGE}"

    def _setting(self, *, telescoped: bool) -> tuple[Step, Ranker | None]:
        if not telescoped:
            return "all", None
        return (JUDGED, None) if self.by_judgements else ("or", self.first_stage)

    def values(self, rankers: Mapping[str, Ranker], *, telescoped: bool) -> dict[str, Values]:
        """Return by name the values of rankers for the test queries, over the candidates or over all documents."""
        step, first = self._setting(telescoped=telescoped)
        return self.values_over(rankers, step, first)

    def values_over(self, rankers: Mapping[str, Ranker], step: Step, first: Ranker | None) -> dict[str, Values]:
        """Return the same over documents that another ranker finds, if one is given."""
        whole = {name: one if first is None else first >> one for name, one in rankers.items()}
        measuring = Measuring(
            self.index.snapshot, self.test, measures_of(DEEPEST, MEASURES), depth=CUTS[-1], match=step, threads=1
        )
        found = measuring.values(list(dict.fromkeys(whole.values())))
        return {name: found[one] for name, one in whole.items()}

    def tuned(self, ranker: Ranker | str, grid: Grid, *, telescoped: bool, seed: int) -> Sweep:
        """Return all settings of a ranker, the best for the training queries, and its values for the others."""
        step, first = self._setting(telescoped=telescoped)
        return sweep(
            self.index.snapshot, self.collection, ranker, grid, DEEPEST, measures=MEASURES, split=self.train,
            seed=seed, depth=CUTS[-1], match=step, candidates=first, threads=1,
        )  # fmt: skip

    def listed(self) -> dict[str, set[str]]:
        """Return the candidates of each test query that the first stage finds, by id."""
        snapshot = self.index.snapshot
        asking = Asking(snapshot, self.test)
        run = run_of(self.first_stage, bind(self.first_stage, snapshot), asking, depth=self.candidates, threads=1)
        return {query: {document for document, _ in ranking} for query, ranking in run.items()}

    @cached_property
    def stop_words(self) -> float:
        """Return how many different stop words a document has in the mean."""
        view = self.index.view()
        found = view.look_up(STOP_LISTS["english"]())
        return sum(df for _, df in found) / self.index.snapshot.documents

    @property
    def without_stop_words(self) -> bool:
        """Tell whether stop words were removed from the documents before these came here."""
        return self.stop_words < FEW_STOP_WORDS

    @cached_property
    def lower_case(self) -> bool:
        """Tell whether no document has a capital letter."""
        texts = (text for one in self.collection.documents() for text in one.fields.values())
        return all(text == text.lower() for text in texts)

    @property
    def facts(self) -> dict[str, Any]:
        """Return its sizes."""
        judged = self.collection.judged_queries
        grades = [self.collection.qrels[query.id] for query in judged]
        return {
            "documents": self.index.snapshot.documents,
            "tokens": int(self.index.view().total_length),
            "queries to choose by": len(self.train),
            "test queries": len(judged) - len(self.train),
            "words of a query": fmean(len(self.index.view().analyzer.terms(query.text)) for query in judged),
            "stop words in a document": self.stop_words,
            "relevant for a query": fmean(sum(grade > 0 for grade in one.values()) for one in grades),
            "highest grade": max(grade for one in grades for grade in one.values()),
        }


def short_names(every: Sequence[Collection]) -> list[str]:
    """Return the names of collections up to the first underscore, where these differ: nfcorpus_preprocessed."""
    short = [one.name.partition("_")[0] for one in every]
    return short if len(set(short)) == len(short) else [one.name for one in every]


def split(collection: Collection, share: float, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the queries that parameters are chosen by, and of those that are reported on."""
    judged = [query.id for query in collection.judged_queries if collection.qrels[query.id]]
    return training_split(judged, share, seed)


def indexed(collection: Collection, way: Word2Vec, dim: int, tell: Training) -> Index:
    """Return an index of a collection with word vectors of its own text, and what LSA and the first stage need."""
    index = Index.build(collection.documents(), analyzer=ANALYZER)
    index.train(way, name=BODY, threads=1, progress=partial(tell, "word vectors"))
    index.train(LSA(dim=dim), threads=1)
    provide(index, [named_ranker(FIRST_STAGE)], tell=tell)
    return index


def with_vectors(index: Index, others: Mapping[str, WordVectors]) -> dict[str, str]:
    """Keep further word vectors in an index; return what vectors are trained on, with their names there."""
    for name, vectors in others.items():
        index.keep_vectors(vectors, name.replace(" ", "-"))
    return {"body text": BODY} | {name: name.replace(" ", "-") for name in others}


def largest(stand_ins: Sequence[StandIn]) -> StandIn:
    """Return the one with the most text, whose vectors are trained best."""
    return max(stand_ins, key=lambda one: one.index.view().total_length)
