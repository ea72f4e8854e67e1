"""The ranker that is taken where none is chosen."""

from __future__ import annotations

import pytest

import aboutness as ab
from aboutness.app.needed import needs
from aboutness.core.errors import UsageError
from aboutness.rank.bound import bind
from aboutness.rank.default import lacking
from aboutness.vectors.own import LETTERS, PAIRS

RECORDS = [
    {"id": "a", "title": "Cities", "text": "the largest cities of New Mexico are in the desert"},
    {"id": "b", "title": "Deserts", "text": "a desert in Mexico with little rain"},
    {"id": "c", "title": "Songs", "text": "an old song about a river"},
    {"id": "d", "title": "Rivers", "text": "the river runs through the desert to the sea"},
    {"id": "e", "title": "Metropolitan areas", "text": "the metropolis and the metropolitan area of a large city"},
]


@pytest.fixture
def index():
    return ab.Index.build(RECORDS)


def test_without_training_bm25_answers_and_says_so(index):
    hits, same = index.search("desert city"), index.search("desert city", ranker="bm25")
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in same]
    assert hits.note == f"default is not trained here, so bm25 answers; run: aboutness train {index.path} default"
    assert hits.to_json()["note"] == hits.note
    assert same.note is None
    assert "note" not in same.to_json()
    assert hits[0].explain() == same[0].explain()
    assert lacking(index.snapshot)


def test_training_brings_all_that_it_needs(index):
    made = index.train("default", threads=1)
    assert (len(made), made.provenance["training"]) == (5, "default")
    layers = index.snapshot.manifest.layers
    assert list(layers) == ["terms" if "terms" in layers else next(iter(layers)), LETTERS, PAIRS]
    assert index.view(LETTERS).analyzer.letters == (4, 4)
    pairs = index.view(PAIRS).analyzer
    assert (pairs.words, pairs.stemmer, pairs.name) == ((2, 2), "english", "english[words=2]")
    assert pairs.terms("New Mexico City") == ["new mexico", "mexico citi"]
    assert not lacking(index.snapshot)
    assert index.search("desert").note is None
    assert needs([ab.Default()], index.snapshot.trained) == {}
    index.train("default", threads=1)  # anew, with the layers that are there
    assert list(index.snapshot.manifest.layers) == list(layers)


def test_it_is_the_expression_that_it_stands_for(index):
    index.train("default", threads=1)
    made = str(ab.Default().for_index(index.snapshot))
    read = "fields=3*title+1*text"
    assert made == (
        f"feedback(best(bm25[{read},k1=1.6,b=0.6] % 1000) + 0.3*best(bm25[layer=default-letters,{read}] % 1000) + "
        f"0.2*best(bm25[layer=default-pairs,{read}] % 1000), lsa[vectors=default])"
    )
    for query in ("desert city", "metropol", "unheard"):
        found, same = index.search(query), index.search(query, ranker=made)
        assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in same]
        for hit, other in zip(found, same, strict=True):
            why = hit.explain()
            assert why == other.explain()
            assert why.total == pytest.approx(why.score, abs=1e-5)


def test_pieces_of_words_find_what_words_do_not(index):
    assert not index.search("metropolises unheard", ranker="bm25")
    index.train("default", threads=1)
    assert index.search("metropolises unheard")[0].id == "e"


def test_fields_that_are_said_count_as_said(index):
    index.train("default", threads=1)
    made = str(ab.Default(fields="title").for_index(index.snapshot))
    assert made.count("fields=title") == 3
    assert [hit.id for hit in index.search("deserts", fields="title")] == ["b"]


def test_an_index_without_titles():
    index = ab.Index.build([{"id": one["id"], "text": one["text"]} for one in RECORDS])
    index.train("default", threads=1)
    assert "fields" not in str(ab.Default().for_index(index.snapshot))
    assert index.search("desert")


def test_documents_that_come_later_are_found_and_are_folded_in(index):
    index.train("default", threads=1)
    index.add([{"id": "f", "title": "Rain", "text": "rain in the desert of Mexico"}])
    hits = index.search("rain in the desert")
    assert (hits.note, hits[0].id) == (None, "f")
    rows = bind(ab.LSARanker(vectors="default"), index.snapshot).rows
    assert rows.present.all()


def test_lsa_does_not_take_it_for_its_own_unless_it_is_named(index):
    index.train("default", threads=1)
    with pytest.raises(ab.AboutnessError, match="lsa needs documents to be trained on"):
        index.search("desert", ranker="lsa")
    assert index.search("desert", ranker="lsa[vectors=default]")


def test_other_analyzers():
    for name in ("plain", "german", "krovetz", "english[words=1-2]"):
        index = ab.Index.build(RECORDS, analyzer=name)
        index.train("default", threads=1)
        assert index.view(PAIRS).analyzer.words == (2, 2)
        assert index.search("desert")[0].id in ("b", "a", "d")


def test_in_a_comparison_it_is_trained(tmp_path):
    from experiment.small import write_collection

    place = write_collection(tmp_path / "small")
    table = ab.compare(["default", "bm25"], place)
    assert [str(row.ranker) for row in table.rows] == ["default", "bm25"]
    assert table.note is None
    there = ab.compare(["default", "bm25"], place, index=ab.Index.build(ab.collection(place).documents()))
    assert there.note.startswith("default is not trained here, so bm25 answers")


def test_a_layer_that_is_not_there():
    with pytest.raises(UsageError, match="no layer"):
        ab.Index.build(RECORDS).search("desert", ranker="default[layer=x]")
