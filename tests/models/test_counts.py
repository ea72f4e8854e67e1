"""How often terms stand in some documents."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness import Index
from aboutness.models.counts import counts_in

WORDS = ["aa", "bb", "cc", "dd"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None)
@given(texts, texts, st.data())
def test_as_the_documents_say(first, second, data):
    """In two segments, with a dead document, and fields of which one counts twice."""
    index = Index.build(
        [{"id": f"a{i}", "title": "aa", "text": one} for i, one in enumerate(first)], analyzer="plain"
    )
    index.add([{"id": f"b{i}", "text": one} for i, one in enumerate(second)])
    index.delete(["a0"])
    view = index.snapshot.view(None, {"title": 2.0, "text": 1.0})
    every = data.draw(st.lists(st.sampled_from(range(view.size)), unique=True))
    terms, documents = view.term_numbers(["aa", "cc"]), np.array(sorted(every), np.int64)
    found = counts_in(view, terms, documents)
    assert found.shape == (2, len(documents))
    for column, number in enumerate(documents.tolist()):
        names, counts = view.forward(number)
        inside = dict(zip(names.tolist(), view.weigh(counts).tolist(), strict=True))
        assert found[:, column].tolist() == [
            inside.get(term, 0.0) if term >= 0 else 0.0 for term in terms.tolist()
        ]
