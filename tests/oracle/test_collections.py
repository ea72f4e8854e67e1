"""BM25 on real collections reaches the effectiveness that others measured with the same settings."""

from __future__ import annotations

import ir_measures
import pytest

import aboutness as ab
from aboutness.corpus.beir import qrels_file, read_queries
from aboutness.corpus.qrels import read_qrels_file
from aboutness.models.bm25 import BM25
from aboutness.models.question import Question

MEASURED = {
    "cranfield": 0.365,
    "cisi": 0.415,
    "cacm": 0.495,
    "vaswani_npl": 0.442,
    "scifact": 0.684,
    "nfcorpus_preprocessed": 0.332,
    "yso_econ": 0.503,
}


@pytest.mark.parametrize("name", list(MEASURED))
def test_bm25_is_as_effective_as_measured_elsewhere(name, data_folder):
    folder = data_folder / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    index = ab.Index.build(ab.read(folder), analyzer="english[stop=sklearn]")
    queries = list(read_queries(folder))
    model = BM25(variant="lucene", k1=1.2, b=0.75)
    rankings = model.bind(index.snapshot).top_many([Question(query.text) for query in queries], 10)
    run = [
        ir_measures.ScoredDoc(query.id, index.snapshot.id(number), score)
        for query, ranking in zip(queries, rankings, strict=True)
        for number, score in zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True)
    ]
    judged = [ir_measures.Qrel(one.query, one.document, one.grade) for one in read_qrels_file(qrels_file(folder))]
    measured = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], judged, run)
    assert measured[ir_measures.nDCG @ 10] == pytest.approx(MEASURED[name], abs=0.002)
