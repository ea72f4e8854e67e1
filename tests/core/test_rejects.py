from __future__ import annotations

import json

import pytest

from aboutness.core.errors import BadRecord, UsageError
from aboutness.core.record import Origin
from aboutness.core.rejects import RejectFile, stop


def test_stop_raises_the_very_error():
    error = BadRecord("broken")
    with pytest.raises(BadRecord) as caught:
        stop(error)
    assert caught.value is error


def test_one_line_of_json_each(tmp_path):
    path = tmp_path / "bad.jsonl"
    with RejectFile(path) as rejects:
        rejects(BadRecord("no id", origin=Origin("a.jsonl", 3), raw='{"x": "é\n"}'))
        rejects(BadRecord("not UTF-8", origin=Origin("b.txt"), raw=b"caf\xe9 \xc3\xa9"))
        rejects(BadRecord("from nowhere"))
        assert rejects.count == 3
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [
        {"file": "a.jsonl", "line": 3, "error": "no id", "record": '{"x": "é\n"}'},
        {"file": "b.txt", "line": None, "error": "not UTF-8", "record": "caf\\xe9 é"},
        {"file": None, "line": None, "error": "from nowhere", "record": ""},
    ]


def test_nothing_bad_leaves_no_file(tmp_path):
    with RejectFile(str(tmp_path / "bad.jsonl")) as rejects:
        assert rejects.count == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_never_written_over(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("old\n")
    with RejectFile(path):
        pass
    assert path.read_text() == "old\n"
    with RejectFile(path) as rejects, pytest.raises(UsageError, match="is there already; choose another file"):
        rejects(BadRecord("new"))
    assert path.read_text() == "old\n"


def test_lone_surrogates_can_be_written(tmp_path):
    path = tmp_path / "bad.jsonl"
    with RejectFile(path) as rejects:
        rejects(BadRecord("surrogate", raw="a\ud800b"))
    assert json.loads(path.read_text("utf-8"))["record"] == "a\ud800b"


def test_the_file_is_whole_when_reading_fails(tmp_path):
    path = tmp_path / "bad.jsonl"
    with pytest.raises(RuntimeError), RejectFile(path) as rejects:
        rejects(BadRecord("first"))
        raise RuntimeError
    assert json.loads(path.read_text())["error"] == "first"
