from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import aboutness as ab
from aboutness.app.explaining import explain_page
from aboutness.app.index import Index
from aboutness.app.perturbing import perturb
from aboutness.app.search import DEFAULT_RANKER
from aboutness.app.sources import Sources, default_rejects
from aboutness.core.errors import BadRecord, DamagedIndex, NotFound, StorageError, UsageError
from aboutness.core.record import Document
from aboutness.text.analyzer import Analyzer
from experiment.small import documents as small_documents
from experiment.small import with_vectors

RECORDS = [
    {"id": "a", "text": "a city in New Mexico", "year": 1706},
    {"id": "b", "title": "Song", "text": "a song"},
]
HIDDEN = ".x.index.building-"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- build and open ------------------------------------------------------------------------------------


def test_an_index_on_disk_is_built_and_opened(tmp_path):
    index = Index.build(RECORDS, tmp_path / "deep" / "down" / "x.index")
    assert names(tmp_path / "deep" / "down") == ["x.index"]
    assert names(index.path) == ["arrays", "index.db", "writer.lock"]
    assert (index.added.added, index.added.updated) == (2, 0)
    opened = Index.open(str(tmp_path / "deep" / "down" / "x.index"))
    assert len(opened) == 2
    assert opened["a"] == Document("a", {"text": "a city in New Mexico"}, {"year": 1706})
    assert [document.id for document in opened] == ["a", "b"]
    assert repr(opened) == f"<Index '{opened.path}': 2 documents, generation 1>"
    assert opened.where("year<1800") == ["a"]
    assert opened.snapshot.fields == ["text", "title"]
    assert opened.view().analyzer.name == "english"


def test_membership_and_missing_documents():
    index = Index.build(RECORDS)
    assert "a" in index
    assert "nope" not in index
    assert 5 not in index
    assert "\ud800" not in index
    for identifier in ("nope", "\ud800", ""):
        with pytest.raises(NotFound, match="there is no document"):
            index[identifier]


def test_an_empty_folder_will_do(tmp_path):
    (tmp_path / "x.index").mkdir()
    assert len(Index.build(RECORDS, tmp_path / "x.index")) == 2


def test_what_is_there_is_not_written_over(tmp_path):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "precious").write_text("mine")
    file = tmp_path / "file"
    file.write_text("mine")
    for target in (folder, file):
        for overwrite in (False, True):
            with pytest.raises(UsageError, match="is there already and is not an index; choose another place"):
                Index.build(RECORDS, target, overwrite=overwrite)
    assert names(tmp_path) == ["file", "full"]
    assert (folder / "precious").read_text() == file.read_text() == "mine"


def test_refusing_comes_before_reading(tmp_path):
    def records():
        raise AssertionError("read")
        yield

    Index.build(RECORDS, tmp_path / "x")
    with pytest.raises(
        UsageError, match=r"there is an index at .*x already; add to it .* or replace it with --overwrite"
    ):
        Index.build(records(), tmp_path / "x")
    for options in (
        {"analyzer": "nope"},
        {"layers": {"l": "nope"}},
        {"layers": {"main": "plain"}},
        {"layers": {"a/b": "plain"}},
        {"weights": {"text": 0}},
        {"weights": {"text": float("nan")}},
        {"weights": {"text": float("inf")}},
        {"weights": {"text": -1}},
    ):
        with pytest.raises(UsageError):
            Index.build(records(), tmp_path / "y", **options)
    assert names(tmp_path) == ["x"]


def test_overwriting_is_one_step(tmp_path):
    old = Index.build(RECORDS, tmp_path / "x", layers={"pieces": "letters"}, weights={"title": 2})
    states = []

    def records():
        for n in range(3):
            states.append(list(Index.open(tmp_path / "x").snapshot.ids()))
            yield Document(f"n{n}", {"body": "other words"})

    new = Index.build(records(), tmp_path / "x", analyzer="plain", overwrite=True)
    assert states == [["a", "b"]] * 3
    assert list(new.snapshot.ids()) == ["n0", "n1", "n2"]
    assert (new.snapshot.generation, new.snapshot.fields, list(new.snapshot.manifest.layers)) == (
        2,
        ["body"],
        ["main"],
    )
    assert new.view().analyzer.name == "plain"
    assert new.view().terms() == ["other", "words"]
    assert [document.id for document in old] == ["a", "b"]
    assert old.view("pieces").documents == 2
    assert new.check(deep=True).unnamed == []


def test_overwriting_that_fails_leaves_the_old_index(tmp_path):
    Index.build(RECORDS, tmp_path / "x")
    with pytest.raises(BadRecord):
        Index.build([{"id": "n", "text": "new"}, {"id": "", "text": "bad"}], tmp_path / "x", overwrite=True)
    index = Index.open(tmp_path / "x")
    assert [document.id for document in index] == ["a", "b"]
    report = index.check(deep=True)
    assert (report.problems, report.unnamed, report.generation) == ([], [], 1)


@pytest.mark.parametrize("error", [BadRecord("x"), KeyboardInterrupt(), ZeroDivisionError()])
def test_a_build_that_fails_leaves_nothing(tmp_path, error):
    def records():
        yield from RECORDS
        raise error

    with pytest.raises(type(error)):
        Index.build(records(), tmp_path / "x.index")
    assert names(tmp_path) == []


def test_nothing_stands_at_the_path_before_all_is_done(tmp_path):
    seen = []

    def records():
        for record in RECORDS:
            seen.append((tmp_path / "x.index").exists())
            yield record

    Index.build(records(), tmp_path / "x.index")
    assert seen == [False, False]
    assert names(tmp_path) == ["x.index"]


def test_what_a_killed_build_left_is_removed_but_not_that_of_a_live_one(tmp_path):
    code = (
        "import sys, time\nfrom aboutness.app.index import Index\n"
        "def records():\n    yield {'id': 'a', 'text': 'x'}\n    print('on', flush=True)\n    time.sleep(60)\n"
        "Index.build(records(), sys.argv[1])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(ab.__file__).parents[1])}
    target = tmp_path / "x.index"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(target)], env=environment, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "on\n"
        (live,) = names(tmp_path)
        assert live.startswith(HIDDEN)
        (tmp_path / f"{HIDDEN}stale").mkdir()
        (tmp_path / f"{HIDDEN}stale" / "writer.lock").write_text("1\n")
        (tmp_path / ".y.index.building-other").mkdir()
        Index.build(RECORDS, target)
        assert names(tmp_path) == sorted([".y.index.building-other", live, "x.index"])
        child.send_signal(signal.SIGKILL)
        child.wait()
    Index.build([], tmp_path / "z.index")
    assert live in names(tmp_path)
    target.rename(tmp_path / "w.index")
    Index.build(RECORDS, target)
    assert names(tmp_path) == [".y.index.building-other", "w.index", "x.index", "z.index"]


def test_leftovers_of_names_that_look_like_patterns_are_told_apart(tmp_path):
    for name in (".a[1].index.building-x", ".a1.index.building-y"):
        (tmp_path / name).mkdir()
    Index.build(RECORDS, tmp_path / "a[1].index")
    assert names(tmp_path) == [".a1.index.building-y", "a[1].index"]


def test_a_place_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot make the folder"):
        Index.build(RECORDS, tmp_path / "file" / "x.index")


# --- in memory -----------------------------------------------------------------------------------------


def test_an_index_in_memory_removes_its_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    index = Index.build(RECORDS)
    (folder,) = tmp_path.iterdir()
    assert folder in index.path.parents
    index.add([{"id": "c", "text": "more"}])
    index.delete("a")
    index.merge()
    assert [document.id for document in index] == ["b", "c"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        del index
        gc.collect()
    assert told == []  # that nobody closed it is no mistake
    assert names(tmp_path) == []


def test_a_failed_index_in_memory_removes_its_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(BadRecord) as caught:
        Index.build([{"id": "", "text": "x"}])
    del caught
    gc.collect()
    assert names(tmp_path) == []


# --- change --------------------------------------------------------------------------------------------


def test_several_changes_are_one_generation(tmp_path):
    index = Index.build(RECORDS, tmp_path / "x")
    with index.changes() as writer:
        writer.add([{"id": "c", "text": "more"}])
        writer.delete(["a"])
        writer.add_layer("pieces", Analyzer("own", letters=(3, 3)))
        assert [document.id for document in index] == ["a", "b"]
    assert index.snapshot.generation == 2
    assert [document.id for document in index] == ["b", "c"]
    assert index.view("pieces").analyzer == Analyzer("own", letters=(3, 3))


def test_refreshing_never_goes_back(tmp_path):
    index = Index.build(RECORDS, tmp_path / "x")
    shutil.copytree(tmp_path / "x", tmp_path / "old")
    index.add([{"id": "c", "text": "more"}])
    reading = index.generation
    shutil.rmtree(tmp_path / "x")
    (tmp_path / "old").rename(tmp_path / "x")
    assert Index.open(tmp_path / "x").snapshot.generation == 1
    assert not index.refresh()
    assert index.generation is reading
    assert (index.snapshot.generation, "c" in index) == (2, True)


def test_what_was_verified_is_verified_when_it_changes(tmp_path):
    many = [{"id": f"d{n}", "text": f"the song number {n} of a long evening"} for n in range(400)]
    Index.build(many, tmp_path / "x")
    verified, trusting, writer = (Index.open(tmp_path / "x", verify=sure) for sure in (True, False, False))
    before = set((tmp_path / "x" / "arrays").iterdir())
    writer.add([{"id": f"n{n}", "text": f"one more of {n}"} for n in range(9)])
    (postings,) = [
        path for path in (tmp_path / "x" / "arrays").iterdir() if path not in before and "post" in path.name
    ]
    content = bytearray(postings.read_bytes())
    content[-1] ^= 1
    postings.write_bytes(content)
    assert trusting.refresh()
    with pytest.raises(DamagedIndex):
        verified.refresh()
    assert (verified.snapshot.generation, len(verified)) == (1, 400)
    content[-1] ^= 1
    postings.write_bytes(content)
    assert verified.refresh()
    assert verified.snapshot.verified


def test_threads_that_refresh_at_once_only_go_up(tmp_path):
    Index.build(RECORDS, tmp_path / "x")
    reader, writer = Index.open(tmp_path / "x"), Index.open(tmp_path / "x")
    done = Event()

    def refresh(_):
        seen, changed = [reader.snapshot.generation], 0
        while not done.is_set():
            changed += reader.refresh()
            seen.append(reader.snapshot.generation)
        return seen, changed

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(refresh, n) for n in range(4)]
        try:
            for n in range(8):
                writer.add([{"id": f"n{n}", "text": "more"}])
        finally:
            done.set()
        results = [one.result() for one in found]
    assert all(seen == sorted(seen) for seen, _ in results)
    changes = sum(changed for _, changed in results) + reader.refresh()
    assert (reader.snapshot.generation, len(reader)) == (9, 10)
    assert 1 <= changes <= 8


def test_which_words_are_known():
    index = Index.build(RECORDS, layers={"pieces": "letters"})
    assert index.knows("cities of unheard")
    assert index.knows("SONG")
    assert not Index.build(RECORDS).knows("mexicanos")
    assert index.knows("mexicanos")  # by its letters
    for text in ("", "the", "qqqqq", "\udcff", "?!"):
        assert not index.knows(text)
    index.delete("b")
    assert not index.knows("song")
    assert not Index.build([]).knows("city")


def test_layers_and_weights_of_a_build(tmp_path):
    index = Index.build(
        RECORDS, tmp_path / "x", analyzer="plain", layers={"pieces": "letters"}, weights={"title": 2.5}
    )
    opened = Index.open(tmp_path / "x")
    assert {name: opened.view(name).analyzer.name for name in ("main", "pieces")} == {
        "main": "plain",
        "pieces": "letters",
    }
    assert dict(opened.snapshot.manifest.fields) == {"title": 2.5, "text": 1.0}
    view = index.view()
    assert view.lengths.tolist() == [4.0, 2.5 + 1.0]
    for name in ("a/b", "", "x" * 65, "ü", "main"):
        with pytest.raises(UsageError):
            index.add_layer(name, "plain")


def test_opening_what_is_not_there(tmp_path):
    with pytest.raises(NotFound, match="there is no index at"):
        Index.open(tmp_path / "nope")


# --- what rankers tell ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return with_vectors(Index.build(small_documents()))


def test_perturb_is_that_of_the_app(small):
    passages = {"one": "an old city", "two": {"title": "City", "text": "songs"}}
    for more in (
        (),
        ([("city", "river")],),
        ([("city", "river")], ["bm25", "desm-in-out"]),
        ((), "bm25 + 30*wcs"),
    ):
        found = small.perturb("old city", passages, *more)
        assert found.to_json() == perturb(small, "old city", passages, *more).to_json()
    assert small.perturb("old city", passages, rankers="bm25").to_json() != found.to_json()


def test_a_page_that_explains_is_that_of_the_app(small):
    for identifiers, rankers in (("d3", "iwcs"), (["d3"], ["iwcs"]), (("d3", "d1"), (ab.BM25(), "bm25 + 30*wcs"))):
        chosen = [identifiers] if isinstance(identifiers, str) else list(identifiers)
        named = [rankers] if isinstance(rankers, str) else list(rankers)
        page = small.explain_page("old songs", identifiers, rankers)
        assert page == explain_page(small.generation, "old songs", chosen, named)
        assert page.lower().startswith("<!doctype html>")
    assert small.explain_page("old songs", "d3") == small.explain_page("old songs", ["d3"], DEFAULT_RANKER)
    with pytest.raises(NotFound, match="there is no document 'd9'"):
        small.explain_page("old songs", "d9")


def test_prepare_is_that_of_the_app():
    index = with_vectors(Index.build(small_documents()))
    assert index.prepare() == []
    assert index.prepare("iwcs") == index.prepare(["iwcs"]) == index.prepare(ab.IWCS()) == ["iwcs[vectors=words]"]
    assert index.prepare(ab.BM25() % 3 >> ab.WCS()) == ["wcs[vectors=words]"]
    assert sorted(index.prepare()) == ["iwcs[vectors=words]", "wcs[vectors=words]"]
    assert {"documents iwcs[vectors=words]", "words"} <= set(index.snapshot.trained.entries)
    with pytest.raises(UsageError, match="there is nothing to prepare for bm25"):
        index.prepare("bm25")


# --- real data -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cranfield(data_folder):
    source = str(data_folder / "cranfield" / "corpus.jsonl.gz")
    return list(Sources([source]).documents()), Index.build(Sources([source]).documents(), analyzer="plain")


def test_cranfield_counts_equal_a_plain_recount(cranfield):
    documents, index = cranfield
    assert len(index) == len(documents) == 1400
    view = index.view()
    lengths = {
        name: [len(view.analyzer.terms(d.fields.get(name, ""))) for d in documents]
        for name in index.snapshot.fields
    }
    assert view.field_lengths.tolist() == list(lengths.values())
    assert view.total_length == sum(map(sum, lengths.values()))
    vocabulary = {term for d in documents for text in d.fields.values() for term in view.analyzer.terms(text)}
    assert set(view.terms()) == vocabulary
    assert [index[d.id].fields for d in documents[::97]] == [
        {k: v for k, v in d.fields.items() if v} for d in documents[::97]
    ]


def test_scikit_learn_makes_the_same_matrix_of_cranfield(cranfield):
    from sklearn.feature_extraction.text import CountVectorizer

    documents, index = cranfield
    vectorizer = CountVectorizer()
    theirs = vectorizer.fit_transform([" ".join(d.fields.values()) for d in documents])
    view = index.view()
    ours = view.matrix()
    assert (ours.nnz, ours.sum(), ours.shape) == (theirs.nnz, theirs.sum(), theirs.shape)
    assert sorted(view.terms()) == vectorizer.get_feature_names_out().tolist()
    columns = [vectorizer.vocabulary_[term] for term in view.terms()]
    assert (ours != theirs[:, columns]).nnz == 0
    assert np.array_equal(view.df, np.bincount(theirs.indices, minlength=theirs.shape[1])[columns])


def test_overwrite_replaces_an_index_that_cannot_be_opened(tmp_path):
    Index.build([{"id": "a", "text": "old"}], tmp_path / "i")
    (tmp_path / "i" / "index.db").write_bytes(b"no database at all, " * 100)
    with pytest.raises(DamagedIndex):
        Index.open(tmp_path / "i")
    with pytest.raises(BadRecord):  # the build fails: what was there is put back
        Index.build([{"id": "", "text": "bad"}], tmp_path / "i", overwrite=True)
    assert (tmp_path / "i" / "index.db").read_bytes().startswith(b"no database")
    index = Index.build([{"id": "b", "text": "new"}], tmp_path / "i", overwrite=True)
    assert [document.id for document in index] == ["b"]
    assert index.check(deep=True).ok
    assert [path.name for path in tmp_path.iterdir()] == ["i"]


def test_a_lost_artefact_does_not_keep_the_documents_from_being_read(tmp_path):
    index = Index.build([{"id": "a", "text": "x"}], tmp_path / "i")
    with index.changes() as writer:
        writer.save_artefact("w2v", "vectors", {"v": np.ones(3)}, {})
        with pytest.raises(UsageError, match="plain values"):
            writer.save_artefact("bad", "vectors", {"v": np.ones(3)}, {"dim": np.int64(3)})
    next((tmp_path / "i" / "arrays").glob("artefact-*")).unlink()
    opened = Index.open(tmp_path / "i")
    assert opened["a"].fields == {"text": "x"}
    with pytest.raises(DamagedIndex, match="train it anew"):
        opened.snapshot.artefact("w2v")
    assert not opened.check().ok
    with opened.changes() as writer:
        writer.drop_artefact("w2v")
    assert opened.check(deep=True).ok


def test_many_deletes_are_compacted(tmp_path):
    index = Index.build([{"id": str(n), "text": f"word{n}"} for n in range(100)], tmp_path / "i")
    index.delete([str(n) for n in range(49)])
    assert index.snapshot.size == 100
    index.delete([str(n) for n in range(49, 60)])
    assert (index.snapshot.size, len(index)) == (40, 40)
    assert index.check(deep=True).ok


def test_records_of_one_id_are_all_counted():
    index = Index.build([{"id": "a", "text": "0"}])
    added = index.add([{"id": "a", "text": str(n)} for n in range(3)] + [{"id": 7, "text": "x"}], update=True)
    assert (added.added, added.updated) == (1, 3)
    assert index["a"].fields == {"text": "2"}
    assert index["7"].fields == {"text": "x"}


def test_rejects_are_never_written_over(tmp_path):
    first = default_rejects(tmp_path / "c.index")
    assert first == tmp_path / "c.rejects.jsonl"
    first.touch()
    assert default_rejects(tmp_path / "c.index") == tmp_path / "c.rejects-2.jsonl"


def test_a_layer_can_be_added_when_all_documents_are_gone():
    index = Index.build([{"id": str(n), "text": f"word{n}"} for n in range(3)])
    index.delete(["0", "1", "2"])
    assert (len(index), index.snapshot.size) == (0, 0)
    index.add_layer("pieces", "letters")
    index.add([{"id": "a", "text": "again"}])
    assert index.view("pieces").terms() == [" aga", "agai", "gain", "ain "]
    assert index.check(deep=True).ok
