"""Doc2Vec that has not seen the documents: trained on the other data sets, as the authors' was on Wikipedia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

import numpy as np

from aboutness.app.index import Index
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.asking import with_form
from aboutness.experiment.collection import collection
from aboutness.experiment.compare import KeptRun, Row, rankings
from aboutness.models.doc2vec import AngleScorer, Doc2Vec
from aboutness.models.trained import on_all
from aboutness.papers.galke2017.runs import ANALYZER, D2V, ELSEWHERE, Method, Runs, measures_of
from aboutness.papers.galke2017.sets import DataSet, Setting
from aboutness.papers.paper import Work
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import PV


def run_elsewhere(work: Work, runs: Runs) -> None:
    """Rank each data set by paragraph vectors that were trained on the others, where there are others."""
    for one in runs.sets:
        others = [other for other in runs.sets if other is not one]
        if others:
            work.step(f"{one.name}: Doc2Vec trained on the other data sets")
            _rank(runs, one, _trained(others, work.seed))


def _trained(sets: Sequence[DataSet], seed: int) -> ParagraphSpace:
    """Return what was trained on all texts of some data sets, without any document of theirs."""
    space = PV(seed=seed).train(_texts(sets), analyzer=ANALYZER, threads=1)
    return space.with_rows(np.zeros((0, space.dim), np.float32), np.zeros(0, np.int64))


def _texts(sets: Sequence[DataSet]) -> Iterator[str]:
    for one in sets:
        for document in collection(one.source).documents():
            yield " ".join(document.fields.values())


def _rank(runs: Runs, data: DataSet, space: ParagraphSpace) -> None:
    """Rank the matching documents of each query by the angle of inferred vectors."""
    whole = collection(data.source)
    snapshot = Index.build(whole.documents(), analyzer=ANALYZER).snapshot
    for field, expression in data.fields.items():
        start = perf_counter()
        view = snapshot.view(None, expression.split("+"))
        scorer = AngleScorer(view, on_all(view, space), space)
        for form, asked in data.forms.items():
            queries = with_form(whole, asked).judged_queries
            run = KeptRun(snapshot, dict(rankings(scorer, queries, runs.k)))
            evaluation = evaluate(whole.qrels, run, measures_of(runs.k))
            row = Row(Doc2Vec(), run, evaluation, perf_counter() - start)
            runs.rows[Setting(data.name, form, field)][Method(D2V, "", ELSEWHERE)] = row
