from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer
from aboutness.text.spans import Span, joined, spans
from text.hard_texts import all_analyzers, texts

every_analyzer = pytest.mark.parametrize("one", all_analyzers(), ids=lambda one: one.name)


def alone(one: Analyzer) -> bool:
    """Tell whether a token's terms do not hang on its neighbours."""
    return one.words == (1, 1)


@every_analyzer
@settings(max_examples=60)
@given(text=texts)
@example("İİ iİi, aİb 'İ' ΟΔΟΣ ẞß")
def test_the_terms_are_those_of_the_analyzer(one, text):
    found = spans(one, text)
    in_order = [term for span in found for term in span.terms]
    if alone(one):
        assert in_order == one.terms(text)
    else:
        assert set(in_order) == set(one.terms(text))


@every_analyzer
@settings(max_examples=60)
@given(text=texts)
@example("İİ iİi, aİb 'İ'")
def test_spans_ascend_and_hold_something(one, text):
    found = spans(one, text)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(span.terms for span in found)


@every_analyzer
@settings(max_examples=60)
@given(text=texts)
@example("the STRASSE's")
def test_the_letters_of_a_span_make_its_terms(one, text):
    # What follows decides how a capital sigma is written, and a letter may be divided between tokens.
    text = "".join(letter for letter in text if letter != "Σ" and len(letter.lower()) == 1)
    found = spans(one, text) if alone(one) else []
    assert [one.terms(text[span.start : span.end]) for span in found] == [list(span.terms) for span in found]


@pytest.mark.parametrize(
    ("expression", "text", "wanted"),
    [
        ("english", "The growers' Harvests, rising!", [("growers", "grower"), ("Harvests", "harvest"), ("rising", "rise")]),
        ("plain", "Diyarbakır İstanbul'da kahve", [("Diyarbakır", "diyarbakır"), ("stanbul", "stanbul"), ("da", "da"), ("kahve", "kahve")]),
        ("plain", "ẞtraße ΟΔΟΣ ﬁn", [("ẞtraße", "ßtraße"), ("ΟΔΟΣ", "οδος"), ("ﬁn", "ﬁn")]),
        ("galke2017-glove", "it's 5.", [("it", "it"), ("'", "'"), ("s", "s"), ("5", "5"), (".", ".")]),
        ("plain[lowercase=no]", "New İl", [("New", "New"), ("İl", "İl")]),
        ("plain[letters=3]", "cat", [("cat", " ca cat at ")]),
        ("plain[words=1-2]", "new york city", [("new", "new new york"), ("york", "york new york york city"), ("city", "city york city")]),
        ("plain[shortest=1]", "yİz", [("yİ", "yi"), ("z", "z")]),
        ("english[words=2]", "rain and the words", [("rain", "rain word"), ("words", "rain word")]),
        ("english[words=2]", "words", []),
        ("plain", "", []),
    ],
)  # fmt: skip
def test_examples(expression, text, wanted):
    found = spans(analyzer(expression), text)
    assert [(text[span.start : span.end], " ".join(span.terms)) for span in found] == wanted


def test_a_letter_that_becomes_two_tokens_is_one_span():
    text = "yİz"
    assert "yİz".lower() == "yi\u0307z"
    assert spans(analyzer("galke2017-glove"), text) == [Span(0, 2, ("yi", "\u0307")), Span(2, 3, ("z",))]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.sampled_from("abc")), max_size=12))
def test_joined(drawn):
    pieces = [Span(start, start + size, (term,)) for start, size, term in sorted(drawn)]
    found = joined(pieces)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert [term for span in found for term in span.terms] == [term for span in pieces for term in span.terms]
    covered = {place for span in pieces for place in range(span.start, span.end)}
    assert {place for span in found for place in range(span.start, span.end)} == covered
    assert joined(found) == found
