from __future__ import annotations

import pytest

from aboutness.app.explaining import explain_page
from aboutness.app.index import Index

QUERY = "cities of songs"


@pytest.fixture
def index(three):
    return Index.open(three)


def test_several_documents_and_rankers_in_json(call, three, index):
    found = call("explain", three, QUERY, "b", "a", "-r", "bm25,ql", "--json").json
    assert [(one["id"], one["ranker"]) for one in found] == [
        ("b", "bm25"),
        ("b", "ql"),
        ("a", "bm25"),
        ("a", "ql"),
    ]
    for one in found:
        assert list(one) == ["query", "id", "ranker", "score", "formula", "parts"]
        assert one["score"] == index.explain(QUERY, one["id"], one["ranker"]).score
    assert [one["id"] for one in call("explain", three, QUERY, "b", "a", "--json").json] == ["b", "a"]
    assert call("explain", three, QUERY, "b", "--json").json["id"] == "b"


def test_several_documents_in_words(call, three, index):
    ran = call("explain", three, QUERY, "b", "a")
    assert ran.out == "".join(f"{one}, default: {index.explain(QUERY, one)}\n" for one in ("b", "a"))
    assert call("explain", three, QUERY, "b").out == f"default: {index.explain(QUERY, 'b')}\n"


def test_a_page(call, three, index, tmp_path):
    page = explain_page(index.generation, QUERY, ["b", "a"], ["bm25", "ql"])
    for _ in range(2):  # a page may be written over
        ran = call("explain", three, QUERY, "b", "a", "-r", "bm25,ql", "--html", "why.html")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == "2 documents explained by bm25, ql; the page is why.html\n"
        assert (tmp_path / "why.html").read_bytes() == page.encode()
    ran = call("explain", three, QUERY, "b", "--html", "why.html")
    assert ran.out == "1 document explained by default; the page is why.html\n"


def test_a_page_is_printed_alone(run, three, index):
    ran = run("explain", three, "ciţies city", "a", "--html", "-", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == explain_page(index.generation, "ciţies city", ["a"], ["default"])


def test_a_query_that_is_not_utf8(run, three, tmp_path):
    ran = run("explain", three, b"\xff city", "a", "--html", "why.html")
    assert ran.code == 0
    assert ran.err == f"note: default is not trained here, so bm25 answers; run: aboutness train {three} default\n"
    assert "\ufffd city" in (tmp_path / "why.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["a", "--html", "."], 2, ".: is a folder; name a file to write"),
        (["a", "--html", "x.html", "--json"], 2, "--html makes a page and --json prints JSON; choose one of them"),
        (["a", "--html", "no/x.html"], 4, "there is no folder"),
        (["a", "z", "--html", "x.html"], 4, "there is no document 'z'"),
        (["a", "z", "--json"], 4, "there is no document 'z'"),
        (["a", "-r", "bm26", "--html", "x.html"], 2, "Known: "),
        (["a", "--html", "/dev/full"], 6, "cannot write /dev/full"),
    ],
)
def test_refusals(call, three, nothing_left, arguments, code, told):
    ran = call("explain", three, "city", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("aboutness: ")
    assert told in ran.err
    assert nothing_left("three.jsonl", "three.index")
