"""What every ranker says of itself, whoever wrote it: STYLE asks for it, and its page shows it."""

from __future__ import annotations

import re

import pytest
from docsite.docstring import DIFFERS, PAPER, PARTS, SYMBOLS, docstring_of, taken_apart

from aboutness.rank.known import known_rankers

RANKERS = known_rankers(combinations=True)


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_says_all_that_is_asked_for(name):
    said = docstring_of(RANKERS[name])
    assert len(said.idea) > 20
    assert said.idea.endswith(".")
    assert said.equation
    assert list(said.parts) == list(PARTS)
    assert all(text.endswith((".", ")")) for text in said.parts.values()), said.parts
    assert re.search(r"\b(19|20)\d\d|(galke|malina|mitra|ai)20\d\d|^none", said.parts[PAPER])
    assert re.search(r"\(§|eq\.|formula|\d{4}\)|\"|^none|slides|\d{4},", said.parts[PAPER]), said.parts[PAPER]


@pytest.mark.parametrize("name", RANKERS)
def test_what_has_no_paper_says_so_twice(name):
    said = docstring_of(RANKERS[name]).parts
    assert said[PAPER].startswith("none") == said[DIFFERS].startswith("there is none")
    if RANKERS[name].source == "beyond the papers":
        assert said[PAPER].startswith("none")


@pytest.mark.parametrize("name", RANKERS)
def test_symbols_of_parameters_are_explained(name):
    said = docstring_of(RANKERS[name])
    told = " ".join([said.equation, *said.parts.values(), *said.notes])
    for parameter in RANKERS[name].declared():
        if parameter.symbol:
            assert re.search(rf"\b{parameter.name}\b", told), parameter.name
    assert len(said.parts[SYMBOLS]) > 20


def test_a_part_is_that_of_the_nearest_base():
    class Base:
        """A base.

        Cost: much.

        Paper: one.
        Unknown words: two.
        """

        __module__ = "aboutness.models.any"

    class Own(Base):
        """An own idea.

            a = b
            c = d

        Paper: another
        one.
        Cost: little.

        Some note.

        >>> 1 + 1
        2
        """

        __module__ = "aboutness.models.any"

    found = docstring_of(Own)
    assert (found.idea, found.equation) == ("An own idea.", "a = b\nc = d")
    assert found.parts == {"Paper": "another one.", "Unknown words": "two.", "Cost": "little."}
    assert (found.notes, found.examples) == (["Some note."], ">>> 1 + 1\n2")


def test_a_word_with_a_colon_is_no_part():
    assert taken_apart("Idea.\n\nCosts: not a part.").parts == {}
