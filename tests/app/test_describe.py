from __future__ import annotations

import json

import numpy as np
import pytest

from aboutness.app.describe import analyzers, describe, models
from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.core.record import Document
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import known_analyzers
from app.sky import RECORDS, SMALL


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
    unknown = ("made_by", "words", "documents", "dim", "added_since", "deleted_since", "inferred")
    assert [artefact.pop(key) for key in unknown] == [None] * len(unknown)
    assert artefact.pop("bytes") == (tmp_path / "i" / "arrays" / artefact_file(index, "w2v")).stat().st_size
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


def artefact_file(index, name):
    return index.snapshot.manifest.artefacts[name].file.name


def artefacts(index):
    told = describe(index)["artefacts"]
    assert json.loads(json.dumps(told)) == told
    return {one["name"]: one for one in told}


def some(artefact, *keys):
    return [artefact[key] for key in keys]


def test_what_is_trained_imported_and_derived(glove):
    index = Index.build(RECORDS, weights={"text": 2})
    index.train("pv", dim=4, min_count=1, epochs=2, seed=7, threads=1)
    index.train(**SMALL, name="mine")
    index.import_vectors(glove)
    index.prepare("wcs[vectors=vectors]")
    told, words = artefacts(index), index.view().vocabulary_size
    assert list(told) == ["pv", "mine", "vectors", "documents wcs[vectors=vectors]"]
    assert {name: some(one, "kind", "documents", "words", "dim") for name, one in told.items()} == {
        "pv": ["documents", 20, words, 4],
        "mine": ["word-vectors", None, words, 8],
        "vectors": ["word-vectors", None, 4, 3],
        "documents wcs[vectors=vectors]": ["document-vectors", 20, None, 3],
    }
    assert [one["made_by"] for one in told.values()] == [
        "pv[dim=4,epochs=2,min_count=1,seed=7]", "word2vec[dim=8,epochs=2,sample=0,min_count=1]", "glove.txt",
        "wcs[vectors=vectors]",
    ]  # fmt: skip
    assert all(one["bytes"] > 0 for one in told.values())
    assert some(told["pv"], "seed", "generation", "added_since", "deleted_since", "inferred") == [7, 1, 0, 0, 0]
    assert some(told["mine"], "added_since", "deleted_since", "inferred") == [0, 0, None]
    assert some(told["vectors"], "added_since", "deleted_since", "inferred") == [None, None, None]


def test_how_many_documents_are_folded_in_when_searched():
    index = Index.build(RECORDS)
    index.train("pv", dim=4, min_count=1, epochs=2, threads=1)
    index.add([{"id": f"new{n}", "text": "a new moon"} for n in range(2)])
    index.delete(["new0", "d0-0", "d1-0", "d2-0"])
    keys = ("added_since", "deleted_since", "inferred")
    assert some(artefacts(index)["pv"], *keys) == [2, 4, 1]
    index.prepare("pv-lm")
    assert some(artefacts(index)["pv"], *keys) == [2, 4, 0]
    assert artefacts(index)["pv"]["parameters"]["inferred"] == 1


def test_artefacts_that_cannot_be_read_or_understood(tmp_path):
    index = Index.build(RECORDS, tmp_path / "i")
    index.train("pv", dim=4, min_count=1, epochs=2, threads=1)
    index.train(**SMALL)
    with index.changes() as writer:
        arrays, provenance = index.trained("pv").arrays(), dict(index.trained("pv").provenance)
        writer.save_artefact("of later", "documents", arrays, {**provenance, "training": "later"})
        odd = {**provenance, "parameters": {"depth": 5}}
        writer.save_artefact("odd", "documents", arrays, odd)
    for name in ("pv", "word2vec"):
        (tmp_path / "i" / "arrays" / artefact_file(index, name)).unlink()
    told = artefacts(Index.open(tmp_path / "i"))
    keys = ("documents", "words", "dim", "inferred", "made_by")
    assert some(told["pv"], *keys) == [None, None, None, None, "pv[dim=4,epochs=2,min_count=1]"]
    assert some(told["word2vec"], *keys)[:3] == [None] * 3
    assert some(told["of later"], *keys) == [None, None, None, 0, "later"]
    assert some(told["odd"], *keys) == [20, index.view().vocabulary_size, 4, 0, "pv"]


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
    assert list(listed) == list(known_rankers(combinations=True))
    assert {"bm25", "bm25-desm", "iwcs-wmd"} <= set(listed)
    assert all(entry["summary"] and entry["source"] for entry in listed.values())
    parameters = {one["name"]: one["default"] for one in listed["iwcs-wmd"]["parameters"]}
    assert parameters["k"] == 20
    assert list(parameters)[:2] == ["layer", "fields"]
    json.dumps(models())


def test_rankers_that_are_named_are_listed_alone():
    assert [entry["name"] for entry in models(["ql", "rrf"])] == ["ql", "rrf"]
    with pytest.raises(UsageError, match="unknown ranker 'bm52'; did you mean 'bm25'"):
        models(["bm52"])
