"""A sharded index from sources, by an engine: draft each shard, agree on numbers, finish each shard.

The result is what one process would have made of the same sources: the same documents with the same numbers, terms
and statistics. What is finished is kept in a workplace until the index stands at its target, so that the same job,
run again after whatever stopped it, goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from aboutness.core.errors import UsageError
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.division import Piece, divided
from aboutness.corpus.keys import Keys
from aboutness.index.manifest import SegmentEntry
from aboutness.index.snapshot import Snapshot
from aboutness.scale.drafts import INDEX, Draft, Making, bad_records, count, draft
from aboutness.scale.engine import Engine
from aboutness.scale.finals import Final, entries_of, finish
from aboutness.scale.numbering import Field, Vocabulary, fields_of, ids_taken
from aboutness.scale.workplace import Record, Workplace
from aboutness.text.analyzer import Analyzer

MOST_SHARDS = 10_000
COUNTS = "count-*"
LOOKED_AT = 1000  # documents, for their fields


@dataclass(frozen=True)
class Told:
    """How far a build is: steps done of all (two for each shard), and documents seen."""

    done: int
    total: int
    documents: int


Tell = Callable[[Told], None]


@dataclass(frozen=True)
class Shards:
    """Finished shards: their segments, with the files these consist of, and what the whole has."""

    entries: list[SegmentEntry]
    files: list[Path]
    fields: Mapping[str, float]
    used: list[str]  # fields that stand in documents


@dataclass(frozen=True)
class ShardedSources:
    """What is to be divided into shards, and how it is read."""

    names: Sequence[str]
    count: int
    format: str | None = None
    keys: Keys = Keys()  # noqa: RUF009 - it cannot be changed

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_SHARDS:
            raise UsageError(f"the number of shards must be from 1 to {MOST_SHARDS:,}, got {self.count}")


def build_shards(
    engine: Engine,
    sources: ShardedSources,
    workplace: Workplace,
    analyzers: Mapping[str, Analyzer],
    weights: Mapping[str, float],
    *,
    arrived: int = 0,
    on_bad: OnBad = stop,
    tell: Tell | None = None,
) -> Shards:
    """Make the segments of an index in a workplace; `arrived` documents came to the index before.

    Of documents with the same id the first counts; the others, and all other bad records, go to `on_bad`.
    """
    making = Making({name: one.to_json() for name, one in analyzers.items()}, weights, sources.keys)
    parts = _parts(engine, sources, workplace)
    known = _first_fields(parts, sources.keys, weights)
    drafts = [Draft(str(workplace.folder), part, making, on_bad is stop, fields=known) for part in parts]
    first_names = {one.name for one in drafts}
    steps = _Steps(2 * len(drafts), tell)
    records = steps.take(drafts, engine.map(draft, drafts))
    drafts, records, fields = _agreed(engine, drafts, records, weights)
    for one in drafts:
        for error in bad_records(workplace.folder, one.name):
            on_bad(error)
    finals = _numbered(drafts, _opened(drafts), fields, list(analyzers), arrived)
    names = {name for one in finals for name in (one.name, one.draft, one.numbers)}
    workplace.keep_only(names | first_names, COUNTS)
    done = steps.take(finals, engine.map(finish, finals))
    used = {name for record in records for name in record["used"]}
    all_fields = fields[-1].names if fields else dict(weights)
    return Shards(
        [entry for record in done for entry in entries_of(record)],
        [workplace.folder / one.name / name for one, record in zip(finals, done, strict=True)
         for name in record["files"]],
        all_fields,
        [name for name in all_fields if name in used],
    )  # fmt: skip


def _parts(engine: Engine, sources: ShardedSources, workplace: Workplace) -> list[list[Piece]]:
    """Divide the sources; where records must be counted, that is done once."""

    def counted(piece: Piece) -> int:
        ((_, record),) = engine.map(count, [piece], str(workplace.folder), sources.keys)
        return int(record["records"])

    return divided(sources.names, sources.format, sources.keys, sources.count, counted)


def _first_fields(parts: Sequence[Sequence[Piece]], keys: Keys, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the fields of the first documents, so that most shards have the order of the whole from the start."""
    documents = (document for piece in parts[0] for document in piece.documents(keys, lambda _: None))
    names = (name for document in islice(documents, LOOKED_AT) for name in document.fields)
    return tuple(dict.fromkeys([*weights, *names]))


def _agreed(
    engine: Engine, drafts: list[Draft], records: list[Record], weights: Mapping[str, float]
) -> tuple[list[Draft], list[Record], list[Field]]:
    """Draft those shards once more that did not know what they should have known of the shards before them.

    These are ids that were taken, and an order of fields that is not theirs, in which terms first appear in
    another order. Both are rare, so drafting twice is cheaper than having all shards wait for one another.
    """
    taken = ids_taken(_opened(drafts))
    again = {place: replace(drafts[place], taken=ids) for place, ids in enumerate(taken) if ids}
    if again and next(iter(again.values())).stops:  # at the first of them
        again = dict(list(again.items())[:1])
    drafts, records = _once_more(engine, drafts, records, again)
    fields = fields_of(weights, _opened(drafts), [record["used"] for record in records])
    again = {
        place: replace(drafts[place], fields=tuple(field.names))
        for place, field in enumerate(fields)
        if not field.in_order
    }
    if not again:
        return drafts, records, fields
    drafts, records = _once_more(engine, drafts, records, again)
    return drafts, records, fields_of(weights, _opened(drafts), [record["used"] for record in records])


def _once_more(
    engine: Engine, drafts: list[Draft], records: list[Record], again: Mapping[int, Draft]
) -> tuple[list[Draft], list[Record]]:
    made = {one.name: record for one, record in engine.map(draft, list(again.values()))}
    drafts = [again.get(place, one) for place, one in enumerate(drafts)]
    return drafts, [made.get(one.name, record) for one, record in zip(drafts, records, strict=True)]


def _opened(drafts: Sequence[Draft]) -> list[Snapshot]:
    return [Snapshot.open(Path(one.folder) / one.name / INDEX) for one in drafts]


def _numbered(
    drafts: Sequence[Draft],
    shards: Sequence[Snapshot],
    fields: Sequence[Field],
    layers: Sequence[str],
    arrived: int,
) -> list[Final]:
    """Give each shard its place in the whole: numbers of terms, places of fields, documents before it."""
    vocabulary = Vocabulary(layers)
    finals = []
    for place, (one, shard, field) in enumerate(zip(drafts, shards, fields, strict=True)):
        numbers = vocabulary.take_in(shard, Path(one.folder), one.name)
        finals.append(Final(one.folder, one.name, numbers, tuple(field.places), arrived, place))
        arrived += shard.size
    return finals


class _Steps:
    """Counts what is done, and tells it."""

    def __init__(self, total: int, tell: Tell | None) -> None:
        self.total = total
        self.tell = tell
        self.done = self.documents = 0

    def take(self, items: Sequence[Draft | Final], results: Iterable[tuple[Any, Record]]) -> list[Record]:
        """Return the records of all items in the order of these, telling of each as it comes."""
        found: dict[str, Record] = {}
        for item, record in results:
            found[item.name] = record
            self.done += 1
            self.documents += record.get("documents", 0)
            if self.tell is not None:
                self.tell(Told(self.done, self.total, self.documents))
        return [found[item.name] for item in items]
