"""Weights and the number of fields."""

from __future__ import annotations

import math

import pytest

import aboutness as ab
from aboutness.core.errors import BadInput, UsageError
from aboutness.index.fields import MOST_FIELDS, checked_weights


def test_weights_become_numbers():
    assert checked_weights({"title": 3, "text": 0.5}) == {"title": 3.0, "text": 0.5}


@pytest.mark.parametrize("weight", [0, -1, math.inf, math.nan, "2", None, True])
def test_other_weights_are_refused(weight):
    with pytest.raises(UsageError, match="the weight of field 'title' must be a number above 0, got"):
        checked_weights({"title": weight})
    with pytest.raises(UsageError, match="the weight of field 'title' must be a number above 0, got"):
        ab.Index.build([], weights={"title": weight})
    index = ab.Index.build([{"id": "a", "title": "x"}])
    if weight != 0:  # in a view, 0 leaves a field out
        with pytest.raises(UsageError, match="the weight of field 'title' must be a number above 0, got"):
            index.view(fields={"title": weight})


def test_too_many_fields_in_an_index():
    many = [ab.Document(f"d{n}", {f"f{n}": "word"}) for n in range(MOST_FIELDS)]
    index = ab.Index.build(many)
    assert len(index.snapshot.fields) == MOST_FIELDS
    with pytest.raises(BadInput, match="at most 64 text fields, got 65"):
        index.add([ab.Document("one more", {"another": "word"})])
    assert len(index) == MOST_FIELDS
