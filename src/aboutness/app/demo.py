"""The main job on what every machine has: the documentation of Python's own standard library."""

from __future__ import annotations

from pathlib import Path

from aboutness.app.comparing import compare
from aboutness.app.hits import Hits
from aboutness.app.index import Index
from aboutness.app.sources import Sources
from aboutness.corpus.stdlib_docs import SOURCE
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import Comparison, Progress
from aboutness.experiment.stdlib_questions import NAME, questions
from aboutness.index.writer import Progress as IndexProgress
from aboutness.vectors.lsa import LSA
from aboutness.vectors.own import Own
from aboutness.vectors.pv import EPV
from aboutness.vectors.trainer import Made, Tell, Trainer
from aboutness.vectors.word2vec import Word2Vec

SEARCHES = ("compress data", "parse command line options", "random order of a list")
TRAININGS: tuple[Trainer, ...] = (Own(), Word2Vec(dim=100), LSA(dim=100), EPV(dim=100))  # of a few seconds each
MEASURES = ("nDCG@10", "R@100")


def build_demo(path: str | Path | None = None, tell: IndexProgress | None = None) -> Index:
    """Index the standard library's documentation; at a path, in the place of an earlier one."""
    there = path is not None and Path(path).exists()
    return Index.build(Sources([SOURCE]).documents(), path, overwrite=there, progress=tell)


def train_demo(index: Index, way: Trainer, tell: Tell | None = None) -> Made:
    """Train on the documentation, by one thread: the same every time."""
    return index.train(way, threads=1, progress=tell)


def demo_collection(index: Index) -> Collection:
    """Return the questions with their answers, judged by this project's authors, that this Python documents."""
    return Collection(NAME, SOURCE, *questions(index.__contains__))


def compare_demo(index: Index, tell: Progress | None = None) -> Comparison:
    """Compare all rankers on the questions, but those for which nothing was trained."""
    return compare(None, demo_collection(index), MEASURES, index=index, progress=tell)


def search_demo(index: Index, k: int = 3) -> list[Hits]:
    """Search for a few things that people look for."""
    return [index.search(text, k) for text in SEARCHES]
