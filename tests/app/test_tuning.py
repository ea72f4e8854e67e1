"""Tuning as users call it: what is checked before anything is indexed, what is kept, and what is written."""

from __future__ import annotations

import csv
import json

import pytest

import aboutness as ab
from aboutness.app import tuning
from aboutness.app.tuning import save_tuning
from aboutness.core.errors import BadRecord, NotFound, StorageError, UsageError
from aboutness.evaluate.evaluation import evaluate
from aboutness.evaluate.runs import read_run
from aboutness.experiment.sweep import sweep as sweep_on
from experiment.small import DOCUMENTS, documents, small_vectors, with_vectors, write_collection


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_collection(tmp_path_factory.mktemp("tuned") / "small")


@pytest.fixture(scope="module")
def small():
    return with_vectors(ab.Index.build(documents()))


def plain(found):
    return found.to_json(per_query=True)


def test_a_collection_by_name_or_as_it_is(folder, small):
    wanted = sweep_on(
        small.snapshot, ab.collection(folder), "ql", {"mu": [1, 100]}, "AP",
        measures=["nDCG@10", "RR", "P@10", "R@100"],
    )  # fmt: skip
    for on in (folder, str(folder), ab.collection(folder)):
        for index in (None, small):
            assert plain(ab.sweep("ql", on, "mu=1,100", index=index)) == plain(wanted)
    assert plain(ab.sweep(ab.QL(), folder, iter(["mu=1,100"]), "AP")) == plain(wanted)
    other = ab.sweep("ql", folder, {"mu": [1, 100]}, "RR", iter(["P@1"]), split=iter(["q1", "q3", "q4"]))
    assert list(other.evaluation.mean) == ["RR", "P@1"]
    assert (other.train, other.test) == (("q1", "q3", "q4"), ("q2",))


def test_a_file_of_queries_to_choose_by(folder, small, tmp_path):
    (tmp_path / "train").write_text("q3\nq1\n")
    for split in (tmp_path / "train", str(tmp_path / "train")):
        found = ab.sweep("ql", folder, "mu=1,100", split=split, index=small)
        assert (found.train, found.test) == (("q1", "q3"), ("q2", "q4"))


def test_match_and_fields_are_as_in_search(folder, small):
    found = ab.sweep("ql", folder, "mu=1,100", match="bm25 % 2", fields="text", index=small)
    assert [str(one.ranker) for one in found.settings] == [
        f"bm25[fields=text] % 2 >> ql[fields=text,mu={mu}]" for mu in (1, 100)
    ]
    texts = {query.id: query.text for query in ab.collection(folder).queries}
    for query in found.test:
        best = ab.QL(mu=found.best.parameters["mu"])
        hits = small.search(texts[query], 1000, best, match="bm25 % 2", fields="text")
        assert found.run[query] == [(hit.id, hit.score) for hit in hits]


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"ranker": "nope"}, "unknown ranker 'nope'"),
        ({"grid": "k1=1"}, "ql has no parameter 'k1'"),
        ({"grid": []}, "a grid must give values"),
        ({"grid": None}, "a grid must give values"),
        ({"measure": "AP,RR"}, "settings are chosen by one measure"),
        ({"measures": "nope"}, "there is no measure 'nope'"),
        ({"split": 0.01}, "others to report on, got 0 and 4 of 4"),
        ({"split": ["q5"]}, "there is no judged query 'q5'"),
        ({"split": "nope.txt"}, "no such file"),
        ({"depth": 0}, "k must be"),
        ({"match": "ql"}, "say how many documents are ranked anew"),
        ({"vectors": "nope"}, "there is no file nope"),
        ({"cache": "small/qrels.tsv"}, "cannot make the folder small/qrels.tsv"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_indexed(tmp_path, monkeypatch, named, told):
    broken = write_collection(tmp_path / "small")
    (broken / "corpus.jsonl").write_text("nonsense\n")
    monkeypatch.chdir(tmp_path)
    asked = {"ranker": "ql", "grid": {"mu": [1, 2]}, "on": broken}
    with pytest.raises((UsageError, NotFound, StorageError), match=told):
        ab.sweep(**(asked | named))
    with pytest.raises(BadRecord, match=r"corpus\.jsonl:1: "):
        ab.sweep(**asked)


def test_what_the_ranker_needs_is_trained_or_given(folder, small):
    wanted = ab.sweep("bm25-desm", folder, "alpha=0:1:.5", index=small)
    assert [one.parameters["alpha"] for one in wanted.settings] == [0, 0.5, 1]
    assert plain(ab.sweep("bm25-desm", folder, "alpha=0:1:.5", vectors=small_vectors())) == plain(wanted)
    told = []
    trained = ab.sweep("bm25-desm", folder, "alpha=0:1:.5", training=lambda name, _: told.append(name))
    assert set(told) == {"word2vec"}
    assert trained.settings[0].train == wanted.settings[0].train
    with pytest.raises(UsageError, match="give `index` or `vectors`, not both"):
        ab.sweep("bm25-desm", folder, "alpha=0", index=small, vectors=small_vectors())


def test_another_ranker_that_answers_is_told(folder, small):
    found = ab.sweep("default + bm25", folder, "bm25.weight=0,1", index=small)
    assert found.note.startswith("default is not trained here, so bm25 answers; run: ")
    assert ab.sweep("bm25", folder, "k1=1,2", index=small).note is None


def test_progress(folder):
    indexed, ranked = [], []
    ab.sweep(
        "ql", folder, "mu=1,2", progress=lambda *news: ranked.append(news),
        indexing=lambda *news: indexed.append(news),
    )  # fmt: skip
    assert ranked == [("ql[mu=1]", 4, 4), ("ql[mu=2]", 4, 4), ("ql", 4, 4)]
    assert indexed[-1][0] == len(DOCUMENTS)


# --- what is kept --------------------------------------------------------------------------------------


def test_an_index_in_memory_is_known_again(folder, tmp_path):
    """Documents that are indexed, and vectors that are trained, once more make no other values."""
    for _ in range(2):
        ab.sweep("bm25-desm", folder, "alpha=0,1", cache=tmp_path / "kept")
        ab.cross_validate("bm25-desm", folder, "alpha=0,1", folds=2, cache=tmp_path / "kept")
        assert len(list((tmp_path / "kept").glob("*.json"))) == 3


@pytest.mark.parametrize("way", ["sweep", "cross_validate"])
def test_interrupted(folder, tmp_path, way):
    def stop(name, done, total):
        if name == "ql[mu=2]":
            raise KeyboardInterrupt

    tune = getattr(ab, way)
    more = {"folds": 2} if way == "cross_validate" else {}
    with pytest.raises(KeyboardInterrupt, match=r"^what is measured is kept in .*kept: the same again goes on"):
        tune("ql", folder, "mu=1,2,3", cache=tmp_path / "kept", progress=stop, **more)
    assert len(list((tmp_path / "kept").glob("*.json"))) == 1
    with pytest.raises(KeyboardInterrupt, match=r"^nothing is kept"):
        tune("ql", folder, "mu=1,2,3", progress=stop, **more)
    found = tune("ql", folder, "mu=1,2,3", cache=tmp_path / "kept", **more)
    assert plain(found) == plain(tune("ql", folder, "mu=1,2,3", **more))


# --- what is written -----------------------------------------------------------------------------------


def test_files(folder, small, tmp_path):
    for found in (
        ab.sweep("bm25 + ql", folder, ["ql.weight=0:1:.5", "fields=title,text"], index=small),
        ab.cross_validate("bm25 + ql", folder, ["ql.weight=0:1:.5", "fields=title,text"], folds=2, index=small),
    ):
        results, settings, run = save_tuning(found, tmp_path / "out")
        assert run == tmp_path / "out" / "runs" / "01-bm25-ql-tuned.trec"
        assert json.loads(results.read_text()) == json.loads(json.dumps({**plain(found), "runs": [run.name]}))
        rows = list(csv.DictReader(settings.read_text().splitlines()))
        assert [row["ranker"] for row in rows] == [str(one.ranker) for one in found.settings]
        assert [row["ql.weight"] for row in rows] == ["0.0", "0.0", "0.5", "0.5", "1.0", "1.0"]
        qrels = {query: ab.collection(folder).qrels[query] for query in found.run}
        wanted = {query: found.evaluation.per_query[query] for query in found.run}
        assert evaluate(qrels, read_run(run), found.evaluation.measures).per_query == wanted
    assert "AP" in rows[0]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["results.json", "runs", "settings.csv"]


def test_all_names_are_there():
    assert all(getattr(tuning, name) for name in tuning.__all__)
    assert ab.sweep is tuning.sweep


# --- on real queries -----------------------------------------------------------------------------------


def test_cranfield(data_folder, tmp_path):
    found = ab.sweep("bm25", data_folder / "cranfield", ["k1=0,1.2", "b=0,.75"], depth=100, cache=tmp_path)
    assert (len(found.train), len(found.test)) == (112, 113)
    assert found.best.parameters == {"k1": 1.2, "b": 0.75}
    assert found.evaluation.mean == found.best.test
    assert found.untuned.tests["AP"].difference == 0  # these are the values that it has anyway
    worst = min(one.test["AP"] for one in found.settings)
    assert found.best.test["AP"] > worst + 0.05
