"""The ranker that is taken where none is chosen."""

from __future__ import annotations

import numpy as np
import pytest

import aboutness as ab
from aboutness.app.needed import needs
from aboutness.core.errors import UsageError
from aboutness.rank.bound import bind
from aboutness.text.strings import StringTable
from aboutness.vectors.own import LETTERS, PAIRS, WORDS

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
    assert hits.note == 'default is not trained here, so bm25 answers; run: index.train("default")'
    assert hits.to_json()["note"] == hits.note
    assert same.note is None
    assert "note" not in same.to_json()
    assert hits[0].explain() == same[0].explain()
    assert ab.Default().lacks(index.snapshot)


def test_training_brings_all_that_it_needs(index):
    made = index.train("default", threads=1)
    assert (len(made), made.provenance["training"]) == (5, "default")
    layers = index.snapshot.manifest.layers
    assert list(layers)[1:] == [LETTERS, PAIRS]
    assert index.view(LETTERS).analyzer.terms("the cities") == [" cit", "citi", "itie", "ties", "ies "]
    pairs = index.view(PAIRS).analyzer
    assert (pairs.words, pairs.stemmer, pairs.name) == ((2, 2), "english", "english[words=2]")
    assert pairs.terms("New Mexico City") == ["new mexico", "mexico citi"]
    assert not ab.Default().lacks(index.snapshot)
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
    index.train(ab.Own(dim=150), threads=1)  # as many as documents: none is like another, so only words count
    made = str(ab.Default(fields="title").for_index(index.snapshot))
    assert made.count("fields=title") == 3
    assert [hit.id for hit in index.search("deserts", fields="title")] == ["b"]
    assert len(index.search("deserts")) > 1


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


@pytest.mark.parametrize("name", ["plain", "german", "krovetz", "english[words=1-2]"])
def test_other_analyzers(name):
    if name == "krovetz":
        pytest.importorskip("krovetzstemmer")
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


# --- with word vectors ---------------------------------------------------------------------------------------


@pytest.fixture
def vectors():
    words = {"metropolitan": [1.0, 0.1], "town": [1.0, 0.0], "desert": [0.0, 1.0], "wasteland": [0.1, 1.0]}
    return ab.WordVectors(StringTable.of(words), {"in": np.array(list(words.values()), np.float32)})


def test_imported_vectors_find_what_words_and_letters_do_not(index, vectors):
    assert not index.search("town", ranker="default-vectors")
    index.keep_vectors(vectors, "given")
    assert index.search("town").note is not None
    index.train("default-vectors", threads=1)
    assert list(index.snapshot.manifest.layers)[1:] == [LETTERS, PAIRS, WORDS]
    assert index.view(WORDS).analyzer.terms("Deserts and cities") == ["deserts", "cities"]
    hits = index.search("town", ranker="default-vectors")
    assert (hits[0].id, hits.note) == ("e", None)
    why = hits[0].explain()
    assert why.total == pytest.approx(why.score, abs=1e-5)
    assert any(part.name == "metropolitan (added)" for part in why.parts)
    assert not index.search("town", ranker=ab.Default())
    made = str(ab.DefaultVectors(vectors="given").for_index(index.snapshot))
    assert "0.3*best(nearest[vectors=given," in made
    assert "lsa[vectors=default-vectors]" in made
    same = index.search("town", ranker=made)
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in same]


def test_where_something_is_lacking_default_answers(index, vectors):
    def asked(ranker="default-vectors"):
        hits = index.search("desert city", ranker=ranker)
        return [(hit.id, hit.score) for hit in hits], hits.note

    get_some = f"import some: aboutness vectors import FILE -o {index.path}"
    found, note = asked()
    assert note == f"default-vectors needs vectors of whole words, so bm25 answers; {get_some}"
    assert found == asked("bm25")[0]
    index.train("default", threads=1)
    found, note = asked()
    assert note == f"default-vectors needs vectors of whole words, so default answers; {get_some}"
    assert found == asked("default")[0]
    index.train("word2vec", dim=4, min_count=1, threads=1)  # of stems
    assert asked() == (found, note)
    assert asked("default-vectors[vectors=word2vec]") == (found, note)
    index.keep_vectors(vectors, "given")
    run = 'run: index.train("default-vectors")'
    assert asked() == (found, f"default-vectors is not trained here, so default answers; {run}")
    index.train("default-vectors", threads=1)
    assert asked()[1] is None
    assert asked() == asked("default-vectors[vectors=given]")
    index.keep_vectors(vectors, "more")
    found, note = asked()
    assert found == asked("default")[0]
    assert note == (
        "default-vectors finds several word vectors, so default answers; name some: default-vectors[vectors=given]; "
        "there are given, more"
    )


def test_what_is_trained_for_default_vectors_serves_default_too(index):
    index.train("default-vectors", threads=1)
    assert index.search("desert city").note is None
    assert "lsa[vectors=default-vectors]" in str(ab.Default().for_index(index.snapshot))
    index.train("default", threads=1)
    assert "lsa[vectors=default]" in str(ab.Default().for_index(index.snapshot))


def test_the_expression_with_vectors(index, vectors):
    index.keep_vectors(vectors, "given")
    index.train("default-vectors", threads=1)
    read = "fields=3*title+1*text"
    assert str(ab.DefaultVectors().for_index(index.snapshot)) == (
        f"feedback(best(bm25[{read},k1=1.6,b=0.6] % 1000) + 0.3*best(bm25[layer=default-letters,{read}] % 1000) + "
        f"0.2*best(bm25[layer=default-pairs,{read}] % 1000) + 0.3*best(nearest[vectors=given,weight=1,threshold=0.4]"
        f"(bm25[layer=default-words,{read},k1=1.6,b=0.6]) % 1000), lsa[vectors=default-vectors])"
    )


def test_words_that_stop_are_no_pieces(index):
    index.train("default", threads=1)
    assert not index.search("of the")


def test_in_a_comparison_with_vectors(tmp_path, vectors):
    from experiment.small import write_collection

    place = write_collection(tmp_path / "small")
    table = ab.compare(["default-vectors", "default"], place, vectors=vectors)
    assert [str(row.ranker) for row in table.rows] == ["default-vectors", "default"]
    assert table.note is None  # though the first layer has stems
    alone = ab.compare(["default-vectors"], place)
    assert "default-vectors needs vectors of whole words, so default answers" in alone.note
