from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Query
from aboutness.corpus.topics import read_topics

TOP = """<top>
<head> Tipster Topic Description
<num> Number: 051
<dom> Domain: International Economics
<title> Topic: Airbus Subsidies

<desc> Description:
Document will discuss
government assistance.

<narr> Narrative:
A relevant document
<con> Concept(s):
1. Airbus
</top>
"""


def test_trec_topics(write):
    path = write("topics.txt", TOP + "\n<top>\n<num> Number: 301a</num>\n<desc> Only a description</desc>\n</top>")
    assert list(read_topics(path)) == [
        Query(
            "51",
            "Airbus Subsidies",
            {
                "title": "Airbus Subsidies",
                "desc": "Document will discuss government assistance.",
                "narr": "A relevant document",
            },
        ),
        Query("301a", "Only a description", {"desc": "Only a description"}),
    ]


def test_bad_topics(write, collected):
    path = write("topics.txt", "<top>\n<title> x\n</top>\n<top>\n<num> 2\n</top>\n<top>\n<num> 3\n" + TOP)
    assert [query.id for query in read_topics(path, on_bad=collected)] == ["51"]
    assert collected.lines == [1, 4, 7]
    assert collected.problems == [
        "the topic has no <num>",
        "the topic has no <title> or <desc>",
        "<top> is not closed by </top>",
    ]
    with pytest.raises(BadRecord, match=r"topics\.txt:1: the topic has no <num>"):
        list(read_topics(path))


def test_json_lines(write, collected):
    path = write("q.jsonl", '{"_id": 1, "text": "one", "narrative": "long", "x": "y"}\n{"_id": 2}\n')
    assert list(read_topics(path, on_bad=collected)) == [Query("1", "one", {"narrative": "long"})]
    assert collected.lines == [2]
    assert list(read_topics(write("q", '{"id": "a", "text": "b"}'))) == [Query("a", "b")]


def test_tab_separated(write, collected):
    path = write("q.tsv.gz", 'q1\tsome "words\tand more\r\nno tab\n\nq2\ttwo\n\tno id\n')
    assert list(read_topics(path, on_bad=collected)) == [
        Query("q1", 'some "words\tand more'),
        Query("q2", "two"),
    ]
    assert collected.lines == [2, 5]
    assert collected.problems[0] == "the line must hold a query id, a tab and the text"
    assert list(read_topics(write("q.txt", "1\tone\n"))) == [Query("1", "one")]


def test_smart_queries(write):
    assert list(read_topics(write("cran.qry", ".I 001\n.W\nwhat laws\nhold .\n"))) == [
        Query("001", "what laws hold .")
    ]


def test_unknown_and_missing(write, tmp_path):
    with pytest.raises(BadInput, match="not a file of queries"):
        read_topics(write("q.txt", "just words\n"))
    with pytest.raises(NotFound):
        read_topics(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("name", "count", "first", "last"),
    [
        ("topics.robust04.txt", 250, ("301", "International Organized Crime"), ("700", "gasoline tax U.S.")),
        (
            "topics.adhoc.301-350.txt",
            50,
            ("301", "International Organized Crime"),
            ("350", "Health and Computer Terminals"),
        ),
        (
            "topics.adhoc.351-400.txt",
            50,
            ("351", "Falkland petroleum exploration"),
            ("400", "Amazon rain forest"),
        ),
        (
            "topics.adhoc.401-450.txt",
            50,
            ("401", "foreign minorities, Germany"),
            ("450", "King Hussein, peace"),
        ),
        (
            "topics.terabyte04.701-750.txt",
            50,
            ("701", "U.S. oil industry history"),
            ("750", "John Edwards womens issues"),
        ),
        (
            "topics.terabyte05.751-800.txt",
            50,
            ("751", "Scrabble Players"),
            ("800", "Ovarian Cancer Treatment"),
        ),
        (
            "topics.terabyte06.801-850.txt",
            50,
            ("801", "Kudzu Pueraria lobata"),
            ("850", "Mississippi River flood"),
        ),
    ],
)
def test_real_trec_topics(data_folder, name, count, first, last):
    queries = list(read_topics(data_folder / "topics_qrels_only" / name))
    assert len({query.id for query in queries}) == len(queries) == count
    assert [(query.id, query.text) for query in (queries[0], queries[-1])] == [first, last]
    for query in queries:
        assert list(query.forms) == ["title", "desc", "narr"]
        assert not query.forms["desc"].startswith("Description")
        assert not query.forms["narr"].startswith("Narrative")


@pytest.mark.parametrize(
    ("name", "count"), [("arguana", 1406), ("fiqa", 648), ("quora", 10000), ("trec-covid", 50)]
)
def test_real_tab_separated_topics(data_folder, name, count):
    queries = list(read_topics(data_folder / "topics_qrels_only" / f"topics.beir-{name}.test.tsv.gz"))
    assert len({query.id for query in queries}) == count
    assert all(query.text for query in queries)
