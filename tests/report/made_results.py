"""Results that are drawn by chance, for reports: with runs, judgements, and names of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results import Made, Results
from aboutness.rank.grammar import ranker

HOSTILE = "</script><script>alert(1)</script><!-- \"'&amp;\0\x07\ufffe {0}{query} $x_1$ \\end{document} % | `a` **b** [c](d)"
HEBREW = "\u05e2\u05d1\u05e8\u05d9\u05ea \u202e reversed"
LONG = "x" * 500
HOSTILE_NAMES = (HOSTILE, HEBREW, LONG, "=cmd|' /C calc'!A0", "two\nlines\tand a tab")
MEASURES = ("nDCG@10", "AP")

MADE = Made(
    command="aboutness experiment first.toml -o first",
    date="2026-11-16T12:00:00+00:00",
    seconds=12.5,
    peak_mb=345.6,
    versions={"aboutness": "0.0", "python": "3.13"},
    seed=7,
    parameters={"depth": 1000, "rankers": ["bm25", "ql"]},
    data={
        "chance": {"source": "data/chance", "documents": 50, "queries": 9, "judgements": 27, "checksum": "abc123"}
    },
)


def names_of(count: int) -> list[str]:
    return [f"ranker {number}" for number in range(count)]


def comparison(
    names: Sequence[str] = ("one", "two", "three"),
    queries: int = 9,
    *,
    ids: Sequence[str] | None = None,
    documents: int = 50,
    measures: Sequence[str] = MEASURES,
    depth: int = 20,
    seed: int = 1,
    **more: Any,
) -> Comparison:
    """Return rankers by name whose rankings are drawn; the later a ranker comes, the better it is."""
    chance = np.random.default_rng(seed)
    asked = list(ids) if ids is not None else [f"q{number}" for number in range(queries)]
    qrels = {
        query: {f"d{one}": int(grade) for one, grade in zip(chance.choice(documents, 3, replace=False), (2, 1, 0), strict=True)}
        for query in asked
    }  # fmt: skip
    rows = []
    for place, name in enumerate(names):
        run = {}
        for query in asked:
            scores = chance.random(documents)
            for one, grade in qrels[query].items():
                scores[int(one[1:])] += 0.3 * place * grade
            best = np.argsort(-scores, kind="stable")[:depth]
            run[query] = [(f"d{number}", float(scores[number])) for number in best]
        evaluation = evaluate(qrels, run, list(measures))
        rows.append(Row(ranker(f"bm25[k1={1 + place / 100:g}]"), run, evaluation, 0.5 + place, named=name))
    more = {"collection": "chance", "documents": documents, "analyzer": "english", "unknown": {}, **more}
    return Comparison(measures=tuple(measures), rows=tuple(rows), qrels=qrels, **more)


def results(*comparisons: Comparison, **more: Any) -> Results:
    """Return results of some comparisons."""
    return Results("Made by chance", comparisons or (comparison(),), **{"made": MADE, **more})
