from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.app.map_plane import Plane, title_of
from aboutness.app.map_space import map_space, vectors_here
from aboutness.app.mapping import Choice, Maps, document_points
from aboutness.core.errors import NotFound, UsageError
from aboutness.core.record import Document
from aboutness.models.question import Question
from aboutness.report.projection import neighbour_map, principal_axes
from aboutness.report.spaces import document_vectors, labels_of

LINES = [
    "the sun rises over the sea",
    "the moon rises over the harbour",
    "a city by the sea",
    "songs of the moon and the sun",
]
RECORDS = [
    {
        "id": f"d{number}",
        "text": f"{LINES[number % 4]} {'sea ' * (number // 4)}",
        "kind": ["sky", "town"][number % 2],
    }
    | ({"rare": number} if number < 3 else {})
    for number in range(24)
]
SMALL = {"dim": 6, "min_count": 1, "epochs": 2, "threads": 1}


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    made = Index.build([*RECORDS, {"id": "empty", "text": ""}])
    made.train("word2vec", sample=0, **SMALL)
    made.train("pv", **SMALL)
    yield made


def test_documents_lie_where_the_figure_has_them(index):
    for by in ("iwcs", "pv", None):
        vectors = document_vectors(index.snapshot, by).some(10, 7)
        told = document_points(index.generation, by=by, most=10, seed=7).to_json()
        axes, _ = principal_axes(vectors.rows)
        places = (vectors.rows - vectors.rows.mean(axis=0, dtype=np.float64)) @ axes
        span = np.ptp(places, axis=0).max()
        assert np.abs(np.array([told["x"], told["y"]]).T - places).max() < 1e-5 * span
        assert told["ids"] == [index.snapshot.id(number) for number in vectors.numbers.tolist()]
        assert told["generation"] == index.snapshot.generation
        assert (told["by"], told["documents"], told["of"]) == (vectors.name, 10, 24)
        assert "10 of 24 documents, drawn by seed 7" in told["note"]


def test_all_documents_with_a_vector_are_drawn_where_they_are_few(index):
    told = document_points(index.generation, by="wcs").to_json()
    assert told["ids"] == [record["id"] for record in RECORDS]
    assert "All 24 documents" in told["note"]
    assert told["keys"] == ["kind", "rare"]
    assert [told[name] for name in ("labels", "label", "relevance", "query", "nearest")] == [None] * 4 + [[]]


def test_a_map_by_neighbours_is_the_figures(index):
    pytest.importorskip("openTSNE")
    vectors = document_vectors(index.snapshot, "wcs")
    told = document_points(index.generation, "tsne", "wcs", seed=3, query="moon").to_json()
    wanted = neighbour_map(vectors.rows, seed=3)
    span = np.ptp(wanted, axis=0).max()
    assert np.abs(np.array([told["x"], told["y"]]).T - wanted).max() < 1e-5 * span
    around = [told["ids"].index(near["id"]) for near in told["nearest"][:10]]
    assert list(told["query"].values()) == pytest.approx(np.median(wanted[around], axis=0), abs=1e-4 * span)


@pytest.mark.parametrize("by", ["wcs", "iwcs", "desm-in-out", "pv"])
def test_a_query_that_is_a_document_lies_there(index, by):
    number = index.snapshot.number("d6")
    plane = Plane(index.generation, Choice(by))
    there = plane.places[number]
    space = map_space(index.generation, by)
    places, drawn = plane.place_documents(space, np.array([number]))
    assert drawn.all()
    assert np.array_equal(places[0], there)
    assert np.allclose(plane.place(space.rows[[number]].astype(np.float64))[0], there)
    if by == "wcs":
        found = plane.place_question(space, Question(document=number))
        assert found == pytest.approx(there, abs=1e-4)


def test_relevance_and_the_nearest_are_the_rankers(index):
    told = document_points(index.generation, by="iwcs", most=8, query="moon harbour").to_json()
    hits = index.search("moon harbour", 20, "iwcs", match="all")
    assert [(near["rank"], near["id"], near["score"]) for near in told["nearest"]] == [
        (hit.rank, hit.id, hit.score) for hit in hits
    ]
    assert [near["drawn"] for near in told["nearest"]] == [hit.id in told["ids"] for hit in hits]
    for identifier, score in zip(told["ids"], told["relevance"], strict=True):
        assert score == pytest.approx(index.explain("moon harbour", identifier, "iwcs").score, rel=1e-3)
    for near in told["nearest"]:
        if near["drawn"]:
            at = told["ids"].index(near["id"])
            assert (near["x"], near["y"]) == (told["x"][at], told["y"][at])


def test_scores_of_a_training_are_cosines(index):
    told = document_points(index.generation, by="pv", query="the moon").to_json()
    assert all(-1.001 <= score <= 1.001 for score in told["relevance"])
    best = max(range(24), key=lambda at: told["relevance"][at])
    assert told["nearest"][0]["id"] == told["ids"][best]
    assert len(told["nearest"]) == 20


def test_a_query_that_nobody_knows(index):
    for by in ("iwcs", "pv"):
        told = document_points(index.generation, by=by, query="unheard").to_json()
        assert told["query"] is told["relevance"] is None
        assert "No word of the query has a vector" in told["note"]


def test_labels(index, monkeypatch):
    told = document_points(index.generation, by="wcs", label="kind").to_json()
    wanted = labels_of(index.snapshot, range(24), "kind")
    assert [told["labels"][number] for number in told["label"]] == wanted
    monkeypatch.setattr("aboutness.app.mapping.MOST_LABELS", 2)
    told = document_points(index.generation, by="wcs", label="rare").to_json()
    assert (told["labels"], told["label"][:4]) == (["0", "1"], [0, 1, 2, -1])
    with pytest.raises(UsageError, match="they have: kind, rare"):
        document_points(index.generation, by="wcs", label="colour")


def test_a_map_is_kept_until_the_index_moves_on(monkeypatch):
    index = Index.build(RECORDS)
    index.train("word2vec", sample=0, **SMALL)
    maps, choice = Maps(), Choice("wcs")
    plane = maps.points(index.generation, choice).plane
    assert maps.points(index.generation, choice, query="sun").plane is plane
    assert maps.points(index.generation, Choice("wcs", most=5)).plane is not plane
    index.add([{"id": "new", "text": "the sea"}])
    assert maps.points(index.generation, choice).plane.ids[-1] == "new"


def test_the_same_every_time_and_plain(index):
    asked = {"by": "iwcs", "most": 9, "seed": 2, "query": "sun", "label": "kind"}
    one, two = (json.dumps(document_points(index.generation, **asked).to_json(), allow_nan=False) for _ in "ab")
    assert one == two


def test_a_single_place():
    index = Index.build([{"id": name, "text": "the sea"} for name in "ab"])
    index.train("word2vec", sample=0, **SMALL)
    told = document_points(index.generation, by="wcs", query="sea").to_json()
    assert told["x"] == pytest.approx([0, 0], abs=1e-5)
    assert "hold 0% of" in told["note"] or "hold 100% of" in told["note"]


def test_what_documents_can_be_drawn_by(index):
    here = vectors_here(index.generation)
    assert here == {"pv": False, "wcs": True, "iwcs": True, "desm-in-in": True, "desm-in-out": True}
    more = Index.build(RECORDS)
    assert vectors_here(more.generation) == {}
    for name in ("one", "two"):
        more.train("word2vec", name=name, sample=0, **SMALL)
    here = vectors_here(more.generation)
    assert len(here) == 8
    for by in here:
        assert document_points(more.generation, by=by, most=4).plane.name == by


def test_titles():
    assert title_of(Document("a", {"text": "b\n c", "title": "<b> x"})) == "<b> x"
    assert title_of(Document("a", {"text": "b\n c"})) == "b c"
    assert title_of(Document("a", {})) == ""
    assert len(title_of(Document("a", {"text": "long " * 100}))) == 100


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"method": "umap"}, "one of pca, tsne, got 'umap'"),
        ({"most": 1}, "from 2 to 20,000, got 1"),
        ({"most": 20_001}, "from 2 to 20,000, got 20001"),
        ({"by": "bm25"}, "bm25 has no vectors of documents"),
        ({"by": "nothing"}, "Known: "),
    ],
)
def test_refusals(index, choice, message):
    with pytest.raises(UsageError, match=message):
        document_points(index.generation, **choice)


def test_an_index_without_vectors_says_the_command():
    with pytest.raises(NotFound, match=r"aboutness train .* pv"):
        document_points(Index.build(RECORDS).generation)


def test_without_the_extra(index, monkeypatch):
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[figures\]'"):
        document_points(index.generation, "tsne")
    monkeypatch.setattr("aboutness.app.mapping.find_spec", lambda _: None)
    assert document_points(index.generation).to_json()["methods"] == ["pca"]
