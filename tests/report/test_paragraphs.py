from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.report.paragraphs import paragraphs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", []),
        (" \n ", []),
        (" a b ", ["a b"]),
        ("a\nb", ["a\nb"]),
        ("a\n\nb\r\n\r\nc", ["a", "b", "c"]),
        ("a\n  b c", ["a", "b c"]),
    ],
)
def test_paragraphs_are_set_apart(text, shown):
    assert ["".join(piece for piece, _ in one) for one in paragraphs(text, [])] == shown


def test_words_keep_their_marks():
    assert paragraphs("a city,\n\nby the sea ", [(2, 6, 1), (16, 19, 0)]) == [
        [("a ", None), ("city", 1), (",", None)],
        [("by the ", None), ("sea", 0)],
    ]


def test_a_paragraph_of_very_many_words_is_cut():
    text = "ab " * 10 + "ab-ab"
    words = [(at, at + 2, 0) for at in range(0, len(text), 3)]
    assert [sum(mark == 0 for _, mark in one) for one in paragraphs(text, words, longest=4)] == [4, 4, 4]


def test_it_is_cut_after_a_sentence_where_one_ends():
    text = 'ab ab 1.5 ab. (Ab ab.) The ab ab ab "ab!" ab'
    words = [(at, at + 2, 0) for at in range(len(text) - 1) if text[at : at + 2].lower() == "ab"]
    made = paragraphs(text, words, longest=4)
    assert ["".join(piece for piece, _ in one) for one in made] == [
        "ab ab 1.5 ab.",
        "(Ab ab.)",
        'The ab ab ab "ab!"',
        "ab",
    ]


@given(st.text("ab \n\t.", max_size=60), st.integers(1, 3))
def test_nothing_is_lost_but_white_space(text, longest):
    words = [(at, at + 1, at) for at, letter in enumerate(text) if letter == "b"]
    made = paragraphs(text, words, longest)
    shown = "".join(piece for one in made for piece, _ in one)
    assert "".join(shown.split()) == "".join(text.split())
    assert [mark for one in made for _, mark in one if mark is not None] == [at for at, _, _ in words]
