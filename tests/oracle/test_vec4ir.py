"""Rankings of adi as the released code of galke2017's authors (vec4ir) returns them."""

from __future__ import annotations

import json

import pytest

import aboutness as ab
from aboutness.corpus.beir import read_queries


@pytest.fixture(scope="module")
def adi(data_folder, vectors_folder):
    """The collection with the recorded rankings: 20 ids for each model and query."""
    folder = data_folder / "adi"
    index = ab.Index.build(ab.read(folder), analyzer="galke2017[stop=sklearn]")
    index.import_vectors(
        vectors_folder / "googlenews_w2v_300d_small" / "GoogleNews-vectors-negative300-bolukbasi.bin"
    )
    recorded = json.loads((folder / "vec4ir_top20.json").read_text())["runs"]
    return index, {query.id: query.text for query in read_queries(folder)}, recorded


@pytest.mark.parametrize(
    ("model", "ranker"),
    [
        ("tfidf", "tfidf[variant=sklearn]"),
        ("wcs", "wcs"),
        ("iwcs", "iwcs[idf=sklearn,query=idf]"),
        ("wmd", "wmd"),
    ],
)
def test_rankings_equal_those_of_the_released_code(adi, model, ranker):
    index, queries, recorded = adi
    found = {id_: [hit.id for hit in index.search(text, 20, ranker)] for id_, text in queries.items()}
    assert len(found) == 35
    assert found == recorded[model]
