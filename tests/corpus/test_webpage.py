from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.corpus.webpage import Page, page


def test_a_whole_page():
    html = """<!DOCTYPE html><html><head><meta charset="utf-8"><title> The  Rio
    Grande </title><style>p { color: red }</style><script>var x = "<p>no</p>";</script></head>
    <body><h1>River</h1><p>It is <b>long</b>, caf&eacute; &amp; bar &#8212; yes.<br>Next
    line</p><template><p>not shown</p></template><ul><li>one<li>two</ul><!-- no --></body></html>"""
    expected = "River\nIt is long, café & bar — yes.\nNext line\none\ntwo"
    assert page(html) == Page("The Rio Grande", expected)


@pytest.mark.parametrize(
    ("html", "title", "text"),
    [
        ("", "", ""),
        ("plain words", "", "plain words"),
        ("wo<b>rd</b>s<td>cell</td>more", "", "words\ncell\nmore"),
        ("<head><title>T</title><body>head never closed", "T", "head never closed"),
        ("<title>T never closed<body>text", "T never closed", "text"),
        ("<title>a</title><svg><title>b</title></svg>c", "a", "b\nc"),
        ("<p>a</script></style>b", "", "a\nb"),
        ("<script/>seen", "", "seen"),
        ("a &lt;b&gt; &unknown; &#xe9; &#0;", "", "a <b> &unknown; é \ufffd"),
        ("<p>a<![foo[x]]>b", "", "ab"),
        ("<p>a<![CDATA[x]]>b", "", "ab"),
        ("<p>a<?php echo 1 ?>b", "", "ab"),
        ("form\ffeed", "", "form feed"),
    ],
)
def test_odd_markup(html, title, text):
    found = page(html)
    assert found.title == title
    if "[foo[" not in html:  # how much of it vanishes differs between versions of Python
        assert found.text == text


PIECES = ["<", ">", "</", "<!", "<![", "<!--", "--", "]]>", "<?", "&", "&#", ";", '"', "'", "=", "/>", " "]
NAMES = ["p", "b", "title", "script", "style", "template", "head", "body", "CDATA", "if", "x", "é", "\0"]


@given(st.lists(st.sampled_from(PIECES + NAMES)).map("".join))
def test_broken_markup_never_raises(html):
    assert "\f" not in page(html).text


@given(st.lists(st.text("abcxyz", min_size=1), min_size=1))
def test_blocks_never_join_words(words):
    html = "".join(f"<div>{word}</div>" for word in words)
    assert page(html).text.split() == words
