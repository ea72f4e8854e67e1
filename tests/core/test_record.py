from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from aboutness.core.record import Document, Origin, Query


@pytest.mark.parametrize(
    ("origin", "text"),
    [(Origin("a.csv", 2), "a.csv:2"), (Origin("a.csv"), "a.csv"), (Origin("a.csv", 0), "a.csv")],
)
def test_origin_as_text(origin, text):
    assert str(origin) == f"{origin}" == text


def test_documents_are_equal_wherever_they_were_read():
    one = Document("d", {"text": "x"}, {"year": 1}, Origin("a", 1))
    assert (
        one
        == Document("d", {"text": "x"}, {"year": 1}, Origin("b", 2))
        == Document("d", {"text": "x"}, {"year": 1})
    )
    assert "origin" not in repr(one)


@pytest.mark.parametrize(
    "other",
    [
        Document("e", {"text": "x"}, {"year": 1}),
        Document("d", {"text": "y"}, {"year": 1}),
        Document("d", {"body": "x"}, {"year": 1}),
        Document("d", {"text": "x"}, {"year": 2}),
        Document("d", {"text": "x"}),
    ],
)
def test_documents_differ(other):
    assert other != Document("d", {"text": "x"}, {"year": 1})


def test_defaults_are_not_shared():
    assert Document("a", {}).metadata == {}
    assert Document("a", {}).metadata is not Document("b", {}).metadata
    assert Query("a", "x").forms is not Query("b", "x").forms


@pytest.mark.parametrize("record", [Document("d", {}), Query("q", "x")])
def test_records_are_frozen(record):
    with pytest.raises(FrozenInstanceError):
        record.id = "other"
