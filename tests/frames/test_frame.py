"""What a data frame is, where pandas need not be installed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from aboutness.core.errors import BadInput, UsageError
from aboutness.frames import frame as frames
from aboutness.frames.frame import frame_of, ids, is_frame, plain_values


def test_what_is_a_frame():
    assert is_frame(pd.DataFrame({"a": [1]}))
    for other in (pd.Series([1]), {"a": [1]}, [1], "a", None, pd.DataFrame):
        assert not is_frame(other)


def test_pandas_is_imported_only_where_a_frame_is_made():
    code = """
import sys
import aboutness as ab
from aboutness.frames.frame import is_frame
index = ab.Index.build([{"id": "a", "text": "sun"}])
index.search_many(["sun"])
ab.evaluate_run({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
assert not is_frame(index)
assert "pandas" not in sys.modules
index.search("sun").to_frame()
assert "pandas" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # then it cannot be imported
    with pytest.raises(UsageError, match=r"^data frames need pandas; run: pip install 'aboutness\[frames\]'$"):
        frames.pandas()
    assert not is_frame([])


def test_frames_of_rows():
    made = frame_of([{"b": 1, "a": 2}, {"a": 3, "c": 4}], ["a"])
    assert list(made.columns) == ["a", "b", "c"]
    assert made["a"].tolist() == [2, 3]
    assert list(frame_of([], ["a", "b"]).columns) == ["a", "b"]


def test_values_as_python_has_them():
    series = pd.Series([1, None, 3])
    assert plain_values(series) == [1.0, None, 3.0]
    assert plain_values(pd.Series(["x", None, float("nan"), pd.NA], dtype=object)) == ["x", None, None, None]
    assert plain_values(pd.Series([[1, 2], "x"])) == [[1, 2], "x"]
    assert plain_values(pd.Series(pd.to_datetime(["2020-01-02", None]))) == ["2020-01-02T00:00:00", None]
    assert plain_values(pd.Series([True, False])) == [True, False]
    (number,) = plain_values(pd.Series(np.array([7], np.int16)))
    assert type(number) is int
    (number,) = plain_values(pd.Series(np.array([0.1], np.float32)))
    assert type(number) is float
    odd = [np.int64(1), np.float32(0.5), np.True_, np.str_("x"), np.datetime64("2020-01-02", "ns"), [np.int64(1)]]
    found = plain_values(pd.Series(odd, dtype=object))
    assert found == [1, 0.5, True, "x", "2020-01-02T00:00:00", [1]]
    assert list(map(type, found)) == [int, float, bool, str, str, list]


def test_ids_are_texts():
    frame = pd.DataFrame({"qid": [1, 2], "docno": ["a", "b"], "topic": [1.0, None]})
    assert ids(frame, "queries", "qid") == ["1", "2"]
    assert ids(frame, "documents", "docno") == ["a", "b"]
    with pytest.raises(
        BadInput, match="row 1 of the data frame: the id of queries must be a text or a whole number, got None"
    ):
        ids(frame, "queries", "topic")
    for wrong in ("", 0.5, True, None, [1]):
        with pytest.raises(
            BadInput, match="row 0 of the data frame: the id of x must be a text or a whole number"
        ):
            ids(pd.DataFrame({"a": pd.Series([wrong], dtype=object)}), "x", "a")
