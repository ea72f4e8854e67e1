"""Collections with planted topics: a document has some words of its topic, a query others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from aboutness.core.record import Query
from aboutness.evaluate.evaluation import Evaluation
from aboutness.experiment.collection import Collection
from aboutness.papers.ai2016.cases import AP, MEASURES, Case, Measured
from aboutness.papers.ai2016.ladder import OTHERS, PAPERS_OWN
from aboutness.papers.ai2016.protocol import Ai2016

SMALL = {
    "dim": 8, "topics": 4, "iterations": 10, "epochs": 2, "growth": (1, 2), "permutations": 500,
    "lambdas": (0.0, 0.3, 0.6), "mus": (100.0, 300.0), "candidates": 40, "depth": 20, "folds": 3,
    "gammas": (1.0, 10.0), "etas": (0.1, 0.5),
}  # fmt: skip
TOPICS, WORDS = 4, 14


def word(topic: int, number: int) -> str:
    """Return a word that no stemmer changes."""
    return f"{'bdfg'[topic]}o{'klmnprtvwz'[number % 10]}{'au'[number // 10]}ko"


def write(folder: Path, documents: int = 60, queries: int = 12, seed: int = 1) -> Path:
    """Write a collection as BEIR's are."""
    chance = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    rows = []
    for number in range(documents):
        topic, length = number % TOPICS, int(chance.integers(4, 24))
        own = [word(topic, int(one)) for one in chance.integers(0, WORDS, length)]
        others = [word(int(one) % TOPICS, int(one) // TOPICS % WORDS) for one in chance.integers(0, 99, 3)]
        rows.append({"_id": f"d{number}", "text": " ".join([*own, *others])})
    asked = []
    for number in range(queries):
        size = 1 + number // TOPICS
        chosen = [word(number % TOPICS, int(one)) for one in chance.permutation(WORDS)[:size]]
        asked.append({"_id": f"q{number}", "text": " ".join(chosen)})
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "queries.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in asked))
    judged = [
        f"q{query}\td{document}\t1"
        for query in range(queries)
        for document in range(documents)
        if query % TOPICS == document % TOPICS
    ]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]) + "\n")
    return folder


def small(*collections: str, **changed: object) -> Ai2016:
    """Return the study with small sizes."""
    return Ai2016(collections=collections, **{**SMALL, **changed})


def case(name: str, values: dict[str, list[float]], lengths: list[int] | None = None) -> Case:
    """Return a case in which models have given values of AP; those that are not named have those of QL."""
    count = len(values["QL"])
    queries = [f"q{number}" for number in range(count)]

    def measured(model: str) -> Measured:
        given = values.get(model, values["QL"])
        per_query = {query: dict.fromkeys(MEASURES, value) for query, value in zip(queries, given, strict=True)}
        mean = dict.fromkeys(MEASURES, float(np.mean(given)))
        found = Evaluation(MEASURES, per_query, mean, count, (), (), ())
        return Measured(found, {0.0: mean[AP], 0.5: mean[AP]}, {0.5: 5}, 1.0, (5.0, 4.0, 3.0, 2.0, 1.0), -0.5)

    asked = Collection(name, name, tuple(Query(one, one) for one in queries), {one: {"d": 1} for one in queries})
    words = dict(zip(queries, lengths or [1 + number % 3 for number in range(count)], strict=True))
    facts = {"documents": 10, "tokens": 100, "query_words": words}
    return Case(asked, "", facts, {model: measured(model) for model in (*PAPERS_OWN, *OTHERS)})
