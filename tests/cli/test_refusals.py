"""What the commands refuse, and that they do so before they print or work."""

from __future__ import annotations

from aboutness.app.index import Index
from experiment.small import write_collection


def test_explain_prints_nothing_when_one_of_several_rankers_is_wrong(call, three):
    ran = call("explain", three, "city", "a", "-r", "bm25,bm26")
    assert (ran.code, ran.out) == (2, "")


def test_explain_names_rankers_as_search_does(call, three):
    told = [
        call(*c, "-r", "bm25[b=.75, k1=2.0]", "--json").json["ranker"]
        for c in (["search", three, "city"], ["explain", three, "city", "a"])
    ]
    assert told[0] == told[1]


def test_a_place_for_results_is_tried_before_the_work(call, tmp_path):
    place = write_collection(tmp_path / "c")
    (place / "corpus.jsonl").write_text("nonsense")
    (tmp_path / "file").write_text("")
    assert call("experiment", place, "-o", "file/x").code == 6


def test_results_are_printed_also_when_a_run_cannot_be_written(call, tmp_path):
    place = write_collection(tmp_path / "c")
    text = (place / "corpus.jsonl").read_text().replace('"d2"', '"d 2"')
    (place / "corpus.jsonl").write_text(text)
    ran = call("experiment", place, "-r", "bm25", "-o", "out")
    assert "bm25" in ran.out


def test_judged_queries_that_the_collection_lacks_are_told(call, tmp_path):
    ran = call("experiment", write_collection(tmp_path / "c"), "-r", "bm25")
    assert "no ranking" in ran.err or "queries" in ran.err


def test_a_title_is_one_line(call, tmp_path):
    Index.build([{"id": "a", "title": "one\ntwo\x1b[31m", "text": "city"}], tmp_path / "x")
    assert len(call("search", "x", "city").out.splitlines()) == 3


def test_a_refusal_names_the_form_that_is_meant(call, three, tmp_path):
    (tmp_path / "a.txt").write_text("city")
    for option, given, form in (("--weight", "title=x", "FIELD=NUMBER"), ("--layer", "pairs", "NAME=ANALYZER")):
        ran = call("index", "a.txt", "-o", "x", option, given)
        assert (ran.code, f"{option} is written {form}, got {given!r}" in ran.err) == (2, True)
    ran = call("search", three, "city", "-r", "bm25[k1=2")
    assert (ran.code, "such as bm25[k1=1.7,b=.95]" in ran.err) == (2, True)
    ran = call("delete", three, "nowhere")
    assert (ran.code, "nothing was deleted; to pass over what is missing: --missing-ok" in ran.err) == (4, True)


def test_a_file_without_queries_is_told(call, three, tmp_path):
    (tmp_path / "none.tsv").write_text("")
    ran = call("run", three, "none.tsv", "-o", "x.trec", "-r", "bm25")
    assert (ran.code, "note: there are no queries in none.tsv" in ran.err) == (0, True)
