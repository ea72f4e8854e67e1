from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput
from aboutness.corpus.keys import Keys, Roles, roles


@pytest.mark.parametrize(
    ("names", "keys", "expected"),
    [
        (["text", "_id", "title"], Keys(), Roles("_id", ("title", "text"), ())),
        (["id", "_id", "text"], Keys(), Roles("_id", ("text",), ("id",))),
        (["docid", "docno", "text"], Keys(), Roles("docno", ("text",), ("docid",))),
        (["id", "title", "body"], Keys(), Roles("id", ("title", "body"), ())),
        (["id", "body", "abstract"], Keys(), Roles("id", ("abstract", "body"), ())),
        (["id", "contents", "year", "title"], Keys(), Roles("id", ("title", "contents"), ("year",))),
        (
            ["contents", "body", "text", "abstract", "title", "id", "summary"],
            Keys(),
            Roles("id", ("title", "abstract", "text", "body", "contents"), ("summary",)),
        ),
        (["id", "title", "body"], Keys(fields=("body",)), Roles("id", ("body",), ("title",))),
        (["id", "key", "text"], Keys(id_key="key"), Roles("key", ("text",), ("id",))),
        (["id", "text", "a", "b"], Keys(fields=("b", "a")), Roles("id", ("b", "a"), ("text",))),
        (["id", "a"], Keys(fields=("b", "a")), Roles("id", ("a",), ())),
    ],
)
def test_roles(names, keys, expected):
    assert roles(names, keys) == expected


def test_a_missing_id_names_what_was_looked_for_and_found():
    with pytest.raises(
        BadInput,
        match=r"no id: none of '_id', 'id', 'docno', 'docid' among 'a', 'b'; name it with --id-key \(id_key= in Python\)",
    ):
        roles(["a", "b"], Keys())
    with pytest.raises(BadInput, match="none of 'nr' among 'id'"):
        roles(["id"], Keys(id_key="nr"))


def test_missing_text_names_what_was_looked_for_and_found():
    with pytest.raises(
        BadInput,
        match=r"no text: none of 'title', 'abstract', 'text', 'body', 'contents' among 'id', 'x'; name it with --field \(fields= in Python\)",
    ):
        roles(["id", "x"], Keys())
    with pytest.raises(
        BadInput, match=r"no text: none of 'words' among 'id', 'text'; name it with --field \(fields= in Python\)"
    ):
        roles(["id", "text"], Keys(fields=["words"]))


def test_long_lists_of_keys_are_cut():
    with pytest.raises(BadInput, match=r"… \(500\)"):
        roles([f"k{number}" for number in range(500)], Keys())
