"""Runs that are made in pieces: what is finished is not done again."""

from __future__ import annotations

import pytest

from aboutness.app import pieces
from aboutness.app.comparing import run_queries
from aboutness.app.index import Index
from aboutness.core.advance import listening

QUERIES = [
    f"q{place}\t{text}\n" for place, text in enumerate(["city song", "river", "song", "mexico city", "sea"])
]
RECORDS = [{"id": text[-4:], "text": text} for text in ["a city in Mexico", "song of a coast", "old river song"]]


@pytest.fixture
def index(tmp_path):
    return Index.build(RECORDS, tmp_path / "some.index")


@pytest.fixture
def queries(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 2)
    (tmp_path / "queries.tsv").write_text("".join(QUERIES))
    return tmp_path / "queries.tsv"


@pytest.fixture
def asked(monkeypatch):
    """The queries that rankers are asked, and at which one all stops, as where a process is killed."""
    told, original = {"queries": [], "stop": None}, pieces.rankings

    def rankings(searcher, queries, *how):
        if told["stop"] in [query.id for query in queries]:
            raise KeyboardInterrupt
        told["queries"] += [query.id for query in queries]
        return original(searcher, queries, *how)

    monkeypatch.setattr(pieces, "rankings", rankings)
    return told


def test_a_run_goes_on_where_it_was(index, queries, asked, tmp_path):
    whole, target = tmp_path / "whole.trec", tmp_path / "run.trec"
    run_queries(index, queries, whole, "bm25")
    asked["stop"] = "q4"
    with pytest.raises(KeyboardInterrupt):
        run_queries(index, queries, target, "bm25", resumable=True)
    assert not target.exists()
    asked.update(queries=[], stop=None)
    assert run_queries(index, queries, target, "bm25", resumable=True) == 5
    assert asked["queries"] == ["q4"]
    assert target.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "queries.tsv",
        "run.trec",
        "some.index",
        "whole.trec",
    ]


@pytest.mark.parametrize("change", ["ranker", "depth", "index"])
def test_what_depends_on_something_else_is_done_again(index, queries, asked, tmp_path, change):
    asked["stop"] = "q4"
    with pytest.raises(KeyboardInterrupt):
        run_queries(index, queries, tmp_path / "run.trec", "bm25", depth=9, resumable=True)
    asked.update(queries=[], stop=None)
    if change == "index":
        index.add([{"id": "new", "text": "a new city"}])
    ranker, depth = "ql" if change == "ranker" else "bm25", 8 if change == "depth" else 9
    run_queries(index, queries, tmp_path / "run.trec", ranker, depth=depth, resumable=True)
    assert sorted(asked["queries"]) == ["q0", "q1", "q2", "q3", "q4"]  # some at the same time
    run_queries(index, queries, tmp_path / "again.trec", ranker, depth=depth)
    again = (tmp_path / "again.trec").read_bytes()
    assert (tmp_path / "run.trec").read_bytes() == again


def test_it_tells_how_far_it_is_and_keeps_the_order(index, queries, tmp_path):
    told = []
    with listening(lambda *one: told.append(one)):
        run_queries(index, queries, tmp_path / "run.trec", "bm25", resumable=True)
    assert told == [("queries", done, 5) for done in range(6)]
    found = [line.split()[0] for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert list(dict.fromkeys(found)) == ["q0", "q1", "q2", "q3"]  # nothing is found for the last


def test_no_more_pieces_are_asked_for_after_one_that_failed(index, queries, asked, tmp_path):
    queries.write_text("".join(f"{number}\tsong\n" for number in range(40)))
    asked["stop"] = "0"
    with pytest.raises(KeyboardInterrupt):
        run_queries(index, queries, tmp_path / "run.trec", "bm25", resumable=True)
    assert len(asked["queries"]) <= 2 * (pieces.AHEAD + 1)
