"""`python -m bench.scale_approximate [--quick] [--folder DIR]`: approximate search, against exact and faiss.

All sides hold the same rows, run in one process with one thread, and take turns; times are the processor's, and
medians over queries of the best of some rounds. Results go to bench/results/scale_approximate.{json,md}.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import aboutness as ab
from aboutness.models.approximate import DEPTHS, ApproximateScorer, measured
from aboutness.models.dense import DenseScorer
from aboutness.models.lists import Lists
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from bench.data import records
from bench.report import circumstances, keep, kept, made_by, met, table, tell
from bench.search import short_queries

NAME, COLLECTION, VECTORS = "scale_approximate", "yso_finna_en", "googlenews_w2v_300d_small"
QUERIES, TIMED, K, EACH = 300, 100, 10, 64
RECALLS = (0.9, 0.95, 0.99)
TIMES_BAR, RECALL_BAR = 4.0, 0.95
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
OURS, EXACT, PEER, FLAT = "approximate", "exact", "faiss IVF", "faiss flat"
HOW = (
    "The first {k} of all {documents:,} documents of {collection} by `{model}`, {dim} dimensions, for {queries:,} "
    "real queries. Recall is the share of the {k} found that an exact search finds too, or that have the score "
    "of its last; `promised` is what the note with every answer says, measured on questions drawn from the "
    "documents. Times are the processor's: the median of {timed} queries, each the best of {rounds} rounds, one "
    "at a time, one thread, from the query's vector on. Exact is our scan of rows in whole numbers. faiss "
    "(`IndexIVFFlat`, inner product, spherical k-means, as many lists, {each} rows for each in training) keeps "
    "rows in float32; the least number of lists with which it reaches our recall is shown (they grow by half)."
)


class Exact:
    """The exact answers to some vectors, against which others are held."""

    def __init__(self, scorer: DenseScorer, vectors: Sequence[np.ndarray]) -> None:
        self.scorer = scorer
        self.vectors = vectors
        self.everything = scorer.view.alive
        self.lasts = [float(self.ranked(scorer, place).scores[-1]) for place in range(len(vectors))]

    def ranked(self, scorer: DenseScorer, place: int) -> Ranking:
        """Return what a scorer finds for the vector at a place."""
        return scorer.ranked(self.vectors[place], self.everything, K)

    def recall(self, found: Iterable[Sequence[int]]) -> float:
        """Return the mean share of documents found that are among the best, or have the score of the last."""
        shares = []
        for place, documents in enumerate(found):
            numbers = np.array(sorted(number for number in documents if number >= 0), np.int64)
            scores = self.scorer.products(self.vectors[place], numbers)
            shares.append(np.count_nonzero(scores >= self.lasts[place]) / K)
        return statistics.mean(shares)


def median_ms(work: Mapping[str, Callable[[int], Any]], rounds: int) -> dict[str, float]:
    """Return the median over queries of the best round, all sides in turns."""
    best = {side: np.full(TIMED, np.inf) for side in work}
    for _ in range(rounds + 1):
        for side, run in work.items():
            for query in range(TIMED):
                start = time.process_time()
                run(query)
                best[side][query] = min(best[side][query], time.process_time() - start)
    return {side: 1e3 * float(np.median(times)) for side, times in best.items()}


def peer(rows: np.ndarray, count: int) -> tuple[Any, Any, float]:
    """Return faiss's exact index and one with lists, and the seconds that the lists took."""
    import faiss

    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    start = time.process_time()
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(rows.shape[1]), rows.shape[1], count, faiss.METRIC_INNER_PRODUCT)
    index.cp.spherical = True
    index.cp.max_points_per_centroid = EACH
    index.train(rows)
    index.add(rows)
    return flat, index, time.process_time() - start


def compare(model: str, scorer: DenseScorer, questions: list[Question], rounds: int) -> dict[str, Any]:
    """Measure one model."""
    rows = scorer.rows
    assert rows.codes is not None
    questions = [question for question in questions if scorer.vector(question) is not None]
    vectors = [vector for question in questions if (vector := scorer.vector(question)) is not None]
    start = time.process_time()
    lists = Lists.of(rows)
    made = time.process_time() - start
    start = time.process_time()
    recall = measured(scorer, lists)
    tell(f"{model}: {len(lists)} lists in {made:.1f} s, measured in {time.process_time() - start:.1f} s")
    measuring = time.process_time() - start
    exact = Exact(scorer, vectors)
    work: dict[str, Callable[[int], Any]] = {EXACT: lambda i: exact.ranked(scorer, i)}
    found: dict[str, dict[str, Any]] = {EXACT: {"recall": 1.0}}
    for wanted in RECALLS:
        probes = [recall.probes(wanted, depth) for depth in DEPTHS]
        side, here = f"{OURS} {wanted:g}", ApproximateScorer(scorer, lists, probes)
        mine = (exact.ranked(here, i).documents.tolist() for i in range(len(vectors)))
        found[side] = {"recall": exact.recall(mine), "promised": recall.at(K, probes[0]), "probes": probes[0]}
        work[side] = lambda i, here=here: exact.ranked(here, i)
    seconds = None
    if find_spec("faiss"):
        seconds = with_faiss(rows.rows, exact, len(lists), found, work)
    for side, ms in median_ms(work, rounds).items():
        found[side]["ms"] = ms
    sizes = np.diff(lists.ends, prepend=0)
    return {
        "model": model, "queries": len(vectors), "documents": len(rows), "dim": rows.rows.shape[1],
        "sides": [{"side": side, **one} for side, one in found.items()],
        "lists": len(lists), "largest": int(sizes.max()), "make_s": made, "measure_s": measuring,
        "faiss_make_s": seconds, "rows_mb": rows.rows.nbytes / 1e6, "lists_mb": lists.held / 1e6,
    }  # fmt: skip


def with_faiss(
    rows: np.ndarray, exact: Exact, count: int, found: dict[str, dict[str, Any]],
    work: dict[str, Callable[[int], Any]],
) -> float:  # fmt: skip
    """Add faiss to the sides: exact, and with as many probes as it needs for each recall; return its seconds."""
    import faiss

    flat, index, seconds = peer(rows, count)
    asked = np.array(exact.vectors, np.float32)
    found[FLAT] = {"recall": exact.recall(flat.search(asked, K)[1].tolist())}
    work[FLAT] = lambda i: flat.search(asked[i : i + 1], K)
    tried: dict[int, float] = {}
    for wanted in RECALLS:
        goal, probes = found[f"{OURS} {wanted:g}"]["recall"], 1
        while probes < count:
            if probes not in tried:
                chosen = faiss.SearchParametersIVF(nprobe=probes)
                tried[probes] = exact.recall(index.search(asked, K, params=chosen)[1].tolist())
            if tried[probes] >= goal:
                break
            probes += max(1, probes // 2)
        side = f"{PEER}, for {wanted:g}"
        found[side] = {"recall": tried.get(probes, 1.0), "probes": probes}
        chosen = faiss.SearchParametersIVF(nprobe=probes)
        work[side] = lambda i, chosen=chosen: index.search(asked[i : i + 1], K, params=chosen)
    tell(f"faiss: {count} lists in {seconds:.1f} s")
    return seconds


def cells(side: Mapping[str, Any], exact: float) -> list[object]:
    """Return what is shown of one side, where an exact search takes so many milliseconds."""
    promised = "{:.3f} ± {:.3f}".format(*side["promised"]) if "promised" in side else ""
    shown = [f"{side['recall']:.3f}", f"{side['ms']:.2f}", f"{exact / side['ms']:.1f}"]
    return [side["side"], side.get("probes", "all"), promised, *shown]


def summary(results: Mapping[str, Any]) -> list[str]:
    """Return a table of what matters most: our own sides, and what lists cost."""
    head = ["ranker", "documents", "search", "lists read", "recall@10", "ms a query", "lists made in, s", "MB"]
    rows = []
    for found in results["models"]:
        first = [found["model"], f"{found['documents']:,}"]
        for one in found["sides"]:
            if one["side"].startswith((EXACT, OURS)):
                costs = (
                    ["", ""] if one["side"] == EXACT else [f"{found['make_s']:.0f}", f"{found['lists_mb']:.0f}"]
                )
                shown = [one["side"], one.get("probes", "all"), f"{one['recall']:.3f}", f"{one['ms']:.2f}", *costs]
                rows.append([*first, *shown])
    return table(head, rows)


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = ["# Approximate search by vectors", "", made_by("bench.scale_approximate", results)]
    for found in results["models"]:
        lines += ["", f"## {found['model']}", ""]
        lines += [
            HOW.format(k=K, timed=TIMED, rounds=results["rounds"], collection=COLLECTION, each=EACH, **found),
            "",
        ]
        exact = next(one["ms"] for one in found["sides"] if one["side"] == EXACT)
        head = ["side", "lists read", "promised recall@10", "recall@10", "ms a query", "times faster than exact"]
        lines += table(head, [cells(one, exact) for one in found["sides"]])
        enough = [one for one in found["sides"] if one["side"].startswith(OURS) and one["recall"] >= RECALL_BAR]
        most = max((exact / one["ms"] for one in enough), default=0.0)
        faiss = "" if found["faiss_make_s"] is None else f" (faiss: {found['faiss_make_s']:.0f} s)"
        verdict = (
            f"At least {TIMES_BAR:g} times faster than exact at recall@10 {RECALL_BAR:g}: "
            f"{met(most >= TIMES_BAR)} ({most:.1f}). {found['lists']:,} lists, the largest of "
            f"{found['largest']:,} documents, made in {found['make_s']:.0f} s{faiss}, recall measured in "
            f"{found['measure_s']:.0f} s; {found['lists_mb']:.0f} MB beside {found['rows_mb']:.0f} MB of rows."
        )
        lines += ["", verdict]
    return "\n".join([*lines, ""])


def words(folder: Path, most: int | None) -> ab.Index:
    """Return an index with word vectors that somebody else trained, made unless it is there."""
    path = folder / "words.index"
    if path.exists():
        return ab.Index.open(path)
    index = ab.Index.build(records(COLLECTION, most), path, analyzer="plain")
    index.import_vectors(next(Path(os.environ["ABOUTNESS_VECTORS"], VECTORS).glob("*.bin")), name="googlenews")
    return index


def latent(folder: Path, most: int | None) -> ab.Index:
    """Return an index with latent dimensions, as `default` needs them, made unless it is there."""
    path = folder / "served.index"
    if path.exists():
        return ab.Index.open(path)
    index = ab.Index.build(records(COLLECTION, most), path)
    index.train("default")
    return index


PARTS: dict[str, tuple[str, Callable[[Path, int | None], ab.Index]]] = {
    "iwcs": ("iwcs", words),
    "lsa": ("lsa[vectors=default]", latent),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale_approximate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="30,000 documents, one round; nothing is stored")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="the others stay as they were"
    )
    parser.add_argument("--folder", type=Path, help="where indexes are kept, to be used again")
    options = parser.parse_args()
    if not ONE_THREAD.items() <= os.environ.items():  # numpy has read it already
        command = [sys.executable, "-m", "bench.scale_approximate", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **ONE_THREAD})
    if not os.environ.get("ABOUTNESS_VECTORS"):
        sys.exit("ABOUTNESS_VECTORS is not set: it names the folder with the real vectors")
    rounds, most = (1, 30_000) if options.quick else (options.rounds, None)
    packages = ("numpy", "numba", *(["faiss-cpu"] if find_spec("faiss") else []))
    results: dict[str, Any] = {} if options.quick else kept(NAME)
    with tempfile.TemporaryDirectory() as temporary:
        for part in options.parts:
            model, opened = PARTS[part]
            index = opened(options.folder or Path(temporary), most)
            questions = [Question(text) for text in short_queries(index, COLLECTION, QUERIES)]
            scorer = index.generation.bound(ab.ranker(model))
            assert isinstance(scorer, DenseScorer)
            found = compare(model, scorer, questions, rounds)
            others = [one for one in results.get("models", []) if one["model"] != model]
            measured_at = results.get("measured", {})
            results = {**circumstances(*packages), "rounds": rounds, "models": [*others, found]}
            results["measured"] = measured_at | {part: results["date"]}
            text = report(results)
            if not options.quick:
                keep(NAME, results, text)
    print(text)


if __name__ == "__main__":
    main()
