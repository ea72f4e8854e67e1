from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import RejectFile
from aboutness.corpus.trec import READER, read_trec

FT = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<PROFILE>_AN-BEOA7AAIFT</PROFILE>
<HEADLINE>
FT  14 MAY 91 / International: Contigas &amp; others
</HEADLINE>
<TEXT>
CONTIGAS, the German gas group,
<P>said yesterday.</P>
</TEXT>
<PUB>The Financial Times</PUB>
</DOC>
"""


def test_newspapers(write):
    path = write("ft911.gz", FT + "\n<DOC><DOCNO>2</DOCNO><HL>Title</HL><LP>Lead.</LP><TEXT>Rest.</TEXT></DOC>")
    first, second = read_trec(path)
    assert first == Document(
        "FT911-3",
        {
            "title": "FT 14 MAY 91 / International: Contigas & others",
            "text": "CONTIGAS, the German gas group, said yesterday.",
        },
    )
    assert (first.origin, second.origin) == (Origin(str(path), 1), Origin(str(path), 14))
    assert second.fields == {"title": "Title", "text": "Lead. Rest."}


def test_plain_text_without_text_element(write):
    path = write("a.trec", "<DOC>\n<DOCNO>1</DOCNO>\ncompact memories have\nflexible capacities\n</DOC>")
    assert [one.fields for one in read_trec(path)] == [{"text": "compact memories have flexible capacities"}]


def test_web_pages(write):
    path = write(
        "a.trecweb",
        "<DOC><DOCNO>GX1</DOCNO><DOCHDR>http://x\nHTTP/1.1</DOCHDR>\n"
        "<html><head><title>Page</title><script>no()</script></head><body>one<p>two</body></html></DOC>",
    )
    assert [one.fields for one in read_trec(path)] == [{"title": "Page", "text": "one\ntwo"}]


def test_a_title_inside_the_text_is_taken_out(write):
    path = write("a", "<DOC><DOCNO>1</DOCNO><TEXT><DOCTITLE>T</DOCTITLE>body</TEXT></DOC>")
    assert [one.fields for one in read_trec(path)] == [{"title": "T", "text": "body"}]


def test_latin1_documents(write):
    (document,) = read_trec(write("a", b"<DOC><DOCNO>1</DOCNO><TEXT>S\xe3o Paulo</TEXT></DOC>"))
    assert document.fields["text"] == "São Paulo"


def test_bad_documents(write, tmp_path, collected):
    path = write("bad.trec", FT + "<DOC>\n<TEXT>no number</TEXT>\n</DOC>\n<DOC>\n<DOCNO>3</DOCNO>\n" + FT)
    assert [one.id for one in read_trec(path, on_bad=collected)] == ["FT911-3", "FT911-3"]
    assert collected.lines == [13, 16]
    assert collected.problems == ["the document has no <DOCNO>", "<DOC> is not closed by </DOC>"]
    with pytest.raises(BadRecord, match=r"bad\.trec:13: the document has no <DOCNO>"):
        list(read_trec(path))
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        assert sum(1 for _ in read_trec(path, on_bad=rejects)) + rejects.count == 4


def test_a_disk_is_a_tree_of_files(write, tmp_path):
    write("ft/ft92/ft921_1.gz", FT.replace("FT911-3", "three"))
    write("ft/ft91/ft911_2", FT.replace("FT911-3", "two"))
    write("ft/ft91/ft911_1.gz", "\n" + FT.replace("FT911-3", "one"))
    write("fr", FT.replace("FT911-3", "top"))
    write("ft/.hidden", FT)
    write(".cache/fr", FT)
    documents = list(read_trec(tmp_path))
    assert [one.id for one in documents] == ["top", "one", "two", "three"]
    assert documents[1].origin == Origin(str(tmp_path / "ft/ft91/ft911_1.gz"), 2)
    assert documents[1].fields["text"] == "CONTIGAS, the German gas group, said yesterday."
    assert list(read_trec(str(tmp_path))) == documents


def test_a_file_of_a_tree_without_documents_can_be_skipped(write, tmp_path, collected):
    write("fr/a.gz", FT)
    readme = write("fr/README", "About these files.")
    assert [one.id for one in read_trec(tmp_path, on_bad=collected)] == ["FT911-3"]
    assert [(one.origin, one.problem) for one in collected.errors] == [(Origin(str(readme)), "no <DOC> in it")]
    with pytest.raises(BadRecord, match=r"fr/README: no <DOC> in it"):
        list(read_trec(tmp_path))
    with pytest.raises(BadInput, match=r"README: no <DOC> in it") as alone:
        list(read_trec(readme, on_bad=collected))
    assert type(alone.value) is BadInput


def test_a_folder_is_recognised_by_its_files(write, tmp_path):
    folder = tmp_path / "x.trec"
    folder.mkdir()
    assert not READER.recognises(str(folder))
    write("x.trec/sub/ft911", FT)
    assert not READER.recognises(str(folder))
    write("x.trec/sub/ft912.trecweb.gz", FT)
    assert READER.recognises(str(folder))
    write("x.trec/sub/deeper/table.csv", "id,text\n")
    assert not READER.recognises(str(folder))
