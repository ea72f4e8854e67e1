"""A collection small enough to see through, with what real ones have: ties, an empty document, odd judgements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from aboutness.app.index import Index
from aboutness.app.needed import needs
from aboutness.core.record import Document, Query
from aboutness.index.trained import Trained
from aboutness.models.known import MODELS
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from aboutness.text.analyzers import analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors.trainer import DocumentTrainer, Trainer
from aboutness.vectors.words import WordVectors

DEFAULTS = ("default", "default-vectors")
TERM_MODELS = tuple(name for name, model in MODELS.items() if not model().needs(Trained()))  # need no training
TRAINED = tuple(  # need rows of documents
    name
    for name in known_rankers()
    if any(isinstance(way, DocumentTrainer) for way in needs([ranker(name)]).values())
)
BY_WORDS = tuple(name for name in known_rankers() if name not in (*TERM_MODELS, *TRAINED))  # need word vectors
QUICK = {"dim": 8, "min_count": 1, "epochs": 2, "topics": 4, "iterations": 5}

DOCUMENTS = [
    {"_id": "d1", "title": "Albuquerque", "text": "a city in New Mexico, the largest of its cities", "year": 1706},
    {"_id": "d2", "title": "City songs", "text": "songs of the city", "year": 1999, "topics": ["music", "place"]},
    {"_id": "d3", "text": "an old song about an old river", "year": 1950, "topics": ["music"]},
    {"_id": "d4", "title": "Rivers", "text": "the river runs to the sea: a river of Mexico", "year": 1988},
    {"_id": "d5", "title": "Pets", "text": "cats and dogs", "year": 2001},
    {"_id": "d6", "text": ""},
    {"_id": "d7", "text": "an old song about an old river", "year": 2002},
]
QUERIES = [
    {"_id": "q1", "text": "cities of Mexico"},
    {"_id": "q2", "text": "old songs"},
    {"_id": "q3", "text": "rivers"},
    {"_id": "q4", "text": "what is it about"},  # stop words
    {"_id": "q5", "text": "dogs"},  # nobody judged it
]
QRELS = {
    "q1": {"d1": 2, "d4": 1, "d5": 0},
    "q2": {"d3": 1, "gone": 1},  # the collection has no such document
    "q3": {"d4": 2, "d3": 1},
    "q4": {"d6": 1},
    "q6": {"d1": 1},  # nor such a query
}


def texts(records: list[dict]) -> list[Query]:
    return [Query(record["_id"], record["text"]) for record in records]


def documents() -> list[Document]:
    names = ("title", "text")
    return [
        Document(
            record["_id"],
            {name: record[name] for name in names if record.get(name)},
            {name: value for name, value in record.items() if name not in ("_id", *names)},
        )
        for record in DOCUMENTS
    ]


def vectors_for(words: Sequence[str], spaces: Sequence[str] = ("in", "out")) -> WordVectors:
    """Return vectors of some words, by chance, but always the same."""
    chance = np.random.default_rng(5)
    made = {space: chance.normal(size=(len(words), 8)).astype(np.float32) for space in spaces}
    return WordVectors(StringTable.of(words), made)


@cache
def small_vectors() -> WordVectors:
    """Return vectors of the documents' terms, but for two of them, and of one more that no document has."""
    text = " ".join(text for document in documents() for text in document.fields.values())
    terms = set(analyzer("english").terms(text)) - {"largest", "pet"}
    return vectors_for([*sorted(terms), "harbour"])


def with_vectors(index: Index, vectors: WordVectors | None = None) -> Index:
    """Return an index that then has word vectors, those of the small collection unless said."""
    index.keep_vectors(vectors or small_vectors(), "words")
    return index


def with_all(index: Index, vectors: WordVectors | None = None) -> Index:
    """Return an index that then has vectors, and all else that is trained: every ranker works on it.

    But for `default` and `default-vectors`, in whose place `bm25` answers: so it does where no ranker is named.
    """
    every = [ranker(name) for name in known_rankers() if name not in DEFAULTS]
    for name, way in needs(every, with_vectors(index, vectors).snapshot.trained).items():
        index.train(quick(way), name=name, threads=1)
    return index


def quick(way: Trainer) -> Trainer:
    """Return a way of training that takes little time."""
    declared = {one.name for one in way.declared()}
    return replace(way, **{name: value for name, value in QUICK.items() if name in declared})


def lines(records: list[dict]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def judgements() -> str:
    rows = [f"{query}\t{one}\t{grade}\n" for query, grades in QRELS.items() for one, grade in grades.items()]
    return "query-id\tcorpus-id\tscore\n" + "".join(rows)


def write_collection(folder: Path) -> Path:
    """Write the three files of the collection."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.jsonl").write_text(lines(DOCUMENTS))
    (folder / "queries.jsonl").write_text(lines(QUERIES))
    (folder / "qrels.tsv").write_text(judgements())
    return folder
