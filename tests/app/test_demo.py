from __future__ import annotations

import pytest

from aboutness.app.demo import WORDS, look_up
from aboutness.app.index import Index

DOCUMENTS = [
    {"id": "1", "title": "zlib", "text": "compress and decompress data with zlib, a long description"},
    {"id": "2", "title": "re", "text": "regular expressions"},
    {"id": "3", "title": "gzip", "text": "compressing"},
    {"id": "4", "title": "fnmatch", "text": "expression of another kind, not so regular, for names"},
    {"id": "5", "text": "compressed, without a title"},
]


@pytest.fixture(scope="module")
def index():
    return Index.build(DOCUMENTS)


def test_all_terms_must_stand_and_the_shortest_come_first(index):
    found = look_up(index, "Regular Expression")
    assert (found.phrase, found.terms, found.documents, found.titles) == (
        "Regular Expression",
        ["regular", "express"],
        2,
        ["re", "fnmatch"],
    )
    assert look_up(index, "compress").titles == ["gzip", "", "zlib"]
    assert look_up(index, "compress", most=1).titles == ["gzip"]
    assert look_up(index, "compress", most=1).documents == 3


@pytest.mark.parametrize("phrase", ["compress xyzzy", "xyzzy", "", "the"])
def test_nothing_is_found(index, phrase):
    found = look_up(index, phrase)
    assert (found.documents, found.titles) == (0, [])


def test_the_words_of_the_demonstration_are_words():
    index = Index.build([{"id": word, "text": word} for word in WORDS])
    assert [look_up(index, word).documents for word in WORDS] == [1] * len(WORDS)
