"""Indexing what is larger than memory: many segments, merged block by block, rank as one does."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.corpus.synthetic import Synthetic
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter
from aboutness.text.analyzers import analyzer

DOCUMENTS = 3000
RANKERS = ("bm25", "ql", "tfidf")


@pytest.fixture
def small_segments(monkeypatch):
    """Segments of some hundred documents, which are never merged unless that is asked for."""
    monkeypatch.setattr("aboutness.index.builder.LARGEST_TEXT", 100_000)
    monkeypatch.setattr("aboutness.index.merge.LARGEST_MERGED", 1)
    monkeypatch.setattr("aboutness.index.intake.BATCH_DOCUMENTS", 200)


@pytest.fixture
def small_blocks(monkeypatch):
    """Merges that copy very little at a time."""
    monkeypatch.setattr("aboutness.index.runs.AT_ONCE", 50)
    monkeypatch.setattr("aboutness.index.merged_postings.AT_ONCE", 50)


def ranked(index, ranker):
    queries = [query.text for query in Synthetic(40).queries()]
    return [[(hit.id, hit.score) for hit in hits] for hits in index.search_many(queries, 20, ranker)]


def same_arrays(one, other):
    for left, right in zip(one.segments, other.segments, strict=True):
        assert list(left.ids) == list(right.ids)
        for name in ("data", "ends", "arrivals", "checksums", "entries", "entry_ends", "value_documents"):
            assert np.array_equal(getattr(left, name), getattr(right, name)), name
        for layer in left.layers:
            mine, others = left.layers[layer], right.layers[layer]
            assert list(mine.new_terms) == list(others.new_terms)
            assert np.array_equal(mine.new_terms.slots, others.new_terms.slots)
            for name in (
                "tokens", "token_ends", "forward_ends", "forward_terms", "forward_counts", "terms", "posting_ends",
                "posting_documents", "posting_counts", "totals",
            ):  # fmt: skip
                first, second = getattr(mine, name), getattr(others, name)
                assert first.dtype == second.dtype, name
                assert np.array_equal(first, second), name


def test_many_segments_rank_as_one_does(tmp_path, small_segments):
    many = Index.build(Synthetic(DOCUMENTS).documents(), tmp_path / "many")
    assert len(many.snapshot.segments) > 5
    before = {ranker: ranked(many, ranker) for ranker in RANKERS}
    many.merge()
    assert len(many.snapshot.segments) == 1
    assert {ranker: ranked(many, ranker) for ranker in RANKERS} == before


def test_a_merge_makes_what_indexing_makes(tmp_path, monkeypatch, small_blocks):
    whole = Index.build(Synthetic(DOCUMENTS).documents(), tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr("aboutness.index.builder.LARGEST_TEXT", 100_000)
        patched.setattr("aboutness.index.merge.LARGEST_MERGED", 1)
        parts = Index.build(Synthetic(DOCUMENTS).documents(), tmp_path / "parts")
        assert len(parts.snapshot.segments) > 1
    parts.merge()
    same_arrays(parts.snapshot, whole.snapshot)


def test_the_same_with_dead_documents_further_fields_and_layers(tmp_path, monkeypatch, small_blocks):
    """All documents of the rebuilt index have the terms numbered alike, as the dead bring no word of their own."""
    documents = [
        {"id": f"d{n}", "text": f"shared word{n % 7} word{n % 5}", **({"title": f"word{n % 3}"} if n > 50 else {})}
        for n in range(120)
    ]
    dead = [f"d{n}" for n in range(0, 120, 4) if n >= 10]
    layers = {"letters": "letters"}
    parts = Index.build(documents[:40], tmp_path / "parts", analyzer="plain", layers=layers)
    monkeypatch.setattr("aboutness.index.merge.LARGEST_MERGED", 1)
    parts.add(documents[40:80])
    parts.add(documents[80:])
    parts.delete(dead)
    assert len(parts.snapshot.segments) == 3
    parts.merge()
    living = [document for document in documents if document["id"] not in dead]
    whole = Index.build(
        [{**living[0], "title": ""}, *living[1:]], tmp_path / "whole", analyzer="plain", layers=layers,
        weights={"text": 1.0},
    )  # fmt: skip
    assert parts.snapshot.fields == whole.snapshot.fields
    for left, right in zip(parts.snapshot.segments, whole.snapshot.segments, strict=True):
        for layer in left.layers:
            mine, others = left.layers[layer], right.layers[layer]
            for name in ("token_ends", "forward_ends", "forward_counts", "posting_ends", "totals"):
                assert np.array_equal(np.sort(getattr(mine, name)), np.sort(getattr(others, name))), name
    for ranker in RANKERS:
        for query in ("word1", "word2 word4 shared", "word0 word6"):
            assert [(hit.id, hit.score) for hit in parts.search(query, 50, ranker)] == [
                (hit.id, hit.score) for hit in whole.search(query, 50, ranker)
            ]


def long_documents(count):
    """Documents of 300 words out of 1,000: what is kept for each document and word is little beside the text."""
    words = [f"word{number}" for number in range(1000)]
    return ({"id": f"d{n}", "text": " ".join(words[(n * i) % 1000] for i in range(1, 301))} for n in range(count))


def peaks_of(count, folder):
    """Return the peaks of memory of indexing and of merging all segments, and how many those were."""
    tracemalloc.start()
    with IndexWriter.create(folder, {"main": analyzer("plain")}, durable=False) as writer:
        writer.add(long_documents(count))
        writer.commit()
        segments = len(Snapshot.open(folder).segments)
        _, indexing = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        writer.merge()
        writer.commit()
        _, merging = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return indexing, merging, segments


def test_memory_does_not_grow_with_the_number_of_segments(tmp_path, monkeypatch, small_segments):
    monkeypatch.setattr("aboutness.index.runs.AT_ONCE", 5000)
    monkeypatch.setattr("aboutness.index.merged_postings.AT_ONCE", 5000)
    monkeypatch.setattr("aboutness.index.disk.PIECE", 1 << 14)
    peaks_of(60, tmp_path / "compiles")
    few, merging_few, segments_few = peaks_of(500, tmp_path / "few")
    many, merging_many, segments_many = peaks_of(2500, tmp_path / "many")
    text = 2000 * 300 * 8  # bytes more; as much again in tokens, rows and postings
    assert segments_many > 3 * segments_few > 6
    assert many - few < 0.2 * text
    assert merging_many - merging_few < 0.2 * text
