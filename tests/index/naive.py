"""What an index must answer, worked out from the documents in plain Python, and what one does answer.

Both are the same plain structure, keyed by term strings and by the places of living documents in order of
arrival, so that two indexes with other term numbers, segments or dead documents can be compared with `==`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from aboutness.core.record import Document
from aboutness.index.snapshot import Snapshot
from aboutness.text.analyzer import Analyzer


def expected(documents: Sequence[Document], analyzer: Analyzer, fields: Sequence[str]) -> dict[str, Any]:
    """Work out everything about one layer from the documents."""
    streams = [[analyzer.terms(document.fields.get(name, "")) for name in fields] for document in documents]
    forward = []
    for stream in streams:
        counts = [Counter(terms) for terms in stream]
        order = dict.fromkeys(term for terms in stream for term in terms)
        forward.append([(term, [count[term] for count in counts]) for term in order])
    postings: dict[str, list[tuple[int, list[int]]]] = {}
    for place, row in enumerate(forward):
        for term, counts in row:
            postings.setdefault(term, []).append((place, counts))
    return {
        "n": len(documents),
        "streams": streams,
        "forward": forward,
        "postings": postings,
        "df": {term: len(rows) for term, rows in postings.items()},
        "cf": {
            term: [sum(column) for column in zip(*(c for _, c in rows), strict=True)]
            for term, rows in postings.items()
        },
        "field_lengths": [[len(terms) for terms in stream] for stream in streams],
        "lengths": [float(sum(map(len, stream))) for stream in streams],
        "total": float(sum(len(terms) for stream in streams for terms in stream)),
    }


def observed(snapshot: Snapshot, layer: str | None = None) -> dict[str, Any]:
    """Read the same from an index, all fields with weight 1."""
    view = snapshot.view(layer, dict.fromkeys(snapshot.fields, 1.0))
    live = snapshot.live_numbers().tolist()
    place = {number: i for i, number in enumerate(live)}
    names = view.terms()
    fields = len(snapshot.fields)
    streams, forward = [], []
    for number in live:
        segment, here = snapshot.locate(number)
        part = segment.layers[view.layer]
        stream = [[names[token] for token in tokens.tolist()] for tokens in part.stream(here)]
        streams.append(stream + [[] for _ in range(fields - part.fields)])
        terms, counts = part.forward(here)
        padding = [0] * (fields - part.fields)
        rows = zip(terms.tolist(), counts.T.tolist(), strict=True)
        forward.append([(names[term], row + padding) for term, row in rows])
    postings = {}
    for term, name in enumerate(names):
        documents, counts = view.postings(term)
        if len(documents):
            postings[name] = [(place[d], c) for d, c in zip(documents.tolist(), counts.T.tolist(), strict=True)]
    lengths = view.lengths.tolist()
    dead = set(range(snapshot.size)) - set(live)
    assert all(lengths[number] == 0 for number in dead)
    return {
        "n": view.documents,
        "streams": streams,
        "forward": forward,
        "postings": postings,
        "df": {names[t]: df for t, df in enumerate(view.df.tolist()) if df},
        "cf": {names[t]: cf for t, cf in enumerate(view.field_cf.T.tolist()) if any(cf)},
        "field_lengths": view.field_lengths.T[live].tolist(),
        "lengths": [lengths[number] for number in live],
        "total": view.total_length,
    }


def stored(document: Document) -> Document:
    """Return a document as an index gives it back: without empty fields, and lists for tuples."""
    fields = {name: text for name, text in document.fields.items() if text}
    metadata: Mapping[str, Any] = {
        key: list(value) if isinstance(value, tuple) else value for key, value in document.metadata.items()
    }
    return Document(document.id, fields, dict(metadata))


def exactly(value: object) -> object:
    """Return metadata with the types of all values, since 1 == 1.0 == True."""
    if isinstance(value, Mapping):
        return [(key, exactly(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [exactly(item) for item in value]
    return type(value).__name__, repr(value)
