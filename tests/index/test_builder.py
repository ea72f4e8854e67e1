from __future__ import annotations

import numpy as np
import pytest

from aboutness.core.record import Document
from aboutness.index import builder as module
from aboutness.index.analysis import Analysis
from aboutness.index.builder import SegmentBuilder, joined
from aboutness.index.intake import Batch
from aboutness.text.analyzers import analyzer
from aboutness.text.strings import pack


def batch(*documents):
    return Batch.of_documents(documents)


@pytest.fixture
def builder():
    analysis = Analysis({"main": analyzer("plain"), "pieces": analyzer("letters")})
    yield SegmentBuilder(["title", "text"], analysis)
    analysis.close()


def test_batches_make_the_same_arrays_as_one(builder):
    documents = [Document(f"d{n}", {"text": f"word{n % 3} ü{n}", "title": "tt"}, {"n": n % 2}) for n in range(9)]
    for start in range(0, 9, 2):
        builder.add(batch(*documents[start : start + 2]))
    analysis = Analysis({"main": analyzer("plain"), "pieces": analyzer("letters")})
    whole = SegmentBuilder(["title", "text"], analysis)
    whole.add(batch(*documents))
    assert len(builder) == len(whole) == 9
    for role, make in builder.roles().items():
        left, right = make(), whole.roles()[role]()
        assert left.keys() == right.keys()
        for name in left:
            assert left[name].dtype == right[name].dtype
            assert np.array_equal(left[name], right[name]), (role, name)
    analysis.close()


@pytest.mark.parametrize(
    "bad",
    [Document("x", {"text": 5}), Document("x", {"text": "\ud800"}), Document("x", {"text": "t"}, {"k": object()})],
)
def test_a_batch_with_something_bad_adds_nothing(builder, bad):
    builder.add(batch(Document("a", {"text": "one"}, {"k": 1})))
    with pytest.raises(ValueError):
        builder.add(batch(Document("b", {"text": "two"}, {"k": 2}), bad))
    builder.add(batch(Document("c", {"text": "three"}, {"k": 3})))
    assert builder.find(*pack(["a", "b", "x", "c"])).tolist() == [0, -1, -1, 1]
    arrays = builder.roles()["documents"]()
    assert arrays["cells.data"].tobytes() == b"onethree"
    assert arrays["metadata.ends"].tolist() == [1, 2]


def test_a_full_builder_says_so(builder, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_TEXT", 10)
    builder.add(batch(Document("a", {"text": "123456789"})))
    assert not builder.full
    builder.add(batch(Document("b", {"text": "1"})))
    assert builder.full


def test_many_tokens_fill_a_builder_too(builder, monkeypatch):
    monkeypatch.setattr(module, "MOST_TOKENS", 6)
    builder.add(batch(Document("a", {"text": "aa bb"})))
    builder.roles()
    assert not builder.full  # 4: two words, and each of them one piece
    builder.add(batch(Document("b", {"text": "cc"})))
    builder.roles()
    assert builder.full


def test_parts_are_joined():
    data, ends = joined([pack(["a", "bc"]), pack([]), pack(["", "d"])])
    assert (data.tobytes(), ends.tolist()) == (b"abcd", [1, 3, 3, 4])
    one = pack(["x"])
    assert joined([one]) is one
