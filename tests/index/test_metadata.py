from __future__ import annotations

import enum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.index.metadata import MetadataColumns, decode_entries, problem
from aboutness.text.strings import StringTable
from index.naive import exactly

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
KEYS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
SCALARS = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1, 1.0, True, "1", "true", "1.0", 0, 0.0, -0.0, False, "", "[", '"', "\0", "null", 10**30]),
)
METADATA = st.dictionaries(KEYS | st.sampled_from(["a", "b"]), SCALARS | st.lists(SCALARS, max_size=4), max_size=4)


def read_back(columns):
    arrays = columns.arrays()
    values = StringTable(*(arrays[f"metadata.values.{part}"] for part in ("data", "ends", "slots")))
    entries, ends = arrays["metadata.entries"].tolist(), arrays["metadata.ends"].tolist()
    return [decode_entries([values[e] for e in entries[a:b]]) for a, b in zip([0, *ends], ends, strict=False)]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(METADATA, max_size=4), max_size=3))
def test_any_metadata_come_back_with_their_types(batches):
    columns = MetadataColumns()
    for batch in batches:
        columns.add(batch)
    documents = [metadata for batch in batches for metadata in batch]
    assert all(problem(metadata) == "" for metadata in documents)
    assert exactly(read_back(columns)) == exactly(documents)


@settings(max_examples=100, deadline=None)
@given(st.lists(METADATA, max_size=6))
def test_documents_by_value_are_the_transpose_of_values_by_document(documents):
    columns = MetadataColumns()
    columns.add(documents)
    arrays = columns.arrays()
    ends = arrays["metadata.ends"].tolist()
    pairs = [
        (entry, number)
        for number, (a, b) in enumerate(zip([0, *ends], ends, strict=False))
        for entry in arrays["metadata.entries"][a:b].tolist()
    ]
    by_value = arrays["metadata.document.ends"].tolist()
    transposed = [
        (entry, number)
        for entry, (a, b) in enumerate(zip([0, *by_value], by_value, strict=False))
        for number in arrays["metadata.documents"][a:b].tolist()
    ]
    assert sorted(pairs) == transposed


def test_equal_values_share_one_entry():
    columns = MetadataColumns()
    columns.add([{"a": "x", "b": "x"}, {"a": ["x", "x"], "b": 1}])
    columns.add([{"a": "x", "b": True}])
    assert len(columns.arrays()["metadata.values.ends"]) == 5  # a=x, b=x, a=[, b=1, b=true


class Colour(str, enum.Enum):  # noqa: UP042 - its str() is not its value, which is the point
    RED = "red"


class Size(enum.IntEnum):
    SMALL = 1


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.float64(1.5), 1.5), (np.str_("x"), "x"), (Colour.RED, "red"), (Size.SMALL, 1), (np.float64(-0.0), -0.0)],
)
def test_a_subtype_is_kept_as_its_type(value, plain):
    columns = MetadataColumns()
    columns.add([{"a": value}, {"a": plain}, {"a": [value, plain]}])
    assert exactly(read_back(columns)) == exactly([{"a": plain}, {"a": plain}, {"a": [plain, plain]}])
    assert len(columns.arrays()["metadata.values.ends"]) == 2


WRONG = {
    "None": None, "nan": float("nan"), "inf": float("-inf"), "mapping": {"x": 1}, "bytes": b"x", "set": {1}, "object": object(),
    "surrogate": "\ud800", "nested": [["x"]], "None in a list": ["x", None], "nan in a list": [1, float("nan")],
    "surrogate in a list": ["\udfff"], "tuple in a tuple": ((1,),), "complex": 1j,
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_cannot_be_kept_is_named(name):
    wrong = WRONG[name]
    item = next((i for i in wrong if i not in ("x", 1)), None) if isinstance(wrong, (list, tuple)) else wrong
    told = problem({"good": 1, "bad": wrong, "worse": None})
    assert told.startswith(
        "metadata 'bad' must be a text, a finite number, true or false, or a list of those, got "
    )
    assert told.endswith(repr(item))
    columns = MetadataColumns()
    columns.add([{"a": 1}])
    with pytest.raises(ValueError):
        columns.add([{"a": 2}, {"bad": wrong}])
    columns.add([{"a": 3}])
    assert exactly(read_back(columns)) == exactly([{"a": 1}, {"a": 3}])


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800", 5, None, ("a",)])
def test_a_key_that_cannot_be_kept_is_named(key):
    assert problem({key: 1}) == f"a metadata key must be a non-empty text without NUL, got {key!r}"
    with pytest.raises(ValueError, match="a metadata key must be"):
        MetadataColumns().add([{key: 1}])


@pytest.mark.parametrize("metadata", [None, 5, "text", [("a", 1)]])
def test_metadata_that_are_no_mapping(metadata):
    assert problem(metadata) == f"the metadata of a document must be a mapping of keys to values, got {metadata!r}"
    with pytest.raises(ValueError):
        MetadataColumns().add([metadata])


def test_values_that_python_calls_equal_are_told_apart():
    documents = [{"a": value} for value in (0.0, -0.0, 0, False, "0", 1.0, 1, True, "1", [-0.0, 0.0], [True, 1])]
    columns = MetadataColumns()
    columns.add(documents)
    assert exactly(read_back(columns)) == exactly(documents)
