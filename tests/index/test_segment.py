from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.index.layer import layer_roles
from aboutness.index.segment import pack_ids
from aboutness.text.strings import unpack


@pytest.fixture
def segment():
    index = Index.build(
        [
            Document("a", {"title": "T", "text": "ünï"}, {"k": [1, "x"], "m": True}),
            Document("b", {"text": "only text"}),
            Document("c", {"title": "only title"}, {"k": 1.0}),
            Document("日本", {"text": "日本語"}, {"k": []}),
        ]
    )
    index.delete("b")
    (segment,) = index.snapshot.segments
    return segment


def test_documents_by_number_the_dead_included(segment):
    names = ["title", "text"]
    assert (len(segment), segment.live, segment.fields) == (4, 3, 2)
    assert segment.documents(np.array([0]), names)[0] == Document(
        "a", {"title": "T", "text": "ünï"}, {"k": [1, "x"], "m": True}
    )
    assert segment.documents(np.array([1]), names)[0] == Document("b", {"text": "only text"})
    assert segment.documents(np.array([3]), [*names, "later"])[0] == Document(
        "日本", {"text": "日本語"}, {"k": []}
    )
    assert segment.dead_mask().tolist() == [False, True, False, False]


def test_living_documents_are_found_by_id(segment):
    assert segment.find_live(*pack_ids(["日本", "b", "c", "", "A", "\ud800x"])).tolist() == [3, -1, 2, -1, -1, -1]


def test_values_by_key(segment):
    values = {key: [(type(v), v) for _, v in found] for key, found in segment.values_by_key.items()}
    assert values == {"k": [(int, 1), (str, "x"), (float, 1.0)], "m": [(bool, True)]}


def test_ids_are_packed_even_those_that_no_document_can_have():
    data, ends = pack_ids(["a", "\ud800b", "ü"])
    assert unpack(data, ends) == ["a", "", "ü"]
    assert ends.dtype == np.int64


def test_roles():
    assert layer_roles("main") == ("stream:main", "postings:main")
