from __future__ import annotations

import json

import numpy as np

from aboutness.app.describe import analyzers, describe, models
from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import known_analyzers


def test_everything_an_index_holds(tmp_path):
    index = Index.build(
        [
            Document(
                "a",
                {"title": "City", "text": "new mexico city"},
                {"year": 1706, "topics": ["x", "y"], "flag": True},
            ),
            Document("b", {"text": "a song of the city"}, {"year": 1706.0, "topics": []}),
            Document("c", {"text": "gone words"}, {"year": "never", "lost": 1}),
        ],
        tmp_path / "i",
        analyzer="plain",
        layers={"pieces": "letters"},
        weights={"text": 1, "title": 2},
    )
    index.delete("c")
    with index.changes() as writer:
        writer.save_artefact("w2v", "vectors", {"v": np.zeros(3)}, {"dim": 3}, seed=4)
    told = describe(index)
    json.dumps(told)
    artefact = told["artefacts"][0]
    assert artefact.pop("created") >= told["created"]
    assert (artefact.pop("added_since"), artefact.pop("deleted_since")) == (None, None)
    assert told == {
        "index": str(tmp_path / "i"),
        "generation": 3,
        "documents": 2,
        "deleted": 1,
        "segments": 1,
        "bytes": sum(path.stat().st_size for path in (tmp_path / "i" / "arrays").iterdir()),
        "fields": [{"name": "text", "weight": 1.0, "tokens": 7}, {"name": "title", "weight": 2.0, "tokens": 1}],
        "layers": [
            {"name": "main", "analyzer": "plain", "terms": 6, "tokens": 8},
            {
                "name": "pieces",
                "analyzer": "letters",
                "terms": told["layers"][1]["terms"],
                "tokens": told["layers"][1]["tokens"],
            },
        ],
        "metadata": [{"key": "flag", "values": 1}, {"key": "topics", "values": 2}, {"key": "year", "values": 2}],
        "artefacts": [{"name": "w2v", "kind": "vectors", "seed": 4, "parameters": {"dim": 3}, "generation": 2}],
        "created": index.snapshot.manifest.created,
        "software": index.snapshot.manifest.software,
    }
    pieces = index.view("pieces")
    assert told["layers"][1]["terms"] == len(
        {t for d in index for text in d.fields.values() for t in pieces.analyzer.terms(text)}
    )


def test_an_empty_index_is_described():
    told = describe(Index.build([]))
    assert (told["documents"], told["segments"], told["fields"], told["metadata"]) == (0, 0, [], [])
    assert told["layers"] == [{"name": "main", "analyzer": "english", "terms": 0, "tokens": 0}]


def test_all_analyzers_are_listed():
    listed = analyzers()
    assert [entry["name"] for entry in listed] == list(known_analyzers())
    assert {"plain", "english", "letters"} <= {entry["name"] for entry in listed}
    assert all(entry["summary"] for entry in listed)


def test_all_rankers_are_listed_with_their_parameters():
    listed = {entry["name"]: entry for entry in models()}
    assert list(listed) == list(known_rankers())
    assert {"bm25", "bm25-desm", "iwcs-wmd"} <= set(listed)
    assert all(entry["summary"] and entry["source"] for entry in listed.values())
    parameters = {one["name"]: one["default"] for one in listed["iwcs-wmd"]["parameters"]}
    assert parameters["k"] == 20
    assert list(parameters)[:2] == ["layer", "fields"]
    json.dumps(models())
