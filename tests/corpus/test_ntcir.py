from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadRecord, NotFound
from aboutness.core.record import Document
from aboutness.corpus.ntcir import read_ntcir, read_ntcir_judgements, read_ntcir_topics
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.read import guess, read
from aboutness.corpus.sgml import plain
from aboutness.experiment.asking import forms_of
from aboutness.experiment.collection import collection

PAPERS = """<REC>
<ACCN>gakkai-e-0000000001</ACCN>
<TITE TYPE="alpha">Retrieval of <I>structured</I> text &amp; data</TITE>
<AUPE TYPE="alpha">Someone</AUPE>
<ABSE TYPE="alpha"><ABSE.P>The first
paragraph.</ABSE.P><ABSE.P>The second.</ABSE.P></ABSE>
<KYWE TYPE="alpha">text // retrieval</KYWE>
</REC>
<REC>
<ACCN>gakkai-e-0000000002</ACCN>
<TITE TYPE="alpha">Only a title, of 5 \xa3</TITE>
</REC>
"""
PROJECTS = "<REC><ACCN>kaken-e-0000000001</ACCN><PJNE TYPE='alpha'>A project</PJNE></REC>\n"
TOPICS = """<TOPIC q=0101>
<TITLE>
structured text
</TITLE>
<DESCRIPTION>
Papers about the retrieval of structured text
</DESCRIPTION>
<NARRATIVE>Long.</NARRATIVE>
</TOPIC>
<TOPIC q="0110"><TITLE>projects</TITLE></TOPIC>
"""
JUDGED = "0101\tA\tgakkai-e-0000000001\t1\n0101\tB\tgakkai-e-0000000002\t1\n0110\tC\tkaken-e-0000000001\t0\n"


@pytest.fixture
def folder(write, tmp_path):
    write("e-docs/ntc2-e1g", PAPERS.encode("latin-1"))
    write("e-docs/ntc2-e1k.gz", PROJECTS)
    write("topics/topic-e0101-0149", TOPICS)
    write("rels/rel1_ntc2-e2_0101-0149", "0101\tA\tgakkai-e-0000000001\t1\n")
    write("rels/rel2_ntc2-e2_0101-0149", "# topic, grade, document, relevance\n" + JUDGED)
    write("README.txt", "what this is")
    return tmp_path


def test_documents_of_all_files(folder):
    assert list(read(folder)) == [
        Document(
            "gakkai-e-0000000001",
            {"title": "Retrieval of structured text & data", "abstract": "The first paragraph. The second."},
            {"keywords": "text // retrieval"},
        ),
        Document("gakkai-e-0000000002", {"title": "Only a title, of 5 £"}, {}),
        Document("kaken-e-0000000001", {"title": "A project"}, {}),
    ]
    assert guess(str(folder)).name == guess(str(folder / "e-docs" / "ntc2-e1g")).name == "ntcir"


def test_topics_have_a_short_and_a_long_form(folder):
    first, second = read_ntcir_topics(folder)
    assert (first.id, first.text) == ("101", "structured text")
    assert first.forms == {
        "title": "structured text",
        "desc": "Papers about the retrieval of structured text",
        "narr": "Long.",
    }
    assert (second.id, second.forms) == ("110", {"title": "projects"})


def test_the_folder_is_a_test_collection_with_the_wider_judgements(folder):
    opened = collection(folder)
    assert opened.qrels == {
        "101": {"gakkai-e-0000000001": 1, "gakkai-e-0000000002": 1},
        "110": {"kaken-e-0000000001": 0},
    }
    assert forms_of(opened) == ["text", "title", "desc", "narr"]
    assert [one.id for one in opened.documents()][-1] == "kaken-e-0000000001"


def test_the_narrower_judgements_where_there_are_no_others(folder):
    (folder / "rels" / "rel2_ntc2-e2_0101-0149").unlink()
    assert list(read_ntcir_judgements(folder)) == [Judgement("101", "gakkai-e-0000000001", 1)]


def test_bad_records_are_named_by_line(write, collected):
    path = write("ntc2-e1g", "<REC><TITE>No number</TITE></REC>\n<REC><ACCN>a</ACCN></REC>\n<REC><ACCN>b</ACCN>")
    assert [one.id for one in read_ntcir(path, on_bad=collected)] == ["a"]
    assert collected.lines == [1, 3]
    assert collected.problems[0] == "<REC> without an <ACCN>"
    topics = write("topic-e0101-0149", "<TOPIC><TITLE>a</TITLE></TOPIC>\n<TOPIC q=0102></TOPIC>")
    with pytest.raises(BadRecord, match=r"0149:1: the topic has no number"):
        list(read_ntcir_topics(topics))
    judged = write("rel1_ntc2-e2_0101-0149", "0101\tA\td\tx\n")
    with pytest.raises(BadRecord, match="the grade must be a whole number, got 'x'"):
        list(read_ntcir_judgements(judged))


@pytest.mark.parametrize(("gone", "what"), [("topics", "topics"), ("rels", "judgements")])
def test_what_is_missing_is_named(folder, gone, what):
    for file in (folder / gone).iterdir():
        file.unlink()
    with pytest.raises(NotFound, match=f"no {what} of NTCIR"):
        collection(folder)


@given(st.text(st.characters(codec="utf-8", exclude_characters="<>&\r\x85\u2028\u2029"), max_size=40))
def test_any_title_comes_back(tmp_path_factory, title):
    path = tmp_path_factory.mktemp("ntcir") / "ntc2-e1g"
    path.write_text(f"<REC><ACCN>a</ACCN><TITE>{title}</TITE></REC>", encoding="utf-8")
    (found,) = read_ntcir(path)
    assert found.fields.get("title", "") == plain(title)


@given(st.binary(max_size=200))
def test_no_bytes_break_it(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("ntcir") / "ntc2-e1g"
    path.write_bytes(b"<REC><ACCN>a</ACCN>" + raw + b"</REC>")
    errors: list[BadRecord] = []
    assert all(one.id for one in read_ntcir(path, on_bad=errors.append))
