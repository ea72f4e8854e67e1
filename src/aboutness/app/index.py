"""The index as users see it: build, open, change, look into."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from aboutness.app.build import Build, Records, adding, records_of
from aboutness.app.by_shards import ByShards
from aboutness.app.copying import copy_to
from aboutness.app.generation import Generation
from aboutness.app.hits import Hits
from aboutness.app.interrupted import told_if_committed
from aboutness.app.keeping import bring_up_to_date, prepare
from aboutness.app.layers import DEFAULT_ANALYZER, check_layer, layered_analyzers
from aboutness.app.memory_folder import MemoryFolder
from aboutness.app.search import DEFAULT_RANKER, Asked, Fields, How, checked_question, search, search_one
from aboutness.app.shard_training import train_by_shards
from aboutness.app.syncing import Synced, sync
from aboutness.app.training import drop, kept, train, trainer
from aboutness.app.vectors import import_into, keep_vectors, nearest_words, oov, vectors_for_oov, words_of
from aboutness.core.algebra import Ranker
from aboutness.core.deadline import wanted_until
from aboutness.core.errors import AboutnessError, UsageError, shown
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad, stop
from aboutness.frames.documents import queries_of
from aboutness.frames.frame import Frame, is_frame
from aboutness.index.check import CheckReport, check
from aboutness.index.database import NAME as DATABASE
from aboutness.index.fields import checked_weights
from aboutness.index.filters import Where, no_number, no_value, unknown_key
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import Added, IndexWriter, Progress
from aboutness.models.ranking import Explanation
from aboutness.rank.bound import explain
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import notes_of
from aboutness.scale.missed import Missed, told
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.vectors.coverage import Coverage
from aboutness.vectors.neighbours import Neighbour, Words
from aboutness.vectors.trainer import Made, Tell, Trainer
from aboutness.vectors.words import EXACT, WordVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from aboutness.app.perturbing import Perturbation
    from aboutness.index.view import LayerView

READY_S = 5.0  # for all searches that make rankers ready for a new generation, which others wait for


class Index:
    """A collection of documents that can be searched; on disk, or in memory where no path is given.

    >>> index = Index.build([{"id": "a", "text": "a city in New Mexico"}, {"id": "b", "text": "a song"}])
    >>> len(index), "a" in index, index["a"].fields["text"]
    (2, True, 'a city in New Mexico')
    """

    elsewhere = False  # whether others search it, for whom one waits

    def __init__(self, snapshot: Snapshot, memory: MemoryFolder | None = None) -> None:
        self.generation = self._generation_of(snapshot)
        self._lock = Lock()
        self._memory = memory
        self.added = Added()

    # --- build and open --------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        records: Records,
        path: str | Path | None = None,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        layers: Mapping[str, str | Analyzer] | None = None,
        weights: Mapping[str, float] | None = None,
        overwrite: bool = False,
        on_bad: OnBad = stop,
        progress: Progress | None = None,
    ) -> Index:
        """Make an index of `records` at `path` (in memory without one) and open it.

        Records are mappings, `Document` objects, or the rows of a data frame.
        Nothing stands at `path` before all is done. `layers` are further analyzers by name; `weights` says
        how much each field counts (1 unless said). An index that is there already is replaced, in one step,
        only with `overwrite`.
        """
        analyzers = layered_analyzers(analyzer, layers)
        build = Build(analyzers, checked_weights(weights or {}), adding(records, on_bad, progress))
        if path is None:
            memory = MemoryFolder()
            target = memory.index
            added = build.in_memory(target)
            index = cls(Snapshot.open(target), memory)
        else:
            target = Path(path)
            added = build.to(target, overwrite=overwrite)
            index = cls(Snapshot.open(target))
        index.added = added
        return index

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> Index:
        """Open an index; with `verify`, compare every file with its checksum first, those that come later, too."""
        return cls(Snapshot.open(Path(path), verify=verify))

    @property
    def path(self) -> Path:
        """Return the folder of the index."""
        return self.snapshot.folder

    @property
    def in_memory(self) -> bool:
        """Tell whether the index is gone when the program ends."""
        return self._memory is not None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how a copy is made, also in another process: one in memory takes its files along."""
        if self._memory is None:
            return Index.open, (self.path.absolute(),)
        return _from_memory, (self._memory.files(),)

    def refresh(self, *, ready: bool = False) -> bool:
        """Go over to the newest generation, if there is a newer one; return whether there was.

        With `ready`, the rankers in use are bound to it first, while searches still go to the one before; those
        that search for seconds before they are ready are left to their next use.
        """
        own = self.snapshot
        newest = Snapshot.open(self.path, verify=own.verified, sure=own.manifest.files())
        if not self._older_than(newest):
            return False
        fresh = self._generation_of(newest)
        with wanted_until(time.monotonic() + READY_S):
            for ranker in self.generation.in_use if ready else ():
                with contextlib.suppress(AboutnessError, TimeoutError):  # told to the next who asks for it
                    fresh.bound(ranker)
        with self._lock:  # another thread may have gone further meanwhile
            changed = self._older_than(newest)
            if changed:
                self.generation = fresh
        return changed

    def _generation_of(self, snapshot: Snapshot) -> Generation:
        """Return what binds rankers to a snapshot."""
        return Generation(snapshot)

    @property
    def down(self) -> Sequence[Missed]:
        """Return the shards that do not answer, as far as is known: none, where it is searched here."""
        return self.generation.down

    @property
    def incomplete(self) -> str | None:
        """Return in words which documents cannot be searched now, None where all can."""
        return told(self.down, len(self))

    def look(self) -> None:
        """Ask the shards whether they answer, where others search it."""

    def _older_than(self, other: Snapshot) -> bool:
        own = self.snapshot
        if other.generation == own.generation:  # removed and built again, perhaps within a second
            return other.manifest != own.manifest
        return other.manifest.created != own.manifest.created or other.generation > own.generation

    @property
    def snapshot(self) -> Snapshot:
        """Return the generation of the index that is being read."""
        return self.generation.snapshot

    # --- search ----------------------------------------------------------------------------------------

    def search(
        self,
        query: Asked | None = None,
        k: int = 10,
        ranker: str | Ranker = DEFAULT_RANKER,
        *,
        like: str | None = None,
        match: str | Ranker = "or",
        where: Where | None = None,
        fields: Fields | None = None,
    ) -> Hits:
        """Return the k best documents for a query, or for a document of the index (`like`, its id).

        A query is a text, or a `Document`, or terms with weights. `match` says which documents are ranked: those
        that have any of its words ("or"), all of them ("and"), all documents ("all"), or those that another
        ranker finds ("bm25 % 100"). `where` filters by metadata; `fields` chooses fields and their weights.

        >>> index = Index.build([{"id": "a", "text": "a city in New Mexico"}, {"id": "b", "text": "a song"}])
        >>> [hit.id for hit in index.search("cities of Mexico")]
        ['a']
        """
        return search_one(self.generation, query, like, How(ranker, k, match, where, fields, threads=1))

    def search_many(
        self,
        queries: Iterable[Asked] | Frame,
        k: int = 10,
        ranker: str | Ranker = DEFAULT_RANKER,
        *,
        match: str | Ranker = "or",
        where: Where | None = None,
        fields: Fields | None = None,
        threads: int | None = None,
    ) -> list[Hits]:
        """Return the hits of many queries, the same as one by one, found by several threads (all cores).

        Queries may be a data frame with a column `query`, whose rows have their hits in the same order.
        """
        if is_frame(queries):
            queries = queries_of(queries)
        if isinstance(queries, str | Mapping):
            raise UsageError(f"search_many takes a list of queries, got {shown(queries)}; search takes one")
        return search(self.generation, list(queries), How(ranker, k, match, where, fields, threads))

    def knows(self, text: str) -> bool:
        """Tell whether any word of a text stands in the documents, in any layer."""
        views = [self.snapshot.view(layer) for layer in self.snapshot.manifest.layers]
        return any(df for view in views for _, df in view.look_up(view.analyzer.terms(text)))

    def explain(self, query: Asked, identifier: str, ranker: str | Ranker = DEFAULT_RANKER) -> Explanation:
        """Return why a document has its score for a query, found or not."""
        generation = self.generation
        searcher = generation.bound(named_ranker(ranker))
        number = generation.snapshot.number(identifier)
        return explain(searcher, checked_question(generation, query), number)

    def explain_page(
        self,
        query: str,
        identifiers: str | Sequence[str],
        rankers: str | Ranker | Sequence[str | Ranker] = DEFAULT_RANKER,
    ) -> str:
        """Return a web page (HTML, whole in itself) that shows why documents have their scores, words marked."""
        from aboutness.app.explaining import explain_page

        some = [identifiers] if isinstance(identifiers, str) else identifiers
        chosen = [rankers] if isinstance(rankers, str | Ranker) else rankers
        return explain_page(self.generation, query, some, chosen)

    def perturb(
        self,
        query: str,
        passages: Mapping[str, str | Mapping[str, str]],
        replace: Sequence[tuple[str, str]] = (),
        rankers: str | Ranker | Iterable[str | Ranker] | None = None,
    ) -> Perturbation:
        """Score passages as if they were documents of the index, as they are and with words replaced.

        `replace` are pairs of a word and what stands in its place. Nothing is written to the index.
        """
        from aboutness.app.perturbing import perturb

        return perturb(self, query, passages, replace, rankers)

    def prepare(
        self, rankers: str | Ranker | Iterable[str | Ranker] | None = None, *, drop: bool = False
    ) -> list[str]:
        """Keep in the index the documents' vectors that some rankers need, so that these are ready at once.

        Where these were trained, those of documents that came since are added. Without rankers, all that is kept
        is brought up to date; with `drop` it is kept no more, but for what was trained. Returns the models whose
        vectors these are, or the names of what was trained.
        """
        return prepare(self, rankers, drop=drop)

    # --- train, and word vectors -----------------------------------------------------------------------

    def train(
        self,
        kind: str | Trainer = "word2vec",
        *,
        name: str | None = None,
        layer: str | None = None,
        fields: Mapping[str, float] | Sequence[str] | None = None,
        threads: int | None = None,
        restart: bool = False,
        progress: Tell | None = None,
        by: ByShards | None = None,
        **parameters: Any,  # noqa: ANN401 - what the way of training declares
    ) -> Made:
        """Train on the documents and keep the result in the index, under a name (that of the kind).

        The result is word vectors, or rows of documents (a `DocumentSpace`), by the kind. A training that was
        interrupted goes on where it was when it is started again, unless with `restart`. With threads=1 the same
        seed gives the same bytes; with more (all cores unless said) it is faster. `by` trains by shards, on a Ray
        cluster or here.

        >>> index = Index.build([{"id": "a", "text": "the sun and the moon"}], analyzer="plain")
        >>> vectors = index.train("word2vec", dim=8, min_count=1, threads=1)
        >>> sorted(vectors.spaces), "moon" in vectors
        (['in', 'out'], True)
        """
        if not isinstance(kind, Trainer):
            kind = trainer(kind, parameters)
        elif parameters:
            raise UsageError(f"{kind.name} has its parameters already, got {shown(parameters)} besides")
        chosen: dict[str, Any] = {
            "name": name,
            "layer": layer,
            "fields": fields,
            "restart": restart,
            "tell": progress,
        }
        if by is not None:
            return train_by_shards(self, kind, by, **chosen)
        return train(self, kind, threads=threads, **chosen)

    def notes(self, rankers: Iterable[str | Ranker]) -> list[str]:
        """Return what is to be said of the use of rankers here, such as that another one answers in its place."""
        return notes_of(map(named_ranker, rankers), self.snapshot)

    def import_vectors(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        out: str | Path | None = None,
        vocab: str | Path | None = None,
        format: str | None = None,  # noqa: A002 - its name everywhere
        only_index_words: bool = False,
        layer: str | None = None,
        case: str = EXACT,
        steps: Sequence[str] = (),
    ) -> WordVectors:
        """Keep published vectors in the index; `out` is a second file with OUT vectors, `vocab` that of a matrix.

        With `only_index_words`, words that no document (of a layer) has are left out; `steps` process the vectors.
        """
        return import_into(
            self, path, name=name, out=out, vocab=vocab, format=format, only_index_words=only_index_words,
            layer=layer, case=case, steps=steps,
        )  # fmt: skip

    def keep_vectors(self, vectors: WordVectors, name: str) -> WordVectors:
        """Keep vectors from anywhere in the index: such as `index.vectors().processed("unit")`.

        They are kept in float32. Raises BadInput where one is not finite.
        """
        return keep_vectors(self, vectors, name)

    def trained(self, name: str) -> Made:
        """Return what was trained and is kept under a name: word vectors, or rows of documents."""
        return kept(self.snapshot.trained, name)

    def drop(self, name: str) -> None:
        """Remove what was trained, or imported, and has a name."""
        drop(self, name)

    def vectors(self, name: str | None = None) -> WordVectors:
        """Return the word vectors with a name, or the only ones; those of rows of documents by their name."""
        return words_of(self.snapshot.trained, name)

    def document_vectors(self, ranker: str | Ranker | None = None, *, vectors: str | None = None) -> WordVectors:
        """Return the vectors of all documents by their ids, as words have theirs.

        They are those that a ranker compares, or the rows of a training by its name (`vectors`); unless said, the
        first training's of documents, or else those of `wcs`. A document without a known word has zeros.

        >>> index = Index.build([{"id": "a", "text": "sun and moon"}, {"id": "b", "text": "city"}])
        >>> _ = index.train("lsa", dim=2, threads=1)
        >>> index.document_vectors("lsa")
        <WordVectors: 2 documents x 2 (in), lsa>
        """
        from aboutness.app.exporting import document_vectors

        return document_vectors(self.generation, ranker, vectors)

    def text_vectors(
        self,
        texts: Iterable[str | Mapping[str, str]],
        ranker: str | Ranker | None = None,
        *,
        vectors: str | None = None,
    ) -> NDArray[np.float32]:
        """Return a row for each text: the vector that it would have as a document of the index.

        A text is a string, or the texts of fields. Whose vectors they are is said as in `document_vectors`; what
        was trained on documents infers each text's row.
        """
        from aboutness.app.text_vectors import text_vectors

        return text_vectors(self.generation, texts, ranker, vectors)

    def neighbours(self, words: Words, k: int = 10, *, vectors: str | None = None) -> dict[str, list[Neighbour]]:
        """Return the nearest words "in-in", "out-out" and "in-out" of a word or a sum ("king - man + woman")."""
        return nearest_words(self.vectors(vectors), words, k)

    def oov(
        self,
        vectors: str | WordVectors | None = None,
        *,
        queries: Mapping[str, Iterable[str]] | None = None,
        layer: str | None = None,
        fields: Mapping[str, float] | Sequence[str] | None = None,
        case: str = EXACT,
    ) -> list[Coverage]:
        """Return how much of each field, and of each set of queries, has no vector: out of vocabulary.

        `vectors` are some of the index by name, some in a file, of which only the words are read, or any others.
        """
        snapshot = self.snapshot
        found = vectors if isinstance(vectors, WordVectors) else vectors_for_oov(snapshot, vectors)
        return oov(snapshot, found, queries=queries, layer=layer, fields=fields, case=case)

    # --- look into -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.snapshot.documents

    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, str) and bool(self.snapshot.numbers([identifier])[0] >= 0)

    def __getitem__(self, identifier: str) -> Document:
        snapshot = self.snapshot
        return snapshot.document(snapshot.number(identifier))

    def __iter__(self) -> Iterator[Document]:
        return iter(self.snapshot)

    def __repr__(self) -> str:
        return f"<Index {str(self.path)!r}: {len(self):,} documents, generation {self.snapshot.generation}>"

    def view(
        self, layer: str | None = None, fields: Mapping[str, float] | Sequence[str] | None = None
    ) -> LayerView:
        """Return the term-document matrix of a layer over all fields, some of them, or with other weights."""
        return self.snapshot.view(layer, fields)

    def where(self, where: Where) -> list[str]:
        """Return the ids of the documents whose metadata meet all conditions, in order of arrival."""
        snapshot = self.snapshot  # one generation, also where another thread refreshes
        return [snapshot.id(int(number)) for number in snapshot.where(where).nonzero()[0]]

    def unknown_key(self, where: Where) -> str | None:
        """Return in words which metadata key of conditions no document has; None where each is there."""
        return unknown_key(self.snapshot.segments, where)

    def why_none(self, where: Where) -> str | None:
        """Return in words why no document can meet conditions: an unknown key or value, or a text for a number."""
        segments = self.snapshot.segments
        return unknown_key(segments, where) or no_number(segments, where) or no_value(segments, where)

    def stamp(self) -> tuple[int, ...] | None:
        """Return what differs after a commit, at the price of a look at one file; None where that is gone."""
        try:
            found = (self.path / DATABASE).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def copy_to(self, path: str | Path) -> int:
        """Copy the newest generation to a place where nothing stands, also while somebody writes to the index.

        Every file is compared with its checksum on the way. Returns the generation. An index in memory is kept so.

        >>> import tempfile
        >>> index = Index.build([{"id": "a", "text": "a city in New Mexico"}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.copy_to(f"{folder}/kept.index"), len(Index.open(f"{folder}/kept.index"))
        (1, 1)
        """
        return copy_to(self.path, Path(path)).generation

    def check(self, *, deep: bool = False) -> CheckReport:
        """Look for damage; with `deep`, read and compare everything."""
        return check(self.path, deep=deep)

    # --- change ----------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def changes(self) -> Iterator[IndexWriter]:
        """Make several changes in one commit; none of them where the block raises."""
        with self.writing() as writer:
            yield writer
        try:
            bring_up_to_date(self)
        except (AboutnessError, MemoryError, OSError):
            pass  # the documents are in; what is derived from them is made when it is needed, too
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the changes are in; document vectors are made when needed") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[IndexWriter]:
        """Do as `changes`, but leave what is derived from documents as it is."""
        writer = IndexWriter(self.path, durable=self._memory is None)
        with told_if_committed(writer):
            with writer:
                yield writer
                writer.commit()
            self.refresh()

    def add(
        self,
        records: Records,
        *,
        update: bool = False,
        on_bad: OnBad = stop,
        progress: Progress | None = None,
    ) -> Added:
        """Add records; with `update`, those whose id is there replace the others."""
        with self.changes() as writer:
            return writer.add(records_of(records), update=update, on_bad=on_bad, progress=progress)

    def sync(
        self,
        records: Records,
        *,
        on_bad: OnBad = stop,
        progress: Progress | None = None,
        dry_run: bool = False,
    ) -> Synced:
        """Make the index hold just these records, in one commit: new and changed ones come in, the others go.

        Documents that are as they were stay where they are, and so does what was trained on them. Where records
        are bad (and `on_bad` does not raise) none is deleted; where there are no records at all, that is refused.
        With `dry_run` nothing is changed; it only says what would be.

        >>> index = Index.build([{"id": "a", "text": "a city"}, {"id": "b", "text": "a song"}])
        >>> index.sync([{"id": "a", "text": "a city"}, {"id": "c", "text": "the sea"}])
        Synced(added=1, updated=0, unchanged=1, deleted=1)
        """
        return sync(self, records, on_bad=on_bad, progress=progress, dry_run=dry_run)

    def delete(self, identifiers: str | Iterable[str], *, missing_ok: bool = False) -> int:
        """Delete documents by id; return how many."""
        wanted = [identifiers] if isinstance(identifiers, str) else identifiers
        with self.changes() as writer:
            return writer.delete(wanted, missing_ok=missing_ok)

    def add_layer(self, name: str, analyzer: str | Analyzer) -> None:
        """Analyse the documents in a further way."""
        check_layer(name)
        with self.changes() as writer:
            writer.add_layer(name, named_analyzer(analyzer))

    def merge(self) -> None:
        """Make one segment of all: smaller, and a little faster to search."""
        with self.changes() as writer:
            writer.merge()


def _from_memory(files: Mapping[str, bytes]) -> Index:
    """Return an index in memory, from its files."""
    memory = MemoryFolder.of(files)
    return Index(Snapshot.open(memory.index), memory)


def check_folder(path: str | Path, *, deep: bool = False) -> CheckReport:
    """Look for damage in an index, also one that cannot be opened."""
    return check(Path(path), deep=deep)
