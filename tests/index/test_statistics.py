from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.index.statistics import Statistics


def statistics(documents: int, total_length: float) -> Statistics:
    return Statistics(documents, np.zeros(0, np.int64), np.zeros(0), total_length)


@pytest.mark.parametrize(
    ("documents", "total", "average"),
    [(4, 10.0, 2.5), (1, 0.25, 0.25), (3, 1.0, 1 / 3), (0, 0.0, 1.0), (7, 0.0, 1.0)],
)
def test_the_average_length_can_be_divided_by(documents, total, average):
    assert statistics(documents, total).average_length == average


def test_statistics_do_not_change():
    with pytest.raises(FrozenInstanceError):
        statistics(1, 1.0).documents = 2


TEXTS = ["aa bb aa", "", "bb cc", "aa", "dd dd dd"]


def test_counts_of_a_collection():
    index = Index.build([{"id": str(n), "text": text} for n, text in enumerate(TEXTS)], analyzer="plain")
    found = index.view().statistics
    assert index.view().terms() == ["aa", "bb", "cc", "dd"]
    assert (found.documents, found.df.tolist(), found.cf.tolist()) == (5, [2, 2, 1, 1], [3, 2, 1, 3])
    assert (found.total_length, found.average_length) == (9, 9 / 5)


def test_what_is_dead_does_not_count():
    index = Index.build([{"id": str(n), "text": text} for n, text in enumerate(TEXTS)], analyzer="plain")
    index.add([{"id": "more", "text": "aa ee"}])
    index.delete(["0", "4"])
    view = index.view()
    found = view.statistics
    df = dict(zip(view.terms(), found.df.tolist(), strict=True))
    cf = dict(zip(view.terms(), found.cf.tolist(), strict=True))
    living = {"aa": 2, "bb": 1, "cc": 1, "ee": 1}
    assert {term: count for term, count in df.items() if count} == living
    assert {term: count for term, count in cf.items() if count} == living
    assert (found.documents, found.total_length, found.average_length) == (4, 5, 5 / 4)


def test_fields_that_were_not_chosen_do_not_count():
    index = Index.build(
        [{"id": "a", "title": "aa", "text": "aa bb"}, {"id": "b", "title": "bb", "text": ""}], analyzer="plain"
    )
    view = index.view(fields={"title": 2.0})
    found = view.statistics
    assert dict(zip(view.terms(), found.df.tolist(), strict=True)) == {"aa": 1, "bb": 1}
    assert dict(zip(view.terms(), found.cf.tolist(), strict=True)) == {"aa": 2.0, "bb": 2.0}
    assert (found.documents, found.total_length, found.average_length) == (2, 4.0, 2.0)
    nothing = index.view(fields=[]).statistics
    assert (nothing.documents, nothing.df.sum(), nothing.total_length, nothing.average_length) == (2, 0, 0.0, 1.0)
