from __future__ import annotations

import numpy as np
import pytest

from aboutness.core.errors import BadInput
from aboutness.corpus.qrels import Judgement
from aboutness.evaluate.judgements import LARGEST_GRADE, checked, judgements_by_query


def test_grouping():
    judgements = [
        Judgement("b", "d1", 1),
        Judgement("a", "d1", 0),
        Judgement("b", "d0", -1),
        Judgement("b", "d1", 1),
    ]
    grouped = judgements_by_query(iter(judgements))
    assert grouped == {"b": {"d1": 1, "d0": -1}, "a": {"d1": 0}}
    assert list(grouped) == ["b", "a"]
    assert judgements_by_query([]) == {}


def test_two_grades_for_one_document():
    with pytest.raises(
        BadInput, match=r"^query 'a': document 'd' is judged twice, with grades 0 and 2; keep one$"
    ):
        judgements_by_query([Judgement("a", "d", 0), Judgement("b", "d", 2), Judgement("a", "d", 2)])


def test_grades_are_whole_numbers():
    assert checked({"q": {"d": np.int64(2), "e": -1, "f": LARGEST_GRADE}, "none": {}}) == {
        "q": {"d": 2, "e": -1, "f": 1023}
    }
    for grade in (0.5, 1.0, "1", None, 1024, 10**30, -(10**30)):
        with pytest.raises(BadInput) as caught:
            checked({"p": {"c": 1}, "q": {"d": grade}})
        assert str(caught.value) == (
            f"query 'q': the grade of document 'd' must be a whole number of at most 1023, got {grade!r}"
        )


@pytest.mark.parametrize("qrels", [{}, {"q": {}}])
def test_no_judgements(qrels):
    with pytest.raises(BadInput, match="there are no judgements"):
        checked(qrels)
