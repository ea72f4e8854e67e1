from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.models.ranking import Explanation, Part
from aboutness.report.marks import Explained, Mark, Marked, Reading, Reason, marked, threshold
from aboutness.text.analyzers import analyzer

BOTH = (("title", 1.0), ("text", 1.0))
WORDS = ["coffee", "crop", "brazil", "board"]


def reading(name: str = "plain", fields: tuple[tuple[str, float], ...] = BOTH) -> Reading:
    return Reading(analyzer(name), fields)


def about(word: str, value: float, by: str = "", **details: float) -> Part:
    return Part(word, value, details, word=word, by=by)


def reason(*parts: Part, **readings: Reading) -> Reason:
    read = {name.replace("_", ""): one for name, one in readings.items()} or {"": reading()}
    return Reason("a ranker", Explanation(sum(part.value for part in parts), parts), read)


def found(document: Explained, query: str = "", place: int = 0) -> list[tuple[str, float, float | None, bool]]:
    """The words that are marked, with their share, similarity and whether they are the query's."""
    marks = marked(document, query)
    return [
        (document.fields[field][start:end], mark.share, mark.similarity, mark.own)
        for field, words in marks.words.items()
        for start, end, kind in words
        for mark in [marks.marks[place][kind]]
    ]


def test_a_words_parts_are_spread_over_its_occurrences():
    why = reason(about("coffee", 0.6, similarity=0.5), about("crop", -0.2), about("absent", 9), Part("prior", 7))
    document = Explained("d", {"text": "Coffee: a crop; COFFEE, coffee. Tea"}, [why])
    assert found(document, "crop of tea") == [
        ("Coffee", pytest.approx(0.2), 0.5, False),
        ("crop", pytest.approx(-0.2), None, True),
        ("COFFEE", pytest.approx(0.2), 0.5, False),
        ("coffee", pytest.approx(0.2), 0.5, False),
        ("Tea", 0, None, True),
    ]


def test_by_the_weights_of_fields():
    fields = {"title": "coffee", "text": "coffee coffee", "note": "coffee"}
    why = reason(about("coffee", 1.0), _=reading(fields=(("title", 3.0), ("text", 1.0))))
    assert [row[:2] for row in found(Explained("d", fields, [why]), "coffee")] == [
        ("coffee", pytest.approx(0.6)),
        ("coffee", pytest.approx(0.2)),
        ("coffee", pytest.approx(0.2)),
    ]  # and nothing in a field that is not read


def test_several_parts_of_a_word():
    why = reason(about("crop", 0.5, similarity=0.1), about("crop", -0.2, similarity=0.3), about("crop", 1.0))
    marks = marked(Explained("d", {"text": "crop"}, [why]), "")
    assert marks.marks == [[Mark(pytest.approx(1.3), 0.3, False, (0, 1, 2))]]


def test_rankers_that_read_differently():
    stems, plain = reading("english"), reading("galke2017-glove")
    mixed = reason(about("crop", 1.0, "a"), about("crops", 2.0, "b"), about("'", 4.0, "b"), a=stems, b=plain)
    alone = reason(about("crop", 8.0), _=stems)
    document = Explained("d", {"text": "Crops' crop"}, [mixed, alone])
    assert [row[:2] for row in found(document, place=0)] == [("Crops", 2.5), ("'", 4.0), ("crop", 0.5)]
    assert [row[:2] for row in found(document, place=1)] == [("Crops", 4.0), ("'", 0), ("crop", 4.0)]


def test_a_part_of_a_ranker_that_reads_nothing_marks_nothing():
    assert found(Explained("d", {"text": "crop"}, [reason(about("crop", 1.0, by="other"))])) == []


@pytest.mark.parametrize(
    ("name", "own"),
    [("plain", ["coffee"]), ("plain[words=1-2]", ["coffee"]), ("plain[words=2]", []), ("letters", ["coffee"])],
)
def test_the_querys_own_words(name, own):
    parts = [about(term, 1.0) for term in analyzer(name).terms("the coffee coffers")]
    document = Explained("d", {"text": "the coffee coffers"}, [reason(*parts, _=reading(name))])
    assert [word for word, *_, mine in found(document, "coffee") if mine] == own


def test_what_is_no_number_is_no_similarity():
    why = reason(about("crop", math.inf, similarity=math.nan), about("board", 1.0, similarity=math.inf))
    assert [row[1:3] for row in found(Explained("d", {"text": "crop board"}, [why]))] == [
        (math.inf, None),
        (1.0, None),
    ]


@given(
    fields=st.dictionaries(
        st.sampled_from(["title", "text"]), st.lists(st.sampled_from([*WORDS, "tea"]), max_size=9)
    ),
    values=st.dictionaries(st.sampled_from(WORDS), st.floats(-10, 10)),
    weight=st.sampled_from([1.0, 3.0, 0.25]),
    name=st.sampled_from(["plain", "english", "letters", "plain[words=1-2]"]),
)
def test_shares_sum_to_the_parts_whose_words_are_there(fields, values, weight, name):
    read = Reading(analyzer(name), (("title", weight), ("text", 1.0)))
    texts = {field: ", ".join(words) for field, words in fields.items()}
    parts = [
        about(term, value) for word, value in values.items() for term in dict.fromkeys(read.analyzer.terms(word))
    ]
    there = {term for text in texts.values() for term in read.analyzer.terms(text)}
    shares = [share for _, share, _, _ in found(Explained("d", texts, [reason(*parts, _=read)]), "tea")]
    assert math.fsum(shares) == pytest.approx(sum(part.value for part in parts if part.word in there), abs=1e-9)


def test_the_threshold_is_a_percentile_over_the_words_of_all_documents():
    def document(*rows: tuple[float | None, bool, int]) -> Marked:
        marks = [Mark(0, similarity, own, ()) for similarity, own, _ in rows]
        return Marked({}, [count for *_, count in rows], [marks])

    few, many = (
        document((0.1, False, 3), (None, False, 50), (9.0, True, 5)),
        document((0.2, False, 1), (-0.3, False, 2)),
    )
    wanted = float(np.percentile([0.1, 0.1, 0.1, 0.2, -0.3, -0.3], 90))
    assert threshold([few, many], 0) == (wanted, -0.3, 0.2)
    assert threshold([document((None, False, 5), (1.0, True, 1))], 0) is None
    assert threshold([], 0) is None
