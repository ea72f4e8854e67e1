"""Places that a copy of an index cannot have."""

from __future__ import annotations

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError

RECORDS = [{"id": "a", "text": "a city"}]


@pytest.fixture
def index(tmp_path):
    return Index.build(RECORDS, tmp_path / "x.index")


@pytest.mark.parametrize("place", ["x.index/arrays/y", "x.index/y", "x.index/arrays/../z", "linked/y"])
def test_a_place_in_the_index_itself_is_refused(index, tmp_path, place):
    (tmp_path / "linked").symlink_to("x.index")
    with pytest.raises(UsageError, match=r"lies in the index .*x\.index itself.*; choose another place"):
        index.copy_to(tmp_path / place)
    assert index.check(deep=True).ok


def test_a_place_beside_it_whose_name_begins_alike_is_taken(index, tmp_path):
    index.copy_to(tmp_path / "x.index2")
    assert len(Index.open(tmp_path / "x.index2")) == 1


@pytest.mark.parametrize("leads_to", ["gone", "empty"])
def test_a_link_is_no_place(index, tmp_path, leads_to):
    (tmp_path / "empty").mkdir()
    link = tmp_path / "l"
    link.symlink_to(leads_to)
    with pytest.raises(UsageError, match=f"l is a link to {leads_to}; name the place itself, or remove the link"):
        index.copy_to(link)
    with pytest.raises(UsageError, match="is a link to"):
        Index.build(RECORDS, link)
