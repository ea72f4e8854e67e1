from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Origin
from aboutness.corpus.jsonl import read_jsonl
from aboutness.corpus.reuters import read_reuters

STORY = """<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">
<DATE>26-FEB-1987 15:01:01.79&#5;F</DATE>
<TOPICS><D>cocoa</D><D>coffee</D></TOPICS>
<PLACES><D>el-salvador</D></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;&#5;C T</UNKNOWN>
<TEXT>&#2;
<TITLE>BAHIA &lt;COCOA> REVIEW</TITLE>
<AUTHOR>    by A. Writer</AUTHOR>
<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Showers continued in
the Bahia zone &amp; more.
    He told Reuters.
 REUTER
&#3;</BODY></TEXT>
</REUTERS>
"""
BRIEF = """<REUTERS TOPICS="NO" LEWISSPLIT="TEST" CGISPLIT="TEST-SET" OLDID="1" NEWID="2">
<DATE> 1-MAR-1987 15:01:01.79</DATE>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>ASSETS ROSE
</TITLE>Blah blah blah.
&#3;

</TEXT>
</REUTERS>
"""
UNPROC = """<REUTERS TOPICS="BYPASS" LEWISSPLIT="NOT-USED" CGISPLIT="TEST-SET" OLDID="1" NEWID="3">
<TEXT TYPE="UNPROC">&#2;
FED REPORT\xa4
 Reserves.....644 vs.....1,337
 Reuter
&#3;</TEXT>
</REUTERS>
"""
HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def test_stories_of_every_kind(write):
    path = write("reut2-000.sgm", (HEAD + STORY + BRIEF + UNPROC).encode("latin-1"))
    documents = list(read_reuters(path))
    assert documents == [
        Document(
            "1",
            {
                "title": "BAHIA <COCOA> REVIEW",
                "text": "Showers continued in the Bahia zone & more. He told Reuters.",
            },
            {
                "topics": ["cocoa", "coffee"],
                "places": ["el-salvador"],
                "date": "26-FEB-1987 15:01:01.79",
                "lewissplit": "TRAIN",
                "cgisplit": "TRAINING-SET",
                "has_topics": "YES",
            },
        ),
        Document(
            "2",
            {"title": "ASSETS ROSE", "text": ""},
            {
                "date": "1-MAR-1987 15:01:01.79",
                "lewissplit": "TEST",
                "cgisplit": "TEST-SET",
                "has_topics": "NO",
            },
        ),
        Document(
            "3",
            {"text": "FED REPORT¤ Reserves.....644 vs.....1,337"},
            {"lewissplit": "NOT-USED", "cgisplit": "TEST-SET", "has_topics": "BYPASS"},
        ),
    ]
    assert [one.origin for one in documents] == [Origin(str(path), line) for line in (2, 21, 30)]


def test_a_folder_in_the_order_of_its_files(write, tmp_path):
    write("reut2-001.sgm", HEAD + BRIEF)
    write("reut2-000.sgm", HEAD + STORY)
    write("README.txt", "x")
    assert [one.id for one in read_reuters(tmp_path)] == ["1", "2"]


def test_bad_stories(write, collected):
    path = write(
        "reut2-000.sgm", HEAD + STORY.replace(' NEWID="1"', "") + BRIEF.replace("</REUTERS>\n", "") + STORY
    )
    assert [one.id for one in read_reuters(path, on_bad=collected)] == ["1"]
    assert collected.lines == [2, 21]
    assert collected.problems == ["<REUTERS> without a NEWID", "<REUTERS> is not closed by </REUTERS>"]
    with pytest.raises(BadRecord, match=r"reut2-000\.sgm:2: <REUTERS> without a NEWID"):
        list(read_reuters(path))


def test_a_folder_without_stories(tmp_path):
    with pytest.raises(BadInput, match="no reut2-"):
        list(read_reuters(tmp_path))


@pytest.fixture(scope="module")
def stories(data_folder):
    return list(read_reuters(data_folder / "reuters21578_sgml"))


def test_all_stories_are_read(stories):
    assert [one.id for one in stories] == [str(number) for number in range(1, 21579)]
    assert sum("topics" in one.metadata for one in stories) == 11367
    train = [
        one for one in stories if one.metadata["lewissplit"] == "TRAIN" and one.metadata["has_topics"] == "YES"
    ]
    assert len(train) == 9603  # ModApte, as the distribution's README counts it
    test = [one for one in stories if one.metadata["lewissplit"] == "TEST" and one.metadata["has_topics"] == "YES"]
    assert len(test) == 3299


def test_agrees_with_the_converted_collection(stories, data_folder):
    """The conversion left some closing lines (reuter, REUTER...) and control characters in dates."""
    ours = {one.id: one for one in stories}
    texts = 0
    converted = list(read_jsonl(data_folder / "reuters21578_apte90" / "corpus.jsonl.gz"))
    for theirs in converted:
        story = ours[theirs.id]
        assert story.fields.get("title", "") == theirs.fields["title"]
        left = theirs.fields["text"].removeprefix(story.fields["text"])
        assert left.strip(" .^M").lower() in {"", "reuter"}
        texts += not left
        for name, value in theirs.metadata.items():
            if name == "date":
                assert value.startswith(story.metadata["date"])
            else:
                assert story.metadata.get(name, []) == value
    assert len(converted) == 10789
    assert texts == 10706
