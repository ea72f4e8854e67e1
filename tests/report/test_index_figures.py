from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.core.record import Query
from aboutness.experiment.collection import Collection
from aboutness.experiment.samples import sampled_scores
from aboutness.report.index_figures import draw_around_queries, draw_features, draw_map, draw_scores
from report.figures.looking import words
from report.test_spaces import LINES, RECORDS, SMALL

QUERIES = Collection(
    "sky", "nowhere", (Query("q1", "sun and sea"), Query("q2", "moon")),
    {"q1": {"d0": 1, "d4": 2, "d1": 0, "d3": 0}, "q2": {"d1": 1, "d5": 1, "d2": 0}},
)  # fmt: skip


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    made = Index.build([*RECORDS, *({"id": f"more{number}", "text": LINES[number % 4]} for number in range(8))])
    made.train("word2vec", sample=0, **SMALL)
    yield made


def test_a_map(index):
    figure = draw_map(index.snapshot, label="kind")
    assert sum(len(one.get_offsets()) for one in figure.axes[0].collections) == 16
    told = words(figure)
    assert "sky (4)" in told
    assert "all others (8)" in told
    assert "first component of wcs" in told
    points = np.concatenate([one.get_offsets() for one in figure.axes[0].collections])
    assert np.abs(points.mean(axis=0)).max() < 1e-6
    assert sum(len(one.get_offsets()) for one in draw_map(index.snapshot, most=5).axes[0].collections) == 5


def test_a_map_by_neighbours(index):
    pytest.importorskip("openTSNE")
    assert "t-SNE of iwcs" in words(draw_map(index.snapshot, by="iwcs", label="topics", method="tsne"))


@pytest.mark.parametrize(
    ("choice", "message"), [({"method": "umap"}, "pca, tsne, got 'umap'"), ({"most": 1}, "at least 2, got 1")]
)
def test_refusals_of_a_map(index, choice, message):
    with pytest.raises(UsageError, match=message):
        draw_map(index.snapshot, **choice)


def test_documents_about_their_queries(index):
    figure = draw_around_queries(index.snapshot, QUERIES)
    assert [axis.get_title() for axis in figure.axes] == [
        "desm-in-in\n4 relevant, 3 not",
        "desm-in-out\n4 relevant, 3 not",
    ]
    with pytest.raises(UsageError, match="bm25 has no vectors"):
        draw_around_queries(index.snapshot, QUERIES, rankers=["bm25"])


def test_scores_of_three_sets(index):
    figure = draw_features(index.snapshot, QUERIES, random=3, seed=5)
    assert [axis.get_title() for axis in figure.axes] == ["bm25", "desm-in-in", "desm-in-out", "bm25-desm"]
    told = words(figure)
    assert "relevant (4)" in told
    assert "judged irrelevant (3)" in told
    pairs = draw_scores(index.snapshot, QUERIES, rankers=["bm25", "ql"], random=3, seed=5)
    found = sampled_scores(index.snapshot, QUERIES, ["bm25", "ql"], random=3, seed=5)
    for axis, kind in zip(pairs.axes, found.sets, strict=True):
        assert axis.collections[0].get_offsets().tolist() == found.of(kind).T.tolist()
    with pytest.raises(UsageError, match="name at least two, got 1"):
        draw_scores(index.snapshot, QUERIES, rankers=["bm25"])
