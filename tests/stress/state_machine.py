"""Any sequence of changes, against a dictionary: the same documents in the same order, and BM25's scores by hand."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from aboutness import BM25, Index
from aboutness.core.errors import BadRecord, NotFound, UsageError
from aboutness.core.record import Document
from aboutness.index.check import check
from aboutness.index.writer import Added, IndexWriter
from aboutness.text.analyzers import analyzer
from reliability.by_hand import Terms, assert_ranked, bm25, words, words_and_pairs
from stress.bounded import Rounds, main

WORDS = ["sun", "moon", "star", "comet", "sky", "x"]  # the last is too short for a term
WEIGHTS = {"title": 2.5}
LAYERS: dict[str, tuple[str, Terms]] = {
    "main": ("plain", words),
    "pairs": ("plain[words=1-2]", words_and_pairs),
    "more": ("plain", words),
}
TOGETHER = 50  # sequences that hypothesis draws together
MAIN = {"main": analyzer("plain")}

identifiers = st.sampled_from([f"d{number}" for number in range(24)])
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
written = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)  # a field without text is none
documents = st.builds(
    Document,
    identifiers,
    st.dictionaries(st.sampled_from(["text", "title", "note"]), written),
    st.dictionaries(st.just("year"), st.integers(1, 3)),
)
some_documents = st.lists(documents, min_size=1, max_size=10)

State = dict[str, Document]


class IndexMachine(RuleBasedStateMachine):
    """An index with a writer, and readers of some generations, beside the dictionaries they must equal."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Path(tempfile.mkdtemp())
        self.folder = self.room / "x.index"
        self.committed: State = {}
        self.committed_layers = ["main"]
        self.kept: tuple[Index, State] | None = None

    @initialize(some=st.lists(documents, min_size=8, max_size=24))
    def create(self, some: list[Document]) -> None:
        self.writer = IndexWriter.create(self.folder, MAIN, WEIGHTS, durable=False)
        self.forget()
        self.update(some)
        self.commit()

    @property
    def changed(self) -> bool:
        return (list(self.state), self.state, self.layers) != (
            list(self.committed),
            self.committed,
            self.committed_layers,
        )

    def forget(self) -> None:
        self.state = dict(self.committed)
        self.layers = list(self.committed_layers)

    def teardown(self) -> None:
        if hasattr(self, "writer"):
            self.writer.close()
            self.is_sound()
        shutil.rmtree(self.room)

    # --- changes ---------------------------------------------------------------------------------------

    @rule(some=some_documents)
    def add(self, some: list[Document]) -> None:
        """Add: of those with one id the first counts, and none where there is one already."""
        refused: list[BadRecord] = []
        before = dict(self.state)
        for document in some:
            self.state.setdefault(document.id, document)
        new = len(self.state) - len(before)
        assert self.writer.add(some, on_bad=refused.append) == Added(new, 0)
        assert len(refused) == len(some) - new

    @rule(some=some_documents)
    def update(self, some: list[Document]) -> None:
        """Update: of those with one id the last counts, and goes to the end."""
        old = len(self.state)
        for document in some:
            self.state.pop(document.id, None)
            self.state[document.id] = document
        new = len(self.state) - old
        assert self.writer.add(some, update=True) == Added(new, len(some) - new)

    @precondition(lambda self: self.state)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(list(self.state)), min_size=1, max_size=2), "gone")
        for identifier in set(gone):
            del self.state[identifier]
        assert self.writer.delete(gone) == len(set(gone))

    @rule(some=st.lists(identifiers, max_size=3))
    def delete_if_there(self, some: list[str]) -> None:
        there = {identifier for identifier in some if self.state.pop(identifier, None)}
        assert self.writer.delete(some, missing_ok=True) == len(there)

    @rule(some=st.lists(identifiers, max_size=3))
    def delete_what_is_not_there(self, some: list[str]) -> None:
        with pytest.raises(NotFound, match="'other'"):
            self.writer.delete([*some, "other"])

    @precondition(lambda self: self.changed)
    @rule()
    def merge(self) -> None:
        self.writer.merge()

    @rule(name=st.sampled_from(sorted(LAYERS)))
    def add_layer(self, name: str) -> None:
        if name in self.layers:
            with pytest.raises(UsageError, match="has a layer"):
                self.writer.add_layer(name, analyzer(LAYERS[name][0]))
        else:
            self.writer.add_layer(name, analyzer(LAYERS[name][0]))
            self.layers.append(name)

    @precondition(lambda self: len(self.state) > 12)
    @rule(some=some_documents)
    def start_over(self, some: list[Document]) -> None:
        self.writer.start_over(MAIN, WEIGHTS)
        self.state, self.layers = {}, ["main"]
        self.update(some)

    @rule()
    def commit(self) -> None:
        generation = Index.open(self.folder).snapshot.generation
        expected = {generation + 1} if self.changed else {generation, generation + 1}
        assert self.writer.commit() in expected
        self.committed = dict(self.state)
        self.committed_layers = list(self.layers)
        assert list(Index.open(self.folder)) == list(self.committed.values())

    @precondition(lambda self: self.changed)
    @rule(closing=st.booleans())
    def abandon(self, closing: bool) -> None:
        if closing:
            self.reopen()
        else:
            self.writer.rollback()
        self.forget()

    @precondition(lambda self: not self.changed)
    @rule()
    def reopen(self) -> None:
        self.writer.close()
        self.is_sound()
        self.writer = IndexWriter(self.folder, durable=False)

    # --- looks -----------------------------------------------------------------------------------------

    def is_sound(self) -> None:
        report = check(self.folder, deep=True)
        assert report.problems == report.unnamed == []
        index = Index.open(self.folder, verify=True)
        assert [(one.id, one) for one in index] == list(self.committed.items())
        assert list(index.snapshot.manifest.layers) == self.committed_layers

    @rule()
    def keep(self) -> None:
        """Keep a reader, which goes on to see what is there now."""
        self.kept = (Index.open(self.folder), dict(self.committed))

    @precondition(lambda self: self.kept)
    @rule()
    def refresh(self) -> None:
        index, _ = self.kept
        index.refresh()
        self.kept = (index, dict(self.committed))

    @precondition(lambda self: self.kept)
    @rule(query=texts, data=st.data())
    def search_what_was_kept(self, query: str, data: st.DataObject) -> None:
        self.searched(*self.kept, query, data)

    @rule(query=texts, data=st.data())
    def search(self, query: str, data: st.DataObject) -> None:
        self.searched(Index.open(self.folder), self.committed, query, data)

    def searched(self, index: Index, state: State, query: str, data: st.DataObject) -> None:
        assert list(index) == list(state.values())
        layer = data.draw(st.sampled_from(list(index.snapshot.manifest.layers)), "layer")
        match = data.draw(st.sampled_from(["or", "and", "all"]), "match")
        year = data.draw(st.sampled_from([None, 1, 2]), "year")
        k = data.draw(st.sampled_from([1, 3, 20]), "k")
        terms = LAYERS[layer][1]
        scores = bm25(state.values(), query, terms, WEIGHTS)
        asked = set(terms(query))
        known = any(scores.values())  # a query without a known word finds nothing, however it matches

        def can_be_found(document: Document) -> bool:
            there = asked & {term for text in document.fields.values() for term in terms(text)}
            enough = {"or": bool(there), "and": bool(there) and there == asked, "all": known}[match]
            return enough and year in (None, document.metadata.get("year"))

        expected = {name: scores[name] for name, document in state.items() if can_be_found(document)}
        where = None if year is None else {"year": year}
        hits = index.search(query, k, BM25(layer=layer), match=match, where=where)
        assert_ranked([(hit.id, hit.score) for hit in hits], expected, k)
        assert [hit.document for hit in hits] == [state[hit.id] for hit in hits]


def sequences(count: int, steps: int = 25) -> settings:
    """Return the settings for so many sequences of at most so many steps."""
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )


def stress(rounds: Rounds, chance: int) -> dict[str, Any]:
    rounds.step = TOGETHER
    as_found = [Phase.generate]  # to make a failing sequence shorter has no end
    for number in rounds:
        machine = seed(1_000_000 * chance + number)(IndexMachine)
        with rounds.attempt(f"sequences from {number}"):
            run_state_machine_as_test(machine, settings=settings(sequences(TOGETHER), phases=as_found))
    return rounds.figures()


if __name__ == "__main__":
    main(stress, count=3000, seconds=1200)
