from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput
from aboutness.corpus import sgml
from aboutness.corpus.sgml import Element, characters, elements, inner, plain, without


def test_elements_across_and_within_lines(write, collected):
    path = write("a", '<DOC a="1">\none\n</DOC><doc>two</doc> between <DOC>\nthree</DOC>\n<DOCNO>x</DOCNO>')
    assert list(elements(path, "DOC", collected)) == [
        Element(1, ' a="1"', "\none\n"),
        Element(3, "", "two"),
        Element(3, "", "\nthree"),
    ]
    assert not collected.errors


def test_unclosed_and_unopened(write, collected):
    path = write("a", "<DOC>\nlost\n<DOC>\nkept\n</DOC>\n</DOC>\n<DOC>last")
    assert [one.inside for one in elements(path, "DOC", collected)] == ["\nkept\n"]
    assert collected.lines == [1, 6, 7]
    assert collected.problems == [
        "<DOC> is not closed by </DOC>",
        "</DOC> without a <DOC> before it",
        "<DOC> is not closed by </DOC>",
    ]
    assert collected.errors[0].raw == b"\nlost\n"


def test_no_element_at_all(write, collected):
    with pytest.raises(BadInput, match="no <DOC> in it"):
        list(elements(write("a", "text"), "DOC", collected))


def test_an_endless_element_stops(write, collected, monkeypatch):
    monkeypatch.setattr(sgml, "LONGEST", 100)
    with pytest.raises(BadInput, match=r"a:2: an element longer than 100 bytes"):
        list(elements(write("a", "\n<DOC>\n" + "word\n" * 50), "DOC", collected))


def test_latin1_where_it_is_not_utf8(write, collected):
    path = write("a", b"<DOC>caf\xe9</DOC>\n<DOC>caf\xc3\xa9</DOC>")
    assert [one.inside for one in elements(path, "DOC", collected)] == ["café", "café"]


def test_text_of_markup():
    assert (
        characters("a &lt;b&gt; &amp; &#3;&#22; &hyph; &blank; &nonsense; AT&T &copy2")
        == "a <b> &  -   &nonsense; AT&T &copy2"
    )
    assert plain("<P>one<!-- no\n<b> -->two</P>\n1 < 2 &lt;x&gt;") == "one two 1 < 2 <x>"
    assert inner("<T>a</T><t x=1>b</t><TT>c</TT>", "T") == ["a", "b"]
    assert without("a<T>b</T>c", "T") == "a c"


@pytest.mark.parametrize(
    "text",
    ["<T>" * 100_000, "</T>" + "<T>" * 100_000, "<T " * 100_000, "<!-- " * 100_000, "--><!--" * 100_000],
)
def test_hostile_markup_takes_no_longer_than_its_length_asks(write, collected, text):
    inner(text, "T")
    without(text, "T")
    plain(text)
    with pytest.raises(BadInput, match="no <DOC>"):
        list(elements(write("a", text.replace("T", "DOC ")[:300_000].replace(">", "")), "DOC", collected))
