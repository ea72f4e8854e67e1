from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.index.layer import LayerSegment, layer_arrays
from aboutness.text.strings import StringTable

VOCABULARY = 9
CELLS = st.lists(st.integers(0, VOCABULARY - 1), max_size=6)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda fields: st.lists(st.lists(CELLS, min_size=fields, max_size=fields), max_size=6).map(
            lambda rows: (fields, rows)
        )
    )
)
def test_all_arrays_follow_from_the_stream(case):
    fields, documents = case
    cells = [cell for document in documents for cell in document]
    tokens = np.array([token for cell in cells for token in cell], np.int32)
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    terms = StringTable.of([f"t{n}" for n in range(VOCABULARY)])
    arrays = layer_arrays(terms, VOCABULARY, tokens, ends, fields)
    layer = LayerSegment(arrays, 0)
    assert layer.fields == fields
    postings = {}
    for number, document in enumerate(documents):
        assert [part.tolist() for part in layer.stream(number)] == document
        order = list(dict.fromkeys(token for cell in document for token in cell))
        counts = [Counter(cell) for cell in document]
        found, rows = layer.forward(number)
        assert found.tolist() == order
        assert rows.tolist() == [[count[term] for term in order] for count in counts]
        for term in order:
            postings.setdefault(term, []).append((number, [count[term] for count in counts]))
    assert layer.terms.tolist() == sorted(postings)
    for term in range(-1, VOCABULARY + 1):
        found, rows = layer.postings(term)
        assert list(zip(found.tolist(), rows.T.tolist(), strict=True)) == postings.get(term, [])
    totals = {
        term: [sum(column) for column in zip(*(c for _, c in rows), strict=True)]
        for term, rows in postings.items()
    }
    assert layer.totals.T.tolist() == [totals[term] for term in sorted(totals)]


def test_types_are_as_small_as_the_longest_field_allows():
    terms = StringTable.of(["t"])
    for length, dtype in ((65_535, np.uint16), (65_536, np.uint32)):
        arrays = layer_arrays(terms, 1, np.zeros(length, np.int32), np.array([length]), 1)
        assert arrays["forward.counts"].dtype == arrays["postings.counts"].dtype == dtype
        assert arrays["forward.counts"].tolist() == [[length]]
        assert arrays["postings.totals"].tolist() == [[length]]
