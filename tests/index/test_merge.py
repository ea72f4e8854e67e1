from __future__ import annotations

import math
import random
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.index import merge
from aboutness.index.merge import merge_run


def stub(live, tokens=None, name="00000001-aa"):
    layer = SimpleNamespace(tokens=np.empty(0 if tokens is None else tokens, np.int8))
    return SimpleNamespace(name=name, live=live, layers={"main": layer})


def simulate(sizes):
    """Add batches of documents, each in a commit; return the segments after each and what was rewritten."""
    segments, history, rewritten = [], [], 0
    for size in sizes:
        segments.append(stub(size))
        while count := merge_run(segments):
            merged = sum(segment.live for segment in segments[-count:])
            rewritten += merged
            segments[-count:] = [stub(merged)]
        history.append([segment.live for segment in segments])
    return history, rewritten


def test_nothing_to_merge():
    assert merge_run([]) == 0
    assert merge_run([stub(5)]) == 0
    assert merge_run([stub(100), stub(5)]) == 0


def test_a_segment_joins_while_it_is_at_most_twice_what_came_after():
    assert merge_run([stub(10), stub(5)]) == 2
    assert merge_run([stub(11), stub(5)]) == 0
    assert merge_run([stub(30), stub(10), stub(5)]) == 3
    assert merge_run([stub(31), stub(10), stub(5)]) == 2


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_segments_stay_few_and_rewriting_cheap_over_a_thousand_additions(seed):
    rng = random.Random(seed)
    sizes = [1] * 1000 if seed is None else [rng.choice([1, 1, 2, 7, 50]) for _ in range(1000)]
    history, rewritten = simulate(sizes)
    total = 0
    for size, segments in zip(sizes, history, strict=True):
        total += size
        assert sum(segments) == total
        assert len(segments) <= math.log2(total) + 2
        for older, newer in pairwise(segments):
            assert older > 2 * newer
    assert rewritten <= total * (math.log2(total) + 1)


def test_large_segments_are_left_alone(monkeypatch):
    monkeypatch.setattr(merge, "LARGEST_MERGED", 1000)
    assert merge_run([stub(5, 600), stub(5, 400)]) == 2
    assert merge_run([stub(5, 600), stub(5, 401)]) == 0
    assert merge_run([stub(5, 900), stub(5, 100), stub(5, 100)]) == 2
    assert merge_run([stub(5, 5000)]) == 0


def test_segments_without_living_documents_go():
    assert merge_run([stub(0), stub(0)]) == 2
    assert merge_run([stub(0), stub(1)]) == 2
    assert merge_run([stub(1), stub(0)]) == 0


def test_real_additions_follow_the_policy():
    index = Index.build([])
    expected, _ = simulate([1] * 40)
    for n in range(40):
        index.add([Document(f"d{n}", {"text": f"word{n} shared"}, {"n": n})])
        assert [len(segment) for segment in index.snapshot.segments] == expected[n]
    assert [document.id for document in index] == [f"d{n}" for n in range(40)]


def test_merged_segments_hold_no_dead_documents_and_fill_missing_fields():
    index = Index.build([Document(f"a{n}", {"text": f"x{n}"}, {"n": n}) for n in range(6)])
    index.add([Document("b", {"text": "tt", "title": "uu"}, {"n": [1, 2]})])
    index.delete(["a1", "a4"])
    index.merge()
    (segment,) = index.snapshot.segments
    assert (len(segment), len(segment.dead), segment.fields) == (5, 0, 2)
    assert list(index) == [
        *(Document(f"a{n}", {"text": f"x{n}"}, {"n": n}) for n in (0, 2, 3, 5)),
        Document("b", {"text": "tt", "title": "uu"}, {"n": [1, 2]}),
    ]
    generation = index.snapshot.generation
    index.merge()
    assert index.snapshot.generation == generation


def test_shards_are_left_alone():
    shards = [stub(10, name=f"shard-0000{i}-0-aa") for i in range(3)]
    assert merge_run(shards) == 0
    assert merge_run([*shards, stub(10)]) == 0
    assert merge_run([*shards, stub(1), stub(1)]) == 2
