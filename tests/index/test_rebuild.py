"""After any history of changes, an index equals one built anew from the living documents."""

from __future__ import annotations

import random

import pytest

from aboutness.app.index import Index
from aboutness.core.record import Document
from aboutness.index.check import check
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter
from aboutness.text.analyzers import analyzer
from index.naive import exactly, expected, observed, stored

WORDS = [
    "retrieval", "retrieve", "Retrieved", "word", "words", "the", "and", "of", "über", "ÜBER", "İstanbul", "straße",
    "naïve", "日本語", "поиск", "x", "1987", "a_b", "co-op", "don't", "🎉", "e\u0301te\u0301", "vector", "VECTORS",
]  # fmt: skip
FIELDS = ["text", "title", "body", "notes"]
FILTERS = ["year>=1990", "year!=1987", "topic=acq", "topic!=acq", "topic>b", "flag=true", "name=", "year<1988"]
LAYERS = {"one": {"main": "english"}, "two": {"main": "english", "pieces": "letters"}}


def text_of(rng):
    return " ".join(rng.choices(WORDS, k=rng.choice([0, 1, 2, 5, 12])))


def document_of(rng, identifier, fields):
    chosen = rng.sample(fields, rng.randint(0, len(fields)))
    metadata = {}
    if rng.random() < 0.7:
        metadata["year"] = rng.choice([1987, 1987.0, "1987", True, 1990, 2001.5])
    if rng.random() < 0.6:
        metadata["topic"] = rng.sample(["acq", "earn", "grün", ""], rng.randint(0, 3))
    if rng.random() < 0.3:
        metadata["flag"] = rng.choice([True, False, 1, 0])
    if rng.random() < 0.2:
        metadata["name"] = rng.choice(["", "Ünï", "a\tb"])
    return Document(identifier, {name: text_of(rng) for name in chosen}, metadata)


class History:
    """A writer whose every step is also done to a plain dict."""

    def __init__(self, folder, layers, rng):
        self.folder = folder
        self.layers = {name: analyzer(expression) for name, expression in layers.items()}
        self.rng = rng
        self.living = {}
        self.fields = []
        self.known = ["text"]
        self.writer = IndexWriter.create(folder, self.layers, durable=False)

    def take(self, document):
        """Do to the dict what adding or updating does: the newest version goes to the end."""
        self.living.pop(document.id, None)
        self.living[document.id] = stored(document)

    def note_fields(self, documents):
        names = dict.fromkeys(name for document in documents for name in document.fields)
        self.fields += [name for name in names if name not in self.fields]
        if documents and not self.fields:
            self.fields = ["text"]

    def add(self):
        taken = set(self.living)
        identifiers = [
            f"d{n}" for n in self.rng.sample(range(60), self.rng.choice([1, 1, 2, 5])) if f"d{n}" not in taken
        ]
        documents = [document_of(self.rng, identifier, self.known) for identifier in identifiers]
        assert self.writer.add(documents).added == len(documents)
        self.note_fields(documents)
        for document in documents:
            self.take(document)

    def update(self):
        names = [f"d{self.rng.randrange(60)}" for _ in range(self.rng.choice([1, 2, 4]))]
        documents = [document_of(self.rng, name, self.known) for name in names]
        last = {document.id: document for document in documents}
        replaced = len(set(last) & set(self.living)) + len(documents) - len(last)
        assert self.writer.add(documents, update=True).updated == replaced
        order = {document.id: i for i, document in enumerate(documents)}
        kept = sorted(last.values(), key=lambda document: order[document.id])
        self.note_fields(kept)
        for document in kept:
            self.take(document)

    def delete(self):
        names = self.rng.sample(sorted(self.living), min(len(self.living), self.rng.choice([1, 1, 3, 8])))
        assert self.writer.delete(names) == len(names)
        for name in names:
            del self.living[name]

    def new_field(self):
        if len(self.known) < len(FIELDS):
            self.known.append(FIELDS[len(self.known)])

    def reopen(self):
        self.writer.commit()
        self.writer.close()
        self.writer = IndexWriter(self.folder, durable=False)

    def merge(self):
        self.writer.merge()

    def step(self):
        kinds = [self.add] * 6 + [self.update] * 4 + [self.delete] * 3 + [self.merge, self.reopen, self.new_field]
        self.rng.choice(kinds)()

    def compare(self, scratch):
        """Commit and compare with a new index, and with plain Python."""
        generation = self.writer.commit()
        snapshot = Snapshot.open(self.folder)
        assert snapshot.generation == generation
        assert snapshot.fields == self.fields
        documents = list(self.living.values())
        assert list(snapshot.ids()) == list(self.living)
        assert list(snapshot) == documents
        assert [exactly(d.metadata) for d in snapshot] == [exactly(d.metadata) for d in documents]
        with IndexWriter.create(scratch, self.layers, dict.fromkeys(self.fields, 1.0), durable=False) as writer:
            writer.add(documents)
            writer.commit()
        anew = Snapshot.open(scratch)
        for layer, analysis in self.layers.items():
            seen = observed(snapshot, layer)
            assert seen == observed(anew, layer)
            assert seen == expected(documents, analysis, self.fields)
        for where in FILTERS:
            ours = [snapshot.id(int(n)) for n in snapshot.where(where).nonzero()[0]]
            assert ours == [anew.id(int(n)) for n in anew.where(where).nonzero()[0]], where


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_any_history_equals_a_new_build(seed, layers, tmp_path):
    history = History(tmp_path / "history", LAYERS[layers], random.Random(seed))
    for step in range(100):
        history.step()
        if history.rng.random() < 0.5:
            history.compare(tmp_path / f"anew{step}")
    history.compare(tmp_path / "anew")
    history.writer.merge()
    history.compare(tmp_path / "merged")
    assert len(Snapshot.open(tmp_path / "history").segments) == 1
    history.writer.close()
    report = check(tmp_path / "history", deep=True)
    assert (report.problems, report.unnamed, report.documents) == ([], [], len(history.living))


def test_deleting_everything_equals_an_empty_index(tmp_path):
    rng = random.Random(5)
    history = History(tmp_path / "history", LAYERS["two"], rng)
    for _ in range(6):
        history.add()
        history.compare(tmp_path / f"anew{len(history.living)}-{rng.random()}")
    history.writer.delete(list(history.living))
    history.living.clear()
    history.compare(tmp_path / "deleted")
    history.writer.merge()
    history.compare(tmp_path / "merged")
    history.add()
    history.compare(tmp_path / "again")
    history.writer.close()


def generated(count):
    rng = random.Random(11)
    vocabulary = [f"w{n}" for n in range(3000)] + WORDS
    weights = [1 / (n + 1) for n in range(len(vocabulary))]
    words = rng.choices(vocabulary, weights, k=count * 8)
    for n in range(count):
        some = words[n * 8 : n * 8 + 1 + n % 8]
        yield Document(f"d{n}", {"title": some[0], "text": " ".join(some[1:])}, {"year": 1950 + n % 70})


def test_many_small_segments_equal_one(tmp_path, monkeypatch):
    whole = Index.build(generated(20_000), tmp_path / "whole", analyzer="english")
    assert len(whole.snapshot.segments) == 1
    monkeypatch.setattr("aboutness.index.builder.LARGEST_TEXT", 10_000)
    monkeypatch.setattr("aboutness.index.intake.BATCH_DOCUMENTS", 400)
    monkeypatch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
    parts = Index.build(generated(20_000), tmp_path / "parts", analyzer="english")
    assert len(parts.snapshot.segments) > 15
    one, many = whole.view(), parts.view()
    assert one.terms() == many.terms()
    for name in ("df", "field_cf", "field_lengths", "lengths", "cf"):
        assert (getattr(one, name) == getattr(many, name)).all(), name
    left, right = one.matrix(), many.matrix()
    for name in ("indptr", "indices", "data"):
        assert (getattr(left, name) == getattr(right, name)).all(), name
    assert list(whole.snapshot.ids()) == list(parts.snapshot.ids())
    assert (
        whole.where("year>=2000") == parts.where("year>=2000") == [f"d{n}" for n in range(20_000) if n % 70 >= 50]
    )
    assert [parts.snapshot.document(n) for n in range(0, 20_000, 997)] == [
        whole.snapshot.document(n) for n in range(0, 20_000, 997)
    ]
    monkeypatch.undo()
    parts.merge()
    merged, single = parts.snapshot.segments[0], whole.snapshot.segments[0]
    assert len(parts.snapshot.segments) == 1
    for name in ("tokens", "token_ends", "forward_terms", "posting_documents", "posting_counts", "totals"):
        assert (getattr(merged.layers["main"], name) == getattr(single.layers["main"], name)).all(), name
    for name in ("data", "ends", "checksums"):
        assert (getattr(merged, name) == getattr(single, name)).all(), name
