"""Short ways to ask a model for scores, for the tests of single models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.models.model import Model
from aboutness.models.question import Question
from models.drawing import FIELDS, index_of, named

WEIGHTS = st.dictionaries(st.sampled_from(list(FIELDS)), st.sampled_from([1.0, 3.0, 0.3]), min_size=1)


def scores(model: Model, index: Index, question: str | Question) -> list[float]:
    """The score of every living document, in order of arrival."""
    asked = Question(question) if isinstance(question, str) else question
    return model.bind(index.snapshot).scores(asked, index.snapshot.live_numbers()).tolist()


@cache
def of_texts(*texts: str) -> Index:
    """An index of documents with one field."""
    return index_of(named([{"text": text} for text in texts]))


def assert_title_counts_three_times(model: type[Model], question: str = "aa bb cc", **parameters: object) -> None:
    """Weight 3 for a field is the same as its text three times: in counts, lengths and what follows from them."""
    bodies = [
        {"title": "aa bb", "text": "bb cc"},
        {"title": "cc", "text": "aa"},
        {"text": "dd"},
        {"title": "dd"},
        {},
    ]
    once = index_of(named(bodies))
    thrice = index_of(named([{**body, "title": " ".join([body.get("title", "")] * 3)} for body in bodies]))
    weighted = scores(model(fields="3*title+text", **parameters), once, question)
    assert weighted == scores(model(fields="title+text", **parameters), thrice, question)
    assert weighted != scores(model(fields="title+text", **parameters), once, question)


def ranking(values: Sequence[float]) -> list[int]:
    return np.argsort(-np.array(values), kind="stable").tolist()
