"""Posting lists of one segment, against lists made from the documents."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.index.postings import PostingLists, weighted_sum

FIELDS = ["title", "text", "notes"]

few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
texts = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee"]), max_size=6).map(" ".join)
bodies = st.lists(st.dictionaries(st.sampled_from(FIELDS), texts), min_size=1, max_size=10)
weights_ = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from([1.0, 2.5, 0.3]) | st.floats(0.01, 100))


def index_of(*parts, dead=()):
    """An index with a segment for each part, some documents dead."""
    index = Index.build([], analyzer="plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        patch.setattr("aboutness.index.writer.hollow", lambda _: -1)
        for part in parts:
            if part:
                index.add(part)
        if dead:
            index.delete(dead)
    return index


def made_by_hand(documents, fields, weights):
    """For each term the documents with it in a chosen field, and its weighted counts."""
    lists = {}
    for place, document in enumerate(documents):
        counts = {name: Counter(document.fields.get(name, "").split()) for name in fields}
        for term in {term for name in weights if name in counts for term in counts[name]}:
            total = 0.0
            for name in fields:
                total += weights.get(name, 0.0) * counts[name][term]
            lists.setdefault(term, []).append((place, total))
    return lists


def spelled(lists: PostingLists, names: list[str]) -> dict[str, list[tuple[int, float]]]:
    found = {}
    for which, term in enumerate(lists.terms.tolist()):
        places = np.arange(lists.starts[which], lists.ends[which])
        having = lists.documents[places].tolist()
        found[names[term]] = list(zip(having, lists.counts(places).tolist(), strict=True))
    return found


@few
@given(bodies, st.data())
def test_lists_of_random_segments(bodies, data):
    documents = [Document(f"d{n}", body) for n, body in enumerate(bodies)]
    cut = data.draw(st.integers(0, len(documents)))
    dead = data.draw(st.sets(st.sampled_from([document.id for document in documents]), max_size=3))
    index = index_of(documents[:cut], documents[cut:], dead=sorted(dead))
    fields = index.snapshot.fields
    weights = {name: weight for name, weight in data.draw(weights_).items() if name in fields}
    view = index.view(fields=weights)
    first = 0
    for lists, segment in zip(view.lists, index.snapshot.segments, strict=True):
        here = [index.snapshot.document(number) for number in range(first, first + len(segment))]
        assert (lists.first, lists.size) == (first, len(here))
        assert spelled(lists, view.terms()) == made_by_hand(here, fields, weights)
        assert (lists.terms[1:] > lists.terms[:-1]).all()
        assert lists.starts.tolist() == [0, *lists.ends.tolist()][: len(lists.ends)]
        assert len(lists.documents) == lists.field_counts.shape[1] == (lists.ends[-1] if len(lists.ends) else 0)
        assert lists.documents.flags.c_contiguous
        assert lists.field_counts.flags.c_contiguous
        assert (lists.starts.dtype, lists.ends.dtype, lists.documents.dtype) == (np.int64, np.int64, np.int32)
        assert lists.dead.tolist() == [
            not index.snapshot.alive[number] for number in range(first, first + len(here))
        ]
        first += len(here)


@pytest.fixture(scope="module")
def index():
    return Index.build(
        [
            Document("a", {"title": "aa bb", "text": "aa aa cc"}),
            Document("b", {"title": "", "text": "cc dd"}),
            Document("c", {"title": "dd"}),
        ],
        analyzer="plain",
    )


def test_lists_of_all_fields_are_not_copied(index):
    part = index.snapshot.segments[0].layers["main"]
    (lists,) = index.view().lists
    assert np.shares_memory(lists.documents, part.posting_documents)
    assert np.shares_memory(lists.field_counts, part.posting_counts)
    (chosen,) = index.view(fields=["title"]).lists
    assert not np.shares_memory(chosen.documents, part.posting_documents)


def test_only_terms_of_the_chosen_fields_have_lists(index):
    (lists,) = index.view(fields={"title": 2.0}).lists
    assert spelled(lists, index.view().terms()) == {"aa": [(0, 2.0)], "bb": [(0, 2.0)], "dd": [(2, 2.0)]}
    (nothing,) = index.view(fields=[]).lists
    assert (len(nothing.terms), len(nothing.starts), len(nothing.ends), len(nothing.documents)) == (0, 0, 0, 0)


def test_the_list_of_a_term_is_found(index):
    names = index.view().terms()
    for selection in (None, ["title"], ["text"], []):
        (lists,) = index.view(fields=selection).lists
        asked = np.array([3, 0, 99, 2, 1, 3, -1, len(names)], np.int64)
        known = lists.terms.tolist()
        assert lists.find(asked).tolist() == [
            known.index(term) if term in known else -1 for term in asked.tolist()
        ]
        assert lists.find(asked).dtype == np.int64
        assert lists.find(asked[:0]).tolist() == []


def test_counts_of_some_postings(index):
    (lists,) = index.view(fields={"title": 10.0, "text": 1.0}).lists
    names = index.view().terms()
    which = int(lists.find(index.view().term_numbers(["cc"]))[0])
    assert names[lists.terms[which]] == "cc"
    places = np.arange(lists.starts[which], lists.ends[which])
    assert lists.counts(places).tolist() == [1.0, 1.0]
    assert lists.counts(places[::-1][:1]).tolist() == [1.0]
    assert lists.counts(slice(0, 1)).tolist() == [12.0]
    assert lists.counts(places[:0]).tolist() == []


@pytest.mark.parametrize("kind", [np.uint16, np.uint32, np.int64])
def test_a_weighted_sum_runs_over_the_fields_in_their_order(kind):
    weights = np.array([0.1, 0.2, 0.0, 0.3])
    counts = np.array([[1, 3, 0], [1, 0, 0], [9, 9, 9], [1, 7, 0]], kind)
    one_by_one = [0.1 * a + 0.2 * b + 0.3 * c for a, b, c in [(1, 1, 1), (3, 0, 7), (0, 0, 0)]]
    assert weighted_sum(weights, counts).tolist() == one_by_one
    assert one_by_one[0] != 0.3 * 1 + 0.2 * 1 + 0.1 * 1  # the order matters


def test_a_weighted_sum_knows_of_fields_that_a_segment_lacks():
    assert weighted_sum(np.array([2.0, 3.0]), np.array([[1, 4]], np.uint16)).tolist() == [2.0, 8.0]
    assert weighted_sum(np.array([2.0, 3.0]), np.zeros((2, 0), np.uint16)).tolist() == []


def test_a_weighted_sum_is_wider_than_its_counts():
    counts = np.full((2, 1), 65_535, np.uint16)
    assert weighted_sum(np.array([2.0, 1.0]), counts).tolist() == [3 * 65_535.0]
