from __future__ import annotations

import gzip
import json

import pytest

from aboutness.app.index import Index
from aboutness.app.results import OpenResults, SavedResults
from aboutness.app.two_rankings import MOST_SHOWN, per_query, ranking_of, titles_in
from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.evaluate.runs import read_run
from aboutness.experiment.results_folder import save_results
from report.made_results import comparison, results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    ids = ["q1", "q10", "q1.x", "q"]  # one begins as another does
    save_results(results(comparison(ids=ids, texts={"q1": "a question"})), place / "here")
    return place


@pytest.fixture
def here(folder):
    return SavedResults(folder).open("here")


def test_two_rankings(here):
    found = per_query(here, "q1", "three", "one", k=5)
    rows = {row.name: row for row in here.results.comparisons[0].rows}
    assert (found.name, found.on, found.query, found.text) == ("here", "chance", "q1", "a question")
    for side, other, name, opposite in ((found.a, found.b, "three", "one"), (found.b, found.a, "one", "three")):
        ranking, places = rows[name].run["q1"], [one for one, _ in rows[opposite].run["q1"]]
        assert side.ranker == name != other.ranker
        assert side.found == len(ranking) == 20
        assert side.values == rows[name].evaluation.per_query["q1"]
        assert [(one.document, one.score) for one in side.documents] == ranking[:5]
        assert [one.rank for one in side.documents] == [1, 2, 3, 4, 5]
        for one in side.documents:
            there = places.index(one.document) + 1 if one.document in places else None
            assert one.other_rank == there
            assert one.move == (None if there is None else there - one.rank)
            assert one.grade == here.results.comparisons[0].qrels["q1"].get(one.document)
    assert any(one.move is None for one in found.b.documents)
    assert any(one.grade for one in found.a.documents)
    json.dumps(found.to_json(), allow_nan=False)


def test_relevant_documents(here):
    found = per_query(here, "q1", "three", "one")
    qrels = here.results.comparisons[0].qrels["q1"]
    assert {one.document: one.grade for one in found.relevant} == {d: g for d, g in qrels.items() if g > 0}
    assert [one.grade for one in found.relevant] == [2, 1]
    assert found.relevant_in_all == 2
    ranks = {one.document: one.rank for one in found.a.documents}
    assert [one.rank_a for one in found.relevant] == [ranks.get(one.document) for one in found.relevant]


def test_the_first_two_rankers_unless_said(here):
    names = [(found.a.ranker, found.b.ranker) for found in (
        per_query(here, "q"), per_query(here, "q", "two"), per_query(here, "q", b="one"), per_query(here, "q", "two", "two")
    )]  # fmt: skip
    assert names == [("one", "two"), ("two", "one"), ("two", "one"), ("two", "two")]


def test_a_ranking_is_that_of_the_whole_run(here, tmp_path):
    for row in here.results.comparisons[0].rows:
        whole = read_run(row.run.path)
        assert {query: ranking_of(row, query) for query in whole} == whole
        assert ranking_of(row, "none") == []


def test_a_packed_run_and_one_with_tabs(folder, tmp_path):
    place = tmp_path / "packed"
    save_results(SavedResults(folder).open("here").results, place)
    one, two = sorted((place / "runs").iterdir())[:2]
    lines = one.read_bytes()
    one.unlink()
    packed = one.with_name(f"{one.name}.gz")
    packed.write_bytes(gzip.compress(lines))
    plain = (place / "results.json").read_text().replace(one.name, packed.name)
    (place / "results.json").write_text(plain)
    two.write_bytes(two.read_bytes().replace(b" ", b"\t"))
    expected = per_query(SavedResults(folder).open("here"), "q10")
    found = per_query(SavedResults(tmp_path).open("packed"), "q10")
    assert (found.a, found.b) == (expected.a, expected.b)


def test_a_damaged_run_says_where(folder, tmp_path):
    place = tmp_path / "damaged"
    save_results(SavedResults(folder).open("here").results, place)
    run = min((place / "runs").iterdir())
    run.write_text("q1 Q0 d1 1\n")
    with pytest.raises(BadInput, match=r":1: a line of a run has 6 columns"):
        per_query(SavedResults(tmp_path).open("damaged"), "q1")
    run.unlink()
    with pytest.raises(NotFound, match="no such file"):
        per_query(SavedResults(tmp_path).open("damaged"), "q1")


def test_one_ranker_is_beside_itself():
    found = per_query(OpenResults("alone", results(comparison(["alone"], 2)), ()), "q0")
    assert found.a == found.b


def test_refusals(here):
    with pytest.raises(NotFound, match="has no judged query 'q2'"):
        per_query(here, "q2")
    with pytest.raises(NotFound, match="no ranker is called 'four' here; there are one, two, three"):
        per_query(here, "q1", "one", "four")
    with pytest.raises(NotFound, match="have no part 'x'"):
        per_query(here, "q1", on="x")
    for k in (0, MOST_SHOWN + 1):
        with pytest.raises(UsageError, match="k must be from 1 to 200, got"):
            per_query(here, "q1", k=k)


def test_titles_of_an_index_that_holds_the_collection(here):
    found = per_query(here, "q1", "three", "one")
    records = [{"id": f"d{number}", "title": f"Title {number}", "text": "words"} for number in range(50)]
    titles = titles_in(Index.build(records), found, 50)
    ids = {one.document for side in (found.a, found.b) for one in side.documents}
    assert {one: titles[one] for one in ids} == {one: f"Title {one[1:]}" for one in ids}
    assert {one.document for one in found.relevant} <= set(titles)
    assert titles_in(Index.build(records[:49]), found, 50) is None
    assert titles_in(Index.build(records), found, 51) is None
    others = [{"id": f"x{number}", "text": "word " * 100} for number in range(50)]
    assert titles_in(Index.build(others), found, 50) is None
    untitled = [{"id": f"d{number}", "text": "word " * 100} for number in range(50)]
    assert set(titles_in(Index.build(untitled), found, 50).values()) == {("word " * 100)[:160] + "…"}
