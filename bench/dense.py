"""`python -m bench.dense [--quick] [--rounds N]`: the best documents by products of vectors, against numpy, faiss.

All sides hold the same rows, run in one process with one thread, and take turns; the best of the rounds counts, in
time of the processor. Only ratios within one run mean anything. Results go to bench/results/dense.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index
from aboutness.models.dense import DenseScorer
from aboutness.models.dense_rows import DenseRows
from aboutness.models.desm import DESM
from aboutness.models.iwcs import IWCS
from aboutness.models.model import Scorer
from aboutness.models.question import Question
from bench.data import records
from bench.search import short_queries

RESULTS = Path(__file__).parent / "results"
COLLECTION, MOST, DIM = "yso_finna_en", 200_000, 300
VECTORS = "googlenews_w2v_300d_small"
QUERIES, ONE_BY_ONE = 256, 64
K = 10
BAR, STRETCH = 4.0, 8.0
ONE_THREAD = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
EXPLANATION = (
    "The first {k} of all documents. One by one: a matrix-vector product and `argpartition` for numpy, with the "
    "query's vector at hand; ours from the query's text (random vectors: from the vector). Batch: blocks of 64 "
    "queries, a matrix product and `argpartition` for numpy; `IndexFlatIP` for faiss. One thread, in turns, the "
    "best processor time of {rounds} rounds. Identical: documents and scores equal those of scoring every "
    "document, for every query. One by one is measured with the rows in whole numbers at hand, as they are soon "
    "after the first questions, or at once where `prepare` has kept them. The other `desm` models differ in which "
    "vectors their rows are made of, not in what is done with them."
)


class Random(DenseScorer):
    """Vectors without any direction: the hardest there are. A question is the number of its vector."""

    def vector(self, question: Question) -> Any:
        return np.random.default_rng(int(question.text)).normal(size=DIM)

    def explain(self, question: Question, document: int) -> Any:
        raise NotImplementedError


def random_scorer(index: Index) -> Random:
    rows = np.random.default_rng(1).normal(size=(len(index), DIM)).astype(np.float32)
    return Random(index.view(), DenseRows(rows / np.linalg.norm(rows, axis=1, keepdims=True)), -1.0)


def numpy_batch(rows: np.ndarray, vectors: np.ndarray) -> None:
    for first in range(0, len(vectors), 64):
        for scores in vectors[first : first + 64] @ rows.T:
            np.argpartition(scores, len(scores) - K)[len(scores) - K :]


def best_times(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Run all in turns; return the best processor time of each, after one round that does not count."""
    times = dict.fromkeys(work, float("inf"))
    for turn in range(rounds + 1):
        for name, run in work.items():
            start = time.process_time()
            run()
            if turn:
                times[name] = min(times[name], time.process_time() - start)
    return times


def sides(scorer: DenseScorer, questions: list[Question]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what each side does, one by one and in a batch."""
    rows = scorer.rows.rows
    found = [vector for question in questions if (vector := scorer.vector(question)) is not None]
    vectors = np.array(found, np.float32)
    some = questions[:ONE_BY_ONE]
    one: dict[str, Callable[[], Any]] = {
        "aboutness": lambda: [scorer.top(question, K, match="all") for question in some],
        "numpy": lambda: [
            np.argpartition(rows @ vector, len(rows) - K)[len(rows) - K :] for vector in vectors[: len(some)]
        ],
    }
    many: dict[str, Callable[[], Any]] = {
        "aboutness": lambda: scorer.top_many(questions, K, match="all", threads=1),
        "numpy": lambda: numpy_batch(rows, vectors),
    }
    if find_spec("faiss"):
        import faiss

        flat = faiss.IndexFlatIP(rows.shape[1])
        flat.add(rows)
        usual = faiss.cvar.distance_compute_blas_threshold

        def by_products() -> None:
            faiss.cvar.distance_compute_blas_threshold = 20  # else batches do not use products of matrices
            flat.search(vectors, K)
            faiss.cvar.distance_compute_blas_threshold = usual

        one["faiss"] = lambda: [flat.search(vector[None], K) for vector in vectors[: len(some)]]
        many["faiss"] = by_products
    return one, many


def compare(name: str, scorer: DenseScorer, questions: list[Question], rounds: int) -> dict[str, Any]:
    """Measure one model."""
    start = time.process_time()
    codes = scorer.rows.codes
    made = time.process_time() - start
    print(f"  {name}: rows in whole numbers after {made:.2f} s", file=sys.stderr)
    expected = Scorer.top_many(scorer, questions, K, match="all")
    single = [scorer.top(question, K, match="all") for question in questions]
    batch = scorer.top_many(questions, K, match="all", threads=1)
    same = all(
        np.array_equal(one.documents, other.documents) and np.array_equal(one.scores, other.scores)
        for found in (single, batch)
        for one, other in zip(found, expected, strict=True)
    )
    one, many = sides(scorer, questions)
    rows = []
    for what, work, count in (
        ("one by one", one, min(ONE_BY_ONE, len(questions))),
        ("batch", many, len(questions)),
    ):
        times = best_times(work, rounds)
        for side, seconds in times.items():
            rows.append(
                {
                    "what": what,
                    "side": side,
                    "ms_per_query": 1e3 * seconds / count,
                    "ratio": seconds / times["aboutness"],
                }
            )
        print(
            f"  {name}, {what}: { ({s: round(1e3 * t / count, 2) for s, t in times.items()}) } ms", file=sys.stderr
        )
    return {
        "model": name,
        "rows": rows,
        "same": same,
        "queries": len(questions),
        "make_s": made,
        "rows_mb": scorer.rows.rows.nbytes / 1e6,
        "codes_mb": (codes.codes.nbytes + codes.scales.nbytes + codes.rests.nbytes) / 1e6,
    }


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    made = f"Made by `python -m bench.dense` on {results['date']}: {results['machine']}; {results['versions']}."
    lines = ["# Dense search", "", made, f"{results['documents']:,} documents of {COLLECTION}, {DIM} dimensions."]
    lines += [EXPLANATION.format(k=K, rounds=results["rounds"]), ""]
    lines += ["| model | queries | side | ms a query | queries/s | times ours | bar | stretch |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for found in results["models"]:
        for row in found["rows"]:
            met = " | "
            if (row["what"], row["side"]) == ("one by one", "numpy"):
                met = f"≥ {BAR:g} {_met(row['ratio'] >= BAR)} | ≥ {STRETCH:g} {_met(row['ratio'] >= STRETCH)}"
            lines.append(
                f"| {found['model']} | {row['what']} | {row['side']} | {row['ms_per_query']:.2f} | "
                f"{1e3 / row['ms_per_query']:,.0f} | {row['ratio']:.2f} | {met} |"
            )
    lines += [
        "",
        "| model | identical ranking | rows, MB | in whole numbers, MB | made in, s |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {found['model']} | {'yes' if found['same'] else 'NO'}, {found['queries']} queries | "
        f"{found['rows_mb']:.0f} | {found['codes_mb']:.0f} | {found['make_s']:.2f} |"
        for found in results["models"]
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.dense", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer documents, one round; nothing is stored")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not ONE_THREAD.items() <= os.environ.items():  # numpy has read it already
        command = [sys.executable, "-m", "bench.dense", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **ONE_THREAD})
    folder = os.environ.get("ABOUTNESS_VECTORS")
    if not folder:
        sys.exit("ABOUTNESS_VECTORS is not set: it names the folder with the real vectors")
    rounds, most = (1, 20_000) if options.quick else (options.rounds, MOST)
    index = Index.build(records(COLLECTION, most), analyzer="plain")
    index.import_vectors(next(Path(folder, VECTORS).glob("*.bin")), name="googlenews")
    texts = [Question(text) for text in short_queries(index, COLLECTION, QUERIES)]
    models: dict[str, tuple[Callable[[], Any], list[Question]]] = {
        "iwcs": (lambda: IWCS().bind(index.snapshot), texts),
        "desm-in-in": (lambda: DESM(space="in-in").bind(index.snapshot), texts),
        "random vectors": (lambda: random_scorer(index), [Question(str(n)) for n in range(QUERIES)]),
    }
    results: dict[str, Any] = {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(
            f"{n} {version(n)}" for n in ("numpy", "numba", *(["faiss-cpu"] if find_spec("faiss") else []))
        ),
        "documents": most,
        "rounds": rounds,
        "models": [],
    }
    for name, (make, questions) in models.items():
        scorer = make()
        known = [question for question in questions if scorer.knows(question)]
        results["models"].append(compare(name, scorer, known, rounds))
    text = report(results)
    print(text)
    if not options.quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "dense.json").write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "dense.md").write_text(text)


if __name__ == "__main__":
    main()
