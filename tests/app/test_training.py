"""Trained on the documents of an index, or on any text, and kept: word vectors, and rows of documents."""

from __future__ import annotations

import contextlib
import json
import shutil

import numpy as np
import pytest

from aboutness.app import training as app
from aboutness.app import vectors
from aboutness.app.describe import describe
from aboutness.app.index import Index
from aboutness.core.errors import Diverged, NotFound, StorageError, UsageError
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.load import load_vectors
from aboutness.vectors.pv import PV
from aboutness.vectors.word2vec import Word2Vec
from aboutness.vectors.words import WordVectors
from app.sky import LINES, NEW, RECORDS, SMALL, entry, same, stored

# --- train ---------------------------------------------------------------------------------------------


def test_what_is_trained_is_kept_with_how_it_was_made(index):
    made = index.train("word2vec", **SMALL, seed=7, window=3)
    kept = entry(index)
    assert (kept.name, kept.kind, kept.seed, kept.generation) == ("word2vec", "word-vectors", 7, 1)
    assert kept.parameters == made.provenance
    assert made.provenance["training"] == "word2vec"
    assert made.provenance["parameters"] == {
        one.name: {"dim": 8, "min_count": 1, "epochs": 2, "sample": 0, "seed": 7, "window": 3}.get(
            one.name, one.default
        )
        for one in Word2Vec.declared()
    }
    view = index.view()
    told = {key: made.provenance[key] for key in ("layer", "fields", "analyzer", "documents", "generation")}
    assert told == {
        "layer": "main", "fields": ["title", "text"], "analyzer": json.loads(json.dumps(view.analyzer.to_json())), "documents": 20, "generation": 1
    }  # fmt: skip
    assert made.provenance["tokens"] == view.total_length
    assert set(made.words) == set(view.terms())
    counted = dict(zip(view.terms(), view.field_cf.sum(axis=0).tolist(), strict=True))
    assert dict(zip(made.words, made.counts.tolist(), strict=True)) == counted
    assert (sorted(made.spaces), made.dim) == (["in", "out"], 8)
    assert index.snapshot.generation == 2


def test_it_is_found_again(index):
    made = index.train(**SMALL)
    opened = Index.open(index.path, verify=True)
    for name in (None, "word2vec"):
        assert same(opened.vectors(name), made)
        assert same(vectors.open_vectors(index.path, name), made)
    assert opened.vectors().provenance == made.provenance
    assert opened.check(deep=True).ok
    assert [path.name for path in (index.path / "training" / "word2vec").iterdir()] == ["writer.lock"]


def test_an_index_says_which_vectors_it_has(index):
    index.train(name="mine", **SMALL, seed=3)
    (told,) = json.loads(json.dumps(describe(Index.open(index.path))))["artefacts"]
    assert told["created"] >= index.snapshot.manifest.created
    assert {key: told[key] for key in ("name", "kind", "seed", "parameters", "generation")} == {
        "name": "mine",
        "kind": "word-vectors",
        "seed": 3,
        "parameters": json.loads(json.dumps(dict(index.vectors().provenance))),
        "generation": 1,
    }


def test_documents_that_another_writer_adds_meanwhile(index):
    def add(_progress):
        if "new" not in Index.open(index.path):
            Index.open(index.path).add(NEW)

    made = index.train(**SMALL, progress=add)
    assert "comet" not in made
    assert (entry(index).generation, made.provenance["generation"], made.provenance["documents"]) == (1, 1, 20)
    assert (len(index), index.snapshot.generation, "new" in index) == (21, 3, True)
    assert "comet" in index.train(**SMALL)
    assert entry(index).generation == 3


def test_training_again_replaces(index):
    index.train(**SMALL)
    files = set(stored(index))
    made = index.train(**{**SMALL, "dim": 4})
    assert index.vectors().dim == made.dim == 4
    assert entry(index).generation == 2
    assert len(stored(index)) == len(files)
    assert set(stored(index)) != files


def test_layers_and_fields(index):
    terms = {name: set(index.view(name).terms()) for name in ("main", "words")}
    assert "the" in terms["words"] - terms["main"]
    words = index.train(**SMALL, layer="words", name="words")
    assert set(words.words) == terms["words"]
    assert (words.provenance["layer"], words.provenance["analyzer"]["name"]) == ("words", "plain")
    for fields in (["title"], "title", {"title": 3.0}, {"title": 1, "text": 0}):
        made = index.train(**SMALL, layer="words", fields=fields)
        assert set(made.words) == {"the", "sun", "moon", "cities", "songs"}
        assert made.provenance["fields"] == ["title"]
    assert index.train(**SMALL, fields=["text", "title"]).provenance["fields"] == ["title", "text"]


WRONG = [
    ({"kind": "word2vek"}, r"unknown way of training 'word2vek'; did you mean 'word2vec'\? Known: .*word2vec"),
    ({"dimm": 8}, r"word2vec has no parameter 'dimm'. It has: architecture, dim, "),
    ({"dim": 0}, "word2vec: dim must be a whole number from 1 to 10000, got 0"),
    ({"dim": "8"}, "word2vec: dim must be a whole number"),
    ({"architecture": "glove"}, "architecture must be one of skip-gram, cbow"),
    ({"layer": "nope"}, "the index has no layer 'nope'. It has: main, words"),
    ({"fields": ["body"]}, "the index has no field 'body'. It has: title, text"),
    ({"fields": []}, "no word stands at least min_count=1 times in the 0 tokens"),
    ({"fields": {"title": -1}}, "weight"),
    ({"threads": 0}, "threads must be a whole number from 1 to 1024, got 0"),
    ({"min_count": 1000}, "train on more text, or lower min_count"),
]


@pytest.mark.parametrize(("wrong", "told"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_told_and_changes_nothing(index, wrong, told):
    with pytest.raises(UsageError, match=told):
        index.train(**{**SMALL, **wrong})
    assert not Index.open(index.path).snapshot.manifest.artefacts
    assert index.snapshot.generation == 1
    assert not app.has_checkpoint(index.path, "word2vec")


BAD_NAMES = ["a/b", "../x", "..", ".hidden", "-x", "_x", "a b", "a\n", "a\0b", "é", "x" * 65, "x" * 5000, " "]


@pytest.mark.parametrize("name", BAD_NAMES, ids=lambda name: ascii(name[:20]))
def test_names_that_are_no_names_of_files_are_refused(index, glove, tmp_path, name):
    index.train(**SMALL)
    before = stored(index)
    for act in (
        lambda: index.train(**SMALL, name=name),
        lambda: index.import_vectors(glove, name=name),
        lambda: vectors.process_in(index, ["unit"], "word2vec", name),
        lambda: app.has_checkpoint(index.path, name),
    ):
        with pytest.raises(UsageError, match="the name of vectors has up to 64 ASCII letters, digits"):
            act()
    assert stored(index) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["glove.txt", "x.index"]
    assert [path.name for path in (index.path / "training").iterdir()] == ["word2vec"]


@pytest.mark.parametrize("name", ["a", "7", "glove.6B-50d_x", "x" * 64, "checkpoint"])
def test_names_that_will_do(index, name):
    made = index.train(**SMALL, name=name)
    assert same(Index.open(index.path).vectors(name), made)


@pytest.mark.parametrize("kind", [Word2Vec, None, 5])
def test_a_kind_that_is_none(index, kind):
    with pytest.raises(UsageError, match="what to train is a name"):
        index.train(kind)


def test_an_index_in_memory():
    index = Index.build(RECORDS)
    first = index.train(**SMALL)
    assert same(index.train(**SMALL, restart=True, name="again"), first) is False  # another generation is told
    assert np.array_equal(index.vectors("again").space(), first.space())
    assert index.neighbours("moon", vectors="again").keys() == {"in-in", "out-out", "in-out"}
    assert not (index.path / "training").exists()


def test_an_index_that_holds_nothing():
    for index in (Index.build([]), Index.build([{"id": "a", "text": "the"}])):
        with pytest.raises(UsageError, match="in the 0 tokens of the text: add documents with words"):
            index.train(**SMALL)


def test_documents_that_come_and_go_later_leave_the_vectors_as_they_are(index):
    made = index.train(**SMALL)
    index.add(NEW)
    index.delete([record["id"] for record in RECORDS[:15]])
    index.merge()
    index.add_layer("pieces", "letters")
    found = Index.open(index.path)
    assert same(found.vectors(), made)
    assert entry(found).generation == 1
    assert found.neighbours("moon")["in-in"][0].word == "moon"
    assert found.check(deep=True).ok


def test_only_living_documents_are_trained_on(index):
    index.delete([record["id"] for record in RECORDS if record["title"] == "The moon"])
    made = index.train(**SMALL)
    assert "york" not in made
    assert made.provenance["documents"] == 15
    assert made.provenance["tokens"] == index.view().total_length


def test_an_index_that_is_built_anew_has_none(index):
    index.train(**SMALL)
    built = Index.build(RECORDS[:3], index.path, overwrite=True)
    with pytest.raises(NotFound, match="has no word vectors"):
        built.vectors()
    assert len(stored(built)) == len(built.snapshot.manifest.files())


def test_one_of_several_must_be_named(index, glove):
    first, second = index.train(**SMALL), index.import_vectors(glove)
    for ask in (
        index.vectors,
        lambda: index.neighbours("moon"),
        index.oov,
        lambda: vectors.neighbours(index.path, "moon"),
        lambda: vectors.oov_report(index.path),
        lambda: vectors.open_vectors(index.path),
        lambda: vectors.process_in(index, ["unit"], None, None),
    ):
        with pytest.raises(UsageError, match=r"x\.index has several word vectors; name one: word2vec, vectors"):
            ask()
    assert same(index.vectors("word2vec"), first)
    assert same(index.vectors("vectors"), second)
    with pytest.raises(NotFound, match=r"has no word vectors 'nope'\. It has: word2vec, vectors"):
        index.vectors("nope")


def test_an_index_without_any_says_what_to_do(index):
    for ask in (index.vectors, lambda: index.vectors("word2vec"), lambda: index.neighbours("moon"), index.oov):
        with pytest.raises(NotFound) as caught:
            ask()
        assert f"train some (aboutness train {index.path} word2vec)" in str(caught.value)
        assert f"import some (aboutness vectors import FILE -o {index.path})" in str(caught.value)


def test_one_thread_gives_the_same_bytes(original, tmp_path):
    files = []
    for name in ("a", "b"):
        index = Index.open(shutil.copytree(original, tmp_path / name))
        index.train(**SMALL, seed=5)
        (file,) = set(stored(index)) - set(stored(Index.open(original)))
        files.append(stored(index)[file])
    assert files[0] == files[1]
    first = index.vectors()
    other = index.train(**SMALL, seed=6)
    assert not np.array_equal(first.space(), other.space())


def test_a_way_of_training_as_an_object(index):
    how = Word2Vec(dim=4, min_count=1, epochs=1, seed=9)
    made = index.train(how, threads=1)
    assert (made.dim, entry(index).seed) == (4, 9)
    with pytest.raises(UsageError, match=r"word2vec has its parameters already, got \{'dim': 8\} besides"):
        index.train(how, dim=8)
    assert index.snapshot.generation == 2


def test_progress_is_told(index):
    told = []
    index.train(**SMALL, progress=told.append)
    total = 2 * index.view().total_length
    assert (told[-1].done, told[-1].total, told[-1].seconds_left) == (total, total, 0)
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert told[-1].per_second > 0


def test_a_training_that_diverges_leaves_no_checkpoint(index):
    with pytest.raises(Diverged):
        index.train(dim=8, min_count=1, rate=10, epochs=200, threads=1)
    assert not app.has_checkpoint(index.path, "word2vec")


# --- rows of documents ---------------------------------------------------------------------------------

ROWS = {"dim": 4, "min_count": 1, "epochs": 3, "threads": 1}


def test_rows_of_documents_are_kept_with_how_they_were_made(index):
    index.delete(["d0-0"])
    told = []
    made = index.train("pv", **ROWS, seed=7, progress=told.append)
    kept = entry(index, "pv")
    assert (kept.kind, kept.seed, kept.generation) == ("documents", 7, 2)
    assert kept.parameters == made.provenance
    assert made.provenance["training"] == "pv"
    assert made.provenance["parameters"]["dim"] == 4
    of_index = {"layer": "main", "fields": ["title", "text"], "documents": 19, "arrivals": 20, "generation": 2}
    assert {key: made.provenance[key] for key in of_index} == of_index
    assert "weights" not in made.provenance  # how much a field counts makes no difference
    wanted = PV(dim=4, min_count=1, epochs=3, seed=7).train(index.view(), threads=1)
    np.testing.assert_array_equal(made.rows, wanted.rows)
    assert made.arrivals.tolist() == list(range(1, 20))
    assert told[-1].done == told[-1].total
    assert [path.name for path in (index.path / "training" / "pv").iterdir()] == ["writer.lock"]


def test_what_was_trained_is_found_by_name(index):
    rows, words = index.train("pv", **ROWS), index.train(**SMALL)
    opened = Index.open(index.path, verify=True)
    assert isinstance(rows, DocumentSpace)
    assert isinstance(words, WordVectors)
    assert same(opened.trained("pv"), rows)
    assert same(opened.trained("word2vec"), words)
    assert opened.trained("pv").provenance == rows.provenance
    assert same(opened.vectors(), words)  # which are the only word vectors
    with pytest.raises(NotFound, match=r"has nothing trained with the name 'nope'\. It has: pv, word2vec"):
        opened.trained("nope")
    assert opened.check(deep=True).ok


def test_layers_fields_and_documents_in_memory(original):
    index = Index.build(RECORDS, layers={"words": "plain"})
    made = index.train(PV(dim=4, min_count=1), name="titles", layer="words", fields=["title"], threads=1)
    assert set(made.words) == {"the", "sun", "moon", "cities", "songs"}
    assert (made.provenance["layer"], made.provenance["fields"]) == ("words", ["title"])
    assert index.trained("titles") is made


def test_a_sample_of_documents(index):
    made = index.train("pv", **ROWS, sample=5)
    assert len(made) == 20
    assert made.provenance["parameters"]["sample"] == 5
    assert made.rows.any(axis=1).all()


def test_how_much_fields_count_is_kept_where_it_matters(index):
    made = index.train("lsa", dim=2, min_count=1, fields={"title": 3, "text": 1})
    assert made.provenance["weights"] == {"title": 3.0, "text": 1.0}
    assert made.provenance["fields"] == ["title", "text"]


def test_a_name_that_something_of_another_kind_has_is_refused(index, glove):
    def trained(_progress):
        raise AssertionError("trained")

    index.train("pv", **ROWS)
    index.train(**SMALL)
    before = stored(index)
    for act in (
        lambda: index.train("pv", **ROWS, name="word2vec", progress=trained),
        lambda: index.train(**SMALL, name="pv", progress=trained),
        lambda: index.import_vectors(glove, name="pv"),
        lambda: index.keep_vectors(load_vectors(glove), "pv"),
        lambda: vectors.process_in(index, ["unit"], "word2vec", "pv"),
    ):
        with pytest.raises(UsageError) as caught:
            act()
        assert "give them another name (--name), or remove the others first (aboutness vectors drop" in str(
            caught.value
        )
    assert stored(index) == before
    index.drop("pv")
    assert index.train(**SMALL, name="pv").dim == 8
    assert list(index.snapshot.manifest.artefacts) == ["word2vec", "pv"]


def test_a_name_that_is_taken_while_a_training_goes_on(index, glove):
    def take(_progress):
        other = Index.open(index.path)
        if "mine" not in other.snapshot.manifest.artefacts:
            other.import_vectors(glove, name="mine")

    with pytest.raises(UsageError, match="has word vectors with the name mine, and these are rows of documents"):
        index.train("pv", **ROWS, name="mine", progress=take)
    assert Index.open(index.path).vectors("mine").dim == 3
    assert app.has_checkpoint(index.path, "mine")  # so that nothing is lost
    index.drop("mine")
    assert len(index.train("pv", **ROWS, name="mine")) == 20


def test_rows_are_trained_again_and_dropped(index):
    index.train("pv", **ROWS)
    assert index.train("pv", **{**ROWS, "dim": 3}).dim == 3
    assert index.trained("pv").dim == 3
    index.drop("pv")
    assert index.snapshot.manifest.artefacts == {}
    with pytest.raises(NotFound, match="has nothing trained with the name 'pv'"):
        index.drop("pv")


def test_an_interrupted_training_of_rows_goes_on(original, tmp_path):
    def stop(_progress):
        raise KeyboardInterrupt

    rows = []
    for name, interrupted in (("a", True), ("b", False)):
        index = Index.open(shutil.copytree(original, tmp_path / name))
        if interrupted:
            with pytest.raises(KeyboardInterrupt):
                index.train("epv", **ROWS, progress=stop)
            assert app.has_checkpoint(index.path, "epv")
            assert index.snapshot.generation == 1
        rows.append(index.train("epv", **ROWS).arrays())
        assert not app.has_checkpoint(index.path, "epv")
    assert all(np.array_equal(rows[0][name], rows[1][name]) for name in rows[0])


def test_the_words_of_rows_are_word_vectors_by_their_name(index):
    made = index.train("pv", **ROWS)
    assert same(index.vectors("pv"), made.words.with_provenance(**made.provenance))
    assert list(index.neighbours("Cities", vectors="pv")) == ["out-out"]
    assert vectors.neighbours(index.path, "Cities", name="pv")["out-out"][0].word == "citi"
    assert {row.unknown_types for row in index.oov("pv")} == {0}
    with pytest.raises(NotFound, match="has no word vectors; train some"):
        index.vectors()


def test_rows_of_documents_need_an_index(tmp_path):
    with pytest.raises(UsageError, match=r"pv makes rows of documents.* then run: aboutness train DIR pv"):
        app.train_on_sources(PV(), ["nope"], tmp_path / "x.safetensors")


# --- train on anything ---------------------------------------------------------------------------------


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for n, (title, text) in enumerate(LINES):
        (folder / f"{n}.txt").write_text(f"{title}\n\n{text}\n")
    return folder


def test_train_on_sources(texts, tmp_path):
    how, target = Word2Vec(dim=4, min_count=1, epochs=2), tmp_path / "v.safetensors"
    made = app.train_on_sources(how, [str(texts)], target, analyzer="english", threads=1)
    assert {"citi", "moon", "harbour"} <= set(made.words)
    assert (made.provenance["analyzer"]["name"], made.provenance["sources"]) == ("english", ["texts"])
    assert same(vectors.open_vectors(target), made)
    again = app.train_on_sources(how, [str(texts)], tmp_path / "w.safetensors", analyzer="english", threads=1)
    assert same(again, made)
    assert (tmp_path / "v.safetensors").read_bytes() == (tmp_path / "w.safetensors").read_bytes()
    assert "cities" in app.train_on_sources(how, [str(texts)], target, threads=1)


def test_a_training_on_sources_goes_on_from_its_checkpoint(texts, tmp_path):
    def stop(_progress):
        raise KeyboardInterrupt

    how, kept = Word2Vec(dim=4, min_count=1, epochs=50), tmp_path / "kept.safetensors"
    arguments = {"threads": 1, "checkpoint": kept}
    with pytest.raises(KeyboardInterrupt):
        app.train_on_sources(how, [str(texts)], tmp_path / "a.safetensors", tell=stop, **arguments)
    assert kept.exists()
    assert not (tmp_path / "a.safetensors").exists()
    app.train_on_sources(how, [str(texts)], tmp_path / "a.safetensors", **arguments)
    assert not kept.exists()
    app.train_on_sources(how, [str(texts)], tmp_path / "b.safetensors", threads=1)
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_names_of_files_are_checked_before_the_training(texts, tmp_path):
    def trained(_progress):
        raise AssertionError("trained")

    how, sources = Word2Vec(dim=4, min_count=1), [str(texts)]
    target = tmp_path / "v.safetensors"
    for where, options in (
        (tmp_path / "v.bin", {}),
        (target, {"checkpoint": tmp_path / "c.bin"}),
    ):
        with pytest.raises(UsageError, match=r"\.safetensors"):
            app.train_on_sources(how, sources, where, tell=trained, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["texts"]


def test_a_checkpoint_in_the_place_of_the_result_loses_nothing(texts, tmp_path):
    target = tmp_path / "v.safetensors"
    with contextlib.suppress(UsageError):
        app.train_on_sources(Word2Vec(dim=4, min_count=1), [str(texts)], target, checkpoint=target)
        assert target.exists()


def test_the_folder_of_the_result_is_looked_for_before_the_training(texts, tmp_path):
    told = []
    with pytest.raises((NotFound, UsageError, StorageError)):
        app.train_on_sources(
            Word2Vec(dim=4, min_count=1), [str(texts)], tmp_path / "no" / "v.safetensors", tell=told.append
        )
    assert told == []


def test_words_in_a_file_go_through_the_analyzer_it_was_trained_with(texts, tmp_path):
    how, target = Word2Vec(dim=4, min_count=1, epochs=2), tmp_path / "v.safetensors"
    app.train_on_sources(how, [str(texts)], target, analyzer="english", threads=1)
    assert vectors.neighbours(target, "cities")["in-in"][0].word == "citi"


def test_the_list_is_that_of_the_registry():
    assert [one["name"] for one in app.trainers()] == list(TRAINERS)
    for one, made in zip(app.trainers(), TRAINERS.values(), strict=True):
        assert one["summary"]
        assert one["source"]
        assert [parameter["name"] for parameter in one["parameters"]] == [known.name for known in made.declared()]
    assert json.dumps(app.trainers())
    assert [one["name"] for one in app.trainers(["lsa", "pv"])] == ["lsa", "pv"]
    with pytest.raises(UsageError, match="unknown way of training 'lsi'"):
        app.trainers(["lsi"])
