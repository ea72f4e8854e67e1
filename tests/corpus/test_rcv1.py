from __future__ import annotations

import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document
from aboutness.corpus import rcv1
from aboutness.corpus.rcv1 import read_rcv1, read_topic_codes
from aboutness.corpus.read import guess, read
from aboutness.experiment.collection import collection

STORY = """<?xml version="1.0" encoding="iso-8859-1" ?>
<newsitem itemid="{id}" id="root" date="1996-08-20" xml:lang="en">
<title>GERMANY: {title}</title>
<headline>{title}</headline>
<dateline>BONN</dateline>
<text>
<p>The first &amp; only
paragraph \xa3.</p>
<p>The next.</p>
</text>
<copyright>(c) Someone 1996</copyright>
<metadata>
<codes class="bip:countries:1.0">
  <code code="GFR"><editdetail attribution="x" action="confirmed" date="1996-08-20"/></code>
</codes>
<codes class="bip:topics:1.0">
  <code code="E12"><editdetail attribution="x" action="confirmed" date="1996-08-20"/></code>
  <code code="{code}"/>
</codes>
<dc element="dc.publisher" value="Someone"/>
</metadata>
</newsitem>
"""
CODES = "; TOPIC CODES\nE12\tMONETARY/ECONOMIC\nM11\tEQUITY MARKETS\nM14\tCOMMODITY  MARKETS\n"


def story(number: int, title: str, code: str) -> bytes:
    return STORY.format(id=number, title=title, code=code).encode("latin-1")


@pytest.fixture
def folder(write, tmp_path):
    with zipfile.ZipFile(tmp_path / "19960820.zip", "w", zipfile.ZIP_DEFLATED) as day:
        day.writestr("2286newsML.xml", story(2286, "Shares rise", "M11"))
        day.writestr("readme.htm", b"<html>")
    with zipfile.ZipFile(tmp_path / "codes.zip", "w") as codes:
        codes.writestr("codes/topic_codes.txt", CODES)
        codes.writestr("codes/region_codes.txt", "GFR\tGERMANY\n")
    write("19960821/2287newsML.xml", story(2287, "Rates fall", "E12"))
    return tmp_path


def test_stories_of_zip_files_and_of_files(folder):
    found = {one.id: one for one in read(folder)}
    assert list(found) == ["2286", "2287"]
    assert found["2286"] == Document(
        "2286",
        {"title": "GERMANY: Shares rise", "text": "The first & only paragraph £. The next."},
        {"topics": ["E12", "M11"], "countries": ["GFR"], "date": "1996-08-20"},
    )
    assert guess(str(folder)).name == "rcv1"
    assert str(found["2286"].origin).endswith("19960820.zip/2286newsML.xml")


def test_descriptions_of_codes_are_the_queries(folder):
    opened = collection(folder)
    assert {one.id: one.text for one in opened.queries} == {"E12": "MONETARY/ECONOMIC", "M11": "EQUITY MARKETS"}
    assert opened.qrels == {"E12": {"2286": 1, "2287": 1}, "M11": {"2286": 1}}


def test_descriptions_in_a_tree(write, tmp_path):
    tree = (
        "parent: None child: Root child-description: Root\n"
        "parent: Root   child: ECAT     child-description: ECONOMICS\n"
        "parent: ECAT child: E12 child-description: MONETARY/ECONOMIC\n"
    )
    write("rcv1.topics.hier.orig", tree)
    found = read_topic_codes(tmp_path)
    assert found == {"Root": "Root", "ECAT": "ECONOMICS", "E12": "MONETARY/ECONOMIC"}


def test_bad_lines_and_missing_descriptions(write, tmp_path, folder):
    with pytest.raises(BadRecord, match=r"topic_codes\.txt:2: the line must hold a topic code"):
        read_topic_codes(write("topic_codes.txt", "E12\tMONETARY\nE13\n"))
    (tmp_path / "topic_codes.txt").unlink()
    (tmp_path / "codes.zip").unlink()
    with pytest.raises(NotFound, match=r"add topic_codes\.txt"):
        collection(folder)


def test_damaged_files_are_named(write, tmp_path, collected, folder):
    write("19960822.zip", b"PK\x03\x04 not a zip file")
    write("19960821/2288newsML.xml", "<newsitem><title>no number</title></newsitem>")
    day = tmp_path / "19960820.zip"
    raw = bytearray(day.read_bytes())
    raw[60:80] = b"\0" * 20
    day.write_bytes(raw)
    assert [one.id for one in read_rcv1(tmp_path, on_bad=collected)] == ["2287"]
    told = [str(error) for error in collected.errors]
    assert len(told) == 3
    assert "2286newsML.xml: cannot be unpacked" in told[0]
    assert "19960822.zip: damaged or truncated zip file" in told[1]
    assert "2288newsML.xml: no <newsitem> with an itemid" in told[2]


def test_no_more_is_unpacked_than_a_record_may_have(folder, monkeypatch):
    monkeypatch.setattr(rcv1, "LONGEST", 100)
    with pytest.raises(BadInput, match="longer than 100 bytes"):
        list(read_rcv1(folder / "19960820.zip"))


@given(st.binary(max_size=300))
def test_no_bytes_break_it(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("rcv1") / "1newsML.xml"
    path.write_bytes(b'<newsitem itemid="1">' + raw)
    errors: list[BadRecord] = []
    assert all(one.id for one in read_rcv1(path, on_bad=errors.append))


def test_codes_that_are_never_closed_cost_no_time():
    assert rcv1._codes("<codes class='bip:topics:1.0'>" * 20_000) == {name: [] for name in rcv1.CATEGORIES}
