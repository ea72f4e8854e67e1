"""The main job on what every machine has: the documentation of Python's own standard library."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from aboutness.app.comparing import compare
from aboutness.app.index import Index
from aboutness.app.search import Hits
from aboutness.app.sources import Sources
from aboutness.core.record import Query
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import Comparison
from aboutness.vectors.lsa import LSA
from aboutness.vectors.own import Own
from aboutness.vectors.pv import EPV
from aboutness.vectors.trainer import Made, Tell, Trainer
from aboutness.vectors.word2vec import Word2Vec

SEARCHES = ("compress data", "parse command line options", "shuffle a list")
TRAININGS: tuple[Trainer, ...] = (Own(), Word2Vec(dim=100), LSA(dim=100), EPV(dim=100))  # of a few seconds each
MEASURES = ("nDCG@10", "AP", "RR", "P@5", "R@100")


def build_demo(path: str | Path | None = None) -> Index:
    """Index the standard library's documentation; at a path, in the place of an earlier one."""
    there = path is not None and Path(path).exists()
    return Index.build(Sources(["stdlib"]).documents(), path, overwrite=there)


def train_demo(index: Index, way: Trainer, tell: Tell | None = None) -> Made:
    """Train on the documentation, by one thread: the same every time."""
    return index.train(way, threads=1, progress=tell)


def demo_collection(index: Index) -> Collection:
    """Return the questions with their answers, judged by this project's authors, that this Python documents.

    Other versions of Python document other things: an answer that is not in the index is left out, and so is a
    question without any.
    """
    queries, qrels = [], {}
    for line in files("aboutness.app").joinpath("demo_questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        known = {document: grade for document, grade in question["relevant"].items() if document in index}
        if known:
            queries.append(Query(question["id"], question["text"]))
            qrels[question["id"]] = known
    return Collection("the standard library's documentation", "stdlib", tuple(queries), qrels)


def compare_demo(index: Index) -> Comparison:
    """Compare all rankers on the questions, but those for which nothing was trained."""
    return compare(None, demo_collection(index), MEASURES, index=index)


def search_demo(index: Index, k: int = 3) -> list[Hits]:
    """Search for a few things that people look for."""
    return [index.search(text, k) for text in SEARCHES]
