"""An index that is made to hold just the documents of a source."""

from __future__ import annotations

import json

import pytest

from aboutness.app.index import Index
from aboutness.app.sources import Sources
from aboutness.app.syncing import Synced, sync_sources
from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document

FIRST = [
    {"id": "a", "title": "City", "text": "a city in the desert", "year": 1990, "tags": ["x", "y"]},
    {"id": "b", "text": "a song of the sea", "year": 1991.0},
    {"id": "c", "text": "the moon", "good": True},
]


@pytest.fixture
def index(tmp_path):
    return Index.build(FIRST, tmp_path / "x.index")


def contents(index):
    return {one.id: (dict(one.fields), dict(one.metadata)) for one in index}


def test_what_is_as_it_was_stays_and_makes_no_generation(index):
    generation, arrivals = index.snapshot.generation, index.view().arrivals.tolist()
    assert index.sync(FIRST) == Synced(0, 0, 3, 0)
    assert index.sync(reversed(FIRST)) == Synced(0, 0, 3, 0)
    assert (index.snapshot.generation, index.view().arrivals.tolist()) == (generation, arrivals)


def test_what_is_new_changed_or_gone_is_so_in_one_commit(index):
    generation = index.snapshot.generation
    after = [FIRST[0], {**FIRST[1], "text": "a song of the land"}, {"id": "d", "text": "the sun"}]
    assert index.sync(after) == Synced(1, 1, 1, 1)
    assert index.snapshot.generation == generation + 1
    assert contents(index) == contents(Index.build(after))
    assert index.check(deep=True).ok


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "a", "title": "City", "text": "a city in the desert", "year": 1991, "tags": ["x", "y"]},
        {"id": "a", "title": "City", "text": "a city in the desert", "year": 1990, "tags": ["y", "x"]},
        {"id": "a", "title": "City", "text": "a city in the desert", "year": 1990},
        {"id": "a", "title": "City", "text": "a city in the desert", "year": 1990.0, "tags": ["x", "y"]},
        {"id": "a", "text": "a city in the desert", "year": 1990, "tags": ["x", "y"]},
        {"id": "a", "title": "a city in the desert", "text": "City", "year": 1990, "tags": ["x", "y"]},
    ],
)
def test_every_change_counts(index, changed):
    assert index.sync([changed, *FIRST[1:]]) == Synced(0, 1, 2, 0)
    assert contents(index) == contents(Index.build([changed, *FIRST[1:]]))


def test_an_empty_field_is_none(index):
    assert index.sync([FIRST[0], {**FIRST[1], "title": ""}, FIRST[2]]).unchanged == 3


def test_documents_as_readers_make_them(index):
    again = [Document("b", {"text": "a song of the sea"}, {"year": 1991.0}), Document("e", {"text": "new"})]
    assert index.sync(again) == Synced(1, 0, 1, 2)


def test_what_was_trained_stays_fresh_for_what_stays(index):
    index.train("word2vec", dim=4, min_count=1, threads=1)
    index.sync([*FIRST, {"id": "d", "text": "the sun"}])
    entry = index.snapshot.trained.entries["word2vec"]
    assert index.snapshot.manifest.arrivals - entry.parameters["arrivals"] == 1


def test_nothing_to_come_deletes_nothing(index):
    with pytest.raises(BadInput, match="there are no documents, so all would be deleted"):
        index.sync([])
    assert len(index) == 3


def test_an_empty_index_takes_all(tmp_path):
    index = Index.build([], tmp_path / "empty.index")
    assert index.sync(FIRST) == Synced(3, 0, 0, 0)


def test_a_bad_record_changes_nothing_or_deletes_nothing(index):
    with pytest.raises(BadRecord):
        index.sync([FIRST[0], {"id": "", "text": "bad"}])
    assert len(index) == 3
    bad = []
    found = index.sync([{**FIRST[0], "text": "another"}, {"id": "", "text": "bad"}], on_bad=bad.append)
    assert (found, len(bad)) == (Synced(0, 1, 0, 0), 1)
    assert sorted(contents(index)) == ["a", "b", "c"]


@pytest.mark.parametrize("twice", ["a", "new"])
def test_an_id_that_comes_twice_is_bad(index, twice):
    records = [*FIRST, {"id": "new", "text": "one"}, {"id": twice, "text": "two"}]
    with pytest.raises(BadRecord, match=f"the id '{twice}' stands twice in the sources"):
        index.sync(records)
    bad = []
    assert index.sync(records, on_bad=bad.append).added == 1
    assert len(bad) == 1
    assert index["new"].fields["text"] == "one"


def test_it_compares_with_what_others_have_written_since(index):
    other = Index.open(index.path)
    other.add([{"id": "z", "text": "by somebody else"}])
    assert index.sync(FIRST) == Synced(0, 0, 3, 1)


def test_another_order_of_keys_is_no_change(index):
    turned = [dict(reversed(record.items())) for record in FIRST]
    assert index.sync(turned) == Synced(0, 0, 3, 0)


def test_a_dry_run_says_what_would_be_and_changes_nothing(index):
    before, stamp = contents(index), index.stamp()
    after = [FIRST[0], {**FIRST[1], "text": "a song of the land"}, {"id": "d", "text": "the sun"}]
    would = index.sync(after, dry_run=True)
    assert would.dry_run
    assert (contents(index), index.stamp()) == (before, stamp)
    did = index.sync(after)
    assert (did, did.dry_run) == (would, False)
    with pytest.raises(BadInput, match="all would be deleted"):
        index.sync([], dry_run=True)
    assert index.sync([after[0], {"id": "", "text": "bad"}], on_bad=lambda _: None, dry_run=True).deleted == 0


def test_a_dry_run_needs_no_lock_and_sees_what_others_have_written(index):
    with Index.open(index.path).writing() as writer:
        writer.add([{"id": "z", "text": "by somebody else"}])
        assert index.sync(FIRST[:2], dry_run=True) == Synced(0, 0, 2, 1)
    assert index.sync(FIRST, dry_run=True) == Synced(0, 0, 3, 1)


def test_where_all_records_are_bad_nothing_changes_and_that_is_said(index):
    with pytest.raises(BadInput, match="no record could be used, 2 were bad; nothing was changed"):
        index.sync([{"id": "", "text": "x"}, {"id": "", "text": "y"}], on_bad=lambda _: None)
    assert len(index) == 3


def sources(tmp_path, **files):
    for name, lines in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return Sources([str(tmp_path / f"{name}.jsonl") for name in files])


def test_a_source_without_documents_is_refused(index, tmp_path):
    some = sources(tmp_path, full=[json.dumps(FIRST[0])], empty=[])
    for dry_run in (True, False):
        with pytest.raises(BadInput, match=r"empty\.jsonl: there are no documents, so that all would be deleted"):
            sync_sources(index, some, dry_run=dry_run)
    assert len(index) == 3


def test_what_a_reader_cannot_read_deletes_nothing(index, tmp_path):
    bad = []
    some = sources(tmp_path, full=[json.dumps(FIRST[0])], broken=['{"id": "b", "te'])
    assert sync_sources(index, some, on_bad=bad.append) == Synced(0, 0, 1, 0)
    assert (len(bad), len(index)) == (1, 3)
