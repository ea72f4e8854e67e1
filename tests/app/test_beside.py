"""Indexes beside a folder that is none."""

from __future__ import annotations

import pytest

from aboutness.app.beside import indexes_beside
from aboutness.app.index import Index
from aboutness.core.errors import NoIndex


@pytest.mark.parametrize("wrong", ["notes", "note.index", "notes.inde"])
def test_those_of_similar_names_come_first(tmp_path, wrong):
    for name in ("letters.index", "notes.index", "other/deep.index"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "index.db").write_bytes(b"")
    (tmp_path / "notes").mkdir()
    with pytest.raises(NoIndex) as error:
        Index.open(tmp_path / wrong)
    assert "letters" not in str(error.value)  # which goes to clients of a server, too
    beside = indexes_beside(error.value.folder)
    assert beside == [str(tmp_path / "notes.index"), str(tmp_path / "letters.index")]


def test_there_may_be_none(tmp_path):
    assert indexes_beside(tmp_path / "a.index") == []
    assert indexes_beside(tmp_path / "gone" / "a.index") == []
