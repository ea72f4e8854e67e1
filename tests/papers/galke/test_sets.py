from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.papers.galke import planted

from aboutness.experiment.collection import collection
from aboutness.papers.galke2017.embeddings import (
    GLV,
    W2V,
    Embedding,
    embeddings,
    with_shared_words,
    without_the_top,
)
from aboutness.papers.galke2017.sets import LONG, SHORT, STAND_INS, Setting, data_sets
from aboutness.papers.paper import Work
from aboutness.vectors.load import load_vectors


def test_the_stand_ins(data_folder: Path, tmp_path: Path) -> None:
    found = data_sets(Work(data=data_folder), 100_000, tmp_path)
    assert [one.name for one in found] == [one.name for one in STAND_INS]
    assert [str(setting) for one in found for setting in one.settings] == [
        "SciFact, title",
        "SciFact, abstract",
        "YSO Economics, title",
        "Reuters-21578, title",
        "Reuters-21578, full-text",
    ]
    assert [one.beside("") for one in found] == ["NTCIR2, long queries", "Economics", "Reuters"]
    named = data_sets(Work(data=data_folder, on=("yso_econ",)), 100_000, tmp_path)
    assert named == [found[1]]


def test_those_who_have_ntcir_get_both_forms_beside_both_tables(tmp_path: Path) -> None:
    folder = planted.ntcir(tmp_path / "ntcir2", 8)
    (found,) = data_sets(Work(on=(str(folder),)), 100, tmp_path)
    assert found.settings == [
        Setting("ntcir2", SHORT, "title"),
        Setting("ntcir2", LONG, "title"),
        Setting("ntcir2", SHORT, "abstract"),
        Setting("ntcir2", LONG, "abstract"),
    ]
    assert found.forms == {SHORT: "short", LONG: "long"}
    assert [found.beside(form) for form in found.forms] == ["NTCIR2, short queries", "NTCIR2, long queries"]


def test_stories_are_drawn_where_there_are_more(tmp_path: Path) -> None:
    folder = planted.rcv1(tmp_path / "rcv1", 40)
    (whole,) = data_sets(Work(on=(str(folder),)), 40, tmp_path)
    assert whole.source == str(folder)
    assert whole.fields == {"title": "title", "full-text": "title+text"}
    (found,) = data_sets(Work(on=(str(folder),)), 10, tmp_path)
    drawn, before = collection(found.source), collection(folder)
    assert (found.domain, found.beside("")) == (whole.domain, "Reuters")
    ids = [one.id for one in drawn.documents()]
    assert len(ids) == 10
    assert set(ids) < {one.id for one in before.documents()}
    for query, judged in drawn.qrels.items():
        assert judged == {one: grade for one, grade in before.qrels[query].items() if one in ids}
    again = tmp_path / "again"
    again.mkdir()
    (same,) = data_sets(Work(on=(str(folder),)), 10, again)
    assert [one.id for one in collection(same.source).documents()] == ids


def test_a_collection_with_one_form_and_one_field(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "a text"}\n')
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "text"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("q\td\t1\n")
    (found,) = data_sets(Work(on=(str(tmp_path),)), 10, tmp_path)
    assert (found.fields, found.forms, found.beside("")) == ({"full-text": "text"}, {"": "text"}, "")


@pytest.mark.parametrize(
    ("files", "keys"),
    [
        (["glove.840B.300d.txt", "GoogleNews.txt"], [GLV, W2V]),
        (["mine.txt", "word2vec.txt"], ["mine", W2V]),
        (["word2vec-a.txt", "word2vec-b.txt"], [W2V, "word2vec-b"]),
    ],
)
def test_embeddings_are_told_by_their_files(tmp_path: Path, files: list[str], keys: list[str]) -> None:
    paths = [str(planted.embedding(tmp_path / name)) for name in files]
    assert [one.key for one in embeddings(Work(embeddings=tuple(paths)))] == keys


def test_what_is_made_of_embeddings(tmp_path: Path) -> None:
    first = planted.embedding(tmp_path / "glove.txt")
    second = planted.embedding(tmp_path / "word2vec.txt", without=planted.WITHOUT_VECTOR, seed=4)
    both = embeddings(Work(embeddings=(str(first), str(second))))
    assert [one.words for one in both] == [50, 48]
    shared = with_shared_words(both, tmp_path)
    assert [one.words for one in shared] == [48, 48]
    words = [set(load_vectors(one.file)) for one in shared]
    assert words[0] == words[1]
    assert not planted.WITHOUT_VECTOR & words[0]
    assert [Embedding("x", "", 5, dim).top for dim in (20, 100, 300)] == [1, 1, 3]
    changed = load_vectors(without_the_top(both[0], tmp_path).file)
    assert abs(changed.space().mean(axis=0)).max() < 1e-5
    assert with_shared_words(both[:1], tmp_path) == []
