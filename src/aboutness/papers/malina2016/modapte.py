"""The corpus: ModApte with 90 categories out of the SGML files of Reuters-21578, and two missions on it.

ModApte trains on the stories that Lewis's split calls TRAIN and tests on those it calls TEST, as far as indexers
looked at them (TOPICS="YES"). The categories are those that occur in both parts. A story whose topics hold just
one of them has a single label.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from aboutness.core.errors import BadInput, UsageError
from aboutness.core.record import Document
from aboutness.corpus.read import guess, read
from aboutness.experiment.collection import Collection
from aboutness.experiment.labels import by_label

SAME_GROUP, SAME_LABEL = 1, 2  # grades
FIELD = "topics"
NAME = "reuters21578-modapte90"
SPLITS = ("TRAIN", "TEST")


@dataclass(frozen=True)
class ModApte:
    """The documents of the split: how many there are, and those that have any of the categories."""

    in_split: int  # with or without a category
    categories: frozenset[str]
    documents: tuple[Document, ...]  # with a category; their metadata have only those
    labels: Mapping[str, tuple[str, ...]]  # of each document

    @property
    def single(self) -> int:
        """Return how many documents have exactly one category."""
        return sum(len(own) == 1 for own in self.labels.values())

    @property
    def without(self) -> int:
        """Return how many documents of the split have none of the categories."""
        return self.in_split - len(self.documents)


def modapte(source: str | Path) -> ModApte:
    """Return the documents of ModApte with the categories that occur in both of its parts."""
    try:
        guess(str(source))
    except BadInput as error:
        raise UsageError(
            f"{source}: there are no SGML files of Reuters-21578 here, reut2-000.sgm and so on"
        ) from error
    stories = [one for one in read(str(source)) if _part(one)]
    by_part = {part: Counter[str]() for part in SPLITS}
    for one in stories:
        by_part[_part(one)].update(_topics(one))
    categories = frozenset.intersection(*(frozenset(counts) for counts in by_part.values()))
    labels = {one.id: tuple(topic for topic in _topics(one) if topic in categories) for one in stories}
    labels = {one: own for one, own in labels.items() if own}
    if not labels:
        raise UsageError(
            f"{source}: no story of these has a topic that occurs in both parts of ModApte; give the folder with "
            "the SGML files of Reuters-21578"
        )
    return ModApte(len(stories), categories, tuple(one for one in stories if one.id in labels), labels)


def write_folder(corpus: ModApte, folder: str | Path) -> Path:
    """Write the documents with their categories to a new folder, as collections are read from; return it."""
    place = Path(folder) / NAME
    place.mkdir()
    with (place / "corpus.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for one in corpus.documents:
            file.write(json.dumps({"_id": one.id, **one.fields, FIELD: corpus.labels[one.id]}) + "\n")
    return place


def both_missions(folder: str | Path, groups: Mapping[str, str], *, queries: int, seed: int) -> Collection:
    """Return the collection of the single-label documents, some of which are queries that are never found.

    What has the query's label is relevant by grade 2, what has another label of its group by grade 1: one ranking
    serves both missions.
    """
    narrow = by_label(folder, FIELD, queries=queries, seed=seed)
    wide = by_label(folder, FIELD, groups=groups, queries=queries, seed=seed)
    joined: dict[tuple[int, int], dict[str, int]] = {}
    for query, grades in wide.qrels.items():
        same = narrow.qrels[query]
        key = id(grades), id(same)  # queries with one label share their judgements
        if key not in joined:
            joined[key] = {one: SAME_LABEL if one in same else SAME_GROUP for one in grades}
    qrels = {query: joined[id(grades), id(narrow.qrels[query])] for query, grades in wide.qrels.items()}
    return replace(wide, name=NAME, qrels=qrels)


def groups_of(queries: Iterable[str], corpus: ModApte, groups: Mapping[str, str]) -> dict[str, str]:
    """Return the group of each query document."""
    return {query: groups[corpus.labels[query][0]] for query in queries}


def _part(story: Document) -> str:
    """Return the part of ModApte that a story is in, or nothing."""
    part = str(story.metadata.get("lewissplit", ""))
    return part if part in SPLITS and story.metadata.get("has_topics") == "YES" else ""


def _topics(story: Document) -> list[str]:
    found = story.metadata.get(FIELD, ())
    return list(dict.fromkeys(map(str, found))) if isinstance(found, list | tuple) else [str(found)]
