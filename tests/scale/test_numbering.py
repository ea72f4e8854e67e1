from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import BadInput
from aboutness.scale.numbering import ShardNumbers, Vocabulary, fields_of, ids_taken


def shards_of(*parts):
    return [Index.build([{"id": i, **texts} for i, texts in part.items()]).snapshot for part in parts]


def test_ids_that_stand_in_a_shard_before():
    some = {"text": "x"}
    shards = shards_of({"a": some, "b": some}, {"c": some}, {"b": some, "d": some, "c": some}, {"b": some})
    assert ids_taken(shards) == [(), (), ("b", "c"), ("b",)]
    assert ids_taken(shards[:2]) == [(), ()]
    assert ids_taken([]) == []


def test_fields_come_in_the_order_of_the_shards():
    shards = shards_of({"a": {"text": "x"}}, {"b": {"title": "x", "text": "y"}}, {"c": {"body": "x"}})
    found = fields_of({"body": 2.0}, shards, [["text"], ["title", "text"], ["body"]])
    assert [list(field.names) for field in found] == [["body", "text"], *[["body", "text", "title"]] * 2]
    assert found[0].names["body"] == 2.0
    assert [field.places for field in found] == [[-1, 0], [-1, 1, 0], [0, -1, -1]]
    assert [field.in_order for field in found] == [True, False, True]


def test_a_field_that_no_document_has_is_none():
    shards = [Index.build([{"id": "a", "text": ""}]).snapshot]
    assert list(fields_of({}, shards, [[]])[0].names) == ["text"]  # an index has one, in any case
    assert list(fields_of({"title": 1.0}, shards, [[]])[0].names) == ["title"]


def test_too_many_fields():
    shards = shards_of({"a": {"text": "x"}}, {"b": {"text": "x"}})
    with pytest.raises(BadInput, match="at most 64 text fields"):
        fields_of({}, shards, [[f"f{i}" for i in range(40)], [f"g{i}" for i in range(40)]])


def test_terms_have_the_numbers_of_their_first_appearance(tmp_path):
    shards = shards_of(
        {"a": {"text": "sun moon sun"}}, {"b": {"text": "star moon"}, "c": {"text": "sea star sun"}}
    )
    vocabulary = Vocabulary(["main"])
    names = [vocabulary.take_in(shard, tmp_path, f"d{i}") for i, shard in enumerate(shards)]
    assert vocabulary.terms["main"].strings() == ["sun", "moon", "star", "sea"]
    numbering = ShardNumbers(tmp_path / names[1]).of(shards[1].segments[0], 0)["main"]
    assert numbering.numbers.tolist() == [2, 1, 3, 0]  # of star, moon, sea, sun
    assert list(numbering.new_terms) == ["star", "sea"]
    assert Vocabulary(["main"]).take_in(shards[1], tmp_path, "d1") != names[1]  # other numbers, another name
