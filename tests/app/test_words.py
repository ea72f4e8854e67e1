from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.app.words import TRIED, find_words, frequent_words, in_documents, known_vectors
from aboutness.core.errors import NotFound, UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors
from app.sky import RECORDS, SMALL


@pytest.fixture(scope="module")
def sky() -> Index:
    """Documents on sun and moon, as stems and as words, and vectors of stems."""
    index = Index.build(RECORDS, layers={"words": "plain", "pieces": "plain[letters=4]"})
    index.train("word2vec", **SMALL)
    return index


def frequencies(index: Index, word: str) -> list[tuple[str, str, int, int]]:
    (asked,) = find_words(index, word).asked
    return [(one.layer, one.term, one.df, one.cf) for one in asked.frequencies]


@pytest.mark.parametrize("words", ["moon", "MOON", "sun - sea", "new songs + city"])
def test_neighbours_are_those_of_the_index(sky: Index, words: str) -> None:
    found = find_words(sky, words, 4)
    assert found.neighbours == sky.neighbours(words, 4)
    assert (found.known, found.message, found.vectors, found.documents) == (True, None, "word2vec", 20)
    told = found.to_json()
    assert told["neighbours"] == {
        pair: [{"word": one.word, "score": one.score} for one in near]
        for pair, near in sky.neighbours(words, 4).items()
    }
    assert (told["words"], told["known"], told["message"]) == (words, True, None)


def test_how_frequent_a_word_is_in_each_layer_of_words(sky: Index) -> None:
    assert frequencies(sky, "cities") == [("main", "citi", 10, 15), ("words", "cities", 10, 10)]
    assert frequencies(sky, "comet") == [("main", "comet", 0, 0), ("words", "comet", 0, 0)]
    assert frequencies(sky, "the") == [("words", "the", 20, 55)]


def test_how_frequent_neighbours_are(sky: Index) -> None:
    found = find_words(sky, "moon", 3)
    near = {one.word for of_pair in found.neighbours.values() for one in of_pair}
    assert found.frequencies.keys() == near
    assert found.frequencies["moon"] == (10, 15)
    assert found.to_json()["frequencies"]["moon"] == {"df": 10, "cf": 15}


def test_a_neighbour_can_be_asked_for_though_it_is_a_stem() -> None:
    index = Index.build([{"id": "a", "text": "generalising universes " * 9}])
    index.train("word2vec", **SMALL)
    stems = set(index.vectors())
    assert "univers" in stems
    assert index.view().analyzer.terms("univers") != ["univers"]
    for stem in stems:
        found = find_words(index, stem)
        assert (found.known, found.asked[0].terms) == (True, (stem,))
        assert [(one.term, one.df) for one in found.asked[0].frequencies] == [(stem, 1)]


def test_an_unknown_word_is_no_error(sky: Index) -> None:
    found = find_words(sky, "sun + mon - harbuor")
    assert (found.known, found.neighbours) == (False, {})
    with pytest.raises(NotFound) as refused:
        sky.neighbours("sun + mon - harbuor")
    assert found.message == str(refused.value)
    told = [(one.word, one.weight, one.known, one.suggestions) for one in found.asked]
    assert told == [("sun", 1, True, ()), ("mon", 1, False, ("moon",)), ("harbuor", -1, False, ("harbour",))]


def test_a_word_that_the_analyzer_leaves_out(sky: Index) -> None:
    found = find_words(sky, "the")
    assert found.message == "'the' has no vector: the analyzer 'english' leaves it out"
    assert [(one.terms, one.known, one.suggestions) for one in found.asked] == [((), False, ())]


@pytest.mark.parametrize("words", ["", "moon -"])
def test_what_is_no_word_is_refused(sky: Index, words: str) -> None:
    with pytest.raises(UsageError):
        find_words(sky, words)


def test_published_vectors_are_looked_up_in_any_case() -> None:
    index = Index.build(RECORDS, layers={"words": "plain"})
    words = StringTable.of(["cities", "Moon", "sea"])
    index.keep_vectors(WordVectors(words, {"in": np.eye(3, dtype=np.float32)}), "published")
    found = find_words(index, "MOON")
    assert (found.known, found.asked[0].terms, list(found.neighbours)) == (True, ("MOON",), ["in-in"])
    assert found.frequencies == {"cities": (10, 10), "sea": (15, 15)}  # in the layer of words, as they stand
    assert not find_words(index, "mooon").known


def test_the_vectors_of_an_index(sky: Index) -> None:
    assert [(one.name, one.dim, one.spaces) for one in known_vectors(sky)] == [("word2vec", 8, ("in", "out"))]
    index = Index.build(RECORDS)
    assert known_vectors(index) == []
    with pytest.raises(NotFound, match="train some"):
        find_words(index, "moon")
    index.train("lsa", dim=3)
    (rows,) = known_vectors(index)
    assert (rows.name, rows.kind, rows.to_json()["spaces"]) == ("lsa", "documents", ["in"])
    assert find_words(index, "moon", vectors="lsa").neighbours == index.neighbours("moon", vectors="lsa")
    with pytest.raises(NotFound, match="no word vectors"):
        find_words(index, "moon", vectors="nope")


def test_words_to_begin_with_are_frequent_but_not_everywhere() -> None:
    rare = [{"id": str(n), "text": f"the sun {'moons' if n < 2 else ''} {'harbour' if n == 2 else ''} 1999 ab"}
            for n in range(10)]  # fmt: skip
    index = Index.build(rare, analyzer="plain")
    index.train("word2vec", **SMALL)
    assert frequent_words(index, "word2vec") == ["moons", "harbour"]
    assert frequent_words(index, "word2vec", 1) == ["moons"]


def test_words_to_begin_with_come_by_frequency_however_many_there_are() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [f"word{a}{b}" for a in letters for b in letters]
    assert len(words) > TRIED
    texts = [" ".join(words), *([" ".join(words[7:9])] * 3), *(["filling"] * 20)]
    index = Index.build([{"id": str(n), "text": text} for n, text in enumerate(texts)], analyzer="plain")
    index.train("word2vec", **SMALL)
    assert frequent_words(index, "word2vec", 3) == [words[7], words[8], words[0]]


def test_pieces_of_a_word_are_not_the_word(sky: Index) -> None:
    assert [in_documents(sky, text) for text in ("a moon", "moonlight", "the", "")] == [True, False, False, False]
    assert sky.knows("moonlight")
