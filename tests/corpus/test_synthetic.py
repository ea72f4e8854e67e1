from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import BadInput
from aboutness.corpus.read import read
from aboutness.corpus.synthetic import AT_ONCE, QUERY_SEED, Synthetic
from aboutness.corpus.topics import read_topics
from aboutness.kernels.synthetic import draw_topic
from aboutness.text.analyzers import analyzer

FEW = 20_000


def texts(source):
    return [document.fields["text"] for document in read(source)]


@pytest.fixture(scope="module")
def words():
    return [text.split() for text in texts(f"synthetic:{FEW}")]


def test_the_same_name_makes_the_same_documents():
    assert texts("synthetic:50") == texts("synthetic:50:1")
    assert texts("synthetic:50") != texts("synthetic:50:2")
    assert [document.id for document in read("synthetic:3")] == ["0", "1", "2"]


def test_the_same_name_asks_the_same_queries():
    asked = list(read_topics("synthetic:20"))
    assert asked == list(Synthetic(20).queries())
    assert asked[5:9] == list(read_topics("synthetic:5-9"))
    assert all(1 <= len(query.text.split()) <= 5 for query in asked)


def test_a_document_depends_on_its_number_alone():
    whole = list(read(f"synthetic:{2 * AT_ONCE + 10}"))
    for first, last in ((0, 0), (0, 7), (5, 9), (AT_ONCE - 1, AT_ONCE + 3), (17, 2 * AT_ONCE + 10)):
        assert list(read(f"synthetic:{first}-{last}")) == whole[first:last]


def test_little_room_only_takes_more_turns(monkeypatch):
    expected = texts("synthetic:300")
    monkeypatch.setattr("aboutness.corpus.synthetic.ROOM", 1 << 16)
    assert texts("synthetic:300") == expected


@pytest.mark.parametrize(
    "name",
    ["synthetic:", "synthetic:x", "synthetic:-5", "synthetic:9-5", "synthetic:5:x", "synthetic:9999999999", "no"],
)
def test_names_that_mean_nothing(name):
    with pytest.raises(BadInput, match=r"is named synthetic:NUMBER .* at most 2,000,000,000"):
        read(name, format="synthetic")


def test_frequencies_fall_as_zipf_says(words):
    counts = np.sort(np.fromiter(Counter(word for text in words for word in text).values(), float))[::-1]
    ranks = np.arange(1, len(counts) + 1)

    def slope(first, last):
        return -np.polyfit(np.log(ranks[first:last]), np.log(counts[first:last]), 1)[0]

    assert 0.9 < slope(10, 5000) < 1.1
    assert 1.4 < slope(10_000, 40_000) < 2.2


def test_the_vocabulary_grows_as_heaps_says(words):
    seen: set[str] = set()
    sizes, tokens = [], []
    total = 0
    for number, text in enumerate(words, 1):
        seen.update(text)
        total += len(text)
        if number in (FEW // 8, FEW):
            sizes.append(len(seen))
            tokens.append(total)
    power = np.log(sizes[1] / sizes[0]) / np.log(tokens[1] / tokens[0])
    assert 0.35 < power < 0.75


def test_lengths_are_log_normal(words):
    lengths = np.log([len(text) for text in words])
    assert abs(np.exp(np.median(lengths)) - 50) < 2
    assert abs(lengths.std() - 0.6) < 0.05


def test_words_are_as_an_analyzer_leaves_them():
    (text,) = texts("synthetic:7-8")
    assert analyzer("plain").terms(text) == text.split()
    assert len(analyzer("english").terms(text)) == len(text.split())


def test_queries_find_documents_of_their_topic():
    made = Synthetic(5000)
    index = Index.build(made.documents(), analyzer="plain")
    queries = [query for query in read_topics("synthetic:60") if len(query.text.split()) >= 3]
    of_documents, of_queries = np.uint64(made.seed), np.uint64(made.seed + QUERY_SEED)
    right = sum(
        draw_topic(of_documents, int(hit.id)) == draw_topic(of_queries, int(query.id))
        for query in queries
        for hit in index.search(query.text, 3)
    )
    assert right / (3 * len(queries)) > 0.1  # by chance it is one in 500
