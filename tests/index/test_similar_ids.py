"""Which document is meant by an id that none has."""

from __future__ import annotations

import time

import pytest

from aboutness.app.index import Index
from aboutness.index import similar_ids
from aboutness.index.similar_ids import did_you_mean

IDS = ["sky/eclipse.md", "sky/moon.txt", "a1", "doc-0012", "x.md", "rivers of the north", "gone.md"]


@pytest.fixture(scope="module")
def snapshot():
    index = Index.build([{"id": one, "text": "x"} for one in IDS])
    index.delete("gone.md")
    return index.snapshot


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("sky/eclipse", "sky/eclipse.md"),
        ("eclipse", "sky/eclipse.md"),
        ("moon.txt", "sky/moon.txt"),
        ("notes/sky/moon.txt", "sky/moon.txt"),
        ("/home/me/notes/sky/moon.txt", "sky/moon.txt"),
        ("x", "x.md"),
        ("river of the north", "rivers of the north"),
        ("SKY/moon.txt", "sky/moon.txt"),
    ],
)
def test_the_one_that_is_meant(snapshot, given, meant):
    assert did_you_mean(snapshot, given) == f"; did you mean {meant!r}?"


@pytest.mark.parametrize("given", ["", "/", "a2", "doc-0013", "nobody", "gone", "z" * 5000, "/" * 5000])
def test_nothing_is_said_where_none_is_alike(snapshot, given):
    assert did_you_mean(snapshot, given) == ""


def test_large_indexes_are_not_scanned(snapshot, monkeypatch):
    monkeypatch.setattr(similar_ids, "MOST_SCANNED", 5)
    assert did_you_mean(snapshot, "eclipse") == ""
    assert did_you_mean(snapshot, "sky/eclipse") == "; did you mean 'sky/eclipse.md'?"


def test_it_takes_little_time():
    letters = "abcdefghij"
    names = [f"{a}{b}{c}{d}" for a in letters for b in letters for c in letters for d in letters]
    snapshot = Index.build([{"id": f"a folder of notes/on {one}.md" * 4, "text": "x"} for one in names]).snapshot
    start = time.process_time()
    did_you_mean(snapshot, "a folder of notes/on kkkk.md" * 4)
    took = time.process_time() - start
    assert took < 1.5, took
