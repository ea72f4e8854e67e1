"""Which words stand together, counted by hand on texts that can be seen through."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.papers.mitra2016.company import Company
from aboutness.papers.mitra2016.features import area
from aboutness.papers.mitra2016.marking import marked_pieces
from aboutness.papers.mitra2016.passages import triples

TEXTS = ["north south east", "north south west", "north west", "apple pear", "apple plum"]


@pytest.fixture(scope="module")
def company() -> Company:
    documents = [{"id": str(number), "text": text} for number, text in enumerate(TEXTS)]
    return Company(Index.build(documents, analyzer="plain").view(), window=1, least=1)


def numbers(company: Company, *words: str) -> list[int]:
    return company.view.term_numbers(words).tolist()


def test_pairs_are_counted_within_the_window_and_the_text(company: Company) -> None:
    north, south, east, west, apple = numbers(company, "north", "south", "east", "west", "apple")
    pairs = company.pairs.toarray()
    assert (pairs == pairs.T).all()
    assert pairs[north].tolist()[south] == 2
    assert pairs[north, east] == 0  # two words away
    assert pairs[north, west] == 1
    assert pairs[west, apple] == 0  # not over the end of a text
    assert pairs.sum() == 2 * sum(len(text.split()) - 1 for text in TEXTS)


def test_mutual_information_is_minus_1_for_what_is_never_together(company: Company) -> None:
    north, south, apple, pear = numbers(company, "north", "south", "apple", "pear")
    others = np.array([south, apple])
    near = company.near(north, others)
    total = company.pairs.sum()
    assert near[1] == -1
    assert near[0] == pytest.approx(math.log(2 * total / (3 * 4)) / -math.log(2 / total))
    assert company.in_documents(apple, np.array([pear]))[0] == pytest.approx(math.log(5 / 2) / math.log(5))


def test_words_in_the_same_company_are_alike(company: Company) -> None:
    pear, plum, south = numbers(company, "pear", "plum", "south")
    alike = company.alike(pear, np.array([plum, south, pear]))
    assert alike[0] == pytest.approx(1)  # both stand beside apple alone
    assert alike[1] == 0
    assert alike[2] == pytest.approx(1)


def test_repeated_words_come_first_and_words_everywhere_not_at_all() -> None:
    texts = ["flood flood flood river", "flood flood river", "river bank", *["common words here"] * 27]
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    found = Company(Index.build(documents, analyzer="plain").view(), window=2, least=2)
    assert [found.words[number] for number in found.frequent.tolist()] == ["flood", "river"]
    assert found.topics_among(["river", "words"], 3) == ["river"]
    assert list(triples(found, 5)) == []  # two words are no triple


def test_area_is_the_share_of_pairs_won() -> None:
    chance = np.random.default_rng(1)
    above, below = chance.integers(0, 9, 30).astype(float), chance.integers(0, 9, 40).astype(float)
    wins = (above[:, None] > below).mean() + 0.5 * (above[:, None] == below).mean()
    assert area(above, below) == pytest.approx(wins)
    assert area(below, above) == pytest.approx(1 - wins)


def test_marked_pieces_are_the_whole_text() -> None:
    pieces = marked_pieces(["a city by the sea", "of songs"], [[(2, 6, "query"), (14, 17, "evidence")], []])
    assert "".join(piece for piece, _ in pieces) == "a city by the sea of songs"
    assert [piece for piece, kind in pieces if kind] == ["city", "sea"]
