"""The documentation of Python's standard library as a test collection, with questions that our authors judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files

from aboutness.core.record import Query
from aboutness.corpus.stdlib_docs import SOURCE, read_stdlib
from aboutness.evaluate.judgements import Qrels
from aboutness.experiment.collection import Collection
from aboutness.experiment.parts import HeldCollection

NAME = "the standard library's documentation"


def questions(is_known: Callable[[str], bool]) -> tuple[tuple[Query, ...], Qrels]:
    """Return the questions and their answers, by the documents that are known.

    Other versions of Python document other things: an answer that is not there is left out, and so is a question
    without any.
    """
    queries, qrels = [], {}
    for line in files("aboutness.experiment").joinpath("stdlib_questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        known = {document: grade for document, grade in question["relevant"].items() if is_known(document)}
        if known:
            queries.append(Query(question["id"], question["text"]))
            qrels[question["id"]] = known
    return tuple(queries), qrels


def stdlib_collection() -> Collection:
    """Return the collection, whose documents are read from this Python's own files."""
    documents = tuple(read_stdlib())
    queries, qrels = questions({document.id for document in documents}.__contains__)
    return HeldCollection(NAME, SOURCE, queries, qrels, held=documents)
