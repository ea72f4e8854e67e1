"""A training by shards: what is known before it begins, so that every shard can be trained anywhere, alone.

A shard is some neighbouring documents, cut so that all have about as many tokens; where segments end makes no
difference. What is common to all shards (the words, their counts) lies in one file, which every task maps.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index import disk
from aboutness.index.layer import layer_roles
from aboutness.index.manifest import SegmentEntry
from aboutness.index.snapshot import ARRAYS, Snapshot, open_segment
from aboutness.index.view import LayerView
from aboutness.text.analyzer import Analyzer
from aboutness.vectors import training_text
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.pv import EPV, MOST_EPOCHS, PV, ParagraphTrainer
from aboutness.vectors.store import SUFFIX
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.training import enough_epochs
from aboutness.vectors.training_text import Part, TrainingText, Whole, parts_of
from aboutness.vectors.vocabulary import Vocabulary
from aboutness.vectors.word2vec import Word2Vec

I64 = NDArray[np.int64]
Sharded: TypeAlias = Word2Vec | PV | EPV
SHARDED = get_args(Sharded)

MOST_SHARDS, MOST_ROUNDS = 10_000, 10_000
ROUNDS = 4  # in an epoch, for word vectors, where nobody says how many; documents do better with 1
PLENTY = 2_000_000  # tokens from which on there are fewer, if merging would take longer than training
TEXT = "text"  # the folder of what is trained on
PIECE = 1 << 13  # words whose rows lie in one file between rounds, and are merged by one task
TOKENS_FOR_A_WORD = 32  # of a shard in a round: then merging takes about a third of the time of training
EARLY = 5  # epochs that always have a round
MOST_TOGETHER = 4  # later epochs that may be one round


@dataclass(frozen=True)
class Place:
    """Where the documents of a shard are: the segments that hold them, and how many living ones come before."""

    segments: tuple[SegmentEntry, ...]
    skipped: int
    documents: int
    tokens: int


class Bound(NamedTuple):
    """Where a round ends and the next begins: behind some parts of an epoch, of so many."""

    epoch: int
    part: int
    parts: int

    def of(self, each: int) -> int:
        """Return how much comes before, where each epoch has so much."""
        return self.epoch * each + self.part * each // self.parts


@dataclass(frozen=True)
class Plan:
    """A training by shards. Its tasks need nothing else but the files that it names."""

    how: Sharded  # with its number of epochs
    arrays: Path  # where the files of the index are
    folder: Path  # of what has been trained
    layer: str
    analyzer: Analyzer
    weights: tuple[float, ...]  # of fields
    places: tuple[Place, ...]
    rounds: tuple[int, ...]  # of each epoch; one without a round is read together with the next
    words: int  # that have vectors

    @property
    def pieces(self) -> int:
        """Return in how many pieces word matrices lie between rounds."""
        return -(-self.words // PIECE)

    def rows(self, piece: int) -> slice:
        """Return which words a piece has."""
        return slice(piece * PIECE, min(self.words, (piece + 1) * PIECE))

    @property
    def shards(self) -> int:
        """Return how many shards there are."""
        return len(self.places)

    @property
    def tokens(self) -> int:
        """Return how many tokens all shards have."""
        return sum(place.tokens for place in self.places)

    @property
    def last_round(self) -> int:
        """Return how many rounds there are, over all epochs."""
        return sum(self.rounds)

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """Return where each round begins, and where the last one ends."""
        ends = (
            Bound(epoch, part, parts) for epoch, parts in enumerate(self.rounds) for part in range(1, parts + 1)
        )
        return (Bound(0, 0, 1), *ends)

    def within(self, number: int, each: int) -> range:
        """Return what a round reads, of so many tokens or blocks that each epoch has, counted over all epochs."""
        return range(self.bounds[number].of(each), self.bounds[number + 1].of(each))

    def tokens_before(self, number: int) -> int:
        """Return how many tokens have been read before a round, in all epochs."""
        return self.bounds[number].of(self.tokens)

    @cached_property
    def about(self) -> dict[str, Any]:
        """Return what makes this training this one: not where it runs, nor by how many workers."""
        text = zlib.crc32(repr((self.layer, self.weights)).encode())
        stream, _ = layer_roles(self.layer)
        for segment in {entry.name: entry for place in self.places for entry in place.segments}.values():
            text = zlib.crc32(
                f"{segment.files[stream].checksum}:{segment.documents}".encode() + segment.dead, text
            )
        how = {"training": str(self.how), "shards": self.shards, "rounds": self.rounds}
        return {**how, "tokens": self.tokens, "text": text, "format": 2}

    def file(self, name: str) -> Checkpoint:
        """Return a file of what has been trained."""
        return Checkpoint(self.folder / f"{name}{SUFFIX}")

    def about_whole(self) -> dict[str, Any]:
        """Return what the file of what is common to all shards says of itself."""
        return {**self.about, "file": "whole"}

    def text(self, shard: int, *, begins: bool) -> TrainingText:
        """Return the text of a shard; only its segments are mapped. Who `begins` has matrices filled by chance."""
        place = self.places[shard]
        try:
            segments = [open_segment(self.arrays, entry, 0, {self.layer: 0}) for entry in place.segments]
        except FileNotFoundError as error:
            raise UsageError(
                f"the documents were changed or merged while they were trained on: {error.filename} is gone; "
                "start anew with restart (--restart)"
            ) from None
        view = LayerView(segments, self.layer, self.analyzer, np.array(self.weights))
        arrivals = view.arrivals[view.alive][place.skipped : place.skipped + place.documents]
        parts = [between(part, place.skipped, place.skipped + place.documents) for part in parts_of(view)]
        whole = replace(self.whole(shard), begins=begins)
        return TrainingText(parts, whole.vocabulary.counts, list, arrivals, self.analyzer, whole)

    def whole(self, shard: int) -> Whole:
        """Return what a shard knows of the whole text."""
        kept = self.file("whole").load(self.about_whole())
        if kept is None:
            raise DamagedIndex(
                f"{self.folder} has no words to be trained: this machine does not see that folder, which every "
                "node must see under the same path; or they were lost, and it must start anew (--restart)"
            )
        vocabulary = Vocabulary([], np.asarray(kept["counts"]), np.asarray(kept["number_of"]))
        return Whole(vocabulary, np.asarray(kept["df"]), shard, self.shards, self.block(shard))

    def block(self, shard: int) -> int:
        """Return how many tokens of a shard are trained in one go, at least: a round has some such blocks."""
        return max(1, min(training_text.BLOCK, self.places[shard].tokens // max(self.rounds)))


def planned(
    snapshot: Snapshot, view: LayerView, how: Trainer, folder: Path, shards: int, rounds: int
) -> tuple[Plan, Vocabulary]:
    """Return how to train on a view by so many shards, in so many rounds an epoch (0: by the text), and the words.

    What is common to all shards is written if it is not there.
    """
    check_way(how, shards, rounds)
    assert isinstance(how, Word2Vec | PV | EPV)
    places = cut(snapshot, view, shards)
    tokens = sum(place.tokens for place in places)
    most = {} if isinstance(how, Word2Vec) else {"most": MOST_EPOCHS}
    settled = replace(how, epochs=how.epochs or enough_epochs(tokens, **most))
    counts = view.field_cf[view.chosen].sum(axis=0)
    text = TrainingText([], counts, view.terms, np.zeros(0, np.int64), view.analyzer)
    vocabulary = Vocabulary.of(text, how.min_count)
    by_text = (1,) * settled.epochs
    if isinstance(how, Word2Vec):
        by_text = enough_rounds(tokens, len(places), len(vocabulary), settled.epochs)
    plan = Plan(
        settled,
        held(snapshot.folder.absolute() / ARRAYS, places, folder.absolute() / TEXT),
        folder.absolute(),
        view.layer,
        view.analyzer,
        tuple(view.weights.tolist()),
        tuple(places),
        (rounds,) * settled.epochs if rounds else by_text,
        len(vocabulary),
    )
    file = plan.file("whole")
    if file.load(plan.about_whole()) is None:
        terms = np.flatnonzero(vocabulary.number_of >= 0)
        df = np.empty(len(vocabulary), np.int64)
        df[vocabulary.number_of[terms]] = view.df[terms]
        kept: dict[str, NDArray[Any]] = {"counts": vocabulary.counts, "number_of": vocabulary.number_of, "df": df}
        file.save(plan.about_whole(), kept)
    return plan, vocabulary


def held(arrays: Path, places: Iterable[Place], folder: Path) -> Path:
    """Give files of the index a second name, so that they stay when the index changes; return where they are.

    Where a file system has no such thing they are read where they lie, and must stay there.
    """
    with disk.reporting("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    names = {file.name for place in places for entry in place.segments for file in entry.files.values()}
    for name in names - {path.name for path in folder.iterdir()}:
        try:
            os.link(arrays / name, folder / name)
        except OSError:
            return arrays
    return folder


def enough_rounds(tokens: int, shards: int, words: int, epochs: int) -> tuple[int, ...]:
    """Return how often in each epoch word vectors become one: 4 times, or less where that takes long.

    In the beginning vectors grow from nothing, each by the others: shards that do so alone for long lag behind.
    Later, where there is little text for many words, some epochs together are one round.

    >>> enough_rounds(200_000, 6, 8_000, 3), enough_rounds(6_000_000, 6, 80_000, 5)
    ((4, 4, 4), (4, 2, 1, 1, 1))
    >>> enough_rounds(6_000_000, 6, 80_000, 12)
    (4, 2, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1)
    >>> enough_rounds(10**9, 6, 10**6, 5)
    (4, 4, 4, 4, 4)
    """
    if tokens < PLENTY:
        return (ROUNDS,) * epochs
    merged = shards * words * TOKENS_FOR_A_WORD  # tokens, after which it is time to merge
    least, together = min(ROUNDS, max(1, tokens // merged)), min(MOST_TOGETHER, -(-merged // tokens))
    early = (max(least, ROUNDS >> epoch) for epoch in range(min(EARLY, epochs)))
    late = (
        0 if (epoch - EARLY + 1) % together and epoch + 1 < epochs else least for epoch in range(EARLY, epochs)
    )
    return (*early, *late)


def is_sharded(how: Trainer) -> bool:
    """Tell whether something can be trained by shards."""
    return type(how) in SHARDED and not (isinstance(how, ParagraphTrainer) and how.sample)


def check_way(how: Trainer, shards: int, rounds: int) -> None:
    """Raise where something cannot be trained by shards, or not by so many."""
    if type(how) not in SHARDED:
        raise UsageError(f"{how.name} is not trained by shards; these are: word2vec, pv, epv. Leave out --ray")
    if isinstance(how, ParagraphTrainer) and how.sample:
        raise UsageError(f"training by shards takes all documents, got sample={how.sample}: leave it out")
    if not 1 <= shards <= MOST_SHARDS:
        raise UsageError(f"a training has 1 to {MOST_SHARDS:,} shards (--shards), got {shards}")
    if not 0 <= rounds <= MOST_ROUNDS:
        raise UsageError(f"an epoch has 1 to {MOST_ROUNDS:,} rounds (--rounds; 0: by the text), got {rounds}")


def cut(snapshot: Snapshot, view: LayerView, shards: int) -> list[Place]:
    """Cut the living documents into at most so many neighbouring shards, with about as many tokens each.

    Arrays with a number for each document are made for one segment at a time only.
    """
    total = sum(int(lengths.sum()) for lengths in _lengths(view))
    places: dict[int, Place] = {}
    before = 0
    for entry, lengths in zip(snapshot.manifest.segments, _lengths(view), strict=True):
        starts = before + lengths.cumsum() - lengths
        of = np.minimum(starts, max(total - 1, 0)) * shards // max(total, 1)
        for shard in np.unique(of).tolist():
            here = slice(*np.searchsorted(of, [shard, shard + 1]).tolist())
            so_far = places.get(shard, Place((), here.start, 0, 0))
            places[shard] = Place(
                (*so_far.segments, entry),
                so_far.skipped,
                so_far.documents + here.stop - here.start,
                so_far.tokens + int(lengths[here].sum()),
            )
        before += int(lengths.sum())
    return list(places.values())


def _lengths(view: LayerView) -> Iterator[I64]:
    """Yield, for each segment, how many tokens its living documents have in the chosen fields."""
    for segment, part in view.parts:
        cells = np.diff(part.token_ends, prepend=0).reshape(-1, part.fields)
        fields = view.chosen[view.chosen < part.fields]
        yield cells[~segment.dead_mask()][:, fields].sum(axis=1)


def between(part: Part, first: int, last: int) -> Part:
    """Return the pieces of documents `first` to `last` - 1, which are numbered from 0; nothing is copied."""
    here = slice(*np.searchsorted(part.documents, [first, last]).tolist())
    return Part(part.tokens, part.starts[here], part.ends[here], part.documents[here] - first)
