"""What shards must agree on: which document has an id, which fields there are, and which number a term has.

All is decided as if the shards had been indexed one after the other, by going through them in their order. The
process that does this holds the whole vocabulary, and eight bytes for each id.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aboutness.index import disk
from aboutness.index.arrays import map_arrays, write_arrays
from aboutness.index.fields import with_new_fields
from aboutness.index.renumbered import Numbering
from aboutness.index.segment import Segment
from aboutness.index.snapshot import Snapshot
from aboutness.index.working import SUFFIX
from aboutness.index.writer import DEFAULT_FIELD
from aboutness.text.strings import GrowingTable, StringTable, take

Numbers = NDArray[np.int32]

NUMBERS = "numbers-"  # how the names of files with numbers begin


def ids_taken(shards: Sequence[Snapshot]) -> list[tuple[str, ...]]:
    """Return for each shard the ids that stand in a shard before it."""
    from aboutness.kernels.strings import hash_all

    hashes = [np.zeros(0, np.uint64)]
    for segment in (segment for shard in shards for segment in shard.segments):
        hashes.append(np.empty(len(segment), np.uint64))
        hash_all(segment.ids.data, segment.ids.ends, hashes[-1])
    whole = np.concatenate(hashes)
    order = np.argsort(whole, kind="stable")
    alike = np.flatnonzero(whole[order[1:]] == whole[order[:-1]])
    suspects = np.unique(np.concatenate([order[alike], order[alike + 1]]))  # few, or none: now by their names
    first, seen = 0, set[str]()
    taken = []
    for shard in shards:
        here = suspects[(suspects >= first) & (suspects < first + shard.size)] - first
        ids = shard.ids_of(here) if len(here) else []
        taken.append(tuple(identifier for identifier in ids if identifier in seen))
        seen.update(ids)
        first += shard.size
    return taken


@dataclass(frozen=True)
class Field:
    """The fields of the whole up to and with a shard, and for each which one it is in the shard, or -1."""

    names: Mapping[str, float]
    places: list[int]

    @property
    def in_order(self) -> bool:
        """Tell whether the fields that the shard has stand there in the order of the whole."""
        there = [place for place in self.places if place >= 0]
        return there == sorted(there)


def fields_of(weights: Mapping[str, float], shards: Sequence[Snapshot], used: Sequence[list[str]]) -> list[Field]:
    """Return the fields of each shard: those that have a weight, then others as they first stand in documents."""
    fields = dict(weights)
    found = []
    for shard, names in zip(shards, used, strict=True):
        fields = with_new_fields(fields, [name for name in names if name not in fields])
        if not fields and shard.size:
            fields = {DEFAULT_FIELD: 1.0}
        here = {name: place for place, name in enumerate(shard.fields)}
        found.append(Field(fields, [here.get(name, -1) for name in fields]))
    return found


class Vocabulary:
    """The terms of all layers, in the order in which they first appear."""

    def __init__(self, layers: Sequence[str]) -> None:
        self.terms = {layer: GrowingTable() for layer in layers}

    def take_in(self, shard: Snapshot, folder: Path, draft: str) -> str:
        """Number the terms of the next shard; return the name, which tells the content, of a file with that."""
        arrays = {}
        for layer, terms in self.terms.items():
            numbers, before = [np.zeros(0, np.int32)], []
            for segment in shard.segments:
                new = segment.layers[layer].new_terms
                before.append(len(terms))
                numbers.append(terms.add(new.data, new.ends).astype(np.int32))
            arrays[f"numbers:{layer}"] = np.concatenate(numbers)
            arrays[f"before:{layer}"] = np.array(before, np.int64)
        passing = folder / f"{NUMBERS}{secrets.token_hex(4)}"
        _, checksum = write_arrays(passing, arrays, durable=False)  # made anew by each run: it need not last
        name = f"{NUMBERS}{draft}-{checksum:08x}{SUFFIX}"
        disk.move(passing, folder / name)
        return name


class ShardNumbers:
    """The file that says what the terms of one shard are called in the whole."""

    def __init__(self, path: Path) -> None:
        self._arrays = map_arrays(path)

    def of(self, segment: Segment, place: int) -> dict[str, Numbering]:
        """Return the numbering of each layer for a segment of the shard."""
        numberings = {}
        for name, layer in segment.layers.items():
            last = layer.first_term + len(layer.new_terms)
            numbers = self._arrays[f"numbers:{name}"][:last]
            before = int(self._arrays[f"before:{name}"][place])
            new = np.flatnonzero(numbers[layer.first_term :] >= before)
            terms = StringTable.of_packed(*take(layer.new_terms.data, layer.new_terms.ends, new))
            numberings[name] = Numbering(numbers, terms)
        return numberings
