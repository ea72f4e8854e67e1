"""What has no vector, against a count of every token."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.text.analyzers import analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors import coverage
from aboutness.vectors.coverage import Coverage, of_fields, of_queries
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

WORDS = ["sun", "moon", "Sea", "mud", "Star", "LAKE", "fog"]


def of(*words, **others):
    return WordVectors(StringTable.of(words), {"in": np.ones((len(words), 3), np.float32)}, **others)


def counted(name, tokens, vectors, case="exact"):
    """The report, a token at a time."""
    counts = Counter(tokens)
    unknown = {term: count for term, count in counts.items() if not vectors.look_up([term], case=case)[1][0]}
    examples = sorted(unknown, key=lambda term: (-unknown[term], term))[:10]
    return Coverage(name, counts.total(), sum(unknown.values()), len(counts), len(unknown), tuple(examples))


def tokens_of(view, chosen):
    """All tokens of living documents in some fields, from the streams."""
    names = view.terms()
    fields = len(view.field_names)
    for tokens, ends in view.streams():
        starts = [0, *ends.tolist()]
        for cell, (start, end) in enumerate(pairwise(starts)):
            if view.field_names[cell % fields] in chosen:
                yield from (names[token] for token in tokens[start:end].tolist())


texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.lists(
    st.fixed_dictionaries({}, optional={"text": texts, "title": texts, "body": texts}), max_size=8
)


@settings(max_examples=25)
@given(st.lists(documents, max_size=3), st.sets(st.integers(0, 20)), st.sets(st.sampled_from(WORDS)), st.data())
def test_the_same_as_counting_tokens_after_deletions(batches, dead, known, data):
    index = Index.build([], analyzer="plain")
    count = 0
    for batch in batches:
        index.add(Document(str(count + i), fields) for i, fields in enumerate(batch))
        count += len(batch)
    index.delete([str(number) for number in dead if number < count])
    names = list(index.snapshot.fields)
    chosen = data.draw(st.sets(st.sampled_from(names))) if names else set()
    view = index.view(fields={name: 2.5 for name in names if name in chosen})
    vectors = of(*sorted(known))
    for case in ("exact", "any"):
        fields = [name for name in names if name in chosen]
        expected = [counted(name, tokens_of(view, {name}), vectors, case) for name in fields]
        expected.append(counted("all", tokens_of(view, chosen), vectors, case))
        assert of_fields(view, vectors, case) == expected


@pytest.fixture
def index():
    index = Index.build([], analyzer="plain")
    index.add([Document("a", {"title": "sun moon", "text": "sun fog fog mist"})])
    index.add([Document("b", {"text": "gone gone gone gone"}), Document("c", {"text": "sun haze"})])
    index.delete("b")
    return index


def test_fields_and_all_of_them(index):
    found = of_fields(index.view(), of("sun", "mist"))
    assert {one.name: one for one in found} == {
        "title": Coverage("title", 2, 1, 2, 1, ("moon",)),
        "text": Coverage("text", 6, 3, 4, 2, ("fog", "haze")),
        "all": Coverage("all", 8, 4, 5, 3, ("fog", "haze", "moon")),
    }
    assert [one.name for one in found] == [*index.snapshot.fields, "all"]
    assert (found[-1].token_ratio, found[-1].type_ratio) == (0.5, 0.6)


def test_chosen_fields_alone(index):
    found = of_fields(index.view(fields=["title"]), of("sun", "mist"))
    assert found == [Coverage("title", 2, 1, 2, 1, ("moon",)), Coverage("all", 2, 1, 2, 1, ("moon",))]


def test_nothing_to_cover():
    for view in (Index.build([], analyzer="plain").view(), Index.build([{"id": "a", "text": ""}]).view()):
        found = of_fields(view, of("sun"))[-1]
        assert found == Coverage("all", 0, 0, 0, 0, ())
        assert (found.token_ratio, found.type_ratio) == (0.0, 0.0)
    assert of_queries("none", [], analyzer("plain"), of("sun")) == Coverage("none", 0, 0, 0, 0, ())


def test_queries_as_the_analyzer_splits_them():
    texts = ["The running Sun", "running, running!", ""]
    assert of_queries("plain", texts, analyzer("plain"), of("Sun", "running")) == Coverage(
        "plain", 5, 2, 3, 2, ("sun", "the")
    )
    assert of_queries("any", texts, analyzer("plain"), of("Sun", "running"), "any") == Coverage(
        "any", 5, 1, 3, 1, ("the",)
    )
    # Stems are no words.
    assert of_queries("english", texts, analyzer("english"), of("sun", "running")).examples == ("run",)


@given(st.lists(texts, max_size=5), st.sets(st.sampled_from(WORDS)), st.sampled_from(["exact", "any"]))
def test_queries_are_counted_token_by_token(queries, known, case):
    vectors = of(*sorted(known))
    tokens = [token for text in queries for token in analyzer("plain").terms(text)]
    assert of_queries("q", queries, analyzer("plain"), vectors, case) == counted("q", tokens, vectors, case)


def test_the_ten_most_frequent_unknown_words():
    text = " ".join(f"word{number:02} " * (number // 2) for number in range(30))
    found = of_queries("q", [text], analyzer("plain"), of("word29"))
    assert found.examples == tuple(f"word{n}" for n in (28, 26, 27, 24, 25, 22, 23, 20, 21, 18))


def test_pieces_of_words_count_as_vectors(monkeypatch):
    monkeypatch.setattr(coverage, "LOOKED_UP", 2)
    rows = np.ones((20, 3), np.float32)
    texts = ["sun sunlight sunshine moonlight"]
    whole = analyzer("plain").terms(texts[0])
    vectors = of("sun", subwords=Subwords(rows, 5, 6))
    assert of_queries("q", texts, analyzer("plain"), vectors) == counted("q", whole, vectors)
    assert of_queries("q", texts, analyzer("plain"), vectors).unknown_tokens == 0
    # `<sun>` has no piece of 9 letters.
    short = of("sunlight", subwords=Subwords(rows, 9, 9))
    assert of_queries("q", texts, analyzer("plain"), short) == Coverage("q", 4, 1, 4, 1, ("sun",))
    assert of_queries("q", texts, analyzer("plain"), of("sun")).unknown_tokens == 3


def test_each_term_is_looked_up_once(index):
    asked = []

    class Watched(WordVectors):
        def numbers(self, words, case="exact"):
            asked.extend(words)
            return super().numbers(words, case)

    of_fields(index.view(), Watched(StringTable.of(["sun"]), {"in": np.ones((1, 3), np.float32)}))
    assert sorted(asked) == ["fog", "haze", "mist", "moon", "sun"]
