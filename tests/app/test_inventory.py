"""What an index holds and how it is, told without its folder."""

from __future__ import annotations

import json
from collections import Counter

from aboutness.app.describe import describe
from aboutness.app.index import Index
from aboutness.app.inventory import health, inventory, vocabulary, without_folder


def test_it_is_what_info_tells_but_for_the_folder(index):
    told = inventory(index, "sky")
    assert told.pop("index") == "sky"
    assert told == {key: value for key, value in describe(index).items() if key != "index"}


def test_it_is_found_out_once_for_each_generation(index, monkeypatch):
    calls = []
    monkeypatch.setattr("aboutness.app.inventory.describe", lambda one: calls.append(1) or describe(one))
    assert inventory(index, "a")["index"] == "a"
    assert inventory(index, "b")["index"] == "b"
    assert len(calls) == 1
    index.delete("d0-0")
    assert inventory(index, "a")["documents"] == 19
    assert len(calls) == 2


def test_frequent_terms_are_those_that_most_documents_have(index):
    index.delete("d0-0")
    words = next(one for one in vocabulary(index, 5) if one["layer"] == "words")
    documents = Counter[str]()
    tokens = Counter[str]()
    analyzer = index.snapshot.analyzer("words")
    for document in index:
        terms = [term for text in document.fields.values() for term in analyzer.terms(text)]
        documents.update(set(terms))
        tokens.update(terms)
    assert words["terms"] == len(documents)
    best = [count for _, count in documents.most_common(5)]
    assert [one["documents"] for one in words["frequent"]] == best
    for one in words["frequent"]:
        assert (one["documents"], one["tokens"]) == (documents[one["term"]], tokens[one["term"]])


def test_a_sound_index_is_well(index):
    told = health(index, "sky")
    assert (told["ok"], told["problems"], told["generation"], told["documents"]) == (True, [], 1, 20)
    assert told["changed"].startswith("20")


def test_damage_is_told_without_the_folder(index):
    file = next((index.path / "arrays").iterdir())
    file.write_bytes(file.read_bytes()[:-1])
    told = health(index, "sky")
    assert not told["ok"]
    assert file.name in told["problems"][0]
    assert str(index.path.parent) not in json.dumps(told)


def test_messages_have_the_name_in_the_place_of_the_folder(index, monkeypatch):
    monkeypatch.chdir(index.path.parent)
    for opened in (index, Index.open(index.path.name)):
        told = without_folder(
            f"{index.path.resolve()}/training/x is of another training. Start anew.", opened, "sky"
        )
        assert told == "sky/training/x is of another training. Start anew."
    monkeypatch.chdir(index.path)
    assert without_folder("unchanged. Start anew.", Index.open("."), "sky") == "unchanged. Start anew."
